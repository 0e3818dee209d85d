//! From a capture to the digests of its ranks.
//!
//! ```text
//! capture ─iterate─► iterations ─┐
//! job facts ─────────────────────┼─► collectives ─► gates ─► pieces ─► digest
//! items of a process on a GPU ───┘
//! ```

mod collectives;
mod gates;
mod iterations;
mod narrowed;
mod op_paths;
mod pieces;
mod said;
mod source;
mod who;
mod work_sums;

pub(super) use pieces::closing_by_channel;

use super::digest::{RankDigest, RankIteration};
use crate::base::Error;
use crate::base::ids::{DeviceId, Maybe, ProcessId};
use crate::base::limits::{RANK_ROWS, RANKS, TooMuch};
use crate::base::time::Span;
use crate::capture::Capture;
use crate::capture::classified::{Activity, Classified};
use crate::capture::names::ActivitySettings;
use crate::read::facts::JobFacts;
use crate::read::ingest::read_job;
use crate::steps::iterate::{KeyNodeChoice, iterate, process_of_work};
use iterations::IterationsOfProcesses;
use source::{Source, Unit};
use std::collections::BTreeMap;
use std::path::Path;

/// The digests of the ranks of a capture: of each process on each GPU that has work. `file` is how the capture is named.
///
/// # Errors
/// If the file changed, the key node never ran, or there are more ranks than a machine runs, or far more ranks and iterations than
/// work.
pub fn digests(
    capture: &Capture,
    file: &Path,
    key_node: &KeyNodeChoice,
    settings: &ActivitySettings,
) -> Result<Vec<RankDigest>, Error> {
    digests_with(capture, file, &job_facts(capture)?, key_node, settings)
}

/// What an export says about its job; other inputs say nothing beside their events.
fn job_facts(capture: &Capture) -> Result<JobFacts, Error> {
    let is_export = capture.description.dlprof.is_none() && !capture.recorder.is_torch_profiler();
    if is_export { read_job(&capture.source.path) } else { Ok(JobFacts::default()) }
}

/// The same, where it is known what the capture says about its job.
///
/// # Errors
/// If the key node never ran.
pub(super) fn digests_with(
    capture: &Capture,
    file: &Path,
    job: &JobFacts,
    key_node: &KeyNodeChoice,
    settings: &ActivitySettings,
) -> Result<Vec<RankDigest>, Error> {
    let make = || -> Result<Vec<RankDigest>, Error> {
        let iterations = iterate(capture, key_node)?.iterations;
        let iterations = IterationsOfProcesses::new(capture, &iterations);
        let classified = Classified::new(Activity::of(capture), settings);
        let source = Source { capture, classified: &classified, job };
        let units = units(&source);
        check(capture, &units, &iterations)
            .map_err(|too_much| Error::TooMuch { path: file.to_owned(), too_much })?;
        Ok(source.digests(&units, &iterations, file))
    };
    capture.pool.install(make)
}

/// Refuses more ranks than a machine runs, and ranks in nearly all of whose iterations nothing happens.
fn check(capture: &Capture, units: &[Unit], iterations: &IterationsOfProcesses) -> Result<(), TooMuch> {
    RANKS.check(units.len(), 0, usize::MAX)?;
    let rows = units.iter().map(|unit| iterations.of(unit.process).len()).sum();
    RANK_ROWS.check(rows, capture.work.span.len(), capture.memory.bytes())
}

/// The processes and GPUs that have work, in order of process and GPU.
fn units(source: &Source<'_>) -> Vec<Unit> {
    let work = &source.classified.activity().work;
    let process_of = process_of_work(source.capture);
    let mut units: BTreeMap<(Maybe<ProcessId>, DeviceId), Vec<usize>> = BTreeMap::new();
    for item in source.classified.items_in_order() {
        units.entry((process_of[item], work.device[item])).or_default().push(item);
    }
    let unit = |((process, device), items)| Unit { process, device, items };
    units.into_iter().map(unit).collect()
}

impl Source<'_> {
    fn digests(&self, units: &[Unit], iterations: &IterationsOfProcesses, file: &Path) -> Vec<RankDigest> {
        let mut begun: Vec<RankDigest> = units
            .iter()
            .map(|unit| {
                let iterations = match !iterations.has_steps && units.len() > 1 {
                    true => vec![RankIteration { label: None, mark: None, span: self.work_of(unit) }],
                    false => iterations.of(unit.process).to_owned(),
                };
                let mut digest = RankDigest {
                    who: self.who(unit, units.len(), file),
                    iterations,
                    channels: Vec::new(),
                    names: Vec::new(),
                    collectives: Vec::new(),
                    gates: Vec::new(),
                    cuts: Vec::new(),
                    pieces: Vec::new(),
                    kernels: Vec::new(),
                    kernel_sums: Vec::new(),
                    ops: Vec::new(),
                    op_sums: Vec::new(),
                };
                self.add_collectives(unit, &mut digest);
                self.add_gates(unit, &mut digest);
                digest.cuts = pieces::cuts(&digest);
                digest
            })
            .collect();
        self.add_pieces(units, &mut begun);
        for (unit, digest) in units.iter().zip(&mut begun) {
            self.add_work_sums(unit, digest);
        }
        begun
    }

    /// From the first call of a rank's GPU work to the end of the last: where no step repeats, a capture of several processes says
    /// nothing about how long each of them ran.
    fn work_of(&self, unit: &Unit) -> Span {
        let begin = |&item: &usize| {
            let start = self.span(item).start;
            self.classified.call_of(item).map_or(start, |call| call.span.start.min(start))
        };
        let start = unit.items.iter().map(begin).min().unwrap_or(0);
        Span::new(start, unit.items.iter().map(|&item| self.span(item).end).max().unwrap_or(start))
    }
}
