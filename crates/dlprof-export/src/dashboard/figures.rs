//! The figures of the dashboard: performance, resources, totals, GPUs.

use super::{CPU, DATALOADER, IO, MEMORY, NON_TC, OTHER, TC, pair, titled};
use crate::display::{TimeUnit, percentage, time};
use crate::origin::{self, UNKNOWN};
use crate::text::{pad, pad_left};
use crate::text_table::cell;
use anstyle::Style;
use dlprof_core::index::KernelTotal;
use dlprof_core::profile::{CategoryTotal, Profile};
use dlprof_core::ratios::{percent, to_f64};
use dlprof_core::tables::{self, Table, Unit};
use dlprof_core::time::Ns;

pub(super) fn performance(profile: &Profile, unit: TimeUnit) -> Vec<String> {
    let summary = &profile.summary;
    let iterations = &profile.iterations;
    let share = |share: Option<f64>| share.map_or_else(|| UNKNOWN.to_owned(), percentage);
    let mut lines = vec![pair(origin::window_name(profile), &time(to_f64(summary.wall_clock_ns), unit))];
    if summary.is_late() {
        lines.push(pair("  covered by events", &time(to_f64(summary.covered.length()), unit)));
    }
    lines.extend([
        pair("GPU utilization", &share(summary.gpu_utilization_percent)),
        pair("Tensor Core efficiency", &share(summary.tc_utilization_percent)),
    ]);
    let sampled = profile.sampled_tensor_cores();
    lines.extend(sampled.map(|(_, mean)| pair("  Tensor Active, sampled", &percentage(mean))));
    lines.extend([
        pair("Total iterations", &iterations.count().to_string()),
        pair("Profiled iterations", &iterations.aggregated().to_string()),
        pair("Average iteration time", &time(summary.average_iteration_ns, unit)),
        pair("  standard deviation", &time(summary.iteration_deviation_ns, unit)),
    ]);
    lines.extend(summary.items_per_s.map(|items| pair("Items per second", &format!("{items:.1}"))));
    titled("Performance summary", lines)
}

/// Shares of the wall clock, or of the covered span where that is under half of it.
pub(super) fn resources(profile: &Profile, unit: TimeUnit) -> Vec<String> {
    const BAR: usize = 18;
    let summary = &profile.summary;
    let covered = summary.covered_resources();
    let split = covered.unwrap_or(summary.resources);
    let mut title = match summary.gpus {
        1 => "Resource usage".to_owned(),
        gpus => format!("Resource usage, average of {gpus} GPUs used"),
    };
    if covered.is_some() {
        title.push_str(", of the covered span");
    }
    let total = split.total();
    let styles = [TC, NON_TC, MEMORY, DATALOADER, IO, CPU, OTHER];
    let line = |((class, ns), style): ((&str, Ns), Style)| {
        if !origin::is_known_class(profile, class) {
            return format!("  {}{}", pad(class, 14), pad_left(UNKNOWN, 11));
        }
        let share = percent(ns, total);
        format!(
            "  {}{}{}  {style}{}{style:#}",
            pad(class, 14),
            pad_left(&time(to_f64(ns), unit), 11),
            pad_left(&percentage(share), 9),
            bar(share / 100.0, BAR)
        )
    };
    titled(&title, split.by_class().into_iter().zip(styles).map(line))
}

/// A bar of up to `columns` for a share from 0 to 1, in eighths of a column.
fn bar(share: f64, columns: usize) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "the share is between 0 and 1 and the columns are few"
    )]
    let eighths = (share.clamp(0.0, 1.0) * (columns * 8) as f64).round() as usize;
    format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8])
}

pub(super) fn kernel_totals(profile: &Profile, unit: TimeUnit) -> Vec<String> {
    let totals = &profile.kernel_totals;
    let rows = [
        ("Using Tensor Cores", totals.tc),
        ("All other kernels", totals.non_tc),
        ("Memory", totals.memory),
        ("All", totals.all()),
    ];
    let line = |(class, total): (&str, KernelTotal)| {
        format!(
            "  {}{}{}",
            pad(class, 20),
            pad_left(&time(to_f64(total.gpu_ns), unit), 12),
            pad_left(&total.launches.to_string(), 9)
        )
    };
    titled("Kernel GPU time, launches", rows.map(line))
}

pub(super) fn op_categories(profile: &Profile, unit: TimeUnit) -> Vec<String> {
    let categories = &profile.categories;
    let rows = [
        ("Using Tensor Cores", categories.using_tc),
        ("Eligible, not using", categories.eligible),
        ("All other ops", categories.other),
        ("All", categories.all),
    ];
    let line = |(class, total): (&str, CategoryTotal)| {
        format!(
            "  {}{}{}",
            pad(class, 20),
            pad_left(&time(to_f64(total.gpu_ns), unit), 12),
            pad_left(&total.ops.to_string(), 9)
        )
    };
    titled("Op GPU time, ops", rows.map(line))
}

/// Only with more than one GPU; one GPU's figures are those of the summary.
pub(super) fn gpus(profile: &Profile) -> Vec<String> {
    if profile.devices.len() < 2 {
        return Vec::new();
    }
    let table = tables::gpus::build(profile);
    let lines = (0..table.rows()).map(|row| {
        let shown = |column: usize, unit| cell(&table.value(row, column), unit, TimeUnit::Auto);
        let utilization = profile.devices[row].utilization_percent;
        format!(
            "  {}{}{}  {NON_TC}{}{NON_TC:#}",
            pad_left(&shown(0, Unit::None), 3),
            pad(&format!("  {}", shown(1, Unit::None)), 40),
            pad_left(&percentage(utilization), 9),
            bar(utilization / 100.0, 30)
        )
    });
    titled("GPUs: utilization", lines)
}
