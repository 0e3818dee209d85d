//! Table `idle`, built here because the verdict knows what a cause is called.

use super::judged::Judged;
use super::verdict::cause_in_words;
use crate::tables::RowTable;
pub(super) use crate::tables::idle::TABLE;
use crate::tables::idle::{IdlePartRow, build as build_with};

/// Table `idle` of a profile.
#[must_use]
pub(super) fn build(judged: &Judged) -> RowTable<IdlePartRow> {
    build_with(judged, |cause| cause_in_words(judged, cause))
}

#[cfg(test)]
mod tests {
    use super::super::idle_tests::{MS, two_kernels};
    use super::build;
    use crate::tables::{Table, Value};

    #[test]
    fn causes_add_up_to_the_idle_time_and_the_host_is_told_beside() {
        let judged = two_kernels(|drawn, time| {
            drawn.range("save", time.start..time.start + 200 * MS);
            drawn.os_call("write", time.start + 10 * MS..time.start + 150 * MS);
        });
        let table = build(&judged);
        let text = |row, column| match table.value(row, column) {
            Value::Text(text) => text.into_owned(),
            other => format!("{other:?}"),
        };
        let rows =
            |kind: &str| -> Vec<usize> { (0..table.rows()).filter(|&row| text(row, 0) == kind).collect() };
        let time = |row: usize| match table.value(row, 2) {
            Value::Int(ns) => ns,
            _ => 0,
        };
        let of_causes: i64 = rows("cause").into_iter().map(time).sum();
        assert_eq!(of_causes, judged.used_gpu_time().idle_ns());
        assert!(rows("OS call").iter().any(|&row| text(row, 1) == "write" && time(row) == 140 * MS));
        let first = rows("OS call").first().copied();
        assert!(first > rows("cause").last().copied(), "kinds in order");
    }
}
