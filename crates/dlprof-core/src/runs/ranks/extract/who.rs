//! Who a rank is.

use super::super::digest::{CaptureKind, KnownCommunicator, RankIdentity};
use super::source::{Source, Unit};
use crate::base::diagnostics::DiagnosticCode;
use crate::base::ids::{Maybe, ProcessId};
use crate::base::time::Span;
use crate::read::facts::{JobFacts, KinetoNotes};
use crate::read::ingest::{RANK_VARIABLES, WORLD_VARIABLES};
use std::collections::BTreeMap;
use std::path::Path;

impl Source<'_> {
    pub(super) fn who(&self, unit: &Unit, ranks_of_capture: usize, file: &Path) -> RankIdentity {
        let (capture, job) = (self.capture, self.job);
        let global_pid = unit.process.some().map(|process| capture.processes[process.index()].global_pid);
        let gpu = &capture.devices[unit.device.index()];
        let start = unit.items.iter().map(|&item| self.span(item).start).min();
        let end = unit.items.iter().map(|&item| self.span(item).end).max();
        let mpi = job.mpi_ranks.iter().find(|(process, _)| Some(*process) == global_pid);
        let traced = |number: &dyn Fn(&KinetoNotes) -> Option<u64>| {
            i64::try_from(number(capture.kineto.as_ref()?)?).ok()
        };
        RankIdentity {
            file: file.to_owned(),
            kind: match (&capture.kineto, &capture.description.dlprof) {
                (Some(_), _) => CaptureKind::Trace,
                (None, Some(_)) => CaptureKind::DlprofDatabase,
                (None, None) => CaptureKind::Export,
            },
            node: job.host.clone(),
            global_pid,
            device_id: gpu.device_id,
            gpu_name: gpu.name.clone().unwrap_or_default(),
            captured_ns: capture.source.captured_ns,
            span: Span::new(start.unwrap_or(0), end.unwrap_or(0)),
            session: job.session.clone(),
            report: job.report.clone(),
            ranks_of_capture,
            traced_rank: traced(&|notes| traced_rank(notes, global_pid)),
            traced_world: traced(&|notes| notes.world_size),
            environment_rank: RANK_VARIABLES.iter().find_map(|name| variable(job, name)),
            environment_world: WORLD_VARIABLES.iter().filter_map(|name| variable(job, name)).max(),
            mpi_rank: mpi.map(|(_, rank)| *rank),
            communicators: self.known_communicators(unit),
            progress_threads: self.progress_threads(unit),
            driver: capture.system.driver_version.clone().unwrap_or_default(),
            cpu: capture.system.cpu_model.clone().unwrap_or_default(),
            nsys_version: capture.source.product_version.clone(),
            lacks_payloads: capture.notes.lacks_payloads,
            is_cut: capture.diagnostics.counted(DiagnosticCode::CutTrace) > 0,
            recorder: capture.recorder,
            misleads: self.misleads(unit),
            given_rank: None,
        }
    }

    /// Why figures of the capture mislead, in few words.
    fn misleads(&self, unit: &Unit) -> Option<String> {
        let ledger = &self.capture.description.ledger;
        if let Some(why) = ledger.hides_gpu_time() {
            return Some(why.to_owned());
        }
        let others = ledger.processes_without_records();
        let lost = ledger.lost_of(unit.process);
        match others.is_empty() {
            _ if lost.percent() >= 1.0 => {
                Some(format!("{:.1}% of its launches have no record", lost.percent()))
            }
            true => None,
            false => Some("other processes of its capture have no records".to_owned()),
        }
    }

    /// The communicators that the process made.
    fn known_communicators(&self, unit: &Unit) -> Vec<KnownCommunicator> {
        let is_own = |process: Maybe<ProcessId>| unit.process.is_none() || process == unit.process;
        let made = self.capture.communicators.iter().filter(|one| one.is_whole && is_own(one.process));
        let known = made.map(|one| KnownCommunicator {
            id: one.id,
            size: one.ranks.and_then(|ranks| i64::try_from(ranks).ok()),
            rank: one.rank,
        });
        let by_id: BTreeMap<u64, KnownCommunicator> = known.map(|known| (known.id, known)).collect();
        by_id.into_values().collect()
    }

    /// What the names of NCCL's threads say: `NCCL Progress [3/8]`.
    fn progress_threads(&self, unit: &Unit) -> Vec<(i64, i64)> {
        let own = self.job.nccl_threads.iter().filter(|(thread, _)| self.is_of(unit, *thread));
        own.filter_map(|(_, name)| progress(name)).collect()
    }

    /// Whether a thread is one of the rank's process.
    fn is_of(&self, unit: &Unit, global_tid: i64) -> bool {
        let own = unit.process.some().map(|process| self.capture.processes[process.index()].global_pid);
        let process = crate::read::facts::global_ids::process_of(global_tid);
        own.is_none_or(|own| own == process)
    }
}

/// The rank of a process: what its label says in a trace that was merged of several, else what the trace says of itself.
fn traced_rank(notes: &KinetoNotes, global_pid: Option<i64>) -> Option<u64> {
    match notes.merged_ranks.is_empty() {
        true => notes.rank,
        false => notes.merged_ranks.iter().find(|(process, _)| Some(*process) == global_pid).map(|of| of.1),
    }
}

/// Number of ranks and rank in the name of a thread.
fn progress(name: &str) -> Option<(i64, i64)> {
    let (rank, rest) = name.strip_prefix("NCCL Progress [")?.split_once('/')?;
    let (ranks, _) = rest.split_once(']')?;
    Some((ranks.parse().ok()?, rank.parse().ok()?))
}

/// A variable of the environment that is a number.
fn variable(job: &JobFacts, name: &str) -> Option<i64> {
    let (_, value) = job.environment.iter().find(|(known, _)| known == name)?;
    value.bytes().all(|byte| byte.is_ascii_digit()).then(|| value.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::progress;

    #[test]
    fn threads_of_nccl_are_named_after_the_rank() {
        assert_eq!(progress("NCCL Progress [3/8]: 0xabc"), Some((8, 3)));
        for other in ["NCCL Progress", "NCCL Progress [3]", "NCCL Progress [a/8]", "python"] {
            assert_eq!(progress(other), None, "{other}");
        }
    }
}
