//! Table `iterations`: one row per iteration, aggregated or not.

use super::declaration::{Declaration, RowTable};
use super::layout::Layout;
use super::shared::{self, WithResources};
use super::table::{Column, Unit};
use crate::base::ratios::percent;
use crate::figures::profile::{IterationStats, Profile};
use crate::steps::index::Resources;
use std::sync::LazyLock;

/// Columns of table `iterations`.
static COLUMNS: LazyLock<Vec<Column<IterationStats>>> = LazyLock::new(|| {
    let mut columns: Vec<Column<IterationStats>> = vec![
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
            "`before` the first execution, `warm-up`, `steady`, `outlier`, `unsplit` (it holds several passes of the kernels that delimit \
             iterations, because the others run on another stream), `empty` (no GPU work), `cut` (the last one, shorter or launching less work than the others: \
             the capture or the program's loop may end in it), `untraced` (the tracer lost records), or `outside` (no iteration: \
             what lies between runs of them, or after the last one).",
            |p, row| p.iterations.states[row.iteration as usize].as_str().into(),
        ),
        Column::flag("aggregated", "Profiled", "Whether it is in the aggregated range.", |_, row| {
            row.is_aggregated.into()
        }),
    ];
    columns.push(Column::text(
        "label",
        "Label",
        "The text of its range, where texts differ only in a number: `step 17`.",
        |p, row| p.iterations.label(row.iteration).into(),
    ));
    columns.extend(shared::span());
    columns.push(Column::int(
        "cpu_start_ns",
        "CPU Timestamp",
        Unit::Nanoseconds,
        "Start on the clock of the CPU, from the start of the capture.",
        |_, row| row.cpu_span.start.into(),
    ));
    columns.push(Column::int(
        "cpu_duration_ns",
        "CPU Duration",
        Unit::Nanoseconds,
        "Length on the clock of the CPU.",
        |_, row| row.cpu_span.length().into(),
    ));
    columns.push(Column::float(
        "items_per_s",
        "Items per Second",
        Unit::PerSecond,
        "Batch size over the duration; empty without `--batch-size` or iterations.",
        |p, row| p.iterations.items_per_s(1, row.span.length()).into(),
    ));
    columns.extend(shared::launched_kernel_sums());
    columns.push(Column::int(
        "kernel_gpu_time_per_gpu_ns",
        "Launched Kernel GPU Time per GPU",
        Unit::Nanoseconds,
        "Plain sum of the durations of the kernels that the iteration launches, over the number of GPUs in use.",
        |p: &Profile, row: &IterationStats| (row.kernels.gpu_ns / i64::try_from(p.summary.gpus.max(1)).unwrap_or(i64::MAX)).into(),
    ).of_gpu());
    columns.push(Column::float(
        "gpu_utilization_percent",
        "GPU Busy",
        Unit::Percent,
        "Share of the time with a kernel or a memory operation running, averaged over the GPUs in use; empty without kernel \
         records, and where they were lost.",
        |p: &Profile, row: &IterationStats| {
            p.summary
                .gpu_utilization_percent
                .map(|_| percent(row.resources.gpu_ns(), row.resources.total()))
                .into()
        },
    ).of_gpu());
    columns.extend(shared::resources());
    columns
});

/// Table `iterations`.
pub(crate) static TABLE: Declaration<IterationStats> = Declaration {
    key: "iterations",
    title: "Iterations",
    doc: "A row per iteration, aggregated or not.",
    columns: || &COLUMNS,
    layout: Layout {
        first: &["iteration", "duration_ns", "state"],
        second: &[
            "gpu_utilization_percent",
            "kernel_calls",
            "kernel_gpu_time_ns",
            "start_ns",
            "aggregated",
            "label",
        ],
        order: &["iteration"],
        starts: &["start_ns", "cpu_start_ns"],
        report: &[
            "iteration",
            "state",
            "aggregated",
            "start_ns",
            "duration_ns",
            "gpu_utilization_percent",
            "kernel_calls",
            "tc_kernel_calls",
            "kernel_gpu_time_ns",
            "tc_kernel_gpu_time_ns",
        ],
        views: &[
            (
                "iterations",
                &[
                    "iteration",
                    "duration_ns",
                    "state",
                    "gpu_utilization_percent",
                    "kernel_calls",
                    "tc_kernel_calls",
                    "kernel_gpu_time_ns",
                    "start_ns",
                    "aggregated",
                    "label",
                ],
            ),
            (
                "launch_iterations",
                &[
                    "iteration",
                    "duration_ns",
                    "kernel_calls",
                    "tc_kernel_calls",
                    "kernel_gpu_time_per_gpu_ns",
                    "kernel_gpu_time_ns",
                    "tc_kernel_gpu_time_ns",
                    "gpu_utilization_percent",
                    "start_ns",
                    "state",
                ],
            ),
        ],
        ..Layout::PLAIN
    },
};

/// Table `iterations` of a profile.
#[must_use]
pub fn build(profile: &Profile) -> RowTable<IterationStats> {
    TABLE.of(profile, |p| &p.iteration_stats).where_gpu_is_known(|p, row| p.knows_gpu_work_in(row.iteration))
}

impl WithResources for IterationStats {
    fn resources(&self, profile: &Profile) -> Resources {
        self.resources.average(profile.summary.gpus)
    }
}
