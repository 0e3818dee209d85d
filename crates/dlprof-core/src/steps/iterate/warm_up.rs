//! Where a capture without iterations is past its start-up: after the ranges that are named after it.
//!
//! ```text
//! ranges      ├─load model─┤ ├────compile────┤
//! GPU span       ├───────────────────────────────────────────────────────────────────────────┤
//! launches                    ▒              ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒
//! window                                     ├───────────────────────────────────────────────┤
//! ```

use super::finder::words;
use super::launched::launch_calls;
use crate::base::ids::RangeTextId;
use crate::base::time::{Ns, Span};
use crate::capture::Capture;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A range that is named after start-up, and behind which the default window begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WarmUpRange {
    /// Its text.
    pub name: String,
    /// Its end.
    pub end_ns: Ns,
}

/// Words that name start-up; `warm-up` is two of them.
const WORDS: &[&str] = &[
    "autotune",
    "autotuning",
    "compilation",
    "compile",
    "init",
    "initialization",
    "initialize",
    "load",
    "loading",
    "setup",
    "warm",
    "warmup",
];

/// The last range named after start-up behind which the program runs: it ends in the first half of the GPU span with at least three
/// quarters of the launches after it, or passes of one name follow that hold most of what is launched after it. A name that runs
/// again later is none of start-up.
pub(super) fn find(capture: &Capture) -> Option<WarmUpRange> {
    let ends = last_ends(capture);
    if ends.is_empty() {
        return None;
    }
    let spans = &capture.work.span;
    let start = spans.iter().map(|span| span.start).min()?;
    let end = spans.iter().map(|span| span.end).max()?;
    let middle = start + (end - start) / 2;
    let launches: Vec<Ns> = launch_calls(capture).map(|(_, start)| start).collect();
    let has_launches_behind = |end_ns: Ns| {
        let behind = launches.iter().filter(|&&start| start >= end_ns).count();
        behind > 0 && behind * 4 >= launches.len() * 3
    };
    let is_early = |end_ns: Ns| end_ns <= middle && has_launches_behind(end_ns);
    let is_start_up =
        |end_ns: Ns| end_ns > start && (is_early(end_ns) || passes_follow(capture, end_ns, &launches));
    let last =
        ends.into_values().filter(|&(end_ns, _)| is_start_up(end_ns)).max_by_key(|&(end_ns, _)| end_ns)?;
    let text = capture.ranges.texts[last.1.index()].text;
    Some(WarmUpRange { name: capture.strings.get(text).to_owned(), end_ns: last.0 })
}

/// Whether at least two ranges of one name, in which numbers do not count, follow each other after a time, and together hold at
/// least three quarters of the launches there.
fn passes_follow(capture: &Capture, behind: Ns, launches: &[Ns]) -> bool {
    let mut later: Vec<Ns> = launches.iter().copied().filter(|&start| start >= behind).collect();
    later.sort_unstable();
    let before = |time: Ns| later.partition_point(|&start| start < time);
    let held = |span: &Span| before(span.end) - before(span.start);
    let texts = &capture.ranges.texts;
    capture.ranges.by_thread.iter().any(|list| {
        let mut passes: BTreeMap<String, Vec<Span>> = BTreeMap::new();
        for (span, &text) in list.span.iter().zip(&list.text) {
            let says = &texts[text.index()];
            if span.start >= behind && !says.is_operator {
                passes.entry(without_numbers(capture.strings.get(says.text))).or_default().push(*span);
            }
        }
        passes.values().filter(|spans| spans.len() > 1 && follow_each_other(spans)).any(|spans| {
            let held: Vec<usize> = spans.iter().map(held).collect();
            !held.contains(&0) && 4 * held.iter().sum::<usize>() >= 3 * later.len()
        })
    })
}

/// Whether ranges do not overlap.
fn follow_each_other(spans: &[Span]) -> bool {
    let mut spans = spans.to_vec();
    spans.sort_unstable();
    spans.windows(2).all(|pair| pair[0].end <= pair[1].start)
}

/// A name in which numbers do not count.
fn without_numbers(name: &str) -> String {
    name.split(|c: char| c.is_ascii_digit()).filter(|part| !part.is_empty()).collect()
}

/// By name, in which numbers do not count: the end of its last range, and the text of that.
fn last_ends(capture: &Capture) -> BTreeMap<String, (Ns, RangeTextId)> {
    let texts = &capture.ranges.texts;
    let names: Vec<Option<String>> = texts
        .iter()
        .map(|says| {
            let text = capture.strings.get(says.text);
            let is_name = says.domain.is_none() && !says.is_operator && !text.contains("::");
            let is_start_up = || words(text).iter().any(|word| WORDS.contains(&word.as_str()));
            (is_name && is_start_up()).then(|| without_numbers(text))
        })
        .collect();
    let mut ends: BTreeMap<String, (Ns, RangeTextId)> = BTreeMap::new();
    if names.iter().all(Option::is_none) {
        return ends;
    }
    for list in &capture.ranges.by_thread {
        for (span, &text) in list.span.iter().zip(&list.text) {
            let Some(name) = &names[text.index()] else { continue };
            match ends.get_mut(name) {
                Some(last) => *last = (*last).max((span.end, text)),
                None => drop(ends.insert(name.clone(), (span.end, text))),
            }
        }
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::drawn::Drawn;

    /// Work from 1,000 to 11,000 ns without a rhythm, of which so many launches come before 3,000 ns.
    fn work(early: i64, late: i64) -> Drawn {
        let mut drawn = Drawn::new();
        for (count, from, length) in [(early, 1000, 2000), (late, 3000, 8000)] {
            for at in 0..count {
                let start = from + at * length / count;
                drawn.launch(start..start + 1, "k", start + 1..start + length / count);
            }
        }
        drawn
    }

    fn found(mut drawn: Drawn, ranges: &[(&str, Ns, Ns)]) -> Option<(String, Ns)> {
        for &(text, start, end) in ranges {
            drawn.range(text, start..end);
        }
        find(&drawn.capture()).map(|range| (range.name, range.end_ns))
    }

    #[test]
    fn the_last_range_of_start_up_counts() {
        let ranges = [("load model", 0, 1500), ("torch.compile", 1500, 3000), ("generate", 3000, 11_000)];
        assert_eq!(found(work(5, 50), &ranges), Some(("torch.compile".into(), 3000)));
        for name in ["warm-up", "warmup 1", "WarmUp", "init", "setup", "autotune", "LoadWeights"] {
            assert_eq!(found(work(5, 50), &[(name, 0, 3000)]).map(|found| found.1), Some(3000), "{name}");
        }
    }

    /// Start-up takes most of the time, but two passes follow it.
    #[test]
    fn passes_behind_start_up_are_what_the_program_does() {
        let passes = [("init", 0, 8000), ("pass 1", 8000, 9500), ("pass 2", 9500, 11_000)];
        assert_eq!(found(work(5, 50), &passes), Some(("init".into(), 8000)));
        // One pass, and two that hold little of the work.
        assert_eq!(found(work(5, 50), &[passes[0], passes[1]]), None);
        assert_eq!(found(work(5, 50), &[passes[0], ("a 1", 8100, 8300), ("a 2", 8300, 8500)]), None);
    }

    #[test]
    fn what_is_no_start_up_cuts_nothing() {
        let is_none = |early, late, ranges: &[(&str, Ns, Ns)]| {
            assert_eq!(found(work(early, late), ranges), None, "{ranges:?}");
        };
        is_none(5, 50, &[("loader", 0, 3000), ("payload", 0, 3000), ("step", 0, 3000)]);
        // Too late, too much before, before all work, and a name that runs on.
        is_none(5, 50, &[("compile", 0, 6500)]);
        is_none(20, 50, &[("compile", 0, 3000)]);
        is_none(5, 50, &[("compile", 0, 900)]);
        is_none(5, 50, &[("load batch 1", 0, 3000), ("load batch 2", 9000, 9100)]);
    }
}
