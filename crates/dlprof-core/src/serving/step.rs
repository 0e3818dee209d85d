//! A step of a server: its mark, the GPU work that it launched, and the time since the tokens of the step before.

use super::idle_part::{IdlePart, LONG_NS};
use crate::base::ids::{ApiCallId, RangeTextId, WorkId};
use crate::base::time::{Ns, Span};
use crate::capture::CaptureContents;
use crate::capture::names::StepMark;

/// A step of the engine.
#[derive(Debug, Clone, PartialEq)]
pub struct EngineStep {
    /// Its text.
    pub text: RangeTextId,
    /// What the text says, and what marks inside it say beyond that.
    pub mark: StepMark,
    /// When the mark is open.
    pub span: Span,
    /// The GPU work that it launched; none where there is none.
    pub work: Option<StepWork>,
    /// The time since the tokens of the step before; none of the first step, and after steps without work.
    pub period: Option<StepPeriod>,
    /// Whether it is like most steps of its phase.
    pub is_steady: bool,
    /// Whether the program trains after it, before the next step.
    pub then_trains: bool,
    /// Whether a graph was captured since its mark began.
    pub captures: bool,
}

/// The GPU work of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepWork {
    /// When the first piece starts.
    pub first: Ns,
    /// When its tokens exist: the end of its last copy to the host if nothing of the step starts after it, else of its last piece.
    pub out: Ns,
    /// Time covered by its pieces.
    pub busy_ns: Ns,
    /// Pieces of work.
    pub pieces: u64,
    /// Plain sum of the durations of kernels and whole graphs.
    pub kernel_ns: Ns,
    /// Of it, what graph launches started.
    pub graph_ns: Ns,
    /// Time in which kernels that exchange data with other GPUs run, and nothing else of the step.
    pub exchange_ns: Ns,
}

/// From the tokens of one step to those of the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepPeriod {
    /// Its length.
    pub length: Ns,
    /// Time in it without work of the step.
    pub idle_ns: Ns,
    /// The same by cause; the parts add up to it.
    pub by_cause: [Ns; IdlePart::ALL.len()],
    /// Of it, time in which the thread looked for new requests.
    pub(super) polling_ns: Ns,
}

impl StepPeriod {
    /// Idle time of a cause.
    #[must_use]
    pub fn of(&self, part: IdlePart) -> Ns {
        self.by_cause[part as usize]
    }
}

impl EngineStep {
    /// Whether it gives running requests their next token.
    #[must_use]
    pub fn decodes(&self) -> Option<u64> {
        self.mark.decode_requests.filter(|&requests| requests > 0 && self.mark.gives_tokens)
    }

    /// Whether the server waited for requests before it.
    #[must_use]
    pub fn waited_for_requests(&self) -> bool {
        self.period.is_some_and(|period| period.of(IdlePart::NoRequest) >= LONG_NS)
    }
}

/// A piece of work of a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Piece {
    pub(super) work: WorkId,
    pub(super) span: Span,
    pub(super) call: ApiCallId,
    pub(super) launched_at: Ns,
}

/// Whether an API call launched a graph.
pub(super) fn is_graph_launch(capture: &CaptureContents, call: ApiCallId) -> bool {
    capture.strings.get(capture.api_calls.name[call]).contains("GraphLaunch")
}
