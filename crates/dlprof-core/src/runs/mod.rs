//! Compares runs and decides whether a program became slower by more than noise.
//!
//! ```text
//!  Judged ──► document ──► comparison ──► gate ──► dlprof_export::comparison
//!              samples        rows       verdicts   text, JSON, Markdown, JUnit, SARIF
//! ```
//!
//! [`Document::of`](document::Document::of) takes from a judged profile what is kept of a run. Documents of several runs are
//! pooled.
//! [`comparison::compare`] puts two of them side by side; [`gate::judge`] applies a policy. [`history`] finds when a
//! metric changed over many documents; [`Document::of_job`](document::Document::of_job) takes the same of a job of many ranks.
//! Every number comes from a [`Profile`](crate::figures::profile::Profile); only its
//! statistics are defined here. `docs/gate.md` has the formulas and the error rates.
//!
//! ```
//! use dlprof_core::{Capture, Document, GateVerdict, KeyNodeChoice, Policy, RangeChoice, ReadOptions};
//! use dlprof_core::judge_gate;
//!
//! # fn main() -> Result<(), dlprof_core::Error> {
//! let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/sample.sqlite");
//! let capture = Capture::read(path.as_ref(), &ReadOptions::default())?;
//! let profile = capture.index(&KeyNodeChoice::Find)?.profile(&RangeChoice::default())?;
//! let run = Document::of(&profile.into());
//! let report = judge_gate(&run, &run, &Policy::default(), &[]);
//! assert_eq!(report.verdict, GateVerdict::Pass);
//! # Ok(())
//! # }
//! ```

pub(crate) mod comparison;
pub(crate) mod document;
mod error;
pub(crate) mod gate;
pub(crate) mod history;
pub(crate) mod metrics;
pub(crate) mod policy;
pub(crate) mod ranges;
pub(crate) mod ranks;
pub(crate) mod statistics;
mod subject;
pub(crate) mod words;

pub use error::RunError;
