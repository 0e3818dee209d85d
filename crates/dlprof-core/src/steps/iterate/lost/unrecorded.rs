//! Iterations whose launches ran and have no records, as the ledger of the capture says.
//!
//! ```text
//! iteration        │   1   │   2   │   3   │   4   │   5   │
//! launches          ↑↑↑↑    ↑↑↑↑    ↑↑↑↑    ↑↑↑↑    ↑↑↑↑
//! kernels            ▒▒▒▒    ▒▒                      ▒▒▒▒
//! untraced                 ├──── 2 to 4 ──────────┤           that in which the loss begins, too
//! ```

use super::recorded::Recorded;
use super::{LostOf, LostRecords};
use crate::base::ids::{self, ApiCallId, Maybe, ProcessId, StrId, ThreadId};
use crate::base::time::Ns;
use crate::capture::ledger::{LaunchFate, LaunchRecords, Place};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// The launches of a process in a piece.
#[derive(Default)]
struct InPiece {
    launches: u64,
    lost: u64,
    /// A graph may be most of what an iteration does.
    has_graph: bool,
    first_ns: Option<Ns>,
    threads: FxHashSet<Maybe<ThreadId>>,
}

impl InPiece {
    fn is_untraced(&self) -> bool {
        10 * self.lost >= self.launches.max(1) || self.has_graph
    }
}

/// The runs of iterations in which a process lost records, by process.
pub(super) fn find(recorded: &Recorded<'_>) -> Vec<LostRecords> {
    let capture = recorded.capture;
    let ledger = &capture.description.ledger;
    let tells = |row: &&LaunchRecords| ledger.tells_of_iterations(row);
    let told = ledger.launches.iter().filter(tells).map(|row| ((row.thread, row.function), row));
    let told: FxHashMap<(Maybe<ThreadId>, StrId), &LaunchRecords> = told.collect();
    if told.is_empty() || !ledger.has_loss() {
        return Vec::new();
    }
    let mut pieces: BTreeMap<(Maybe<ProcessId>, usize), InPiece> = BTreeMap::new();
    let (calls, mut piece) = (&capture.api_calls, recorded.cursor());
    for call in ids::all::<ApiCallId>(calls.len()) {
        let fate = capture.call_roles.fate[call];
        if matches!(fate, LaunchFate::NoLaunch | LaunchFate::Captured) {
            continue;
        }
        let (thread, start) = (calls.thread[call], calls.span[call].start);
        let in_piece = pieces
            .entry((thread.some().map(|thread| capture.process_of(thread)).into(), piece.at_or_before(start)))
            .or_default();
        in_piece.launches += 1;
        // Behind what is lost nothing has a record.
        let is_last = |row: &LaunchRecords| matches!(row.place, Some(Place::End | Place::All));
        let is_lost =
            |row: &LaunchRecords| fate == LaunchFate::Lost || fate == LaunchFate::Open && is_last(row);
        if let Some(row) = told.get(&(thread, calls.name[call])).filter(|row| is_lost(row)) {
            in_piece.lost += 1;
            in_piece.has_graph |= row.is_graph;
            in_piece.first_ns = Some(in_piece.first_ns.map_or(start, |first| first.min(start)));
            in_piece.threads.insert(thread);
        }
    }
    let is_meant = |(_, piece): &(Maybe<ProcessId>, usize), in_piece: &InPiece| {
        recorded.is_iteration(*piece) && in_piece.lost > 0 && in_piece.is_untraced()
    };
    pieces.retain(|place, in_piece| is_meant(place, in_piece));
    let untraced: Vec<((Maybe<ProcessId>, usize), InPiece)> = pieces.into_iter().collect();
    let follows = |before: &((Maybe<ProcessId>, usize), InPiece),
                   next: &((Maybe<ProcessId>, usize), InPiece)| {
        before.0.0 == next.0.0 && recorded.iterations_in(before.0.1..next.0.1) <= 1
    };
    untraced.chunk_by(follows).filter_map(|run| of_run(recorded, run)).collect()
}

fn of_run(recorded: &Recorded<'_>, run: &[((Maybe<ProcessId>, usize), InPiece)]) -> Option<LostRecords> {
    let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    let (((_, first), begin), ((_, last), _)) = (run.first()?, run.last()?);
    let threads: FxHashSet<Maybe<ThreadId>> =
        run.iter().flat_map(|(_, piece)| piece.threads.iter().copied()).collect();
    let thread = threads.iter().next().filter(|_| threads.len() == 1);
    let goes_on = recorded.later(*last) == 0;
    Some(LostRecords {
        of: LostOf::Work,
        thread: thread.copied().unwrap_or(Maybe::NONE),
        end_ns: begin.first_ns?,
        again_ns: (!goes_on).then(|| recorded.span(*last).end),
        first: number(*first),
        last: number(*last),
    })
}
