//! The steps of each thread with marks, and the work that they launched.

use super::figures::{LaneFigures, set_steady};
use super::idle::{self, LaneTime};
use super::idle_part::IdlePart;
use super::modules::{self, Modules};
use super::step::{EngineStep, Piece, StepWork, is_graph_launch};
use super::{PlacedMark, StepMarks};
use crate::base::ids::{self, ThreadId, WorkId};
use crate::base::intervals::union_length;
use crate::base::time::{Ns, Span};
use crate::capture::CaptureContents;
use crate::capture::names::{ByName, Phase, kernel_name_says};
use crate::capture::training::training_behind;
use crate::read::facts::WorkKind;
use std::cmp::Reverse;

/// A thread with step marks.
#[derive(Debug, Clone, PartialEq)]
pub struct EngineLane {
    /// The thread.
    pub thread: ThreadId,
    /// Its steps, in order.
    pub steps: Vec<EngineStep>,
    /// Whether ranges or functions of the thread name what its loop does between steps.
    pub names_loop: bool,
    /// What its steps sum up to.
    pub figures: LaneFigures,
    /// Kernel time by module of the model.
    pub modules: Modules,
}

impl EngineLane {
    /// When its thread did in a span what counts as a cause of idle time, outside of API calls and while requests waited.
    pub(crate) fn times_of(&self, capture: &CaptureContents, part: IdlePart, span: Span) -> Vec<Span> {
        let time = LaneTime::of(capture, self.thread);
        let starts = self.steps.iter().zip(self.steps.iter().skip(1));
        let served = starts.filter(|(_, next)| !next.waited_for_requests());
        let between = served.map(|(step, next)| Span::new(step.span.start, next.span.start));
        let all = between.chain(self.steps.last().map(|last| last.span));
        let inside = all.map(|one| one.clip(span)).filter(|one| !one.is_empty());
        inside.flat_map(|one| time.doing(part, one)).collect()
    }
}

/// The lanes of a capture, by thread.
pub(super) fn lanes(capture: &CaptureContents, marks: &StepMarks) -> Vec<EngineLane> {
    let threads = ids::all::<ThreadId>(capture.ranges.by_thread.len());
    let marked = threads.map(|thread| (thread, marks_of(capture, marks, thread)));
    let has_steps = |(_, marks): &(ThreadId, Vec<PlacedMark>)| {
        marks.iter().any(|placed| placed.mark.phase != Phase::None)
    };
    let marked: Vec<_> = marked.filter(has_steps).collect();
    let mut launched: Vec<Vec<Piece>> = vec![Vec::new(); capture.threads.len()];
    if !marked.is_empty() {
        launched_by_thread(capture, &mut launched);
    }
    let lane = |(thread, marks): (ThreadId, Vec<PlacedMark>)| {
        let pieces = std::mem::take(&mut launched[thread.index()]);
        lane(capture, thread, marks, pieces)
    };
    marked.into_iter().map(lane).collect()
}

/// The outermost marks of a thread, in order, with what marks inside them say beyond.
fn marks_of(capture: &CaptureContents, marks: &StepMarks, thread: ThreadId) -> Vec<PlacedMark> {
    let ranges = &capture.ranges.by_thread[thread.index()];
    let rows = ranges.span.iter().copied().zip(ranges.text.iter().copied());
    let placed = rows.filter_map(|(span, text)| Some(PlacedMark { span, text, mark: marks.get(text)? }));
    let mut placed: Vec<PlacedMark> = placed.collect();
    placed.sort_by_key(|placed| (placed.span.start, Reverse(placed.span.end)));
    let mut outermost: Vec<PlacedMark> = Vec::new();
    for inner in placed {
        match outermost.last_mut().filter(|outer| inner.span.end <= outer.span.end) {
            Some(outer) => outer.mark.fill_from(&inner.mark),
            None => outermost.push(inner),
        }
    }
    outermost
}

fn launched_by_thread(capture: &CaptureContents, launched: &mut [Vec<Piece>]) {
    for work in capture.work_ids() {
        let Some(call) = capture.launches.api[work].some() else { continue };
        let Some(thread) = capture.api_calls.thread[call].some() else { continue };
        let launched_at = capture.api_calls.span[call].start;
        launched[thread.index()].push(Piece { work, span: capture.work.span[work], call, launched_at });
    }
}

fn lane(
    capture: &CaptureContents,
    thread: ThreadId,
    marks: Vec<PlacedMark>,
    pieces: Vec<Piece>,
) -> EngineLane {
    let spans: Vec<Span> = marks.iter().map(|placed| placed.span).collect();
    let training = training_behind(capture, thread, &spans);
    let by_step = pieces_by_step(capture, &marks, &training, pieces);
    let time = LaneTime::of(capture, thread);
    let exchanges = ByName::new(&capture.strings, |name| kernel_name_says(name).exchange.is_yes());
    let captures = modules::captures(capture, thread);
    let mut steps: Vec<EngineStep> = Vec::with_capacity(marks.len());
    let mut out = None;
    for (at, (placed, pieces)) in marks.iter().zip(&by_step).enumerate() {
        let next = marks.get(at + 1).map_or(Ns::MAX, |next| next.span.start);
        let work = step_work(capture, pieces, &exchanges);
        let period = work.zip(out).map(|(work, out)| idle::period(out, work.out, pieces, &time));
        // Nobody waits for tokens while the program trains.
        out = work.filter(|_| training[at].is_none()).map(|work| work.out);
        steps.push(EngineStep {
            text: placed.text,
            mark: placed.mark,
            span: placed.span,
            work,
            period,
            is_steady: false,
            then_trains: training[at].is_some(),
            captures: captures.iter().any(|span| (placed.span.start..next).contains(&span.start)),
        });
    }
    idle::tell_waits_for_requests(&mut steps);
    set_steady(&mut steps);
    let figures = LaneFigures::of(&steps);
    let modules = modules::modules(capture, thread, &steps, &by_step);
    EngineLane { thread, steps, names_loop: time.names_loop, figures, modules }
}

/// By step: what was launched from its mark to the next, in order of start. What follows its last copy to the host, after the
/// mark, prepares the next step. What training launches, and what comes before it after that copy, belongs to none.
fn pieces_by_step(
    capture: &CaptureContents,
    marks: &[PlacedMark],
    training: &[Option<Ns>],
    pieces: Vec<Piece>,
) -> Vec<Vec<Piece>> {
    let mut by_step: Vec<Vec<Piece>> = vec![Vec::new(); marks.len()];
    for piece in pieces {
        let at = marks.partition_point(|placed| placed.span.start <= piece.launched_at);
        let of_server = |at: &usize| training[*at].is_none_or(|begin| piece.launched_at < begin);
        if let Some(at) = at.checked_sub(1).filter(of_server) {
            by_step[at].push(piece);
        }
    }
    for (at, placed) in marks.iter().enumerate() {
        let copies = by_step[at].iter().filter(|piece| is_to_host(capture, piece.work));
        let Some(last) = copies.map(|piece| piece.launched_at).max() else { continue };
        let from = last.max(placed.span.end);
        let late: Vec<Piece> = by_step[at].extract_if(.., |piece| piece.launched_at > from).collect();
        if let Some(next) = by_step.get_mut(at + 1).filter(|_| training[at].is_none()) {
            next.extend(late);
        }
    }
    by_step.iter_mut().for_each(|pieces| pieces.sort_by_key(|piece| (piece.span, piece.work)));
    by_step
}

fn is_to_host(capture: &CaptureContents, work: WorkId) -> bool {
    const DEVICE_TO_HOST: u8 = 2;
    capture.work_kind(work) == WorkKind::Copy && capture.known_copy_kind(work) == Some(DEVICE_TO_HOST)
}

fn step_work(capture: &CaptureContents, pieces: &[Piece], exchanges: &ByName<'_, bool>) -> Option<StepWork> {
    let (first, last) = (pieces.first()?, pieces.last()?);
    let end = pieces.iter().map(|piece| piece.span.end).max()?;
    let copies = pieces.iter().filter(|piece| is_to_host(capture, piece.work));
    let copied = copies.map(|piece| piece.span.end).max().filter(|&copied| copied >= last.span.start);
    let kernels = || pieces.iter().filter(|piece| capture.work_kind(piece.work) == WorkKind::Kernel);
    let is_exchange = |piece: &&Piece| {
        capture.work_kind(piece.work) == WorkKind::Kernel
            && exchanges.get(capture.kernels.long_name[piece.work])
    };
    let busy_ns = union_length(pieces.iter().map(|piece| piece.span));
    let other = pieces.iter().filter(|piece| !is_exchange(piece)).map(|piece| piece.span);
    let sum = |pieces: &mut dyn Iterator<Item = &Piece>| pieces.map(|piece| piece.span.length()).sum();
    Some(StepWork {
        first: first.span.start,
        out: copied.unwrap_or(end),
        busy_ns,
        pieces: pieces.len() as u64,
        kernel_ns: sum(&mut kernels()),
        graph_ns: sum(&mut kernels().filter(|piece| is_graph_launch(capture, piece.call))),
        exchange_ns: busy_ns - union_length(other),
    })
}
