//! A column: values of one type, one for each row of a table, never changed.

#![expect(unsafe_code, reason = "a slice whose owner is kept beside it; every block is explained")]

use super::Id;
use super::cell::Cell;
use arrow_buffer::Buffer as Bytes;
use std::any::Any;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, Index};
use std::ptr::NonNull;
use std::sync::Arc;

/// Values by id. A clone is cheap and shares the values. An id of another table cannot be used as an index:
///
/// ```
/// # use dlprof_core::{FactColumn, WorkId};
/// let column: FactColumn<WorkId, u32> = vec![1, 2].into();
/// assert_eq!(column[WorkId::new(1)], 2);
/// ```
///
/// ```compile_fail,E0277
/// # use dlprof_core::{ApiCallId, FactColumn, WorkId};
/// let column: FactColumn<WorkId, u32> = vec![1, 2].into();
/// assert_eq!(column[ApiCallId::new(1)], 2);
/// ```
pub struct FactColumn<I, T> {
    values: NonNull<T>,
    length: usize,
    /// The owner of the values: a buffer, or bytes of a mapped file; `None` for an empty column.
    owner: Option<Arc<dyn Any + Send + Sync>>,
    indexed_by: PhantomData<fn(I)>,
}

// SAFETY: the values are only read, and their owner may be dropped by any thread.
unsafe impl<I, T: Send + Sync> Send for FactColumn<I, T> {}
// SAFETY: as above.
unsafe impl<I, T: Send + Sync> Sync for FactColumn<I, T> {}

impl<I, T> Clone for FactColumn<I, T> {
    fn clone(&self) -> Self {
        Self { values: self.values, length: self.length, owner: self.owner.clone(), indexed_by: PhantomData }
    }
}

impl<I, T> Default for FactColumn<I, T> {
    fn default() -> Self {
        Self { values: NonNull::dangling(), length: 0, owner: None, indexed_by: PhantomData }
    }
}

impl<I, T: Send + Sync + 'static> FactColumn<I, T> {
    /// The values that an owner lends out. It must lend the same ones for as long as it is not changed, wherever it is moved.
    pub(super) fn of_owner(owner: impl Deref<Target = [T]> + Send + Sync + 'static) -> Self {
        let owner = Arc::new(owner);
        let (values, length) = (NonNull::from(&owner[..]).cast(), owner.len());
        Self { values, length, owner: Some(owner), indexed_by: PhantomData }
    }
}

impl<I, T: Cell> FactColumn<I, T> {
    /// A column of the values in these bytes, which are not copied; `None` if the bytes are not such values.
    pub(super) fn from_bytes(bytes: Bytes) -> Option<Self> {
        let slice: &[T] = bytemuck::checked::try_cast_slice(&bytes).ok()?;
        let (values, length) = (NonNull::from(slice).cast(), slice.len());
        Some(Self { values, length, owner: Some(Arc::new(bytes)), indexed_by: PhantomData })
    }

    /// The bytes of the values, which are not copied.
    pub(super) fn to_bytes(&self) -> Bytes {
        /// Gives access to the values as bytes.
        struct Lender<I, T>(FactColumn<I, T>);
        impl<I, T: Cell> AsRef<[u8]> for Lender<I, T> {
            fn as_ref(&self) -> &[u8] {
                bytemuck::cast_slice(&self.0)
            }
        }
        // The owner of bytes needs only the type of the values, not the type of the id.
        let values = FactColumn::<(), T> {
            values: self.values,
            length: self.length,
            owner: self.owner.clone(),
            indexed_by: PhantomData,
        };
        Bytes::from(bytes::Bytes::from_owner(Lender(values)))
    }
}

impl<I, T> Deref for FactColumn<I, T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        // SAFETY: the owner holds `length` values from here on, which never move and are never changed; a column
        // without an owner is empty.
        unsafe { std::slice::from_raw_parts(self.values.as_ptr(), self.length) }
    }
}

impl<I: Id, T> Index<I> for FactColumn<I, T> {
    type Output = T;

    #[inline]
    fn index(&self, id: I) -> &T {
        &self[..][id.position()]
    }
}

impl<I: Id, T> Index<&I> for FactColumn<I, T> {
    type Output = T;

    #[inline]
    fn index(&self, id: &I) -> &T {
        &self[*id]
    }
}

impl<I, T> Index<usize> for FactColumn<I, T> {
    type Output = T;

    /// The value of a row, for code that goes through the rows of several tables by their numbers.
    #[inline]
    fn index(&self, row: usize) -> &T {
        &self[..][row]
    }
}

impl<I, T> Index<std::ops::RangeFull> for FactColumn<I, T> {
    type Output = [T];

    #[inline]
    fn index(&self, _: std::ops::RangeFull) -> &[T] {
        self
    }
}

impl<I: Id, T> FactColumn<I, T> {
    /// The value of an id; `None` for an id outside the column.
    #[must_use]
    #[inline]
    pub fn get_id(&self, id: I) -> Option<&T> {
        self.get(id.position())
    }
}

impl<'a, I, T> IntoIterator for &'a FactColumn<I, T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<I, T: PartialEq> PartialEq for FactColumn<I, T> {
    fn eq(&self, other: &Self) -> bool {
        self[..] == other[..]
    }
}

impl<I, T> fmt::Debug for FactColumn<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Column of {} values", self.length)
    }
}
