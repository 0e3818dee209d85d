//! API calls by function and by the role of their thread.

use crate::base::ids::StrId;
use crate::base::ordered::partition_near;
use crate::base::time::{Ns, Span};
use rustc_hash::FxHashMap;

/// What a thread does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ThreadClass {
    /// The thread with the most launches in its process.
    Main,
    /// Another thread that launches.
    Launching,
    /// A thread that launches nothing.
    Other,
}

impl ThreadClass {
    /// The word for reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Launching => "launching",
            Self::Other => "other",
        }
    }

    /// The class of a thread, from its number of launch calls and the largest such number in its process.
    #[must_use]
    pub(crate) fn of_launches(own: u64, most: u64) -> Self {
        match own {
            0 => Self::Other,
            own if own >= most => Self::Main,
            _ => Self::Launching,
        }
    }
}

/// An API call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ApiCallFact {
    /// API function, as stored.
    pub function: StrId,
    /// Start and end on the CPU.
    pub span: Span,
    /// What its thread does.
    pub thread: ThreadClass,
}

/// All calls of an API function by threads of a class: a row of table `api_calls`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ApiFunctionSums {
    /// API function, as stored.
    pub function: StrId,
    /// What the threads do.
    pub thread: ThreadClass,
    /// Number of calls in the whole capture.
    pub calls: u64,
    /// Sum of their durations.
    pub time_ns: Ns,
    /// Number of calls that start in an aggregated iteration.
    pub calls_in_iterations: u64,
    /// Sum of their durations inside the aggregated iterations; a call is cut where an iteration ends.
    pub time_in_iterations_ns: Ns,
}

/// Sums calls by function and class of thread. Rows with most time come first, then by text and class. `iterations` are the
/// aggregated ones, disjoint and in order.
#[must_use]
pub(crate) fn api_functions<'a>(
    calls: impl Iterator<Item = ApiCallFact>,
    iterations: &[Span],
    text_of: impl Fn(StrId) -> &'a str,
) -> Vec<ApiFunctionSums> {
    let mut positions: FxHashMap<(StrId, ThreadClass), usize> = FxHashMap::default();
    let mut rows: Vec<ApiFunctionSums> = Vec::new();
    // The iteration of the call before: mostly that of the next call, too.
    let mut near = 0;
    for call in calls {
        let position = *positions.entry((call.function, call.thread)).or_insert(rows.len());
        if position == rows.len() {
            rows.push(ApiFunctionSums {
                function: call.function,
                thread: call.thread,
                calls: 0,
                time_ns: 0,
                calls_in_iterations: 0,
                time_in_iterations_ns: 0,
            });
        }
        let row = &mut rows[position];
        near = partition_near(iterations, near, |iteration| iteration.end <= call.span.start);
        let (starts_inside, inside) = inside(call.span, &iterations[near..]);
        row.calls += 1;
        row.time_ns = row.time_ns.saturating_add(call.span.length());
        row.calls_in_iterations += u64::from(starts_inside);
        row.time_in_iterations_ns = row.time_in_iterations_ns.saturating_add(inside);
    }
    rows.sort_by(|a, b| {
        let texts = || text_of(a.function).cmp(text_of(b.function)).then(a.thread.cmp(&b.thread));
        b.time_ns.cmp(&a.time_ns).then_with(texts)
    });
    rows
}

/// Whether a span starts in the first of the windows, which all end after its start, and how much of it is inside them.
fn inside(span: Span, windows: &[Span]) -> (bool, Ns) {
    let starts_inside = windows.first().is_some_and(|window| window.start <= span.start);
    let touched = windows.iter().take_while(|window| window.start < span.end);
    (starts_inside, touched.map(|window| span.clip(*window).length()).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(function: usize, start: Ns, end: Ns, thread: ThreadClass) -> ApiCallFact {
        ApiCallFact { function: StrId::new(function), span: Span::new(start, end), thread }
    }

    ///  0    10        20    30        40
    ///       ├─ it. 0 ─┤     ├─ it. 1 ─┤
    ///  ├───────┤   ├────────────┤           calls of 0
    #[test]
    fn time_inside_iterations_is_cut() {
        let iterations = [Span::new(10, 20), Span::new(30, 40)];
        let calls = [
            call(0, 0, 12, ThreadClass::Main),
            call(0, 15, 33, ThreadClass::Main),
            call(0, 50, 51, ThreadClass::Other),
            call(1, 10, 10, ThreadClass::Main),
        ];
        let rows = api_functions(calls.into_iter(), &iterations, |name| {
            ["launch", "query"][name.position().expect("a text")]
        });
        let figures: Vec<_> = rows
            .iter()
            .map(|row| {
                let inside = (row.calls_in_iterations, row.time_in_iterations_ns);
                (row.function.position().expect("a text"), row.thread, row.calls, row.time_ns, inside)
            })
            .collect();
        let expected = [
            (0, ThreadClass::Main, 2, 30, (1, 2 + 5 + 3)),
            (0, ThreadClass::Other, 1, 1, (0, 0)),
            (1, ThreadClass::Main, 1, 0, (1, 0)),
        ];
        assert_eq!(figures, expected);
    }

    #[test]
    fn classes_of_threads() {
        assert_eq!(ThreadClass::of_launches(0, 0), ThreadClass::Other);
        assert_eq!(ThreadClass::of_launches(5, 5), ThreadClass::Main);
        assert_eq!(ThreadClass::of_launches(4, 5), ThreadClass::Launching);
    }
}
