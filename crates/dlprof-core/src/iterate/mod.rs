//! Iterate: from a key node to iterations, and from op calls to ops.
//!
//! ```text
//! key node        ├k┤          ├k┤          ├k┤
//! iterations  0   │      1      │      2     │     3
//!             0 ──┴─────────────┴────────────┴────────── end
//! ```
//!
//! N executions of the key node give N + 1 iterations that tile the time line: 0 before the first one. The
//! boundary is the start of the execution. An op call belongs to the iteration in which it starts, and its GPU
//! work follows it. Without a key node there is one iteration, 0. (DLProf's public documents say "N + 1" and show
//! an inclusive range; that the boundary is the start, not the end, is our choice.)

mod candidate;
mod finder;
mod kernel_sequence;
mod key_node;
mod load;
mod name_hints;
mod ops;
mod steady;

pub use candidate::{ACCEPTED, Candidate, CandidateKind, Confidence};
pub use key_node::{Found, KeyNode, ProcessExecutions};
pub use ops::{Op, Ops};
pub use steady::{IterationState, longest_steady_run};

use crate::correlate::Correlation;
use crate::diagnostics::{Code, Diagnostics};
use crate::error::Error;
use crate::ids::ThreadId;
use crate::time::{Ns, Span};
use crate::trace::Trace;
use serde::{Deserialize, Serialize};

/// Which iterations to make, and which of them to aggregate.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IterationOptions {
    /// What delimits iterations.
    pub key_node: KeyNodeChoice,
    /// First iteration to aggregate; the first one if not given.
    pub iter_start: Option<u32>,
    /// Last iteration to aggregate, inclusive; the last one if not given.
    pub iter_stop: Option<u32>,
    /// What `iter_start` and `iter_stop` default to.
    pub iter_range: IterationRange,
}

/// Which iterations are aggregated where no numbers are given.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum IterationRange {
    /// All of them.
    #[default]
    All,
    /// The longest run of steady ones; all, if there is no such run.
    Steady,
}

/// What delimits iterations.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum KeyNodeChoice {
    /// What recurs most like an iteration, if anything does so clearly.
    #[default]
    Find,
    /// Nothing: one iteration.
    None,
    /// An op, by name or op ID, or a range, by its text.
    Named(String),
}

/// The iterations of a capture.
#[derive(Debug, Clone)]
pub struct Iterations {
    /// Iteration `i` is `[boundaries[i], boundaries[i + 1])`; the first boundary is 0.
    pub boundaries: Vec<Ns>,
    /// The key node in force.
    pub key_node: Option<KeyNode>,
    /// What else may delimit iterations, best first, the chosen one included; empty if nothing was searched.
    pub candidates: Vec<Candidate>,
    /// First iteration aggregated.
    pub start: u32,
    /// Last iteration aggregated, inclusive.
    pub stop: u32,
    /// By op call: its iteration; empty where only sums are at hand.
    pub of_call: Vec<u32>,
    /// By iteration: what it is like.
    pub states: Vec<IterationState>,
}

impl Iterations {
    /// Number of iterations; at least one.
    #[must_use]
    pub fn total(&self) -> u32 {
        u32::try_from(self.boundaries.len() - 1).unwrap_or(u32::MAX)
    }

    /// Number of aggregated iterations.
    #[must_use]
    pub fn aggregated(&self) -> u32 {
        self.stop - self.start + 1
    }

    /// Whether an iteration is aggregated.
    #[must_use]
    pub fn is_aggregated(&self, iteration: u32) -> bool {
        (self.start..=self.stop).contains(&iteration)
    }

    /// The aggregated iterations.
    #[must_use]
    pub fn range(&self) -> std::ops::Range<u32> {
        self.start..self.stop + 1
    }

    /// Start and end of an iteration.
    #[must_use]
    pub fn span(&self, iteration: u32) -> Span {
        let at = iteration as usize;
        Span::new(self.boundaries[at], self.boundaries[at + 1])
    }

    /// From the start of the first aggregated iteration to the end of the last one: the wall clock.
    #[must_use]
    pub fn aggregated_span(&self) -> Span {
        Span::new(self.span(self.start).start, self.span(self.stop).end)
    }

    /// First and last of the longest run of steady iterations, if there is one of at least three.
    #[must_use]
    pub fn steady_range(&self) -> Option<(u32, u32)> {
        let run = longest_steady_run(&self.states)?;
        let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Some((number(*run.start()), number(*run.end())))
    }

    /// Boundaries of the aggregated iterations.
    #[must_use]
    pub fn aggregated_boundaries(&self) -> &[Ns] {
        &self.boundaries[self.start as usize..=self.stop as usize + 1]
    }
}

impl IterationOptions {
    /// Checks what can be checked without a capture.
    ///
    /// # Errors
    /// If the range ends before it starts.
    pub fn check(&self) -> Result<(), Error> {
        match (self.iter_start, self.iter_stop) {
            (Some(start), Some(stop)) if start > stop => Err(Error::ReversedRange { start, stop }),
            _ => Ok(()),
        }
    }
}

/// Splits the capture into iterations and its op calls into ops.
///
/// # Errors
/// If the key node never ran or the range does not exist.
pub fn iterate(
    trace: &Trace,
    correlation: &Correlation,
    options: &IterationOptions,
) -> Result<(Iterations, Ops), Error> {
    options.check()?;
    let (candidates, key_node) = match &options.key_node {
        KeyNodeChoice::Find => finder::find(trace, correlation),
        KeyNodeChoice::None => (Vec::new(), None),
        KeyNodeChoice::Named(wanted) => (Vec::new(), Some(key_node::find(trace, correlation, wanted)?)),
    };
    let mut iterations = split(trace, correlation, key_node);
    iterations.candidates = candidates;
    iterations.states = steady::states(&iterations.loads(correlation));
    iterations.choose_range(options)?;
    let ops = ops::identify(correlation, &iterations.of_call);
    Ok((iterations, ops))
}

fn split(trace: &Trace, correlation: &Correlation, key_node: Option<KeyNode>) -> Iterations {
    let mut iterations = Iterations::until(capture_end(trace, correlation), key_node);
    let mut iteration = Cursor::new(iterations.inner_boundaries());
    let spans = correlation.calls.span.iter();
    let of_call = spans.map(|span| u32::try_from(iteration.at_or_before(span.start)).unwrap_or(u32::MAX));
    iterations.of_call = of_call.collect();
    iterations
}

impl Iterations {
    /// The iterations that a key node makes of a capture that ends at `end`; no range is chosen, and which calls are in
    /// them is not known.
    fn until(end: Ns, key_node: Option<KeyNode>) -> Self {
        let starts = key_node.iter().flat_map(|key_node| &key_node.starts);
        let mut boundaries = vec![0];
        boundaries.extend(starts.map(|&start| start.clamp(0, end)));
        boundaries.push(end);
        Self {
            boundaries,
            key_node,
            candidates: Vec::new(),
            start: 0,
            stop: 0,
            of_call: Vec::new(),
            states: Vec::new(),
        }
    }

    /// Iterations as they were kept, with the range asked for. Which calls are in them is not known.
    ///
    /// # Errors
    /// If the range does not exist.
    pub(crate) fn kept(
        end: Ns,
        key_node: Option<KeyNode>,
        candidates: Vec<Candidate>,
        states: Vec<IterationState>,
        options: &IterationOptions,
    ) -> Result<Self, Error> {
        options.check()?;
        let mut iterations = Self { candidates, states, ..Self::until(end, key_node) };
        iterations.choose_range(options)?;
        Ok(iterations)
    }

    /// Boundaries between iterations: the iteration of a call is the number of those at or before its start.
    pub(crate) fn inner_boundaries(&self) -> &[Ns] {
        &self.boundaries[1..self.boundaries.len() - 1]
    }
}

/// How many boundaries lie at or before a time, for times that mostly ascend.
pub(crate) struct Cursor<'a> {
    boundaries: &'a [Ns],
    at: usize,
}

impl<'a> Cursor<'a> {
    /// `boundaries` ascend.
    pub(crate) fn new(boundaries: &'a [Ns]) -> Self {
        Self { boundaries, at: 0 }
    }

    /// Number of boundaries at or before `time`.
    pub(crate) fn at_or_before(&mut self, time: Ns) -> usize {
        let is_behind = |at: usize| self.boundaries.get(at).is_none_or(|&boundary| boundary > time);
        let is_before = |at: usize| at == 0 || self.boundaries[at - 1] <= time;
        if is_behind(self.at) && is_before(self.at) {
            return self.at;
        }
        self.at += 1;
        if self.at > self.boundaries.len() || !(is_behind(self.at) && is_before(self.at)) {
            self.at = self.boundaries.partition_point(|&boundary| boundary <= time);
        }
        self.at
    }
}

/// Latest stop of any op call or GPU work; never before 0.
fn capture_end(trace: &Trace, correlation: &Correlation) -> Ns {
    let spans = correlation.calls.span.iter().chain(&trace.gpu_work.span);
    spans.map(|span| span.end).max().unwrap_or(0).max(0)
}

impl Iterations {
    /// Counts executions of the key node that set no iterations.
    pub(crate) fn note_executions_elsewhere(&self, diagnostics: &mut Diagnostics) {
        if let Some(key_node) = &self.key_node {
            for _ in 0..key_node.executions_elsewhere {
                diagnostics.count(Code::KeyNodeOnOtherThreads, || format!("key node `{}`", key_node.name));
            }
        }
    }

    /// Length and GPU work of each iteration.
    fn loads(&self, correlation: &Correlation) -> Vec<steady::IterationLoad> {
        let lengths = self.boundaries.windows(2).map(|pair| pair[1] - pair[0]);
        let mut loads: Vec<steady::IterationLoad> =
            lengths.map(|duration_ns| steady::IterationLoad { duration_ns, work: 0 }).collect();
        for (call, &iteration) in self.of_call.iter().enumerate() {
            loads[iteration as usize].work += correlation.work_by_call.get(call).len() as u64;
        }
        loads
    }

    fn choose_range(&mut self, options: &IterationOptions) -> Result<(), Error> {
        let last = self.total() - 1;
        let steady = match options.iter_range {
            IterationRange::All => None,
            IterationRange::Steady => self.steady_range(),
        };
        let (first_wanted, last_wanted) = steady.unwrap_or((0, last));
        let start = options.iter_start.unwrap_or(first_wanted);
        let stop = options.iter_stop.unwrap_or(last_wanted.max(start));
        if stop > last {
            return Err(Error::RangeOutOfBounds { start, stop, last, has_key_node: self.key_node.is_some() });
        }
        (self.start, self.stop) = (start, stop);
        Ok(())
    }
}

/// The thread on which a key node sets the iterations, for people: pid and tid.
#[must_use]
pub fn thread_name(trace: &Trace, thread: ThreadId) -> String {
    let thread = trace.threads[thread.index()];
    let pid = trace.processes[thread.process.index()].pid();
    format!("process {pid}, thread {}", thread.global_tid & 0xFF_FFFF)
}
