//! Table `launch_stats`: how the kernels of the whole capture were launched, in one row.

use super::declaration::{Declaration, RowTable};
use super::layout::Layout;
use super::table::{Column, Unit};
use crate::figures::activity::LaunchStats;
use crate::figures::profile::Profile;
use std::sync::LazyLock;

/// Columns of table `launch_stats`.
static COLUMNS: LazyLock<Vec<Column<LaunchStats>>> = LazyLock::new(|| {
    let mut columns: Vec<Column<LaunchStats>> = counts().into();
    columns.extend(latency());
    columns.extend(queue());
    columns.extend(calls());
    columns.extend(start_delay());
    columns
});

/// Table `launch_stats`.
pub(crate) static TABLE: Declaration<LaunchStats> = Declaration {
    key: "launch_stats",
    title: "Launches",
    doc: "One row: how the kernels of the whole capture were launched.",
    columns: || &COLUMNS,
    layout: Layout::RECORD,
};

/// Table `launch_stats` of a profile.
#[must_use]
pub(crate) fn build(profile: &Profile) -> RowTable<LaunchStats> {
    TABLE.with(profile, vec![profile.launch_stats()])
}

macro_rules! count {
    ($field:ident, $key:literal, $title:literal, $doc:literal) => {
        Column::int($key, $title, Unit::None, $doc, |_, row: &LaunchStats| row.$field.into())
    };
}

macro_rules! time {
    ($($field:ident).+, $key:literal, $title:literal, $doc:literal) => {
        Column::int($key, $title, Unit::Nanoseconds, $doc, |_, row: &LaunchStats| row.$($field).+.into())
    };
}

fn counts() -> [Column<LaunchStats>; 10] {
    [
        count!(kernels, "kernels", "Kernels", "Kernels of the capture, whole graph launches included."),
        time!(kernel_ns, "kernel_ns", "Kernel Time", "Plain sum of their durations."),
        count!(with_call, "with_call", "With Call", "Kernels with an API call."),
        count!(without_call, "without_call", "Without Call", "Kernels without one."),
        count!(
            before_call,
            "before_call",
            "Before Call",
            "Kernels that start before their call, because the clocks of CPU and GPU disagree; what follows leaves them out."
        ),
        count!(
            started_before_return,
            "started_before_return",
            "Started before Return",
            "Kernels that start before their call returns."
        ),
        count!(starved, "starved", "Starved", "Kernels whose stream was empty when their call was made."),
        count!(short, "short", "Short", "Kernels shorter than 10 µs."),
        time!(short_ns, "short_ns", "Short Kernel Time", "Plain sum of the durations of short kernels."),
        count!(
            shorter_than_call,
            "shorter_than_call",
            "Shorter than Call",
            "Kernels shorter than their call."
        ),
    ]
}

fn latency() -> [Column<LaunchStats>; 3] {
    [
        time!(
            latency.sum_ns,
            "latency_sum_ns",
            "Latency",
            "Plain sum of the times from the start of the call to the start of the kernel."
        ),
        time!(latency.median_ns, "latency_median_ns", "Median Latency", "Median of these times."),
        time!(latency.p90_ns, "latency_p90_ns", "90 % Latency", "90th percentile of these times."),
    ]
}

fn queue() -> [Column<LaunchStats>; 4] {
    [
        Column::int(
            "queue_count",
            "Queued",
            Unit::None,
            "Kernels that start after their call has returned.",
            |_, row| row.queue.count.into(),
        ),
        time!(
            queue.sum_ns,
            "queue_sum_ns",
            "Queue Time",
            "Plain sum of the times from the end of the call to the start of the kernel."
        ),
        time!(queue.median_ns, "queue_median_ns", "Median Queue Time", "Median of the queue times."),
        time!(queue.p90_ns, "queue_p90_ns", "90 % Queue Time", "90th percentile of the queue times."),
    ]
}

fn calls() -> [Column<LaunchStats>; 3] {
    [
        time!(
            api.sum_ns,
            "api_sum_ns",
            "API Time",
            "Plain sum of the durations of the calls, once per kernel."
        ),
        time!(api.median_ns, "api_median_ns", "Median API Time", "Median of the durations of the calls."),
        time!(api.p90_ns, "api_p90_ns", "90 % API Time", "90th percentile of the durations of the calls."),
    ]
}

fn start_delay() -> [Column<LaunchStats>; 3] {
    [
        time!(
            start_delay.sum_ns,
            "start_delay_sum_ns",
            "Start Delay",
            "Plain sum of what launching alone cost each kernel."
        ),
        time!(
            start_delay.median_ns,
            "start_delay_median_ns",
            "Median Start Delay",
            "Median of the start delays."
        ),
        time!(
            start_delay.p90_ns,
            "start_delay_p90_ns",
            "90 % Start Delay",
            "90th percentile of the start delays."
        ),
    ]
}
