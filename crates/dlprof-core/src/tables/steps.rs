//! Table `steps`: what the time of each aggregated iteration went to.

use super::declaration::{Declaration, RowTable};
use super::layout::Layout;
use super::place::{self, InWindow};
use super::table::{Column, Unit};
use crate::capture::names::ApiClass;
use crate::figures::activity::per_second;
use crate::figures::profile::{Profile, Step};
use std::sync::LazyLock;

/// Columns of table `steps`.
static COLUMNS: LazyLock<Vec<Column<Step>>> = LazyLock::new(|| {
    let mut columns: Vec<Column<Step>> = vec![
        place::window_iteration(),
        Column::int("length_ns", "Length", Unit::Nanoseconds, "Length of the iteration.", |_, row: &Step| {
            row.length_ns.into()
        }),
    ];
    columns.extend(classes());
    columns.push(Column::text(
        "verdict",
        "Verdict",
        "What limits the step: `gpu`, `input`, `communication`, `copy`, `cpu`, or `unexplained`; empty without a used GPU.",
        |_, row| row.classes.map(|classes| classes.verdict().as_str()).into(),
    ));
    columns.extend(calls());
    columns.extend(rates());
    columns
});

/// Table `steps`.
pub(crate) static TABLE: Declaration<Step> = Declaration {
    key: "steps",
    title: "Steps",
    doc: "A row per aggregated iteration: what its time went to, and what limits it.",
    columns: || &COLUMNS,
    layout: Layout {
        first: &["iteration", "length_ns", "verdict"],
        second: &[
            "gpu_ns",
            "communication_ns",
            "copy_ns",
            "input_ns",
            "cpu_ns",
            "sync_ns",
            "other_ns",
            "items_per_s",
        ],
        order: &["iteration"],
        views: &[(
            "steps",
            &[
                "iteration",
                "length_ns",
                "gpu_ns",
                "verdict",
                "communication_ns",
                "copy_ns",
                "input_ns",
                "cpu_ns",
                "sync_ns",
                "other_ns",
                "launch_calls",
                "sync_calls",
                "launches_per_s",
            ],
        )],
        ..Layout::PLAIN
    },
};

/// Table `steps` of a profile.
#[must_use]
pub(crate) fn build(profile: &Profile) -> RowTable<Step> {
    TABLE.with(profile, profile.steps())
}

impl InWindow for Step {
    fn window(&self) -> usize {
        self.window
    }
}

/// The classes add up to the length.
fn classes() -> [Column<Step>; 7] {
    macro_rules! class {
        ($field:ident, $key:literal, $title:literal, $doc:literal) => {
            Column::int($key, $title, Unit::Nanoseconds, $doc, |_, row| {
                row.classes.map(|classes| classes.$field).into()
            })
        };
    }
    [
        class!(gpu_ns, "gpu_ns", "GPU", "Time of class `gpu`, averaged over the used GPUs."),
        class!(
            communication_ns,
            "communication_ns",
            "Communication",
            "Time of class `communication`, averaged over the used GPUs."
        ),
        class!(copy_ns, "copy_ns", "Copy", "Time of class `copy`, averaged over the used GPUs."),
        class!(input_ns, "input_ns", "Input", "Time of class `input`, averaged over the used GPUs."),
        class!(cpu_ns, "cpu_ns", "CPU", "Time of class `cpu`, averaged over the used GPUs."),
        class!(sync_ns, "sync_ns", "Sync", "Time of class `sync`, averaged over the used GPUs."),
        class!(other_ns, "other_ns", "Other", "Length of the iteration less all other classes."),
    ]
}

/// Number and time of the API calls by class.
fn calls() -> [Column<Step>; 13] {
    macro_rules! calls {
        ($class:ident, $key:literal, $title:literal, $doc:literal) => {
            Column::int($key, $title, Unit::None, $doc, |_, row: &Step| {
                row.calls.of(ApiClass::$class).calls.into()
            })
        };
    }
    macro_rules! time {
        ($class:ident, $key:literal, $title:literal, $doc:literal) => {
            Column::int($key, $title, Unit::Nanoseconds, $doc, |_, row: &Step| {
                row.calls.of(ApiClass::$class).time_ns.into()
            })
        };
    }
    [
        calls!(Launch, "launch_calls", "Launch Calls", "API calls of class `launch` that start in it."),
        calls!(Sync, "sync_calls", "Sync Calls", "API calls of class `sync` that start in it."),
        calls!(Copy, "copy_calls", "Copy Calls", "API calls of class `copy` that start in it."),
        calls!(
            Allocation,
            "allocation_calls",
            "Allocation Calls",
            "API calls of class `allocation` that start in it."
        ),
        calls!(Setup, "setup_calls", "Setup Calls", "API calls of class `setup` that start in it."),
        calls!(Api, "api_calls", "Other Calls", "API calls of class `api` that start in it."),
        time!(
            Launch,
            "launch_call_ns",
            "Launch Call Time",
            "Plain sum of the durations of the calls of class `launch`, over all threads."
        ),
        time!(
            Sync,
            "sync_call_ns",
            "Sync Call Time",
            "Plain sum of the durations of the calls of class `sync`, over all threads."
        ),
        time!(
            Copy,
            "copy_call_ns",
            "Copy Call Time",
            "Plain sum of the durations of the calls of class `copy`, over all threads."
        ),
        time!(
            Allocation,
            "allocation_call_ns",
            "Allocation Call Time",
            "Plain sum of the durations of the calls of class `allocation`, over all threads."
        ),
        time!(
            Setup,
            "setup_call_ns",
            "Setup Call Time",
            "Plain sum of the durations of the calls of class `setup`, over all threads."
        ),
        time!(
            Api,
            "api_call_ns",
            "Other Call Time",
            "Plain sum of the durations of the calls of class `api`, over all threads."
        ),
        Column::int(
            "graph_launches",
            "Graph Launches",
            Unit::None,
            "Calls that launch a CUDA graph; they are of class `launch`.",
            |_, row| row.calls.graph_launches.into(),
        ),
    ]
}

fn rates() -> [Column<Step>; 5] {
    [
        Column::float(
            "launches_per_s",
            "Launches per Second",
            Unit::PerSecond,
            "Calls of class `launch` over the length of the iteration.",
            |_, row| per_second(row.calls.of(ApiClass::Launch).calls, row.length_ns).into(),
        ),
        Column::int(
            "reader_cost_ns",
            "Reader Cost",
            Unit::Nanoseconds,
            "Time that ranges which load data cover, on the thread that spends most in them; empty without such ranges.",
            |_, row| row.reader_cost_ns.into(),
        ),
        Column::int(
            "os_io_ns",
            "File Reading",
            Unit::Nanoseconds,
            "Time in which any thread read files or connections; empty if the capture has no calls of the operating system.",
            |_, row| row.os_io_ns.into(),
        ),
        Column::int(
            "cpu_communication_ns",
            "Communication on the CPU",
            Unit::Nanoseconds,
            "Time that collectives of gloo and MPI run on threads of the CPU, on all threads together; GPUs may work meanwhile. Empty if \
             the trace has none.",
            |_, row| row.cpu_communication_ns.into(),
        ),
        Column::float(
            "items_per_s",
            "Items per Second",
            Unit::PerSecond,
            "Items of a batch over the length of the iteration; empty without `--batch-size`.",
            |p, row| p.iterations.items_per_s(1, row.length_ns).into(),
        ),
    ]
}
