//! Finds iterations without being told: which op or range delimits them?
//!
//! Every name that ran at least three times is a candidate. Four things are measured, each from 0 to 1:
//!
//! ```text
//! executions   ├k┤       ├k┤       ├k┤        ├k┤
//! intervals     │◄──────►│◄──────►│◄───────►│        steadiness: share of intervals near their median
//! GPU work       ▒▒▒▒▒▒▒  ▒▒▒▒▒▒▒  ▒▒▒▒▒▒▒   ▒▒▒▒    coverage: share of the GPU time between first and last
//! kernels          24        24       25       24     regularity: share of intervals near the median count
//! ```
//!
//! and the name: `train_step` says what it is, `epoch` says what it is not. Without kernels, regularity is the share
//! of the time line that ranges of the same frequency cover. What runs many times per iteration (a layer) betrays
//! itself by regular long gaps. The score decides; below [`ACCEPTED`] nothing is chosen, because wrong iterations are
//! worse than none.

use super::key_node::{self, Found, KeyNode};
use super::load::Load;
use super::name_hints::Hint;
use crate::correlate::{Correlation, Direction, Identity, Mode, UNASSOCIATED};
use crate::groups::Grouped;
use crate::ids::{LabelId, StrId, ThreadId};
use crate::intervals::{union, union_length};
use crate::ratios::{count_to_f64, median, share_near, to_f64};
use crate::time::{Ns, Span};
use crate::trace::Trace;
use rayon::prelude::*;

/// Scores below this choose nothing.
pub const ACCEPTED: f64 = 0.6;

/// Scores from this on are good.
const HIGH: f64 = 0.75;

/// Fewer executions delimit nothing.
const FEWEST: usize = 3;

/// How sure the finder is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Confidence {
    /// Nothing recurs steadily.
    Low,
    /// Something recurs, with doubts.
    Medium,
    /// Clear.
    High,
}

impl Confidence {
    /// The word for reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }

    /// What a score means.
    #[must_use]
    pub fn of_score(score: f64) -> Self {
        match score {
            score if score >= HIGH => Self::High,
            score if score >= ACCEPTED => Self::Medium,
            _ => Self::Low,
        }
    }
}

/// An op, range or kernel that may delimit iterations.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Its executions; for kernel sequences the name is that of the kernel that begins one.
    pub key_node: KeyNode,
    /// What it is: `op`, `operator` (of `emit_nvtx`), `range` or `kernel sequence`.
    pub source: &'static str,
    /// Median interval between executions.
    pub interval_ns: Ns,
    /// Share of intervals within 35 % of the median, from 0 to 1.
    pub steadiness: f64,
    /// Share of the GPU time (without GPU work: of the CPU time of ops) in its intervals, from 0 to 1.
    pub coverage: f64,
    /// Share of intervals whose kernel count is near the median, from 0 to 1.
    pub regularity: f64,
    /// From 0 to 1; 0.6 is needed to be chosen.
    pub score: f64,
}

impl Candidate {
    /// How sure the finder is of it.
    #[must_use]
    pub fn confidence(&self) -> Confidence {
        Confidence::of_score(self.score)
    }
}

/// All candidates, best first.
#[must_use]
pub fn candidates(trace: &Trace, correlation: &Correlation) -> Vec<Candidate> {
    let mut candidates = if correlation.mode == Mode::Simple {
        super::kernel_sequence::candidates(trace, correlation)
    } else {
        by_name(trace, correlation)
    };
    candidates.sort_by(|a, b| {
        b.score
            .total_cmp(&a.score)
            .then_with(|| (&a.key_node.starts, &a.key_node.name).cmp(&(&b.key_node.starts, &b.key_node.name)))
    });
    begin_with_first_part(&mut candidates);
    candidates
}

fn by_name(trace: &Trace, correlation: &Correlation) -> Vec<Candidate> {
    let calls = &correlation.calls;
    let by_name = Grouped::new(correlation.names.len(), calls.ids(), |call| {
        let label = &correlation.labels[calls.label[call.index()].index()];
        let counts = label.direction != Direction::Backward && !calls.thread[call.index()].is_none();
        counts.then(|| label.name.index())
    });
    let gpu_ns = key_node::gpu_time_by_thread(trace, correlation);
    let load = Load::new(trace, correlation);
    let candidate_of = |name: StrId| {
        let executions = by_name.get(name.index());
        let text = correlation.names.get(name);
        if executions.len() < FEWEST || text.starts_with(UNASSOCIATED) {
            return None;
        }
        let text = text.to_owned();
        let key_node =
            key_node::on_one_thread(trace, correlation, text, executions, &gpu_ns, Found::ByFinder);
        let label = calls.label[executions[0].index()];
        (key_node.starts.len() >= FEWEST).then(|| candidate(trace, correlation, &load, key_node, label))
    };
    let names = (0..by_name.len()).into_par_iter().map(StrId::new);
    let mut found: Vec<(Candidate, Hint)> = names.filter_map(candidate_of).collect();
    if !load.has_kernels {
        cover_time_line(correlation, &mut found);
    }
    found.into_iter().map(|(candidate, hint)| with_score(candidate, hint)).collect()
}

fn candidate(
    trace: &Trace,
    correlation: &Correlation,
    load: &Load,
    key_node: KeyNode,
    label: LabelId,
) -> (Candidate, Hint) {
    let label = &correlation.labels[label.index()];
    let is_range = label.identity == Identity::Name;
    let hint = Hint::of(if is_range { &label.op_type } else { leaf(&key_node.name) });
    let intervals = intervals(&key_node.starts);
    let interval_ns = median(intervals.clone());
    let process = trace.threads[key_node.thread.index()].process.index();
    let (coverage, kernels) = load.measure(process, &key_node.starts, interval_ns);
    let candidate = Candidate {
        source: match (is_range, correlation.mode) {
            (true, _) => "range",
            (false, Mode::PytorchEmitNvtx) => "operator",
            (false, _) => "op",
        },
        interval_ns,
        steadiness: share_near(&intervals, interval_ns, 35),
        coverage,
        regularity: if load.has_kernels { regularity(kernels) } else { 0.0 },
        key_node,
        score: 0.0,
    };
    (candidate, hint)
}

fn regularity(kernels: Vec<Ns>) -> f64 {
    let typical = median(kernels.clone());
    if typical == 0 { 0.0 } else { share_near(&kernels, typical, 20) }
}

/// Weights of name, steadiness, coverage and regularity; they add up to 1.
const WEIGHTS: [f64; 4] = [0.3, 0.25, 0.25, 0.2];

fn with_score(mut candidate: Candidate, hint: Hint) -> Candidate {
    let parts = [hint.weight(), candidate.steadiness, candidate.coverage, candidate.regularity];
    let sum: f64 = parts.iter().zip(WEIGHTS).map(|(part, weight)| part * weight).sum();
    // Few executions prove little, above all of a name that says nothing, unless they are alike to the last.
    let is_exact = candidate.steadiness.min(candidate.regularity) >= 0.95;
    let enough = if hint == Hint::Neutral && !is_exact { 8.0 } else { 4.0 };
    let intervals = count_to_f64(candidate.key_node.starts.len() as u64 - 1);
    let recurrence = (intervals / enough).min(1.0).sqrt();
    let is_layer =
        hint == Hint::Neutral && has_regular_gaps(&candidate.key_node.starts, candidate.interval_ns);
    // An operator such as `aten::cat` says nothing about iterations, however steadily it runs.
    let is_any_operator = hint == Hint::Neutral && candidate.source == "operator";
    let doubt = if is_layer || is_any_operator { DOUBT } else { 1.0 };
    // A warm-up and an empty step out of six are no reason to doubt a range called `step`.
    let unsteady = match hint {
        Hint::Iteration => 1.0,
        _ => (candidate.steadiness / LEAST_STEADINESS).min(1.0),
    };
    let uncovered = (0.5 + candidate.coverage).min(1.0);
    candidate.score = sum * recurrence * doubt * unsteady * uncovered;
    candidate
}

/// Factor on the score of what is probably no iteration.
const DOUBT: f64 = 0.7;

/// Less steady candidates lose in proportion.
const LEAST_STEADINESS: f64 = 0.7;

/// The parts of an iteration run equally often: `forward`, `backward`, `optimizer`. The iteration begins with the
/// first of them, so the best candidate gives way to the one that starts earliest, within one interval.
fn begin_with_first_part(candidates: &mut [Candidate]) {
    let Some(best) = candidates.first().filter(|best| Hint::of(leaf(&best.key_node.name)) != Hint::Iteration)
    else {
        return;
    };
    let is_part = |other: &Candidate| {
        other.key_node.thread == best.key_node.thread
            && other.key_node.starts.len() == best.key_node.starts.len()
            && other.score >= ACCEPTED
            && other
                .key_node
                .starts
                .iter()
                .zip(&best.key_node.starts)
                .all(|(a, b)| (b - a).abs() <= best.interval_ns)
    };
    let parts = candidates.iter().enumerate().filter(|(_, candidate)| is_part(candidate));
    if let Some((first, _)) = parts.min_by_key(|(at, candidate)| (candidate.key_node.starts[0], *at)) {
        candidates[..=first].rotate_right(1);
    }
}

fn leaf(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

pub(super) fn intervals(starts: &[Ns]) -> Vec<Ns> {
    starts.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

/// Whether long gaps come after equal numbers of executions: what a layer does, and an iteration does not.
fn has_regular_gaps(starts: &[Ns], interval: Ns) -> bool {
    let long: Vec<usize> = intervals(starts)
        .into_iter()
        .enumerate()
        .filter(|(_, length)| *length > interval + interval / 2)
        .map(|(at, _)| at)
        .collect();
    let distances: Vec<usize> = long.windows(2).map(|pair| pair[1] - pair[0]).collect();
    match distances.first() {
        Some(&first) => {
            first > 1
                && distances.iter().filter(|&&distance| distance == first).count() * 4 >= distances.len() * 3
        }
        None => false,
    }
}

/// Without kernels: the share of the time line that the calls of names of the same frequency cover.
fn cover_time_line(correlation: &Correlation, found: &mut [(Candidate, Hint)]) {
    let calls = &correlation.calls;
    let frequencies: Vec<(ThreadId, usize)> = found
        .iter()
        .map(|(candidate, _)| (candidate.key_node.thread, candidate.key_node.starts.len()))
        .collect();
    for at in 0..found.len() {
        let (thread, count) = frequencies[at];
        let names: Vec<&str> = frequencies
            .iter()
            .zip(found.iter())
            .filter(|((other, frequency), _)| *other == thread && frequency.abs_diff(count) <= 1)
            .map(|(_, (candidate, _))| candidate.key_node.name.as_str())
            .collect();
        let candidate = &found[at].0;
        let window = Span::new(
            candidate.key_node.starts[0],
            candidate.key_node.starts[count - 1] + candidate.interval_ns,
        );
        let spans = calls.ids().filter(|call| calls.thread[call.index()] == thread).filter(|call| {
            names.contains(&correlation.names.get(correlation.labels[calls.label[call.index()].index()].name))
        });
        let covered = union(spans.map(|call| calls.span[call.index()].clip(window)).collect());
        let share = to_f64(union_length(covered)) / to_f64(window.length().max(1));
        found[at].0.regularity = share;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_betray_themselves() {
        let layers: Vec<Ns> =
            (0..8).flat_map(|pass| (0..6).map(move |layer| pass * 1000 + layer * 50)).collect();
        assert!(has_regular_gaps(&layers, 50));
        let steps: Vec<Ns> = (0..40).map(|step| step * 50 + if step > 20 { 500 } else { 0 }).collect();
        assert!(!has_regular_gaps(&steps, 50));
    }
}
