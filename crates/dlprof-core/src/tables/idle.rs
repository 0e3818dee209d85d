//! Table `idle`: why the used GPUs idled, and what the host did meanwhile, in one table.
//!
//! The other tables about idle time have more of each: `idle_totals`, `idle_ranges`, `idle_os_calls`, `idle_python`, `idle_functions`.

use super::declaration::{Declaration, RowTable};
use super::layout::Layout;
use super::table::{Column, Unit};
use crate::base::ratios::{count_to_f64, percent};
use crate::base::time::Ns;
use crate::capture::classified::Cause;
use crate::figures::activity::SampleRole;
use crate::figures::profile::{OnceTime, Profile};
use std::sync::LazyLock;

/// What a row is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IdlePartKind {
    /// A cause of idle time.
    Cause,
    /// A range of the host, of the idle time whose cause is a range.
    Range,
    /// A call of the operating system, in the time in which GPUs waited for its thread.
    OsCall,
    /// A function of Python, in the same time.
    Python,
    /// A function in which CPU samples found the threads that GPUs waited for.
    Sampled,
}

impl IdlePartKind {
    fn as_str(self) -> &'static str {
        match self {
            Self::Cause => "cause",
            Self::Range => "range",
            Self::OsCall => "OS call",
            Self::Python => "Python function",
            Self::Sampled => "CPU samples",
        }
    }
}

/// A part of the idle time, and what it is of.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct IdlePartRow {
    kind: IdlePartKind,
    name: String,
    /// None of samples, which have no length.
    time_ns: Option<Ns>,
    percent: f64,
}

/// Columns of table `idle`.
static COLUMNS: LazyLock<Vec<Column<IdlePartRow>>> = LazyLock::new(|| {
    vec![
        Column::text(
            "kind",
            "Kind",
            "`cause`: why GPUs idled; the causes add up to the idle time. `range`: the innermost range of the host, of the idle time \
             that has one for its cause. What the threads did for which GPUs waited: `OS call`, `Python function`, `CPU samples`.",
            |_, row: &IdlePartRow| row.kind.as_str().into(),
        ),
        Column::text(
            "name",
            "Name",
            "The cause in words, the range, the call or the function; `[N others]` for the rest of a kind.",
            |_, row| row.name.as_str().into(),
        ),
        Column::int(
            "time_ns",
            "Time",
            Unit::Nanoseconds,
            "Of causes and ranges the idle time, summed over the aggregated iterations and the used GPUs; of calls and functions \
             of Python their time while GPUs waited for the thread, summed over threads. Empty for samples.",
            |_, row| row.time_ns.into(),
        ),
        Column::float(
            "percent",
            "Share",
            Unit::Percent,
            "Of causes and ranges the share of the idle time; of calls and functions of Python that of the time in which GPUs waited \
             for threads; of samples that of the samples taken in it.",
            |_, row| row.percent.into(),
        ),
    ]
});

/// Table `idle`.
pub(crate) static TABLE: Declaration<IdlePartRow> = Declaration {
    key: "idle",
    title: "Idle Time and What the Host Did",
    doc: "A row per cause of idle time, then for the ten most of the ranges, calls of the operating system, functions of Python and \
          sampled functions of the host meanwhile, and one for all others, summed over the aggregated iterations. Kinds overlap: each \
          tells of the same idle time in its way.",
    columns: || &COLUMNS,
    layout: Layout {
        first: &["kind", "name", "time_ns", "percent"],
        sums: &["time_ns"],
        over_gpus: true,
        ..Layout::PLAIN
    },
};

/// Rows of a kind besides causes before the one for all others, of which `show idle-ranges` and its like have each.
const NAMED: usize = 10;

/// Table `idle` of a profile; `words` says what a cause is called. Each kind has its largest parts first.
#[must_use]
pub(crate) fn build(profile: &Profile, words: impl Fn(Cause) -> &'static str) -> RowTable<IdlePartRow> {
    TABLE.with(profile, rows(profile, words))
}

fn rows(profile: &Profile, words: impl Fn(Cause) -> &'static str) -> Vec<IdlePartRow> {
    let idle_ns = profile.used_gpu_time().idle_ns();
    let host = profile.idle_host();
    let of_idle =
        |kind, name, ns| IdlePartRow { kind, name, time_ns: Some(ns), percent: percent(ns, idle_ns) };
    let of_waiting =
        |kind, name, ns| IdlePartRow { kind, name, time_ns: Some(ns), percent: percent(ns, host.waiting_ns) };
    let causes = profile.idle_totals(words, |_| OnceTime { ns: 0, of_ns: 0 }).into_iter();
    let ranges = profile.idle_range_rows().into_iter();
    let os_calls = host.os_calls.iter();
    let python = profile.idle_python();
    let strings = &profile.capture.strings;
    let in_python = python.iter().filter_map(|function| {
        Some(of_waiting(IdlePartKind::Python, function.function(strings)?.into_owned(), function.waiting_ns))
    });
    let taken = host.samples[SampleRole::Issuing as usize].max(1);
    let functions = host.functions.iter().filter(|function| function.role == SampleRole::Issuing);
    let mut parts: Vec<IdlePartRow> = causes
        .map(|total| of_idle(IdlePartKind::Cause, total.words.to_owned(), total.time_ns))
        .chain(ranges.map(|range| of_idle(IdlePartKind::Range, range.family.name, range.family.time_ns)))
        .chain(os_calls.map(|call| {
            of_waiting(IdlePartKind::OsCall, strings.get(call.function).to_owned(), call.time_ns)
        }))
        .chain(in_python)
        .chain(functions.map(|function| IdlePartRow {
            kind: IdlePartKind::Sampled,
            name: function.function.clone(),
            time_ns: None,
            percent: 100.0 * count_to_f64(function.samples) / count_to_f64(taken),
        }))
        .collect();
    parts.sort_by(|a, b| {
        let order = (a.kind as u8).cmp(&(b.kind as u8));
        order.then_with(|| b.percent.total_cmp(&a.percent)).then_with(|| a.name.cmp(&b.name))
    });
    parts.chunk_by(|a, b| a.kind == b.kind).flat_map(with_others).collect()
}

/// Parts of a kind, the smallest of which are one.
fn with_others(parts: &[IdlePartRow]) -> Vec<IdlePartRow> {
    let (named, others) = match parts {
        [first, ..] if first.kind != IdlePartKind::Cause => parts.split_at(NAMED.min(parts.len())),
        _ => (parts, &[][..]),
    };
    let rest = match others {
        [] | [_] => others.to_vec(),
        [first, ..] => vec![IdlePartRow {
            kind: first.kind,
            name: format!("[{} others]", others.len()),
            time_ns: others.iter().map(|part| part.time_ns).sum(),
            percent: others.iter().map(|part| part.percent).sum(),
        }],
    };
    [named, &rest].concat()
}
