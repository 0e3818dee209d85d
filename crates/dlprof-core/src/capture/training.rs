//! What can only be there in training: ranges of PyTorch, and those that programs write by custom together with kernels of an optimizer
//! or a gradient.

use crate::base::ids::{self, StrId, ThreadId};
use crate::base::time::{Ns, Span};
use crate::capture::CaptureContents;
use crate::capture::names::ByName;
use regex::Regex;
use std::sync::LazyLock;

fn expression(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is a constant, and a test compiles it")
}

static SURE: LazyLock<Regex> =
    LazyLock::new(|| expression(r"^Optimizer\.step#|^autograd::engine::evaluate_function"));

static CUSTOM: LazyLock<Regex> = LazyLock::new(|| {
    expression(r"^DistributedDataParallel\.forward|^backward$|^optimizer$|^optimizer_step$|loss\.backward")
});

/// Only the functor tells: `multi_tensor_apply_kernel` runs in servers too.
static KERNEL: LazyLock<Regex> = LazyLock::new(|| {
    expression(r"(?i)FusedOptimizer|FusedAdam|AdamFunctor|LambStage|SGDFunctor|_backward_kernel|_bwd_|wgrad")
});

/// What shows training.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct TrainingSigns {
    /// Ranges that PyTorch writes in training only: updates of an optimizer, nodes of the backward pass.
    pub(crate) sure_ranges: u64,
    /// Ranges that training programs write by custom.
    pub(crate) custom_ranges: u64,
    /// Kernels of an optimizer or a gradient.
    pub(crate) kernels: u64,
}

impl TrainingSigns {
    /// Whether they prove it.
    pub(crate) fn trains(self) -> bool {
        self.sure_ranges > 0 || self.custom_ranges > 0 && self.kernels > 0
    }
}

/// By text of ranges: whether an expression fits.
fn texts(capture: &CaptureContents, fits: &Regex) -> Vec<bool> {
    let texts = capture.ranges.texts.iter();
    texts.map(|says| fits.is_match(capture.strings.get(says.text))).collect()
}

/// How many kernels have a name that an expression fits.
pub(crate) fn kernels_like(capture: &CaptureContents, fits: &'static Regex) -> u64 {
    let matches = ByName::new(&capture.strings, |name| fits.is_match(name));
    capture.kernels.long_name.iter().filter(|&&name: &&StrId| matches.get(name)).count() as u64
}

/// What shows training in a capture.
pub(crate) fn training_signs(capture: &CaptureContents) -> TrainingSigns {
    let count = |is: Vec<bool>| {
        let ranges = capture.ranges.lists().flat_map(|list| list.text.iter());
        ranges.filter(|text| is[text.index()]).count() as u64
    };
    TrainingSigns {
        sure_ranges: count(texts(capture, &SURE)),
        custom_ranges: count(texts(capture, &CUSTOM)),
        kernels: kernels_like(capture, &KERNEL),
    }
}

/// By step of a server, of which marks stand on a thread in order: when training begins after the mark, and before the next one;
/// none where it does not. It begins with the outermost range in there around the first that only training has.
pub(crate) fn training_behind(
    capture: &CaptureContents,
    thread: ThreadId,
    marks: &[Span],
) -> Vec<Option<Ns>> {
    let begins = if training_signs(capture).trains() { training_begins(capture, thread) } else { Vec::new() };
    if begins.is_empty() {
        return vec![None; marks.len()];
    }
    let mut own: Vec<Span> = capture.ranges.by_thread[thread.index()].span.to_vec();
    own.sort_unstable_by_key(|span| span.start);
    let behind = |(at, mark): (usize, &Span)| {
        let next = marks.get(at + 1).map_or(Ns::MAX, |next| next.start);
        let begin = begins[begins.partition_point(|begin| *begin < mark.end)..].first().copied()?;
        let begin = Some(begin).filter(|begin| *begin < next)?;
        let from = own.partition_point(|span| span.start < mark.end);
        let around = own[from..].iter().take_while(|span| span.start <= begin).find(|span| span.end > begin);
        Some(around.map_or(begin, |around| around.start))
    };
    marks.iter().enumerate().map(behind).collect()
}

/// When ranges that only training has begin on the threads of a process, in order.
fn training_begins(capture: &CaptureContents, thread: ThreadId) -> Vec<Ns> {
    let (sure, custom) = (texts(capture, &SURE), texts(capture, &CUSTOM));
    let process = capture.process_of(thread);
    let threads = ids::all::<ThreadId>(capture.ranges.by_thread.len());
    let of_process = threads.filter(|other| capture.process_of(*other) == process);
    let ranges = of_process.flat_map(|thread| {
        let ranges = &capture.ranges.by_thread[thread.index()];
        ranges.span.iter().zip(ranges.text.iter())
    });
    let found = ranges.filter(|(_, text)| sure[text.index()] || custom[text.index()]);
    let mut begins: Vec<Ns> = found.map(|(span, _)| span.start).collect();
    begins.sort_unstable();
    begins
}
