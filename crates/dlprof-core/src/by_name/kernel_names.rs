//! Kernels by demangled name.

use super::durations::{Durations, Spread};
use crate::correlate::TensorCores;
use crate::gpu::{LaunchFill, LossSum};
use crate::ids::{DeviceId, LaunchConfigId, OpId, StrId};
use crate::ratios::{count_to_f64, percent, to_f64};
use crate::time::Ns;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// A launch of a kernel.
#[derive(Debug, Clone, Copy)]
pub struct KernelLaunch {
    /// Demangled name.
    pub name: StrId,
    /// Start on the GPU.
    pub start: Ns,
    /// Duration on the GPU in nanoseconds.
    pub duration: Ns,
    /// Whether it uses Tensor Cores.
    pub tensor_cores: TensorCores,
    /// Grid and block.
    pub config: LaunchConfigId,
    /// Its GPU.
    pub device: DeviceId,
    /// The op that launched it; `None` if no op claims it.
    pub op: Option<OpId>,
}

/// All launches of kernels of one name: a row of table `kernel_names`.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelName {
    /// Demangled name.
    pub name: StrId,
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
    /// Time lost to tails; `None` if the waves are known of no launch.
    pub tail_loss_ns: Option<Ns>,
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

/// Launches by name while they are summed. The order of the launches does not show.
#[derive(Debug, Default)]
pub struct KernelNameSums {
    positions: FxHashMap<StrId, usize>,
    sums: Vec<Sum>,
}

impl KernelNameSums {
    /// The sums of some launches.
    pub fn of(launches: impl Iterator<Item = KernelLaunch>) -> Self {
        let mut sums = Self::default();
        for launch in launches {
            sums.of_name(&launch).push(&launch);
        }
        sums
    }

    /// The sums of these and other launches.
    #[must_use]
    pub fn with(mut self, other: &Self) -> Self {
        for sum in &other.sums {
            self.of_name(&sum.longest).merge(sum);
        }
        self
    }

    fn of_name(&mut self, launch: &KernelLaunch) -> &mut Sum {
        let sums = &mut self.sums;
        let position = *self.positions.entry(launch.name).or_insert_with(|| {
            sums.push(Sum::new(launch));
            sums.len() - 1
        });
        &mut sums[position]
    }

    /// The rows: those with most time first, then by text. `fill_of` says how a launch fills its GPU.
    pub fn rows<'a>(
        &self,
        text_of: impl Fn(StrId) -> &'a str,
        fill_of: impl Fn(LaunchConfigId, DeviceId) -> LaunchFill,
    ) -> Vec<KernelName> {
        let all: Ns = self.sums.iter().map(|sum| sum.durations.sum()).sum();
        let mut rows: Vec<KernelName> = self.sums.iter().filter_map(|sum| sum.row(all, &fill_of)).collect();
        rows.sort_by(|a, b| {
            let texts = || text_of(a.name).cmp(text_of(b.name));
            b.gpu_time_ns.cmp(&a.gpu_time_ns).then_with(texts)
        });
        rows
    }
}

/// Launches of a name. Launches with one grid on one GPU fill it alike, so their time is enough to know how.
#[derive(Debug)]
struct Sum {
    durations: Durations,
    longest: KernelLaunch,
    has_used: bool,
    has_unknown: bool,
    grids: FxHashMap<(LaunchConfigId, DeviceId), Ns>,
    ops: FxHashMap<OpId, Ns>,
}

impl Sum {
    fn new(first: &KernelLaunch) -> Self {
        Self {
            durations: Durations::default(),
            longest: *first,
            has_used: false,
            has_unknown: false,
            grids: FxHashMap::default(),
            ops: FxHashMap::default(),
        }
    }

    fn push(&mut self, launch: &KernelLaunch) {
        self.durations.push(launch.duration);
        self.take_longest(launch);
        self.has_used |= launch.tensor_cores == TensorCores::Used;
        self.has_unknown |= launch.tensor_cores == TensorCores::Unknown;
        if let Some(op) = launch.op {
            *self.ops.entry(op).or_default() += launch.duration;
        }
        *self.grids.entry((launch.config, launch.device)).or_default() += launch.duration.max(0);
    }

    fn merge(&mut self, other: &Self) {
        self.durations.merge(&other.durations);
        self.take_longest(&other.longest);
        self.has_used |= other.has_used;
        self.has_unknown |= other.has_unknown;
        for (&op, &time) in &other.ops {
            *self.ops.entry(op).or_default() += time;
        }
        for (&grid, &time) in &other.grids {
            *self.grids.entry(grid).or_default() += time;
        }
    }

    fn take_longest(&mut self, launch: &KernelLaunch) {
        let place = |launch: &KernelLaunch| (launch.duration, Reverse((launch.start, launch.config)));
        if place(launch) > place(&self.longest) {
            self.longest = *launch;
        }
    }

    fn row(&self, all: Ns, fill_of: impl Fn(LaunchConfigId, DeviceId) -> LaunchFill) -> Option<KernelName> {
        let gpu_time_ns = self.durations.sum();
        let mut ops: Vec<(OpId, Ns)> = self.ops.iter().map(|(&op, &time)| (op, time)).collect();
        ops.sort_by_key(|&(op, time)| (-time, op));
        let mut filled = Filled::default();
        for (&(config, device), &time) in &self.grids {
            filled.push(&fill_of(config, device), time);
        }
        Some(KernelName {
            name: self.longest.name,
            calls: self.durations.count(),
            gpu_time_ns,
            gpu_time_percent: percent(gpu_time_ns, all),
            spread: self.durations.spread()?,
            tensor_cores: match (self.has_used, self.has_unknown) {
                (true, _) => TensorCores::Used,
                (false, true) => TensorCores::Unknown,
                (false, false) => TensorCores::NotUsed,
            },
            config: self.longest.config,
            fill: fill_of(self.longest.config, self.longest.device),
            occupancy_percent: filled.occupancy_percent(),
            tail_loss_ns: filled.has_waves.then(|| filled.tail.rounded()),
            underfill_loss_ns: filled.has_waves.then(|| filled.underfill.rounded()),
            ops,
        })
    }
}

/// How the launches of a name fill their GPUs. All sums are exact, so their order does not show.
#[derive(Debug, Default)]
struct Filled {
    /// By the maximum number of warps of an SM: the time of the launches whose occupancy is known, and this time
    /// multiplied by the occupied warps.
    occupied: BTreeMap<u64, (u128, u128)>,
    has_waves: bool,
    tail: LossSum,
    underfill: LossSum,
}

impl Filled {
    /// Adds the time of launches that fill their GPU alike.
    fn push(&mut self, fill: &LaunchFill, time_ns: Ns) {
        let Some(occupancy) = fill.runnable() else { return };
        let time = u128::try_from(time_ns).unwrap_or(0);
        let (known, warps) = self.occupied.entry(occupancy.most_warps).or_default();
        *known += time;
        *warps += time * u128::from(occupancy.warps_per_sm);
        if let Some(waves) = fill.waves {
            self.has_waves = true;
            self.tail.push(waves.tail, time_ns);
            self.underfill.push(waves.underfill, time_ns);
        }
    }

    fn occupancy_percent(&self) -> Option<f64> {
        let known: u128 = self.occupied.values().map(|(known, _)| known).sum();
        let float = |time: u128| to_f64(Ns::try_from(time).unwrap_or(Ns::MAX));
        let shares =
            self.occupied.iter().map(|(&most, &(_, warps))| float(warps) / count_to_f64(most.max(1)));
        (known > 0).then(|| shares.sum::<f64>() / float(known) * 100.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::{BlockResources, SmLimits};

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

    fn launch(name: usize, duration: Ns, op: Option<usize>, config: usize) -> KernelLaunch {
        KernelLaunch {
            name: StrId::new(name),
            start: 0,
            duration,
            tensor_cores: TensorCores::NotUsed,
            config: LaunchConfigId::new(config),
            device: DeviceId::new(0),
            op: op.map(OpId::new),
        }
    }

    fn names(launches: &[KernelLaunch]) -> Vec<KernelName> {
        let text_of = |name: StrId| ["zeta", "alpha", "beta"][name.index()];
        let rows = KernelNameSums::of(launches.iter().copied()).rows(text_of, fill_of);
        for middle in 0..launches.len() {
            let (first, rest) = launches.split_at(middle);
            let [first, rest] = [first, rest].map(|part| KernelNameSums::of(part.iter().copied()));
            assert_eq!(first.with(&rest).rows(text_of, fill_of), rows, "in two parts, cut at {middle}");
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
        let order: Vec<usize> = rows.iter().map(|row| row.name.index()).collect();
        assert_eq!(order, [0, 1, 2], "by time, then by text");
        let first = &rows[0];
        assert_eq!((first.calls, first.gpu_time_ns), (3, 401));
        assert_eq!(first.spread, Spread { min: 100, median: 101, max: 200 });
        assert_eq!(first.config, LaunchConfigId::new(0));
        // 100/6 + 200/6 is 50 exactly; rounded one by one it would be 16 + 33.
        assert_eq!((first.tail_loss_ns, first.underfill_loss_ns), (Some(50), Some(0)));
        assert_eq!(first.ops, [(OpId::new(1), 201), (OpId::new(2), 200)]);
        assert!(first.occupancy_percent.is_some_and(|percent| (percent - 100.0).abs() < 1e-9));
        assert_eq!((rows[1].tail_loss_ns, rows[1].occupancy_percent), (None, None));
        assert_eq!(rows[2].underfill_loss_ns, Some(25));
        let shares: f64 = rows.iter().map(|row| row.gpu_time_percent).sum();
        assert!((shares - 100.0).abs() < 1e-9);
    }

    #[test]
    fn one_use_of_tensor_cores_decides() {
        let with = |tensor_cores| KernelLaunch { tensor_cores, ..launch(0, 1, None, UNKNOWN) };
        use TensorCores::{NotUsed, Unknown, Used};
        assert_eq!(names(&[with(NotUsed), with(Unknown), with(Used)])[0].tensor_cores, Used);
        assert_eq!(names(&[with(NotUsed), with(Unknown)])[0].tensor_cores, Unknown);
        assert!(names(&[]).is_empty());
    }
}
