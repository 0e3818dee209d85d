//! A range that runs twice where no iterations are found: two runs are none too few to be compared, but too few for a rhythm.
//!
//! ```text
//! range     ├─ Model ─────────────────────────────┤   ├ Model ┤
//! launches  │││ │││││││││ │││││││││││ ││││││││││││││    │││││││││
//!           loads code, tries algorithms               what a pass costs
//! ```

use super::ProfileContents;
use crate::base::ids::RangeTextId;
use crate::base::shell_word::shell_word;
use crate::base::time::{Ns, Span};
use crate::capture::CaptureContents;
use crate::capture::correlate::is_library_domain;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// A range that runs twice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunTwice {
    /// Its text.
    pub name: String,
    /// Its first run.
    pub first: Span,
    /// Its second run, after the first.
    pub second: Span,
}

impl RunTwice {
    /// The options that show the second run alone, from its start on.
    #[must_use]
    pub fn second_alone(&self) -> String {
        format!("--key-node {} --iter-start 2", shell_word(&self.name))
    }
}

impl ProfileContents {
    /// The range of the program that runs twice on a thread, one run after the other, if both launch kernels and together at least
    /// half of those in the window; of several the one that takes most time. `None` where iterations were found.
    #[must_use]
    pub fn run_twice(&self) -> Option<RunTwice> {
        if self.iterations.key_node.is_some() {
            return None;
        }
        let mut candidates = ranges_that_run_twice(&self.capture);
        if candidates.is_empty() {
            return None;
        }
        candidates.sort_by_key(|(text, [first, second])| {
            (Reverse(first.length() + second.length()), first.start, *text)
        });
        let launches = self.launch_times();
        let in_span = |span: &Span| {
            launches.partition_point(|&at| at < span.end) - launches.partition_point(|&at| at < span.start)
        };
        let is_most = |runs: &[Span; 2]| {
            let counts = runs.each_ref().map(in_span);
            counts.iter().all(|&count| count > 0) && 2 * counts.iter().sum::<usize>() >= launches.len()
        };
        let (text, [first, second]) = candidates.into_iter().find(|(_, runs)| is_most(runs))?;
        let text = self.capture.ranges.texts[text.index()].text;
        Some(RunTwice { name: self.capture.strings.get(text).to_owned(), first, second })
    }

    /// When the kernels of the window were launched, in order.
    fn launch_times(&self) -> Vec<Ns> {
        let capture = &self.capture;
        let mut times = Vec::new();
        self.for_each_kernel(0..self.iterations.range().len(), |_, kernel| {
            times.extend(capture.launches.api[kernel].some().map(|call| capture.api_calls.span[call].start));
        });
        times.sort_unstable();
        times
    }
}

/// Texts of ranges that have two runs, both on one thread and apart; the runs in order.
fn ranges_that_run_twice(capture: &CaptureContents) -> Vec<(RangeTextId, [Span; 2])> {
    let (ranges, strings) = (&capture.ranges, &capture.strings);
    let is_programs = |text: RangeTextId| {
        let says = &ranges.texts[text.index()];
        let words = strings.get(says.text);
        let is_library = says.domain.some().is_some_and(|domain| is_library_domain(strings.get(domain)));
        !is_library && !says.is_operator && !words.contains("::") && !words.starts_with('{')
    };
    let mut counts: Vec<u32> = vec![0; ranges.texts.len()];
    let lists = || ranges.by_thread.iter().chain([&ranges.without_thread]);
    lists()
        .flat_map(|list| list.text.iter())
        .for_each(|text| counts[text.index()] = counts[text.index()].saturating_add(1));
    let mut runs: BTreeMap<(usize, RangeTextId), Vec<Span>> = BTreeMap::new();
    for (thread, list) in ranges.by_thread.iter().enumerate() {
        let twice = list.span.iter().zip(&list.text).filter(|(_, text)| counts[text.index()] == 2);
        for (&span, &text) in twice {
            runs.entry((thread, text)).or_default().push(span);
        }
    }
    let apart = |((_, text), mut spans): ((usize, RangeTextId), Vec<Span>)| {
        spans.sort_unstable();
        let [first, second] = spans.try_into().ok()?;
        (first.end <= second.start && is_programs(text)).then_some((text, [first, second]))
    };
    runs.into_iter().filter_map(apart).collect()
}

#[cfg(test)]
mod tests {
    use crate::steps::iterate::{KeyNodeChoice, RangeChoice};
    use crate::tests::drawn::Drawn;

    /// A long first pass, and a second one, each in a range; kernels before them in none.
    fn two_passes(before: i64) -> Option<(String, [i64; 2])> {
        let mut drawn = Drawn::new();
        for (kernels, from) in [(before, 0), (20, 10_000), (5, 20_000)] {
            for at in (0..kernels).map(|kernel| from + kernel * 100) {
                drawn.launch(at..at + 10, "k", at + 20..at + 30);
            }
        }
        drawn.range("Model", 10_000..15_000);
        drawn.range("Model", 20_000..20_600);
        drawn.range("save", 30_000..50_000);
        let index = drawn.capture().index(&KeyNodeChoice::None).expect("an index");
        let found = index.profile(&RangeChoice::default()).expect("a profile").run_twice()?;
        Some((found.name, [found.first.length(), found.second.length()]))
    }

    /// The options that are shown for the second run lead to it: from its start to its end.
    #[test]
    fn the_options_for_the_second_run_show_it_whole() {
        let mut drawn = Drawn::new();
        for (kernels, from) in [(20, 10_000), (5, 20_000)] {
            for at in (0..kernels).map(|kernel| from + 300 + kernel * 60) {
                drawn.launch(at..at + 10, "k", at + 20..at + 30);
            }
        }
        drawn.range("Model", 10_000..15_000).range("Model", 20_000..20_600);
        let index = drawn.capture().index(&KeyNodeChoice::None).expect("an index");
        let twice = index.profile(&RangeChoice::default()).expect("a profile").run_twice().expect("two runs");
        assert_eq!(twice.second_alone(), "--key-node Model --iter-start 2");
        let named = index.capture.index(&KeyNodeChoice::Named(twice.name.clone())).expect("it ran");
        let choice = RangeChoice { iter_start: Some(2), ..RangeChoice::default() };
        let window = named.profile(&choice).expect("a profile").window();
        assert_eq!((window.start, window.end), (twice.second.start, twice.second.end));
    }

    #[test]
    fn a_range_that_runs_twice_and_launches_most_kernels_is_found() {
        assert_eq!(two_passes(10), Some(("Model".to_owned(), [5_000, 600])));
        assert_eq!(two_passes(60), None, "most kernels are launched outside of it");
    }
}
