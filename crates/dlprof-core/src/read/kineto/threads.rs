//! Threads and processes. A trace may call them anything: numbers of the system, numbers of pthreads, texts.

use super::head::given_name;
use super::names::Names;
use super::numbers::{integer, unquoted};
use crate::base::ids::{Maybe, ProcessId, StrId, ThreadId};
use crate::read::facts::global_ids::global_id;
use crate::read::facts::{Process, RecordedThread};
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

/// Threads that are told apart, and names that are kept: no program has as many.
const MOST_THREADS: usize = 100_000;

/// Numbers of threads and processes that a global id can hold are below this one.
const NUMBERS: i64 = 1 << 24;

/// What a trace calls a process and a thread of it.
type ThreadKey = (Box<[u8]>, Box<[u8]>);

/// Threads while events are read.
#[derive(Default)]
pub(super) struct Threads {
    /// What the trace calls the process and the thread.
    keys: IndexSet<ThreadKey, FxBuildHasher>,
    /// The last one asked for: most events are of the thread of the one before.
    last: (Vec<u8>, Vec<u8>, u32),
    process_names: FxHashMap<Box<[u8]>, String>,
    thread_names: FxHashMap<ThreadKey, String>,
}

impl Threads {
    /// The position of a thread.
    #[inline]
    pub(super) fn position(&mut self, process: &[u8], thread: &[u8]) -> u32 {
        if self.last.0 == process && self.last.1 == thread && !self.keys.is_empty() {
            return self.last.2;
        }
        let key = (unquoted(process).into(), unquoted(thread).into());
        let at = match self.keys.get_index_of(&key) {
            Some(at) => at,
            None if self.keys.len() == MOST_THREADS => MOST_THREADS - 1,
            None => self.keys.insert_full(key).0,
        };
        let at = u32::try_from(at).unwrap_or(0);
        self.last = (process.into(), thread.into(), at);
        at
    }

    /// Whether all threads of a block can be told apart even if none of them is known.
    pub(super) fn has_room_for(&self, block: &Self) -> bool {
        let is_room = |known: usize, more: usize| known + more <= MOST_THREADS;
        is_room(self.keys.len(), block.keys.len())
            && is_room(self.process_names.len(), block.process_names.len())
            && is_room(self.thread_names.len(), block.thread_names.len())
    }

    /// Adds the threads of a block for which there is room. Returns where each is.
    pub(super) fn add_all(&mut self, block: Self) -> Vec<u32> {
        self.process_names.extend(block.process_names);
        self.thread_names.extend(block.thread_names);
        let add = |key| u32::try_from(self.keys.insert_full(key).0).unwrap_or(0);
        block.keys.into_iter().map(add).collect()
    }

    /// Notes the name of a process.
    pub(super) fn name_process(&mut self, process: &[u8], name: &[u8]) {
        if let Some(name) = given_name(name).filter(|_| self.process_names.len() < MOST_THREADS) {
            self.process_names.insert(unquoted(process).into(), name);
        }
    }

    /// Notes the name of a thread.
    pub(super) fn name_thread(&mut self, process: &[u8], thread: &[u8], name: &[u8]) {
        if let Some(name) = given_name(name).filter(|_| self.thread_names.len() < MOST_THREADS) {
            self.thread_names.insert((unquoted(process).into(), unquoted(thread).into()), name);
        }
    }

    /// Threads and processes by ascending global id. What has no number that fits has one that nobody else has.
    pub(super) fn resolve(mut self, names: &mut Names) -> ResolvedThreads {
        let process_numbers = numbers(self.keys.iter().map(|(process, _)| &**process));
        let mut of_process: FxHashMap<&[u8], Vec<&[u8]>> = FxHashMap::default();
        for (process, thread) in &self.keys {
            of_process.entry(process).or_default().push(thread);
        }
        let thread_numbers: FxHashMap<&[u8], _> = of_process
            .into_iter()
            .map(|(process, threads)| (process, numbers(threads.into_iter())))
            .collect();
        let global_tid = |(process, thread): &(Box<[u8]>, Box<[u8]>)| {
            global_id(process_numbers[&**process], thread_numbers[&**process][&**thread])
        };
        let global: Vec<i64> = self.keys.iter().map(global_tid).collect();
        let mut processes: Vec<Process> = process_numbers
            .iter()
            .map(|(&key, &number)| Process {
                global_pid: global_id(number, 0),
                name: self.process_names.get(key).cloned(),
            })
            .collect();
        processes.sort_unstable_by_key(|process| process.global_pid);
        let process_of = |key: &[u8]| {
            let global_pid = global_id(process_numbers[key], 0);
            ProcessId::new(processes.partition_point(|process| process.global_pid < global_pid))
        };
        let mut order: Vec<usize> = (0..global.len()).collect();
        order.sort_unstable_by_key(|&at| global[at]);
        let mut ids = vec![ThreadId::new(0); global.len()];
        let mut threads = Vec::with_capacity(global.len());
        for at in order {
            let key = &self.keys[at];
            ids[at] = ThreadId::new(threads.len());
            let is_number = fitting(&key.1).is_some();
            let name = self
                .thread_names
                .remove(key)
                .or_else(|| (!is_number).then(|| format!("thread {}", String::from_utf8_lossy(&key.1))));
            threads.push(RecordedThread {
                global_tid: global[at],
                process: process_of(&key.0),
                name: name.map_or(StrId::NONE, |name| names.pool.intern(&name)),
            });
        }
        ResolvedThreads { processes, threads, ids }
    }
}

/// Threads once all events are read.
pub(super) struct ResolvedThreads {
    pub(super) processes: Vec<Process>,
    pub(super) threads: Vec<RecordedThread>,
    /// By position.
    pub(super) ids: Vec<ThreadId>,
}

impl ResolvedThreads {
    /// The thread at a position.
    pub(super) fn id(&self, position: u32) -> Maybe<ThreadId> {
        self.ids.get(position as usize).copied().into()
    }

    /// The process of the thread at a position.
    pub(super) fn process(&self, position: u32) -> Maybe<ProcessId> {
        self.id(position).some().map(|thread| self.threads[thread.index()].process).into()
    }
}

/// The number that a text is, if it fits.
fn fitting(text: &[u8]) -> Option<i64> {
    integer(text).filter(|number| (0..NUMBERS).contains(number))
}

/// A number for each distinct text: its own, or one from the end of those that fit.
fn numbers<'a>(texts: impl Iterator<Item = &'a [u8]> + Clone) -> FxHashMap<&'a [u8], i64> {
    let mut used: FxHashSet<i64> = texts.clone().filter_map(fitting).collect();
    let mut owners: FxHashMap<i64, &[u8]> = FxHashMap::default();
    let mut next = NUMBERS - 1;
    let mut numbers = FxHashMap::default();
    for text in texts {
        if numbers.contains_key(text) {
            continue;
        }
        // Of `7` and `07` the first one keeps the number.
        let own = fitting(text).filter(|number| *owners.entry(*number).or_insert(text) == text);
        let number = own.unwrap_or_else(|| {
            while !used.insert(next) {
                next -= 1;
            }
            next
        });
        numbers.insert(text, number);
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_of_any_kind_have_distinct_ids() {
        let mut threads = Threads::default();
        let keys = [("7", "12"), ("7", "-140234"), ("7", "\"12\""), ("\"x\"", "99999999999"), ("7", "012")];
        let at = keys.map(|(process, thread)| threads.position(process.as_bytes(), thread.as_bytes()));
        assert_eq!(at, [0, 1, 0, 2, 3]);
        threads.name_thread(b"7", b"\"12\"", b"\"thread 12 (python3)\"");
        let mut names = Names::new();
        let resolved = threads.resolve(&mut names);
        assert_eq!(resolved.processes.len(), 2);
        let shown = |at: u32| {
            let thread = resolved.threads[resolved.id(at).some().expect("a thread").index()];
            (thread.pid(), thread.tid(), names.pool.get(thread.name).to_owned())
        };
        assert_eq!(shown(0), (7, 12, "thread 12 (python3)".into()));
        assert_eq!(shown(1).2, "thread -140234");
        assert_eq!(shown(2), (NUMBERS - 1, NUMBERS - 1, "thread 99999999999".into()));
        let mut tids: Vec<i64> = resolved.threads.iter().map(|thread| thread.global_tid).collect();
        assert!(tids.is_sorted());
        tids.dedup();
        assert_eq!(tids.len(), 4);
    }
}
