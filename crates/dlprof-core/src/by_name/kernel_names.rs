//! Kernels by demangled name.

use super::durations::{Durations, Spread};
use crate::correlate::TensorCores;
use crate::gpu::{LaunchFill, LossSum};
use crate::ids::{LaunchConfigId, OpId, StrId};
use crate::ratios::{count_to_f64, percent, to_f64};
use crate::time::Ns;
use rustc_hash::FxHashMap;
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
    /// The op that launched it; `None` if no op claims it.
    pub op: Option<OpId>,
    /// How it fills its GPU.
    pub fill: LaunchFill,
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

/// Sums launches by name. Rows with most time come first, then by text. The order of the launches does not show.
#[must_use]
pub fn kernel_names<'a>(
    launches: impl Iterator<Item = KernelLaunch>,
    text_of: impl Fn(StrId) -> &'a str,
) -> Vec<KernelName> {
    let mut positions: FxHashMap<StrId, usize> = FxHashMap::default();
    let mut sums: Vec<Sum> = Vec::new();
    for launch in launches {
        let position = *positions.entry(launch.name).or_insert_with(|| {
            sums.push(Sum::new(&launch));
            sums.len() - 1
        });
        sums[position].push(&launch);
    }
    let all: Ns = sums.iter().map(|sum| sum.durations.sum()).sum();
    let mut rows: Vec<KernelName> = sums.iter().filter_map(|sum| sum.row(all)).collect();
    rows.sort_by(|a, b| {
        let texts = || text_of(a.name).cmp(text_of(b.name));
        b.gpu_time_ns.cmp(&a.gpu_time_ns).then_with(texts)
    });
    rows
}

/// Launches of a name.
struct Sum {
    durations: Durations,
    longest: KernelLaunch,
    has_used: bool,
    has_unknown: bool,
    /// By the maximum number of warps of an SM: the time of the launches whose occupancy is known, and this time
    /// multiplied by the occupied warps.
    occupied: BTreeMap<u64, (u128, u128)>,
    has_waves: bool,
    tail: LossSum,
    underfill: LossSum,
    ops: BTreeMap<OpId, Ns>,
}

impl Sum {
    fn new(first: &KernelLaunch) -> Self {
        Self {
            durations: Durations::default(),
            longest: *first,
            has_used: false,
            has_unknown: false,
            occupied: BTreeMap::new(),
            has_waves: false,
            tail: LossSum::default(),
            underfill: LossSum::default(),
            ops: BTreeMap::new(),
        }
    }

    fn push(&mut self, launch: &KernelLaunch) {
        self.durations.push(launch.duration);
        let place = |launch: &KernelLaunch| (launch.duration, std::cmp::Reverse(launch.start));
        if place(launch) > place(&self.longest) {
            self.longest = *launch;
        }
        self.has_used |= launch.tensor_cores == TensorCores::Used;
        self.has_unknown |= launch.tensor_cores == TensorCores::Unknown;
        if let Some(op) = launch.op {
            *self.ops.entry(op).or_default() += launch.duration;
        }
        let Some(occupancy) = launch.fill.runnable() else { return };
        let time = u128::try_from(launch.duration).unwrap_or(0);
        let (known, warps) = self.occupied.entry(occupancy.most_warps).or_default();
        *known += time;
        *warps += time * u128::from(occupancy.warps_per_sm);
        if let Some(waves) = launch.fill.waves {
            self.has_waves = true;
            self.tail.push(waves.tail, launch.duration);
            self.underfill.push(waves.underfill, launch.duration);
        }
    }

    fn row(&self, all: Ns) -> Option<KernelName> {
        let gpu_time_ns = self.durations.sum();
        let mut ops: Vec<(OpId, Ns)> = self.ops.iter().map(|(&op, &time)| (op, time)).collect();
        ops.sort_by_key(|&(op, time)| (-time, op));
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
            fill: self.longest.fill,
            occupancy_percent: self.occupancy_percent(),
            tail_loss_ns: self.has_waves.then(|| self.tail.rounded()),
            underfill_loss_ns: self.has_waves.then(|| self.underfill.rounded()),
            ops,
        })
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

    fn fill(grid: u64, threads: u64) -> LaunchFill {
        let limits = SmLimits::of_capability((8, 0));
        let block = BlockResources { threads, registers_per_thread: 32, shared_bytes: 0 };
        LaunchFill::of(grid, block, limits.as_ref(), Some(2))
    }

    fn launch(name: usize, duration: Ns, op: Option<usize>, fill: LaunchFill) -> KernelLaunch {
        KernelLaunch {
            name: StrId::new(name),
            start: 0,
            duration,
            tensor_cores: TensorCores::NotUsed,
            config: LaunchConfigId::new(usize::try_from(duration).expect("a small duration")),
            op: op.map(OpId::new),
            fill,
        }
    }

    fn names(launches: &[KernelLaunch]) -> Vec<KernelName> {
        kernel_names(launches.iter().copied(), |name| ["zeta", "alpha", "beta"][name.index()])
    }

    #[test]
    fn launches_add_up_by_name() {
        // Two blocks of 1024 threads fit an SM; 10 blocks on two SMs lose 1/6 of their time.
        let rows = names(&[
            launch(0, 100, Some(1), fill(10, 1024)),
            launch(1, 50, None, LaunchFill::default()),
            launch(0, 200, Some(2), fill(10, 1024)),
            launch(2, 50, None, fill(1, 32)),
            launch(0, 101, Some(1), fill(4, 1024)),
        ]);
        let order: Vec<usize> = rows.iter().map(|row| row.name.index()).collect();
        assert_eq!(order, [0, 1, 2], "by time, then by text");
        let first = &rows[0];
        assert_eq!((first.calls, first.gpu_time_ns), (3, 401));
        assert_eq!(first.spread, Spread { min: 100, median: 101, max: 200 });
        assert_eq!(first.config, LaunchConfigId::new(200));
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
        let with = |tensor_cores| KernelLaunch { tensor_cores, ..launch(0, 1, None, LaunchFill::default()) };
        use TensorCores::{NotUsed, Unknown, Used};
        assert_eq!(names(&[with(NotUsed), with(Unknown), with(Used)])[0].tensor_cores, Used);
        assert_eq!(names(&[with(NotUsed), with(Unknown)])[0].tensor_cores, Unknown);
        assert!(names(&[]).is_empty());
    }
}
