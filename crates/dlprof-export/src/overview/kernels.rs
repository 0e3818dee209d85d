//! Kernels by name, and their time by kind.

use super::Basis;
use super::kernel_labels::labels;
use dlprof_core::{Judged, KernelName, Ns, Profile, TensorCores, percent};
use serde::Serialize;

/// Kernels of the aggregated iterations.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Kernels {
    /// Number of names.
    pub names: usize,
    /// Plain sum of the durations of all kernels in nanoseconds; kernels that run at the same time count twice.
    pub total_ns: f64,
    /// Number of launches.
    pub launches: f64,
    /// Number of GPUs that times and launches are sums over.
    pub gpus: usize,
    /// Whether their times hold so much time of other work on the GPU that they mislead.
    pub other_work: bool,
    /// Share of the kernel time of kernels whose name does not tell whether they use Tensor Cores.
    pub unknown_tc_percent: f64,
    /// The kernels with most time, at most 50.
    pub rows: Vec<KernelRow>,
    /// The kernel time by kind, most time first. The kinds add up to the total.
    pub kinds: Vec<KernelKindRow>,
}

impl Kernels {
    /// Behind a heading: over how many GPUs times and launches are sums, and whether they hold time of other work; nothing of one
    /// GPU that is not shared.
    pub(crate) fn sum_in_words(&self) -> String {
        sum_over(self.gpus) + if self.other_work { WITH_OTHER_WORK } else { "" }
    }
}

/// Behind the heading of times that are sums over several GPUs.
pub(super) fn sum_over(gpus: usize) -> String {
    if gpus > 1 { format!(", sum over {gpus} GPUs") } else { String::new() }
}

/// Behind the name of a time that holds time of other work on the GPU.
pub(crate) const WITH_OTHER_WORK: &str = ", with time of other work";

/// How many kernels are listed.
pub(super) const MOST: usize = 50;

/// All launches of kernels of one name.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KernelRow {
    /// What people call it; two kernels of the list have different labels.
    pub label: String,
    /// Demangled name.
    pub long_name: String,
    /// Sum of their durations in nanoseconds.
    pub ns: f64,
    /// Share of the kernel time.
    pub percent: f64,
    /// Share of this and all rows before.
    pub cumulative_percent: f64,
    /// Number of launches.
    pub calls: f64,
    /// Mean duration in nanoseconds.
    pub mean_ns: f64,
    /// Mean grid occupancy, weighted by time: no more than the blocks of the grids make; `None` if it is not known.
    pub grid_occupancy_percent: Option<f64>,
    /// `yes`, `no` or `unknown`.
    pub tensor_cores: &'static str,
    /// What it computes.
    pub kind: &'static str,
}

/// Kernels of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct KernelKindRow {
    /// What they compute.
    pub kind: &'static str,
    /// Sum of their durations in nanoseconds.
    pub ns: f64,
    /// Share of the kernel time.
    pub percent: f64,
    /// Share of this and all rows before.
    pub cumulative_percent: f64,
    /// Number of launches.
    pub calls: f64,
}

/// Kernels; `None` without kernel records.
pub(super) fn kernels(profile: &Judged, basis: Basis) -> Option<Kernels> {
    if !profile.has_kernel_records() {
        return None;
    }
    let names = profile.kernel_names();
    let total: Ns = names.iter().map(|name| name.gpu_time_ns).sum();
    let unknown = names.iter().filter(|name| name.tensor_cores == TensorCores::Unknown);
    let mut shares = Shares::of(total);
    let kinds = profile.kernel_kinds(names).into_iter().map(|kind| {
        let (percent, cumulative_percent) = shares.next(kind.gpu_time_ns);
        KernelKindRow {
            kind: kind.kind.words_on(profile.capture.recorder.vendor),
            ns: basis.each(kind.gpu_time_ns),
            percent,
            cumulative_percent,
            calls: basis.each_count(kind.calls),
        }
    });
    Some(Kernels {
        names: names.len(),
        total_ns: basis.each(total),
        launches: basis.each_count(names.iter().map(|name| name.calls).sum()),
        gpus: profile.iterations.windows.used.len(),
        other_work: profile.holds_other_work(),
        unknown_tc_percent: percent(unknown.map(|name| name.gpu_time_ns).sum(), total),
        kinds: kinds.collect(),
        rows: rows(profile, &names[..names.len().min(MOST)], basis, total),
    })
}

fn rows(profile: &Profile, names: &[KernelName], basis: Basis, total: Ns) -> Vec<KernelRow> {
    let long_names: Vec<&str> = names.iter().map(|name| profile.capture.strings.get(name.name)).collect();
    let mut shares = Shares::of(total);
    let row = |((name, label), long_name): ((&KernelName, String), &&str)| {
        let (percent, cumulative_percent) = shares.next(name.gpu_time_ns);
        KernelRow {
            label,
            long_name: (*long_name).to_owned(),
            ns: basis.each(name.gpu_time_ns),
            percent,
            cumulative_percent,
            calls: basis.each_count(name.calls),
            mean_ns: name.average_ns(),
            grid_occupancy_percent: name.grid_occupancy_percent,
            tensor_cores: name.tensor_cores.as_str(),
            kind: profile.kernel_kind(name).words_on(profile.capture.recorder.vendor),
        }
    };
    names.iter().zip(labels(&long_names)).zip(&long_names).map(row).collect()
}

/// Shares of a whole, each with the sum of those before.
pub(super) struct Shares {
    whole: Ns,
    so_far: Ns,
}

impl Shares {
    pub(super) fn of(whole: Ns) -> Self {
        Self { whole, so_far: 0 }
    }

    /// The share of the next part, and of all parts so far.
    pub(super) fn next(&mut self, part: Ns) -> (f64, f64) {
        self.so_far += part;
        (percent(part, self.whole), percent(self.so_far, self.whole))
    }
}

#[cfg(test)]
mod tests {
    use super::Kernels;

    #[test]
    fn headings_say_what_sums_of_kernels_are_of() {
        let over = |gpus, other_work| {
            let (total_ns, launches, unknown_tc_percent) = (0.0, 0.0, 0.0);
            let (rows, kinds) = (Vec::new(), Vec::new());
            let kernels =
                Kernels { names: 2, total_ns, launches, gpus, other_work, unknown_tc_percent, rows, kinds };
            kernels.sum_in_words()
        };
        assert_eq!(over(1, false), "");
        assert_eq!(over(2, false), ", sum over 2 GPUs");
        assert_eq!(over(1, true), ", with time of other work");
    }
}
