//! The tables of one process, and what their ids mean.

use super::super::columns::columns;
use super::agents::{self, Agent};
use super::events::{self, Event, Events};
use super::source::Source;
use super::symbols::{self, Symbol};
use super::texts::{Texts, by_id};
use crate::base::Error;
use crate::base::diagnostics::Diagnostics;
use crate::base::ids::StrId;
use crate::columns::Buffer;
use crate::read::draft::{Draft, NOBODY};
use rustc_hash::FxHashMap;
use std::cell::{Cell, RefCell};

/// Where a call was made, or work ran. Before version 4.1.0 rows say it, since then tracks do.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Place {
    pub(super) pid: Option<i64>,
    pub(super) tid: Option<i64>,
    pub(super) agent: Option<i64>,
    pub(super) queue: Option<i64>,
    pub(super) stream: Option<i64>,
}

/// What the ids of the tables of a process mean.
pub(super) struct Part {
    strings: Texts,
    /// By id of a text: the name that it is in the draft.
    names: RefCell<FxHashMap<i64, StrId>>,
    /// By id and by number of the operating system: the global id of a process.
    processes: FxHashMap<i64, i64>,
    process: i64,
    /// By id and by number of the operating system: the place of a thread in the draft.
    threads: FxHashMap<i64, u32>,
    pub(super) agents: FxHashMap<i64, Agent>,
    pub(super) symbols: FxHashMap<i64, Symbol>,
    tracks: FxHashMap<i64, Place>,
    events: Buffer<Event>,
    /// Where the last event was found.
    near: Cell<usize>,
    /// Whether rocprof-sys recorded it.
    pub(super) is_of_systems: bool,
    pub(super) ranges: Cell<u64>,
    pub(super) ranges_with_length: Cell<u64>,
    pub(super) unread_texts: Cell<u64>,
}

impl Part {
    pub(super) fn read(source: &Source<'_>, draft: &mut Draft<'_>) -> Result<Self, Error> {
        let strings = Texts::read(source, "string", "string")?;
        let named = Texts::read(source, "info_category", "name")?;
        let categories = if named.is_empty() { &strings } else { &named };
        let (processes, process) = processes(source, draft)?;
        let Events { rows: events, is_of_systems } = events::read(source, draft, categories)?;
        let mut part = Self {
            is_of_systems,
            agents: agents::read(source, draft)?,
            symbols: symbols::read(source, draft)?,
            tracks: tracks(source)?,
            events,
            near: Cell::new(0),
            strings,
            names: RefCell::default(),
            processes,
            process,
            threads: FxHashMap::default(),
            ranges: Cell::new(0),
            ranges_with_length: Cell::new(0),
            unread_texts: Cell::new(0),
        };
        part.threads = threads(source, &part, draft)?;
        Ok(part)
    }

    pub(super) fn string(&self, id: Option<i64>) -> &str {
        id.map_or("", |id| self.strings.get(id))
    }

    /// The name of a call.
    pub(super) fn name(&self, id: Option<i64>, draft: &mut Draft<'_>) -> StrId {
        let Some(id) = id else { return draft.name("") };
        *self.names.borrow_mut().entry(id).or_insert_with(|| draft.name(self.strings.get(id)))
    }

    /// The global id of the process of a row.
    pub(super) fn process(&self, pid: Option<i64>) -> i64 {
        pid.and_then(|pid| self.processes.get(&pid)).copied().unwrap_or(self.process)
    }

    /// The thread of a row.
    pub(super) fn thread(&self, place: Place, draft: &mut Draft<'_>) -> u32 {
        let Some(tid) = place.tid else { return NOBODY };
        self.threads.get(&tid).copied().unwrap_or_else(|| draft.thread(self.process(place.pid), tid))
    }

    /// The event of a row; one that says nothing if it names none.
    pub(super) fn event(&self, id: Option<i64>) -> Event {
        let found = id.and_then(|id| by_id(&self.events, id, &self.near, |event| event.id));
        found.copied().unwrap_or(Event::NONE)
    }

    /// Where a row is from: `own`, or what its track says.
    pub(super) fn place(&self, track: Option<i64>, own: Place) -> Place {
        track.and_then(|track| self.tracks.get(&track)).copied().unwrap_or(own)
    }
}

/// The processes by id and by number of the operating system, and the first of them.
fn processes(source: &Source<'_>, draft: &mut Draft<'_>) -> Result<(FxHashMap<i64, i64>, i64), Error> {
    columns! { ID "id"; PID "pid"; COMMAND "command"; }
    let (mut processes, mut first) = (FxHashMap::default(), None);
    source.each("info_process", COLUMNS, |row| {
        let (Some(Some(id)), Some(Some(pid))) = (row.plain_int(ID), row.plain_int(PID)) else { return };
        let command = row.text(COMMAND).unwrap_or_default();
        let program = command.split_whitespace().next().and_then(|word| word.rsplit('/').next());
        let global = draft.add_process(pid, program.map(str::to_owned));
        first.get_or_insert(global);
        processes.entry(pid).or_insert(global);
        processes.insert(id, global);
    })?;
    let first = first.unwrap_or_else(|| draft.add_process(0, None));
    Ok((processes, first))
}

/// The threads by id and by number of the operating system. An id that is another thread's number counts as an id.
fn threads(source: &Source<'_>, part: &Part, draft: &mut Draft<'_>) -> Result<FxHashMap<i64, u32>, Error> {
    columns! { ID "id"; PID "pid"; TID "tid"; NAME "name"; }
    let (mut by_id, mut by_tid) = (FxHashMap::default(), FxHashMap::default());
    source.each("info_thread", COLUMNS, |row| {
        let (Some(Some(id)), Some(Some(tid))) = (row.plain_int(ID), row.plain_int(TID)) else { return };
        let thread = draft.thread(part.process(row.plain_int(PID).flatten()), tid);
        if let Some(name) = row.text(NAME).filter(|name| !name.is_empty()) {
            draft.name_thread(thread, &name);
        }
        by_id.insert(id, thread);
        by_tid.entry(tid).or_insert(thread);
    })?;
    by_tid.extend(by_id);
    Ok(by_tid)
}

fn tracks(source: &Source<'_>) -> Result<FxHashMap<i64, Place>, Error> {
    columns! { ID "id"; PID "pid"; TID "tid"; AGENT "agent_id"; QUEUE "queue_id"; STREAM "stream_id"; }
    type Track = super::part::Place;
    let mut tracks = FxHashMap::default();
    source.each("track", COLUMNS, |row| {
        let int = |column| row.int(column, &mut Diagnostics::default());
        let place =
            Track { pid: int(PID), tid: int(TID), agent: int(AGENT), queue: int(QUEUE), stream: int(STREAM) };
        if let Some(id) = int(ID) {
            tracks.insert(id, place);
        }
    })?;
    Ok(tracks)
}
