//! Kernels of the iterations that findings are about, by name.

use super::migrations::migrating;
use crate::base::ids::{DeviceId, LaunchConfigId, StrId, WorkId};
use crate::base::ratios::percent;
use crate::base::time::{Ns, total};
use crate::capture::CaptureContents;
use crate::capture::correlate::TensorCores;
use crate::capture::names::Exchange;
use crate::figures::gpu::{LaunchFill, LossSum};
use crate::figures::kernel_kinds::kernel_class::{KernelClass, KernelClasses};
use crate::figures::kernel_kinds::{KernelJudgement, KernelKind};
use crate::figures::profile::ProfileContents;
use crate::read::facts::LaunchConfig;
use crate::steps::index::{LaunchGroup, LaunchKey};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::ops::Range;

/// Launches of one kernel with one grid on one GPU.
#[derive(Debug, Clone, Copy)]
pub(super) struct KernelGrid {
    /// The GPU.
    pub(super) device: DeviceId,
    /// Number of the grid and block.
    pub(super) config_id: LaunchConfigId,
    /// Grid and block.
    pub(super) config: LaunchConfig,
    /// Number of launches.
    pub(super) launches: u64,
    /// Plain sum of their durations.
    pub(super) time_ns: Ns,
    /// The part of it in which unified memory migrates on the GPU: the kernel may wait for pages.
    pub(super) migrating_ns: Ns,
    /// How they fill the GPU.
    pub(super) fill: LaunchFill,
}

/// Launches that are told apart: kernel, grid and block, GPU.
type Key = (StrId, LaunchConfigId, DeviceId);

/// Launches of one kernel.
#[derive(Debug, Clone)]
pub(super) struct Kernel {
    /// Demangled name.
    pub(super) long_name: StrId,
    /// Short name.
    pub(super) short_name: StrId,
    /// What the names say.
    pub(super) classes: KernelClasses,
    /// Whether it uses Tensor Cores.
    pub(super) tensor_cores: TensorCores,
    /// What it computes.
    pub(super) kind: KernelKind,
    /// Whether its name tells what it computes, or whether it exchanges data.
    pub(super) tells: bool,
    /// Number of launches.
    pub(super) launches: u64,
    /// Plain sum of their durations.
    pub(super) time_ns: Ns,
    /// Launches shorter than a short kernel.
    pub(super) short_launches: u64,
    /// Their time.
    pub(super) short_ns: Ns,
    /// Whether these are launches of a whole graph.
    pub(super) is_graph: bool,
    /// By grid and GPU, most time first.
    pub(super) grids: Vec<KernelGrid>,
    /// Time lost because some multiprocessors run a block more than others.
    pub(super) uneven: LossSum,
    /// Time lost to grids with fewer blocks than the GPU has multiprocessors.
    pub(super) underfill: LossSum,
}

/// Kernels by name, most time first.
#[derive(Debug)]
pub(super) struct KernelTimes {
    /// The kernels.
    pub(super) kernels: Vec<Kernel>,
    /// Number of launches.
    pub(super) launches: u64,
    /// Plain sum of all durations.
    pub(super) time_ns: Ns,
}

impl KernelTimes {
    /// The kernels of the op calls of some of the aggregated iterations, given as places.
    pub(super) fn new(profile: &ProfileContents, range: Range<usize>) -> Self {
        let groups = profile.launch_groups_of(range.clone());
        let mut kernels: Vec<Kernel> = Vec::new();
        let mut places: FxHashMap<StrId, usize> = FxHashMap::default();
        let mut grids: FxHashMap<(usize, LaunchConfigId, DeviceId), usize> = FxHashMap::default();
        let migrating = migrating(profile, range, |kernel| key_of(&profile.capture, kernel));
        for group in groups.iter() {
            let place = *places.entry(group.key.long_name).or_insert_with(|| {
                kernels.push(Kernel::new(profile, group));
                kernels.len() - 1
            });
            let kernel = &mut kernels[place];
            let new_grid = kernel.grids.len();
            let grid = *grids.entry((place, group.key.config, group.key.device)).or_insert(new_grid);
            if grid == new_grid {
                kernel.grids.push(KernelGrid::new(profile, group));
            }
            kernel.add(group, grid);
        }
        for kernel in &mut kernels {
            let name = kernel.long_name;
            for grid in &mut kernel.grids {
                let key = (name, grid.config_id, grid.device);
                grid.migrating_ns = migrating.get(&key).copied().unwrap_or(0);
            }
        }
        let times = Self {
            launches: groups.iter().map(|group| group.gpu.count).sum(),
            time_ns: total(groups.iter().map(|group| group.gpu.sum)),
            kernels,
        };
        times.sorted(profile)
    }

    fn sorted(mut self, profile: &ProfileContents) -> Self {
        let text = |name: StrId| profile.capture.strings.get(name);
        self.kernels
            .sort_by(|a, b| b.time_ns.cmp(&a.time_ns).then_with(|| text(a.long_name).cmp(text(b.long_name))));
        for kernel in &mut self.kernels {
            kernel.grids.sort_by_key(|grid| (Reverse(grid.time_ns), grid.device, grid.config));
        }
        self
    }

    /// The same without some launches and without kernels of a class.
    pub(super) fn without(
        &self,
        profile: &ProfileContents,
        launches: impl Iterator<Item = (WorkId, Ns)>,
        class: KernelClass,
    ) -> Self {
        let capture = &profile.capture;
        let mut left_out: FxHashMap<Key, Vec<Ns>> = FxHashMap::default();
        for (kernel, ns) in launches {
            left_out.entry(key_of(capture, kernel)).or_default().push(ns);
        }
        let short_ns = profile.settings().activity.thresholds.short_kernel_ns;
        let left = |kernel: &Kernel| {
            let mut kernel = kernel.clone();
            for grid in &mut kernel.grids {
                let key = (kernel.long_name, grid.config_id, grid.device);
                let Some(without) = left_out.get(&key) else { continue };
                grid.launches -= grid.launches.min(without.len() as u64);
                grid.time_ns = (grid.time_ns - total(without.iter().copied())).max(0);
                for ns in without.iter().filter(|&&ns| ns < short_ns) {
                    kernel.short_launches = kernel.short_launches.saturating_sub(1);
                    kernel.short_ns = (kernel.short_ns - ns).max(0);
                }
            }
            kernel.grids.retain(|grid| grid.launches > 0);
            kernel.sum_up();
            (kernel.launches > 0).then_some(kernel)
        };
        let own = self.kernels.iter().filter(|kernel| !kernel.classes.has(class));
        let kernels: Vec<Kernel> = own.filter_map(left).collect();
        Self {
            launches: kernels.iter().map(|kernel| kernel.launches).sum(),
            time_ns: total(kernels.iter().map(|kernel| kernel.time_ns)),
            kernels,
        }
        .sorted(profile)
    }

    /// Share of the time of graphs that were recorded as one piece each.
    pub(super) fn graphs_share(&self) -> f64 {
        self.share(total(self.kernels.iter().filter(|kernel| kernel.is_graph).map(|kernel| kernel.time_ns)))
    }

    /// Kernels of a class, most time first.
    pub(super) fn of(&self, class: KernelClass) -> impl Iterator<Item = &Kernel> + Clone {
        self.kernels.iter().filter(move |kernel| kernel.classes.has(class))
    }

    /// Time of the kernels of a class.
    pub(super) fn time_of(&self, class: KernelClass) -> Ns {
        total(self.of(class).map(|kernel| kernel.time_ns))
    }

    /// Number of launches of the kernels of a class.
    pub(super) fn launches_of(&self, class: KernelClass) -> u64 {
        self.of(class).map(|kernel| kernel.launches).sum()
    }

    /// A time as a share of the time of all kernels.
    pub(super) fn share(&self, ns: Ns) -> f64 {
        percent(ns, self.time_ns)
    }

    /// Time of launches shorter than a short kernel.
    pub(super) fn short_ns(&self) -> Ns {
        total(self.kernels.iter().map(|kernel| kernel.short_ns))
    }

    /// Launches shorter than a short kernel.
    pub(super) fn short_launches(&self) -> u64 {
        self.kernels.iter().map(|kernel| kernel.short_launches).sum()
    }
}

impl Kernel {
    fn new(profile: &ProfileContents, group: &LaunchGroup) -> Self {
        let capture = &profile.capture;
        let KernelJudgement { classes, tensor_cores, kind, exchange, .. } =
            profile.judge_kernel(group.example);
        let tells = kind != KernelKind::Unknown || exchange != Exchange::Unknown;
        let LaunchKey { name: short_name, long_name, .. } = group.key;
        Self {
            long_name,
            short_name,
            classes,
            tensor_cores,
            kind,
            tells,
            launches: 0,
            time_ns: 0,
            short_launches: 0,
            short_ns: 0,
            is_graph: group.example.index() + capture.whole_graphs >= capture.counts().kernels,
            grids: Vec::with_capacity(1),
            uneven: LossSum::default(),
            underfill: LossSum::default(),
        }
    }

    /// Adds launches with the grid at a place.
    fn add(&mut self, group: &LaunchGroup, grid: usize) {
        let (grid, time_ns) = (&mut self.grids[grid], group.gpu.sum);
        self.launches += group.gpu.count;
        self.time_ns = self.time_ns.saturating_add(time_ns);
        self.short_launches += group.short_launches;
        self.short_ns = self.short_ns.saturating_add(group.short_ns);
        if let Some(waves) = grid.fill.waves {
            self.uneven.push(waves.uneven, time_ns);
            self.underfill.push(waves.underfill, time_ns);
        }
        grid.launches += group.gpu.count;
        grid.time_ns = grid.time_ns.saturating_add(time_ns);
    }

    /// Sums the grids up.
    fn sum_up(&mut self) {
        self.launches = self.grids.iter().map(|grid| grid.launches).sum();
        self.time_ns = total(self.grids.iter().map(|grid| grid.time_ns));
        (self.uneven, self.underfill) = (LossSum::default(), LossSum::default());
        for grid in &self.grids {
            if let Some(waves) = grid.fill.waves {
                self.uneven.push(waves.uneven, grid.time_ns);
                self.underfill.push(waves.underfill, grid.time_ns);
            }
        }
    }
}

fn key_of(capture: &CaptureContents, kernel: WorkId) -> Key {
    (capture.kernels.long_name[kernel], capture.kernels.config[kernel], capture.work.device[kernel])
}

impl KernelGrid {
    /// The grid of some launches, without them.
    fn new(profile: &ProfileContents, group: &LaunchGroup) -> Self {
        Self {
            device: group.key.device,
            config_id: group.key.config,
            config: profile.capture.launch_config(group.example),
            launches: 0,
            time_ns: 0,
            migrating_ns: 0,
            fill: profile.launch_fill(group.example),
        }
    }

    /// Their time without that in which they may wait for pages of unified memory.
    pub(super) fn computing_ns(&self) -> Ns {
        (self.time_ns - self.migrating_ns).max(0)
    }

    /// Number of blocks.
    pub(super) fn blocks(&self) -> u64 {
        self.config.grid.iter().map(|side| side.unsigned_abs()).fold(1, u64::saturating_mul)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steps::iterate::{KeyNodeChoice, RangeChoice};
    use crate::tests::drawn::Drawn;

    /// Every kernel runs in the step after the one that launches it; the fourth step launches two.
    #[test]
    fn findings_count_the_kernels_that_the_table_counts() {
        let mut drawn = Drawn::new();
        for step in 0..6 {
            let start = 100 + step * 10;
            drawn.range("step", start..start + 8);
            drawn.launch(start + 1..start + 2, "k", start + 12..start + 14);
            if step == 3 {
                drawn.launch(start + 3..start + 4, "k", start + 15..start + 17);
            }
        }
        let index = drawn.capture().index(&KeyNodeChoice::Named("step".into())).expect("it ran");
        let profile = index.profile(&RangeChoice::from(3..=4)).expect("a profile");
        let table: Vec<(u64, Ns)> =
            profile.kernel_names().iter().map(|row| (row.calls, row.gpu_time_ns)).collect();
        assert_eq!(table, [(3, 6)], "steps 3 and 4 launch them");
        let times = KernelTimes::new(&profile, 0..2);
        assert_eq!((times.launches, times.time_ns), (3, 6));
        let last = KernelTimes::new(&profile, 1..2);
        assert_eq!((last.launches, last.time_ns), (2, 4));
    }
}
