//! Threads and processes. A trace may call them anything: numbers of the system, numbers of pthreads, texts.

use super::head::given_name;
use super::names::Names;
use super::numbers::{integer, unquoted};
use super::rows::NOWHERE;
use crate::base::ids::{Maybe, ProcessId, StrId, ThreadId};
use crate::read::facts::global_ids::global_id;
use crate::read::facts::{Process, RecordedThread};
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// Threads that are told apart, and names that are kept: no program has as many.
const MOST_THREADS: usize = 100_000;

/// Numbers of threads and processes that a global id can hold are below this one.
const NUMBERS: i64 = 1 << 24;

/// Labels that are told apart; of more ranks no tool merges traces.
const MOST_LABELS: usize = 4096;

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
    /// What tools that merge the traces of several ranks write before the numbers of processes and GPUs.
    labels: IndexSet<Box<[u8]>, FxBuildHasher>,
}

/// Where the threads and labels of a block are.
pub(super) struct Added {
    pub(super) threads: Vec<u32>,
    pub(super) labels: Vec<u32>,
}

impl Threads {
    /// The position of the label of a process or GPU; [`NOWHERE`] if it has none.
    #[inline]
    pub(super) fn label(&mut self, process: &[u8]) -> u32 {
        if !process.starts_with(b"\"[") {
            return NOWHERE;
        }
        let label = labelled(unquoted(process)).0;
        let at = match self.labels.get_index_of(label) {
            None if label.is_empty() || self.labels.len() == MOST_LABELS => return NOWHERE,
            None => self.labels.insert_full(label.into()).0,
            Some(at) => at,
        };
        u32::try_from(at).unwrap_or(NOWHERE)
    }

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
            && self.labels.len() + block.labels.len() <= MOST_LABELS
    }

    /// Adds the threads and labels of a block for which there is room. Returns where each is.
    pub(super) fn add_all(&mut self, block: Self) -> Added {
        self.process_names.extend(block.process_names);
        self.thread_names.extend(block.thread_names);
        let add = |key| u32::try_from(self.keys.insert_full(key).0).unwrap_or(0);
        let threads = block.keys.into_iter().map(add).collect();
        let add = |label| u32::try_from(self.labels.insert_full(label).0).unwrap_or(NOWHERE);
        Added { threads, labels: block.labels.into_iter().map(add).collect() }
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
        let mut keys_of_processes: Vec<(i64, &[u8])> =
            process_numbers.iter().map(|(&key, &number)| (global_id(number, 0), key)).collect();
        keys_of_processes.sort_unstable();
        let name = |key: &[u8]| self.process_names.get(key).cloned();
        let processes: Vec<Process> = keys_of_processes
            .iter()
            .map(|&(global_pid, key)| Process { global_pid, name: name(key) })
            .collect();
        let position = |key| self.labels.get_index_of(labelled(key).0).and_then(|at| u32::try_from(at).ok());
        let labels = keys_of_processes.iter().map(|(_, key)| position(key).unwrap_or(NOWHERE)).collect();
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
        ResolvedThreads { processes, labels, label_texts: self.labels, threads, ids }
    }
}

/// Threads once all events are read.
pub(super) struct ResolvedThreads {
    pub(super) processes: Vec<Process>,
    /// By process: the position of its label.
    labels: Vec<u32>,
    label_texts: IndexSet<Box<[u8]>, FxBuildHasher>,
    pub(super) threads: Vec<RecordedThread>,
    /// By position.
    pub(super) ids: Vec<ThreadId>,
}

impl ResolvedThreads {
    /// The thread at a position.
    pub(super) fn id(&self, position: u32) -> Maybe<ThreadId> {
        self.ids.get(position as usize).copied().into()
    }

    /// The position of the label of a process.
    pub(super) fn label(&self, process: Maybe<ProcessId>) -> u32 {
        process.some().and_then(|process| self.labels.get(process.index())).copied().unwrap_or(NOWHERE)
    }

    /// The labels that processes have, in order.
    pub(super) fn used_labels(&self) -> Vec<String> {
        let used: BTreeSet<u32> = self.labels.iter().copied().collect();
        let text =
            |at: u32| Some(String::from_utf8_lossy(self.label_texts.get_index(at as usize)?).into_owned());
        let mut labels: Vec<String> = used.into_iter().filter_map(text).collect();
        labels.sort_unstable();
        labels
    }

    /// The global id of each process whose label says a rank, and the rank; `by_label` are those of the labels.
    pub(super) fn ranks(&self, by_label: &BTreeMap<String, u64>) -> Vec<(i64, u64)> {
        let rank = |&label: &u32| {
            let text = self.label_texts.get_index(label as usize)?;
            by_label.get(&*String::from_utf8_lossy(text)).copied()
        };
        let processes = self.processes.iter().zip(&self.labels);
        processes.filter_map(|(process, label)| Some((process.global_pid, rank(label)?))).collect()
    }

    /// The process of GPU work with a label whose call is unknown: the only one there is.
    pub(super) fn only_process(&self, label: u32) -> Maybe<ProcessId> {
        let mut processes = (0..self.labels.len()).filter(|&at| self.labels[at] == label);
        match (processes.next(), processes.next()) {
            (Some(only), None) => ProcessId::new(only).into(),
            _ => Maybe::NONE,
        }
    }

    /// The process of the thread at a position.
    pub(super) fn process(&self, position: u32) -> Maybe<ProcessId> {
        self.id(position).some().map(|thread| self.threads[thread.index()].process).into()
    }
}

/// The label of a process that a tool wrote, without its brackets, and what stands after it: `TP00` and `100` of `[TP00] 100`.
fn labelled(process: &[u8]) -> (&[u8], &[u8]) {
    let Some(inside) = process.strip_prefix(b"[") else { return (b"", process) };
    match memchr::memmem::find(inside, b"] ") {
        Some(end) => (&inside[..end], inside[end + 2..].trim_ascii()),
        None => (b"", process),
    }
}

/// The number that a text is, or that stands after its label, if it fits.
fn fitting(text: &[u8]) -> Option<i64> {
    integer(labelled(text).1).filter(|number| (0..NUMBERS).contains(number))
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

    #[test]
    fn processes_of_merged_traces_keep_numbers_and_labels() {
        let mut threads = Threads::default();
        for process in ["\"[TP00] 100\"", "\"[TP01] 101\"", "\"[TP02] 100\"", "7"] {
            threads.position(process.as_bytes(), b"1");
        }
        let gpus = ["\"[TP00] 0\"", "\"[TP01] 1\"", "\"[TP02] 0\"", "0", "\"[x]\"", "\"[] 1\""];
        let labels = gpus.map(|gpu| threads.label(gpu.as_bytes()));
        assert_eq!(labels, [0, 1, 2, NOWHERE, NOWHERE, NOWHERE]);
        let resolved = threads.resolve(&mut Names::new());
        let pid = |label| resolved.processes[resolved.only_process(label).some().expect("one").index()].pid();
        assert_eq!(
            labels[..4].iter().map(|&label| pid(label)).collect::<Vec<_>>(),
            [100, 101, NUMBERS - 1, 7]
        );
        assert_eq!(resolved.used_labels(), ["TP00", "TP01", "TP02"]);
    }
}
