//! What else tells about idle time that no call and no range explains: CPU samples, and files that are read.

use super::scene::Scene;
use super::sentence::{Figure, Sentence};
use crate::base::ids::StrId;
use crate::base::ratios::count_to_f64;
use crate::base::time::Ns;
use crate::capture::names::OsCallKind;
use crate::figures::activity::{IdleFunction, IdleThread, OsCallCount, SampleRole};
use std::cmp::Reverse;

/// What threads that launch do while GPUs idle for them and neither a call nor a range says so.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Unexplained {
    /// They compute: the function with most CPU samples of the program, and the share that is the program's.
    Computes(String, f64),
    /// They read files: functions of the operating system with their calls, most calls first.
    ReadsFiles(Vec<(StrId, u64)>),
    /// They have samples, but not mostly in code of the program: the function with most of them, and its share.
    Sampled(String, f64),
    /// Nothing tells.
    Nothing,
}

impl Unexplained {
    /// What is said of a share of the time; `None` where nothing tells more.
    pub(super) fn said(&self, scene: &Scene<'_>, share: Figure) -> Option<Sentence> {
        match self {
            Self::Computes(function, of_samples) => Some(Sentence::new(
                "GPUs idle {} of the time while the program computes on the CPU, as {} of the launching threads' samples there say, \
                 most in `{}`",
                vec![share, Figure::Percent(*of_samples, 0), Figure::Text(function.clone())],
            )),
            Self::ReadsFiles(reads) => Some(Sentence::new(
                "GPUs idle {} of the time in which the capture shows only that files are read: there the threads that launch call {}",
                vec![share, Figure::Text(scene.reads_in_words(reads))],
            )),
            Self::Sampled(function, of_samples) => Some(Sentence::new(
                "GPUs idle {} of the time without a range or call that says why; {} of the CPU samples of launching threads there \
                 are in `{}`",
                vec![share, Figure::Percent(*of_samples, 0), Figure::Text(function.clone())],
            )),
            Self::Nothing => None,
        }
    }
}

/// So many samples say where a thread is.
const FEWEST_SAMPLES: u64 = 10;

/// From so many calls that read files on, and at least one in so long a time, reading says what a thread does.
const FEWEST_READS: u64 = 50;
const MOST_BETWEEN_READS_NS: Ns = 2_000_000;

impl Scene<'_> {
    /// What else tells about idle time of the cause `unknown`.
    pub(super) fn unexplained(&self) -> Unexplained {
        let (host, calls) = self.profile.unexplained_host();
        let all = host.samples[SampleRole::Issuing as usize];
        let sampled: Vec<&IdleFunction> =
            host.functions.iter().filter(|function| function.role == SampleRole::Issuing).collect();
        let of_program: u64 = sampled.iter().map(|function| function.of_program).sum();
        let most_of_program = sampled.iter().filter(|function| function.of_program > 0);
        // Of equal ones the first, which has most samples of all.
        let most_of_program = most_of_program.rev().max_by_key(|function| function.of_program);
        let share = |samples: u64| 100.0 * count_to_f64(samples) / count_to_f64(all.max(1));
        let sum = |of: fn(&IdleThread) -> Ns| host.threads.iter().map(of).sum::<Ns>();
        let runs = sum(|thread| thread.on_cpu_ns) >= sum(|thread| thread.off_cpu_ns);
        if let Some(most) = most_of_program
            && all >= FEWEST_SAMPLES
            && 2 * of_program >= all
            && runs
        {
            return Unexplained::Computes(most.function.clone(), share(of_program));
        }
        let reads = self.reads(calls);
        let number: u64 = reads.iter().map(|(_, calls)| calls).sum();
        let rate = host.waiting_ns / MOST_BETWEEN_READS_NS;
        if number >= FEWEST_READS && number >= u64::try_from(rate).unwrap_or(0) {
            return Unexplained::ReadsFiles(reads);
        }
        match sampled.first() {
            Some(most) => Unexplained::Sampled(most.function.clone(), share(most.samples)),
            None => Unexplained::Nothing,
        }
    }

    /// The calls that read files, most calls first.
    fn reads(&self, calls: &[OsCallCount]) -> Vec<(StrId, u64)> {
        let text = |function: StrId| self.profile.capture.strings.get(function);
        let mut reads: Vec<(StrId, u64)> = calls
            .iter()
            .filter(|call| OsCallKind::of(text(call.function)) == OsCallKind::Read)
            .map(|call| (call.function, call.calls))
            .collect();
        reads.sort_by_key(|&(function, calls)| (Reverse(calls), text(function)));
        reads
    }

    /// The calls that read files in words: the two with most calls.
    fn reads_in_words(&self, reads: &[(StrId, u64)]) -> String {
        let word = |&(function, calls): &(StrId, u64)| {
            format!("`{}` {} times", self.profile.capture.strings.get(function), calls)
        };
        reads.iter().take(2).map(word).collect::<Vec<_>>().join(" and ")
    }
}
