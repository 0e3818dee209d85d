//! Tables: every view of the DLProf Viewer, with each column declared once.
//!
//! A module per table, all with the same face: `COLUMNS` and `build`. Printers and exporters walk [`Table`]s and
//! never name a column themselves.

pub mod diagnostics;
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

pub use table::{Column, Header, Kind, Read, RowTable, Table, Unit, Value};

use crate::aggregate::Profile;

/// Builds a table of a profile.
pub type Build = for<'a> fn(&'a Profile<'a>) -> Box<dyn Table + 'a>;

/// All tables: key and how to build them.
pub const TABLES: &[(&str, Build)] = &[
    ("summary", |profile| Box::new(summary::build(profile))),
    ("top_ops", |profile| Box::new(top_ops::build(profile))),
    ("findings", |profile| Box::new(findings::build(profile))),
    ("op_types", |profile| Box::new(op_types::build(profile))),
    ("groups", |profile| Box::new(groups::build(profile))),
    ("ops", |profile| Box::new(ops::build(profile))),
    ("kernel_summaries", |profile| Box::new(kernel_summaries::build(profile))),
    ("kernel_totals", |profile| Box::new(kernel_totals::build(profile))),
    ("iterations", |profile| Box::new(iterations::build(profile))),
    ("process_iterations", |profile| Box::new(process_iterations::build(profile))),
    ("iteration_ops", |profile| Box::new(iteration_ops::build(profile))),
    ("kernels", |profile| Box::new(kernels::build(profile))),
    ("key_nodes", |profile| Box::new(key_nodes::build(profile))),
    ("gpus", |profile| Box::new(gpus::build(profile))),
    ("diagnostics", |profile| Box::new(diagnostics::build(profile))),
];
