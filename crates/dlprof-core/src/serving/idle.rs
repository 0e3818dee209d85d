//! What GPUs waited for between the steps of a server.
//!
//! ```text
//! thread   ├ output ┤├ schedule ┤   ├ prepare ┤├ cudaGraphLaunch ┤
//! GPU      ▒                                            ▒▒▒▒▒▒▒▒▒▒
//! cause     output    schedule    ?   prepare   launch
//! ```
//!
//! From the begin of the call that launches the next piece on, it is the launch. Before it, it is what the thread did: in a call
//! that waits, in one that launches, or in a part of its loop, innermost first.

use super::cover::Cover;
use super::idle_part::{IdlePart, LONG_NS};
use super::step::{EngineStep, Piece, StepPeriod};
use crate::base::ids::ThreadId;
use crate::base::time::{Ns, Span};
use crate::capture::CaptureContents;
use crate::capture::names::{ByName, LoopPart, without_version};

/// What a thread did at any time.
pub(super) struct LaneTime {
    calls: Cover<CallKind>,
    parts: Cover<LoopPart>,
    pub(super) names_loop: bool,
}

/// What an API call of the thread is.
#[derive(Debug, Clone, Copy)]
enum CallKind {
    Waits,
    Launches,
    Other,
}

impl CallKind {
    fn of(function: &str) -> Self {
        let function = without_version(function);
        match () {
            () if function.contains("Synchronize") || function.ends_with("MemcpyWithStream") => Self::Waits,
            () if function.contains("Launch") || function.contains("Memcpy") => Self::Launches,
            () => Self::Other,
        }
    }
}

impl LaneTime {
    pub(super) fn of(capture: &CaptureContents, thread: ThreadId) -> Self {
        let kinds = ByName::new(&capture.strings, CallKind::of);
        let own = capture.counted_calls().filter(|(call, _)| capture.api_calls.thread[*call] == thread);
        let calls = own.map(|(call, span)| (span, kinds.get(capture.api_calls.name[call]))).collect();
        let parts = ByName::new(&capture.strings, LoopPart::of);
        let ranges = &capture.ranges.by_thread[thread.index()];
        let texts = ranges.text.iter().map(|text| capture.ranges.texts[text.index()].text);
        let frames = &capture.host.python;
        let frames = frames.span.iter().zip(frames.thread.iter()).zip(frames.name.iter());
        let own_frames = frames.filter(|((_, of), _)| **of == thread).map(|((span, _), name)| (*span, *name));
        let named = ranges.span.iter().copied().zip(texts).chain(own_frames);
        let named: Vec<(Span, LoopPart)> =
            named.filter_map(|(span, name)| Some((span, parts.get(name)?))).collect();
        Self { calls: Cover::new(calls), names_loop: !named.is_empty(), parts: Cover::new(named) }
    }

    /// Adds up what the thread did in a span before a launch.
    fn add(&self, span: Span, idle: &mut Idle) {
        for (part, call) in self.calls.parts(span) {
            match call {
                Some(CallKind::Waits) => idle.add(IdlePart::SyncReturn, part),
                Some(CallKind::Launches) => idle.add(IdlePart::Launch, part),
                Some(CallKind::Other) => idle.add(self.unnamed(), part),
                None => self.add_outside_calls(part, idle),
            }
        }
    }

    fn add_outside_calls(&self, span: Span, idle: &mut Idle) {
        for (part, of_loop) in self.parts.parts(span) {
            if of_loop == Some(LoopPart::Poll) {
                idle.polling += part.length();
            }
            idle.add(of_loop.map_or_else(|| self.unnamed(), IdlePart::from), part);
        }
    }

    /// When in a span it did what counts as a cause, outside of API calls.
    pub(super) fn doing(&self, part: IdlePart, span: Span) -> impl Iterator<Item = Span> + '_ {
        let outside = self.calls.parts(span).filter(|(_, call)| call.is_none());
        let does = move |of_loop: Option<LoopPart>| of_loop.map_or_else(|| self.unnamed(), IdlePart::from);
        let named = outside.flat_map(|(span, _)| self.parts.parts(span));
        named.filter(move |(_, of_loop)| does(*of_loop) == part).map(|(span, _)| span)
    }

    fn unnamed(&self) -> IdlePart {
        if self.names_loop { IdlePart::Other } else { IdlePart::HostUnnamed }
    }
}

#[derive(Default)]
struct Idle {
    by_cause: [Ns; IdlePart::ALL.len()],
    polling: Ns,
}

impl Idle {
    fn add(&mut self, part: IdlePart, span: Span) {
        self.by_cause[part as usize] += span.length();
    }
}

/// The period of a step, given when the tokens of the step before existed, and its own pieces in order of start.
pub(super) fn period(before: Ns, out: Ns, pieces: &[Piece], time: &LaneTime) -> StepPeriod {
    let mut idle = Idle::default();
    let (mut covered_to, mut launch) = (before, None);
    for piece in pieces {
        let gap = Span::new(covered_to, piece.span.start);
        if launch == Some(piece.call) {
            idle.add(IdlePart::InsideGraph, gap);
        } else if !gap.is_empty() {
            let launched = piece.launched_at.clamp(gap.start, gap.end);
            time.add(Span::new(gap.start, launched), &mut idle);
            idle.add(IdlePart::Launch, Span::new(launched, gap.end));
        }
        covered_to = covered_to.max(piece.span.end);
        launch = Some(piece.call);
    }
    StepPeriod {
        length: out - before,
        idle_ns: idle.by_cause.iter().sum(),
        by_cause: idle.by_cause,
        polling_ns: idle.polling,
    }
}

/// Tells the time in which no request waited from that of the host. In continuous batching every running request is in every step
/// that gives tokens, so those that run before a step are known from the steps after it.
pub(super) fn tell_waits_for_requests(steps: &mut [EngineStep]) {
    let nobody = nobody_waited(steps);
    for (step, nobody) in steps.iter_mut().zip(nobody) {
        let Some(period) = step.period.as_mut().filter(|_| nobody) else { continue };
        let parts = &mut period.by_cause;
        let [other, unnamed] = [IdlePart::Other, IdlePart::HostUnnamed].map(|part| parts[part as usize]);
        let without = other + unnamed + period.polling_ns;
        if without >= LONG_NS {
            parts[IdlePart::Schedule as usize] -= period.polling_ns;
            parts[IdlePart::Other as usize] = 0;
            parts[IdlePart::HostUnnamed as usize] = 0;
            parts[IdlePart::NoRequest as usize] = without;
        }
    }
}

/// What the steps from one on tell of the requests that ran before it.
#[derive(Clone, Copy)]
enum Running {
    /// The first step with decoding has so many requests; so many are new since.
    Decoding(u64, u64),
    /// None of the steps decodes.
    Never,
    /// A step does not say how many requests it has.
    Unknown,
}

/// By step: whether it brings requests, and none ran before it.
fn nobody_waited(steps: &[EngineStep]) -> Vec<bool> {
    let mut running = Running::Never;
    let mut nobody = vec![false; steps.len()];
    for (step, nobody) in steps.iter().zip(&mut nobody).rev() {
        if step.mark.gives_tokens {
            running = match (step.mark.decode_requests, step.mark.prefill_requests, running) {
                (Some(0), Some(new), Running::Decoding(decode, since)) => {
                    Running::Decoding(decode, since + new)
                }
                (Some(0), Some(_), running) => running,
                (Some(decode), Some(_), _) => Running::Decoding(decode, 0),
                _ => Running::Unknown,
            };
        }
        let brings = step.mark.prefill_requests.is_some_and(|requests| requests > 0);
        *nobody = brings
            && match running {
                Running::Decoding(decode, new) => decode <= new,
                Running::Never => true,
                Running::Unknown => false,
            };
    }
    nobody
}
