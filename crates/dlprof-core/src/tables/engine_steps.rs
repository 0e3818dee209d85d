//! Table `engine_steps`: the steps of inference servers.

use super::declaration::{Declaration, RowTable};
use super::layout::Layout;
use super::table::{Column, Unit};
use crate::base::ids::ThreadId;
use crate::figures::profile::Profile;
use crate::serving::{EngineStep, IdlePart, StepWork};
use std::sync::LazyLock;

/// A step with its lane.
#[derive(Debug, Clone)]
pub(crate) struct EngineStepRow {
    thread: ThreadId,
    number: u64,
    step: EngineStep,
}

/// The thread of a row about a lane.
pub(super) fn lane<R: 'static>(thread: super::table::Read<R>) -> Column<R> {
    Column::text("lane", "Lane", "The process and thread that wrote the step marks.", thread)
}

/// Columns of idle time by cause; `$by_cause` reads the causes of a row, if they are known.
macro_rules! idle_by_cause {
    ($row:ty, $by_cause:expr, $($part:ident $key:literal $title:literal $doc:literal;)*) => {
        [$(Column::int($key, $title, Unit::Nanoseconds, $doc, |_, row: &$row| {
            let by_cause: fn(&$row) -> Option<[crate::base::time::Ns; IdlePart::ALL.len()]> = $by_cause;
            by_cause(row).map(|causes| causes[IdlePart::$part as usize]).into()
        }),)*]
    };
}

/// Columns of idle time by cause of a row, in the order of [`IdlePart`].
macro_rules! idle_columns {
    ($row:ty, $by_cause:expr) => {
        $crate::tables::engine_steps::idle_by_cause! { $row, $by_cause,
            Schedule "idle_schedule_ns" "Idle, Scheduling" "Idle time while the thread chose the requests of the next step.";
            Prepare "idle_prepare_ns" "Idle, Inputs" "Idle time while it prepared inputs.";
            Launch "idle_launch_ns" "Idle, Launch" "Idle time from the begin of the call that launches the next piece of work, or in another one that launches.";
            InsideGraph "idle_inside_graph_ns" "Idle, Inside Graph" "Idle time between pieces of one graph launch.";
            Sample "idle_sample_ns" "Idle, Sampling" "Idle time while it chose tokens.";
            SyncReturn "idle_sync_return_ns" "Idle, Wait Returns" "Idle time in calls that wait for the GPU.";
            Output "idle_output_ns" "Idle, Output" "Idle time while it handed tokens on.";
            Other "idle_other_ns" "Idle, Other" "Idle time that no range or function of the loop names, while some name other parts of it.";
            HostUnnamed "idle_host_unnamed_ns" "Idle, Host Unnamed" "Idle time of the host where nothing names any part of its loop.";
            NoRequest "idle_no_request_ns" "Idle, No Request" "Idle time in which no request was there: no fault.";
        }
    };
}
pub(super) use {idle_by_cause, idle_columns};

fn work(row: &EngineStepRow) -> Option<StepWork> {
    row.step.work
}

fn attributes() -> [Column<EngineStepRow>; 9] {
    [
        Column::text(
            "phase",
            "Phase",
            "What the step computes, as its mark says: `prefill`, `decode`, `mixed`, or `none`.",
            |_, row: &EngineStepRow| row.step.mark.phase.as_str().into(),
        ),
        Column::int(
            "prefill_requests",
            "Prefill Requests",
            Unit::None,
            "Requests whose prompt is computed.",
            |_, row| row.step.mark.prefill_requests.into(),
        ),
        Column::int("prefill_tokens", "Prefill Tokens", Unit::None, "Tokens of these prompts.", |_, row| {
            row.step.mark.prefill_tokens.into()
        }),
        Column::int(
            "decode_requests",
            "Decode Requests",
            Unit::None,
            "Requests that get their next token.",
            |_, row| row.step.mark.decode_requests.into(),
        ),
        Column::int("decode_tokens", "Decode Tokens", Unit::None, "New tokens of these.", |_, row| {
            row.step.mark.decode_tokens.into()
        }),
        Column::int(
            "prefill_context",
            "Prefill Context",
            Unit::None,
            "Context after the step in tokens, summed over requests whose prompt is computed.",
            |_, row| row.step.mark.prefill_context.into(),
        ),
        Column::int(
            "decode_context",
            "Decode Context",
            Unit::None,
            "Context after the step in tokens, summed over requests that get their next token.",
            |_, row| row.step.mark.decode_context.into(),
        ),
        Column::int(
            "padded_batch",
            "Padded Batch",
            Unit::None,
            "The batch size of the graph, to which requests are filled up.",
            |_, row| row.step.mark.padded_batch.into(),
        ),
        Column::flag(
            "gives_tokens",
            "Gives Tokens",
            "Whether it makes tokens: steps of a draft model do not.",
            |_, row| row.step.mark.gives_tokens.into(),
        ),
    ]
}

fn times() -> [Column<EngineStepRow>; 5] {
    [
        Column::text(
            "launched_by",
            "Launched By",
            "`graph` where graph launches started more than half of its kernel time, else `eager`; empty without GPU work.",
            |_, row: &EngineStepRow| {
                work(row)
                    .map(|work| if 2 * work.graph_ns > work.kernel_ns { "graph" } else { "eager" })
                    .into()
            },
        ),
        Column::flag(
            "is_steady",
            "Steady",
            "Whether tokens and requests are like those of most steps of its phase.",
            |_, row| row.step.is_steady.into(),
        ),
        Column::int(
            "start_ns",
            "Timestamp",
            Unit::Nanoseconds,
            "Begin of its mark, from the start of the capture.",
            |_, row| row.step.span.start.into(),
        ),
        Column::int(
            "gpu_first_ns",
            "GPU Start",
            Unit::Nanoseconds,
            "Start of its first GPU work, from the start of the capture.",
            |_, row| work(row).map(|work| work.first).into(),
        ),
        Column::int(
            "out_ns",
            "Tokens Out",
            Unit::Nanoseconds,
            "When its tokens exist: the end of its last copy to the host if none of its work starts later, else of its last work.",
            |_, row| work(row).map(|work| work.out).into(),
        ),
    ]
}

fn periods() -> [Column<EngineStepRow>; 5] {
    [
        Column::int(
            "kernel_ns",
            "Kernel Time",
            Unit::Nanoseconds,
            "Plain sum of the durations of its kernels and whole graphs.",
            |_, row: &EngineStepRow| work(row).map(|work| work.kernel_ns).into(),
        ),
        Column::int(
            "gpu_work",
            "GPU Work",
            Unit::None,
            "Kernels, copies and memsets that it launched.",
            |_, row| work(row).map(|work| work.pieces).into(),
        ),
        Column::int(
            "period_ns",
            "Period",
            Unit::Nanoseconds,
            "From the tokens of the step before to its own; empty for the first step and after steps without GPU work.",
            |_, row| row.step.period.map(|period| period.length).into(),
        ),
        Column::int("busy_ns", "Busy", Unit::Nanoseconds, "Time covered by its GPU work.", |_, row| {
            work(row).map(|work| work.busy_ns).into()
        }),
        Column::int(
            "idle_ns",
            "Idle",
            Unit::Nanoseconds,
            "Time in the period without its GPU work.",
            |_, row| row.step.period.map(|period| period.idle_ns).into(),
        ),
    ]
}

static COLUMNS: LazyLock<Vec<Column<EngineStepRow>>> = LazyLock::new(|| {
    let mut columns: Vec<Column<EngineStepRow>> = vec![
        lane(|p, row: &EngineStepRow| p.capture.thread_in_words(row.thread).into()),
        Column::int("step", "Step", Unit::None, "Number of the step on its thread, from 0.", |_, row| {
            row.number.into()
        }),
        Column::text("mark", "Mark", "The text of the step.", |p, row| {
            p.capture.strings.get(p.capture.ranges.texts[row.step.text.index()].text).into()
        }),
    ];
    columns.extend(attributes());
    columns.extend(times());
    columns.extend(periods());
    columns.extend(idle_columns!(EngineStepRow, |row| row.step.period.map(|period| period.by_cause)));
    columns
});

/// Table `engine_steps`.
pub(crate) static TABLE: Declaration<EngineStepRow> = Declaration {
    key: "engine_steps",
    title: "Engine Steps",
    doc: "A row per step of an inference server on each thread with step marks, over the whole capture: what it computed, when its \
          tokens existed, and what the GPU waited for since the step before.",
    columns: || &COLUMNS,
    layout: Layout {
        first: &["step", "phase", "prefill_tokens", "decode_requests", "period_ns"],
        second: &["busy_ns", "idle_ns", "launched_by", "mark"],
        order: &["lane", "step"],
        starts: &["start_ns", "gpu_first_ns", "out_ns"],
        ..Layout::PLAIN
    },
};

/// Table `engine_steps` of a profile.
#[must_use]
pub(crate) fn build(profile: &Profile) -> RowTable<EngineStepRow> {
    let rows = profile.serving().lanes.iter().flat_map(|lane| {
        let row = |(number, step): (u64, &EngineStep)| EngineStepRow {
            thread: lane.thread,
            number,
            step: step.clone(),
        };
        (0..).zip(&lane.steps).map(row)
    });
    TABLE.with(profile, rows.collect())
}
