//! What ran when in the aggregated iterations, piece by piece in order of time: for files that other viewers open.
//!
//! ```text
//! capture     iterations     ├─ iteration 3 ─────────────┤├─ iteration 4 ───
//! process 71  thread 71      ├─ forward ──────┤├─ backward ───┤
//!                             ├─ linear ─┤                        an op call and its range are one piece
//!                              ├call┤ ├call┤                      API calls lie in them
//! GPU 0       stream 7              ╲──├─ gemm ─┤├─ relu ─┤
//! ```
//!
//! Host pieces are those that share time with the aggregated iterations on the clock of the CPU; they are cut at the edges. GPU
//! work is what the op calls of these iterations launched, whole, as all tables count it.
//!
//! Nothing here grows with the capture but a number per piece of GPU work, which counts towards the budget of columns: pieces
//! are found and sorted in [slabs of time](Pieces).

mod lanes;
mod order;
mod piece_words;
mod pieces;
mod readings;
mod samples;
#[cfg(test)]
mod tests;
mod track;

pub use lanes::TrackLanes;
pub use pieces::Pieces;
pub use readings::{GpuUse, TrackReading};
pub(in crate::pictures) use readings::{MEMORY_IN_USE, memory_changes, metric_name};
pub use samples::{TrackFrame, TrackSample};
pub use track::{Track, TrackGroup, TrackGroupKind, TrackKind};

use crate::base::ids::{ApiCallId, Maybe, OpCallId, RangeId, ThreadId, WorkId};
use crate::base::time::{Ns, Span};
use crate::capture::WorkZones;
use crate::capture::correlate::{Mode, UNASSOCIATED};
use crate::columns::Buffer;
use crate::figures::profile::Profile;
use crate::read::facts::ThreadRangeFacts;
use track::TrackList;

/// What a piece of a track is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrackWork {
    /// An iteration.
    Iteration(u32),
    /// An op call without a range of its own.
    OpCall(OpCallId),
    /// An NVTX range.
    Range {
        /// The thread; none if the export does not name it.
        thread: Maybe<ThreadId>,
        /// Its row among the ranges of the thread.
        range: RangeId,
        /// The op call that the range is; none if it is only a range.
        call: Option<OpCallId>,
    },
    /// A CUDA API call.
    ApiCall(ApiCallId),
    /// A call of an MPI function, by its row.
    MpiCall(usize),
    /// A call of the operating system, by its row.
    OsCall(usize),
    /// Time that the profiler took, by its row.
    Overhead(usize),
    /// A kernel, copy or memset.
    Work {
        /// The work.
        work: WorkId,
        /// The op call that owns it.
        call: OpCallId,
    },
}

/// Something that took time on a track.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrackPiece {
    /// When, in nanoseconds from the start of the capture; host pieces are cut at the edges of the range.
    pub span: Span,
    /// The place of its track in [`Tracks::tracks`].
    pub track: usize,
    /// What it is.
    pub what: TrackWork,
}

/// The tracks of a profile.
#[derive(Debug)]
pub struct Tracks<'a> {
    profile: &'a Profile,
    list: TrackList,
    /// The aggregated iterations on the clock of the CPU.
    host: Span,
    /// By piece of GPU work: its op call, if that is in the range.
    owner: Buffer<Maybe<OpCallId>>,
    loose_ranges: WorkZones,
}

impl Profile {
    /// What ran when in the aggregated iterations.
    #[must_use]
    pub fn tracks(&self) -> Tracks<'_> {
        self.capture.pool.install(|| Tracks::new(self))
    }
}

impl<'a> Tracks<'a> {
    fn new(profile: &'a Profile) -> Self {
        let capture = &profile.capture;
        let iterations = &profile.iterations;
        let mut owner = capture.memory.filled(capture.work.span.len(), Maybe::NONE);
        for call in capture.op_calls.ids() {
            if iterations.is_aggregated(profile.index.calls.iteration[call]) {
                for work in capture.work_by_call.get(call.index()) {
                    owner[work.index()] = call.into();
                }
            }
        }
        let loose_ranges = WorkZones::new(&capture.ranges.without_thread.span);
        let host = host_window(profile, &loose_ranges);
        Self { profile, list: TrackList::new(capture), host, owner, loose_ranges }
    }

    /// The profile.
    #[must_use]
    pub fn profile(&self) -> &'a Profile {
        self.profile
    }

    /// All tracks, those without a piece included: those of the capture, of threads, then of streams.
    #[must_use]
    pub fn tracks(&self) -> &[Track] {
        &self.list.tracks
    }

    /// What tracks belong to: the capture, processes, then GPUs.
    #[must_use]
    pub fn groups(&self) -> &[TrackGroup] {
        &self.list.groups
    }

    /// The aggregated iterations on both clocks.
    #[must_use]
    pub fn window(&self) -> Span {
        let other = self.profile.iterations.aggregated_span();
        Span::new(self.host.start.min(other.start), self.host.end.max(other.end))
    }

    /// All pieces in order of start; of those with equal starts the longest first.
    #[must_use]
    pub fn pieces(&self) -> Pieces<'_, 'a> {
        Pieces::new(self)
    }

    /// The API call that launched a piece of work, if it is among the pieces: its track, and its start there.
    #[must_use]
    pub fn launch_of(&self, work: WorkId) -> Option<(ApiCallId, usize, Ns)> {
        let call = self.profile.capture.launches.api[work].some()?;
        let call = self.repeated_by(call).unwrap_or(call);
        let piece = self.api_call(call)?;
        Some((call, piece.track, piece.span.start))
    }

    /// The op call of a piece that is one.
    #[must_use]
    pub fn op_call_of(&self, piece: &TrackPiece) -> Option<OpCallId> {
        match piece.what {
            TrackWork::OpCall(call) => Some(call),
            TrackWork::Range { call, .. } => call,
            _ => None,
        }
    }

    /// The ranges of a thread; of none, those without a thread.
    pub(super) fn ranges_of(&self, thread: Maybe<ThreadId>) -> &'a ThreadRangeFacts {
        let ranges = &self.profile.capture.ranges;
        thread.some().map_or(&ranges.without_thread, |thread| &ranges.by_thread[thread.index()])
    }

    /// Of a host span what is inside the range; none if nothing is.
    fn inside(&self, span: Span) -> Option<Span> {
        let (host, is_point) = (self.host, span.is_empty());
        let shares = span.start < host.end && (span.end > host.start || is_point && span.start >= host.start);
        shares.then(|| span.clip(host))
    }

    fn host_piece(&self, span: Span, thread: Maybe<ThreadId>, what: TrackWork) -> Option<TrackPiece> {
        Some(TrackPiece { span: self.inside(span)?, track: self.list.of_thread(thread), what })
    }

    /// The row of the call that a row repeats for its backtrace.
    fn repeated_by(&self, row: ApiCallId) -> Option<ApiCallId> {
        let rows = &self.profile.capture.repeated_calls;
        let at = rows.repeat.binary_search(&row).ok()?;
        rows.call.get(at).copied()
    }

    fn api_call(&self, call: ApiCallId) -> Option<TrackPiece> {
        let calls = &self.profile.capture.api_calls;
        if self.repeated_by(call).is_some() {
            return None;
        }
        self.host_piece(calls.span[call], calls.thread[call], TrackWork::ApiCall(call))
    }

    /// An op call of a thread, unless it only stands for work that no op claims.
    fn op_call(&self, call: OpCallId) -> Option<TrackPiece> {
        let capture = &self.profile.capture;
        let thread = capture.op_calls.thread[call];
        let name = capture.names.get(capture.label_of(call).name);
        if thread.is_none() || capture.description.mode == Mode::Simple || name.starts_with(UNASSOCIATED) {
            return None;
        }
        self.host_piece(capture.op_calls.span[call], thread, TrackWork::OpCall(call))
    }

    fn work(&self, work: WorkId) -> Option<TrackPiece> {
        let call = self.owner[work.index()].some()?;
        let facts = &self.profile.capture.work;
        let track = self.list.of_stream(facts.stream[work], facts.device[work]);
        Some(TrackPiece { span: facts.span[work], track, what: TrackWork::Work { work, call } })
    }
}

/// The aggregated iterations on the clock of the CPU. The first iteration begins with the first event of any thread, and the last
/// one ends with the last.
fn host_window(profile: &Profile, loose_ranges: &WorkZones) -> Span {
    let (iterations, capture) = (&profile.iterations, &profile.capture);
    let zones = capture.host_zones();
    let others =
        [&zones.api_calls, &zones.op_calls, &zones.mpi, &zones.os_calls, &zones.overheads, loose_ranges];
    let tables = || others.into_iter().chain(zones.ranges.iter());
    let samples = [&capture.host.samples.time[..], &capture.memory_events.time, &capture.metric_samples.time];
    let samples = || samples.into_iter().flatten().copied();
    let boundaries = &iterations.boundaries;
    let mut window =
        Span::new(boundaries[iterations.start as usize], boundaries[iterations.stop as usize + 1]);
    if iterations.start == 0 {
        let first = tables().flat_map(|zones| zones.first_start.iter().copied()).chain(samples()).min();
        window.start = first.unwrap_or(window.start).min(window.start);
    }
    if iterations.stop == iterations.last_iteration() {
        let last = tables().flat_map(|zones| zones.last_end.iter().copied()).max();
        let last = last.max(samples().max().map(|time| time.saturating_add(1)));
        window.end = last.unwrap_or(window.end).max(window.end);
    }
    window
}
