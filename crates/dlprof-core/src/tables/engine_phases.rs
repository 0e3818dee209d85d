//! Table `engine_phases`: steps of inference servers by phase.

use super::declaration::{Declaration, RowTable};
use super::engine_steps::{idle_columns, lane};
use super::layout::Layout;
use super::table::{Column, Unit};
use crate::base::ids::ThreadId;
use crate::figures::profile::Profile;
use crate::serving::{IdlePart, PhaseFigures};
use std::sync::LazyLock;

/// A phase of a lane.
type Row = (ThreadId, PhaseFigures);

/// Mean, median and p99 of a figure.
macro_rules! mean {
    ($of:ident, $mean:literal $median:literal $p99:literal, $title:literal, $doc:literal) => {
        [
            Column::float(
                $mean,
                concat!($title, ", Mean"),
                Unit::Nanoseconds,
                concat!("Mean of ", $doc, "."),
                |_, row: &Row| row.1.$of.mean().into(),
            ),
            Column::int(
                $median,
                concat!($title, ", Median"),
                Unit::Nanoseconds,
                concat!("Median of ", $doc, "."),
                |_, row| row.1.$of.median.into(),
            ),
            Column::int(
                $p99,
                concat!($title, ", p99"),
                Unit::Nanoseconds,
                concat!("The smallest value that 99 of 100 of ", $doc, " do not exceed."),
                |_, row| row.1.$of.p99.into(),
            ),
        ]
    };
}

static COLUMNS: LazyLock<Vec<Column<Row>>> = LazyLock::new(|| {
    let mut columns: Vec<Column<Row>> = vec![
        lane(|p, row: &Row| p.capture.thread_in_words(row.0).into()),
        Column::text("phase", "Phase", "`prefill`, `decode`, `mixed`, or `none`.", |_, row| {
            row.1.phase.as_str().into()
        }),
        Column::int("steps", "Steps", Unit::None, "Steps with a period.", |_, row| row.1.steps.into()),
        Column::int(
            "graph_steps",
            "Graph Steps",
            Unit::None,
            "Of these, those whose kernel time is for the most part of graph launches.",
            |_, row| row.1.graph_steps.into(),
        ),
        Column::int(
            "prefill_tokens",
            "Prefill Tokens",
            Unit::None,
            "Prompt tokens; empty if any step's are unknown.",
            |_, row| row.1.prefill_tokens.into(),
        ),
        Column::int(
            "decode_tokens",
            "Decode Tokens",
            Unit::None,
            "New tokens; empty if any step's are unknown.",
            |_, row| row.1.decode_tokens.into(),
        ),
        Column::float(
            "tokens_per_s",
            "Tokens/s",
            Unit::PerSecond,
            "Both over the sum of the periods; empty if unknown.",
            |_, row| row.1.tokens_per_s().into(),
        ),
        Column::int("period_ns", "Periods", Unit::Nanoseconds, "Sum of the periods.", |_, row| {
            row.1.period.sum.into()
        }),
        Column::int(
            "busy_ns",
            "Busy",
            Unit::Nanoseconds,
            "Sum of the times covered by GPU work.",
            |_, row| row.1.busy.sum.into(),
        ),
        Column::int("idle_ns", "Idle", Unit::Nanoseconds, "Sum of the times without.", |_, row| {
            row.1.idle.sum.into()
        }),
    ];
    columns
        .extend(mean!(period, "mean_period_ns" "median_period_ns" "p99_period_ns", "Period", "the periods"));
    columns.extend(
        mean!(busy, "mean_busy_ns" "median_busy_ns" "p99_busy_ns", "Busy", "the times covered by GPU work"),
    );
    columns.extend(mean!(idle, "mean_idle_ns" "median_idle_ns" "p99_idle_ns", "Idle", "the idle times"));
    columns.extend(steady());
    columns.extend(idle_columns!(Row, |row| Some(row.1.by_cause)));
    columns
});

fn steady() -> [Column<Row>; 6] {
    [
        Column::int(
            "steady_steps",
            "Steady Steps",
            Unit::None,
            "Steps whose tokens and requests are like those of most steps of the phase.",
            |_, row: &Row| row.1.steady.as_ref().map_or(0, |steady| steady.steps).into(),
        ),
        Column::int(
            "steady_requests",
            "Steady Requests",
            Unit::None,
            "The median number of requests of the phase; empty if unknown.",
            |_, row| row.1.steady.as_ref().and_then(|steady| steady.requests).into(),
        ),
        Column::float(
            "steady_mean_period_ns",
            "Steady Period, Mean",
            Unit::Nanoseconds,
            "Mean period of the steady steps.",
            |_, row| row.1.steady.as_ref().map(|steady| steady.period.mean()).into(),
        ),
        Column::int(
            "steady_median_period_ns",
            "Steady Period, Median",
            Unit::Nanoseconds,
            "Median period of the steady steps.",
            |_, row| row.1.steady.as_ref().map(|steady| steady.period.median).into(),
        ),
        Column::float(
            "steady_mean_busy_ns",
            "Steady Busy, Mean",
            Unit::Nanoseconds,
            "Mean time covered by GPU work of the steady steps.",
            |_, row| row.1.steady.as_ref().map(|steady| steady.busy.mean()).into(),
        ),
        Column::float(
            "steady_mean_idle_ns",
            "Steady Idle, Mean",
            Unit::Nanoseconds,
            "Mean idle time of the steady steps.",
            |_, row| row.1.steady.as_ref().map(|steady| steady.idle.mean()).into(),
        ),
    ]
}

/// Table `engine_phases`.
pub(crate) static TABLE: Declaration<Row> = Declaration {
    key: "engine_phases",
    title: "Engine Phases",
    doc: "A row per phase of each thread with step marks, over the whole capture. Prefill and decode are never one mean.",
    columns: || &COLUMNS,
    layout: Layout {
        first: &["phase", "steps", "mean_period_ns", "p99_period_ns"],
        second: &["mean_busy_ns", "mean_idle_ns", "tokens_per_s", "steady_steps"],
        order: &["lane", "phase"],
        ..Layout::PLAIN
    },
};

/// Table `engine_phases` of a profile.
#[must_use]
pub(crate) fn build(profile: &Profile) -> RowTable<Row> {
    let rows = profile.serving().lanes.iter();
    let rows = rows.flat_map(|lane| lane.figures.phases.iter().map(|phase| (lane.thread, phase.clone())));
    TABLE.with(profile, rows.collect())
}
