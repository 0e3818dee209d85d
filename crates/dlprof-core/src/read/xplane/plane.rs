//! A plane: a GPU or a host, with lines of events. Names of events and stats may stand behind the events, so they are read first.

use super::wire::{Fields, Malformed, Wire, fields};
use crate::base::time::Span;
use rustc_hash::FxHashMap;
use std::borrow::Cow;

/// A plane.
#[derive(Default)]
pub(super) struct Plane<'a> {
    pub(super) name: Cow<'a, str>,
    lines: Vec<&'a [u8]>,
    events: FxHashMap<i64, Named<'a>>,
    texts: FxHashMap<i64, &'a [u8]>,
    keys: FxHashMap<i64, Key>,
    pub(super) stats: Stats<'a>,
}

/// What is known of all events of a name.
#[derive(Default)]
struct Named<'a> {
    name: &'a [u8],
    stats: Stats<'a>,
}

/// A line of a plane.
#[derive(Default)]
pub(super) struct Line<'a> {
    pub(super) id: i64,
    pub(super) name: Cow<'a, str>,
    timestamp_ns: i64,
    events: Vec<&'a [u8]>,
}

/// An event.
pub(super) struct Event<'a> {
    pub(super) name: Cow<'a, str>,
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

/// What is said of a plane or an event, as far as it is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Stats<'a> {
    pub(super) correlation: Option<i64>,
    pub(super) kernel: Option<&'a [u8]>,
    pub(super) copy: Option<&'a [u8]>,
    pub(super) memset: Option<&'a [u8]>,
    pub(super) op: Option<&'a [u8]>,
    pub(super) module: Option<&'a [u8]>,
    pub(super) program: Option<i64>,
    pub(super) name: Option<&'a [u8]>,
    pub(super) step: Option<i64>,
    pub(super) is_of_graph: bool,
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
            plane.stats = plane.with_stat(plane.stats, stat)?;
        }
        for entry in events {
            let (key, message) = map_entry(entry)?;
            let mut named = Named::default();
            for field in fields(message) {
                match field? {
                    (2, name) => named.name = name.bytes(),
                    (5, stat) => named.stats = plane.with_stat(named.stats, stat.bytes())?,
                    _ => {}
                }
            }
            plane.events.insert(key, named);
        }
        Ok(plane)
    }

    fn add_name_of_stat(&mut self, entry: &'a [u8]) -> Result<(), Malformed> {
        let (key, message) = map_entry(entry)?;
        for field in fields(message) {
            if let (2, name) = field? {
                self.texts.insert(key, name.bytes());
                self.keys.extend(Key::of(name.bytes()).map(|known| (key, known)));
            }
        }
        Ok(())
    }

    /// Stats with one more.
    fn with_stat(&self, mut stats: Stats<'a>, message: &'a [u8]) -> Result<Stats<'a>, Malformed> {
        let (mut key, mut number, mut text) = (0, None, None);
        for field in fields(message) {
            match field? {
                (1, id) => key = id.int(),
                (3 | 4, value) => number = Some(value.int()),
                (5, value) => text = Some(value.bytes()),
                (7, value) => text = self.texts.get(&value.int()).copied(),
                _ => {}
            }
        }
        let Some(&key) = self.keys.get(&key) else { return Ok(stats) };
        // Older files have numbers as texts.
        let parsed = || std::str::from_utf8(text?).ok()?.parse().ok();
        let number = number.or_else(parsed);
        match key {
            Key::Correlation => stats.correlation = number,
            Key::Kernel => stats.kernel = text,
            Key::Copy => stats.copy = text,
            Key::Memset => stats.memset = text,
            Key::Op => stats.op = text,
            Key::Module => stats.module = text,
            Key::Program => stats.program = number,
            Key::Name => stats.name = text,
            Key::Step => stats.step = number,
            Key::Graph => stats.is_of_graph = number != Some(0),
            Key::Vendor => stats.vendor = text,
            Key::Clock => stats.clock = number,
            Key::Cores => stats.cores = number,
            Key::Bandwidth => stats.bandwidth = number,
            Key::Memory => stats.memory = number,
            Key::Major => stats.major = number,
            Key::Minor => stats.minor = number,
            Key::Began => stats.began_ns = number,
        }
        Ok(stats)
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
            steps += if line.name == "Steps" { line.events.len() } else { 0 };
        }
        Ok(steps)
    }

    /// Calls `on_event` for each event of a line; those that only count others are none.
    pub(super) fn each(&self, line: &Line<'a>, mut on_event: impl FnMut(Event<'a>)) -> Result<(), Malformed> {
        for &message in &line.events {
            if let Some(event) = self.event(line.timestamp_ns, message)? {
                on_event(event);
            }
        }
        Ok(())
    }

    fn event(&self, timestamp_ns: i64, message: &'a [u8]) -> Result<Option<Event<'a>>, Malformed> {
        let (mut id, mut offset, mut length) = (0, 0, 0);
        for field in fields(message) {
            match field? {
                (1, value) => id = value.int(),
                (2, value) => offset = value.int(),
                (3, value) => length = value.int(),
                (5, _) => return Ok(None),
                _ => {}
            }
        }
        let named = self.events.get(&id);
        let mut stats = named.map_or_else(Stats::default, |named| named.stats);
        for field in fields(message) {
            if let (4, stat) = field? {
                stats = self.with_stat(stats, stat.bytes())?;
            }
        }
        let name = named.map_or(&b""[..], |named| named.name);
        let span = span(timestamp_ns, offset, length);
        Ok(span.map(|span| Event { name: String::from_utf8_lossy(name), span, stats }))
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
    let (mut line, mut display) = (Line::default(), Cow::default());
    for field in fields(message) {
        match field? {
            (1, id) => line.id = id.int(),
            (2, name) => line.name = String::from_utf8_lossy(name.bytes()),
            (11, name) => display = String::from_utf8_lossy(name.bytes()),
            (3, time) => line.timestamp_ns = time.int(),
            (4, event) => line.events.push(event.bytes()),
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
    const LATEST: i128 = 4_000_000_000_000_000_000;
    let start = i128::from(timestamp_ns) * 1000 + i128::from(offset_ps);
    let nearest = |ps: i128| Some((ps + 500).div_euclid(1000)).filter(|ns| (-LATEST..=LATEST).contains(ns));
    let (from, to) = (nearest(start)?, nearest(start + i128::from(length_ps.max(0)))?);
    Some(Span::new(i64::try_from(from).ok()?, i64::try_from(to).ok()?))
}
