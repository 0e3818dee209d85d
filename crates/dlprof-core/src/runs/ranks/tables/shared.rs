//! Columns that several tables of a job have: the classes of a step.

use super::super::arithmetic::whole_ns;
use super::super::job::Job;
use super::super::steps::{MeanTimes, RankClass, StepTimes};
use super::declaration::JobColumn;
use crate::tables::{Read, Unit, Value};
use std::sync::Arc;

const CLASSES: [(&str, &str, &str); RankClass::ALL.len()] = [
    (
        "compute_ns",
        "Compute",
        "Time in which the GPU computes, or changes from one queued kernel to the next.",
    ),
    (
        "transfer_ns",
        "Transfer",
        "Time in which data is exchanged and nothing computes, without waiting for others.",
    ),
    ("copy_ns", "Copy", "Time of copies that nothing hides, and of waiting for them."),
    ("input_ns", "Input", "Time in which the GPU waits for input."),
    ("cpu_ns", "CPU", "Time in which the GPU waits for the host to launch."),
    ("sync_ns", "Sync", "Time in which the GPU waits because the host had waited for it."),
    ("other_ns", "Other", "The rest of the step."),
];

/// Columns of the seven classes; `reads` are in the order of [`RankClass::ALL`].
pub(super) fn classes<R: 'static>(
    reads: [Read<R, Arc<Job>>; RankClass::ALL.len()],
) -> impl Iterator<Item = JobColumn<R>> {
    CLASSES
        .into_iter()
        .zip(reads)
        .map(|((key, title, doc), read)| JobColumn::int(key, title, Unit::Nanoseconds, doc, read))
}

/// A class of means; transfer and waiting are not known where no collectives were matched.
pub(super) fn mean_of(job: &Job, mean: &MeanTimes, class: RankClass) -> Value<'static> {
    known(job, class).then(|| whole_ns(mean.of(class))).into()
}

/// A class of a step.
pub(super) fn step_of(job: &Job, step: &StepTimes, class: RankClass) -> Value<'static> {
    known(job, class).then(|| step.of(class)).into()
}

fn known(job: &Job, class: RankClass) -> bool {
    class != RankClass::Transfer || job.has_waiting()
}

/// What rests on waiting, which is not known where no collectives were matched.
pub(super) fn waiting(job: &Job, ns: f64) -> Value<'static> {
    job.has_waiting().then(|| whole_ns(ns)).into()
}
