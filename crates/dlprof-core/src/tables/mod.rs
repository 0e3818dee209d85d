//! Tables: every view of the DLProf Viewer, with each column declared once.
//!
//! A module per table, all with the same face: `COLUMNS`, `LAYOUT` and `build`. Printers and exporters walk [`Table`]s and
//! never name a column themselves. Formats are not known here.

pub mod api_calls;
pub mod attribution;
mod column_names;
pub mod copies;
pub mod diagnostics;
pub mod expression;
pub mod findings;
pub mod gpu_allocations;
pub mod gpu_memory;
pub mod gpu_metrics;
pub mod gpu_time;
pub mod gpus;
pub mod groups;
pub mod host_calls;
pub mod idle_causes;
pub mod idle_functions;
pub mod idle_os_calls;
pub mod idle_ranges;
pub mod idle_threads;
pub mod idle_totals;
pub mod iteration_ops;
pub mod iterations;
mod kernel_launching;
pub mod kernel_names;
pub mod kernel_summaries;
pub mod kernel_totals;
pub mod kernels;
pub mod key_nodes;
pub mod launch_stats;
mod layout;
pub mod model_summary;
pub mod near;
pub mod op_types;
pub mod op_work;
pub mod ops;
mod place;
pub mod process_iterations;
mod shared;
pub mod steps;
pub mod summary;
mod table;
pub mod threads;
pub mod top_ops;
mod view;

pub use column_names::{Columns, UnknownColumn};
pub use layout::{Form, Importance, Layout};
pub use table::{CellKind, Column, Header, Read, RowTable, Table, Unit, Value};
pub use view::{Selection, SelectionError, View, columns_for_people};

use crate::figures::profile::Profile;

/// Builds a table of a profile.
pub type Build = for<'a> fn(&'a Profile) -> Box<dyn Table + 'a>;

/// What is known of a table without a profile.
#[derive(Debug, Clone, Copy)]
pub struct Definition {
    /// Stable name, as in `show NAME`.
    pub key: &'static str,
    /// What its rows are.
    pub doc: &'static str,
    /// Builds it.
    pub build: Build,
    /// How people see it.
    pub layout: &'static Layout,
    headers: fn() -> Vec<&'static Header<'static>>,
}

impl Definition {
    /// The columns.
    #[must_use]
    pub fn headers(&self) -> Vec<&'static Header<'static>> {
        (self.headers)()
    }
}

macro_rules! definitions {
    ($($module:ident $doc:literal;)*) => {
        /// All tables.
        pub const TABLES: &[Definition] = &[$(Definition {
            key: stringify!($module),
            doc: $doc,
            build: |profile| Box::new($module::build(profile)),
            layout: &$module::LAYOUT,
            headers: || $module::COLUMNS.iter().map(|column| &column.header).collect(),
        },)*];
    };
}

definitions! {
    summary "One row: the figures of the dashboard.";
    top_ops "The ten ops with most GPU time; without kernel records those with most CPU time.";
    findings "What the expert system found.";
    op_types "A row per op type.";
    groups "A row per group and op below it.";
    ops "A row per op.";
    kernel_summaries "A row per op and kernel name.";
    kernel_totals "GPU work by class: Tensor Core kernels, other kernels, memory.";
    iterations "A row per iteration, aggregated or not.";
    process_iterations "A row per process and iteration, where several processes run the key node.";
    iteration_ops "A row per aggregated iteration and op.";
    kernels "A row per kernel launch.";
    key_nodes "What may delimit iterations, best first.";
    kernel_names "A row per demangled name of kernels.";
    gpus "A row per GPU.";
    steps "A row per aggregated iteration: what its time went to, and what limits it.";
    gpu_time "A row per aggregated iteration and GPU: busy, exposed and idle time.";
    idle_causes "A row per aggregated iteration, GPU and cause of idle time.";
    idle_totals "A row per cause of idle time, summed over the aggregated iterations and the used GPUs.";
    idle_ranges "A row per range of the host in which the used GPUs idled, summed over the aggregated iterations.";
    idle_threads "A row per thread that GPUs waited for.";
    idle_os_calls "A row per call of the operating system in which threads were while GPUs waited for them.";
    idle_functions "A row per function that CPU samples found while GPUs waited.";
    copies "A row per kind, host memory and mode of copies and memsets that start in the aggregated iterations.";
    host_calls "A row per API function that waits, allocates or sets up in the aggregated iterations.";
    api_calls "A row per API function and class of thread, over the whole capture.";
    threads "A row per thread that launches, over the whole capture.";
    launch_stats "One row: how the kernels of the whole capture were launched.";
    attribution "A row per way in which GPU work of the whole capture finds its range.";
    op_work "A row per op whose shapes are known: operations, bytes, and what limits it.";
    gpu_memory "A row per aggregated iteration and GPU with recorded allocations.";
    gpu_allocations "A row per GPU and kind of memory, over the whole capture.";
    gpu_metrics "A row per counter of an aggregated iteration and GPU, and of a kernel name.";
    model_summary "One row: how far the ops use Tensor Cores.";
    diagnostics "What was odd about the capture, counted.";
}

/// The definition of a table. Case does not matter; `-`, `_` and a space are the same.
#[must_use]
pub fn definition(name: &str) -> Option<&'static Definition> {
    let wanted = near::folded(name);
    let exact = TABLES.iter().find(|definition| definition.key == name);
    exact.or_else(|| TABLES.iter().find(|definition| near::folded(definition.key) == wanted))
}
