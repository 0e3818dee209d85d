//! Finds iterations without being told.
//!
//! There are two sources. A **range** that recurs steadily over the capture and covers its GPU work; and the
//! **rhythm** of the kernels of a stream:
//!
//! ```text
//! ranges      ├ warm up ┤ ├step┤ ├step┤ ├step┤ ├step┤        4 × step
//! kernels     i j a b c    a b c  a b c  a b c  a b c  z      period 3
//! iterations              │──1───│──2───│──3───│──4──│
//! ```
//!
//! A range of at least medium confidence wins, else a period of at least medium confidence; else there are no
//! iterations, because wrong iterations are worse than none. Fewer than three executions or periods are never
//! iterations.
//!
//! [`find`] takes columns and gives spans. An iteration may end before the next begins: at the end of a run, so that
//! validation and teardown join no step. [`tile`] makes pieces of it that cover the whole time line.
//!
//! | module | what is in it |
//! |---|---|
//! | `words`, `delimiter_names`, `paths` | what a name says; which ranges count; the ranges around each |
//! | `sections`, `runs`, `gpu_load`, `measures`, `holding` | candidates, their iterations, and what these hold |
//! | `score`, `choice` | how likely a candidate is; which one it is |
//! | `sequence`, `distances`, `coarse`, `stretch` | kernels as symbols; which distances may be a period; what repeats |
//! | `openings` | passes of different lengths that begin with one kernel |
//! | `elsewhere` | passes of a period on other streams, which no iteration delimits |
//! | `signs`, `host_side`, `beginning`, `period` | is a period a step; where steps begin; the verdict |
//! | `program_ranges` | the ranges of the program with those around each, for figures |

mod beginning;
mod choice;
mod coarse;
mod delimiter_names;
mod distances;
mod elsewhere;
mod gpu_load;
mod holding;
mod host_side;
mod input;
mod measures;
mod openings;
mod outcome;
mod paths;
mod period;
mod program_ranges;
mod ranges;
mod runs;
mod score;
mod sections;
mod sequence;
mod shortest_period;
mod signs;
mod stretch;
#[cfg(test)]
mod tests;
mod time_lines;
mod wanted;
mod words;

pub use elsewhere::PassElsewhere;
pub(crate) use input::{FinderInput, RangeSays};
pub use outcome::{Confidence, DelimiterKind, InnerRhythm, IterationCandidate, SectionPlace, Sections};
pub(crate) use outcome::{Delimiter, FoundIterations, Piece, ProcessIterations, tile};
pub(crate) use program_ranges::{ProgramRanges, program_ranges};
pub(crate) use wanted::{KERNELS, RANGE, Wanted};
pub use words::KeyNodeHint;
pub(super) use words::words;

use delimiter_names::Leaves;
use paths::Paths;
use period::{Period, PeriodSearch};
use sequence::{Communication, busiest_streams};
use std::cmp::Reverse;

/// Finds what delimits iterations.
#[must_use]
pub(crate) fn find(input: &FinderInput<'_>) -> FoundIterations {
    search(input, None)
}

/// Finds the iterations of a candidate, however unlikely it is; no delimiter where there is no such candidate.
#[must_use]
pub(crate) fn find_named(input: &FinderInput<'_>, wanted: Wanted<'_>) -> FoundIterations {
    search(input, Some(wanted))
}

fn search(input: &FinderInput<'_>, wanted: Option<Wanted<'_>>) -> FoundIterations {
    let leaves = Leaves::new(input.texts);
    let paths = Paths::new(input.recorded, &leaves);
    let streams = busiest_streams(input);
    let mut search =
        PeriodSearch { input, paths: &paths, leaves: &leaves, communication: Communication::new(input) };
    // The stream with most kernels; of equals the one of the first process.
    let main = (0..streams.len())
        .filter_map(|process| Some((streams[process]?, process)))
        .max_by_key(|((_, count), process)| (*count, Reverse(*process)));
    let period = main
        .and_then(|((stream, _), process)| search.search(crate::base::ids::ProcessId::new(process), stream));
    let (range, mut candidates) = ranges::find(input, &leaves, &paths, period.as_ref(), wanted);
    let none = range.is_none() && period.is_none();
    let passes = main.filter(|_| none).and_then(|((stream, _), process)| {
        search.passes_by_opening(crate::base::ids::ProcessId::new(process), stream)
    });
    let period = period.or(passes);
    candidates.extend(period.iter().map(|period| period.candidate.clone()));
    if let Some(delimiter) = range {
        return FoundIterations { delimiter: Some(delimiter), candidates };
    }
    let is_meant = |period: &Period| match wanted {
        None => period.candidate.confidence > Confidence::Low,
        Some(wanted) => wanted.is_period(&period.candidate),
    };
    let Some(period) = period.filter(is_meant) else {
        return FoundIterations { delimiter: None, candidates };
    };
    // The chosen one stands first.
    candidates.rotate_right(1);
    let others = (0..streams.len()).filter(|&process| process != period.process.index());
    let others = others
        .filter_map(|process| search.search(crate::base::ids::ProcessId::new(process), streams[process]?.0));
    // A rank that only computes and sends shows no sign of its own: the same period is sign enough.
    let is_step = |other: &Period| {
        other.candidate.confidence > Confidence::Low || other.candidate.kind == period.candidate.kind
    };
    let others: Vec<Period> = others.filter(is_step).collect();
    let elsewhere = search.elsewhere(&period);
    FoundIterations { delimiter: Some(by_period(period, others, elsewhere)), candidates }
}

fn by_period(period: Period, others: Vec<Period>, elsewhere: Vec<PassElsewhere>) -> Delimiter {
    let candidate = &period.candidate;
    Delimiter {
        elsewhere,
        name: candidate.name.clone(),
        kind: candidate.kind,
        confidence: candidate.confidence,
        inner_rhythm: period.inner_rhythm,
        labels: Vec::new(),
        sections: Sections::default(),
        by_process: [period]
            .into_iter()
            .chain(others)
            .map(|Period { process, thread, iterations, .. }| ProcessIterations {
                process,
                thread,
                iterations,
            })
            .collect(),
    }
}
