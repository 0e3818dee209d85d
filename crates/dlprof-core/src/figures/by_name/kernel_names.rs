//! Kernels by demangled name.

use super::durations::{Durations, Spread};
use crate::base::ids::{DeviceId, LaunchConfigId, OpId, StrId, WorkId};
use crate::base::ratios::{count_to_f64, percent, rounded, to_f64};
use crate::base::time::Ns;
use crate::capture::correlate::TensorCores;
use crate::figures::gpu::{LaunchFill, LossSum};
use crate::steps::index::{LaunchGroup, Metric, tensor_cores_of};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// All launches of kernels of one name: a row of table `kernel_names`.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelName {
    /// Demangled name.
    pub name: StrId,
    /// A launch of the longest's op and grid: the kernel has its short name.
    pub example: WorkId,
    /// Number of launches.
    pub calls: u64,
    /// Sum of their durations.
    pub gpu_time_ns: Ns,
    /// Part of the time of all kernels.
    pub gpu_time_percent: f64,
    /// Shortest, median and longest duration.
    pub spread: Spread,
    /// Whether any launch uses Tensor Cores; unknown if no launch is known to use them and some launches are
    /// unknown.
    pub tensor_cores: TensorCores,
    /// Grid and block of the longest launch; of equally long ones, of the earliest.
    pub config: LaunchConfigId,
    /// What limits the occupancy of the longest launch, and its waves.
    pub fill: LaunchFill,
    /// Mean occupancy, weighted by time, of the launches whose occupancy is known; `None` if it is known of none.
    pub occupancy_percent: Option<f64>,
    /// The same, but of a grid with fewer blocks than fit the GPU at a time no more than these blocks make.
    pub grid_occupancy_percent: Option<f64>,
    /// Time of empty places of last rounds, the most that tails lose; `None` if the waves are known of no launch.
    pub tail_loss_ns: Option<Ns>,
    /// Time lost because some SMs run a block more than others; `None` if the waves are known of no launch.
    pub uneven_loss_ns: Option<Ns>,
    /// Time lost to grids with fewer blocks than the GPU has SMs; `None` if the waves are known of no launch.
    pub underfill_loss_ns: Option<Ns>,
    /// Ops that launch it, with the time of their launches; most time first, then by id.
    pub ops: Vec<(OpId, Ns)>,
}

impl KernelName {
    /// Mean duration of the launches in nanoseconds.
    #[must_use]
    pub fn average_ns(&self) -> f64 {
        to_f64(self.gpu_time_ns) / count_to_f64(self.calls.max(1))
    }
}

/// Durations of kernels by demangled name. The order of the launches does not show.
#[derive(Debug, Default)]
pub(crate) struct DurationsByName {
    by_name: FxHashMap<StrId, Durations>,
}

impl DurationsByName {
    /// Adds a launch.
    pub(crate) fn push(&mut self, name: StrId, duration: Ns) {
        self.by_name.entry(name).or_default().push(duration);
    }

    /// These durations and others.
    #[must_use]
    pub(crate) fn with(mut self, other: Self) -> Self {
        if self.by_name.is_empty() {
            return other;
        }
        for (name, durations) in other.by_name {
            self.by_name.entry(name).or_default().merge(&durations);
        }
        self
    }
}

/// What the rows say besides sums.
pub(crate) struct Names<Text, Fill, Named> {
    /// The text of a name.
    pub(crate) text_of: Text,
    /// How a launch fills its GPU.
    pub(crate) fill_of: Fill,
    /// Whether an op is one that the program made.
    pub(crate) is_named: Named,
}

/// Kernels by demangled name: those with most time first, then by text.
pub(crate) fn kernel_names<'a, Text, Fill, Named>(
    groups: &[LaunchGroup],
    durations: &DurationsByName,
    names: &Names<Text, Fill, Named>,
) -> Vec<KernelName>
where
    Text: Fn(StrId) -> &'a str,
    Fill: Fn(LaunchConfigId, DeviceId) -> LaunchFill,
    Named: Fn(OpId) -> bool,
{
    let mut sums: FxHashMap<StrId, Sum> = FxHashMap::default();
    for group in groups {
        let sum = sums.entry(group.key.long_name).or_insert_with(|| Sum::new(group));
        sum.add(group, (names.is_named)(group.key.op));
    }
    let all: Ns = sums.values().map(|sum| sum.gpu.sum).sum();
    let row = |(name, sum): (&StrId, &Sum)| {
        let spread = durations.by_name.get(name)?.spread()?;
        Some(sum.row(spread, all, &names.fill_of))
    };
    let mut rows: Vec<KernelName> = sums.iter().filter_map(row).collect();
    rows.sort_by(|a, b| {
        let texts = || (names.text_of)(a.name).cmp((names.text_of)(b.name));
        b.gpu_time_ns.cmp(&a.gpu_time_ns).then_with(texts)
    });
    rows
}

/// Launches of a name. Launches with one grid on one GPU fill it alike, so their time is enough to know how.
#[derive(Debug)]
struct Sum {
    gpu: Metric,
    classes: u8,
    longest: LaunchGroup,
    grids: FxHashMap<(LaunchConfigId, DeviceId), Ns>,
    ops: FxHashMap<OpId, Ns>,
}

impl Sum {
    fn new(first: &LaunchGroup) -> Self {
        Self {
            gpu: Metric::default(),
            classes: 0,
            longest: *first,
            grids: FxHashMap::default(),
            ops: FxHashMap::default(),
        }
    }

    fn add(&mut self, group: &LaunchGroup, has_op: bool) {
        self.gpu.merge(group.gpu);
        self.classes |= group.classes;
        let place = |group: &LaunchGroup| {
            (group.gpu.max, Reverse((group.longest_start, group.key.config, group.key.device)))
        };
        if place(group) > place(&self.longest) {
            self.longest = *group;
        }
        if has_op {
            *self.ops.entry(group.key.op).or_default() += group.gpu.sum;
        }
        *self.grids.entry((group.key.config, group.key.device)).or_default() += group.gpu.sum.max(0);
    }

    fn row(
        &self,
        spread: Spread,
        all: Ns,
        fill_of: impl Fn(LaunchConfigId, DeviceId) -> LaunchFill,
    ) -> KernelName {
        let mut ops: Vec<(OpId, Ns)> = self.ops.iter().map(|(&op, &time)| (op, time)).collect();
        ops.sort_by_key(|&(op, time)| (-time, op));
        let mut filled = Filled::default();
        for (&(config, device), &time) in &self.grids {
            filled.push(&fill_of(config, device), time);
        }
        let longest = &self.longest.key;
        KernelName {
            name: longest.long_name,
            example: self.longest.example,
            calls: self.gpu.count,
            gpu_time_ns: self.gpu.sum,
            gpu_time_percent: percent(self.gpu.sum, all),
            spread,
            tensor_cores: tensor_cores_of(self.classes),
            config: longest.config,
            fill: fill_of(longest.config, longest.device),
            occupancy_percent: filled.occupancy_percent(|occupied| occupied.warps),
            grid_occupancy_percent: filled.occupancy_percent(|occupied| occupied.by_grid / MILLIONTHS),
            tail_loss_ns: filled.has_waves.then(|| filled.tail.rounded()),
            uneven_loss_ns: filled.has_waves.then(|| filled.uneven.rounded()),
            underfill_loss_ns: filled.has_waves.then(|| filled.underfill.rounded()),
            ops,
        }
    }
}

/// How the launches of a name fill their GPUs. All sums are exact, so their order does not show.
#[derive(Debug, Default)]
struct Filled {
    /// By the maximum number of warps of an SM.
    occupied: BTreeMap<u64, Occupied>,
    has_waves: bool,
    tail: LossSum,
    uneven: LossSum,
    underfill: LossSum,
}

/// Launches whose occupancy is known.
#[derive(Debug, Default)]
struct Occupied {
    /// Their time.
    known: u128,
    /// This time multiplied by the occupied warps.
    warps: u128,
    /// The same, multiplied by the millionths of these warps that the grid has blocks for.
    by_grid: u128,
}

const MILLIONTHS: u128 = 1_000_000;

impl Filled {
    /// Adds the time of launches that fill their GPU alike.
    fn push(&mut self, fill: &LaunchFill, time_ns: Ns) {
        let Some(occupancy) = fill.runnable() else { return };
        let time = u128::try_from(time_ns).unwrap_or(0);
        let occupied = self.occupied.entry(occupancy.most_warps).or_default();
        let warps = time * u128::from(occupancy.warps_per_sm);
        let of_grid = fill.waves.map_or(1.0, |waves| waves.waves.min(1.0));
        occupied.known += time;
        occupied.warps += warps;
        occupied.by_grid += warps * u128::try_from(rounded(of_grid * 1e6)).unwrap_or(0);
        if let Some(waves) = fill.waves {
            self.has_waves = true;
            self.tail.push(waves.tail, time_ns);
            self.uneven.push(waves.uneven, time_ns);
            self.underfill.push(waves.underfill, time_ns);
        }
    }

    /// The mean share of occupied warps, weighted by time.
    fn occupancy_percent(&self, warps: fn(&Occupied) -> u128) -> Option<f64> {
        let known: u128 = self.occupied.values().map(|occupied| occupied.known).sum();
        let float = |time: u128| to_f64(Ns::try_from(time).unwrap_or(Ns::MAX));
        let shares =
            self.occupied.iter().map(|(&most, occupied)| float(warps(occupied)) / count_to_f64(most.max(1)));
        (known > 0).then(|| shares.sum::<f64>() / float(known) * 100.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::time::Span;
    use crate::figures::gpu::{BlockResources, SmLimits};
    use crate::steps::index::{LastLaunch, LaunchKey, NON_TC, TC, TC_UNKNOWN};

    /// How launches fill a GPU of two SMs, which each fit two blocks of 1024 threads.
    fn fill_of(config: LaunchConfigId, _: DeviceId) -> LaunchFill {
        let Some((grid, threads)) = [(10, 1024), (4, 1024), (1, 32)].get(config.index()).copied() else {
            return LaunchFill::default();
        };
        let limits = SmLimits::of_capability((8, 0));
        let block = BlockResources { threads, registers_per_thread: 32, shared_bytes: 0 };
        LaunchFill::of(grid, block, limits.as_ref(), Some(2))
    }

    /// A grid that no table knows.
    const UNKNOWN: usize = 9;

    /// A launch: its name, duration, op and grid.
    #[derive(Clone, Copy)]
    struct Launch {
        name: usize,
        duration: Ns,
        op: Option<usize>,
        config: usize,
        classes: u8,
    }

    fn launch(name: usize, duration: Ns, op: Option<usize>, config: usize) -> Launch {
        Launch { name, duration, op, config, classes: NON_TC }
    }

    /// Work that no op claims.
    const NO_OP: usize = 99;

    fn group(of: &Launch) -> LaunchGroup {
        let gpu = Metric { count: 1, sum: of.duration, min: of.duration, max: of.duration };
        let long_name = StrId::new(of.name);
        LaunchGroup {
            key: LaunchKey {
                op: OpId::new(of.op.unwrap_or(NO_OP)),
                name: long_name,
                long_name,
                config: LaunchConfigId::new(of.config),
                device: DeviceId::new(0),
            },
            example: WorkId::new(0),
            classes: of.classes,
            last: LastLaunch::new(None, Span::new(0, of.duration), long_name),
            longest_start: 0,
            gpu,
            api: Metric::default(),
            short_launches: 0,
            short_ns: 0,
        }
    }

    fn names(launches: &[Launch]) -> Vec<KernelName> {
        let names = Names {
            text_of: |name: StrId| ["zeta", "alpha", "beta"][name.position().expect("a text")],
            fill_of,
            is_named: |op: OpId| op.index() != NO_OP,
        };
        let groups: Vec<LaunchGroup> = launches.iter().map(group).collect();
        let durations = |launches: &[Launch]| {
            let mut durations = DurationsByName::default();
            launches.iter().for_each(|launch| durations.push(StrId::new(launch.name), launch.duration));
            durations
        };
        let rows = kernel_names(&groups, &durations(launches), &names);
        for middle in 0..launches.len() {
            let (first, rest) = launches.split_at(middle);
            let parts = durations(first).with(durations(rest));
            assert_eq!(kernel_names(&groups, &parts, &names), rows, "in two parts, cut at {middle}");
        }
        rows
    }

    #[test]
    fn launches_add_up_by_name() {
        // 10 blocks on two SMs lose 1/6 of their time.
        let rows = names(&[
            launch(0, 100, Some(1), 0),
            launch(1, 50, None, UNKNOWN),
            launch(0, 200, Some(2), 0),
            launch(2, 50, None, 2),
            launch(0, 101, Some(1), 1),
        ]);
        let order: Vec<usize> = rows.iter().map(|row| row.name.position().expect("a text")).collect();
        assert_eq!(order, [0, 1, 2], "by time, then by text");
        let first = &rows[0];
        assert_eq!((first.calls, first.gpu_time_ns), (3, 401));
        assert_eq!(first.spread, Spread { min: 100, median: 101, max: 200 });
        assert_eq!(first.config, LaunchConfigId::new(0));
        // 100/6 + 200/6 is 50 exactly; rounded one by one it would be 16 + 33.
        assert_eq!((first.tail_loss_ns, first.underfill_loss_ns), (Some(50), Some(0)));
        assert_eq!(first.uneven_loss_ns, Some(0), "ten blocks are five for each of two SMs");
        assert_eq!(first.ops, [(OpId::new(1), 201), (OpId::new(2), 200)]);
        assert!(first.occupancy_percent.is_some_and(|percent| (percent - 100.0).abs() < 1e-9));
        assert_eq!((rows[1].tail_loss_ns, rows[1].occupancy_percent), (None, None));
        assert_eq!(rows[2].underfill_loss_ns, Some(25));
        // One block of a warp, where 64 blocks of two SMs would have a half of the warps.
        let percents =
            [rows[2].occupancy_percent, rows[2].grid_occupancy_percent].map(Option::unwrap_or_default);
        assert!(
            (percents[0] - 50.0).abs() < 1e-9 && (percents[1] - 50.0 / 64.0).abs() < 1e-2,
            "{percents:?}"
        );
        assert_eq!(first.grid_occupancy_percent, first.occupancy_percent, "ten blocks, of which four fit");
        let shares: f64 = rows.iter().map(|row| row.gpu_time_percent).sum();
        assert!((shares - 100.0).abs() < 1e-9);
    }

    #[test]
    fn one_use_of_tensor_cores_decides() {
        let with = |classes| Launch { classes, ..launch(0, 1, None, UNKNOWN) };
        use TensorCores::{Unknown, Used};
        assert_eq!(names(&[with(NON_TC), with(NON_TC | TC_UNKNOWN), with(TC)])[0].tensor_cores, Used);
        assert_eq!(names(&[with(NON_TC), with(NON_TC | TC_UNKNOWN)])[0].tensor_cores, Unknown);
        assert!(names(&[]).is_empty());
    }
}
