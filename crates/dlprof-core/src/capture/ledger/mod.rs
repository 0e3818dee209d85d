//! The ledger of records: what the capture has of all that its processes launched, and what is missing.
//!
//! One value, made once when calls and work are joined, that everybody asks who has to know whether figures of GPUs can be relied
//! on: states of iterations, columns that are empty rather than 0, rules that are silent, the verdict, exit codes. Here are no
//! words about what to do.

mod fate;
mod place;
mod rows;
mod said;
mod waits;

pub use fate::LaunchFate;
pub use place::Place;
pub use rows::LaunchRecords;
pub use said::SaidByProfiler;
pub use waits::EndlessWaits;

use crate::base::ids::{Maybe, ProcessId};
use crate::base::ratios::{count_to_f64, percent};
use crate::capture::CaptureContents;
use serde::{Deserialize, Serialize};

/// What was launched, and what became of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Ledger {
    /// By thread and function.
    pub launches: Vec<LaunchRecords>,
    /// Waits for GPUs that go on after the last recorded work.
    pub waits: EndlessWaits,
    /// What the profiler itself says of what it recorded.
    pub said: SaidByProfiler,
}

/// What a loss of records is about, the first that fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LossOf {
    /// All that some processes launched, where others have records.
    Processes,
    /// Launches of graphs, and nothing else.
    Graphs,
    /// Launches of any kind.
    Launches,
}

/// Records that are missing though work ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loss {
    /// What it is about.
    pub of: LossOf,
    /// Launches that ran and have no record.
    pub lost: u64,
    /// Launches that had to have one: without those into graphs.
    pub launches: u64,
    /// Where the lost ones are among the others; none where threads differ.
    pub place: Option<Place>,
}

impl Loss {
    /// The lost share in percent.
    #[must_use]
    pub fn percent(self) -> f64 {
        100.0 * count_to_f64(self.lost) / count_to_f64(self.launches.max(1))
    }
}

/// Of fewer launches a share says nothing.
const FEWEST_LAUNCHES: u64 = 50;

/// Fewer launches of graphs that are lost, or less than a tenth of them, may be an accident.
const FEWEST_GRAPHS: u64 = 2;

/// Fewer launches of a process, or into graphs, say nothing.
const FEWEST_LOST: u64 = 20;

/// Where so many launches in a row, and this share of them, are lost, a part of the capture is without records however long it is.
const FEWEST_IN_A_ROW: u64 = 20;
const LEAST_DENSE_PERCENT: u64 = 10;

/// A share of launches below this is no loss that figures show.
const LEAST_PERCENT: f64 = 1.0;

/// Fewer waits that go on after all recorded work say nothing: a thread may be late, or wait for something that runs once.
const FEWEST_WAITS: u64 = 20;

/// Waits that go on after all recorded work for this share of the time say that work is missing.
const LEAST_WAITS_PERCENT: f64 = 10.0;

impl Ledger {
    /// The ledger of a capture, and what became of each API call.
    pub(crate) fn of(capture: &CaptureContents) -> (Self, crate::columns::Buffer<LaunchFate>) {
        let fates = fate::of_calls(capture);
        let launches = rows::of(capture, &fates);
        let said = SaidByProfiler::of(&capture.notes.nsys_messages);
        (Self { launches, waits: waits::of(capture), said }, fates)
    }

    /// The sum over some rows.
    fn sum(&self, is_meant: impl Fn(&LaunchRecords) -> bool) -> LaunchRecords {
        let mut sum = LaunchRecords::default();
        self.launches.iter().filter(|row| is_meant(row)).for_each(|row| sum.add(row));
        sum
    }

    /// The sum over all threads and functions.
    #[must_use]
    pub fn total(&self) -> LaunchRecords {
        self.sum(|_| true)
    }

    /// Processes that launched and have no record, where others have some.
    #[must_use]
    pub fn processes_without_records(&self) -> Vec<Maybe<ProcessId>> {
        let mut processes: Vec<Maybe<ProcessId>> = self.launches.iter().map(|row| row.process).collect();
        processes.sort_unstable();
        processes.dedup();
        let sums = processes.into_iter().map(|process| (process, self.sum(|row| row.process == process)));
        let (with, without): (Vec<_>, Vec<_>) = sums.partition(|(_, sum)| sum.recorded > 0);
        let is_lost =
            |(_, sum): &(Maybe<ProcessId>, LaunchRecords)| !with.is_empty() && sum.lost >= FEWEST_LOST;
        without.into_iter().filter(is_lost).map(|(process, _)| process).collect()
    }

    /// How many processes launched something.
    #[must_use]
    pub fn launching_processes(&self) -> usize {
        let mut processes: Vec<Maybe<ProcessId>> = self.launches.iter().map(|row| row.process).collect();
        processes.sort_unstable();
        processes.dedup();
        processes.len()
    }

    /// The loss of records, from a share of the launches in percent on; none of a capture that has no records at all.
    #[must_use]
    pub fn loss(&self, least_percent: f64) -> Option<Loss> {
        let total = self.total();
        let launches = total.launches - total.captured;
        let loss = |of, row: LaunchRecords, launches| Loss { of, lost: row.lost, launches, place: row.place };
        if total.recorded == 0 {
            return None;
        }
        let processes = self.processes_without_records();
        if !processes.is_empty() {
            let lost = self.sum(|row| processes.contains(&row.process));
            return Some(loss(LossOf::Processes, lost, lost.launches - lost.captured));
        }
        let graphs = self.sum(|row| row.is_graph);
        if graphs.lost > 0 && graphs.lost == total.lost && graphs.recorded == 0 {
            return Some(loss(LossOf::Graphs, graphs, graphs.launches - graphs.captured));
        }
        let found = loss(LossOf::Launches, total, launches);
        // A graph is many kernels: some of few matter.
        let of_graphs = graphs.lost >= FEWEST_GRAPHS && 10 * graphs.lost >= graphs.launches - graphs.captured;
        let is_large = launches >= FEWEST_LAUNCHES && found.percent() >= least_percent || of_graphs;
        (total.lost > 0 && (is_large || self.launches.iter().any(LaunchRecords::is_dense))).then_some(found)
    }

    /// What a process lost; of all of them if it is not named.
    #[must_use]
    pub fn lost_of(&self, process: Maybe<ProcessId>) -> Loss {
        let sum = self.sum(|row| process.is_none() || row.process == process);
        Loss { of: LossOf::Launches, lost: sum.lost, launches: sum.launches - sum.captured, place: sum.place }
    }

    /// Whether waits go on after the last recorded work so often, most of them, and for so long that work must be missing, or
    /// something else holds the GPU.
    #[must_use]
    pub fn has_endless_waits(&self, least_percent: f64) -> bool {
        let EndlessWaits { waits, of_waits, behind_ns: _, time_ns, of_ns } = self.waits;
        waits >= FEWEST_WAITS && 2 * waits > of_waits && percent(time_ns, of_ns) >= least_percent
    }

    /// Whether most launches were recorded into graphs and nothing launches these here.
    #[must_use]
    pub fn only_captures(&self) -> bool {
        let (total, graphs) = (self.total(), self.sum(|row| row.is_graph));
        total.captured >= FEWEST_LOST && 2 * total.captured > total.launches && graphs.launches == 0
    }

    /// Whether launches of a row are lost in a part of the capture, or in a part of a process, so that what is recorded beside them
    /// is not what ran: iterations with such launches are untraced. Those of a whole process say nothing about others, and where
    /// records are missing here and there everywhere, no iteration is told from the others, unless half of them or more are.
    #[must_use]
    pub(crate) fn tells_of_iterations(&self, row: &LaunchRecords) -> bool {
        let is_most = 2 * row.lost >= row.launches - row.captured;
        row.lost > 0
            && (row.place != Some(Place::Throughout) || is_most)
            && self.sum(|other| other.process == row.process).recorded > 0
    }

    /// Why it is not known when GPUs worked, in few words, whatever the iterations; `None` if it is.
    #[must_use]
    pub fn hides_gpu_time(&self) -> Option<&'static str> {
        match () {
            () if self.only_captures() => Some("launches were recorded into graphs and did not run"),
            () if self.has_endless_waits(LEAST_WAITS_PERCENT) => Some(
                "waits go on after the last recorded GPU work, so that work is missing or the GPU is held",
            ),
            () if self.said.shortfall().is_some() => Some("most events did not arrive, as nsys says"),
            () => None,
        }
    }

    /// Whether launches are lost, whatever the iterations: a share that shows.
    #[must_use]
    pub fn has_loss(&self) -> bool {
        self.loss(LEAST_PERCENT).is_some()
    }
}

#[cfg(test)]
mod tests;
