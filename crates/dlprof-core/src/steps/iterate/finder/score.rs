//! How likely a candidate delimits iterations.

use super::outcome::Confidence;
use super::sections::Section;
use super::words::KeyNodeHint;
use crate::base::ratios::{count_to_f64, median};
use crate::base::time::Ns;
use std::ops::Range;

/// Weights of name, steadiness, coverage and regularity; they add up to 1.
const WEIGHTS: [f64; 4] = [0.3, 0.25, 0.25, 0.2];

/// Factor on the score of what is probably a part of a step.
const PART_OF_STEP: f64 = 0.7;

/// Less steady candidates lose in proportion, unless they are called a step: a warm-up and an empty step out of six
/// are no reason to doubt a range called `step`.
const LEAST_STEADINESS: f64 = 0.7;

/// From this regularity, coverage and number of executions on, each does the same work, and together they do nearly all there is:
/// requests to a server come at any time.
const SAME_WORK: (f64, f64, usize) = (0.95, 0.8, 10);

/// The least steadiness that counts for what does the same work each time.
const STEADINESS_OF_SAME_WORK: f64 = 0.5;

/// Scores from this on are of high confidence.
const HIGH: f64 = 0.75;

/// Scores from this on are of medium confidence.
const MEDIUM: f64 = 0.6;

/// What a score is made of.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scored {
    pub(super) hint: KeyNodeHint,
    pub(super) executions: usize,
    pub(super) steadiness: f64,
    pub(super) regularity: f64,
    pub(super) coverage: f64,
    /// Whether it runs several times in a step.
    pub(super) is_part_of_step: bool,
    /// Whether the kernels repeat several times in each execution, as layers do in a request.
    pub(super) holds_periods: bool,
}

impl Scored {
    /// The score, from 0 to 1.
    pub(super) fn score(&self) -> f64 {
        let least = if self.does_same_work() { STEADINESS_OF_SAME_WORK } else { 0.0 };
        let parts = [self.hint.weight(), self.steadiness.max(least), self.coverage, self.regularity];
        let sum: f64 = parts.iter().zip(WEIGHTS).map(|(part, weight)| part * weight).sum();
        let part = if self.is_part_of_step { PART_OF_STEP } else { 1.0 };
        let unsteady = match self.hint {
            KeyNodeHint::Step => 1.0,
            _ if self.does_same_work() => 1.0,
            _ => (self.steadiness / LEAST_STEADINESS).min(1.0),
        };
        sum * self.enough() * part * unsteady * (0.5 + self.coverage).min(1.0)
    }

    /// Whether each execution runs through as many layers as the others, together nearly all work of the process.
    fn does_same_work(&self) -> bool {
        let (regularity, coverage, executions) = SAME_WORK;
        self.holds_periods
            && !self.is_part_of_step
            && self.regularity >= regularity
            && self.coverage >= coverage
            && self.executions >= executions
    }

    /// Few executions prove little, above all of a name that says nothing, unless they are alike to the last.
    fn enough(&self) -> f64 {
        let is_exact = self.steadiness.min(self.regularity) >= 0.95;
        let is_telling = matches!(self.hint, KeyNodeHint::Step | KeyNodeHint::Part);
        let wanted = if is_exact || is_telling { 4.0 } else { 8.0 };
        (count_to_f64(self.executions as u64 - 1) / wanted).min(1.0).sqrt()
    }

    /// How sure the finder is, given the score and the spread of durations. What kernels and host say of whole steps counts
    /// for names that say nothing: one pass of 24 layers looks as steady as 24 steps.
    pub(super) fn confidence(&self, score: f64, spread: f64, evidence: Evidence) -> Confidence {
        let evidence = if self.hint == KeyNodeHint::Neutral { evidence } else { Evidence::Step };
        match score {
            score if score < MEDIUM || evidence == Evidence::Part => Confidence::Low,
            _ if spread > 0.5 && self.hint == KeyNodeHint::Neutral && self.does_same_work() => {
                Confidence::Medium
            }
            _ if spread > 0.5 && self.hint != KeyNodeHint::Step => Confidence::Low,
            score if score < HIGH || evidence == Evidence::None => Confidence::Medium,
            _ if spread > 0.15 || self.coverage < 0.8 || self.executions < 5 => Confidence::Medium,
            _ => Confidence::High,
        }
    }
}

/// What there is to see of whole steps besides the range itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Evidence {
    /// It is a step: the host reads a result in each, the kernels have the same period, or it runs very often.
    Step,
    /// It is a part: kernels repeat with it, without any sign of a whole step.
    Part,
    /// Nothing.
    None,
}

/// Executions per period of what runs about once in it.
pub(super) const ONCE: Range<f64> = 2.0 / 3.0..1.5;

/// Whether a candidate runs about once per period.
pub(super) fn is_once(per_period: f64) -> bool {
    ONCE.contains(&per_period)
}

/// How often candidates run per period of the kernels, if there is such a period.
pub(super) struct Frequencies {
    /// By candidate: executions per period; none where the process or its kernels have no period.
    pub(super) per_period: Vec<Option<f64>>,
}

impl Frequencies {
    /// By candidate: whether it runs several times in a step.
    pub(super) fn parts_of_step(&self, sections: &[Section]) -> Vec<bool> {
        let is_telling = |section: &Section| matches!(section.hint, KeyNodeHint::Step | KeyNodeHint::Part);
        let once: Vec<usize> = (0..sections.len())
            .filter(|&at| is_telling(&sections[at]) && self.per_period[at].is_some_and(is_once))
            .collect();
        let is_part = |(at, section): (usize, &Section)| match (section.hint, self.per_period[at]) {
            (KeyNodeHint::Layer, _) => true,
            (KeyNodeHint::Neutral, Some(ratio)) => ratio >= ONCE.end,
            (KeyNodeHint::Neutral, None) => has_regular_gaps(section),
            (KeyNodeHint::Step | KeyNodeHint::Part, Some(ratio)) => {
                ratio >= ONCE.end && once.iter().any(|&other| sections[other].thread == section.thread)
            }
            _ => false,
        };
        sections.iter().enumerate().map(is_part).collect()
    }
}

/// Whether long gaps come after equal numbers of executions: what a layer does, and an iteration does not.
fn has_regular_gaps(section: &Section) -> bool {
    let starts = section.executions.windows(2).map(|pair| pair[1].span.start - pair[0].span.start);
    gaps_are_regular(&starts.collect::<Vec<_>>())
}

fn gaps_are_regular(intervals: &[Ns]) -> bool {
    let typical = median(intervals.to_vec());
    let is_long = |at: &usize| intervals[*at] > typical + typical / 2;
    let long: Vec<usize> = (0..intervals.len()).filter(is_long).collect();
    let distances: Vec<usize> = long.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let Some(&first) = distances.first() else { return false };
    let equal = distances.iter().filter(|&&distance| distance == first).count();
    first > 1 && equal * 4 >= distances.len() * 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_betray_themselves() {
        let layers: Vec<Ns> = (1..48).map(|layer| if layer % 6 == 0 { 750 } else { 50 }).collect();
        assert!(gaps_are_regular(&layers));
        let steps: Vec<Ns> = (0..40).map(|step| if step == 20 { 550 } else { 50 }).collect();
        assert!(!gaps_are_regular(&steps));
    }

    #[test]
    fn factors_of_the_score() {
        let step = Scored {
            hint: KeyNodeHint::Step,
            executions: 10,
            steadiness: 1.0,
            regularity: 1.0,
            coverage: 1.0,
            is_part_of_step: false,
            holds_periods: false,
        };
        let close = |a: f64, b: f64| (a - b).abs() < 1e-9;
        assert!(close(step.score(), 1.0));
        assert!(close(Scored { hint: KeyNodeHint::Neutral, ..step }.score(), 0.82));
        assert!(close(
            Scored { hint: KeyNodeHint::Neutral, regularity: 0.9, executions: 3, ..step }.score(),
            0.4
        ));
        assert!(close(Scored { executions: 3, ..step }.score(), 0.5_f64.sqrt()));
        assert!(close(Scored { is_part_of_step: true, ..step }.score(), 0.7));
        assert!(close(Scored { steadiness: 0.35, ..step }.score(), 0.8375));
        assert!(close(Scored { hint: KeyNodeHint::Part, steadiness: 0.35, ..step }.score(), 0.7475 / 2.0));
        assert!(close(Scored { coverage: 0.1, ..step }.score(), 0.775 * 0.6));
        let request = Scored { hint: KeyNodeHint::Neutral, steadiness: 0.3, holds_periods: true, ..step };
        assert!(close(request.score(), 0.695));
        assert!(request.confidence(0.695, 0.9, Evidence::None) == Confidence::Medium);
        assert!(Scored { holds_periods: false, ..request }.score() < 0.3);
    }

    #[test]
    fn confidence_by_score_and_spread() {
        let scored = Scored {
            hint: KeyNodeHint::Part,
            executions: 10,
            steadiness: 1.0,
            regularity: 1.0,
            coverage: 1.0,
            is_part_of_step: false,
            holds_periods: false,
        };
        let step = Scored { hint: KeyNodeHint::Step, ..scored };
        assert_eq!(scored.confidence(0.9, 0.1, Evidence::None), Confidence::High);
        assert_eq!(scored.confidence(0.7, 0.1, Evidence::None), Confidence::Medium);
        assert_eq!(scored.confidence(0.5, 0.1, Evidence::None), Confidence::Low);
        assert_eq!(scored.confidence(0.9, 0.2, Evidence::None), Confidence::Medium);
        assert_eq!(scored.confidence(0.9, 0.6, Evidence::None), Confidence::Low);
        assert_eq!(step.confidence(0.9, 0.6, Evidence::None), Confidence::Medium);
        let neutral = Scored { hint: KeyNodeHint::Neutral, ..scored };
        assert_eq!(neutral.confidence(0.8, 0.1, Evidence::None), Confidence::Medium);
        assert_eq!(neutral.confidence(0.8, 0.1, Evidence::Step), Confidence::High);
        assert_eq!(neutral.confidence(0.8, 0.1, Evidence::Part), Confidence::Low);
        assert_eq!(scored.confidence(0.9, 0.1, Evidence::Part), Confidence::High);
        assert_eq!(Scored { coverage: 0.7, ..step }.confidence(0.9, 0.0, Evidence::None), Confidence::Medium);
        assert_eq!(Scored { executions: 4, ..step }.confidence(0.9, 0.0, Evidence::None), Confidence::Medium);
    }
}
