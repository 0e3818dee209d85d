//! What a thread does for long before the window, so that no figure holds it.
//!
//! ```text
//! thread    ├─ cudaMallocManaged ─────────────┤  ├launch┤
//! GPU                                               ├ kernel ┤ … ┤
//! window                                            └────────────┘
//! ```

use super::ProfileContents;
use crate::base::ids::{StrId, ThreadId};
use crate::base::intervals::{covered_ns, union};
use crate::base::time::{Ns, Span};
use crate::capture::classified::Activity;
use crate::capture::correlate::is_library_domain;
use crate::capture::names::{is_communication_domain, range_in_words, without_version};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;

/// Of the length of the window, what is said of the time before it takes at least one in so many nanoseconds.
const LEAST_PART: Ns = 5;

/// Less is said of no window, however short it is.
const LEAST_NS: Ns = 1_000_000;

/// What takes a thread long before the window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LongBefore {
    /// A function of CUDA or MPI without its version, or the text of a range.
    pub name: String,
    /// Its time on one thread before the window; that of the thread where it is longest.
    pub time_ns: Ns,
    /// How much of this lies inside the one that takes longest of all.
    pub in_longest_ns: Ns,
}

impl ProfileContents {
    /// What a thread does before the window for a fifth of its length or more, and 1 ms at least, longest first: of the functions
    /// of CUDA, of those of MPI, and of the ranges of the program that end before it, the one that takes a thread most time. What
    /// lies inside another of them is among it.
    #[must_use]
    pub fn long_before(&self) -> Vec<LongBefore> {
        let window = self.window();
        // On the clock of the GPU the host begins an iteration before its window.
        let end = window.start.min(self.iterations.windows.cpu_span(self.iterations.start).start);
        let mut sums = [Sums::default(), Sums::default(), Sums::default()];
        self.each_before(end, |kind, thread, name, span| {
            sums[kind as usize].add(thread, name, span.length());
        });
        let least_ns = (window.length() / LEAST_PART).max(LEAST_NS);
        let longest = KINDS.into_iter().zip(&sums).filter_map(|(kind, sums)| sums.longest(self, kind));
        let mut found: Vec<(Done, LongBefore)> = longest.filter(|(_, one)| one.time_ns >= least_ns).collect();
        found.sort_by(|(_, a), (_, b)| b.time_ns.cmp(&a.time_ns).then_with(|| a.name.cmp(&b.name)));
        self.find_inside_longest(end, &mut found);
        found.into_iter().map(|(_, one)| one).collect()
    }

    /// How much of what takes long lies inside the longest of it, on its thread.
    fn find_inside_longest(&self, end: Ns, found: &mut [(Done, LongBefore)]) {
        let Some(((longest, _), others)) = found.split_first_mut() else { return };
        if others.iter().all(|(done, _)| done.thread != longest.thread) {
            return;
        }
        let mut outer = Vec::new();
        let mut inner: Vec<(usize, Span)> = Vec::new();
        self.each_before(end, |kind, thread, name, span| {
            let done = Done { kind, thread, name };
            if done == *longest {
                outer.push(span);
            } else if thread == longest.thread
                && let Some(at) = others.iter().position(|(other, _)| *other == done)
            {
                inner.push((at, span));
            }
        });
        let outer = union(outer);
        for (at, span) in inner {
            others[at].1.in_longest_ns += covered_ns(&outer, span);
        }
    }

    /// Shows what threads do before a time, up to it: calls of CUDA, of MPI, and ranges of the program that end before it.
    fn each_before(&self, end: Ns, mut show: impl FnMut(Kind, ThreadId, StrId, Span)) {
        let before = Span::new(Ns::MIN, end);
        let activity = Activity::of(&self.capture);
        for (call, span) in activity.counted_calls() {
            let (thread, name) = (activity.api_calls.thread[call], activity.api_calls.name[call]);
            show(Kind::Cuda, thread, name, span.clip(before));
        }
        let mpi = &activity.host.mpi;
        for ((&span, &thread), &name) in mpi.span.iter().zip(&mpi.thread).zip(&mpi.name) {
            show(Kind::Mpi, thread, name, span.clip(before));
        }
        for (thread, list) in activity.ranges.by_thread.iter().enumerate() {
            for (&span, &text) in list.span.iter().zip(&list.text).filter(|(span, _)| span.end <= before.end)
            {
                let says = &activity.ranges.texts[text.index()];
                let domain = says.domain.some().map(|domain| self.capture.strings.get(domain));
                let kind = match domain {
                    Some(domain) if is_communication_domain(domain) => Kind::Mpi,
                    Some(domain) if is_library_domain(domain) => continue,
                    _ if says.is_operator => continue,
                    _ => Kind::Range,
                };
                show(kind, ThreadId::new(thread), says.text, span);
            }
        }
    }

    /// The CPU samples of processes that launch which lie before the window, and all of theirs, where most lie before it: what they
    /// say is mostly about start-up.
    #[must_use]
    pub fn samples_before(&self) -> Option<(u64, u64)> {
        let start = self.window().start;
        let process = |thread: ThreadId| self.capture.threads.get(thread.index())?.process.some();
        let launching: FxHashSet<_> =
            self.thread_launches().into_iter().filter_map(|(thread, _)| process(thread)).collect();
        let samples = &self.capture.host.samples;
        let (mut before, mut all) = (0, 0);
        for (&time, &thread) in samples.time.iter().zip(&samples.thread) {
            if thread.some().and_then(process).is_some_and(|process| launching.contains(&process)) {
                all += 1;
                before += u64::from(time < start);
            }
        }
        (2 * before > all).then_some((before, all))
    }
}

/// What kind of thing a thread does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A function of CUDA.
    Cuda,
    /// A function of MPI.
    Mpi,
    /// A range of the program.
    Range,
}

const KINDS: [Kind; 3] = [Kind::Cuda, Kind::Mpi, Kind::Range];

/// What one thread does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Done {
    kind: Kind,
    thread: ThreadId,
    name: StrId,
}

/// Time by thread and name.
#[derive(Debug, Default)]
struct Sums(FxHashMap<(ThreadId, StrId), Ns>);

impl Sums {
    fn add(&mut self, thread: ThreadId, name: StrId, ns: Ns) {
        if ns > 0 && !name.is_none() {
            let sum = self.0.entry((thread, name)).or_default();
            *sum = sum.saturating_add(ns);
        }
    }

    /// The longest; of equally long ones the first name, on the first thread.
    fn longest(&self, profile: &ProfileContents, kind: Kind) -> Option<(Done, LongBefore)> {
        let text = |name: StrId| range_in_words(without_version(profile.capture.strings.get(name)));
        let all =
            self.0.iter().map(|(&(thread, name), &ns)| (ns, Reverse(text(name)), Reverse(thread), name));
        let (time_ns, Reverse(words), Reverse(thread), name) = all.max()?;
        Some((Done { kind, thread, name }, LongBefore { name: words.to_owned(), time_ns, in_longest_ns: 0 }))
    }
}

#[cfg(test)]
mod tests {
    use crate::base::time::Ns;
    use crate::read::facts::NO_CORRELATION;
    use crate::steps::iterate::{KeyNodeChoice, RangeChoice};
    use crate::tests::drawn::Drawn;

    /// Kernels for 100 ms from 200 ms on, and before them what is drawn.
    fn before(draw: impl Fn(&mut Drawn)) -> Vec<(String, Ns, Ns)> {
        let mut drawn = Drawn::new();
        draw(&mut drawn);
        drawn.launch(199_000_000..199_900_000, "k", 200_000_000..240_000_000);
        drawn.launch(241_000_000..241_900_000, "k", 250_000_000..300_000_000);
        let index = drawn.capture().index(&KeyNodeChoice::None).expect("an index");
        let profile = index.profile(&RangeChoice::default()).expect("a profile");
        profile.long_before().into_iter().map(|one| (one.name, one.time_ns, one.in_longest_ns)).collect()
    }

    #[test]
    fn what_takes_a_fifth_of_the_window_before_it_is_named() {
        let found = before(|drawn| {
            drawn.range("init_model", 10_000_000..100_000_000);
            drawn.api_call("cudaMallocManaged_v6000", 110_000_000..183_000_000, NO_CORRELATION);
            drawn.api_call("cudaFree_v3020", 310_000_000..390_000_000, NO_CORRELATION);
        });
        let named = |name: &str, ns| (name.to_owned(), ns, 0);
        assert_eq!(found, [named("init_model", 90_000_000), named("cudaMallocManaged", 73_000_000)]);
    }

    #[test]
    fn what_lies_inside_the_longest_is_known() {
        let found = before(|drawn| {
            drawn.range("warm up", 10_000_000..150_000_000);
            drawn.api_call("cudaLaunchKernel", 20_000_000..80_000_000, NO_CORRELATION);
            drawn.api_call("cudaLaunchKernel", 140_000_000..160_000_000, NO_CORRELATION);
        });
        let launches = ("cudaLaunchKernel".to_owned(), 80_900_000, 70_000_000);
        assert_eq!(found, [("warm up".to_owned(), 140_000_000, 0), launches]);
    }

    #[test]
    fn what_is_short_or_reaches_into_the_window_is_not() {
        let found = before(|drawn| {
            drawn.range("train", 10_000_000..301_000_000);
            drawn.api_call("cudaMalloc_v3020", 110_000_000..120_000_000, NO_CORRELATION);
        });
        assert_eq!(found, []);
    }

    #[test]
    fn samples_that_lie_mostly_before_the_window_are_counted() {
        let samples = |before: Ns| {
            let mut drawn = Drawn::new();
            (0..before).for_each(|number| _ = drawn.sample("main", "a.out", 1_000_000 * number));
            (0..10).for_each(|number| _ = drawn.sample("main", "a.out", 210_000_000 + number));
            drawn.launch(199_000_000..199_900_000, "k", 200_000_000..240_000_000);
            let index = drawn.capture().index(&KeyNodeChoice::None).expect("an index");
            index.profile(&RangeChoice::default()).expect("a profile").samples_before()
        };
        assert_eq!((samples(30), samples(5)), (Some((30, 40)), None));
    }
}
