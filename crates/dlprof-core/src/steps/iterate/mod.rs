//! Iterate: from a key node to iterations, and from op calls to ops.
//!
//! ```text
//! key node        ├k┤          ├k┤          ├k┤
//! iterations  0   │      1      │      2     │     3
//!             0 ──┴─────────────┴────────────┴────────── end
//! ```
//!
//! N executions of the key node give N + 1 iterations that tile the time line: 0 before the first one. The
//! boundary is the start of the execution; of a kernel, or a sequence of kernels, the start of the outermost op call around its
//! launch. An op call belongs to the iteration in which it starts, GPU work to that in which it is launched. Without a key node there is one iteration, 0, or after ranges that are named after start-up 1. (DLProf's
//! public documents say "N + 1" and show an inclusive range; that the boundary is the start, not the end, is our choice.)
//!
//! Iterations that the finder finds may end before the next one begins. What lies between is a numbered piece too, in
//! state `outside`: it tiles the time line, but it is not an iteration.

mod chosen;
mod engine_steps;
pub(crate) mod finder;
mod found;
mod key_node;
mod launched;
mod lost;
mod op_beginnings;
mod ops;
mod optimizer_steps;
mod profiler_steps;
mod range_choice;
mod steady;
mod stored;
mod unlaunched;
mod warm_up;

pub use self::key_node::DLPROFS_KEY_NODE;
pub(crate) use engine_steps::NAME as ENGINE_STEP;
pub(crate) use finder::ProgramRanges;
pub use finder::{Confidence, DelimiterKind, IterationCandidate, PassElsewhere};
pub use found::FoundBy;
pub(crate) use found::{process_of_work, program_ranges};
pub use key_node::{Found, KeyNode, ProcessExecutions};
pub(crate) use launched::Launched;
pub use lost::{LostOf, LostRecords};
pub use ops::Op;
pub use range_choice::{ClockChoice, DefaultRange, FigureRules, RangeChoice};
pub use steady::IterationState;
pub(crate) use steady::{FEWEST, IterationLoad, change_in_one_direction, states};
pub use warm_up::WarmUpRange;

use crate::base::Error;
use crate::base::diagnostics::{DiagnosticCode, Diagnostics};
use crate::base::ids::OpId;
use crate::base::ordered::Cursor;
use crate::base::time::{Ns, Span};
use crate::capture::Capture;
use crate::capture::names::profiler_step;
use crate::columns::Buffer;
use finder::{FoundIterations, Wanted};
use found::FoundPieces;
use serde::{Deserialize, Serialize};

/// What delimits iterations.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum KeyNodeChoice {
    /// What recurs most like an iteration, if anything does so clearly; of a DLProf database its own iterations.
    #[default]
    Find,
    /// What DLProf takes by itself: of a DLProf database its own iterations, of TensorFlow's nodes the one called
    /// `global_step`, else nothing.
    Dlprof,
    /// Nothing: one iteration.
    None,
    /// An op, by name or op ID; a range, by its text; a candidate of the finder, as the list of candidates writes it; or a
    /// kernel.
    Named(String),
}

/// The iterations of a capture.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Iterations {
    /// Iteration `i` is `[boundaries[i], boundaries[i + 1])`; the first boundary is 0, or where the
    /// capture was cut.
    pub boundaries: Vec<Ns>,
    /// The key node in force.
    pub key_node: Option<KeyNode>,
    /// What else may delimit iterations, best first, the chosen one included; empty if nothing was searched.
    pub candidates: Vec<IterationCandidate>,
    /// By piece: true for time between runs of iterations, or after the last one.
    pub outside: Vec<bool>,
    /// By iteration: the text of its range, where texts differ (`step 17`); empty where no iteration has one.
    pub labels: Vec<String>,
    /// What the finder says of them; none where it did not choose them.
    pub found: Option<FoundBy>,
    /// Where the last iteration ends on the clock of the CPU: with the last GPU item that its calls launched or with its
    /// key range. The last boundary may be later.
    pub last_end: Ns,
    /// First and last of those that a DLProf database aggregated; none if they are not from one.
    pub stored_range: Option<(u32, u32)>,
    /// Records of CUDA that the tracer lost.
    pub lost: Vec<LostRecords>,
    /// Passes of the kernels that delimit iterations on other streams of their process, where no iteration begins; in order of
    /// time.
    #[serde(default)]
    pub elsewhere: Vec<PassElsewhere>,
    /// The range of start-up that makes the first of two pieces where there are no iterations.
    pub warm_up: Option<WarmUpRange>,
    /// Op calls that belong to the last op of their name, because there are too many ops.
    #[serde(default)]
    pub joined_calls: u64,
}

impl Iterations {
    /// The iterations that a key node makes of a time line.
    fn of_key_node(whole: Span, key_node: Option<KeyNode>) -> Self {
        let Span { start: begin, end } = whole;
        let starts = key_node.iter().flat_map(|key_node| &key_node.starts);
        let mut boundaries = vec![begin];
        boundaries.extend(starts.map(|&start| start.clamp(begin, end)));
        boundaries.push(end);
        Self {
            boundaries,
            key_node,
            candidates: Vec::new(),
            outside: Vec::new(),
            labels: Vec::new(),
            found: None,
            last_end: end,
            stored_range: None,
            lost: Vec::new(),
            elsewhere: Vec::new(),
            warm_up: None,
            joined_calls: 0,
        }
    }

    /// The iterations that the finder found, and what lies between.
    fn of_pieces(found: FoundPieces, candidates: Vec<IterationCandidate>) -> Self {
        let FoundPieces { key_node, found, pieces, labels, elsewhere } = found;
        let mut boundaries: Vec<Ns> = pieces.iter().map(|piece| piece.span.start).collect();
        let end = pieces.last().map_or(0, |piece| piece.span.end);
        boundaries.push(end);
        Self {
            boundaries,
            key_node: Some(key_node),
            candidates,
            outside: found::outside(&pieces),
            labels,
            found: Some(found),
            last_end: end,
            stored_range: None,
            lost: Vec::new(),
            elsewhere,
            warm_up: None,
            joined_calls: 0,
        }
    }

    /// The same boundaries, but that the last iteration ends where its work does.
    #[must_use]
    pub(crate) fn window_boundaries(&self) -> Vec<Ns> {
        let mut boundaries = self.boundaries.clone();
        if let Some(last) = boundaries.last_mut() {
            *last = self.last_end;
        }
        boundaries
    }

    /// By piece: how many passes on other streams begin in it.
    #[must_use]
    pub fn passes_elsewhere(&self) -> Vec<u32> {
        let mut passes = vec![0; self.total() as usize];
        for pass in &self.elsewhere {
            passes[self.inner_boundaries().partition_point(|&start| start <= pass.start)] += 1;
        }
        passes
    }

    /// True for a numbered piece between runs of iterations, or after the last one.
    #[must_use]
    pub fn is_outside(&self, iteration: u32) -> bool {
        self.outside.get(iteration as usize).copied().unwrap_or(false)
    }

    /// Boundaries on the clock of the GPU, one more than pieces; none without GPU work. They ascend.
    pub(crate) fn gpu_boundaries(&self, launched: &Launched) -> Option<Vec<Ns>> {
        launched.gpu_boundaries(|at| self.outside.get(at).copied().unwrap_or(false))
    }

    /// Number of iterations, the one before the first execution included; pieces between runs do not count.
    #[must_use]
    pub fn count(&self) -> u32 {
        self.count_in(0, self.total() - 1)
    }

    /// The same, of the pieces from `first` to `last`.
    #[must_use]
    pub(crate) fn count_in(&self, first: u32, last: u32) -> u32 {
        let numbers = (first..=last).filter(|&number| !self.is_outside(number));
        u32::try_from(numbers.count()).unwrap_or(u32::MAX)
    }

    /// The text of the range of an iteration, where texts differ.
    #[must_use]
    pub fn label(&self, iteration: u32) -> Option<&str> {
        self.labels.get(iteration as usize).map(String::as_str).filter(|label| !label.is_empty())
    }

    /// The last numbered piece that is an iteration.
    #[must_use]
    pub fn last_iteration(&self) -> u32 {
        (0..self.total()).rev().find(|&number| !self.is_outside(number)).unwrap_or(0)
    }

    /// Number of pieces, iterations and what lies between; at least one.
    #[must_use]
    pub fn total(&self) -> u32 {
        u32::try_from(self.boundaries.len() - 1).unwrap_or(u32::MAX)
    }

    /// Start and end of an iteration.
    #[must_use]
    pub fn span(&self, iteration: u32) -> Span {
        let at = iteration as usize;
        Span::new(self.boundaries[at], self.boundaries[at + 1])
    }

    /// Boundaries between iterations: the iteration of a call is the number of those at or before its start.
    pub(crate) fn inner_boundaries(&self) -> &[Ns] {
        &self.boundaries[1..self.boundaries.len() - 1]
    }

    /// Counts op calls that belong to another op because there are too many.
    pub(crate) fn note_joined_calls(&self, diagnostics: &mut Diagnostics) {
        for _ in 0..self.joined_calls {
            diagnostics.count(DiagnosticCode::TooManyOps, || "calls of one name in one iteration".into());
        }
    }

    /// Counts executions of the key node that set no iterations.
    pub(crate) fn note_executions_elsewhere(&self, diagnostics: &mut Diagnostics) {
        if let Some(key_node) = &self.key_node {
            for _ in 0..key_node.executions_elsewhere {
                diagnostics
                    .count(DiagnosticCode::KeyNodeOnOtherThreads, || format!("key node `{}`", key_node.name));
            }
        }
    }
}

/// The iterations of a capture, the iteration of each op call, and the ops.
pub(crate) struct Iterated {
    pub(crate) iterations: Iterations,
    /// By op call: its iteration.
    pub(crate) iteration_of: Buffer<u32>,
    pub(crate) ops: Vec<Op>,
    /// By op call: its op.
    pub(crate) op_of: Buffer<OpId>,
    pub(crate) launched: Launched,
}

/// Splits the capture into iterations and its op calls into ops.
///
/// # Errors
/// If the key node never ran.
pub(crate) fn iterate(capture: &Capture, choice: &KeyNodeChoice) -> Result<Iterated, Error> {
    let whole = time_line(capture);
    let mut iterations = match choice {
        KeyNodeChoice::Find => stored::of(capture).unwrap_or_else(|| find(capture, whole)),
        KeyNodeChoice::Dlprof => stored::of(capture)
            .unwrap_or_else(|| Iterations::of_key_node(whole, key_node::of_dlprof(capture))),
        KeyNodeChoice::None => Iterations::of_key_node(whole, None),
        KeyNodeChoice::Named(wanted) => named(capture, whole, wanted)?,
    };
    let mut iteration = Cursor::new(iterations.inner_boundaries());
    let spans = capture.op_calls.span.iter();
    let mut iteration_of = capture
        .memory
        .collect(spans.map(|span| u32::try_from(iteration.at_or_before(span.start)).unwrap_or(u32::MAX)));
    let mut launched = Launched::new(capture, iterations.inner_boundaries());
    if let Some((start, end)) = unlaunched::place(capture, &iterations, &launched, &mut iteration_of) {
        launched.begin_with(start, end);
    }
    launched.count_work(capture, &iteration_of);
    iterations.end_with_work(&launched);
    iterations.lost = lost::find(capture, &iterations);
    let (ops, op_of, joined_calls) = ops::identify(capture, &iteration_of);
    iterations.joined_calls = joined_calls;
    Ok(Iterated { iterations, iteration_of, ops, op_of, launched })
}

/// What may delimit the iterations of a capture, best first.
pub(crate) fn candidates(capture: &Capture) -> Vec<IterationCandidate> {
    found::find(capture, None).candidates
}

/// The iterations of a key node that a user names: an op or a range, a candidate of the finder, or a kernel.
fn named(capture: &Capture, whole: Span, wanted: &str) -> Result<Iterations, Error> {
    let of_candidate = |candidate| {
        let pieces = found::named(capture, wanted, candidate, whole)?;
        Some(Iterations { found: None, ..Iterations::of_pieces(pieces, Vec::new()) })
    };
    if let Some(pieces) =
        engine_steps::named(capture, wanted).and_then(|steps| found::pieces(capture, steps, whole))
    {
        return Ok(Iterations { found: None, ..Iterations::of_pieces(pieces, Vec::new()) });
    }
    // One of several steps is an execution of what they are called all together.
    let is_step =
        capture.recorder.is_torch_profiler() && profiler_step(wanted).is_some() && has_range(capture, wanted);
    let wanted = if is_step { profiler_steps::NAME } else { wanted };
    let found = match Wanted::parse(wanted) {
        Some(candidate) => return of_candidate(candidate).ok_or_else(|| key_node::unknown(capture, wanted)),
        None => key_node::find(capture, wanted),
    };
    match found {
        Err(unknown @ Error::UnknownKeyNode { .. }) => match of_candidate(Wanted::Range(wanted)) {
            Some(iterations) => Ok(iterations),
            None if wanted == profiler_steps::NAME => {
                let pieces = profiler_steps::few(capture).and_then(|few| found::pieces(capture, few, whole));
                let iterations = pieces.map(|few| Iterations::of_pieces(few, Vec::new()));
                iterations.map(|few| Iterations { found: None, ..few }).ok_or(unknown)
            }
            None => {
                let kernel = key_node::of_kernel(capture, wanted).ok_or(unknown)?;
                Ok(Iterations::of_key_node(whole, Some(kernel)))
            }
        },
        found => Ok(Iterations::of_key_node(whole, Some(found?))),
    }
}

/// Whether a range has a text.
fn has_range(capture: &Capture, text: &str) -> bool {
    capture.ranges.texts.iter().any(|says| capture.strings.get(says.text) == text)
}

fn find(capture: &Capture, whole: Span) -> Iterations {
    let FoundIterations { delimiter, candidates } = found::find(capture, None);
    let delimiter = engine_steps::delimiter(capture)
        .or_else(|| profiler_steps::delimiter(capture))
        .or_else(|| optimizer_steps::delimiter(capture, delimiter.as_ref()?, &candidates))
        .or(delimiter)
        .filter(|found| !profiler_steps::are_around(capture, found));
    match delimiter.and_then(|delimiter| found::pieces(capture, delimiter, whole)) {
        Some(pieces) => Iterations::of_pieces(pieces, candidates),
        None => Iterations { candidates, ..without_iterations(capture, whole) },
    }
}

/// One piece, or two where a range named after start-up comes first.
fn without_iterations(capture: &Capture, whole: Span) -> Iterations {
    let mut one = Iterations::of_key_node(whole, None);
    let is_inside = |range: &WarmUpRange| whole.start < range.end_ns && range.end_ns < whole.end;
    if let Some(range) = warm_up::find(capture).filter(is_inside) {
        one.boundaries.insert(1, range.end_ns);
        one.warm_up = Some(range);
    }
    one
}

impl Iterations {
    /// Lets the last iteration of a key node that a user named end with its work, not with the capture.
    fn end_with_work(&mut self, launched: &Launched) {
        let Some(key_node) = self.key_node.as_ref().filter(|key_node| key_node.found == Found::ByUser) else {
            return;
        };
        let last_item = launched.last_end.last().copied().unwrap_or(Ns::MIN);
        let start = self.boundaries[self.boundaries.len() - 2];
        self.last_end = last_item.max(key_node.last_end).clamp(start, self.last_end.max(start));
    }
}

/// From 0, or from where the capture was cut, to the latest stop of any op call or GPU work; in a trace of torch.profiler also of
/// any annotation, which is an op call only where it owns work.
fn time_line(capture: &Capture) -> Span {
    let begin = capture.begin();
    let annotations = capture
        .ranges
        .lists()
        .filter(|_| capture.recorder.is_torch_profiler())
        .flat_map(|list| &list.span[..]);
    let spans = capture.op_calls.span.iter().chain(&capture.work.span).chain(annotations);
    Span { start: begin, end: spans.map(|span| span.end).max().unwrap_or(begin).max(begin) }
}
