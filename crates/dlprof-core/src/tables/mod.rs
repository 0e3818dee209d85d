//! Tables: every view of the DLProf Viewer, with each column declared once.
//!
//! A module per table of a profile, all with the same face: `TABLE`, the [`Declaration`], and `build`. Printers and exporters
//! walk [`Table`]s and never name a column themselves. Formats are not known here, nor are findings: their table and the list of
//! all tables are in [`advice`](crate::advice::tables).

pub(crate) mod annotations;
pub(crate) mod api_calls;
pub(crate) mod attribution;
pub(crate) mod collectives;
mod column_names;
pub(crate) mod copies;
mod declaration;
pub(crate) mod diagnostics;
pub(crate) mod engine_modules;
pub(crate) mod engine_phases;
pub(crate) mod engine_steps;
pub(crate) mod engine_tokens;
pub(crate) mod expression;
pub(crate) mod gpu_allocations;
pub(crate) mod gpu_memory;
pub(crate) mod gpu_metrics;
pub(crate) mod gpu_time;
pub(crate) mod gpus;
pub(crate) mod groups;
mod held;
pub(crate) mod host_calls;
pub(crate) mod idle;
pub(crate) mod idle_causes;
pub(crate) mod idle_functions;
pub(crate) mod idle_os_calls;
pub(crate) mod idle_python;
pub(crate) mod idle_ranges;
pub(crate) mod idle_threads;
pub(crate) mod idle_totals;
pub(crate) mod in_words;
pub(crate) mod iteration_ops;
pub(crate) mod iterations;
mod kernel_launching;
pub(crate) mod kernel_names;
pub(crate) mod kernel_summaries;
pub(crate) mod kernel_totals;
pub(crate) mod kernels;
pub(crate) mod key_nodes;
pub(crate) mod launch_records;
pub(crate) mod launch_stats;
mod layout;
pub(crate) mod longest_gaps;
mod measured_table;
pub(crate) mod model_summary;
pub(crate) mod ncu_kernels;
pub(crate) mod ncu_launches;
pub(crate) mod ncu_match;
pub(crate) mod ncu_metrics;
pub(crate) mod ncu_ops;
pub(crate) mod near;
pub(crate) mod op_types;
pub(crate) mod op_work;
pub(crate) mod operators;
pub(crate) mod ops;
pub(crate) mod per_iteration;
mod place;
pub(crate) mod process_iterations;
pub(crate) mod ranges;
mod record_batches;
mod rows;
mod selection;
mod shared;
pub(crate) mod steps;
pub(crate) mod summary;
mod table;
#[cfg(test)]
mod tests;
pub(crate) mod threads;
pub(crate) mod top_ops;
pub(crate) mod transfers;
mod view;

pub use column_names::{Columns, UnknownColumn};
pub use declaration::{Declaration, RowTable};
pub use layout::{Form, Importance, Layout};
pub use per_iteration::{MeansNamedIn, NamedMeans, PerIteration};
pub use record_batches::{RecordBatches, TextForm, cell};
pub use rows::Rows;
pub use selection::{Selection, SelectionError};
pub use table::{CellKind, Column, Header, Table, Unit, Value};
pub(crate) use table::{Read, Source};
pub use view::{View, columns_for_people};
