//! The best range.

use super::outcome::Confidence;
use super::sections::Section;
use super::words::KeyNodeHint;
use crate::base::ratios::count_to_f64;
use crate::base::time::{Ns, Span};
use std::cmp::{Ordering, Reverse};

/// A candidate with its score, as far as choosing needs it.
pub(super) struct Rated<'a> {
    pub(super) section: &'a Section,
    pub(super) name: &'a str,
    pub(super) score: f64,
    pub(super) confidence: Confidence,
    pub(super) gpu_ns: Ns,
    pub(super) interval_ns: Ns,
    /// Whether its thread launches something.
    pub(super) launches: bool,
    /// Steadiness, coverage and regularity.
    pub(super) measured: [f64; 3],
}

/// Scores this far apart are alike.
const ALIKE: f64 = 0.1;

/// Measures this far apart are equal evidence; so are those that differ by one interval, which a slow beginning makes longer.
const EQUAL: f64 = 0.05;

/// The candidate that delimits iterations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Choice {
    /// Its position.
    pub(super) chosen: usize,
    /// The candidate that tells how sure it is: itself, or the one whose executions it encloses one by one.
    pub(super) evidence: usize,
}

impl Choice {
    /// One that tells itself how sure it is.
    pub(super) fn of(chosen: usize) -> Self {
        Self { chosen, evidence: chosen }
    }
}

impl Rated<'_> {
    fn first_start(&self) -> Ns {
        self.section.executions[0].span.start
    }
}

/// The better candidate first: by score, then the earlier one, then by name and path.
fn by_score(a: &Rated<'_>, b: &Rated<'_>) -> Ordering {
    let tie = |rated: &Rated<'_>| (rated.section.leaf, rated.section.path);
    b.score
        .total_cmp(&a.score)
        .then_with(|| a.first_start().cmp(&b.first_start()))
        .then_with(|| a.name.cmp(b.name))
        .then_with(|| tie(a).cmp(&tie(b)))
}

/// One candidate per name: of those nearly as good as its best, the one with most GPU time, then most executions. As
/// positions in `rated`, best first.
pub(super) fn one_per_leaf(rated: &[Rated<'_>]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rated.len()).collect();
    order.sort_by(|&a, &b| {
        let leaf = |at: usize| rated[at].section.leaf;
        leaf(a).cmp(&leaf(b)).then_with(|| by_score(&rated[a], &rated[b]))
    });
    let of_leaf = order.chunk_by(|&a, &b| rated[a].section.leaf == rated[b].section.leaf);
    let mut kept: Vec<usize> = of_leaf
        .filter_map(|candidates| {
            let best = rated[*candidates.first()?].score;
            let near = candidates.iter().copied().filter(|&at| rated[at].score >= best - ALIKE);
            // Of equals the first in order of score.
            near.enumerate()
                .max_by_key(|&(place, at)| {
                    (rated[at].gpu_ns, rated[at].section.executions.len(), Reverse(place))
                })
                .map(|(_, at)| at)
        })
        .collect();
    kept.sort_by(|&a, &b| by_score(&rated[a], &rated[b]));
    kept
}

/// The candidate that delimits iterations. `kept` are positions in `rated`, best first.
pub(super) fn choose(rated: &[Rated<'_>], kept: &[usize]) -> Option<Choice> {
    let is_good = |at: usize| rated[at].confidence > Confidence::Low;
    let best = kept.iter().copied().find(|&at| is_good(at)).or(kept.first().copied())?;
    // What runs beside the launches is only taken where nothing as good launches itself.
    let launches = |at: usize| {
        is_good(at)
            && rated[at].launches
            && rated[at].score >= rated[best].score - ALIKE
            && rated[at].section.process == rated[best].section.process
    };
    let launching = kept.iter().copied().find(|&at| launches(at));
    let best = if rated[best].launches { best } else { launching.unwrap_or(best) };
    let others = kept
        .iter()
        .copied()
        .filter(|&at| at != best && rated[at].section.thread == rated[best].section.thread);
    if rated[best].section.hint == KeyNodeHint::Step {
        let around = others.filter(|&at| {
            is_good(at)
                && rated[at].section.hint == KeyNodeHint::Step
                && rated[at].score >= rated[best].score - ALIKE
                && lie_inside(rated[best].section, rated[at].section)
        });
        // The outermost is around all others; it has the fewest executions and starts first.
        let outermost =
            around.min_by_key(|&at| (rated[at].first_start(), rated[at].section.executions.len()));
        return Some(Choice::of(outermost.unwrap_or(best)));
    }
    let parts = others
        .filter(|&at| {
            is_good(at) && are_counterparts(&rated[best], &rated[at]) || encloses(&rated[at], &rated[best])
        })
        .chain([best]);
    let chosen = parts.min_by_key(|&at| (rated[at].first_start(), at != best))?;
    let is_weaker = rated[chosen].score < rated[best].score;
    let evidence = if is_weaker && encloses(&rated[chosen], &rated[best]) { best } else { chosen };
    Some(Choice { chosen, evidence })
}

/// Whether each execution of one candidate encloses one of another, with evidence that is as good; whatever its name says.
fn encloses(outer: &Rated<'_>, inner: &Rated<'_>) -> bool {
    let (around, inside) = (&outer.section.executions, &inner.section.executions);
    let intervals = inside.len().saturating_sub(1).max(1) as u64;
    let equal = EQUAL.max(1.01 / count_to_f64(intervals));
    outer.section.hint != KeyNodeHint::Layer
        && around.len() == inside.len()
        && outer.measured.iter().zip(inner.measured).all(|(outer, inner)| *outer >= inner - equal)
        && around.iter().zip(inside).all(|(around, inside)| {
            around.span.start <= inside.span.start && inside.span.end <= around.span.end
        })
}

/// Whether most executions of one candidate lie inside executions of another.
fn lie_inside(inner: &Section, outer: &Section) -> bool {
    let mut around = outer.executions.iter().map(|execution| execution.span).peekable();
    let mut inside = 0;
    for execution in &inner.executions {
        let span = execution.span;
        while around.next_if(|around| around.end <= span.start).is_some() {}
        let is_inside = |around: &Span| around.start <= span.start && span.end <= around.end;
        inside += usize::from(around.peek().is_some_and(is_inside));
    }
    inside * 2 > inner.executions.len()
}

/// Whether two candidates run equally often, each execution of one within an interval of its counterpart.
fn are_counterparts(best: &Rated<'_>, other: &Rated<'_>) -> bool {
    let (a, b) = (&best.section.executions, &other.section.executions);
    a.len() == b.len()
        && a.iter().zip(b).all(|(a, b)| (a.span.start - b.span.start).abs() <= best.interval_ns)
}
