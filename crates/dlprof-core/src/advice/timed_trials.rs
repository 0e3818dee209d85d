//! Kernels of algorithms that are tried one by one, each timed between two events.
//!
//! ```text
//! calls of the thread  │record│launch│record│wait│record│launch│launch│record│wait│ … │launch│ the program goes on
//!                      └───────── try A ─────────┘└────────── try B ─────────────┘
//! ```
//!
//! cuDNN tries algorithms of a convolution in this way, and so do frameworks that ask it for all of them. Programs that measure
//! themselves do the same with one piece of work over and over, or with one op after the other; hence a run of tries is only
//! taken for one if the kernels differ from try to try, are mostly convolutions, and belong to one op call. Where no op is known,
//! some must compute by Fourier or Winograd transforms and others not, as no two convolutions of one network do by chance.

use crate::base::ids::{self, ApiCallId, OpCallId, StrId, WorkId};
use crate::capture::classified::Classified;
use crate::capture::correlate::{Mode, UNASSOCIATED};
use crate::capture::names::ApiClass;
use crate::figures::kernel_kinds::kernel_class::KernelClass;
use crate::figures::profile::ProfileContents;
use std::collections::BTreeSet;

/// Fewer tries, and fewer that differ, are none.
const FEWEST_TRIES: usize = 3;

/// A try is so many launches at most, but that of nothing else than what convolutions are made of.
const MOST_LAUNCHES: usize = 16;

/// What convolutions are made of.
pub(super) const OF_CONVOLUTIONS: [KernelClass; 4] =
    [KernelClass::Matrix, KernelClass::Convolution, KernelClass::Transform, KernelClass::Layout];

/// Whether a thread waits for an event somewhere: without that no try is timed.
pub(super) fn waits_for_events(facts: &Classified<'_>) -> bool {
    let mut calls = ids::all::<ApiCallId>(facts.activity().api_calls.span.len());
    calls.any(|call| facts.function(call).is_event_sync)
}

/// Of some kernels: those of algorithms that are tried between two events.
pub(super) fn timed_trials(
    profile: &ProfileContents,
    facts: &Classified<'_>,
    kernels: impl Iterator<Item = WorkId>,
) -> Vec<WorkId> {
    let with_call = |kernel: WorkId| facts.call_row(kernel.index()).map(|call| (call, kernel));
    let mut launched: Vec<(ApiCallId, WorkId)> = kernels.filter_map(with_call).collect();
    launched.sort_unstable();
    let threads: BTreeSet<_> =
        launched.iter().map(|(call, _)| facts.activity().api_calls.thread[call.index()]).collect();
    let mut found = Vec::new();
    for thread in threads {
        let Some(thread) = thread.some().filter(|thread| thread.index() < facts.calls_by_thread().len())
        else {
            continue;
        };
        let mut tries = Tries { profile, found: &mut found, run: Vec::new(), open: None };
        for &row in facts.calls_by_thread().get(thread.index()) {
            let call = ApiCallId::new(row as usize);
            tries.add(facts, call, || {
                let first = launched.partition_point(|(of, _)| *of < call);
                let kernels = launched[first..].iter().take_while(move |(of, _)| *of == call);
                kernels.map(|&(_, kernel)| kernel)
            });
        }
        tries.end_run();
    }
    found
}

/// The tries of a thread, while its calls come by.
struct Tries<'a> {
    profile: &'a ProfileContents,
    found: &'a mut Vec<WorkId>,
    /// Tries that follow each other without a launch between them.
    run: Vec<Vec<WorkId>>,
    /// What was launched since an event was recorded right after a try, or where none was going on; whether the last of
    /// the calls that matter recorded an event.
    open: Option<(Vec<WorkId>, bool)>,
}

impl Tries<'_> {
    /// Takes the next call of the thread. What it launched is only asked for where a try may be going on.
    fn add<K: Iterator<Item = WorkId>>(
        &mut self,
        facts: &Classified<'_>,
        call: ApiCallId,
        kernels: impl FnOnce() -> K,
    ) {
        let function = facts.function(call);
        match function.class {
            ApiClass::Launch => match &mut self.open {
                Some((launched, is_recorded)) => {
                    launched.extend(kernels());
                    *is_recorded = false;
                }
                None => self.end_run(),
            },
            ApiClass::Sync if function.is_event_sync => match self.open.take() {
                Some((launched, true)) if self.is_try(&launched) => self.run.push(launched),
                _ => self.end_run(),
            },
            ApiClass::Sync | ApiClass::Copy => self.end_run(),
            _ if function.records_event => {
                let (_, is_recorded) = self.open.get_or_insert_default();
                *is_recorded = true;
            }
            _ => {}
        }
    }

    /// A convolution by Fourier transforms launches several kernels for each image of a batch.
    fn is_try(&self, launched: &[WorkId]) -> bool {
        let is_part = |&kernel: &WorkId| {
            let classes = self.profile.judge_kernel(kernel).classes;
            OF_CONVOLUTIONS.iter().any(|&class| classes.has(class))
        };
        (1..=MOST_LAUNCHES).contains(&launched.len())
            || (launched.len() > MOST_LAUNCHES && launched.iter().all(is_part))
    }

    fn end_run(&mut self) {
        self.open = None;
        let run = std::mem::take(&mut self.run);
        if is_choice(self.profile, &run) {
            self.found.extend(run.into_iter().flatten());
        }
    }
}

/// Whether an op call is that of an op, and none that only holds what no op claims.
fn is_op(profile: &ProfileContents, op_call: OpCallId) -> bool {
    profile.capture.description.mode != Mode::Simple
        && !profile.op_name(profile.index.calls.op[op_call]).starts_with(UNASSOCIATED)
}

/// Whether tries that follow each other choose an algorithm of one convolution.
fn is_choice(profile: &ProfileContents, run: &[Vec<WorkId>]) -> bool {
    let capture = &profile.capture;
    let names = |kernels: &Vec<WorkId>| -> Vec<StrId> {
        kernels.iter().map(|&kernel| capture.kernels.long_name[kernel]).collect()
    };
    let different: BTreeSet<Vec<StrId>> = run.iter().map(names).collect();
    if different.len() < FEWEST_TRIES {
        return false;
    }
    let convolves = |kernels: &&Vec<WorkId>| {
        kernels.iter().any(|&kernel| profile.judge_kernel(kernel).classes.has(KernelClass::Convolution))
    };
    if 2 * run.iter().filter(convolves).count() < run.len() {
        return false;
    }
    let op_of = |&kernel: &WorkId| {
        let call = capture.launches.api[kernel].some();
        let op_call = call.and_then(|call| capture.call_roles.op_call[call].some());
        op_call.filter(|&op_call| is_op(profile, op_call))
    };
    let ops: BTreeSet<Option<OpCallId>> = run.iter().flatten().map(op_of).collect();
    if ops.iter().any(Option::is_some) {
        return ops.len() == 1;
    }
    let transforms = |kernels: &Vec<WorkId>| {
        kernels.iter().any(|&kernel| {
            let name = capture.strings.get(capture.kernels.short_name[kernel]).to_ascii_lowercase();
            name.contains("winograd") || name.contains("fft")
        })
    };
    let with = run.iter().filter(|kernels| transforms(kernels)).count();
    0 < with && with < run.len()
}
