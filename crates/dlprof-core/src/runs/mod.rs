//! Compares runs and decides whether a program became slower by more than noise.
//!
//! ```text
//!  Judged ──► document ──► comparison ──► gate ──► dlprof_export::comparison
//!              samples        rows       verdicts   text, JSON, Markdown, JUnit, SARIF
//! ```
//!
//! [`document::sample`] takes from a judged profile what is kept of a run. Documents of several runs are pooled.
//! [`comparison::compare`] puts two of them side by side; [`gate::judge`] applies a policy. [`history`] finds when a
//! metric changed over many documents. Every number comes from a [`Profile`](crate::figures::profile::Profile); only its
//! statistics are defined here. `docs/gate.md` has the formulas and the error rates.
//!
//! ```
//! use dlprof_core::runs::document::{Document, sample};
//! use dlprof_core::runs::gate::{Policy, Verdict, judge};
//! use dlprof_core::{Capture, KeyNodeChoice, RangeChoice, ReadOptions};
//!
//! # fn main() -> Result<(), dlprof_core::Error> {
//! let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/sample.sqlite");
//! let capture = Capture::read(path.as_ref(), &ReadOptions::default())?;
//! let profile = capture.index(&KeyNodeChoice::Find)?.profile(&RangeChoice::default())?;
//! let run = Document::new(vec![sample(&profile.into())]);
//! let report = judge(&run, &run, &Policy::default(), &[]);
//! assert_eq!(report.verdict, Verdict::Pass);
//! # Ok(())
//! # }
//! ```

pub mod comparison;
pub mod document;
mod error;
pub mod gate;
pub mod history;
pub mod metrics;
pub mod policy;
pub mod ranges;
pub mod statistics;
mod subject;
pub mod words;

pub use error::RunError;
