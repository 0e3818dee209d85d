//! What a thread does for long before the window, so that no figure holds it. Time of calls in which the profiler holds the thread
//! up is the profiler's, and no call's.
//!
//! ```text
//! thread    ├─ cudaMallocManaged ─────────────┤  ├launch┤
//! GPU                                               ├ kernel ┤ … ┤
//! window                                            └────────────┘
//! ```

use super::ProfileContents;
use crate::base::function_name::function_name;
use crate::base::ids::{ApiCallId, Maybe, ProcessId, StrId, ThreadId};
use crate::base::intervals::{covered_ns, difference, union, union_length};
use crate::base::time::{Ns, Span, total};
use crate::capture::classified::Activity;
use crate::capture::correlate::is_library_domain;
use crate::capture::names::{is_communication_domain, range_in_words, without_version};
use crate::figures::activity::{SampledCode, code_of_most};
use crate::read::facts::OverheadKind;
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
    /// Its time before the window: of a function how long one thread of a process or more is in it, of a range that on one thread;
    /// that of the process or thread where it is longest.
    pub time_ns: Ns,
    /// How much of this lies inside the one that takes longest of all.
    pub in_longest_ns: Ns,
    /// Whether the first CUDA call of the process takes half of it or more: it makes the context, whatever it is for.
    pub is_first_call: bool,
    /// How long the profiler holds these threads up meanwhile, which is not in its time.
    pub profiler_ns: Ns,
}

/// CPU samples of processes that launch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SamplesBefore {
    /// Those before the window.
    pub before: u64,
    /// All of them.
    pub all: u64,
    /// The function, or without a name the binary, that most of those before the window are in, and how many.
    pub most_in: Option<(String, u64)>,
}

impl ProfileContents {
    /// What the program does before the window for a fifth of its length or more, and 1 ms at least, longest first: of the
    /// functions of CUDA and of those of MPI the one that takes the threads of a process most time, and of the ranges of the program
    /// that end before the window the one that takes a thread most. What lies inside another of them is among it.
    #[must_use]
    pub fn long_before(&self) -> Vec<LongBefore> {
        let window = self.window();
        // On the clock of the GPU the host begins an iteration before its window.
        let end = window.start.min(self.iterations.windows.cpu_span(self.iterations.start).start);
        let mut sums = [Sums::default(), Sums::default(), Sums::default()];
        self.each_before(end, |kind, thread, name, whole, profiled| {
            let own_ns = whole.length() - covered_ns(profiled, whole);
            sums[kind as usize].add(self.doer(kind, thread), name, own_ns);
        });
        let least_ns = (window.length() / LEAST_PART).max(LEAST_NS);
        let longest = sums.iter().filter_map(|sums| sums.longest(self));
        let found: Vec<Done> = longest.filter(|(_, ns)| *ns >= least_ns).map(|(done, _)| done).collect();
        let mut found = self.lasting(end, &found);
        found.retain(|(_, _, one)| one.time_ns >= least_ns);
        found.sort_by(|(.., a), (.., b)| b.time_ns.cmp(&a.time_ns).then_with(|| a.name.cmp(&b.name)));
        if let Some(((longest, outer, _), others)) = found.split_first_mut() {
            let process = self.process_of_doer(longest.doer);
            let inside = others.iter_mut().filter(|(done, ..)| self.process_of_doer(done.doer) == process);
            for (_, spans, one) in inside {
                one.in_longest_ns = spans.iter().map(|&span| covered_ns(outer, span)).sum();
            }
        }
        found.into_iter().map(|(.., one)| one).collect()
    }

    /// When the program does some things before a time, and how long: several threads at the same time count once.
    fn lasting(&self, end: Ns, found: &[Done]) -> Vec<(Done, Vec<Span>, LongBefore)> {
        let mut spans = vec![(Vec::new(), Vec::new()); found.len()];
        self.each_before(end, |kind, thread, name, whole, profiled| {
            let done = Done { doer: self.doer(kind, thread), name };
            if let Some(at) = found.iter().position(|one| *one == done) {
                spans[at].0.push(whole);
                spans[at].1.extend(without(whole, profiled));
            }
        });
        let with_time = |(&done, (whole, own)): (&Done, (Vec<Span>, Vec<Span>))| {
            let (whole_ns, spans) = (union_length(union(whole)), union(own));
            let name = range_in_words(without_version(self.capture.strings.get(done.name))).to_owned();
            let time_ns = total(spans.iter().map(|span| span.length()));
            let first = match done.doer {
                Doer::Process(process) => self.first_call(process),
                Doer::Thread(_) => None,
            };
            let is_first_call =
                first.is_some_and(|(name, span)| name == done.name && 2 * span.length() >= time_ns);
            let profiler_ns = whole_ns - time_ns;
            (done, spans, LongBefore { name, time_ns, in_longest_ns: 0, is_first_call, profiler_ns })
        };
        found.iter().zip(spans).map(with_time).collect()
    }

    /// The first CUDA call of a process.
    fn first_call(&self, process: ProcessId) -> Option<(StrId, Span)> {
        let activity = Activity::of(&self.capture);
        let mut first: Option<(ApiCallId, Span)> = None;
        for (call, span) in activity.counted_calls() {
            let is_earlier = first.is_none_or(|(_, first)| span.start < first.start);
            if is_earlier && self.capture.process_of_call(call) == Some(process) {
                first = Some((call, span));
            }
        }
        first.map(|(call, span)| (activity.api_calls.name[call], span))
    }

    /// Who does something: threads share the functions of libraries, and each has ranges of its own.
    fn doer(&self, kind: Kind, thread: Maybe<ThreadId>) -> Doer {
        match (kind, thread.some()) {
            (Kind::Cuda | Kind::Mpi, Some(thread)) => Doer::Process(self.capture.process_of(thread)),
            _ => Doer::Thread(thread),
        }
    }

    fn process_of_doer(&self, doer: Doer) -> Option<ProcessId> {
        match doer {
            Doer::Process(process) => Some(process),
            Doer::Thread(thread) => Some(self.capture.process_of(thread.some()?)),
        }
    }

    /// Shows what threads do before a time, up to it: calls of CUDA, of MPI, and ranges of the program that end before it. Of each
    /// the whole span, and when the profiler holds the thread up.
    fn each_before(&self, end: Ns, mut show: impl FnMut(Kind, Maybe<ThreadId>, StrId, Span, &[Span])) {
        let before = Span::new(Ns::MIN, end);
        let activity = Activity::of(&self.capture);
        let profiled = self.profiler_times();
        let mut show_own = |kind: Kind, thread: Maybe<ThreadId>, name: StrId, span: Span| {
            let profiled =
                thread.some().and_then(|thread| profiled.get(&thread)).map_or(&[][..], Vec::as_slice);
            show(kind, thread, name, span.clip(before), profiled);
        };
        for (call, span) in activity.counted_calls().filter(|(_, span)| span.start < end) {
            let (thread, name) = (activity.api_calls.thread[call], activity.api_calls.name[call]);
            show_own(Kind::Cuda, thread, name, span);
        }
        let mpi = &activity.host.mpi;
        for ((&span, &thread), &name) in mpi.span.iter().zip(&mpi.thread).zip(&mpi.name) {
            show_own(Kind::Mpi, thread, name, span);
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
                show_own(kind, ThreadId::new(thread).into(), says.text, span);
            }
        }
    }

    /// By thread: when the profiler holds it up.
    fn profiler_times(&self) -> FxHashMap<ThreadId, Vec<Span>> {
        let overheads = &self.capture.host.overheads;
        let mut times: FxHashMap<ThreadId, Vec<Span>> = FxHashMap::default();
        for ((&span, &thread), kind) in overheads.span.iter().zip(&overheads.thread).zip(&overheads.kind) {
            if let Some(thread) = thread.some().filter(|_| *kind == OverheadKind::Profiler) {
                times.entry(thread).or_default().push(span);
            }
        }
        times.values_mut().for_each(|spans| *spans = union(std::mem::take(spans)));
        times
    }

    /// The CPU samples of processes that launch, where most lie before the window: what they say is mostly about start-up.
    #[must_use]
    pub fn samples_before(&self) -> Option<SamplesBefore> {
        let (start, samples) = (self.window().start, &self.capture.host.samples);
        if samples.time.is_empty() {
            return None;
        }
        let process = |thread: ThreadId| self.capture.process_of(thread);
        let launching: FxHashSet<_> =
            self.thread_launches().into_iter().map(|(thread, _)| process(thread)).collect();
        let (mut before, mut all) = (Vec::new(), 0);
        for (sample, (&time, &thread)) in samples.time.iter().zip(&samples.thread).enumerate() {
            if thread.some().map(process).is_some_and(|process| launching.contains(&process)) {
                all += 1;
                before.extend((time < start).then_some(sample));
            }
        }
        if 2 * before.len() as u64 <= all {
            return None;
        }
        let number = before.len() as u64;
        let code = code_of_most(&self.capture.host, before.into_iter(), &self.capture.strings);
        let name = |code: SampledCode| match code.function.is_empty() {
            true => code.module,
            false => function_name(&code.function).to_owned(),
        };
        Some(SamplesBefore {
            before: number,
            all,
            most_in: code.map(|(code, samples)| (name(code), samples)),
        })
    }
}

/// A span without holes, which are in order and disjoint.
fn without(span: Span, holes: &[Span]) -> Vec<Span> {
    let first = holes.partition_point(|hole| hole.end <= span.start);
    let inside = holes[first..].iter().copied().take_while(|hole| hole.start < span.end);
    difference(&[span], inside)
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

/// A thread, or all threads of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Doer {
    Process(ProcessId),
    Thread(Maybe<ThreadId>),
}

/// What someone does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Done {
    doer: Doer,
    name: StrId,
}

/// Time by who does something and its name.
#[derive(Debug, Default)]
struct Sums(FxHashMap<(Doer, StrId), Ns>);

impl Sums {
    fn add(&mut self, doer: Doer, name: StrId, ns: Ns) {
        if ns > 0 && !name.is_none() {
            let sum = self.0.entry((doer, name)).or_default();
            *sum = sum.saturating_add(ns);
        }
    }

    /// The longest; of equally long ones the first name, of the first process or thread.
    fn longest(&self, profile: &ProfileContents) -> Option<(Done, Ns)> {
        let text = |name: StrId| range_in_words(without_version(profile.capture.strings.get(name)));
        let all = self.0.iter().map(|(&(doer, name), &ns)| (ns, Reverse(text(name)), Reverse(doer), name));
        let (time_ns, _, Reverse(doer), name) = all.max()?;
        Some((Done { doer, name }, time_ns))
    }
}

#[cfg(test)]
mod tests {
    use super::LongBefore;
    use crate::base::time::Ns;
    use crate::read::facts::{NO_CORRELATION, OverheadKind};
    use crate::steps::iterate::{KeyNodeChoice, RangeChoice};
    use crate::tests::drawn::Drawn;

    /// Kernels for 100 ms from 200 ms on, and before them what is drawn.
    fn before(draw: impl Fn(&mut Drawn)) -> Vec<(String, Ns, Ns)> {
        let long = long_before(draw).into_iter();
        long.map(|one| (one.name, one.time_ns, one.in_longest_ns)).collect()
    }

    fn long_before(draw: impl Fn(&mut Drawn)) -> Vec<LongBefore> {
        let mut drawn = Drawn::new();
        draw(&mut drawn);
        drawn.launch(199_000_000..199_900_000, "k", 200_000_000..240_000_000);
        drawn.launch(241_000_000..241_900_000, "k", 250_000_000..300_000_000);
        let index = drawn.capture().index(&KeyNodeChoice::None).expect("an index");
        let profile = index.profile(&RangeChoice::default()).expect("a profile");
        profile.long_before()
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

    /// A launch of 80 ms, 70 ms of them while the profiler holds the thread up.
    #[test]
    fn time_of_the_profiler_is_no_call_s() {
        let found = |profiled: Ns| {
            before(|drawn| {
                drawn.api_call("cudaMalloc", 10_000_000..11_000_000, NO_CORRELATION);
                drawn.api_call("cudaLaunchKernel", 110_000_000..190_000_000, NO_CORRELATION);
                drawn.overhead(OverheadKind::Profiler, 115_000_000..115_000_000 + profiled);
            })
        };
        assert_eq!(found(0), [("cudaLaunchKernel".to_owned(), 80_900_000, 0)]);
        assert_eq!(found(10_000_000), [("cudaLaunchKernel".to_owned(), 70_900_000, 0)]);
        assert_eq!(found(70_000_000), []);
    }

    /// Ranges are told on the same basis as calls, and how much of them is the profiler's.
    #[test]
    fn time_of_the_profiler_is_told() {
        let found = long_before(|drawn| {
            drawn.range("init_model", 10_000_000..100_000_000);
            drawn.api_call("cudaMalloc", 20_000_000..90_000_000, NO_CORRELATION);
            drawn.overhead(OverheadKind::Profiler, 5_000_000..30_000_000);
        });
        let times: Vec<_> =
            found.iter().map(|one| (one.name.as_str(), one.time_ns, one.profiler_ns)).collect();
        assert_eq!(times, [("init_model", 70_000_000, 20_000_000), ("cudaMalloc", 60_000_000, 10_000_000)]);
    }

    /// Exports need not have the rows of a table in order of time.
    #[test]
    fn the_order_of_rows_does_not_matter() {
        let found = |starts: [Ns; 2]| {
            long_before(|drawn| {
                for start in starts {
                    drawn.api_call("cudaMalloc", start..start + 40_000_000, NO_CORRELATION);
                }
                drawn.overhead(OverheadKind::Profiler, 20_000_000..30_000_000);
            })
        };
        let in_order = found([10_000_000, 120_000_000]);
        assert_eq!((in_order[0].time_ns, in_order[0].profiler_ns), (70_000_000, 10_000_000));
        assert_eq!(found([120_000_000, 10_000_000]), in_order);
    }

    #[test]
    fn the_first_call_of_a_process_is_told() {
        let is_first = |earlier: bool| {
            let mut drawn = Drawn::new();
            if earlier {
                drawn.api_call("cuInit", 5_000_000..6_000_000, NO_CORRELATION);
            }
            drawn.api_call("cudaMalloc", 10_000_000..190_000_000, NO_CORRELATION);
            drawn.launch(199_000_000..199_900_000, "k", 200_000_000..240_000_000);
            let index = drawn.capture().index(&KeyNodeChoice::None).expect("an index");
            let profile = index.profile(&RangeChoice::default()).expect("a profile");
            profile.long_before()[0].is_first_call
        };
        assert_eq!([false, true].map(is_first), [true, false]);
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

    /// The backward pass launches on a thread of its own, partly while the first thread launches.
    #[test]
    fn threads_of_a_process_share_a_function() {
        let found = before(|drawn| {
            drawn.range("warm up", 10_000_000..150_000_000);
            drawn.api_call("cudaMemcpy", 20_000_000..80_000_000, NO_CORRELATION);
            let first = crate::base::ids::ThreadId::new(0);
            drawn.thread();
            drawn.api_call("cudaMemcpy", 70_000_000..120_000_000, NO_CORRELATION).on(first);
        });
        let copies = ("cudaMemcpy".to_owned(), 100_000_000, 100_000_000);
        assert_eq!(found, [("warm up".to_owned(), 140_000_000, 0), copies]);
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
            let found = index.profile(&RangeChoice::default()).expect("a profile").samples_before();
            found.map(|found| (found.before, found.all, found.most_in))
        };
        assert_eq!((samples(30), samples(5)), (Some((30, 40, Some(("main".to_owned(), 30)))), None));
    }
}
