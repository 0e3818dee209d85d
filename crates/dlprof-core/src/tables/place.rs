//! Columns that say where a row belongs: its iteration, its GPU, its thread.

use super::table::{Column, Unit};
use crate::base::ids::{DeviceId, ThreadId};

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
