//! Kernels of the iterations that findings are about, by name.

use super::kernel_class::{KernelClass, KernelClasses};
use crate::facts::LaunchConfig;
use crate::gpu::{LaunchFill, LossSum};
use crate::ids::{DeviceId, LaunchConfigId, StrId};
use crate::index::GridSum;
use crate::profile::ProfileContents;
use crate::ratios::percent;
use crate::time::{Ns, total};
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
    /// How they fill the GPU.
    pub(super) fill: LaunchFill,
}

/// Launches of one kernel.
#[derive(Debug, Clone)]
pub(super) struct Kernel {
    /// Demangled name.
    pub(super) long_name: StrId,
    /// Short name.
    pub(super) short_name: StrId,
    /// What the names say.
    pub(super) classes: KernelClasses,
    /// Number of launches.
    pub(super) launches: u64,
    /// Plain sum of their durations.
    pub(super) time_ns: Ns,
    /// Launches shorter than a short kernel.
    pub(super) short_launches: u64,
    /// Whether these are launches of a whole graph.
    pub(super) is_graph: bool,
    /// By grid and GPU, most time first.
    pub(super) grids: Vec<KernelGrid>,
    /// Time lost to tails.
    pub(super) tail: LossSum,
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
    /// Of launches shorter than a short kernel.
    pub(super) short_ns: Ns,
}

impl KernelTimes {
    /// The kernels that start in some of the aggregated iterations, given as places.
    pub(super) fn new(profile: &ProfileContents, places: Range<usize>) -> Self {
        let sums = profile.kernels_by_grid(places);
        let mut kernels: Vec<Kernel> = Vec::new();
        let mut places: FxHashMap<StrId, usize> = FxHashMap::default();
        for sum in &sums {
            let place = *places.entry(sum.name).or_insert_with(|| {
                kernels.push(Kernel::new(profile, sum));
                kernels.len() - 1
            });
            kernels[place].add(profile, sum);
        }
        let text = |name: StrId| profile.capture.strings.get(name);
        kernels
            .sort_by(|a, b| b.time_ns.cmp(&a.time_ns).then_with(|| text(a.long_name).cmp(text(b.long_name))));
        for kernel in &mut kernels {
            kernel.grids.sort_by_key(|grid| (Reverse(grid.time_ns), grid.device, grid.config));
        }
        Self {
            launches: sums.iter().map(|sum| sum.launches).sum(),
            time_ns: total(sums.iter().map(|sum| sum.time_ns)),
            short_ns: total(sums.iter().map(|sum| sum.short_ns)),
            kernels,
        }
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

    /// Launches shorter than a short kernel.
    pub(super) fn short_launches(&self) -> u64 {
        self.kernels.iter().map(|kernel| kernel.short_launches).sum()
    }
}

impl Kernel {
    fn new(profile: &ProfileContents, sum: &GridSum) -> Self {
        let capture = &profile.capture;
        let short_name = capture.kernels.short_name[sum.example];
        Self {
            long_name: sum.name,
            short_name,
            classes: KernelClasses::of(capture.strings.get(sum.name), capture.strings.get(short_name)),
            launches: 0,
            time_ns: 0,
            short_launches: 0,
            is_graph: sum.example.index() + capture.whole_graphs >= capture.counts().kernels,
            grids: Vec::new(),
            tail: LossSum::default(),
            underfill: LossSum::default(),
        }
    }

    fn add(&mut self, profile: &ProfileContents, sum: &GridSum) {
        let fill = profile.launch_fill(sum.example);
        self.launches += sum.launches;
        self.time_ns = self.time_ns.saturating_add(sum.time_ns);
        self.short_launches += sum.short_launches;
        if let Some(waves) = fill.waves {
            self.tail.push(waves.tail, sum.time_ns);
            self.underfill.push(waves.underfill, sum.time_ns);
        }
        self.grids.push(KernelGrid {
            device: sum.device,
            config_id: sum.config,
            config: profile.capture.launch_config(sum.example),
            launches: sum.launches,
            time_ns: sum.time_ns,
            fill,
        });
    }
}
