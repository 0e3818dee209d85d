//! Columns that say where a row belongs: its iteration, its GPU, its thread.

use super::table::{Column, Unit};
use crate::base::ids::{DeviceId, ThreadId, WorkId};
use crate::figures::profile::Profile;
use crate::read::facts::{NO_CORRELATION, Stream};

/// A row about an aggregated iteration, or about a part of it.
pub(super) trait InWindow: 'static {
    /// The place of the iteration among the aggregated ones.
    fn window(&self) -> usize;
}

pub(super) fn window_iteration<R: InWindow>() -> Column<R> {
    Column::int("iteration", "Iteration", Unit::None, "Number of the iteration.", |p, row| {
        p.iteration_of_window(row.window()).into()
    })
}

/// A row about a GPU.
pub(super) trait OnDevice: 'static {
    fn device(&self) -> DeviceId;
}

pub(super) fn device_id<R: OnDevice>() -> Column<R> {
    Column::int("device_id", "Device ID", Unit::None, "The GPU.", |p, row| {
        p.device_number(row.device()).into()
    })
}

/// A row about a thread.
pub(super) trait OnThread: 'static {
    fn thread(&self) -> ThreadId;
}

/// Process, thread and name.
pub(super) fn thread<R: OnThread>() -> [Column<R>; 3] {
    [
        Column::int("process_id", "Process ID", Unit::None, "The process of the thread.", |p, row| {
            p.capture.processes[p.capture.process_of(row.thread()).index()].pid().into()
        }),
        Column::int(
            "thread_id",
            "Thread ID",
            Unit::None,
            "The operating system's number of the thread.",
            |p, row| p.capture.threads[row.thread().index()].tid().into(),
        ),
        Column::text("name", "Name", "Name of the thread; empty if the capture has none.", |p, row| {
            let name = p.capture.threads[row.thread().index()].name.some();
            name.map(|name| p.capture.strings.get(name)).into()
        }),
    ]
}

/// A row about a piece of GPU work.
pub(super) trait OfWork: 'static {
    fn work(&self) -> WorkId;
}

/// Process, GPU, context and stream of GPU work, and the number that it shares with its API call.
pub(super) fn work<R: OfWork>() -> [Column<R>; 5] {
    [
        Column::int(
            "process_id",
            "Process ID",
            Unit::None,
            "The process that launched it; empty if unknown.",
            |p, row: &R| {
                let process = p.capture.work.process[row.work()].some();
                process.map(|process| p.capture.processes[process.index()].pid()).into()
            },
        ),
        Column::int("device_id", "Device ID", Unit::None, "The GPU.", |p, row: &R| {
            p.device_number(p.capture.work.device[row.work()]).into()
        }),
        Column::int(
            "context_id",
            "Context ID",
            Unit::None,
            "Number of the CUDA context in its process; empty in captures of DLProf.",
            |p, row: &R| stream(p, row).map(|stream| stream.context).into(),
        ),
        Column::int(
            "stream_id",
            "Stream ID",
            Unit::None,
            "Number of the stream in its context; empty in captures of DLProf.",
            |p, row: &R| stream(p, row).map(|stream| stream.number).into(),
        ),
        Column::int(
            "correlation_id",
            "Correlation ID",
            Unit::None,
            "Number that the work and its API call share, in exports of nsys unique in a process; empty without one, and in \
             other inputs.",
            |p, row: &R| {
                let correlation = p.capture.work.correlation[row.work()];
                let is_recorded = !p.capture.recorder.is_torch_profiler() && correlation != NO_CORRELATION;
                is_recorded.then(|| i64::from(correlation)).into()
            },
        ),
    ]
}

/// The stream of a piece of work; none if the input does not name streams.
fn stream<'a>(profile: &'a Profile, row: &impl OfWork) -> Option<&'a Stream> {
    let capture = &profile.capture;
    let stream = capture.work.stream[row.work()];
    capture.description.dlprof.is_none().then(|| &capture.streams[stream.index()])
}
