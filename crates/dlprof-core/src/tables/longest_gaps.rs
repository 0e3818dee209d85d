//! Table `longest_gaps`: the longest gaps of GPUs in the aggregated iterations, and what the host did in each.

use super::declaration::{Declaration, RowTable};
use super::idle_causes::{HasCause, cause, in_words};
use super::layout::Layout;
use super::place::{self, InWindow, OnDevice};
use super::table::{Column, Unit, Value};
use crate::base::ids::{DeviceId, StrId};
use crate::base::time::Ns;
use crate::capture::classified::Cause;
use crate::figures::profile::{LongestGap, Profile};
use crate::read::facts::RecordedThread;
use std::sync::LazyLock;

/// Columns of table `longest_gaps`.
static COLUMNS: LazyLock<Vec<Column<LongestGap>>> = LazyLock::new(|| {
    let mut columns: Vec<Column<LongestGap>> = vec![
        place::window_iteration(),
        place::device_id(),
        Column::int(
            "start_ns",
            "Start",
            Unit::Nanoseconds,
            "When the GPU became idle; the start of the aggregated iterations, if that was before.",
            |_, row: &LongestGap| row.gap.span.start.into(),
        ),
        Column::int(
            "duration_ns",
            "Duration",
            Unit::Nanoseconds,
            "Its length, as far as it lies in the aggregated iterations.",
            |_, row| row.gap.span.length().into(),
        ),
        cause(),
        in_words(),
        Column::int(
            "cause_ns",
            "Cause Time",
            Unit::Nanoseconds,
            "How much of it has this cause, which is that of the greatest part.",
            |_, row| row.cause_ns.into(),
        ),
        Column::text("ended_by", "Ended By", "The kernel, copy or memset that ended it.", |p, row| {
            p.capture.work_name(row.gap.ended_by).into()
        }),
    ];
    columns.extend(thread());
    columns.extend(host());
    columns
});

/// Whose call ended the gap.
fn thread() -> [Column<LongestGap>; 3] {
    [
        Column::int(
            "process_id",
            "Process ID",
            Unit::None,
            "The process of the thread that launched what ended it; empty if no call is known.",
            |p, row| {
                let process = row.gap.thread.some().map(|thread| p.capture.process_of(thread));
                process.map(|process| p.capture.processes[process.index()].pid()).into()
            },
        ),
        Column::int(
            "thread_id",
            "Thread ID",
            Unit::None,
            "The operating system's number of this thread. The columns after say what it did in the gap.",
            |p, row| thread_of(p, row).map(|thread| thread.tid()).into(),
        ),
        Column::text("thread_name", "Thread", "Its name; empty if the capture has none.", |p, row| {
            thread_of(p, row).map_or(Value::Null, |thread| text(p, thread.name))
        }),
    ]
}

/// What the thread did.
fn host() -> [Column<LongestGap>; 10] {
    [
        Column::text(
            "range",
            "Range",
            "Text of the range that was the innermost one of the thread for most of the gap.",
            |p, row| name(p, row.host.range),
        ),
        Column::int(
            "range_ns",
            "Range Time",
            Unit::Nanoseconds,
            "How long it was the innermost one in the gap.",
            |_, row| time(row.host.range),
        ),
        Column::text(
            "api_call",
            "API Call",
            "API function in which the thread was for most of the gap.",
            |p, row| name(p, row.host.api_call),
        ),
        Column::int(
            "api_call_ns",
            "API Call Time",
            Unit::Nanoseconds,
            "Sum of the parts of its calls that lie in the gap.",
            |_, row| time(row.host.api_call),
        ),
        Column::text(
            "mpi_call",
            "MPI Call",
            "MPI function in which the thread was for most of the gap.",
            |p, row| name(p, row.host.mpi_call),
        ),
        Column::int(
            "mpi_call_ns",
            "MPI Call Time",
            Unit::Nanoseconds,
            "Sum of the parts of its calls that lie in the gap.",
            |_, row| time(row.host.mpi_call),
        ),
        Column::text(
            "os_call",
            "OS Call",
            "Function of the operating system in which the thread was for most of the gap.",
            |p, row| name(p, row.host.os_call),
        ),
        Column::int(
            "os_call_ns",
            "OS Call Time",
            Unit::Nanoseconds,
            "Sum of the parts of its calls that lie in the gap; calls inside other such calls are left out.",
            |_, row| time(row.host.os_call),
        ),
        Column::text(
            "function",
            "Function",
            "Function that most CPU samples of the thread in the gap found: the innermost one with a name; else the binary in \
             brackets, or `[no stack]`.",
            |_, row| row.host.function.as_ref().map(|(function, _)| function.as_str()).into(),
        ),
        Column::int("function_samples", "Samples", Unit::None, "Number of these samples.", |_, row| {
            row.host.function.as_ref().map(|&(_, samples)| samples).into()
        }),
    ]
}

fn thread_of(profile: &Profile, row: &LongestGap) -> Option<RecordedThread> {
    Some(profile.capture.threads[row.gap.thread.some()?.index()])
}

fn text(profile: &Profile, text: StrId) -> Value<'_> {
    text.some().map(|text| profile.capture.strings.get(text)).into()
}

fn name(profile: &Profile, of: Option<(StrId, Ns)>) -> Value<'_> {
    of.map_or(Value::Null, |(name, _)| text(profile, name))
}

fn time(of: Option<(StrId, Ns)>) -> Value<'static> {
    of.map(|(_, ns)| ns).into()
}

/// Table `longest_gaps`.
pub(crate) static TABLE: Declaration<LongestGap> = Declaration {
    key: "longest_gaps",
    title: "Longest Gaps",
    doc: "A row per gap between two pieces of work of a GPU, for the 100 longest gaps of the aggregated iterations, with what the \
          host did in it.",
    columns: || &COLUMNS,
    layout: Layout {
        first: &["duration_ns", "in_words", "ended_by", "range"],
        second: &[
            "api_call",
            "mpi_call",
            "os_call",
            "function",
            "thread_name",
            "iteration",
            "device_id",
            "start_ns",
        ],
        order: &["-duration_ns", "start_ns", "device_id"],
        starts: &["start_ns"],
        ..Layout::PLAIN
    },
};

/// Table `longest_gaps` of a profile.
#[must_use]
pub(crate) fn build(profile: &Profile) -> RowTable<LongestGap> {
    TABLE.with(profile, profile.longest_gaps())
}

impl InWindow for LongestGap {
    fn window(&self) -> usize {
        self.window
    }
}

impl OnDevice for LongestGap {
    fn device(&self) -> DeviceId {
        self.gap.device
    }
}

impl HasCause for LongestGap {
    fn cause(&self) -> Cause {
        self.cause
    }
}
