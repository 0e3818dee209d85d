//! Table `idle_totals`: why the used GPUs idled, summed over the aggregated iterations.

use super::declaration::{Declaration, RowTable};
use super::idle_causes::{HasCause, OfCause, cause, in_words, range, range_time_ns};
use super::layout::Layout;
use super::table::{Column, Unit, Value};
use crate::base::ratios::percent;
use crate::base::time::Ns;
use crate::capture::classified::Cause;
use crate::figures::profile::{IdleTotal, OnceTime, Profile};
use std::sync::LazyLock;

/// Columns of table `idle_totals`.
static COLUMNS: LazyLock<Vec<Column<IdleTotal>>> = LazyLock::new(|| {
    vec![
        cause(),
        in_words(),
        Column::int(
            "time_ns",
            "Time",
            Unit::Nanoseconds,
            "Idle time, summed over the aggregated iterations and the used GPUs.",
            |_, row: &IdleTotal| row.time_ns.into(),
        ),
        share_of_idle(),
        share(),
        Column::text(
            "step_class",
            "Step Class",
            "The class of table `steps` that it counts to.",
            |_, row| row.cause.class().as_str().into(),
        ),
        range(),
        range_time_ns(),
        Column::int(
            "once_ns",
            "Done Once",
            Unit::Nanoseconds,
            "The part of the time that is work done once, such as loading code or making contexts: what the finding \
             `warm_up_in_range` adds up. What comes before the first iteration does not count.",
            |_, row| row.once.ns.into(),
        ),
        Column::float(
            "once_percent",
            "Share Done Once",
            Unit::Percent,
            "`once_ns` as a share of the length of the aggregated iterations, without what comes before the first, averaged \
             over the used GPUs.",
            |_, row| percent(row.once.ns, row.once.of_ns).into(),
        ),
    ]
});

/// A row about a part of the idle time of the used GPUs.
pub(super) trait PartOfIdle {
    /// Its length, summed over the aggregated iterations and the used GPUs.
    fn idle_ns(&self) -> Ns;
}

/// The share of the idle time.
pub(super) fn share_of_idle<R: PartOfIdle>() -> Column<R> {
    Column::float("idle_percent", "Share of Idle", Unit::Percent, "Share of the idle time.", |p, row: &R| {
        percent(row.idle_ns(), p.used_gpu_time().idle_ns()).into()
    })
}

/// The share of all time.
pub(super) fn share<R: PartOfIdle>() -> Column<R> {
    Column::float(
        "percent",
        "Share",
        Unit::Percent,
        "Share of the length of the aggregated iterations, averaged over the used GPUs.",
        |p, row: &R| percent(row.idle_ns(), p.used_gpu_time().length_ns).into(),
    )
}

impl PartOfIdle for IdleTotal {
    fn idle_ns(&self) -> Ns {
        self.time_ns
    }
}

impl HasCause for IdleTotal {
    fn cause(&self) -> Cause {
        self.cause
    }

    fn words(&self) -> &'static str {
        self.words
    }
}

impl OfCause for IdleTotal {
    fn range<'a>(&'a self, _: &'a Profile) -> Option<(Value<'a>, Ns)> {
        self.range.as_ref().map(|range| (range.name.as_str().into(), range.time_ns))
    }
}

/// Table `idle_totals`.
pub(crate) static TABLE: Declaration<IdleTotal> = Declaration {
    key: "idle_totals",
    title: "Idle Time by Cause",
    doc: "A row per cause of idle time, summed over the aggregated iterations and the used GPUs.",
    columns: || &COLUMNS,
    layout: Layout {
        first: &["cause", "time_ns", "idle_percent"],
        second: &["range", "percent", "in_words"],
        order: &["-time_ns"],
        sums: &["time_ns", "range_time_ns", "once_ns"],
        over_gpus: true,
        ..Layout::PLAIN
    },
};

/// Table `idle_totals` of a profile; `words` says what a cause is called, `once` how much of it is work done once.
#[must_use]
pub(crate) fn build(
    profile: &Profile,
    words: impl Fn(Cause) -> &'static str,
    once: impl Fn(Cause) -> OnceTime,
) -> RowTable<IdleTotal> {
    TABLE.with(profile, profile.idle_totals(words, once))
}
