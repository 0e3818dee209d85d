//! Table `iterations`: one row per iteration, aggregated or not.

use super::shared::{self, WithResources};
use super::table::{Column, RowTable, Unit};
use crate::aggregate::Profile;
use crate::aggregate::{IterationStats, Resources};
use crate::ratios::percent;
use std::borrow::Cow;
use std::sync::LazyLock;

/// Columns of table `iterations`.
pub static COLUMNS: LazyLock<Vec<Column<IterationStats>>> = LazyLock::new(|| {
    let mut columns = vec![
        Column::int(
            "iteration",
            "Iteration",
            Unit::None,
            "Number, from 0; iteration 0 is what comes before the first execution of the key node.",
            |_, row: &IterationStats| row.iteration.into(),
        ),
        Column::text(
            "state",
            "State",
            "`before` the first execution, `warm-up`, `steady`, `outlier`, `empty` (no GPU work) or `cut` by the capture.",
            |p, row| p.iterations.states[row.iteration as usize].as_str().into(),
        ),
        Column::flag("aggregated", "Profiled", "Whether it is in the aggregated range.", |_, row| {
            row.is_aggregated.into()
        }),
    ];
    columns.extend(shared::span());
    columns.extend(shared::kernel_sums());
    columns.push(Column::int(
        "kernel_gpu_time_per_gpu_ns",
        "Kernel GPU Time per GPU",
        Unit::Nanoseconds,
        "Plain sum of kernel durations over the number of GPUs.",
        |p, row| (row.kernels.gpu_ns / i64::try_from(p.summary.gpus.max(1)).unwrap_or(i64::MAX)).into(),
    ));
    columns.push(Column::float(
        "gpu_utilization_percent",
        "GPU Utilization",
        Unit::Percent,
        "Share of the time with a kernel or a memory operation running, averaged over GPUs.",
        |_, row| percent(row.resources.gpu_ns(), row.resources.total()).into(),
    ));
    columns.extend(shared::resources());
    columns
});

/// Table `iterations`.
#[must_use]
pub fn build<'a>(profile: &'a Profile<'a>) -> RowTable<'a, IterationStats> {
    let rows = Cow::Borrowed(profile.iteration_stats.as_slice());
    RowTable { key: "iterations", title: "Iterations", columns: &COLUMNS, profile, rows }
}

impl WithResources for IterationStats {
    fn resources(&self, profile: &Profile<'_>) -> Resources {
        self.resources.average(profile.summary.gpus)
    }
}
