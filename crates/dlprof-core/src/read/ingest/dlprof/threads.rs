//! Processes and threads, by the numbers of the operating system that rows have.

use super::super::keys::KeyColumn;
use super::super::row::Row;
use super::checked::Checked;
use crate::base::ids::{Maybe, ProcessId, StrId, ThreadId};
use crate::columns::{Buffer, Memory};
use crate::read::facts::global_ids::global_id;
use crate::read::facts::{Process, RecordedThread};

/// Processes and threads by the numbers of the operating system.
pub(super) struct Threads {
    pub(super) processes: Vec<Process>,
    pub(super) threads: Vec<RecordedThread>,
}

impl Threads {
    pub(super) fn new<'a>(columns: impl Iterator<Item = &'a KeyColumn<(i64, i64)>>) -> Self {
        let mut keys: Vec<(i64, i64)> = columns.flat_map(|column| column.distinct()).copied().collect();
        keys.sort_unstable();
        keys.dedup();
        let mut pids: Vec<i64> = keys.iter().filter(|key| **key != NOBODY).map(|(pid, _)| *pid).collect();
        pids.dedup();
        let processes: Vec<Process> =
            pids.into_iter().map(|pid| Process { global_pid: global_id(pid, 0), name: None }).collect();
        let mut threads = Self { processes, threads: Vec::new() };
        for &(pid, tid) in keys.iter().filter(|(_, tid)| *tid != 0) {
            let Some(process) = threads.process((pid, tid)).some() else { continue };
            threads.threads.push(RecordedThread {
                global_tid: global_id(pid, tid),
                process,
                name: StrId::NONE,
            });
        }
        threads
    }

    pub(super) fn process(&self, (pid, _): (i64, i64)) -> Maybe<ProcessId> {
        let found = self.processes.binary_search_by_key(&global_id(pid, 0), |process| process.global_pid);
        found.ok().map(ProcessId::new).into()
    }

    /// The threads of a column. Number 0 means no thread.
    pub(super) fn resolve(&self, memory: &Memory, column: &KeyColumn<(i64, i64)>) -> Buffer<Maybe<ThreadId>> {
        column.resolve(memory, |(pid, tid)| {
            let found = self.threads.binary_search_by_key(&global_id(pid, tid), |thread| thread.global_tid);
            found.ok().map(ThreadId::new).into()
        })
    }
}

/// The process and thread of work whose launch is not known at all.
const NOBODY: (i64, i64) = (0, 0);

/// Process and thread of a row. Older databases may lack the columns; then all is of process 1 and thread 1.
pub(super) fn thread_of(row: &Row<'_>, process: usize, thread: usize, checked: &mut Checked) -> (i64, i64) {
    /// In the numbers of nsys, processes and threads have 24 bits.
    const BEYOND: i64 = 1 << 24;
    let mut number = |column| match row.plain_int(column) {
        Some(None) => 1,
        _ => {
            let number = checked.int(row, column);
            if !(0..BEYOND).contains(&number) {
                checked.note(|| format!("column `{}` is {number}", row.columns[column]));
            }
            number.clamp(0, BEYOND - 1)
        }
    };
    (number(process), number(thread))
}
