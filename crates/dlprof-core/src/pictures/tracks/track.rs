//! Tracks, and the processes and GPUs that they belong to.

use crate::base::ids::{DeviceId, Maybe, StreamId, ThreadId};
use crate::capture::CaptureContents;
use crate::read::facts::Stream;
use crate::read::facts::global_ids::{pid, process_of};
use std::collections::BTreeMap;

/// What tracks belong to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrackGroup {
    /// A name for people.
    pub name: String,
    /// What it is.
    pub kind: TrackGroupKind,
}

/// What a group of tracks is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrackGroupKind {
    /// The whole capture.
    Capture,
    /// A process.
    Process {
        /// Process ID of the operating system.
        pid: i64,
    },
    /// A GPU.
    Gpu(DeviceId),
}

/// A row of a viewer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Track {
    /// The place of its group in [`super::Tracks::groups`].
    pub group: usize,
    /// A name for people.
    pub name: String,
    /// What it has.
    pub kind: TrackKind,
}

/// What a track has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrackKind {
    /// The iterations.
    Iterations,
    /// What the export names no thread for.
    WithoutThread,
    /// What a thread did; pieces lie in each other.
    Thread {
        /// Thread ID of the operating system.
        tid: i64,
    },
    /// The work of a stream; no piece lies in another one.
    Stream,
}

/// All tracks of a capture.
#[derive(Debug)]
pub(super) struct TrackList {
    pub(super) groups: Vec<TrackGroup>,
    pub(super) tracks: Vec<Track>,
    /// By stream: its track.
    of_stream: Vec<usize>,
    /// By GPU: the track of work without a stream.
    of_device: Vec<usize>,
}

/// The place of the track of iterations.
pub(super) const ITERATIONS: usize = 0;

/// The place of the track of what has no thread.
const WITHOUT_THREAD: usize = 1;

/// The place of the track of the first thread.
const FIRST_THREAD: usize = 2;

impl TrackList {
    /// The tracks, in an order that does not depend on the order of rows.
    pub(super) fn new(capture: &CaptureContents) -> Self {
        let mut groups = vec![TrackGroup { name: "capture".into(), kind: TrackGroupKind::Capture }];
        let of_capture = |name: &str, kind| Track { group: 0, name: name.into(), kind };
        let mut tracks = vec![
            of_capture("iterations", TrackKind::Iterations),
            of_capture("without a thread", TrackKind::WithoutThread),
        ];
        add_threads(capture, &mut groups, &mut tracks);
        let first_gpu = groups.len();
        groups.extend((0..capture.devices.len()).map(|at| gpu(capture, at)));
        // Streams are in order of appearance; their tracks are in order of content.
        let mut places: BTreeMap<(DeviceId, Option<i64>, i64, i64), usize> = BTreeMap::new();
        let key = |stream: &Stream| {
            let pid = stream.process.some().map(|process| capture.processes[process.index()].global_pid);
            (stream.device, pid, stream.context, stream.number)
        };
        for stream in &capture.streams {
            places.insert(key(stream), 0);
        }
        let names = StreamNames::new(places.keys().copied());
        for (key, place) in &mut places {
            *place = tracks.len();
            let (group, name) = (first_gpu + key.0.index(), names.name(*key));
            tracks.push(Track { group, name, kind: TrackKind::Stream });
        }
        let of_stream = capture.streams.iter().map(|stream| places[&key(stream)]).collect();
        let first_loose = tracks.len();
        let loose =
            |at| Track { group: first_gpu + at, name: "without a stream".into(), kind: TrackKind::Stream };
        tracks.extend((0..capture.devices.len()).map(loose));
        let of_device = (first_loose..tracks.len()).collect();
        Self { groups, tracks, of_stream, of_device }
    }

    pub(super) fn of_thread(&self, thread: Maybe<ThreadId>) -> usize {
        thread.some().map_or(WITHOUT_THREAD, |thread| FIRST_THREAD + thread.index())
    }

    pub(super) fn of_stream(&self, stream: StreamId, device: DeviceId) -> usize {
        self.of_stream.get(stream.index()).copied().unwrap_or(self.of_device[device.index()])
    }
}

/// Threads are in order of their global ids, which begin with those of their processes.
fn add_threads(capture: &CaptureContents, groups: &mut Vec<TrackGroup>, tracks: &mut Vec<Track>) {
    let mut last = None;
    for thread in &capture.threads {
        let global_pid = process_of(thread.global_tid);
        if last != Some(global_pid) {
            last = Some(global_pid);
            let known = capture.processes.iter().find(|process| process.global_pid == global_pid);
            let name = known.and_then(|process| process.name.clone());
            let pid = thread.pid();
            groups.push(TrackGroup {
                name: name.unwrap_or_else(|| "process".into()),
                kind: TrackGroupKind::Process { pid },
            });
        }
        let name = thread.name.some().map(|name| capture.strings.get(name).to_owned());
        tracks.push(Track {
            group: groups.len() - 1,
            name: name.filter(|name| !name.is_empty()).unwrap_or_else(|| "thread".into()),
            kind: TrackKind::Thread { tid: thread.tid() },
        });
    }
}

fn gpu(capture: &CaptureContents, at: usize) -> TrackGroup {
    let device = &capture.devices[at];
    let name = device.name.as_ref().map(|name| format!(", {name}"));
    let name = format!("GPU {}{}", device.device_id, name.unwrap_or_default());
    TrackGroup { name, kind: TrackGroupKind::Gpu(DeviceId::new(at)) }
}

/// GPU, process, context and number of a stream.
type StreamKey = (DeviceId, Option<i64>, i64, i64);

/// Names of streams: with their process or context only where the GPU has several.
struct StreamNames {
    processes: BTreeMap<DeviceId, Vec<Option<i64>>>,
    contexts: BTreeMap<(DeviceId, Option<i64>), Vec<i64>>,
}

impl StreamNames {
    fn new(keys: impl Iterator<Item = StreamKey>) -> Self {
        let (mut processes, mut contexts) = (BTreeMap::<_, Vec<_>>::new(), BTreeMap::<_, Vec<_>>::new());
        for (device, process, context, _) in keys {
            processes.entry(device).or_default().push(process);
            contexts.entry((device, process)).or_default().push(context);
        }
        processes.values_mut().for_each(Vec::dedup);
        contexts.values_mut().for_each(Vec::dedup);
        Self { processes, contexts }
    }

    fn name(&self, (device, process, context, number): StreamKey) -> String {
        let mut name = format!("stream {number}");
        if self.contexts[&(device, process)].len() > 1 {
            name += &format!(", context {context}");
        }
        if let Some(global_pid) = process.filter(|_| self.processes[&device].len() > 1) {
            name += &format!(", process {}", pid(global_pid));
        }
        name
    }
}
