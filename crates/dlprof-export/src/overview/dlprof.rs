//! What is aggregated in DLProf's terms: its classes, its totals. DLProf's own figures are about all iterations and all GPUs.

use super::tiles::LEAST_UNKNOWN_PERCENT;
use crate::origin::is_known_class;
use dlprof_core::{CategoryTotal, Mode, Ns, Profile, Vendor, percent};
use serde::Serialize;

/// What is aggregated in DLProf's terms, over the whole window, not per iteration. Shares are averages over the used GPUs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DlprofFigures {
    /// From the start of the first to the end of the last aggregated iteration, in nanoseconds.
    pub wall_clock_ns: Ns,
    /// The part of it that events cover, in nanoseconds, where that is less than half; else `None`.
    pub covered_ns: Option<Ns>,
    /// Share of the wall clock with a kernel running; `None` without kernel records.
    pub gpu_utilization_percent: Option<f64>,
    /// Share of Tensor Core kernels in the kernel time of eligible ops; `None` without such ops.
    pub tc_efficiency_percent: Option<f64>,
    /// Share of the kernel time that it says nothing of, because names do not tell whether kernels use Tensor Cores; `None` if that
    /// is next to nothing.
    pub tc_unknown_percent: Option<f64>,
    /// Whether that is a share of all kernels, and not of those of ops that could use Tensor Cores: the capture has no ops.
    pub tc_of_all_kernels: bool,
    /// Mean of the counter `Tensor Active`; `None` where the capture has no samples of it.
    pub tensor_active_percent: Option<f64>,
    /// Number of iterations in the capture.
    pub iterations: u32,
    /// Number of aggregated iterations.
    pub profiled_iterations: u32,
    /// The wall clock by class, or the covered part of it; a time that is not known is `None`.
    pub resources: Vec<ClassTime>,
    /// Kernels and memory operations, with their number.
    pub kernel_totals: Vec<ClassCount>,
    /// Ops by their use of Tensor Cores, with their number.
    pub op_categories: Vec<ClassCount>,
}

/// A class of the wall clock.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClassTime {
    /// The class.
    pub class: &'static str,
    /// Its time in nanoseconds.
    pub ns: Option<Ns>,
    /// Its share.
    pub percent: Option<f64>,
}

/// Work or ops of a class.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClassCount {
    /// The class.
    pub class: &'static str,
    /// GPU time in nanoseconds; `None` where the capture does not tell.
    pub gpu_ns: Option<Ns>,
    /// Number of launches or ops; `None` where the capture does not tell.
    pub count: Option<u64>,
}

pub(super) fn dlprof(profile: &Profile) -> DlprofFigures {
    let (summary, iterations) = (&profile.summary, &profile.iterations);
    DlprofFigures {
        wall_clock_ns: summary.wall_clock_ns,
        covered_ns: summary.is_late().then(|| summary.covered.length()),
        gpu_utilization_percent: summary.gpu_utilization_percent,
        tc_efficiency_percent: summary.tc_utilization_percent.filter(|_| profile.tells_of_tensor_cores()),
        tc_unknown_percent: Some(unknown_percent(profile))
            .filter(|&unknown| unknown >= LEAST_UNKNOWN_PERCENT),
        tc_of_all_kernels: profile.capture.description.mode == Mode::Simple,
        tensor_active_percent: profile.sampled_tensor_cores().map(|(_, mean)| mean),
        iterations: iterations.count(),
        profiled_iterations: iterations.aggregated(),
        resources: resources(profile),
        kernel_totals: kernel_totals(profile),
        op_categories: op_categories(profile),
    }
}

/// Share of the kernel time of kernels whose names do not tell whether they use Tensor Cores.
fn unknown_percent(profile: &Profile) -> f64 {
    let totals = &profile.kernel_totals;
    percent(totals.tc_unknown.gpu_ns, totals.tc.gpu_ns + totals.non_tc.gpu_ns)
}

/// Whether the capture says how much is in a class. As on the first line: without a kernel that is known to use Tensor Cores,
/// nothing is known of them where the names of some kernels do not tell.
fn is_known(profile: &Profile, class: &str) -> bool {
    let is_silent = profile.kernel_totals.tc.gpu_ns == 0 && unknown_percent(profile) >= LEAST_UNKNOWN_PERCENT;
    is_known_class(profile, class) && !(class == "TC kernels" && is_silent)
}

fn resources(profile: &Profile) -> Vec<ClassTime> {
    let summary = &profile.summary;
    let split = summary.covered_resources().unwrap_or(summary.resources);
    let total = split.total();
    let class = |(class, ns): (&'static str, Ns)| {
        let known = is_known(profile, class).then_some(ns);
        let percent = known.map(|ns| percent(ns, total));
        ClassTime { class, ns: known, percent }
    };
    split.by_class().into_iter().map(class).collect()
}

fn kernel_totals(profile: &Profile) -> Vec<ClassCount> {
    let totals = &profile.kernel_totals;
    let others_known = is_known(profile, "Other kernels");
    let using = match profile.capture.recorder.vendor {
        Vendor::Nvidia => "Kernels using Tensor Cores",
        _ => "Kernels using matrix units",
    };
    let rows = [
        (using, totals.tc, is_known(profile, "TC kernels")),
        ("All other kernels", totals.non_tc, others_known),
        (UNKNOWN_BY_NAME, totals.tc_unknown, others_known),
        ("Copies and memsets", totals.memory, is_known(profile, "Memory")),
        ("All GPU work", totals.all(), profile.has_gpu_work()),
    ];
    let is_worth_a_row =
        |class: &str| class != UNKNOWN_BY_NAME || unknown_percent(profile) >= LEAST_UNKNOWN_PERCENT;
    let rows = rows.into_iter().filter(|(class, ..)| is_worth_a_row(class));
    rows.map(|(class, total, is_known)| ClassCount {
        class,
        gpu_ns: is_known.then_some(total.gpu_ns),
        count: is_known.then_some(total.launches),
    })
    .collect()
}

/// The part of a class of others of which names do not tell whether it uses Tensor Cores.
const UNKNOWN_BY_NAME: &str = "of these, unknown by name";

fn op_categories(profile: &Profile) -> Vec<ClassCount> {
    let categories = &profile.categories;
    // Who uses Tensor Cores follows from the names of kernels.
    let tells = is_known(profile, "TC kernels");
    // Where names of some kernels do not tell, none may be eligible and unused, or all of these.
    let is_silent = categories.eligible.gpu_ns == 0 && unknown_percent(profile) >= LEAST_UNKNOWN_PERCENT;
    // Without ranges all work belongs to one row that is no op.
    let has_ops = profile.capture.description.mode != Mode::Simple;
    let mut unknown = CategoryTotal::default();
    for op in profile.op_stats.iter().filter(|op| !op.uses_tc && !op.tc_eligible) {
        if op.kernels.tc_unknown_gpu_ns > 0 {
            unknown.gpu_ns += op.times.gpu.sum;
            unknown.ops += 1;
        }
    }
    let says_eligible = profile.capture.tells_eligible_ops();
    let using = match profile.capture.recorder.vendor {
        Vendor::Nvidia => "Ops using Tensor Cores",
        _ => "Ops using matrix units",
    };
    let rows = [
        (using, categories.using_tc, tells && has_ops),
        ("Eligible ops not using them", categories.eligible, tells && has_ops && !is_silent && says_eligible),
        ("All other ops", categories.other, tells && has_ops),
        (UNKNOWN_BY_NAME, unknown, tells && has_ops),
        ("All ops", categories.all, has_ops),
    ];
    let is_unknown = tells && has_ops && unknown_percent(profile) >= LEAST_UNKNOWN_PERCENT;
    let rows = rows.into_iter().filter(|(class, ..)| *class != UNKNOWN_BY_NAME || is_unknown);
    rows.map(|(class, total, is_known)| ClassCount {
        class,
        gpu_ns: (is_known && profile.has_gpu_work()).then_some(total.gpu_ns),
        count: is_known.then_some(total.ops),
    })
    .collect()
}
