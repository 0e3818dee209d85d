//! What rules say of idle time by name: ranges of the host, calls that exchange data, calls of the operating system, functions.

use super::scene::Scene;
use super::sentence::{Figure, Sentence};
use crate::base::ids::{StrId, ThreadId};
use crate::base::intervals::{covered_ns, difference, union};
use crate::base::ratios::percent;
use crate::base::time::{Ns, Span, total};
use crate::capture::classified::Cause;
use crate::capture::names::{OsCallKind, is_communication_domain, is_communicator_setup, is_one_time};
use crate::figures::activity::{
    CopyKind, IdleThread, LONG_GAP_NS, LongGap, StepClass, StepClasses, Verdict, idle_host, waiting_times,
};
use crate::figures::profile::RangeFamily;
use crate::read::facts::RangeText;
use rustc_hash::FxHashSet;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Calls of the host that exchange data.
pub(super) struct Exchange {
    /// Their library.
    pub(super) library: String,
    /// The function with most time in the iterations.
    pub(super) function: String,
    /// Its name, with that of the second one where it has less than two thirds of the time.
    pub(super) named: String,
    /// How many calls there are in the iterations.
    pub(super) calls: u64,
}

/// The ranges that have most of a time.
pub(super) struct MostRanges {
    /// `range` or `ranges`.
    pub(super) ranges: &'static str,
    /// Their names: `` `sort`, `read #` and `write` ``.
    pub(super) names: String,
    /// Their time.
    pub(super) time_ns: Ns,
}

impl MostRanges {
    /// Of families, those with most time first: as many as have two thirds of a time together, up to three, each with a tenth of it
    /// or more; `None` where none has.
    pub(super) fn of(families: &[RangeFamily], ns: Ns) -> Option<Self> {
        let (mut named, mut time_ns, mut texts) = (Vec::new(), 0, 0);
        for family in families.iter().take(3).filter(|family| 10 * family.time_ns >= ns) {
            if 3 * time_ns < 2 * ns {
                named.push(format!("`{}`", family.name));
                time_ns += family.time_ns;
                texts += family.texts;
            }
        }
        let names = match named.as_slice() {
            [] => return None,
            [only] => only.clone(),
            [others @ .., last] => format!("{} and {last}", others.join(", ")),
        };
        Some(Self { ranges: if texts == 1 { "range" } else { "ranges" }, names, time_ns })
    }
}

impl Scene<'_> {
    /// The cause with most idle time of the class `other`, whether or not there is any.
    pub(super) fn largest_other(&self) -> Option<Cause> {
        StepClass::Other.causes().rev().max_by_key(|&cause| self.idle(&[cause]))
    }

    /// The ranges of the host with most idle time of the iterations in gaps of 1 ms and more, in words after a sentence: as many
    /// as have two thirds of a time together, up to three, each with a tenth of it or more; work done once is left out.
    pub(super) fn mostly_in_range(&self, ns: Ns) -> String {
        let strings = &self.profile.capture.strings;
        if 3 * self.idle(&[Cause::HostRange]) < ns {
            return String::new();
        }
        let in_long_gaps = self.profile.idle_ranges_in_long_gaps(self.places.clone());
        let of_steps = in_long_gaps.iter().filter(|range| !is_one_time(strings.get(range.text)));
        match MostRanges::of(&self.profile.families_of(of_steps), ns) {
            Some(most) if 2 * most.time_ns >= ns => {
                format!(". It is mostly in host {} {}", most.ranges, most.names)
            }
            Some(most) => format!(", of its ranges longest in {}", most.names),
            None => String::new(),
        }
    }

    /// The idle time of the iterations in gaps of 1 ms and more in which the innermost open range is an operator of the framework.
    pub(super) fn in_operators_in_long_gaps_ns(&self) -> Ns {
        let texts = self.profile.capture.ranges.texts.iter();
        let operators: FxHashSet<StrId> =
            texts.filter(|says| says.is_operator).map(|says| says.text).collect();
        let in_long_gaps = self.profile.idle_ranges_in_long_gaps(self.places.clone());
        total(in_long_gaps.iter().filter(|range| operators.contains(&range.text)).map(|range| range.time_ns))
    }

    /// The longest gap of 1 ms and more of the iterations whose greatest part has one of some causes, as far as it lies in them.
    pub(super) fn longest_gap_of(&self, causes: &[Cause]) -> Option<Ns> {
        let gaps = self.figures().gpus.gaps.reaching_into(self.span).into_iter();
        gaps.filter(|gap| causes.contains(&gap.cause)).map(|gap| gap.span.clip(self.span).length()).max()
    }

    /// The Python function in which threads are longest while GPUs wait for them, in words after a sentence; empty where it has
    /// less than a quarter of this time, or no Python functions were recorded.
    pub(super) fn mostly_in_python(&self) -> Sentence {
        let functions = self.profile.idle_python();
        let all_ns = total(functions.iter().map(|function| function.waiting_ns));
        let strings = &self.profile.capture.strings;
        let named =
            functions.iter().filter_map(|function| Some((function.function(strings)?, function.waiting_ns)));
        // Of equal ones the first.
        match named.rev().max_by_key(|(_, ns)| *ns) {
            Some((name, ns)) if 4 * ns >= all_ns => Sentence::new(
                "; {} of the time in which GPUs wait for threads, these are in `{}`",
                vec![
                    Figure::Percent(percent(ns, all_ns), 0),
                    Figure::Text(python_function(&name).to_owned()),
                ],
            ),
            _ => "".into(),
        }
    }

    /// The share of the time in which GPUs wait for threads that these have no processor: they sleep or wait. `None` where
    /// records of scheduling do not cover most of the time, or say that they compute most of it.
    pub(super) fn asleep_percent(&self) -> Option<f64> {
        let host = self.profile.idle_host();
        let sum = |of: fn(&IdleThread) -> Ns| host.threads.iter().map(of).sum::<Ns>();
        let (waiting, asleep) = (sum(|thread| thread.waiting_ns), sum(|thread| thread.off_cpu_ns));
        (2 * asleep >= waiting && waiting > 0).then(|| percent(asleep, waiting))
    }

    /// Whether a thread that sleeps is what GPUs wait for while they wait for the CPU: half of this time or more, even if it sleeps
    /// all of the time in which they wait for something else.
    pub(super) fn waits_for_sleeper(&self, classes: &StepClasses) -> bool {
        if self.verdict(classes) != Verdict::Cpu || classes.sync_ns > classes.cpu_ns {
            return false;
        }
        let host = self.profile.idle_host();
        let asleep_ns = total(host.threads.iter().map(|thread| thread.off_cpu_ns));
        let for_cpu_ns =
            StepClass::Cpu.causes().map(|cause| self.idle(&[cause])).sum::<Ns>().min(host.waiting_ns);
        let asleep_ns = asleep_ns - (host.waiting_ns - for_cpu_ns);
        // In what else counts to the CPU it computes.
        for_cpu_ns > 0 && 2 * asleep_ns >= for_cpu_ns + self.computing_ns()
    }

    /// Whether the threads that GPUs wait for sleep for half of that in some time.
    pub(super) fn is_asleep_in(&self, span: Span) -> bool {
        let host = idle_host(self.facts(), &waiting_times(self.facts(), &[span]), &self.profile.capture.host);
        let asleep_ns = total(host.threads.iter().map(|thread| thread.off_cpu_ns));
        asleep_ns > 0 && 2 * asleep_ns >= host.waiting_ns
    }

    /// The library whose calls exchange data on the host, and its function with most time in the iterations; `None` where the
    /// capture has no records of such calls.
    pub(super) fn exchanging_calls(&self) -> Option<Exchange> {
        let activity = self.facts().activity();
        let strings = &self.profile.capture.strings;
        let mpi = &activity.host.mpi;
        let mut by_name: BTreeMap<(StrId, StrId), Ns> = BTreeMap::new();
        let mut calls = 0;
        let mut add = |span: &Span, library: StrId, name: StrId| {
            let inside = span.clip(self.span).length();
            if inside > 0 && !is_communicator_setup(strings.get(name)) {
                *by_name.entry((library, name)).or_default() += inside;
                calls += 1;
            }
        };
        mpi.span.iter().zip(&mpi.name).for_each(|(span, &name)| add(span, StrId::NONE, name));
        if mpi.span.is_empty() {
            // Older versions of nsys record calls of MPI as ranges of its domain.
            let texts = &activity.ranges.texts;
            let is_exchange = |says: &RangeText| {
                says.domain.some().is_some_and(|domain| is_communication_domain(strings.get(domain)))
            };
            let exchanges: Vec<bool> = texts.iter().map(is_exchange).collect();
            for ranges in activity.ranges.lists().filter(|_| exchanges.contains(&true)) {
                let ranges = ranges.span.iter().zip(&ranges.text).filter(|(_, text)| exchanges[text.index()]);
                ranges
                    .for_each(|(span, text)| add(span, texts[text.index()].domain, texts[text.index()].text));
            }
        }
        let all_ns = total(by_name.values().copied());
        let mut by_time: Vec<_> = by_name.into_iter().collect();
        by_time.sort_by_key(|&((_, name), ns)| (Reverse(ns), strings.get(name)));
        let &((library, name), ns) = by_time.first()?;
        let function = strings.get(name).to_owned();
        let named = match by_time.get(1) {
            Some(&((_, second), _)) if 3 * ns < 2 * all_ns => {
                format!("`{function}` and `{}`", strings.get(second))
            }
            _ => format!("`{function}`"),
        };
        let library = library.some().map_or("MPI", |library| strings.get(library)).to_owned();
        Some(Exchange { library, function, named, calls })
    }

    /// Idle time of all used GPUs in which they wait for a thread that is in a call of MPI: what an exchange that is not made
    /// spares, with the copies and waits that it makes, but without memory and contexts, which it takes once. No less than the
    /// idle time of [`Cause::Communication`], which has no CUDA calls in it.
    pub(super) fn idle_in_exchange(&self) -> Ns {
        let facts = self.facts();
        let mpi = &facts.activity().host.mpi;
        let mut exchanges: BTreeMap<ThreadId, Vec<Span>> = BTreeMap::new();
        for ((span, &name), &thread) in mpi.span.iter().zip(&mpi.name).zip(&mpi.thread) {
            if let Some(thread) = thread.some()
                && !is_communicator_setup(self.profile.capture.strings.get(name))
            {
                exchanges.entry(thread).or_default().push(*span);
            }
        }
        let waiting = waiting_times(facts, &self.profile.windows()[self.places.clone()]);
        let inside = exchanges.into_iter().map(|(thread, spans)| {
            let calls = facts.calls_by_thread().get(thread.index()).iter().map(|&call| call as usize);
            let takes_once =
                calls.filter(|&call| matches!(facts.call_class(call), Cause::Allocation | Cause::Setup));
            let takes_once =
                union(takes_once.map(|call| facts.activity().api_calls.span[..][call]).collect());
            let exchanges = difference(&union(spans), takes_once.into_iter());
            total(waiting.of(thread).iter().map(|&wait| covered_ns(&exchanges, wait)))
        });
        total(inside).max(self.idle(&[Cause::Communication]))
    }

    /// The call of the operating system in which threads that launch waited longest while GPUs idled; `None` without any.
    pub(super) fn awaited_os_call(&self) -> Option<String> {
        let strings = &self.profile.capture.strings;
        let names = self.profile.idle_host().os_calls.iter().map(|call| strings.get(call.function));
        let mut waits =
            names.filter(|name| matches!(OsCallKind::of(name), OsCallKind::Wait | OsCallKind::Pause));
        waits.next().map(str::to_owned)
    }

    /// Whether most of the idle time before work without an API call is time before unified memory migrates to the host. Without
    /// a call, a page fault of the host starts such a migration: the host reads or writes the memory.
    pub(super) fn waits_for_host_memory(&self) -> bool {
        let idle_ns = self.idle(&[Cause::NoApiCall]);
        let capture = &self.profile.capture;
        let is_to_host = |gap: &&LongGap| {
            gap.cause == Cause::NoApiCall
                && capture.known_copy_kind(gap.ended_by).map(CopyKind::of) == Some(CopyKind::UnifiedDtoH)
        };
        let gaps = self.figures().gpus.gaps.inside(self.span, LONG_GAP_NS);
        let to_host_ns = total(gaps.iter().filter(is_to_host).map(|gap| gap.span.length()));
        idle_ns > 0 && to_host_ns > idle_ns / 2
    }
}

/// A Python function without the folders of its file: `peft_utils.py(292): wrapper`, `zoom_shift`.
fn python_function(name: &str) -> &str {
    match name.strip_prefix("<built-in function ").and_then(|name| name.strip_suffix('>')) {
        Some(function) => function,
        None => match name.split_once(".py(") {
            Some((file, _)) => &name[file.rfind('/').map_or(0, |folder| folder + 1)..],
            None => name,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::python_function;

    #[test]
    fn functions_are_named_without_folders() {
        let names = [
            "<built-in function zoom_shift>",
            "a/b/peft.py(292): wrapper",
            "train.py(3): step",
            "<built-in method a/b>",
        ];
        assert_eq!(
            names.map(python_function),
            ["zoom_shift", "peft.py(292): wrapper", "train.py(3): step", "<built-in method a/b>"]
        );
    }
}
