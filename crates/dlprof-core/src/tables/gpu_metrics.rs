//! Table `gpu_metrics`: means of sampled counters, by aggregated iteration and GPU, and by kernel name.

use super::declaration::{Declaration, RowTable};
use super::layout::Layout;
use super::table::{Column, Unit, Value};
use crate::figures::profile::{MetricMean, Profile, Sampled};
use std::sync::LazyLock;

/// Columns of table `gpu_metrics`.
static COLUMNS: LazyLock<Vec<Column<MetricMean>>> = LazyLock::new(|| {
    vec![
        Column::int(
            "iteration",
            "Iteration",
            Unit::None,
            "Number of the iteration; empty for rows about a kernel.",
            |p, row: &MetricMean| match row.of {
                Sampled::Window { window, .. } => p.iteration_of_window(window).into(),
                Sampled::Kernel(_) => Value::Null,
            },
        ),
        Column::int(
            "device_id",
            "Device ID",
            Unit::None,
            "The GPU; empty for rows about a kernel.",
            |p, row| match row.of {
                Sampled::Window { device, .. } => device.some().map(|device| p.device_number(device)).into(),
                Sampled::Kernel(_) => Value::Null,
            },
        ),
        Column::text(
            "long_kernel_name",
            "Long Kernel Name",
            "Kernel that ran alone on its GPU while the samples were taken; empty for rows about an iteration.",
            |p, row| match row.of {
                Sampled::Window { .. } => Value::Null,
                Sampled::Kernel(name) => p.capture.strings.get(name).into(),
            },
        ),
        Column::text("metric", "Metric", "Name of the counter.", |p, row| p.metric_name(row.metric).into()),
        Column::int("samples", "Samples", Unit::None, "Number of samples.", |_, row| row.mean.samples.into()),
        Column::float(
            "mean",
            "Mean",
            Unit::None,
            "Mean of the samples; percent unless the name of the counter has a unit.",
            |_, row| row.mean.mean().into(),
        ),
    ]
});

/// Table `gpu_metrics`.
pub(crate) static TABLE: Declaration<MetricMean> = Declaration {
    key: "gpu_metrics",
    title: "GPU Metrics",
    doc: "A row per counter of an aggregated iteration and GPU, and of a kernel name.",
    columns: || &COLUMNS,
    layout: Layout {
        first: &["metric", "mean", "iteration"],
        second: &["device_id", "long_kernel_name", "samples"],
        ..Layout::PLAIN
    },
};

/// Table `gpu_metrics` of a profile.
#[must_use]
pub(crate) fn build(profile: &Profile) -> RowTable<MetricMean> {
    TABLE.with(profile, profile.gpu_metrics())
}
