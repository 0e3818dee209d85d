//! A trace in the Trace Event Format, which Perfetto and chrome://tracing open.
//!
//! ```text
//! {"displayTimeUnit": "ms", "otherData": {…}, "traceEvents": [
//! {"ph": "M", …}    names of a process and a thread, before their first event
//! {"ph": "X", …}    a piece of a track
//! {"ph": "s", …}    an arrow from an API call …
//! {"ph": "f", …}    … to what it launched
//! {"ph": "C", …}    a reading of a counter, after all pieces
//! ]}
//! ```
//!
//! Each event is a line, written when its piece is found, so that the size of the capture does not matter. Times are microseconds
//! with three decimals from the start of the capture. Perfetto takes two events on a thread that overlap for nested ones, so
//! pieces that do not lie in each other are put on [lanes](dlprof_core::TrackLanes): threads of their own.

pub(super) mod details;
pub(super) mod event;
pub(super) mod numbers;

use super::ExportSource;
use details::Details;
use dlprof_core::{
    ApiCallId, DeviceId, GpuUse, Ns, Profile, TrackGroup, TrackGroupKind, TrackLanes, TrackPiece,
    TrackReading, TrackWork, Tracks,
};
use event::{Event, Place};
use numbers::Numbers;
use std::collections::HashMap;
use std::io::{self, Write};

/// Writes a trace of a profile.
///
/// # Errors
/// If `out` cannot be written to.
pub(crate) fn write(profile: &Profile, source: &ExportSource, out: &mut dyn Write) -> io::Result<()> {
    let tracks = profile.tracks();
    let mut pieces = tracks.pieces().peekable();
    // No event may be before 0. Calls that began before the capture did would be.
    let first = pieces.peek().map_or(0, |piece| piece.span.start);
    let origin = first.min(tracks.window().start).min(0);
    let mut trace = Trace::new(&tracks, origin, out);
    trace.begin(source)?;
    for piece in pieces {
        trace.piece(&piece)?;
    }
    trace.readings()?;
    trace.end()
}

/// A trace that is being written.
struct Trace<'a> {
    tracks: &'a Tracks<'a>,
    details: Details<'a>,
    numbers: Numbers,
    lanes: TrackLanes,
    /// API calls that are not on the first lane of their track.
    moved: HashMap<ApiCallId, usize>,
    gpu_use: GpuUse,
    arrows: u64,
    /// The time that the trace calls 0.
    origin: Ns,
    event: Event,
    has_events: bool,
    out: &'a mut dyn Write,
}

impl<'a> Trace<'a> {
    fn new(tracks: &'a Tracks<'a>, origin: Ns, out: &'a mut dyn Write) -> Self {
        Self {
            tracks,
            details: Details::new(tracks),
            numbers: Numbers::new(tracks),
            lanes: TrackLanes::new(tracks),
            moved: HashMap::new(),
            gpu_use: GpuUse::new(tracks),
            arrows: 0,
            origin,
            event: Event::default(),
            has_events: false,
            out,
        }
    }

    /// The beginning of the file. Old versions of Perfetto take a `displayTimeUnit` of `ns` for the unit of all times.
    fn begin(&mut self, source: &ExportSource) -> io::Result<()> {
        let source = serde_json::to_string(source)?;
        let origin_ns = self.origin;
        write!(
            self.out,
            "{{\"displayTimeUnit\":\"ms\",\"otherData\":{{\"source\":{source},\"origin_ns\":{origin_ns}}},\"traceEvents\":["
        )
    }

    fn end(&mut self) -> io::Result<()> {
        self.out.write_all(b"\n]}\n")
    }

    /// Writes the event that was put together.
    fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(if self.has_events { b",\n" } else { b"\n" })?;
        self.has_events = true;
        self.out.write_all(self.event.finish())
    }

    /// The process of a group; its name is written before its first event.
    fn process(&mut self, group: usize) -> io::Result<i64> {
        let (pid, is_new) = self.numbers.process(group);
        if is_new {
            let place = Place { pid, tid: pid };
            self.event.metadata("process_name", place, |values| {
                values.text("name", &self.tracks.groups()[group].name)
            })?;
            self.flush()?;
            self.event.metadata("process_sort_index", place, |values| values.number("sort_index", group))?;
            self.flush()?;
        }
        Ok(pid)
    }

    /// The process and thread of a lane of a track; their names are written before their first event.
    fn place(&mut self, track: usize, lane: usize) -> io::Result<Place> {
        let described = &self.tracks.tracks()[track];
        let pid = self.process(described.group)?;
        let (tid, is_new) = self.numbers.thread(track, lane);
        let place = Place { pid, tid };
        if is_new {
            let name = match lane {
                0 => described.name.clone(),
                lane => format!("{}, overlapping {lane}", described.name),
            };
            self.event.metadata("thread_name", place, |values| values.text("name", &name))?;
            self.flush()?;
            let position = track * LANES + lane.min(LANES - 1);
            self.event
                .metadata("thread_sort_index", place, |values| values.number("sort_index", position))?;
            self.flush()?;
        }
        Ok(place)
    }

    fn piece(&mut self, piece: &TrackPiece) -> io::Result<()> {
        let lane = self.lanes.place(piece);
        let place = self.place(piece.track, lane)?;
        let tracks = self.tracks;
        self.event.begin("X", place, piece.span.start - self.origin)?;
        self.event.micros("dur", piece.span.length())?;
        self.event.text("name", &tracks.name(piece))?;
        self.event.text("cat", tracks.kind(piece))?;
        self.event.values(|values| self.details.write(piece, values))?;
        self.flush()?;
        match piece.what {
            TrackWork::ApiCall(call) if lane > 0 => {
                self.moved.insert(call, lane);
            }
            TrackWork::Work { work, .. } => {
                if let Some(device) = tracks.kernel_device(work) {
                    self.gpu_use.add(device, piece.span);
                }
                if let Some((call, track, start)) = tracks.launch_of(work) {
                    let lane = self.moved.get(&call).copied().unwrap_or(0);
                    let from = self.place(track, lane)?;
                    self.arrow((from, start), (place, piece.span.start))?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// An arrow from inside an event to inside another one.
    fn arrow(&mut self, from: (Place, Ns), to: (Place, Ns)) -> io::Result<()> {
        self.arrows += 1;
        for (phase, (place, time)) in [("s", from), ("f", to)] {
            self.event.begin(phase, place, time - self.origin)?;
            self.event.number("id", self.arrows)?;
            self.event.text("name", "launch")?;
            self.event.text("cat", "launch")?;
            if phase == "f" {
                self.event.text("bp", "e")?;
            }
            self.flush()?;
        }
        Ok(())
    }

    fn readings(&mut self) -> io::Result<()> {
        let tracks = self.tracks;
        let unused = GpuUse::new(tracks);
        let gpu_use = std::mem::replace(&mut self.gpu_use, unused);
        let of_gpu = |(at, group): (usize, &TrackGroup)| match group.kind {
            TrackGroupKind::Gpu(device) => Some((device, at)),
            _ => None,
        };
        let groups: HashMap<DeviceId, usize> =
            tracks.groups().iter().enumerate().filter_map(of_gpu).collect();
        gpu_use.readings(|reading| self.reading(&groups, &reading))?;
        tracks.memory_readings(|reading| self.reading(&groups, &reading))?;
        tracks.metric_readings(|reading| self.reading(&groups, &reading))
    }

    /// Writes a reading of a GPU, whose track group is that of its place.
    fn reading(&mut self, groups: &HashMap<DeviceId, usize>, reading: &TrackReading<'_>) -> io::Result<()> {
        let Some(&group) = groups.get(&reading.device) else { return Ok(()) };
        let pid = self.process(group)?;
        self.event.begin("C", Place { pid, tid: pid }, reading.time - self.origin)?;
        self.event.text("name", reading.counter)?;
        self.event.values(|values| values.float(reading.unit, reading.value))?;
        self.flush()
    }
}

/// Numbers of lanes that viewers keep in order; there are hardly ever more than two.
const LANES: usize = 64;
