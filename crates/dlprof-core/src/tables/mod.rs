//! Tables: every view of the DLProf Viewer, with each column declared once.
//!
//! A module per table, all with the same face: `COLUMNS` and `build`. Printers and exporters walk [`Table`]s and
//! never name a column themselves.

pub mod diagnostics;
pub mod filter;
pub mod findings;
pub mod gpus;
pub mod groups;
pub mod iteration_ops;
pub mod iterations;
pub mod kernel_summaries;
pub mod kernel_totals;
pub mod kernels;
pub mod key_nodes;
pub mod op_types;
pub mod ops;
pub mod process_iterations;
mod shared;
pub mod summary;
mod table;
pub mod top_ops;
mod view;

pub use table::{Column, Header, Kind, Read, RowTable, Table, Unit, Value};
pub use view::{Columns, Selection, View};

use crate::aggregate::Profile;
use crate::pipeline::Rows;

/// Builds a table of a profile.
pub type Build = for<'a> fn(&'a Profile<'a>) -> Box<dyn Table + 'a>;

/// What is known of a table without a profile.
#[derive(Debug, Clone, Copy)]
pub struct Definition {
    /// Stable name, as in `show NAME`.
    pub key: &'static str,
    /// What its rows are.
    pub doc: &'static str,
    /// What it is built from.
    pub rows: Rows,
    /// Builds it.
    pub build: Build,
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
    ($($module:ident $rows:ident $doc:literal;)*) => {
        /// All tables.
        pub const TABLES: &[Definition] = &[$(Definition {
            key: stringify!($module),
            doc: $doc,
            rows: Rows::$rows,
            build: |profile| Box::new($module::build(profile)),
            headers: || $module::COLUMNS.iter().map(|column| &column.header).collect(),
        },)*];
    };
}

definitions! {
    summary NotNeeded "One row: the figures of the dashboard.";
    top_ops NotNeeded "The ten ops with most GPU time.";
    findings NotNeeded "What the expert system found.";
    op_types NotNeeded "A row per op type.";
    groups NotNeeded "A row per group and op below it.";
    ops NotNeeded "A row per op.";
    kernel_summaries NotNeeded "A row per op and kernel name.";
    kernel_totals NotNeeded "GPU work by class: Tensor Core kernels, other kernels, memory.";
    iterations NotNeeded "A row per iteration, aggregated or not.";
    process_iterations NotNeeded "A row per process and iteration, where several processes run the key node.";
    iteration_ops Needed "A row per aggregated iteration and op.";
    kernels Needed "A row per kernel launch.";
    key_nodes NotNeeded "What may delimit iterations, best first.";
    gpus NotNeeded "A row per GPU.";
    diagnostics NotNeeded "What was odd about the capture, counted.";
}

/// The definition of a table; `-` may stand for `_`.
#[must_use]
pub fn definition(name: &str) -> Option<&'static Definition> {
    let wanted = name.replace('-', "_");
    TABLES.iter().find(|definition| definition.key == wanted)
}
