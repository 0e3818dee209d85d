//! The kernels of the iterations that findings are about: all, those of the program itself, and those that only try algorithms.

use super::Scene;
use crate::advice::finding::Finding;
use crate::advice::kernels::{Kernel, KernelTimes};
use crate::advice::migrations::{Migrations, migrations};
use crate::advice::sentence::Figure;
use crate::advice::slices::{Slices, slices};
use crate::advice::small_copies::{SmallCopies, small_copies};
use crate::advice::timed_trials::{timed_trials, waits_for_events};
use crate::advice::tried::{Tried, tried};
use crate::base::ids::{DeviceId, WorkId, all};
use crate::base::time::Ns;
use crate::capture::classified::Call;
use crate::figures::kernel_kinds::kernel_class::KernelClass;
use crate::figures::kernel_kinds::{KernelKind, KnownShare};
use std::collections::BTreeMap;
use std::ops::Range;

/// Kernels below this share are not what the time goes to.
const LEAST_COMPUTE_PERCENT: f64 = 5.0;

impl Scene<'_> {
    /// Whether kernels take enough of the time that it matters what they do.
    pub(in crate::advice) fn kernels_matter(&self) -> bool {
        let time = self.gpu_time();
        time.length_ns > 0 && self.share(time.compute_ns) >= LEAST_COMPUTE_PERCENT
    }

    /// Kernels by name.
    pub(in crate::advice) fn kernels(&self) -> &KernelTimes {
        self.figures();
        self.seen.kernels.get_or_init(|| KernelTimes::new(self.profile, self.places.clone()))
    }

    /// The same without algorithms that are tried and what checks them: what every pass launches.
    pub(in crate::advice) fn own_kernels(&self) -> &KernelTimes {
        let own = || {
            let (all, tried) = (self.kernels(), self.tried().kernels());
            let are_some = tried.len() > 0 || all.launches_of(KernelClass::Autotuning) > 0;
            are_some.then(|| all.without(self.profile, tried, KernelClass::Autotuning))
        };
        self.seen.own_kernels.get_or_init(own).as_ref().unwrap_or_else(|| self.kernels())
    }

    /// How much of the time of all kernels their names tell about.
    pub(in crate::advice) fn known_share(&self) -> KnownShare {
        let mut known = KnownShare::default();
        for kernel in &self.kernels().kernels {
            known.add(kernel.short_name, kernel.tells, kernel.tensor_cores, kernel.time_ns);
        }
        known
    }

    /// The share of the kernel time of kernels whose names do not tell what they do, and the largest of them, in words; `None` where
    /// that is too little to matter.
    pub(in crate::advice) fn untold(&self) -> Option<[Figure; 2]> {
        let (share, name) = self.known_share().untold().filter(|_| self.may_exchange())?;
        let name = self.profile.capture.strings.get(name).to_owned();
        Some([Figure::Percent(share, 1), Figure::Text(name)])
    }

    /// Whether GPUs may work together: the machine has several, a kernel exchanges data, or the job has other ranks. On the one GPU
    /// of a machine a kernel whose name does not tell has nobody to exchange data with.
    fn may_exchange(&self) -> bool {
        let job = self.profile.capture.kineto.as_ref().and_then(|trace| trace.world_size);
        let exchanges = |kernel: &Kernel| kernel.kind == KernelKind::Communication;
        self.profile.capture.devices.len() > 1
            || job.is_some_and(|ranks| ranks > 1)
            || self.kernels().kernels.iter().any(exchanges)
    }

    /// What shares of the time of these kernels are of, in words.
    pub(in crate::advice) fn own_kernel_time(&self) -> Figure {
        let words = match self.own_kernels().launches == self.kernels().launches {
            true => "kernel time",
            false => "kernel time without algorithms that are tried",
        };
        Figure::Text(words.to_owned())
    }

    /// These kernels in words.
    pub(in crate::advice) fn own_kernels_in_words(&self) -> Figure {
        let words = match self.own_kernels().launches == self.kernels().launches {
            true => "kernels",
            false => "kernels other than algorithms that are tried",
        };
        Figure::Text(words.to_owned())
    }

    /// With the launches and the time of algorithms that are tried: tables of kernels list them, and these kernels leave them out.
    pub(in crate::advice) fn beside_tried(&self, finding: Finding) -> Finding {
        let (all, own) = (self.kernels(), self.own_kernels());
        match all.launches - own.launches {
            0 => finding,
            tried => finding.count("tried_launches", tried).time("tried_ns", all.time_ns - own.time_ns),
        }
    }

    /// Time slices of other work inside kernels; `None` without any.
    pub(in crate::advice) fn slices(&self) -> Option<&Slices> {
        self.seen.slices.get_or_init(|| slices(self.profile, &self.places, self.copies())).as_ref()
    }

    /// Many small copies of one size; `None` without such.
    pub(in crate::advice) fn small_copies(&self) -> Option<&SmallCopies> {
        let find = || small_copies(self.facts(), self.span, self.iterations, |copy| !self.is_trial(copy));
        self.seen.small_copies.get_or_init(find).as_ref()
    }

    /// Kernels of algorithms that are tried.
    pub(in crate::advice) fn tried(&self) -> &Tried {
        self.seen.tried.get_or_init(|| self.tried_in(self.kernels(), &self.places))
    }

    pub(super) fn tried_in(&self, kernels: &KernelTimes, places: &Range<usize>) -> Tried {
        let has = |class: KernelClass| kernels.launches_of(class) > 0;
        let may_try =
            has(KernelClass::Autotuning) || has(KernelClass::Convolution) && waits_for_events(self.facts());
        if may_try { tried(self.profile, self.facts(), places) } else { Tried::default() }
    }

    /// Kernels that check algorithms which are tried.
    pub(in crate::advice) fn checks(&self) -> Vec<WorkId> {
        let mut checks = Vec::new();
        if self.kernels().launches_of(KernelClass::Autotuning) > 0 {
            self.profile.for_each_kernel(self.places.clone(), |_, kernel| {
                checks.extend(
                    self.profile.judge_kernel(kernel).classes.has(KernelClass::Autotuning).then_some(kernel),
                );
            });
        }
        checks
    }

    /// Whether algorithms are tried anywhere in the capture, so that the program has chosen the fastest.
    pub(in crate::advice) fn has_tuned(&self) -> bool {
        let kernels = || all::<WorkId>(self.profile.capture.counts().kernels);
        let checks = |kernel: WorkId| self.profile.judge_kernel(kernel).classes.has(KernelClass::Autotuning);
        let is_timed = || {
            waits_for_events(self.facts()) && !timed_trials(self.profile, self.facts(), kernels()).is_empty()
        };
        kernels().any(checks) || is_timed()
    }

    /// Whether the call of a piece of GPU work, given by its row, belongs to trying algorithms.
    pub(in crate::advice) fn is_trial(&self, item: usize) -> bool {
        let of_trial = |call: Call| self.tried().is_open(call.thread, call.span.start);
        self.facts().call_of(item).is_some_and(of_trial)
    }

    /// Migrations of unified memory, and the kernels that run meanwhile.
    pub(in crate::advice) fn migrations(&self) -> Migrations {
        *self.seen.migrations.get_or_init(|| migrations(self.profile, self.places.clone(), self.span))
    }

    /// The GPUs that have work.
    pub(in crate::advice) fn used_devices(&self) -> impl Iterator<Item = DeviceId> + '_ {
        let times = self.gpu_times();
        (0..self.profile.capture.devices.len()).filter(|&device| times.is_used(device)).map(DeviceId::new)
    }

    /// Whether a GPU with work may have Tensor Cores.
    pub(in crate::advice) fn has_tensor_cores(&self) -> bool {
        self.profile.capture.is_of_nvidia() && self.profile.has_tensor_cores() != Some(false)
    }

    /// The GPU on which the kernels of a class take most time.
    pub(in crate::advice) fn device_of(&self, class: KernelClass) -> Option<DeviceId> {
        let mut by_device: BTreeMap<DeviceId, Ns> = BTreeMap::new();
        for grid in self.own_kernels().of(class).flat_map(|kernel| &kernel.grids) {
            let sum = by_device.entry(grid.device).or_default();
            *sum = sum.saturating_add(grid.time_ns);
        }
        by_device.into_iter().rev().max_by_key(|&(_, ns)| ns).map(|(device, _)| device)
    }
}
