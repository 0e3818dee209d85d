//! The local server of `view`: the pages of the export crate, and the data that they ask for.
//!
//! ```text
//! browser ─► connections ─► guard ─┬► waiting, until the captures are read ─► assets, how far it is
//!                                  └► routes ─┬─► assets
//!                                             ├─► job_routes: a job of many ranks ─► JSON
//!                                             ├─► held: captures, aggregations ─► profile ─► JSON
//!                                             └─► open_tables: a thread per table ─► rows, downloads
//! ```
//!
//! One thread reads and writes all connections; everything that takes time runs on other threads. Nothing here computes a figure:
//! every answer is a value of the core or export crate as JSON, or a table through an exporter. The server only reads: no path of
//! a request reaches the file system.

mod address;
mod aggregation;
mod chosen_rows;
mod comparison;
mod connections;
mod download;
mod encoding;
mod guard;
mod held;
mod held_capture;
mod job_routes;
mod kept_answers;
mod long_work;
mod open_tables;
mod patience;
mod question;
mod refusal;
mod routes;
mod shared;
mod stamp;
mod unsent;
mod waiting;
mod whole_timeline;

pub(crate) use address::Address;
pub(crate) use connections::{Served, serve};
pub(crate) use held::Held;
pub(crate) use held_capture::HeldCapture;
pub(crate) use job_routes::HeldJob;
pub(crate) use stamp::Stamp;
