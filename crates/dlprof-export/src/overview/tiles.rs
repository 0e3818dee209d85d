//! The figures of the first line.

use super::kernels::WITH_OTHER_WORK;
use super::{Basis, Kernels};
use crate::display::{TimeUnit, deviation, percentage};
use dlprof_core::{GpuTime, Judged, Profile, ProfiledIterations, Vendor, percent};
use serde::Serialize;
use std::ops::Range;

/// The figures of the first line.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Tiles {
    /// Average length of an iteration in nanoseconds, every pass of an unsplit one by itself; without iterations the length of
    /// the window.
    pub iteration_ns: f64,
    /// Standard deviation of the iterations in nanoseconds (sample form); `None` with fewer than two.
    pub deviation_ns: Option<f64>,
    /// Share of the time with any GPU work running, averaged over the used GPUs; `None` without kernel records.
    pub gpu_busy_percent: Option<f64>,
    /// Share of the time with copies and memsets running and no kernel, where that is more than half of the time with any work;
    /// else `None`.
    pub only_copies_percent: Option<f64>,
    /// Share of the kernel time on Tensor Cores, as far as names tell; `None` without kernels or if names tell of none.
    pub tensor_core_percent: Option<f64>,
    /// Share of the kernel time of kernels whose name does not tell; `None` without kernels.
    pub tensor_core_unknown_percent: Option<f64>,
    /// Kernels per iteration; `None` without kernel records.
    pub kernels: Option<f64>,
    /// Items per second; `None` without `--batch-size` or iterations.
    pub items_per_s: Option<f64>,
}

impl Tiles {
    /// ` ± 2.2`: after the mean length of an iteration that is written in this unit; empty if it is not known.
    pub(crate) fn deviation_in_words(&self, unit: TimeUnit) -> String {
        self.deviation_ns.map_or_else(String::new, |ns| deviation(self.iteration_ns, ns, unit))
    }

    /// Whether the share of Tensor Cores is the least that it can be, because names of kernels do not tell all.
    pub(crate) fn is_bound(&self) -> bool {
        self.tensor_core_percent.is_some()
            && self.tensor_core_unknown_percent.is_some_and(|unknown| unknown >= LEAST_UNKNOWN_PERCENT)
    }

    /// `, 97.0 % only copies`: after the share of the time with any work.
    pub(crate) fn only_copies_in_words(&self) -> String {
        let words = |share| format!(", {} only copies", percentage(share));
        self.only_copies_percent.map_or_else(String::new, words)
    }

    /// `, of 60.0 % whose names tell`: after the share of Tensor Cores, where names do not tell of much of the kernel time.
    pub(crate) fn telling_in_words(&self) -> String {
        /// From this share on what is not told is a part of the figure.
        const LEAST_UNTOLD_PERCENT: f64 = 10.0;
        match self.tensor_core_unknown_percent {
            Some(unknown) if unknown >= LEAST_UNTOLD_PERCENT => {
                format!(", of {} whose names tell", percentage(100.0 - unknown))
            }
            _ => String::new(),
        }
    }

    /// The share of Tensor Cores; `None` if it is not known at all.
    pub(crate) fn tensor_cores_in_words(&self) -> Option<String> {
        let share = self.tensor_core_percent?;
        Some(match self.is_bound() {
            true => format!("≥ {}", percentage(share)),
            false if share < LEAST_SHOWN_PERCENT => "0 %".to_owned(),
            false => percentage(share),
        })
    }
}

/// A smaller share of the kernel time is shown as 0.
const LEAST_SHOWN_PERCENT: f64 = 0.05;

/// From this share of the kernel time on, kernels whose names do not tell make the share of Tensor Cores a lower bound.
pub(super) const LEAST_UNKNOWN_PERCENT: f64 = 1.0;

/// What the figures of the first line are called, below large numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TileLabels {
    /// Of [`Tiles::iteration_ns`].
    pub iteration_ns: String,
    /// [`Tiles::deviation_ns`], after the mean in the unit that fits it, as pages show it; empty if it is not known.
    pub deviation: String,
    /// Of [`Tiles::gpu_busy_percent`].
    pub gpu_busy_percent: String,
    /// Of [`Tiles::tensor_core_percent`].
    pub tensor_core_percent: &'static str,
    /// Of [`Tiles::kernels`].
    pub kernels: String,
    /// Of [`Tiles::items_per_s`].
    pub items_per_s: &'static str,
}

impl TileLabels {
    pub(super) fn new(profile: &Judged, basis: Basis, tiles: &Tiles) -> Self {
        let with = if profile.holds_other_work() { WITH_OTHER_WORK } else { "" };
        let windows = &profile.iterations.windows;
        let (used, gpus) = (windows.used.len(), profile.index.split.gpus);
        // Other ranks use the others.
        let of_gpus = match profile.is_one_rank_of_many() {
            true => crate::origin::gpus_used(profile).unwrap_or_else(|| format!("{used} GPU")),
            false => format!("{used} of {gpus} GPUs used"),
        };
        Self {
            iteration_ns: match basis.per {
                super::Per::Iteration => format!("per iteration, {}{with}", basis.mean_in_words()),
                super::Per::Window => basis.mean_in_words() + with,
            },
            deviation: tiles.deviation_in_words(TimeUnit::Auto),
            gpu_busy_percent: format!("GPU busy{}, {of_gpus}", tiles.only_copies_in_words()),
            tensor_core_percent: match (tiles.is_bound(), profile.capture.recorder.vendor) {
                (true, Vendor::Nvidia) => "of kernel time on Tensor Cores, at least",
                (false, Vendor::Nvidia) => "of kernel time on Tensor Cores",
                (true, _) => "of kernel time on matrix units, at least",
                (false, _) => "of kernel time on matrix units",
            },
            kernels: format!("kernels {}", basis.words()),
            items_per_s: "items per second",
        }
    }
}

pub(super) fn tiles(profile: &Profile, basis: Basis, kernels: Option<&Kernels>) -> Tiles {
    let summary = &profile.summary;
    let unknown = kernels.filter(|kernels| kernels.total_ns > 0.0).map(|kernels| kernels.unknown_tc_percent);
    let totals = &profile.kernel_totals;
    let share = percent(totals.tc.gpu_ns, totals.tc.gpu_ns + totals.non_tc.gpu_ns);
    let times = counted_times(profile);
    let known = profile.knows_gpu_work() && times.length_ns > 0;
    Tiles {
        iteration_ns: match basis.per {
            super::Per::Iteration => summary.average_iteration_ns,
            super::Per::Window => dlprof_core::to_f64(summary.wall_clock_ns),
        },
        deviation_ns: summary.iteration_deviation_ns.filter(|_| basis.per == super::Per::Iteration),
        gpu_busy_percent: known.then(|| percent(times.busy_ns, times.length_ns)),
        only_copies_percent: (known && 2 * times.exposed_copy_ns > times.busy_ns)
            .then(|| percent(times.exposed_copy_ns, times.length_ns)),
        tensor_core_percent: known_share(share, unknown),
        tensor_core_unknown_percent: unknown,
        kernels: kernels.map(|kernels| kernels.launches),
        items_per_s: summary.items_per_s,
    }
}

/// A share of Tensor Cores where names do not tell of some of the kernel time: "at least 0 %" says nothing.
fn known_share(share: f64, unknown: Option<f64>) -> Option<f64> {
    let most_unknown = if share < LEAST_SHOWN_PERCENT { LEAST_UNKNOWN_PERCENT } else { 100.0 };
    unknown.filter(|&unknown| unknown < most_unknown).map(|_| share)
}

/// Times of the used GPUs in the iterations that count.
fn counted_times(profile: &Profile) -> GpuTime {
    let times = profile.gpu_times();
    let mut sum = GpuTime::default();
    counted(&profile.iterations).for_each(|window| sum.merge(&times.of_used(window)));
    sum
}

/// Places of the aggregated iterations among the windows, without pieces between runs; all if there is nothing else.
pub(super) fn counted(iterations: &ProfiledIterations) -> impl Iterator<Item = usize> + Clone + '_ {
    let range: Range<u32> = iterations.range();
    let has_any = range.clone().any(|number| !iterations.is_outside(number));
    let is_counted = move |number: u32| !has_any || !iterations.is_outside(number);
    range.enumerate().filter(move |&(_, number)| is_counted(number)).map(|(place, _)| place)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tiles() -> Tiles {
        Tiles {
            iteration_ns: 1.0,
            deviation_ns: None,
            gpu_busy_percent: None,
            only_copies_percent: None,
            tensor_core_percent: None,
            tensor_core_unknown_percent: None,
            kernels: None,
            items_per_s: None,
        }
    }

    #[test]
    fn a_gpu_that_only_copies_is_told_from_one_that_computes() {
        assert_eq!(tiles().only_copies_in_words(), "");
        let copies = Tiles { only_copies_percent: Some(97.0), ..tiles() };
        assert_eq!(copies.only_copies_in_words(), ", 97.0 % only copies");
    }

    #[test]
    fn a_share_of_tensor_cores_is_a_bound_where_names_do_not_tell_all() {
        let words = |share, unknown| {
            let tensor_core_percent = known_share(share, unknown);
            Tiles { tensor_core_percent, tensor_core_unknown_percent: unknown, ..tiles() }
                .tensor_cores_in_words()
        };
        let cases = [
            (40.0, Some(0.0), Some("40.0 %")),
            (40.0, Some(12.0), Some("≥ 40.0 %")),
            (0.0, Some(0.0), Some("0 %")),
            (0.0, Some(12.0), None),
            (0.0, Some(100.0), None),
            (0.0, None, None),
        ];
        for (share, unknown, expected) in cases {
            assert_eq!(words(share, unknown).as_deref(), expected, "{share:?} {unknown:?}");
        }
    }
}
