//! Table `annotations`: GPU time by ranges of the program, as launched.

use super::declaration::{Declaration, RowTable};
use super::layout::Layout;
use super::table::{Column, Unit};
use crate::figures::annotations::AnnotationStats;
use crate::figures::profile::Profile;
use std::sync::LazyLock;

/// Columns of table `annotations`.
static COLUMNS: LazyLock<Vec<Column<AnnotationStats>>> = LazyLock::new(|| {
    vec![
        Column::text(
            "annotation",
            "Annotation",
            "Names of the ranges around it and its own, each after a `/`.",
            |_, row: &AnnotationStats| row.name.as_str().into(),
        ),
        Column::int(
            "executions",
            "Executions",
            Unit::None,
            "How often it began in the aggregated iterations.",
            |_, row| row.executions.into(),
        ),
        Column::int(
            "total_gpu_time_ns",
            "Total GPU Time",
            Unit::Nanoseconds,
            "Sum of the durations of the GPU work that was launched in it.",
            |_, row| row.total.gpu_ns.into(),
        ),
        Column::int(
            "self_gpu_time_ns",
            "Self GPU Time",
            Unit::Nanoseconds,
            "Of it, what was launched in no annotation inside it. The sum over all rows is the GPU time that was launched in \
             annotations.",
            |_, row| row.own.gpu_ns.into(),
        ),
        Column::int(
            "total_launches",
            "Total Launches",
            Unit::None,
            "Kernels, copies and memsets that were launched in it.",
            |_, row| row.total.pieces.into(),
        ),
        Column::int(
            "self_launches",
            "Self Launches",
            Unit::None,
            "Of these, those that were launched in no annotation inside it.",
            |_, row| row.own.pieces.into(),
        ),
        Column::int(
            "cpu_time_ns",
            "CPU Time",
            Unit::Nanoseconds,
            "Sum of the lengths of its executions.",
            |_, row| row.cpu_ns.into(),
        ),
    ]
});

/// Table `annotations`.
pub(crate) static TABLE: Declaration<AnnotationStats> = Declaration {
    key: "annotations",
    title: "Annotations",
    doc: "A row per range of the program (NVTX, `record_function`) below the ranges around it: the GPU time of what was launched \
          in it, whatever op that belongs to. What a thread launches outside of its own ranges, such as the backward pass, \
          belongs to the range of the one other thread of its process that is inside one and launches work in ranges.",
    columns: || &COLUMNS,
    layout: Layout {
        first: &["annotation", "executions", "total_gpu_time_ns", "self_gpu_time_ns"],
        second: &["total_launches", "self_launches", "cpu_time_ns"],
        order: &["-total_gpu_time_ns", "annotation"],
        ..Layout::PLAIN
    },
};

/// Table `annotations` of a profile.
#[must_use]
pub(crate) fn build(profile: &Profile) -> RowTable<AnnotationStats> {
    TABLE.with(profile, profile.annotations())
}
