//! What the program does, as functions for programs in other languages: values in, values out. Nothing is printed, no signal and no
//! hook of the process is touched, and settings files are not read: what is asked for stands in [`Asked`].
//!
//! The work is that of the commands; figures and findings are the same.

mod asked;
mod job;
mod opened;
mod refusal;
mod report;
mod rows;
mod runs;

pub use asked::{Asked, size_in_bytes};
pub use job::{OpenedJob, open_job};
pub use opened::{Hears, Opened, open};
pub use refusal::{Refusal, RefusalKind};
pub use report::ReportFile;
pub use rows::RowsAsked;
pub use runs::{Run, compare, gate, gate_code, pool, write_baseline_file};

#[cfg(test)]
mod tests;
