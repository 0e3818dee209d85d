//! The figures and colours that the charts in workbook, PDF and HTML share.

use crate::origin;
use dlprof_core::index::Resources;
use dlprof_core::profile::Profile;
use dlprof_core::ratios::to_f64;
use dlprof_core::time::Ns;

/// The viewer's colours, in the order of [`Resources::by_class`].
pub(super) const CLASS_COLORS: [u32; 7] =
    [0x0037_8B29, 0x0099_D18E, 0x002E_75B6, 0x00F4_C77B, 0x00F2_8E2B, 0x00C5_5A11, 0x00D9_7AA6];

/// Kernels that use Tensor Cores.
pub(super) const TC: u32 = CLASS_COLORS[0];

/// Other kernels, and a GPU that is used.
pub(super) const NON_TC: u32 = CLASS_COLORS[1];

/// Copies and memsets.
const MEMORY: u32 = CLASS_COLORS[2];

/// A part of a whole.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    pub(super) name: &'static str,
    pub(super) ns: Ns,
    pub(super) color: u32,
}

/// Time by class, in the order of [`Resources::by_class`].
pub(super) fn parts(resources: &Resources) -> [Part; 7] {
    let mut colors = CLASS_COLORS.into_iter();
    resources.by_class().map(|(name, ns)| Part { name, ns, color: colors.next().unwrap_or_default() })
}

/// How the profiled time divides into the parts that the capture tells, and a note about which time that is, and which parts
/// are not known, if there is something to say.
pub(super) fn resource_usage(profile: &Profile) -> (String, Vec<Part>) {
    let summary = &profile.summary;
    let average = (summary.gpus > 1).then(|| format!("average of {} GPUs", summary.gpus));
    let covered = summary.covered_resources();
    let part = covered.map(|_| "of the covered span".to_owned());
    let (known, unknown): (Vec<Part>, Vec<Part>) = parts(&covered.unwrap_or(summary.resources))
        .into_iter()
        .partition(|part| origin::is_known_class(profile, part.name));
    let unknown: Vec<&str> = unknown.iter().map(|part| part.name).collect();
    let unknown = (!unknown.is_empty()).then(|| format!("not known: {}", unknown.join(", ")));
    let notes: Vec<String> = average.into_iter().chain(part).chain(unknown).collect();
    (notes.join(", "), known)
}

/// Plain sums of kernel durations by class.
pub(super) fn kernel_time(profile: &Profile) -> [Part; 3] {
    let totals = &profile.kernel_totals;
    [
        Part { name: "Using Tensor Cores", ns: totals.tc.gpu_ns, color: TC },
        Part { name: "All other kernels", ns: totals.non_tc.gpu_ns, color: NON_TC },
        Part { name: "Memory", ns: totals.memory.gpu_ns, color: MEMORY },
    ]
}

/// Name of each GPU and its utilization in percent; none without kernel records.
pub(super) fn gpu_utilization(profile: &Profile) -> Vec<(String, f64)> {
    if !profile.has_kernel_records() {
        return Vec::new();
    }
    let devices = profile.devices.iter().map(|stats| {
        let device = &profile.capture.devices[stats.device.index()];
        let name = device.name.as_deref().map_or_else(String::new, |name| format!(": {name}"));
        (format!("GPU {}{name}", device.device_id), stats.utilization_percent)
    });
    devices.collect()
}

/// A bar: one iteration, or the average of several.
#[derive(Debug, Clone)]
pub(super) struct Bar {
    pub(super) first: u32,
    pub(super) last: u32,
    /// Whether all of its iterations are aggregated.
    pub(super) is_aggregated: bool,
    /// Average time by class, in nanoseconds.
    pub(super) ns: [f64; 7],
}

impl Bar {
    /// Average duration, in nanoseconds.
    pub(super) fn total_ns(&self) -> f64 {
        self.ns.iter().sum()
    }
}

/// The iterations in at most `most` bars; no bars if there is only one iteration.
pub(super) fn iterations(profile: &Profile, most: usize) -> Vec<Bar> {
    let stats = &profile.iteration_stats;
    if stats.len() < 2 {
        return Vec::new();
    }
    let bars = stats.chunks(stats.len().div_ceil(most.max(1))).map(|rows| {
        let mut sum = Resources::default();
        for row in rows {
            sum.add(&row.resources.average(profile.summary.gpus));
        }
        let count = dlprof_core::ratios::count_to_f64(rows.len() as u64);
        Bar {
            first: rows[0].iteration,
            last: rows[rows.len() - 1].iteration,
            is_aggregated: rows.iter().all(|row| row.is_aggregated),
            ns: sum.by_class().map(|(_, ns)| to_f64(ns) / count),
        }
    });
    bars.collect()
}

/// Where the time axis of the chart ends: at the longest iteration, or at twice the median of the aggregated ones
/// if that is less, so that a long warm-up does not make the other bars too small.
pub(super) fn full_scale_ns(bars: &[Bar]) -> f64 {
    let sorted = |is_wanted: fn(&&Bar) -> bool| {
        let mut lengths: Vec<f64> = bars.iter().filter(is_wanted).map(Bar::total_ns).collect();
        lengths.sort_by(f64::total_cmp);
        lengths
    };
    let all = sorted(|_| true);
    let aggregated = sorted(|bar| bar.is_aggregated);
    let longest = all.last().copied().unwrap_or(0.0);
    let median = aggregated.get(aggregated.len() / 2).copied().unwrap_or(longest);
    if median > 0.0 { longest.min(2.0 * median) } else { longest.max(1.0) }
}

/// Round values from 0 to `full`, in about four steps.
pub(super) fn ticks(full: f64) -> Vec<f64> {
    let rough = full.max(f64::MIN_POSITIVE) / 4.0;
    let magnitude = 10_f64.powf(rough.log10().floor());
    let steps = [1.0, 2.0, 2.5, 5.0, 10.0].map(|round| round * magnitude);
    let step = steps.into_iter().find(|step| *step >= rough * 0.999).unwrap_or(rough);
    (0..=5_u8).map(|number| f64::from(number) * step).take_while(|tick| *tick <= full * 1.001).collect()
}
