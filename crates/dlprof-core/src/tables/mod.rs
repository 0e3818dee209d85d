//! Tables: every view of the DLProf Viewer, with each column declared once.
//!
//! A module per table of a profile, all with the same face: `TABLE`, the [`Declaration`], and `build`. Printers and exporters
//! walk [`Table`]s and never name a column themselves. Formats are not known here, nor are findings: their table and the list of
//! all tables are in [`advice`](crate::advice::tables).

pub mod api_calls;
pub mod attribution;
mod column_names;
pub mod copies;
mod declaration;
pub mod diagnostics;
pub mod expression;
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
mod record_batches;
mod rows;
mod selection;
mod shared;
pub mod steps;
pub mod summary;
mod table;
#[cfg(test)]
mod tests;
pub mod threads;
pub mod top_ops;
mod view;

pub use column_names::{Columns, UnknownColumn};
pub use declaration::{Declaration, RowTable};
pub use layout::{Form, Importance, Layout};
pub use record_batches::{RecordBatches, TextForm, cell};
pub use rows::Rows;
pub use selection::{Selection, SelectionError};
pub use table::{CellKind, Column, Header, Read, Table, Unit, Value};
pub use view::{View, columns_for_people};
