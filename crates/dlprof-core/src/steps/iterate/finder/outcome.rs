//! What the finder found.

use super::elsewhere::PassElsewhere;
use super::words::KeyNodeHint;
use crate::base::ids::{Maybe, ProcessId, RangeTextId, ThreadId};
use crate::base::shell_word::shell_word;
use crate::base::time::{Ns, Span};
use serde::{Deserialize, Serialize};
use std::fmt;

/// What the finder found: what delimits iterations, if anything does, and everything that might.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct FoundIterations {
    /// What delimits iterations; none where nothing of at least medium confidence was found.
    pub delimiter: Option<Delimiter>,
    /// All candidates; the chosen one first, then by score, highest first.
    pub candidates: Vec<IterationCandidate>,
}

/// What delimits iterations.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Delimiter {
    /// Name of the range, or of the kernel that begins a period.
    pub name: String,
    /// A range or the rhythm of kernels.
    pub kind: DelimiterKind,
    /// Medium or high.
    pub confidence: Confidence,
    /// The iterations of each process that has some; first of the one that counts, then in order of process.
    pub by_process: Vec<ProcessIterations>,
    /// By iteration of the process that counts: the text of its range, where texts differ (`step 17`); else empty.
    pub labels: Vec<RangeTextId>,
    /// Where else ranges of the chosen name run that delimit no iterations.
    pub sections: Sections,
    /// The best shorter rhythm inside a period.
    pub inner_rhythm: Option<InnerRhythm>,
    /// Passes of a period on other streams of the process that counts, in order of time.
    pub elsewhere: Vec<PassElsewhere>,
}

/// Iterations of one process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProcessIterations {
    /// The process.
    pub process: ProcessId,
    /// The thread whose ranges or launches delimit them; none if no API call of the kernels was recorded.
    pub thread: Maybe<ThreadId>,
    /// In order. An iteration may end before the next begins, at the end of a run; none overlaps the next.
    pub iterations: Vec<Span>,
}

/// A kind of delimiter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum DelimiterKind {
    /// Executions of a range.
    Range,
    /// A period of the kernels of a stream.
    Period {
        /// Kernels and whole graph launches in it.
        kernels: u32,
    },
}

impl DelimiterKind {
    /// The words for reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Range => "range",
            Self::Period { .. } => "kernel sequence",
        }
    }
}

/// How sure the finder of iterations is, or a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Confidence {
    /// Of iterations: never chosen. Of findings: from names, or from what is missing.
    Low,
    /// Something recurs, with doubts; a measurement with an assumption.
    Medium,
    /// Clear; a direct measurement.
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
}

/// What may delimit iterations, and how likely.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct IterationCandidate {
    /// What `--key-node` takes for it.
    pub key_node: String,
    /// Name of the range, or of the kernel that begins a period.
    pub name: String,
    /// Names of the ranges around it, with `/` between them; empty for outermost ranges and where paths differ.
    pub section: String,
    /// A range or the rhythm of kernels.
    pub kind: DelimiterKind,
    /// What its name says.
    pub hint: KeyNodeHint,
    /// Executions or periods on the thread that counts.
    pub executions: usize,
    /// Median time from one to the next.
    pub interval_ns: Ns,
    /// Share of intervals within 35 % of the median, from 0 to 1.
    pub steadiness: f64,
    /// Share of the GPU time (without GPU work: of the CPU time of ranges) in its iterations, from 0 to 1.
    pub coverage: f64,
    /// Share of intervals whose kernel count is near the median, from 0 to 1; of a period, the share of kernels that
    /// are the same one period later.
    pub regularity: f64,
    /// From 0 to 1.
    pub score: f64,
    /// How sure the finder is of it.
    pub confidence: Confidence,
}

impl IterationCandidate {
    /// The names of the ranges around it and its own, each after a `/`.
    #[must_use]
    pub fn path(&self) -> String {
        match self.section.as_str() {
            "" => format!("/{}", self.name),
            around => format!("/{around}/{}", self.name),
        }
    }
}

/// Where the ranges of the chosen name run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sections {
    /// The chosen one; none for a period.
    pub chosen: Option<SectionPlace>,
    /// Others on the same thread with at least three executions, at most three; most executions first.
    pub others: Vec<SectionPlace>,
}

/// Executions of a range under one path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SectionPlace {
    /// Name of the range.
    pub name: String,
    /// Names of the ranges around it, with `/` between them; empty for outermost ranges and where paths differ.
    pub around: String,
    /// How often it ran.
    pub executions: usize,
}

impl SectionPlace {
    /// The value of `--key-node` that chooses this section: the names of its path, each after a `/`.
    #[must_use]
    pub fn key_node(&self) -> String {
        match self.around.as_str() {
            "" => format!("/{}", self.name),
            around => format!("/{around}/{}", self.name),
        }
    }
}

impl fmt::Display for Sections {
    /// `10 × step in measure; also 5 in warmup: --key-node /warmup/step`; empty for a period.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(chosen) = &self.chosen else { return Ok(()) };
        write!(f, "{} × {}", chosen.executions, chosen.name)?;
        if !chosen.around.is_empty() {
            write!(f, " in {}", chosen.around)?;
        }
        for other in &self.others {
            let place = if other.around.is_empty() { "outside of all ranges" } else { &other.around };
            let preposition = if other.around.is_empty() { "" } else { "in " };
            let key_node = other.key_node();
            let key_node = shell_word(&key_node);
            write!(f, "; also {} {preposition}{place}: --key-node {key_node}", other.executions)?;
        }
        Ok(())
    }
}

/// A shorter rhythm inside a period: perhaps the true steps, perhaps layers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct InnerRhythm {
    /// How many of them a period holds.
    pub repeats: f64,
    /// Kernels in each.
    pub kernels: u32,
    /// Share of the kernels of the stretch that are the same one such rhythm later, from 0 to 1.
    pub matching: f64,
}

impl fmt::Display for InnerRhythm {
    /// `each holds 10.0 × 297 kernels (0.92)`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "each holds {:.1} × {} kernels ({:.2})", self.repeats, self.kernels, self.matching)?;
        if (self.repeats - 2.0).abs() <= 0.05 { f.write_str(": it may be two steps") } else { Ok(()) }
    }
}

/// A part of the time line of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Piece {
    /// Where it is.
    pub span: Span,
    /// Whether it is an iteration; else nothing that counts: what comes before the first one, between runs or after.
    pub is_iteration: bool,
}

/// Iterations and what lies between them: pieces that tile the time line, in order.
///
/// The first piece is always what comes before the first iteration, also where that is empty, so that the first
/// iteration is number 1, as it is for a key node that a user names. Times after its end count as that; iterations that begin
/// before it keep their start.
#[must_use]
pub(crate) fn tile(iterations: &[Span], whole: Span) -> Vec<Piece> {
    let end = whole.end;
    let begin = iterations.first().map_or(whole.start, |first| first.start.min(whole.start));
    let limit = |time: Ns| time.clamp(begin, end.max(begin));
    let mut pieces = Vec::with_capacity(iterations.len() + 2);
    let mut at = begin;
    for iteration in iterations {
        let span = Span::new(limit(iteration.start), limit(iteration.end));
        if span.start > at || pieces.is_empty() {
            pieces.push(Piece { span: Span::new(at, span.start), is_iteration: false });
        }
        pieces.push(Piece { span, is_iteration: true });
        at = span.end;
    }
    if limit(end) > at || pieces.is_empty() {
        pieces.push(Piece { span: Span::new(at, limit(end)), is_iteration: false });
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_of_sections() {
        let place = |around: &str, executions| SectionPlace {
            name: "step".into(),
            around: around.into(),
            executions,
        };
        let sections = Sections { chosen: Some(place("measure", 10)), others: vec![place("warm up", 5)] };
        let expected = "10 × step in measure; also 5 in warm up: --key-node '/warm up/step'";
        assert_eq!(sections.to_string(), expected);
        let sections = Sections { chosen: Some(place("a/b", 3)), others: vec![place("", 4)] };
        let expected = "3 × step in a/b; also 4 outside of all ranges: --key-node /step";
        assert_eq!(sections.to_string(), expected);
        assert_eq!(Sections::default().to_string(), "");
        let rhythm = InnerRhythm { repeats: 10.0, kernels: 297, matching: 0.918 };
        assert_eq!(rhythm.to_string(), "each holds 10.0 × 297 kernels (0.92)");
        let twice = InnerRhythm { repeats: 2.01, kernels: 9, matching: 0.97 };
        assert_eq!(twice.to_string(), "each holds 2.0 × 9 kernels (0.97): it may be two steps");
    }

    #[test]
    fn pieces_tile_the_time_line() {
        let pieces = |iterations: &[(Ns, Ns)], end| -> Vec<(Ns, Ns, bool)> {
            let iterations: Vec<Span> = iterations.iter().map(|&(a, b)| Span::new(a, b)).collect();
            let pieces = tile(&iterations, Span::new(0, end));
            pieces.iter().map(|piece| (piece.span.start, piece.span.end, piece.is_iteration)).collect()
        };
        assert_eq!(pieces(&[], 9), [(0, 9, false)]);
        assert_eq!(
            pieces(&[(2, 4), (4, 5), (7, 9)], 9),
            [(0, 2, false), (2, 4, true), (4, 5, true), (5, 7, false), (7, 9, true)]
        );
        assert_eq!(pieces(&[(-3, 4)], 6), [(-3, -3, false), (-3, 4, true), (4, 6, false)]);
    }
}
