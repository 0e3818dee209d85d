//! Reads an Nsight Systems SQLite export and says where the training time went.
//!
//! ```text
//! ingest ──► correlate ──► iterate ──► aggregate ──► tables
//!  Trace      Correlation   Iterations   Profile      rows
//! ```
//!
//! [`Capture::read`] does the first two steps, [`Capture::profile`] the next two for a key node and a range of
//! iterations, and [`tables`] turn the [`Profile`](aggregate::Profile) into rows with named columns. All times
//! are integer nanoseconds from the start of the capture; spans are half-open. [`ProfileSource`] reads what one profile needs,
//! which is little where an earlier run kept its sums.
//!
//! ```
//! use dlprof_core::{Capture, IterationOptions, ReadOptions};
//!
//! # fn main() -> Result<(), dlprof_core::Error> {
//! let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/sample.sqlite");
//! let capture = Capture::read(path.as_ref(), ReadOptions::default())?;
//! let options = IterationOptions { iter_start: Some(0), iter_stop: Some(0), ..Default::default() };
//! let profile = capture.profile(&options)?;
//! for op in profile.top_ops() {
//!     println!("{:>12} ns  {}", op.times.gpu.sum, profile.op_name(op.op));
//! }
//! # assert!(profile.kernel_totals.all().gpu_ns > 0);
//! # Ok(())
//! # }
//! ```

pub mod aggregate;
mod by_id;
pub mod cache;
pub mod correlate;
pub mod diagnostics;
mod error;
pub mod findings;
#[doc(hidden)]
pub mod fuzzing;
pub mod groups;
pub mod ids;
pub mod ingest;
pub mod intervals;
pub mod iterate;
mod ordered;
mod pipeline;
pub mod ratios;
pub mod strings;
pub mod tables;
pub mod time;
pub mod trace;

pub use error::{Error, ErrorKind};
pub use iterate::{IterationOptions, KeyNodeChoice};
pub use pipeline::{Capture, MOST_THREADS, Origin, ProfileSource, ReadOptions, Rows};
