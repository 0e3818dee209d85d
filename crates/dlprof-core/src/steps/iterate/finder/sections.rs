//! Candidates: executions of one name that may delimit iterations.
//!
//! ```text
//! warmup/step ×5   measure/step ×10   step ×3      leaf `step` under three paths: three sections
//! ╰─ section ──╯   ╰── section ───╯
//!                  ╰───── all that is neither warm-up nor evaluation ──────╯
//! ```

use super::delimiter_names::{Leaf, Leaves};
use super::gpu_load::Totals;
use super::input::FinderInput;
use super::paths::{Execution, Path, Paths, outer};
use super::words::KeyNodeHint;
use crate::base::groups::Grouped;
use crate::base::ids::{ProcessId, ThreadId};
use crate::columns::Memory;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Fewer executions delimit nothing.
pub(super) const FEWEST: usize = 3;

/// Executions of one leaf on one thread.
#[derive(Debug, Clone)]
pub(super) struct Section {
    pub(super) leaf: Leaf,
    /// The path of all executions; none if several paths are taken together.
    pub(super) path: Option<Path>,
    pub(super) hint: KeyNodeHint,
    /// Whether it is a warm-up itself.
    pub(super) is_warm: bool,
    pub(super) process: ProcessId,
    pub(super) thread: ThreadId,
    /// In order of start; none lies in another.
    pub(super) executions: Vec<Execution>,
    /// The same in other processes, by process.
    pub(super) elsewhere: Vec<(ProcessId, ThreadId, Vec<Execution>)>,
}

/// The executions of all leaves, by leaf; as positions in [`Paths::executions`].
pub(super) fn by_leaf(paths: &Paths, leaves: &Leaves<'_>) -> Grouped<u32> {
    let count = u32::try_from(paths.executions.len()).unwrap_or(u32::MAX);
    Grouped::new(&Memory::default(), leaves.len(), 0..count, |at| {
        Some(paths.leaf[paths.executions[at as usize].path as usize] as usize)
    })
}

/// All candidates.
pub(super) fn sections(
    input: &FinderInput<'_>,
    totals: &Totals,
    paths: &Paths,
    leaves: &Leaves<'_>,
    by_leaf: &Grouped<u32>,
) -> Vec<Section> {
    let division = Division { input, totals, paths, leaves };
    let frequent = (0..by_leaf.len()).filter(|&leaf| by_leaf.get(leaf).len() >= FEWEST);
    frequent.flat_map(|leaf| division.of_leaf(leaf, by_leaf.get(leaf))).collect()
}

/// How executions of a leaf are divided.
struct Division<'a> {
    input: &'a FinderInput<'a>,
    totals: &'a Totals,
    paths: &'a Paths,
    leaves: &'a Leaves<'a>,
}

impl Division<'_> {
    fn path(&self, execution: u32) -> Path {
        self.paths.executions[execution as usize].path
    }

    /// The candidates of a leaf: its executions under each path, and those under all paths that count.
    fn of_leaf(&self, leaf: usize, all: &[u32]) -> Vec<Section> {
        let mut by_path: BTreeMap<Path, Vec<u32>> = BTreeMap::new();
        for &at in all {
            by_path.entry(self.path(at)).or_default().push(at);
        }
        let main = main_paths(self.paths, by_path.keys().copied());
        let mut found: Vec<Section> = by_path
            .iter()
            .filter(|(_, executions)| executions.len() >= FEWEST)
            .filter_map(|(&path, executions)| self.section(leaf, Some(path), executions))
            .collect();
        if main.len() >= 2 {
            let is_main = |at: &u32| main.binary_search(&self.path(*at)).is_ok();
            let executions: Vec<u32> = all.iter().copied().filter(is_main).collect();
            found.extend(self.section(leaf, None, &executions));
        }
        found
    }

    fn section(&self, leaf: usize, path: Option<Path>, executions: &[u32]) -> Option<Section> {
        let all_are = |flags: &[bool]| executions.iter().all(|&at| flags[self.path(at) as usize]);
        let own = self.leaves.said[leaf].hint;
        let is_other = all_are(&self.paths.is_aside) && own != KeyNodeHint::Layer;
        let ((process, thread, on_thread), elsewhere) = self.on_one_thread(executions)?;
        Some(Section {
            leaf: Leaf::try_from(leaf).unwrap_or(Leaf::MAX),
            path,
            hint: if is_other { KeyNodeHint::Other } else { own },
            is_warm: all_are(&self.paths.is_warm),
            process,
            thread,
            executions: on_thread,
            elsewhere,
        })
    }

    /// The executions on the thread that counts, and those in other processes; nothing if they are too few.
    ///
    /// It is the process with most GPU time; in it the thread that launched most, then the one with more executions.
    fn on_one_thread(&self, executions: &[u32]) -> Option<(OnThread, Vec<OnThread>)> {
        let rank = |(process, thread, own): &OnThread| (self.totals.rank(*process, *thread), own.len());
        let thread_of = |at: &u32| self.paths.thread_of(*at as usize);
        let mut best: BTreeMap<ProcessId, OnThread> = BTreeMap::new();
        // Positions ascend by thread.
        for of_thread in executions.chunk_by(|a, b| thread_of(a) == thread_of(b)) {
            let thread = thread_of(&of_thread[0]);
            let process = self.input.recorded.process_of(thread);
            let mut own: Vec<Execution> =
                of_thread.iter().map(|&at| self.paths.executions[at as usize]).collect();
            outer(&mut own, |execution| execution.span);
            let own = (process, thread, own);
            if best.get(&process).is_none_or(|other| rank(&own) > rank(other)) {
                best.insert(process, own);
            }
        }
        let (&process, _) = best.iter().max_by_key(|(process, own)| (rank(own), Reverse(**process)))?;
        let main = best.remove(&process).filter(|(.., own)| own.len() >= FEWEST)?;
        Some((main, best.into_values().collect()))
    }
}

/// Those paths of a leaf that are no warm-up and no evaluation; if there are none, those that are no warm-up; else all.
/// In order.
fn main_paths(paths: &Paths, of_leaf: impl Iterator<Item = Path> + Clone) -> Vec<Path> {
    for flags in [&paths.is_aside, &paths.is_warm] {
        let main: Vec<Path> = of_leaf.clone().filter(|&path| !flags[path as usize]).collect();
        if !main.is_empty() {
            return main;
        }
    }
    of_leaf.collect()
}

/// Executions on a thread of a process.
type OnThread = (ProcessId, ThreadId, Vec<Execution>);
