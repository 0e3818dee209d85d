//! Table `critical_path`: what the aggregated iterations consist of, along what held each step up.

use super::path::PathPart;
use super::what_if::Replay;
use crate::base::ratios::percent;
use crate::base::time::Ns;
use crate::figures::profile::Profile;
use crate::tables::{Column, Declaration, Layout, RowTable, Unit};

/// A part of the critical path, and what it is a part of.
#[derive(Debug, Clone)]
pub(crate) struct PathRow {
    part: PathPart,
    length_ns: Ns,
    per_iteration_ns: Ns,
}

/// Columns of table `critical_path`.
static COLUMNS: &[Column<PathRow>] = &[
    Column::text(
        "class",
        "Class",
        "What held the iterations up: `kernels`, `exchange`, `copies`, `memsets` on the GPU; `host_calls` and `host_code` of the host; \
         `input` from outside; `latency` of launches, waits and hand-overs; `stall` for work that waited though nothing that was \
         recorded held it up; `start` without a cause in the window.",
        |_, row: &PathRow| row.part.class.as_str().into(),
    ),
    Column::text(
        "name",
        "Name",
        "Which: the kind of the kernels, the direction of copies, the CUDA function, the range around the host's code; empty if \
         nothing tells.",
        |_, row| row.part.name.as_str().into(),
    ),
    Column::int(
        "time_ns",
        "Time",
        Unit::Nanoseconds,
        "Its time on the critical path, summed over the iterations that are replayed.",
        |_, row| row.part.time_ns.into(),
    ),
    Column::int(
        "per_iteration_ns",
        "Time per Iteration",
        Unit::Nanoseconds,
        "Its share of the mean length of these iterations; without iterations of all that is looked at.",
        |_, row| row.per_iteration_ns.into(),
    ),
    Column::float(
        "percent",
        "Share",
        Unit::Percent,
        "Share of the length of the critical path.",
        |_, row| percent(row.part.time_ns, row.length_ns).into(),
    ),
];

/// Table `critical_path`.
pub(crate) static TABLE: Declaration<PathRow> = Declaration {
    key: "critical_path",
    title: "Critical Path",
    doc: "A row per kind of work that held the aggregated iterations up. The rows add up to the time from their start to the end of \
          the last work.",
    columns: || COLUMNS,
    layout: Layout {
        first: &["class", "name", "per_iteration_ns", "percent"],
        second: &["time_ns"],
        order: &["-time_ns", "class", "name"],
        sums: &["time_ns"],
        ..Layout::PLAIN
    },
};

/// Table `critical_path` of a profile.
#[must_use]
pub(crate) fn build(profile: &Profile) -> RowTable<PathRow> {
    let rows = Replay::of(profile).map_or_else(
        |_| Vec::new(),
        |replay| {
            let (path, iteration_ns) = (replay.critical_path(), replay.step_ns());
            let row = |part: &PathPart| PathRow {
                per_iteration_ns: path.time_in(part, iteration_ns),
                length_ns: path.length_ns,
                part: part.clone(),
            };
            path.parts.iter().map(row).collect()
        },
    );
    TABLE.with(profile, rows)
}
