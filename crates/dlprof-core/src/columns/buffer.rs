//! A growing list of values within a memory budget.

#![expect(unsafe_code, reason = "values in mapped memory; every block is explained")]

use super::column::FactColumn;
use super::memory::Memory;
use super::region::Region;
use std::fmt;
use std::ops::{Deref, DerefMut};

/// A list of values on the heap, or in a scratch file if the budget is used up.
pub struct Buffer<T: Copy> {
    memory: Memory,
    storage: Storage<T>,
}

enum Storage<T> {
    /// Values on the heap, and how many bytes of the budget they take.
    Heap(Vec<T>, usize),
    /// A scratch file that begins with `length` values.
    Scratch { region: Region, length: usize },
}

impl Memory {
    /// An empty buffer with room for `capacity` values.
    #[must_use]
    pub fn buffer<T: Copy + Send + Sync + 'static>(&self, capacity: usize) -> Buffer<T> {
        Buffer::with_capacity(self, capacity)
    }

    /// A buffer of `length` equal values.
    #[must_use]
    pub fn filled<T: Copy + Send + Sync + 'static>(&self, length: usize, value: T) -> Buffer<T> {
        let mut buffer = self.buffer(length);
        buffer.resize(length, value);
        buffer
    }

    /// A buffer of the values of an iterator.
    #[must_use]
    pub fn collect<T: Copy + Send + Sync + 'static>(&self, values: impl Iterator<Item = T>) -> Buffer<T> {
        let mut buffer = self.buffer(values.size_hint().0);
        buffer.extend(values);
        buffer
    }
}

impl<T: Copy> Drop for Buffer<T> {
    fn drop(&mut self) {
        match &self.storage {
            Storage::Heap(_, bytes) => self.memory.give_back(*bytes),
            Storage::Scratch { region, .. } => {
                self.memory.remove_mapping(region.mapping());
                self.memory.note_scratch(0, region.bytes());
            }
        }
    }
}

impl<T: Copy> Buffer<T> {
    /// Size of this number of values in bytes.
    fn bytes(capacity: usize) -> usize {
        capacity.saturating_mul(size_of::<T>())
    }

    pub(super) fn with_capacity(memory: &Memory, capacity: usize) -> Self {
        let bytes = Self::bytes(capacity);
        if !memory.take(bytes) {
            if let Some(region) = Region::new(memory.folder(), bytes) {
                memory.add_mapping(region.mapping());
                memory.note_scratch(region.bytes(), 0);
                return Self { memory: memory.clone(), storage: Storage::Scratch { region, length: 0 } };
            }
            memory.overdraw(bytes);
        }
        Self { memory: memory.clone(), storage: Storage::Heap(Vec::with_capacity(capacity), bytes) }
    }

    /// Adds a value at the end.
    #[inline]
    pub fn push(&mut self, value: T) {
        if let Storage::Heap(values, _) = &mut self.storage
            && values.len() < values.capacity()
        {
            values.push(value);
            return;
        }
        self.push_slowly(value);
    }

    fn push_slowly(&mut self, value: T) {
        if self.len() == self.capacity() {
            self.grow((self.capacity() * 2).max(64));
        }
        match &mut self.storage {
            Storage::Heap(values, _) => values.push(value),
            Storage::Scratch { region, length } => {
                // SAFETY: there is room for another value after the last one, and it is aligned because a region
                // begins at a page.
                unsafe { region.start_mut::<T>().add(*length).write(value) };
                *length += 1;
            }
        }
    }

    /// Adds values at the end.
    pub fn extend(&mut self, values: impl IntoIterator<Item = T>) {
        let values = values.into_iter();
        self.reserve(values.size_hint().0);
        values.for_each(|value| self.push(value));
    }

    /// Adds equal values, or removes values from the end, until there are `length`.
    pub fn resize(&mut self, length: usize, value: T) {
        if length < self.len() {
            self.truncate(length);
        } else {
            let more = length - self.len();
            self.extend(std::iter::repeat_n(value, more));
        }
    }

    /// Removes values from the end until there are at most `most`.
    pub fn truncate(&mut self, most: usize) {
        match &mut self.storage {
            Storage::Heap(values, _) => values.truncate(most),
            Storage::Scratch { length, .. } => *length = most.min(*length),
        }
    }

    /// Makes room for more values; for twice as many as there were, so that many small additions do not move all each time.
    pub fn reserve(&mut self, more: usize) {
        let wanted = self.len().saturating_add(more);
        if wanted > self.capacity() {
            self.grow(wanted.max(self.capacity() * 2));
        }
    }

    fn capacity(&self) -> usize {
        match &self.storage {
            Storage::Heap(values, _) => values.capacity(),
            Storage::Scratch { region, .. } => region.bytes() / size_of::<T>(),
        }
    }

    fn grow(&mut self, capacity: usize) {
        let wanted = Self::bytes(capacity);
        match &mut self.storage {
            Storage::Heap(values, bytes) => {
                // Old and new values exist at the same time, but only for a moment.
                self.memory.give_back(*bytes);
                if self.memory.take(wanted) {
                    *bytes = wanted;
                    values.reserve_exact(capacity - values.len());
                    return;
                }
                self.memory.overdraw(*bytes);
                let mut moved = Self::with_capacity(&self.memory, capacity);
                moved.extend(values.iter().copied());
                *self = moved;
            }
            Storage::Scratch { region, .. } => {
                self.memory.remove_mapping(region.mapping());
                let old_bytes = region.bytes();
                let is_grown = region.grow(wanted).is_some();
                self.memory.add_mapping(region.mapping());
                self.memory.note_scratch(region.bytes(), old_bytes);
                if !is_grown {
                    let mut values: Vec<T> = Vec::with_capacity(capacity);
                    values.extend_from_slice(self);
                    self.memory.overdraw(wanted);
                    *self = Self { memory: self.memory.clone(), storage: Storage::Heap(values, wanted) };
                }
            }
        }
    }
}

impl<T: Copy + Send + Sync + 'static> Buffer<T> {
    /// The values as a column, which does not change any more.
    #[must_use]
    pub(crate) fn into_column<I>(self) -> FactColumn<I, T> {
        FactColumn::of_owner(self)
    }
}

impl<T: Copy> Default for Buffer<T> {
    /// An empty buffer without a budget.
    fn default() -> Self {
        Self { memory: Memory::unlimited(), storage: Storage::Heap(Vec::new(), 0) }
    }
}

impl<T: Copy> From<Vec<T>> for Buffer<T> {
    /// The values as a list that does not count towards any budget.
    fn from(values: Vec<T>) -> Self {
        Self { memory: Memory::unlimited(), storage: Storage::Heap(values, 0) }
    }
}

impl<I, T: Copy + Send + Sync + 'static> From<Vec<T>> for FactColumn<I, T> {
    fn from(values: Vec<T>) -> Self {
        Self::of_owner(Buffer::from(values))
    }
}

impl<I, T: Copy + Send + Sync + 'static> FromIterator<T> for FactColumn<I, T> {
    /// A column outside any memory budget.
    fn from_iter<V: IntoIterator<Item = T>>(values: V) -> Self {
        values.into_iter().collect::<Vec<T>>().into()
    }
}

impl<T: Copy> Deref for Buffer<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match &self.storage {
            Storage::Heap(values, _) => values,
            // SAFETY: the region begins with `length` values, which were written one by one.
            Storage::Scratch { region, length } => unsafe {
                std::slice::from_raw_parts(region.start(), *length)
            },
        }
    }
}

impl<T: Copy> DerefMut for Buffer<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        match &mut self.storage {
            Storage::Heap(values, _) => values,
            // SAFETY: as above, and `self` is borrowed mutably.
            Storage::Scratch { region, length } => unsafe {
                std::slice::from_raw_parts_mut(region.start_mut(), *length)
            },
        }
    }
}

impl<'a, T: Copy> IntoIterator for &'a Buffer<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T: Copy + fmt::Debug> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(buffer: usize, at: usize) -> usize {
        buffer.wrapping_mul(0x9E37_79B9) ^ at
    }

    /// Buffers that grow, are cut and dropped keep their values, in files and across the two kinds of memory.
    #[test]
    fn values_survive_in_files_and_on_the_heap() {
        let memory = Memory::in_folder(8 << 20, std::env::temp_dir());
        let mut buffers: Vec<Buffer<usize>> = Vec::new();
        for round in 0..40 {
            let number = buffers.len();
            let length = [100, 70_000, 300_000, 1_000_000][round % 4];
            let mut grown = memory.buffer(if round % 3 == 0 { length } else { 0 });
            (0..length).for_each(|at| grown.push(value(number, at)));
            buffers.push(grown);
            let some = (round * 7) % buffers.len();
            let shorter = buffers[some].len() / 3;
            buffers[some].truncate(shorter);
            memory.drop_pages();
        }
        assert!(memory.most_scratch_bytes() > 0, "nothing went to a file");
        for (number, buffer) in buffers.iter().enumerate() {
            assert!(
                buffer.iter().enumerate().all(|(at, &found)| found == value(number, at)),
                "buffer {number}"
            );
        }
        assert!(memory.filled(2_000_000, 0_u64).iter().all(|&zero| zero == 0));
    }

    #[test]
    fn without_a_folder_for_scratch_files_values_stay_on_the_heap() {
        let memory = Memory::in_folder(0, "/nowhere/at/all".into());
        let buffer = memory.collect(0..1_000_000_u32);
        assert_eq!(memory.most_scratch_bytes(), 0);
        assert!(buffer.iter().copied().eq(0..1_000_000));
    }
}
