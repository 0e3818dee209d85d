//! Table `ranks`: what each rank did, by how much it lags, and why.

use super::super::arithmetic::whole_ns;
use super::super::groups::group_name;
use super::super::job::{Job, JobRank};
use super::super::steps::RankClass;
use super::declaration::{JobColumn, JobDeclaration};
use super::shared::{classes, mean_of, waiting};
use crate::base::ratios::to_f64;
use crate::base::time::Ns;
use crate::steps::iterate::Confidence;
use crate::tables::{Layout, Unit};
use std::sync::LazyLock;

/// A rank, by its place.
type Row = usize;

/// Table `ranks`.
pub(super) static TABLE: JobDeclaration<Row> = JobDeclaration {
    key: "ranks",
    title: "Ranks",
    doc: "A row per rank. Times are means over its steady iterations, but `own_ns`, which is a median.",
    columns: || &COLUMNS,
    layout: Layout {
        first: &["rank", "node", "device_id", "own_ns", "wait_ns", "lag_ns"],
        second: &["lag_percent", "cause", "confidence", "last_percent", "group", "compute_ns", "transfer_ns"],
        ..Layout::PLAIN
    },
};

/// Its rows.
pub(super) fn rows(job: &Job) -> Vec<Row> {
    (0..job.ranks.len()).collect()
}

fn of(job: &Job, row: Row) -> &JobRank {
    &job.ranks[row]
}

/// Offset of the clock of a rank against the first one.
fn offset(job: &Job, row: Row) -> Ns {
    of(job, row).clock.offset_ns - of(job, 0).clock.offset_ns
}

static COLUMNS: LazyLock<Vec<JobColumn<Row>>> = LazyLock::new(|| {
    let mut columns = who();
    columns.extend(times());
    columns.extend(lag());
    columns.extend(arrivals_and_clock());
    columns
});

fn who() -> Vec<JobColumn<Row>> {
    vec![
        JobColumn::int("rank", "Rank", Unit::None, "Number of the rank.", |job, &row| {
            of(job, row).rank.into()
        }),
        JobColumn::text("node", "Node", "Name of the host.", |job, &row| {
            of(job, row).who.node.as_str().into()
        }),
        JobColumn::int("device_id", "GPU", Unit::None, "Number of the GPU on its host.", |job, &row| {
            of(job, row).who.device_id.into()
        }),
        JobColumn::text("gpu_name", "GPU Name", "Name of the GPU.", |job, &row| {
            of(job, row).who.gpu_name.as_str().into()
        }),
        JobColumn::text(
            "group",
            "Group",
            "Ranks with the same letter do the same work and are compared.",
            |job, &row| group_name(of(job, row).group).into(),
        ),
        JobColumn::int(
            "iterations",
            "Iterations",
            Unit::None,
            "Number of its steady iterations.",
            |job, &row| (of(job, row).steps.of.len() as u64).into(),
        ),
    ]
}

fn times() -> Vec<JobColumn<Row>> {
    const NS: Unit = Unit::Nanoseconds;
    let mut columns = vec![
        JobColumn::int("length_ns", "Step", NS, "Length of a step on its own clock.", |job, &row| {
            whole_ns(of(job, row).steps.mean.length_ns).into()
        }),
        JobColumn::int(
            "own_ns",
            "Own",
            NS,
            "Median of its own time: its step without waiting for others.",
            |job, &row| of(job, row).steps.own_ns.into(),
        ),
        JobColumn::int("wait_ns", "Waiting", NS, "Waiting for other ranks.", |job, &row| {
            waiting(job, of(job, row).steps.mean.wait_ns)
        }),
        JobColumn::int(
            "wait_p2p_ns",
            "Waiting for One",
            NS,
            "Of the waiting, what is for one other rank.",
            |job, &row| waiting(job, of(job, row).steps.mean.wait_p2p_ns),
        ),
    ];
    columns.extend(classes([
        |job, &row| mean_of(job, &of(job, row).steps.mean, RankClass::Compute),
        |job, &row| mean_of(job, &of(job, row).steps.mean, RankClass::Transfer),
        |job, &row| mean_of(job, &of(job, row).steps.mean, RankClass::Copy),
        |job, &row| mean_of(job, &of(job, row).steps.mean, RankClass::Input),
        |job, &row| mean_of(job, &of(job, row).steps.mean, RankClass::Cpu),
        |job, &row| mean_of(job, &of(job, row).steps.mean, RankClass::Sync),
        |job, &row| mean_of(job, &of(job, row).steps.mean, RankClass::Other),
    ]));
    columns
}

fn lag() -> Vec<JobColumn<Row>> {
    vec![
        JobColumn::int(
            "lag_ns",
            "Lag",
            Unit::Nanoseconds,
            "Median over iterations of its own time less the median of the other members of its group.",
            |job, &row| of(job, row).lag.lag_ns.into(),
        ),
        JobColumn::float(
            "lag_percent",
            "Lag %",
            Unit::Percent,
            "Its lag in percent of a step.",
            |job, &row| of(job, row).lag.lag_percent.into(),
        ),
        JobColumn::float(
            "lag_share_percent",
            "Lags In",
            Unit::Percent,
            "Share of the iterations in which it lags.",
            |job, &row| (100.0 * of(job, row).lag.share).into(),
        ),
        JobColumn::float("score", "Score", Unit::None, "Its lag over its noise.", |job, &row| {
            of(job, row).lag.score.into()
        }),
        JobColumn::flag(
            "lagging",
            "Lagging",
            "Whether it lags by more than noise, in most iterations.",
            |job, &row| of(job, row).lag.is_lagging().into(),
        ),
        JobColumn::text(
            "confidence",
            "Certain",
            "How certain it is that it lags; empty if it does not.",
            |job, &row| of(job, row).lag.confidence.map(Confidence::as_str).into(),
        ),
        JobColumn::text("cause", "Cause", "Why it lags; empty if it does not.", |job, &row| {
            of(job, row).cause.map(|cause| cause.as_str()).into()
        }),
        JobColumn::float(
            "speed_percent",
            "Speed",
            Unit::Percent,
            "Its speed on the kernels that others launch too; theirs is 100.",
            |job, &row| of(job, row).work.speed_percent.into(),
        ),
        JobColumn::float(
            "work_percent",
            "Work",
            Unit::Percent,
            "The work that it launches; that of the others is 100.",
            |job, &row| of(job, row).work.work_percent.into(),
        ),
    ]
}

fn arrivals_and_clock() -> Vec<JobColumn<Row>> {
    const NS: Unit = Unit::Nanoseconds;
    vec![
        JobColumn::float(
            "last_percent",
            "Last",
            Unit::Percent,
            "Share of its collectives in which it arrived last, and no other with it.",
            |job, &row| of(job, row).last_percent.into(),
        ),
        JobColumn::int(
            "caused_wait_ns",
            "Caused Waiting",
            NS,
            "The waiting of others that it alone caused, over all steady iterations.",
            |job, &row| of(job, row).caused_wait_ns.into(),
        ),
        JobColumn::int(
            "clock_offset_ns",
            "Clock Offset",
            NS,
            "What is added to UTC of its capture, against the first rank.",
            |job, &row| offset(job, row).into(),
        ),
        JobColumn::float(
            "clock_drift_ppm",
            "Clock Drift",
            Unit::None,
            "By how many parts in a million its clock runs fast, against the first rank.",
            |job, &row| ((of(job, row).clock.drift - of(job, 0).clock.drift) * to_f64(1_000_000)).into(),
        ),
        JobColumn::int("clock_error_ns", "Clock Error", NS, "How far its clock may be off.", |job, &row| {
            of(job, row).clock.error_ns.into()
        }),
        JobColumn::text(
            "clock",
            "Clock By",
            "What its clock rests on: `collectives`, `utc` or `none`.",
            |job, &row| of(job, row).clock.source.as_str().into(),
        ),
        JobColumn::text("file", "File", "Name of its capture.", |job, &row| {
            of(job, row).who.file.file_name().unwrap_or_default().to_string_lossy().into_owned().into()
        }),
    ]
}
