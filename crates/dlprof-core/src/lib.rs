//! Reads an Nsight Systems SQLite export and says where the training time went.
//!
//! ```text
//! export ─ingest─► Facts ─correlate─► Capture ─index(key node)─► Index ─profile(range)─► Profile ─► tables
//! ```
//!
//! [`Capture`], [`Index`] and [`Profile`] are owned values: cheap to clone, shared between threads, never changed. Each is
//! made from the one before, and [`tables`] turn a profile into rows with named columns. All times are integer
//! nanoseconds from the start of the capture; spans are half-open. A [`Cache`](cache::Cache) keeps the first two in files.
//!
//! ```
//! use dlprof_core::{Capture, KeyNodeChoice, RangeChoice, ReadOptions};
//!
//! # fn main() -> Result<(), dlprof_core::Error> {
//! let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/sample.sqlite");
//! let capture = Capture::read(path.as_ref(), &ReadOptions::default())?;
//! let index = capture.index(&KeyNodeChoice::Find)?;
//! let profile = index.profile(&RangeChoice::from(15..=58))?;
//! for op in profile.top_ops() {
//!     println!("{:>12} ns  {}", op.times.gpu.sum, profile.op_name(op.op));
//! }
//! # assert_eq!(profile.iterations.aggregated(), 44);
//! # Ok(())
//! # }
//! ```

pub mod activity;
mod by_id;
pub mod by_name;
pub mod cache;
pub mod capture;
pub mod columns;
pub mod compare;
pub mod correlate;
mod cut_side;
pub mod diagnostics;
#[cfg(test)]
mod drawn;
mod error;
pub mod explain;
pub mod facts;
pub mod findings;
pub mod folded_ops;
#[doc(hidden)]
pub mod fuzzing;
pub mod gpu;
pub mod gpu_memory;
pub mod gpu_metrics;
pub mod groups;
pub mod ids;
pub mod index;
pub mod ingest;
pub mod intervals;
pub mod iterate;
pub mod long_text;
pub mod nsys_reports;
pub mod op_path;
pub mod op_work;
mod ordered;
mod pattern_mistake;
mod pipeline;
pub mod profile;
pub mod ratios;
pub mod small_file;
pub mod tables;
pub mod time;
pub mod time_cut;
pub mod timeline;
pub mod tracks;

pub use capture::Capture;
pub use error::{Error, ErrorKind, Writer};
pub use iterate::{DefaultRange, KeyNodeChoice, RangeChoice};
pub use pattern_mistake::PatternMistake;
pub use pipeline::{Index, MOST_THREADS, Profile, ReadOptions};
