//! Resource usage: every nanosecond of the wall clock in exactly one class.
//!
//! ```text
//! TC kernel   ──────├──┤─────────────────
//! kernel      ────├────┤──├────┤─────────      the first class that applies, from top to bottom
//! memory      ──────────────├─────┤──────
//! op calls    ─├──────────────┤──────────
//! class       ocKTTKccKKKKmm‥ooo               (o other, c CPU, K kernel, T TC kernel, m memory)
//! ```
//!
//! Order: TC kernel, other kernel, memory, data loader, I/O, CPU (any op call, loose ones included), other. With
//! several GPUs the split is made once per GPU, with only that GPU's work; over which GPUs it is averaged, the profile
//! decides.

use crate::base::ids::DeviceId;
use crate::base::reach::Reaches;
use crate::base::time::{Ns, Span};
use crate::columns::{Buffer, Memory, cells_of_numbers, table};
use bytemuck::{Pod, Zeroable};
use std::ops::Range;

/// Nanoseconds by class, summed over GPUs. The classes add up to the length times the number of GPUs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct Resources {
    /// A kernel that uses Tensor Cores ran.
    pub tc_kernel_ns: Ns,
    /// Another kernel ran.
    pub non_tc_kernel_ns: Ns,
    /// A copy or a memset ran.
    pub memory_ns: Ns,
    /// The data loader ran.
    pub dataloader_ns: Ns,
    /// I/O. nsys does not record it by default; always 0 so far, as in DLProf.
    pub io_ns: Ns,
    /// An op call was open.
    pub cpu_ns: Ns,
    /// None of these.
    pub other_ns: Ns,
}

cells_of_numbers! {
    Resources:
        "tc_kernel_ns" "non_tc_kernel_ns" "memory_ns" "dataloader_ns" "io_ns" "cpu_ns" "other_ns";
}

table! {
    /// The time of GPUs by class: of pieces between cuts of the time line, or of all pieces before a cut.
    "device_resources" DeviceResources built by DeviceResourcesBuilder, by () {
        /// The time by class.
        resources: Resources, "ns";
    }
}

impl Resources {
    /// Adds another split.
    pub fn add(&mut self, other: &Self) {
        self.tc_kernel_ns += other.tc_kernel_ns;
        self.non_tc_kernel_ns += other.non_tc_kernel_ns;
        self.memory_ns += other.memory_ns;
        self.dataloader_ns += other.dataloader_ns;
        self.io_ns += other.io_ns;
        self.cpu_ns += other.cpu_ns;
        self.other_ns += other.other_ns;
    }

    /// What is left without a part of it.
    fn without(&self, part: &Self) -> Self {
        let mut rest = part.times(-1);
        rest.add(self);
        rest
    }

    /// The same of so many GPUs.
    fn times(&self, gpus: i64) -> Self {
        Self {
            tc_kernel_ns: self.tc_kernel_ns * gpus,
            non_tc_kernel_ns: self.non_tc_kernel_ns * gpus,
            memory_ns: self.memory_ns * gpus,
            dataloader_ns: self.dataloader_ns * gpus,
            io_ns: self.io_ns * gpus,
            cpu_ns: self.cpu_ns * gpus,
            other_ns: self.other_ns * gpus,
        }
    }

    /// Name and time of each class, in the order in which they claim time.
    #[must_use]
    pub fn by_class(&self) -> [(&'static str, Ns); 7] {
        [
            ("TC kernels", self.tc_kernel_ns),
            ("Other kernels", self.non_tc_kernel_ns),
            ("Memory", self.memory_ns),
            ("Data loader", self.dataloader_ns),
            ("I/O", self.io_ns),
            ("CPU", self.cpu_ns),
            ("Other", self.other_ns),
        ]
    }

    /// All classes together.
    #[must_use]
    pub fn total(&self) -> Ns {
        self.gpu_ns() + self.dataloader_ns + self.io_ns + self.cpu_ns + self.other_ns
    }

    /// Kernels of both kinds.
    #[must_use]
    pub fn kernel_ns(&self) -> Ns {
        self.tc_kernel_ns + self.non_tc_kernel_ns
    }

    /// Kernels and memory.
    #[must_use]
    pub fn gpu_ns(&self) -> Ns {
        self.kernel_ns() + self.memory_ns
    }

    /// The average over `gpus`. What does not divide evenly goes to "other", so that the classes still add up.
    #[must_use]
    pub fn average(&self, gpus: usize) -> Self {
        let gpus = Ns::try_from(gpus.max(1)).unwrap_or(Ns::MAX);
        let mut average = Self {
            tc_kernel_ns: self.tc_kernel_ns / gpus,
            non_tc_kernel_ns: self.non_tc_kernel_ns / gpus,
            memory_ns: self.memory_ns / gpus,
            dataloader_ns: self.dataloader_ns / gpus,
            io_ns: self.io_ns / gpus,
            cpu_ns: self.cpu_ns / gpus,
            other_ns: 0,
        };
        average.other_ns = self.total() / gpus - average.total();
        average
    }
}

/// The split of each GPU in each piece of the time line between neighbouring cuts. The cuts hold the boundaries of
/// iterations on every clock, so that any window between boundaries is a sum of pieces.
#[derive(Debug, Clone, Default)]
pub struct ResourceSplit {
    /// Where pieces begin, and the end of the last one; ascending.
    pub cuts: Vec<Ns>,
    /// GPUs of the machine; at least one, so that CPU work is split even without any.
    pub gpus: usize,
    /// Which pieces the work of each GPU reaches.
    reaches: Reaches,
    /// By GPU, then by piece that its work reaches.
    rows: DeviceResources,
    /// By cut: what a GPU without work does before it.
    idle_before: DeviceResources,
    /// By cut: what all GPUs with work do before it, together.
    used_before: DeviceResources,
}

impl ResourceSplit {
    /// From the rows of each GPU, and what a GPU without work does before each cut; `None` if they do not fit each other.
    pub(crate) fn new(
        memory: &Memory,
        (cuts, gpus): (Vec<Ns>, usize),
        reaches: Reaches,
        rows: DeviceResources,
        idle_before: DeviceResources,
    ) -> Option<Self> {
        let pieces = cuts.len().saturating_sub(1);
        if !reaches.fits(rows.resources.len(), pieces) || idle_before.resources.len() != pieces + 1 {
            return None;
        }
        // By piece: what GPUs whose work reaches it do, and how many these are.
        let mut reached: Buffer<(Resources, i64)> = memory.filled(pieces, Default::default());
        for (row, piece) in rows.resources.iter().zip(reaches.window_of_rows()) {
            reached[piece].0.add(row);
            reached[piece].1 += 1;
        }
        let used = i64::try_from(reaches.used()).unwrap_or(i64::MAX);
        let idle = idle_before.resources.windows(2).map(|pair| pair[1].without(&pair[0]));
        let of_used = reached.iter().zip(idle).map(|((sum, reached), idle)| {
            let mut sum = *sum;
            sum.add(&idle.times(used - reached));
            sum
        });
        let used_before = DeviceResources { resources: memory.collect(sums_before(of_used)).into_column() };
        Some(Self { cuts, gpus, reaches, rows, idle_before, used_before })
    }

    /// What [`Self::new`] needs besides the cuts and the number of GPUs.
    pub(crate) fn parts(&self) -> (&Reaches, [&DeviceResources; 2]) {
        (&self.reaches, [&self.rows, &self.idle_before])
    }

    /// Number of GPUs of the capture.
    #[must_use]
    pub fn devices(&self) -> usize {
        self.reaches.of().len()
    }

    /// The time of a device in a window between two cuts.
    #[must_use]
    pub fn of_device(&self, device: DeviceId, window: Span) -> Resources {
        if device.index() >= self.devices() {
            return Resources::default();
        }
        let (wanted, own) = (self.pieces(window), self.reaches.windows(device.index()));
        let (from, to) = (own.start.clamp(wanted.start, wanted.end), own.end.clamp(wanted.start, wanted.end));
        let mut sum = between(&self.idle_before, wanted.start..from);
        sum.add(&between(&self.idle_before, to..wanted.end));
        if from < to {
            let first = self.reaches.rows(device.index()).start;
            let rows = &self.rows.resources[..][first + from - own.start..first + to - own.start];
            rows.iter().for_each(|row| sum.add(row));
        }
        sum
    }

    /// The time of all GPUs with work in a window between two cuts, summed.
    #[must_use]
    pub fn of_used(&self, window: Span) -> Resources {
        between(&self.used_before, self.pieces(window))
    }

    /// The time of all GPUs of the machine in a window between two cuts, summed.
    #[must_use]
    pub fn of_all(&self, window: Span) -> Resources {
        let idle = i64::try_from(self.gpus.saturating_sub(self.reaches.used())).unwrap_or(i64::MAX);
        let mut sum = self.of_used(window);
        sum.add(&between(&self.idle_before, self.pieces(window)).times(idle));
        sum
    }

    /// The pieces of a window between two cuts.
    fn pieces(&self, window: Span) -> Range<usize> {
        let first = self.cuts.partition_point(|&cut| cut < window.start);
        first..self.cuts.partition_point(|&cut| cut < window.end).max(first)
    }
}

/// What is done in some pieces, given what is done before each cut.
fn between(before: &DeviceResources, pieces: Range<usize>) -> Resources {
    match before.resources.get(pieces.end) {
        Some(end) => end.without(&before.resources[..][pieces.start]),
        None => Resources::default(),
    }
}

/// The sums of all rows before each row, and after the last one.
pub(super) fn sums_before(rows: impl Iterator<Item = Resources>) -> impl Iterator<Item = Resources> {
    let mut sum = Resources::default();
    std::iter::once(Resources::default()).chain(rows.map(move |row| {
        sum.add(&row);
        sum
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::reach::Reach;

    fn resources(memory_ns: Ns, cpu_ns: Ns) -> Resources {
        Resources { memory_ns, cpu_ns, other_ns: 10 - memory_ns - cpu_ns, ..Resources::default() }
    }

    fn rows(rows: impl IntoIterator<Item = Resources>) -> DeviceResources {
        DeviceResources { resources: rows.into_iter().collect::<Vec<_>>().into() }
    }

    /// Three GPUs of the capture and one more of the machine: the first works in pieces 1 and 2, the second in piece 2 and the
    /// third never.
    #[test]
    fn sums_of_gpus_are_those_of_each() {
        let reaches = vec![Reach::new(true, 1..3), Reach::new(true, 2..3), Reach::default()];
        let work = [resources(5, 1), resources(3, 0), resources(9, 1)];
        let idle = [resources(0, 1), resources(0, 2), resources(0, 3), resources(0, 4)];
        let cuts = (vec![0, 10, 20, 30, 40], 4);
        let before = rows(sums_before(idle.iter().copied()));
        let memory = Memory::default();
        let split = ResourceSplit::new(&memory, cuts, reaches.into(), rows(work), before).expect("rows fit");
        assert_eq!(split.parts().1[0].resources.len(), 3, "rows of what GPUs reach alone");
        for (start, end) in [(0, 10), (0, 40), (10, 30), (20, 30), (30, 40), (20, 20)] {
            let window = Span::new(start, end);
            let of = |device| split.of_device(DeviceId::new(device), window);
            let mut sum = of(0);
            assert_eq!(sum.total(), window.length());
            sum.add(&of(1));
            assert_eq!(split.of_used(window), sum, "used, {window:?}");
            sum.add(&of(2).times(2));
            assert_eq!(split.of_all(window), sum, "all, {window:?}");
        }
        let second = split.of_device(DeviceId::new(1), Span::new(10, 30));
        assert_eq!((second.memory_ns, second.cpu_ns), (9, 3));
    }
}
