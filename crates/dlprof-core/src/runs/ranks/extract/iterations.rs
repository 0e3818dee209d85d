//! The iterations of each process, on the clock of the CPU, with the numbers in the texts of their ranges and the marks of servers.

use super::super::digest::RankIteration;
use crate::base::ids::{Maybe, ProcessId, ThreadId};
use crate::base::time::{Ns, Span};
use crate::capture::Capture;
use crate::capture::names::StepMark;
use crate::steps::iterate::{ENGINE_STEP, Iterations, ProcessExecutions};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The iterations of each process. Processes that do not run the key node have those of the one that counts.
pub(super) struct IterationsOfProcesses {
    /// Whether a step repeats; else the capture is one iteration.
    pub(super) has_steps: bool,
    main: Vec<RankIteration>,
    by_process: BTreeMap<ProcessId, Vec<RankIteration>>,
}

impl IterationsOfProcesses {
    pub(super) fn new(capture: &Capture, iterations: &Iterations) -> Self {
        let main = main_iterations(iterations);
        let has_steps = iterations.key_node.is_some();
        let Some(key_node) = &iterations.key_node else {
            return Self { has_steps, main, by_process: BTreeMap::new() };
        };
        let own = key_node.thread.some().map(|thread| capture.process_of(thread));
        let prefix = iterations.labels.iter().find_map(|label| numbered(label)).map(|(prefix, _)| prefix);
        let others = key_node.by_process.iter().filter(|executions| Some(executions.process) != own);
        let end = iterations.boundaries.last().copied().unwrap_or(0);
        let are_marked = is_of_engine(iterations);
        let of_process = |executions: &ProcessExecutions| {
            let thread = executions.thread.some();
            let labels = prefix
                .zip(thread)
                .map(|(prefix, thread)| {
                    by_start(capture, thread, |text| {
                        numbered(text).filter(|&(own, _)| own == prefix).map(|(_, number)| number)
                    })
                })
                .unwrap_or_default();
            let mark = |text: &str| StepMark::parse(text).map(|_| checksum(text));
            let marks = thread.filter(|_| are_marked).map(|thread| by_start(capture, thread, mark));
            (executions.process, iterations_of(executions, end, &labels, &marks.unwrap_or_default()))
        };
        Self { has_steps, main, by_process: others.map(of_process).collect() }
    }

    pub(super) fn of(&self, process: Maybe<ProcessId>) -> &[RankIteration] {
        process.some().and_then(|process| self.by_process.get(&process)).unwrap_or(&self.main)
    }
}

/// The iterations of the process that counts. Where there are none, the whole capture is one, without a number.
fn main_iterations(iterations: &Iterations) -> Vec<RankIteration> {
    let boundaries = iterations.window_boundaries();
    let first = u32::from(iterations.key_node.is_some());
    let numbers = (first..iterations.total()).filter(|&number| !iterations.is_outside(number));
    let are_marked = is_of_engine(iterations);
    let iteration = |number: u32| {
        let at = number as usize;
        let text = iterations.label(number);
        RankIteration {
            label: text.and_then(numbered).map(|(_, number)| number),
            mark: text.filter(|_| are_marked).map(checksum),
            span: Span::new(boundaries[at], boundaries[at + 1]),
        }
    };
    numbers.map(iteration).collect()
}

/// Whether steps of an inference server are the iterations.
fn is_of_engine(iterations: &Iterations) -> bool {
    iterations.key_node.as_ref().is_some_and(|key_node| key_node.name.starts_with(ENGINE_STEP))
}

fn checksum(mark: &str) -> u32 {
    crc32fast::hash(mark.as_bytes())
}

fn iterations_of(
    executions: &ProcessExecutions,
    end: Ns,
    labels: &FxHashMap<Ns, i64>,
    marks: &FxHashMap<Ns, u32>,
) -> Vec<RankIteration> {
    let starts = &executions.starts;
    let ends = starts.iter().copied().skip(1).chain([end]);
    let pieces = (1..).zip(starts.iter().zip(ends));
    let inside = pieces.filter(|(number, _)| executions.outside.binary_search(number).is_err());
    let iteration = |(_, (&start, end)): (u32, (&Ns, Ns))| RankIteration {
        label: labels.get(&start).copied(),
        mark: marks.get(&start).copied(),
        span: Span::new(start, end),
    };
    inside.map(iteration).collect()
}

/// By start: what the text of a range of a thread says. Of those that start together the first row counts.
fn by_start<T>(capture: &Capture, thread: ThreadId, says: impl Fn(&str) -> Option<T>) -> FxHashMap<Ns, T> {
    let mut found = FxHashMap::default();
    let Some(ranges) = capture.ranges.by_thread.get(thread.index()) else { return found };
    for (span, text) in ranges.span.iter().zip(&ranges.text[..]) {
        if let Some(says) = says(capture.strings.get(capture.ranges.texts[text.index()].text)) {
            found.entry(span.start).or_insert(says);
        }
    }
    found
}

/// A text that ends in a number: what stands before it, and the number.
pub(super) fn numbered(text: &str) -> Option<(&str, i64)> {
    let prefix = text.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = text.get(prefix.len()..)?.parse().ok()?;
    Some((prefix, number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steps::iterate::KeyNodeChoice;
    use crate::tests::drawn::Drawn;

    #[test]
    fn numbers_stand_at_the_end() {
        assert_eq!(numbered("ProfilerStep#12"), Some(("ProfilerStep#", 12)));
        assert_eq!(numbered("7"), Some(("", 7)));
        assert_eq!(numbered("step"), None);
        assert_eq!(numbered("step 99999999999999999999"), None);
    }

    #[test]
    fn iterations_have_the_numbers_of_their_ranges() {
        let mut drawn = Drawn::new();
        for step in 0..8 {
            let start = 1000 * step;
            drawn.range(&format!("step {}", step + 40), start..start + 900).launch(
                start + 10..start + 20,
                "k",
                start + 30..start + 800,
            );
        }
        let capture = drawn.capture();
        let found = crate::steps::iterate::iterate(&capture, &KeyNodeChoice::Find).expect("iterations");
        let of_processes = IterationsOfProcesses::new(&capture, &found.iterations);
        let labels: Vec<Option<i64>> =
            of_processes.of(ProcessId::new(0).into()).iter().map(|iteration| iteration.label).collect();
        assert_eq!(labels, (40..48).map(Some).collect::<Vec<_>>());
    }
}
