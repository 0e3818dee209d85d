//! Rows of inputs that are neither tables of nsys nor events of torch.profiler, as one form, and the facts that they become.
//!
//! ```text
//! rocpd, .rpd, XPlane ─rows─► Draft ─threads, calls by key, lanes─► Facts
//! ```
//!
//! A reader gives what it finds, in any order, with the numbers of its file: a call has a key, and work names the key of its
//! call. Here numbers become ids, times count from the first record, and work is ordered by kind.

mod finish;
mod rows;

pub(in crate::read) use rows::{CallRow, Lane, NO_KEY, NOBODY, RangeRow, UNKNOWN_SIZE, WorkRow};

use super::emit_nvtx::{Parts, split_numbers};
use super::most_names::{MOST_KERNEL_NAMES, MOST_RANGE_TEXTS, OTHER_NAMES};
use super::recent::{Recent, quick_hash};
use crate::base::diagnostics::{DiagnosticCode, Diagnostics};
use crate::base::ids::StrId;
use crate::base::time::{Ns, Span};
use crate::columns::{Buffer, Memory, StringPool};
use crate::read::facts::global_ids::global_id;
use crate::read::facts::{AboutRecording, Device, LaunchConfig, NO_SEQUENCE, RangeText, SequenceNumber};
use indexmap::{IndexMap, IndexSet};
use rustc_hash::{FxBuildHasher, FxHashMap};

/// A capture while its rows are read.
pub(in crate::read) struct Draft<'a> {
    memory: &'a Memory,
    pub(in crate::read) names: StringPool,
    /// Of it the source, the system, the recorder and the notes are the reader's to fill.
    pub(in crate::read) about: AboutRecording,
    /// By global id of the process: its name.
    processes: IndexMap<i64, Option<String>, FxBuildHasher>,
    /// By global id of the thread: its name.
    threads: IndexMap<i64, StrId, FxBuildHasher>,
    /// By machine and number of the GPU there.
    devices: IndexMap<(i64, i64), Device, FxBuildHasher>,
    lanes: IndexSet<Lane, FxBuildHasher>,
    configs: IndexSet<LaunchConfig, FxBuildHasher>,
    texts: IndexSet<RangeText, FxBuildHasher>,
    /// Places in it of those met recently.
    recent_texts: Recent<1024>,
    rows: Rows,
}

/// The rows, which are many.
struct Rows {
    calls: Buffer<CallRow>,
    work: Buffer<WorkRow>,
    ranges: Buffer<RangeRow>,
    /// Python functions: thread, name.
    frames: Buffer<(Span, u32, StrId)>,
    /// Time that the tracer took.
    overheads: Buffer<(Span, u32, StrId)>,
    /// Memory of GPUs: when, GPU, whether it was given back, bytes.
    memory_events: Buffer<(Ns, u32, bool, u64)>,
}

/// How far a draft was filled when the rows of a table began.
pub(in crate::read) struct Mark {
    lengths: [usize; 6],
    diagnostics: Diagnostics,
}

impl<'a> Draft<'a> {
    pub(in crate::read) fn new(memory: &'a Memory) -> Self {
        let rows = Rows {
            calls: memory.buffer(0),
            work: memory.buffer(0),
            ranges: memory.buffer(0),
            frames: memory.buffer(0),
            overheads: memory.buffer(0),
            memory_events: memory.buffer(0),
        };
        Self {
            memory,
            names: StringPool::default(),
            about: AboutRecording::default(),
            processes: IndexMap::default(),
            threads: IndexMap::default(),
            devices: IndexMap::default(),
            lanes: IndexSet::default(),
            configs: IndexSet::default(),
            texts: IndexSet::default(),
            recent_texts: Recent::new(),
            rows,
        }
    }

    pub(in crate::read) fn memory(&self) -> &'a Memory {
        self.memory
    }

    pub(in crate::read) fn diagnostics(&mut self) -> &mut Diagnostics {
        &mut self.about.diagnostics
    }

    /// How far it is filled.
    pub(in crate::read) fn mark(&self) -> Mark {
        let Rows { calls, work, ranges, frames, overheads, memory_events } = &self.rows;
        let lengths =
            [calls.len(), work.len(), ranges.len(), frames.len(), overheads.len(), memory_events.len()];
        Mark { lengths, diagnostics: self.about.diagnostics.clone() }
    }

    /// Takes back the rows that came after a mark, because their table is read again in another way.
    pub(in crate::read) fn rewind(&mut self, mark: &Mark) {
        let [calls, work, ranges, frames, overheads, memory_events] = mark.lengths;
        self.rows.calls.truncate(calls);
        self.rows.work.truncate(work);
        self.rows.ranges.truncate(ranges);
        self.rows.frames.truncate(frames);
        self.rows.overheads.truncate(overheads);
        self.rows.memory_events.truncate(memory_events);
        self.about.diagnostics = mark.diagnostics.clone();
    }

    /// The global id of a process that was not there before. Processes of several machines may have the same number.
    pub(in crate::read) fn add_process(&mut self, pid: i64, name: Option<String>) -> i64 {
        /// Above the bits of the number of a process.
        const MACHINE: u32 = 48;
        let own = global_id(pid & 0xFF_FFFF, 0);
        let free = |id: &i64| !self.processes.contains_key(id);
        let id = (0..1_i64 << 14).map(|machine| own | machine << MACHINE).find(free).unwrap_or(own);
        self.processes.entry(id).or_insert(name);
        id
    }

    /// The place of a thread of a process, which is added if it is new.
    pub(in crate::read) fn thread(&mut self, process: i64, tid: i64) -> u32 {
        let entry = self.threads.entry(process | tid & 0xFF_FFFF);
        let place = entry.index();
        entry.or_insert(StrId::NONE);
        u32::try_from(place).unwrap_or(NOBODY)
    }

    pub(in crate::read) fn name_thread(&mut self, thread: u32, name: &str) {
        let name = self.names.intern(name);
        if let Some((_, known)) = self.threads.get_index_mut(thread as usize) {
            *known = name;
        }
    }

    /// What is said of some threads is of others: the recorder gave each of them two numbers.
    pub(in crate::read) fn same_threads(&mut self, of: &FxHashMap<u32, u32>) {
        if of.is_empty() {
            return;
        }
        let rows = &mut self.rows;
        let calls = rows.calls.iter_mut().map(|row| &mut row.thread);
        let ranges = rows.ranges.iter_mut().map(|row| &mut row.thread);
        let frames = rows.frames.iter_mut().map(|(_, thread, _)| thread);
        let overheads = rows.overheads.iter_mut().map(|(_, thread, _)| thread);
        let threads = calls.chain(ranges).chain(frames).chain(overheads);
        for thread in threads {
            *thread = of.get(thread).copied().unwrap_or(*thread);
        }
    }

    /// The place of a GPU, by machine and number there; `describe` says what it is if it is new.
    pub(in crate::read) fn device(&mut self, key: (i64, i64), describe: impl FnOnce() -> Device) -> u32 {
        let entry = self.devices.entry(key);
        let place = entry.index();
        entry.or_insert_with(describe);
        u32::try_from(place).unwrap_or(0)
    }

    /// The place of a lane.
    pub(in crate::read) fn lane(&mut self, lane: Lane) -> u32 {
        u32::try_from(self.lanes.insert_full(lane).0).unwrap_or(0)
    }

    /// The place of a grid and block.
    pub(in crate::read) fn config(&mut self, config: LaunchConfig) -> u32 {
        u32::try_from(self.configs.insert_full(config).0).unwrap_or(0)
    }

    /// The name of work, or of a function. Beyond those that are told apart, all have one name.
    pub(in crate::read) fn name(&mut self, text: &str) -> StrId {
        if let Some(known) = self.names.find(text) {
            return known;
        }
        if self.names.len() < MOST_KERNEL_NAMES {
            return self.names.intern(text);
        }
        self.about.diagnostics.count(DiagnosticCode::TooManyNames, || text.chars().take(200).collect());
        self.names.intern(OTHER_NAMES)
    }

    /// What a range says: its place among the texts, and its sequence number if it is an operator of `emit_nvtx`.
    pub(in crate::read) fn text(&mut self, text: &str) -> (u32, SequenceNumber) {
        let parts = split_numbers(text.as_bytes());
        let is_operator = parts.text.len() < text.len();
        let hash = quick_hash(parts.text) ^ parts.sizes.map_or(0, quick_hash).rotate_left(1);
        let is_it =
            |place| self.texts.get_index(place).is_some_and(|known| self.says(known, &parts, is_operator));
        if let Some(place) = self.recent_texts.find(hash, is_it) {
            return (place, parts.sequence);
        }
        let says = RangeText {
            text: self.name(&String::from_utf8_lossy(parts.text)),
            sizes: parts.sizes.map_or(StrId::NONE, |sizes| self.name(&String::from_utf8_lossy(sizes))),
            domain: StrId::NONE,
            is_operator,
        };
        let place = self.range_text(says);
        self.recent_texts.remember(hash, place);
        (place, parts.sequence)
    }

    /// Whether a known text is that of these parts.
    fn says(&self, known: &RangeText, parts: &Parts<'_>, is_operator: bool) -> bool {
        let sizes = (!known.sizes.is_none()).then(|| self.names.get(known.sizes).as_bytes());
        let own = self.names.get(known.text).as_bytes();
        own == parts.text && sizes == parts.sizes && known.is_operator == is_operator
    }

    /// The place of a text of ranges that is not taken apart.
    pub(in crate::read) fn plain_text(&mut self, text: &str) -> u32 {
        let text = self.name(text);
        self.range_text(RangeText { text, sizes: StrId::NONE, domain: StrId::NONE, is_operator: false })
    }

    fn range_text(&mut self, says: RangeText) -> u32 {
        let is_full = self.texts.len() >= MOST_RANGE_TEXTS && !self.texts.contains(&says);
        let says = match is_full {
            false => says,
            true => {
                let text = self.names.intern(OTHER_NAMES);
                RangeText { text, sizes: StrId::NONE, domain: StrId::NONE, is_operator: false }
            }
        };
        u32::try_from(self.texts.insert_full(says).0).unwrap_or(0)
    }

    /// Whether no GPU did anything.
    pub(in crate::read) fn has_no_work(&self) -> bool {
        self.rows.work.is_empty()
    }

    pub(in crate::read) fn push_call(&mut self, call: CallRow) {
        self.rows.calls.push(call);
    }

    pub(in crate::read) fn push_work(&mut self, work: WorkRow) {
        self.rows.work.push(work);
    }

    pub(in crate::read) fn push_range(
        &mut self,
        span: Span,
        thread: u32,
        text: u32,
        sequence: SequenceNumber,
    ) {
        self.rows.ranges.push(RangeRow { span, thread, text, sequence });
    }

    /// A range whose text is a name and nothing else.
    pub(in crate::read) fn push_plain_range(&mut self, span: Span, thread: u32, text: &str) {
        let text = self.plain_text(text);
        self.push_range(span, thread, text, NO_SEQUENCE);
    }

    pub(in crate::read) fn push_frame(&mut self, span: Span, thread: u32, name: StrId) {
        self.rows.frames.push((span, thread, name));
    }

    pub(in crate::read) fn push_overhead(&mut self, span: Span, thread: u32, name: StrId) {
        self.rows.overheads.push((span, thread, name));
    }

    /// Memory of a GPU that is taken, or given back.
    pub(in crate::read) fn push_memory(&mut self, time: Ns, device: u32, is_free: bool, bytes: u64) {
        self.rows.memory_events.push((time, device, is_free, bytes));
    }
}
