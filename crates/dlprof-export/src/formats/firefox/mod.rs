//! A profile for the Firefox Profiler, in version 57 of its processed format, which later versions of it upgrade.
//!
//! ```text
//! {"meta": {…}, "threads": [
//! {"name": …, "markers": {"data": […], "name": […], "startTime": […], …}, "samples": {…}, "stackTable": {…}, …},
//! …
//! ], "libs": […], "shared": {"stringArray": […]}}
//! ```
//!
//! A thread of the profile is a track with something on it: pieces are markers, CPU samples are samples. A table is a list per
//! column, so the pieces of the range are held, some fifty bytes each, within the budget of columns; markers are written as they
//! are made. Texts stand once, after the threads that refer to them.

mod markers;
mod meta;
mod stacks;
mod texts;

use super::ExportSource;
use super::trace::details::Details;
use super::trace::numbers::Numbers;
use dlprof_core::{Buffer, Ns, Profile, TrackPiece, TrackSample, Tracks};
use serde_json::json;
use stacks::{Libraries, Stacks};
use std::io::{self, Write};
use texts::TextList;

/// Writes a profile for the Firefox Profiler.
///
/// # Errors
/// If `out` cannot be written to.
pub(crate) fn write(
    profile: &Profile,
    profile_name: &str,
    source: &ExportSource,
    out: &mut dyn Write,
) -> io::Result<()> {
    let tracks = profile.tracks();
    let memory = &profile.capture.memory;
    let mut pieces: Vec<Buffer<TrackPiece>> = tracks.tracks().iter().map(|_| memory.buffer(0)).collect();
    tracks.pieces().for_each(|piece| pieces[piece.track].push(piece));
    let samples = tracks.samples();
    let starts = pieces.iter().filter_map(|pieces| pieces.first()).map(|piece| piece.span.start);
    let origin = starts.min().unwrap_or(0).min(tracks.window().start).min(0);
    write!(out, "{{\"meta\":{},\"threads\":[", meta::meta(profile, profile_name, source, origin))?;
    let mut threads = Threads {
        tracks: &tracks,
        details: Details::new(&tracks),
        numbers: Numbers::new(&tracks),
        texts: TextList::default(),
        libraries: Libraries::default(),
        origin,
        has_threads: false,
        out,
    };
    for (track, pieces) in pieces.iter().enumerate() {
        let first = samples.partition_point(|sample| sample.track < track);
        let end = samples.partition_point(|sample| sample.track <= track);
        if !pieces.is_empty() || first < end {
            threads.thread(track, pieces, &samples[first..end])?;
        }
    }
    threads.end()
}

/// Writes threads.
struct Threads<'a> {
    tracks: &'a Tracks<'a>,
    details: Details<'a>,
    numbers: Numbers,
    texts: TextList,
    libraries: Libraries,
    /// The time that the profile calls 0.
    origin: Ns,
    has_threads: bool,
    out: &'a mut dyn Write,
}

impl Threads<'_> {
    fn thread(&mut self, track: usize, pieces: &[TrackPiece], samples: &[TrackSample]) -> io::Result<()> {
        let described = &self.tracks.tracks()[track];
        let (pid, _) = self.numbers.process(described.group);
        let (tid, _) = self.numbers.thread(track, 0);
        let stacks = Stacks::new(self.tracks, samples, &mut self.texts, &mut self.libraries);
        let thread = json!({
            "processType": "default",
            "processName": self.tracks.groups()[described.group].name,
            "processStartupTime": 0,
            "processShutdownTime": null,
            "registerTime": 0,
            "unregisterTime": null,
            "pausedRanges": [],
            "showMarkersInTimeline": true,
            "name": described.name,
            "isMainThread": tid == pid,
            "pid": pid.to_string(),
            "tid": tid,
            "samples": stacks.samples(samples, self.origin),
            "stackTable": stacks.stack_table(),
            "frameTable": stacks.frame_table(),
            "funcTable": stacks.func_table(),
            "resourceTable": stacks.resource_table(),
            "nativeSymbols": { "libIndex": [], "address": [], "name": [], "functionSize": [], "length": 0 },
        });
        self.out.write_all(if self.has_threads { b",\n" } else { b"\n" })?;
        self.has_threads = true;
        // The markers are written piece by piece, in the place of the brace that ends the thread.
        let text = thread.to_string();
        self.out.write_all(text.strip_suffix('}').unwrap_or(&text).as_bytes())?;
        self.out.write_all(b",\"markers\":")?;
        markers::write(self.tracks, &self.details, pieces, self.origin, &mut self.texts, self.out)?;
        self.out.write_all(b"}")
    }

    fn end(self) -> io::Result<()> {
        self.out.write_all(b"\n],\"libs\":")?;
        serde_json::to_writer(&mut *self.out, &self.libraries.list())?;
        self.out.write_all(b",\"shared\":{\"stringArray\":")?;
        serde_json::to_writer(&mut *self.out, self.texts.list())?;
        self.out.write_all(b"}}\n")
    }
}

/// A time in milliseconds, exact to the nanosecond, as JSON.
fn milliseconds(ns: Ns) -> String {
    let ns = ns.max(0);
    format!("{}.{:06}", ns / 1_000_000, ns % 1_000_000)
}
