//! Launches against records, by thread and function.

use super::fate::LaunchFate;
use super::place::{self, Place};
use super::{FEWEST_IN_A_ROW, LEAST_DENSE_PERCENT};
use crate::base::ids::{self, ApiCallId, Maybe, ProcessId, StrId, ThreadId};
use crate::base::time::Span;
use crate::capture::CaptureContents;
use crate::capture::names::ApiFunction;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// What a thread launched with a function, and what is recorded of it. Launches are those with a record, those into a graph that is
/// being captured, and those without a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchRecords {
    /// The process; none of a sum or of a thread that is not named.
    pub process: Maybe<ProcessId>,
    /// The thread; none of a sum, or if the capture does not name it.
    pub thread: Maybe<ThreadId>,
    /// The function; none of a sum.
    pub function: StrId,
    /// Whether it launches graphs.
    pub is_graph: bool,
    /// Calls that launch.
    pub launches: u64,
    /// Those whose GPU work is recorded.
    pub recorded: u64,
    /// Those that were recorded into a graph and did not run here.
    pub captured: u64,
    /// Those without a record.
    pub missing: u64,
    /// Of these, those that are known to have run.
    pub lost: u64,
    /// Launches from the first to the last of those that are lost.
    pub around: u64,
    /// Where those that are lost are, or if none is, those without a record; none of a sum of rows that differ, and where all have
    /// a record.
    pub place: Option<Place>,
}

impl Default for LaunchRecords {
    fn default() -> Self {
        Self {
            process: Maybe::NONE,
            thread: Maybe::NONE,
            function: StrId::NONE,
            is_graph: false,
            launches: 0,
            recorded: 0,
            captured: 0,
            missing: 0,
            lost: 0,
            around: 0,
            place: None,
        }
    }
}

impl LaunchRecords {
    fn count(&mut self, fate: LaunchFate) {
        let is = |fates: &[LaunchFate]| u64::from(fates.contains(&fate));
        self.launches += 1;
        self.recorded += is(&[LaunchFate::Recorded]);
        self.captured += is(&[LaunchFate::Captured]);
        self.missing += is(&[LaunchFate::Open, LaunchFate::Lost]);
        self.lost += is(&[LaunchFate::Lost]);
    }

    /// Whether so much is lost at one place that a part of the capture is without records.
    pub(super) fn is_dense(&self) -> bool {
        self.lost >= FEWEST_IN_A_ROW && 100 * self.lost >= LEAST_DENSE_PERCENT * self.around
    }

    /// What would record what is lost, in few words; `None` where nothing is. Launches into graphs that nobody launches run elsewhere.
    #[must_use]
    pub fn remedy(&self, only_captures: bool) -> Option<&'static str> {
        match self.place {
            _ if only_captures && self.captured > 0 => Some("launch the graphs"),
            _ if self.lost == 0 => None,
            _ if self.is_graph && self.recorded == 0 => Some("trace graphs"),
            Some(Place::End | Place::All) => Some("end well"),
            _ => Some("shorter capture"),
        }
    }

    /// Adds a row to a sum.
    pub(super) fn add(&mut self, row: &Self) {
        self.place = match (self.lost, row.lost) {
            (_, 0) => self.place,
            (0, _) => row.place,
            _ => self.place.filter(|_| self.place == row.place),
        };
        self.launches += row.launches;
        self.recorded += row.recorded;
        self.captured += row.captured;
        self.missing += row.missing;
        self.lost += row.lost;
        self.around += row.around;
    }
}

/// A row, and when its launches were.
#[derive(Default)]
struct Drawn {
    row: LaunchRecords,
    recorded: Option<Span>,
    missing: Option<Span>,
    lost: Option<Span>,
}

/// The rows of a capture, by numbers of threads and names of functions.
pub(super) fn of(capture: &CaptureContents, fates: &[LaunchFate]) -> Vec<LaunchRecords> {
    let calls = &capture.api_calls;
    let mut rows: FxHashMap<(Maybe<ThreadId>, StrId), Drawn> = FxHashMap::default();
    for call in ids::all::<ApiCallId>(calls.len()) {
        let fate = fates[call.index()];
        if fate != LaunchFate::NoLaunch {
            let drawn = rows.entry((calls.thread[call], calls.name[call])).or_default();
            drawn.row.count(fate);
            let start = calls.span[call].start;
            let spans = match fate {
                LaunchFate::Recorded => [Some(&mut drawn.recorded), None],
                LaunchFate::Open => [Some(&mut drawn.missing), None],
                LaunchFate::Lost => [Some(&mut drawn.missing), Some(&mut drawn.lost)],
                LaunchFate::NoLaunch | LaunchFate::Captured => [None, None],
            };
            spans.into_iter().flatten().for_each(|span| *span = place::with(*span, start));
        }
    }
    if rows.values().any(|drawn| drawn.lost.is_some()) {
        for call in ids::all::<ApiCallId>(calls.len()) {
            let is_meant = !matches!(fates[call.index()], LaunchFate::NoLaunch | LaunchFate::Captured);
            if let Some(drawn) = rows.get_mut(&(calls.thread[call], calls.name[call])).filter(|_| is_meant) {
                let is_inside = |lost: Span| (lost.start..=lost.end).contains(&calls.span[call].start);
                drawn.row.around += u64::from(drawn.lost.is_some_and(is_inside));
            }
        }
    }
    let mut rows: Vec<LaunchRecords> = rows.into_iter().map(|of| finish(capture, of)).collect();
    let name = |row: &LaunchRecords| row.function.some().map_or("", |name| capture.strings.get(name));
    let thread =
        |row: &LaunchRecords| row.thread.some().map(|thread| capture.threads[thread.index()].global_tid);
    rows.sort_by(|a, b| (thread(a), name(a)).cmp(&(thread(b), name(b))));
    rows
}

fn finish(
    capture: &CaptureContents,
    ((thread, function), drawn): ((Maybe<ThreadId>, StrId), Drawn),
) -> LaunchRecords {
    let name = function.some().map_or("", |name| capture.strings.get(name));
    LaunchRecords {
        process: thread.some().map(|thread| capture.threads[thread.index()].process).into(),
        thread,
        function,
        is_graph: ApiFunction::of(name).is_graph_launch,
        place: Place::of(drawn.lost.or(drawn.missing), drawn.recorded),
        ..drawn.row
    }
}
