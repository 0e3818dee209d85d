//! All pieces in order, slab of time by slab of time.
//!
//! ```text
//! rows of tables, in file order    ▪▪ ▪ ▪▪▪  ▪ ▪▪▪▪▪▪▪▪ ▪▪  ▪   ▪
//! slabs                           │        │     │    │          │    each has about as many starts
//! ```
//!
//! A first pass counts how many pieces start when. A slab is a part of time with about [`MOST`] starts; its pieces are found by
//! the zones of the tables, sorted and given away before the next slab is begun. So the memory does not depend on the capture,
//! unless more than that many pieces start at the same time.

use super::track::ITERATIONS;
use super::{TrackPiece, TrackWork, Tracks};
use crate::base::ids::{ApiCallId, Maybe, OpCallId, RangeId, ThreadId, WorkId};
use crate::base::time::{Ns, Span};
use crate::capture::WorkZones;
use std::vec::IntoIter;

/// About how many pieces are held at a time.
const MOST: u64 = 1 << 17;

/// How finely starts are counted.
const BUCKETS: Ns = 1 << 16;

/// All pieces in order of start; of those with equal starts the longest first.
#[derive(Debug)]
pub struct Pieces<'t, 'a> {
    tracks: &'t Tracks<'a>,
    slabs: IntoIter<Span>,
    ready: IntoIter<TrackPiece>,
}

impl Iterator for Pieces<'_, '_> {
    type Item = TrackPiece;

    fn next(&mut self) -> Option<TrackPiece> {
        loop {
            if let Some(piece) = self.ready.next() {
                return Some(piece);
            }
            let slab = self.slabs.next()?;
            self.ready = self.tracks.slab(slab).into_iter();
        }
    }
}

impl<'t, 'a> Pieces<'t, 'a> {
    pub(super) fn new(tracks: &'t Tracks<'a>) -> Self {
        Self::in_slabs(tracks, MOST)
    }

    pub(super) fn in_slabs(tracks: &'t Tracks<'a>, most: u64) -> Self {
        Self { tracks, slabs: slabs(tracks, most).into_iter(), ready: Vec::new().into_iter() }
    }
}

/// A table of a capture whose rows may be pieces.
#[derive(Clone, Copy)]
enum Rows {
    OpCalls,
    Ranges(Maybe<ThreadId>),
    ApiCalls,
    MpiCalls,
    OsCalls,
    Overheads,
    Work,
}

impl<'a> Tracks<'a> {
    fn tables(&self) -> impl Iterator<Item = Rows> + use<> {
        let threads = (0..self.profile.capture.threads.len())
            .map(|thread| ThreadId::new(thread).into())
            .chain([Maybe::NONE]);
        let others =
            [Rows::OpCalls, Rows::ApiCalls, Rows::MpiCalls, Rows::OsCalls, Rows::Overheads, Rows::Work];
        others.into_iter().chain(threads.map(Rows::Ranges))
    }

    fn spans(&self, rows: Rows) -> (&'a [Span], &WorkZones) {
        let capture = &self.profile.capture;
        let (host, zones) = (&capture.host, capture.host_zones());
        match rows {
            Rows::OpCalls => (&capture.op_calls.span, &zones.op_calls),
            Rows::Ranges(thread) => {
                let of_thread =
                    thread.some().map_or(&self.loose_ranges, |thread| &zones.ranges[thread.index()]);
                (&self.ranges_of(thread).span, of_thread)
            }
            Rows::ApiCalls => (&capture.api_calls.span, &zones.api_calls),
            Rows::MpiCalls => (&host.mpi.span, &zones.mpi),
            Rows::OsCalls => (host.os_calls.as_ref().map_or(&[][..], |calls| &calls.span), &zones.os_calls),
            Rows::Overheads => (&host.overheads.span, &zones.overheads),
            Rows::Work => (&capture.work.span, &capture.work_zones),
        }
    }

    fn piece(&self, rows: Rows, row: usize) -> Option<TrackPiece> {
        let host = &self.profile.capture.host;
        match rows {
            Rows::OpCalls => self.op_call(OpCallId::new(row)),
            Rows::Ranges(thread) => {
                let range = RangeId::new(row);
                let what = TrackWork::Range { thread, range, call: None };
                self.host_piece(self.ranges_of(thread).span[range], thread, what)
            }
            Rows::ApiCalls => self.api_call(ApiCallId::new(row)),
            Rows::MpiCalls => {
                self.host_piece(host.mpi.span[..][row], host.mpi.thread[..][row], TrackWork::MpiCall(row))
            }
            Rows::OsCalls => {
                let calls = host.os_calls.as_ref()?;
                self.host_piece(calls.span[..][row], calls.thread[..][row], TrackWork::OsCall(row))
            }
            Rows::Overheads => {
                let overheads = &host.overheads;
                self.host_piece(overheads.span[..][row], overheads.thread[..][row], TrackWork::Overhead(row))
            }
            Rows::Work => self.work(WorkId::new(row)),
        }
    }

    /// The pieces of a table that may start in a slab.
    fn near(&self, rows: Rows, slab: Span) -> impl Iterator<Item = TrackPiece> {
        let (spans, zones) = self.spans(rows);
        let all = 0..spans.len();
        // What is open when the range begins starts there.
        let is_first = !matches!(rows, Rows::Work) && (slab.start..slab.end).contains(&self.host.start);
        let open =
            is_first.then(|| zones.near_open(all.clone(), slab.end, self.host.start.saturating_sub(1)));
        let starting = (!is_first).then(|| zones.near_starts(all, slab));
        let near = open.into_iter().flatten().chain(starting.into_iter().flatten());
        near.flatten().filter_map(move |row| self.piece(rows, row))
    }

    fn iterations(&self) -> impl Iterator<Item = TrackPiece> {
        let iterations = &self.profile.iterations;
        let is_known = iterations.key_node.is_some();
        iterations.range().filter(move |_| is_known).map(|number| TrackPiece {
            span: iterations.windows.span(number),
            track: ITERATIONS,
            what: TrackWork::Iteration(number),
        })
    }

    /// The pieces that start in a slab, in order. An op call and its range are one.
    fn slab(&self, slab: Span) -> Vec<TrackPiece> {
        let starts = |piece: &TrackPiece| (slab.start..slab.end).contains(&piece.span.start);
        let mut pieces: Vec<TrackPiece> = self.iterations().filter(starts).collect();
        for rows in self.tables() {
            pieces.extend(self.near(rows, slab).filter(starts));
        }
        pieces.sort_by(|a, b| self.compare(a, b));
        self.join_op_calls(&mut pieces);
        pieces
    }

    /// Gives op calls to the ranges that they are.
    fn join_op_calls(&self, pieces: &mut Vec<TrackPiece>) {
        let mut is_joined = vec![false; pieces.len()];
        for at in 0..pieces.len() {
            let TrackWork::OpCall(call) = pieces[at].what else { continue };
            let span = self.profile.capture.op_calls.span[call];
            let (of, place) = (pieces[at].span, pieces[at].track);
            let same = |piece: &TrackPiece| piece.span == of && piece.track == place;
            let behind = pieces[at + 1..].iter_mut().take_while(|piece| same(piece));
            for piece in behind {
                if let TrackWork::Range { thread, range, call: owner } = &mut piece.what
                    && owner.is_none()
                    && self.ranges_of(*thread).span[*range] == span
                {
                    *owner = Some(call);
                    is_joined[at] = true;
                    break;
                }
            }
        }
        let mut joined = is_joined.into_iter();
        pieces.retain(|_| !joined.next().unwrap_or(false));
    }
}

/// Parts of time with about `most` starts each, in order.
fn slabs(tracks: &Tracks<'_>, most: u64) -> Vec<Span> {
    let starts = || {
        let of_table = |rows| {
            let (spans, _) = tracks.spans(rows);
            (0..spans.len()).filter_map(move |row| tracks.piece(rows, row))
        };
        let pieces = tracks.iterations().chain(tracks.tables().flat_map(of_table));
        pieces.map(|piece| piece.span.start)
    };
    let range = starts().fold((Ns::MAX, Ns::MIN), |(first, last), start| (first.min(start), last.max(start)));
    let (first, last) = range;
    if first > last {
        return Vec::new();
    }
    let width = last.saturating_sub(first) / BUCKETS + 1;
    let mut counts = vec![0_u64; usize::try_from(BUCKETS).unwrap_or(0)];
    for start in starts() {
        let bucket = usize::try_from((start - first) / width).unwrap_or(0);
        counts[bucket] += 1;
    }
    let mut slabs = Vec::new();
    let (mut start, mut end, mut held) = (first, first, 0);
    for count in counts {
        if held > 0 && held + count > most {
            slabs.push(Span::new(start, end));
            (start, held) = (end, 0);
        }
        end = end.saturating_add(width);
        held += count;
    }
    slabs.push(Span::new(start, end));
    slabs
}
