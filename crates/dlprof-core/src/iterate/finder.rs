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

use super::candidate::{ACCEPTED, Candidate, CandidateKind};
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

/// Fewer executions delimit nothing.
const FEWEST: usize = 3;

/// A candidate with its executions.
pub(super) struct Measured {
    pub(super) candidate: Candidate,
    pub(super) key_node: KeyNode,
}

/// All candidates, best first, and the best as the key node, if it is good enough.
pub(super) fn find(trace: &Trace, correlation: &Correlation) -> (Vec<Candidate>, Option<KeyNode>) {
    // Executions of the others are let go of: there may be as many as op calls.
    let (candidates, mut key_nodes): (Vec<Candidate>, Vec<KeyNode>) =
        measure(trace, correlation).into_iter().map(|one| (one.candidate, one.key_node)).unzip();
    let is_good = candidates.first().is_some_and(|best| best.score >= ACCEPTED);
    let key_node = is_good.then(|| key_nodes.swap_remove(0));
    (candidates, key_node)
}

/// All candidates, best first.
fn measure(trace: &Trace, correlation: &Correlation) -> Vec<Measured> {
    let mut candidates = if correlation.mode == Mode::Simple {
        super::kernel_sequence::candidates(trace, correlation)
    } else {
        by_name(trace, correlation)
    };
    candidates.sort_by(|a, b| {
        b.candidate
            .score
            .total_cmp(&a.candidate.score)
            .then_with(|| (&a.key_node.starts, &a.key_node.name).cmp(&(&b.key_node.starts, &b.key_node.name)))
    });
    begin_with_first_part(&mut candidates);
    candidates
}

fn by_name(trace: &Trace, correlation: &Correlation) -> Vec<Measured> {
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
    let mut found: Vec<(Measured, Hint)> = names.filter_map(candidate_of).collect();
    if !load.has_kernels {
        cover_time_line(correlation, &mut found);
    }
    found.into_iter().map(|(measured, hint)| with_score(measured, hint)).collect()
}

fn candidate(
    trace: &Trace,
    correlation: &Correlation,
    load: &Load,
    key_node: KeyNode,
    label: LabelId,
) -> (Measured, Hint) {
    let label = &correlation.labels[label.index()];
    let is_range = label.identity == Identity::Name;
    let hint = Hint::of(if is_range { &label.op_type } else { leaf(&key_node.name) });
    let intervals = intervals(&key_node.starts);
    let interval_ns = median(intervals.clone());
    let process = trace.threads[key_node.thread.index()].process.index();
    let (coverage, kernels) = load.measure(process, &key_node.starts, interval_ns);
    let candidate = Candidate {
        name: key_node.name.clone(),
        executions: key_node.starts.len(),
        kind: match (is_range, correlation.mode) {
            (true, _) => CandidateKind::Range,
            (false, Mode::PytorchEmitNvtx) => CandidateKind::Operator,
            (false, _) => CandidateKind::Op,
        },
        interval_ns,
        steadiness: share_near(&intervals, interval_ns, 35),
        coverage,
        regularity: if load.has_kernels { regularity(kernels) } else { 0.0 },
        score: 0.0,
    };
    (Measured { candidate, key_node }, hint)
}

fn regularity(kernels: Vec<Ns>) -> f64 {
    let typical = median(kernels.clone());
    if typical == 0 { 0.0 } else { share_near(&kernels, typical, 20) }
}

/// Weights of name, steadiness, coverage and regularity; they add up to 1.
const WEIGHTS: [f64; 4] = [0.3, 0.25, 0.25, 0.2];

fn with_score(mut measured: Measured, hint: Hint) -> Measured {
    let Measured { candidate, key_node } = &mut measured;
    let parts = [hint.weight(), candidate.steadiness, candidate.coverage, candidate.regularity];
    let sum: f64 = parts.iter().zip(WEIGHTS).map(|(part, weight)| part * weight).sum();
    // Few executions prove little, above all of a name that says nothing, unless they are alike to the last.
    let is_exact = candidate.steadiness.min(candidate.regularity) >= 0.95;
    let enough = if hint == Hint::Neutral && !is_exact { 8.0 } else { 4.0 };
    let intervals = count_to_f64(candidate.executions as u64 - 1);
    let recurrence = (intervals / enough).min(1.0).sqrt();
    let is_layer = hint == Hint::Neutral && has_regular_gaps(&key_node.starts, candidate.interval_ns);
    // An operator such as `aten::cat` says nothing about iterations, however steadily it runs.
    let is_any_operator = hint == Hint::Neutral && candidate.kind == CandidateKind::Operator;
    let doubt = if is_layer || is_any_operator { DOUBT } else { 1.0 };
    // A warm-up and an empty step out of six are no reason to doubt a range called `step`.
    let unsteady = match hint {
        Hint::Iteration => 1.0,
        _ => (candidate.steadiness / LEAST_STEADINESS).min(1.0),
    };
    let uncovered = (0.5 + candidate.coverage).min(1.0);
    candidate.score = sum * recurrence * doubt * unsteady * uncovered;
    measured
}

/// Factor on the score of what is probably no iteration.
const DOUBT: f64 = 0.7;

/// Less steady candidates lose in proportion.
const LEAST_STEADINESS: f64 = 0.7;

/// The parts of an iteration run equally often: `forward`, `backward`, `optimizer`. The iteration begins with the
/// first of them, so the best candidate gives way to the one that starts earliest, within one interval.
fn begin_with_first_part(candidates: &mut [Measured]) {
    let Some(best) =
        candidates.first().filter(|best| Hint::of(leaf(&best.candidate.name)) != Hint::Iteration)
    else {
        return;
    };
    let is_part = |other: &Measured| {
        other.key_node.thread == best.key_node.thread
            && other.key_node.starts.len() == best.key_node.starts.len()
            && other.candidate.score >= ACCEPTED
            && other
                .key_node
                .starts
                .iter()
                .zip(&best.key_node.starts)
                .all(|(a, b)| (b - a).abs() <= best.candidate.interval_ns)
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
fn cover_time_line(correlation: &Correlation, found: &mut [(Measured, Hint)]) {
    let calls = &correlation.calls;
    let frequencies: Vec<(ThreadId, usize)> =
        found.iter().map(|(measured, _)| (measured.key_node.thread, measured.candidate.executions)).collect();
    for at in 0..found.len() {
        let (thread, count) = frequencies[at];
        let names: Vec<&str> = frequencies
            .iter()
            .zip(found.iter())
            .filter(|((other, frequency), _)| *other == thread && frequency.abs_diff(count) <= 1)
            .map(|(_, (measured, _))| measured.candidate.name.as_str())
            .collect();
        let Measured { candidate, key_node } = &found[at].0;
        let window = Span::new(key_node.starts[0], key_node.starts[count - 1] + candidate.interval_ns);
        let spans = calls.ids().filter(|call| calls.thread[call.index()] == thread).filter(|call| {
            names.contains(&correlation.names.get(correlation.labels[calls.label[call.index()].index()].name))
        });
        let covered = union(spans.map(|call| calls.span[call.index()].clip(window)).collect());
        let share = to_f64(union_length(covered)) / to_f64(window.length().max(1));
        found[at].0.candidate.regularity = share;
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
