//! Table `idle_causes`: why each GPU idled in each aggregated iteration.

use super::declaration::{Declaration, RowTable};
use super::layout::Layout;
use super::place::{self, InWindow, OnDevice};
use super::table::{Column, Unit, Value};
use crate::base::ids::{DeviceId, StrId};
use crate::base::time::Ns;
use crate::capture::classified::Cause;
use crate::figures::profile::{IdleCause, Profile};
use std::sync::LazyLock;

/// Columns of table `idle_causes`.
static COLUMNS: LazyLock<Vec<Column<IdleCause>>> = LazyLock::new(|| {
    vec![
        place::window_iteration(),
        place::device_id(),
        cause(),
        in_words(),
        Column::int(
            "time_ns",
            "Time",
            Unit::Nanoseconds,
            "Idle time of this cause; all causes together are the idle time of the GPU.",
            |_, row| row.time_ns.into(),
        ),
        range(),
        range_time_ns(),
    ]
});

/// Table `idle_causes`.
pub(crate) static TABLE: Declaration<IdleCause> = Declaration {
    key: "idle_causes",
    title: "Causes of Idle Time",
    doc: "A row per aggregated iteration, GPU and cause of idle time.",
    columns: || &COLUMNS,
    layout: Layout {
        first: &["cause", "time_ns", "iteration"],
        second: &["device_id", "range", "in_words"],
        order: &["iteration", "device_id", "-time_ns", "cause"],
        usual: "not cause = unused",
        ..Layout::PLAIN
    },
};

/// A row about idle time that has a cause.
pub(super) trait HasCause: 'static {
    fn cause(&self) -> Cause;

    /// The words for it.
    fn words(&self) -> &'static str {
        self.cause().words()
    }
}

/// A row about a cause of idle time.
pub(super) trait OfCause: HasCause {
    /// Of cause `host_range`: the range with most of the time, in words, and its time.
    fn range<'a>(&'a self, profile: &'a Profile) -> Option<(Value<'a>, Ns)>;
}

impl HasCause for IdleCause {
    fn cause(&self) -> Cause {
        self.cause
    }
}

impl OfCause for IdleCause {
    fn range<'a>(&'a self, profile: &'a Profile) -> Option<(Value<'a>, Ns)> {
        self.range.map(|range| (range_text(profile, range.text), range.time_ns))
    }
}

/// The word for a cause.
pub(super) fn cause<R: HasCause>() -> Column<R> {
    const DOC: &str = "Why the GPU idled; `dlprof-agg explain` says what each cause means.";
    Column::text("cause", "Cause", DOC, |_, row| row.cause().as_str().into())
}

/// The words by which people see a cause.
pub(super) fn in_words<R: HasCause>() -> Column<R> {
    const DOC: &str = "The words for the cause on the dashboard and in the viewer.";
    Column::text("in_words", "In Words", DOC, |_, row| row.words().into())
}

/// The range of the host with most of the time.
pub(super) fn range<R: OfCause>() -> Column<R> {
    const DOC: &str = "Of cause `host_range`: text of the innermost range with most of this time; else empty. In sums over iterations ranges \
         are put together as in table `idle_ranges`.";
    Column::text("range", "Range", DOC, |p, row| row.range(p).map_or(Value::Null, |(range, _)| range))
}

/// What is owed to it.
pub(super) fn range_time_ns<R: OfCause>() -> Column<R> {
    const DOC: &str = "The part of the time that is owed to this range.";
    Column::int("range_time_ns", "Range Time", Unit::Nanoseconds, DOC, |p, row| {
        row.range(p).map(|(_, time_ns)| time_ns).into()
    })
}

/// The text of a range of the host; empty for none.
pub(super) fn range_text(profile: &Profile, text: StrId) -> Value<'_> {
    text.some().map(|text| profile.capture.strings.get(text)).into()
}

/// Table `idle_causes` of a profile.
#[must_use]
pub(crate) fn build(profile: &Profile) -> RowTable<IdleCause> {
    TABLE.with(profile, profile.idle_causes())
}

impl InWindow for IdleCause {
    fn window(&self) -> usize {
        self.place.window
    }
}

impl OnDevice for IdleCause {
    fn device(&self) -> DeviceId {
        self.place.device
    }
}
