//! A plane: a GPU or a host, with lines of events. Names of events and stats may stand after the events, so they are read first.

use super::wire::{Fields, Malformed, Wire, fields};
use crate::base::time::Span;
use rustc_hash::FxHashMap;
use std::borrow::Cow;

/// What belongs to an id. Ids are mostly dense, because they are numbers of names; those far beyond the number of ids are looked up by
/// hash, so that memory grows with the ids that there are.
pub(super) struct ById<T> {
    dense: Vec<Option<T>>,
    others: FxHashMap<i64, T>,
    inserted: usize,
}

impl<T> Default for ById<T> {
    fn default() -> Self {
        Self { dense: Vec::new(), others: FxHashMap::default(), inserted: 0 }
    }
}

impl<T> ById<T> {
    #[inline]
    pub(super) fn get(&self, id: i64) -> Option<&T> {
        let dense = usize::try_from(id).ok().and_then(|place| self.dense.get(place)?.as_ref());
        dense.or_else(|| self.others.get(&id))
    }

    /// The last value of an id counts.
    pub(super) fn insert(&mut self, id: i64, value: T) {
        self.inserted += 1;
        match usize::try_from(id).ok().filter(|&place| place < 64 + 4 * self.inserted) {
            Some(place) => {
                if self.dense.len() <= place {
                    self.dense.resize_with(place + 1, || None);
                }
                self.dense[place] = Some(value);
            }
            None => drop(self.others.insert(id, value)),
        }
    }
}

/// A plane.
#[derive(Default)]
pub(super) struct Plane<'a> {
    pub(super) name: Cow<'a, str>,
    lines: Vec<&'a [u8]>,
    events: ById<Named<'a>>,
    texts: ById<&'a [u8]>,
    keys: ById<Key>,
    pub(super) about: About<'a>,
}

/// What is known of all events of a name.
#[derive(Default)]
struct Named<'a> {
    name: Cow<'a, str>,
    /// What is said of each that does not say it itself.
    stats: Option<Stats<'a>>,
}

/// A line of a plane.
#[derive(Default)]
pub(super) struct Line<'a> {
    pub(super) id: i64,
    pub(super) name: Cow<'a, str>,
    timestamp_ns: i64,
    message: &'a [u8],
}

impl<'a> Line<'a> {
    /// Its events as messages.
    fn events(&self) -> impl Iterator<Item = Result<&'a [u8], Malformed>> + use<'a> {
        fields(self.message).filter_map(|field| match field {
            Ok((4, event)) => Some(Ok(event.bytes())),
            Ok(_) => None,
            Err(malformed) => Some(Err(malformed)),
        })
    }
}

/// An event.
pub(super) struct Event<'a, 'p> {
    /// The number of its name, unique in its plane.
    pub(super) id: i64,
    pub(super) name: &'p str,
    pub(super) span: Span,
    pub(super) stats: Stats<'a>,
}

/// The stats that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Key {
    Correlation,
    Kernel,
    Copy,
    Memset,
    Op,
    Module,
    Program,
    Name,
    Step,
    Graph,
    Vendor,
    Clock,
    Cores,
    Bandwidth,
    Memory,
    Major,
    Minor,
    Began,
}

impl Key {
    fn of(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"correlation_id" => Self::Correlation,
            b"kernel_details" => Self::Kernel,
            b"memcpy_details" => Self::Copy,
            b"Memset_details" | b"memset_details" => Self::Memset,
            b"hlo_op" => Self::Op,
            b"hlo_module" => Self::Module,
            b"program_id" => Self::Program,
            b"name" => Self::Name,
            b"step_num" => Self::Step,
            b"cuda_graph_id" => Self::Graph,
            b"device_vendor" => Self::Vendor,
            b"clock_rate" => Self::Clock,
            b"core_count" => Self::Cores,
            b"memory_bandwidth" => Self::Bandwidth,
            b"memory_size" => Self::Memory,
            b"compute_cap_major" => Self::Major,
            b"compute_cap_minor" => Self::Minor,
            b"profile_start_time" => Self::Began,
            _ => return None,
        })
    }
}

/// A stat that is read. Older files have numbers as texts.
#[derive(Clone, Copy)]
struct Said<'a> {
    key: Key,
    number: Option<i64>,
    text: Option<&'a [u8]>,
}

impl Said<'_> {
    fn number(&self) -> Option<i64> {
        let parsed = || std::str::from_utf8(self.text?).ok()?.parse().ok();
        self.number.or_else(parsed)
    }
}

/// The op of XLA that work or a call is of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(super) struct OpStats<'a> {
    pub(super) op: Option<&'a [u8]>,
    pub(super) module: Option<&'a [u8]>,
    pub(super) program: Option<i64>,
    pub(super) name: Option<&'a [u8]>,
}

impl OpStats<'_> {
    /// Whether both are of one op of a module.
    pub(super) fn is_op_of(&self, other: &Self) -> bool {
        (self.op, self.name) == (other.op, other.name)
    }
}

/// What is said of an event, as far as it is read.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Stats<'a> {
    pub(super) correlation: Option<i64>,
    pub(super) kernel: Option<&'a [u8]>,
    pub(super) copy: Option<&'a [u8]>,
    pub(super) memset: Option<&'a [u8]>,
    pub(super) of_op: OpStats<'a>,
    pub(super) step: Option<i64>,
    pub(super) is_of_graph: bool,
}

impl<'a> Stats<'a> {
    fn add(&mut self, said: Said<'a>) {
        let text = said.text;
        match said.key {
            Key::Correlation => self.correlation = said.number(),
            Key::Kernel => self.kernel = text,
            Key::Copy => self.copy = text,
            Key::Memset => self.memset = text,
            Key::Op => self.of_op.op = text,
            Key::Module => self.of_op.module = text,
            Key::Program => self.of_op.program = said.number(),
            Key::Name => self.of_op.name = text,
            Key::Step => self.step = said.number(),
            Key::Graph => self.is_of_graph = said.number() != Some(0),
            _ => {}
        }
    }

    /// What is said here, and else by `other`.
    fn or(self, other: Self) -> Self {
        let (own, others) = (self.of_op, other.of_op);
        Self {
            correlation: self.correlation.or(other.correlation),
            kernel: self.kernel.or(other.kernel),
            copy: self.copy.or(other.copy),
            memset: self.memset.or(other.memset),
            of_op: OpStats {
                op: own.op.or(others.op),
                module: own.module.or(others.module),
                program: own.program.or(others.program),
                name: own.name.or(others.name),
            },
            step: self.step.or(other.step),
            is_of_graph: self.is_of_graph || other.is_of_graph,
        }
    }
}

/// What is said of a plane, as far as it is read.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct About<'a> {
    pub(super) vendor: Option<&'a [u8]>,
    /// In kHz.
    pub(super) clock: Option<i64>,
    pub(super) cores: Option<i64>,
    pub(super) bandwidth: Option<i64>,
    pub(super) memory: Option<i64>,
    pub(super) major: Option<i64>,
    pub(super) minor: Option<i64>,
    /// When recording began: nanoseconds since 1970.
    pub(super) began_ns: Option<i64>,
}

impl<'a> About<'a> {
    fn add(&mut self, said: Said<'a>) {
        match said.key {
            Key::Vendor => self.vendor = said.text,
            Key::Clock => self.clock = said.number(),
            Key::Cores => self.cores = said.number(),
            Key::Bandwidth => self.bandwidth = said.number(),
            Key::Memory => self.memory = said.number(),
            Key::Major => self.major = said.number(),
            Key::Minor => self.minor = said.number(),
            Key::Began => self.began_ns = said.number(),
            _ => {}
        }
    }
}

impl<'a> Plane<'a> {
    pub(super) fn read(message: &'a [u8]) -> Result<Self, Malformed> {
        let mut plane = Self::default();
        let (mut events, mut stats) = (Vec::new(), Vec::new());
        for field in fields(message) {
            match field? {
                (2, name) => plane.name = String::from_utf8_lossy(name.bytes()),
                (3, line) => plane.lines.push(line.bytes()),
                (4, entry) => events.push(entry.bytes()),
                (5, entry) => plane.add_name_of_stat(entry.bytes())?,
                (6, stat) => stats.push(stat.bytes()),
                _ => {}
            }
        }
        for stat in stats {
            if let Some(said) = plane.stat(stat)? {
                plane.about.add(said);
            }
        }
        for entry in events {
            let (key, message) = map_entry(entry)?;
            let named = plane.named(message)?;
            plane.events.insert(key, named);
        }
        Ok(plane)
    }

    fn named(&self, message: &'a [u8]) -> Result<Named<'a>, Malformed> {
        let mut named = Named::default();
        for field in fields(message) {
            match field? {
                (2, name) => named.name = String::from_utf8_lossy(name.bytes()),
                (5, stat) => {
                    if let Some(said) = self.stat(stat.bytes())? {
                        named.stats.get_or_insert_default().add(said);
                    }
                }
                _ => {}
            }
        }
        Ok(named)
    }

    fn add_name_of_stat(&mut self, entry: &'a [u8]) -> Result<(), Malformed> {
        let (key, message) = map_entry(entry)?;
        for field in fields(message) {
            if let (2, name) = field? {
                self.texts.insert(key, name.bytes());
                if let Some(known) = Key::of(name.bytes()) {
                    self.keys.insert(key, known);
                }
            }
        }
        Ok(())
    }

    /// A stat, if it is one that is read. Of others no more is looked at than which they are, which comes first.
    #[inline]
    fn stat(&self, message: &'a [u8]) -> Result<Option<Said<'a>>, Malformed> {
        let (mut key, mut number, mut text) = (0, None, None);
        for field in fields(message) {
            match field? {
                (1, id) if self.keys.get(id.int()).is_none() => return Ok(None),
                (1, id) => key = id.int(),
                (3 | 4, value) => number = Some(value.int()),
                (5, value) => text = Some(value.bytes()),
                (7, value) => text = self.texts.get(value.int()).copied(),
                _ => {}
            }
        }
        Ok(self.keys.get(key).map(|&key| Said { key, number, text }))
    }

    /// The lines that record what happened; tools derive others from them.
    pub(super) fn lines(&self) -> Result<Vec<Line<'a>>, Malformed> {
        let mut lines = Vec::new();
        for &message in &self.lines {
            let (line, display) = line(message)?;
            if !DERIVED.contains(&&*line.name) && !DERIVED.contains(&&*display) {
                lines.push(line);
            }
        }
        Ok(lines)
    }

    /// How many events a line of steps has that XProf or a TPU made.
    pub(super) fn steps(&self) -> Result<usize, Malformed> {
        let mut steps = 0;
        for &message in &self.lines {
            let (line, _) = line(message)?;
            steps += if line.name == "Steps" { line.events().filter(Result::is_ok).count() } else { 0 };
        }
        Ok(steps)
    }

    /// Calls `on_event` for each event of a line; those that only count others are none.
    pub(super) fn each<'p>(
        &'p self,
        line: &Line<'a>,
        mut on_event: impl FnMut(Event<'a, 'p>),
    ) -> Result<(), Malformed> {
        for message in line.events() {
            if let Some(event) = self.event(line.timestamp_ns, message?)? {
                on_event(event);
            }
        }
        Ok(())
    }

    fn event(&self, timestamp_ns: i64, message: &'a [u8]) -> Result<Option<Event<'a, '_>>, Malformed> {
        let (mut id, mut offset, mut length) = (0, 0, 0);
        let mut stats = Stats::default();
        for field in fields(message) {
            match field? {
                (1, value) => id = value.int(),
                (2, value) => offset = value.int(),
                (3, value) => length = value.int(),
                (4, stat) => {
                    if let Some(said) = self.stat(stat.bytes())? {
                        stats.add(said);
                    }
                }
                (5, _) => return Ok(None),
                _ => {}
            }
        }
        let named = self.events.get(id);
        if let Some(of_all) = named.and_then(|named| named.stats) {
            stats = stats.or(of_all);
        }
        let name = named.map_or("", |named| &named.name);
        let span = span(timestamp_ns, offset, length);
        Ok(span.map(|span| Event { id, name, span, stats }))
    }
}

/// Lines that tools derive from others, so that they repeat their times.
const DERIVED: [&str; 17] = [
    "Steps",
    "XLA Modules",
    "XLA Ops",
    "Async XLA Ops",
    "Framework Name Scope",
    "Framework Ops",
    "TensorFlow Name Scope",
    "TensorFlow Ops",
    "Launch Stats",
    "Source code",
    "Host Offload Ops",
    "_counters_",
    "Sparse Core Steps",
    "Sparse Core Modules",
    "Sparse Core Ops",
    "Tensor Core Sync Flag",
    "Sparse Core Syncs",
];

/// A line without reading its events, and the name under which it is shown.
fn line(message: &[u8]) -> Result<(Line<'_>, Cow<'_, str>), Malformed> {
    let (mut line, mut display) = (Line { message, ..Line::default() }, Cow::default());
    for field in fields(message) {
        match field? {
            (1, id) => line.id = id.int(),
            (2, name) => line.name = String::from_utf8_lossy(name.bytes()),
            (11, name) => display = String::from_utf8_lossy(name.bytes()),
            (3, time) => line.timestamp_ns = time.int(),
            _ => {}
        }
    }
    Ok((line, display))
}

/// The key and the value of an entry of a map; a key that is missing is 0.
fn map_entry(message: &[u8]) -> Result<(i64, &[u8]), Malformed> {
    let (mut key, mut value) = (0, &[][..]);
    let entries: Fields<'_> = fields(message);
    for field in entries {
        match field? {
            (1, number) => key = number.int(),
            (2, Wire::Bytes(bytes)) => value = bytes,
            _ => {}
        }
    }
    Ok((key, value))
}

/// From picoseconds to the nearest nanosecond, on both ends, so that neighbours do not overlap; `None` if no clock shows it.
fn span(timestamp_ns: i64, offset_ps: i64, length_ps: i64) -> Option<Span> {
    /// In the year 2096, in nanoseconds since 1970.
    const LATEST: i64 = 4_000_000_000_000_000_000;
    // The time of the line is whole nanoseconds, so only what is added to it is rounded.
    let at = |ps: i64| {
        let added = ps.checked_add(500)?.div_euclid(1000);
        timestamp_ns.checked_add(added).filter(|ns| (-LATEST..=LATEST).contains(ns))
    };
    Some(Span::new(at(offset_ps)?, at(offset_ps.checked_add(length_ps.max(0))?)?))
}

#[cfg(test)]
mod tests {
    use super::ById;

    #[test]
    fn few_ids_take_little_memory_however_large_they_are() {
        let mut by_id = ById::default();
        let ids = [3, i64::MAX, -1, 1_000_000, 60];
        ids.into_iter().for_each(|id| by_id.insert(id, id));
        by_id.insert(3, 4);
        assert_eq!(by_id.get(3), Some(&4));
        assert!(ids[1..].iter().all(|id| by_id.get(*id) == Some(id)) && by_id.get(4).is_none());
        assert!(by_id.dense.len() < 100, "{}", by_id.dense.len());
        (0..1_000).for_each(|id| by_id.insert(id, id));
        assert!((0..1_000).all(|id| by_id.get(id) == Some(&id)) && by_id.others.len() == 3);
    }
}
