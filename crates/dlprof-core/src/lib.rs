//! Reads an Nsight Systems SQLite export and says where the training time went.
//!
//! ```text
//! export ─ingest─► Facts ─correlate─► Capture ─index(key node)─► Index ─profile(range)─► Profile ─► tables
//! ```
//!
//! [`Capture`], [`Index`] and [`Profile`] are owned values: cheap to clone, shared between threads, never changed. Each is
//! made from the one before. [`advice::judge`] says what the rules find in a profile, and [`tables`](advice::tables) turn it into
//! rows with named columns. All times are integer nanoseconds from the start of the capture; spans are half-open. A
//! [`Cache`](kept::Cache) keeps the first two in files. [`Capture::open`] takes all these steps, and [`Capture::read`],
//! [`Capture::index`], [`Index::profile`] and [`advice::judge`] one each.
//!
//! ```
//! use dlprof_core::{Capture, OpenOptions, RangeChoice};
//!
//! # fn main() -> Result<(), dlprof_core::Error> {
//! let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/sample.sqlite");
//! let options = OpenOptions { range: RangeChoice::from(15..=58), ..OpenOptions::default() };
//! let profile = Capture::open(path.as_ref(), &options, None)?;
//! for op in profile.top_ops() {
//!     println!("{:>12} ns  {}", op.times.gpu.sum, profile.op_name(op.op));
//! }
//! # assert_eq!(profile.iterations.aggregated(), 44);
//! # Ok(())
//! # }
//! ```

pub mod advice;
pub mod base;
pub mod capture;
pub mod columns;
#[cfg(test)]
mod drawn;
pub mod figures;
#[doc(hidden)]
pub mod fuzzing;
pub mod kept;
pub mod nsys_stats;
pub mod pictures;
mod pipeline;
#[cfg(test)]
mod promises;
pub mod read;
pub mod runs;
pub mod steps;
pub mod tables;

pub use base::{Error, ErrorKind, MOST_THREADS};
pub use capture::{Capture, ReadOptions};
pub use figures::profile::Profile;
pub use pipeline::{OnStage, OpenOptions, Origin, Stage, StageEvent};
pub use steps::index::Index;
pub use steps::iterate::{DefaultRange, KeyNodeChoice, RangeChoice};
