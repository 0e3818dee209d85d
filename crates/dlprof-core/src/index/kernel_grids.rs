//! Kernels of blocks of iterations by name, grid and GPU. Those of a range are the sums of whole blocks, and what starts at the
//! edges.

use super::Blocks;
use crate::activity::activity_of;
use crate::capture::CaptureContents;
use crate::columns::table;
use crate::ids::{DeviceId, LaunchConfigId, StrId, WorkId};
use crate::ordered::partition_near;
use crate::time::{Ns, Span};
use rustc_hash::FxHashMap;
use std::ops::Range;

table! {
    /// A row per block, name, grid and GPU, block by block.
    "block_grids" BlockGrids built by BlockGridsBuilder, by () {
        /// The block.
        block: u32, "";
        /// Demangled name.
        name: StrId, "";
        /// Grid and block.
        config: LaunchConfigId, "";
        /// The GPU.
        device: DeviceId, "";
        /// The first of them in the file.
        example: WorkId, "";
        /// Number of launches.
        launches: u64, "";
        /// Plain sum of their durations.
        time_ns: Ns, "ns";
        /// Launches shorter than a short kernel.
        short_launches: u64, "";
        /// Plain sum of their durations.
        short_ns: Ns, "ns";
    }
}

/// Launches of one kernel with one grid on one GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct GridSum {
    /// Demangled name.
    pub(crate) name: StrId,
    /// Grid and block.
    pub(crate) config: LaunchConfigId,
    /// The GPU.
    pub(crate) device: DeviceId,
    /// The first of them in the file.
    pub(crate) example: WorkId,
    /// Number of launches.
    pub(crate) launches: u64,
    /// Plain sum of their durations.
    pub(crate) time_ns: Ns,
    /// Launches shorter than a short kernel.
    pub(crate) short_launches: u64,
    /// Plain sum of their durations.
    pub(crate) short_ns: Ns,
}

/// What tells launches apart: block, name, grid and GPU.
type Key = (u32, StrId, LaunchConfigId, DeviceId);

/// Sums of launches while they are added up.
#[derive(Debug, Default)]
struct Sums {
    rows: Vec<(u32, GridSum)>,
    places: FxHashMap<Key, u32>,
    /// By grid: the row added to last. Launches with one grid are mostly of one kernel, so that it is nearly always the right one.
    last: Vec<u32>,
}

impl Sums {
    fn new(capture: &CaptureContents) -> Self {
        Self { last: vec![u32::MAX; capture.launch_configs.len()], ..Self::default() }
    }

    /// Adds launches that are alike.
    #[inline]
    fn add(&mut self, block: u32, sum: GridSum) {
        let is_same = |(of, row): &(u32, GridSum)| {
            *of == block && row.name == sum.name && row.device == sum.device && row.config == sum.config
        };
        let hint = self.last[sum.config.index()];
        let place = match self.rows.get(hint as usize) {
            Some(row) if is_same(row) => hint,
            _ => *self.places.entry((block, sum.name, sum.config, sum.device)).or_insert_with(|| {
                let none = GridSum { launches: 0, time_ns: 0, short_launches: 0, short_ns: 0, ..sum };
                self.rows.push((block, none));
                u32::try_from(self.rows.len() - 1).unwrap_or(u32::MAX)
            }),
        };
        self.last[sum.config.index()] = place;
        let row = &mut self.rows[place as usize].1;
        row.example = row.example.min(sum.example);
        row.launches += sum.launches;
        row.time_ns = row.time_ns.saturating_add(sum.time_ns);
        row.short_launches += sum.short_launches;
        row.short_ns = row.short_ns.saturating_add(sum.short_ns);
    }

    fn add_kernel(&mut self, capture: &CaptureContents, block: u32, row: usize, short_ns: Ns) {
        let length = capture.work.span[..][row].length();
        let is_short = length < short_ns;
        let sum = GridSum {
            name: capture.kernels.long_name[..][row],
            config: capture.kernels.config[..][row],
            device: capture.work.device[..][row],
            example: WorkId::new(row),
            launches: 1,
            time_ns: length,
            short_launches: u64::from(is_short),
            short_ns: if is_short { length } else { 0 },
        };
        self.add(block, sum);
    }
}

impl BlockGrids {
    /// The kernels that start in each block of windows, which follow each other.
    pub(crate) fn new(capture: &CaptureContents, blocks: &Blocks, boundaries: &[Ns], short_ns: Ns) -> Self {
        let ends: Vec<Ns> =
            blocks.all().map(|block| boundaries[blocks.iterations(block).end as usize]).collect();
        let mut sums = Sums::new(capture);
        let mut block = 0;
        let kernels = capture.kernels.long_name.len();
        for (row, span) in capture.work.span.iter().take(kernels).enumerate() {
            block = partition_near(&ends, block, |&end| end <= span.start);
            if block < ends.len() && span.start >= boundaries[0] {
                sums.add_kernel(capture, u32::try_from(block).unwrap_or(u32::MAX), row, short_ns);
            }
        }
        let mut rows = sums.rows;
        rows.sort_by_key(|(block, sum)| (*block, sum.example));
        Self {
            block: rows.iter().map(|(block, _)| *block).collect(),
            name: rows.iter().map(|(_, sum)| sum.name).collect(),
            config: rows.iter().map(|(_, sum)| sum.config).collect(),
            device: rows.iter().map(|(_, sum)| sum.device).collect(),
            example: rows.iter().map(|(_, sum)| sum.example).collect(),
            launches: rows.iter().map(|(_, sum)| sum.launches).collect(),
            time_ns: rows.iter().map(|(_, sum)| sum.time_ns).collect(),
            short_launches: rows.iter().map(|(_, sum)| sum.short_launches).collect(),
            short_ns: rows.iter().map(|(_, sum)| sum.short_ns).collect(),
        }
    }

    /// The kernels that start in a range of windows, in order of first appearance in the file.
    pub(crate) fn of_range(
        &self,
        capture: &CaptureContents,
        blocks: &Blocks,
        boundaries: &[Ns],
        range: Range<u32>,
        short_ns: Ns,
    ) -> Vec<GridSum> {
        let cut = blocks.cut(range);
        let mut sums = Sums::new(capture);
        let from = self.block.partition_point(|&block| block < cut.whole.start);
        let to = self.block.partition_point(|&block| block < cut.whole.end);
        (from..to.max(from)).for_each(|row| sums.add(0, self.get(row)));
        let items = activity_of(capture).items;
        for edge in cut.edges {
            let span = Span::new(boundaries[edge.start as usize], boundaries[edge.end as usize]);
            for kernel in items.starting_in(0..items.kernels, span) {
                sums.add_kernel(capture, 0, kernel, short_ns);
            }
        }
        let mut rows: Vec<GridSum> = sums.rows.into_iter().map(|(_, sum)| sum).collect();
        rows.sort_by_key(|sum| sum.example);
        rows
    }

    fn get(&self, row: usize) -> GridSum {
        GridSum {
            name: self.name[..][row],
            config: self.config[..][row],
            device: self.device[..][row],
            example: self.example[..][row],
            launches: self.launches[..][row],
            time_ns: self.time_ns[..][row],
            short_launches: self.short_launches[..][row],
            short_ns: self.short_ns[..][row],
        }
    }

    /// Whether the columns fit each other and a capture.
    pub(crate) fn fits(&self, capture: &CaptureContents) -> bool {
        let rows = self.block.len();
        let (kernels, configs) = (capture.kernels.long_name.len(), capture.launch_configs.len());
        let lengths = [self.name.len(), self.config.len(), self.device.len(), self.example.len()];
        let sums = [self.launches.len(), self.time_ns.len(), self.short_launches.len(), self.short_ns.len()];
        lengths.iter().chain(&sums).all(|&length| length == rows)
            && self.block.is_sorted()
            && self.example.iter().all(|example| example.index() < kernels)
            && self.config.iter().all(|config| config.index() < configs)
            && self.device.iter().all(|device| device.index() < capture.devices.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drawn::Drawn;
    use crate::iterate::KeyNodeChoice;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn kernels_of_a_range_are_those_that_start_in_it(
            launches in prop::collection::vec((0i64..400, 0i64..60, 0usize..3), 0..60),
            steps in 1i64..30,
            (start, stop) in (0u32..30, 0u32..30),
        ) {
            let mut drawn = Drawn::new();
            (0..steps).for_each(|step| { drawn.range("step", step * 10..step * 10 + 8); });
            for &(kernel, length, name) in &launches {
                drawn.launch(kernel..kernel + 1, ["gemm", "relu", "copy"][name], kernel + 2..kernel + 2 + length);
            }
            let index = drawn.capture().index(&KeyNodeChoice::Named("step".into())).expect("it ran");
            let (capture, total) = (&index.capture, index.iterations.total());
            let boundaries = index.iterations.window_boundaries();
            let range = start.min(stop) % total..(start.max(stop) % total).max(start.min(stop) % total) + 1;
            let grids = BlockGrids::new(capture, &index.blocks, &boundaries, 7);
            prop_assert!(grids.fits(capture));
            let found = grids.of_range(capture, &index.blocks, &boundaries, range.clone(), 7);
            let span = Span::new(boundaries[range.start as usize], boundaries[range.end as usize]);
            let mut expected = Sums::new(capture);
            for (row, own) in capture.work.span.iter().enumerate() {
                if (span.start..span.end).contains(&own.start) {
                    expected.add_kernel(capture, 0, row, 7);
                }
            }
            prop_assert_eq!(found, expected.rows.into_iter().map(|(_, sum)| sum).collect::<Vec<_>>());
        }
    }
}
