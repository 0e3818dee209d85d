//! Compares runs and says whether a program became slower, by more than noise.
//!
//! ```text
//! Profile ──► document ──► compare ──► gate ──► report
//!              samples      rows      verdicts   text, JSON, Markdown, JUnit, SARIF
//! ```
//!
//! [`document::sample`] takes from a profile what is kept of a run; documents of several runs are pooled.
//! [`compare::compare`] puts two of them side by side; [`gate::judge`] applies a policy. [`history`] finds when a metric
//! changed over many documents. Nothing prints or exits. `docs/gate.md` has the formulas and what they achieve.
//!
//! ```
//! use dlprof_core::{Capture, IterationOptions, ReadOptions};
//! use dlprof_gate::document::{Document, sample};
//! use dlprof_gate::gate::{Policy, Verdict, judge};
//!
//! # fn main() -> Result<(), dlprof_core::Error> {
//! let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/sample.sqlite");
//! let capture = Capture::read(path.as_ref(), ReadOptions::default())?;
//! let run = Document::new(vec![sample(&capture.profile(&IterationOptions::default())?)]);
//! let report = judge(&run, &run, &Policy::default(), &[]);
//! assert_eq!(report.verdict, Verdict::Pass);
//! # Ok(())
//! # }
//! ```

pub mod compare;
pub mod document;
mod error;
pub mod gate;
pub mod history;
pub mod metrics;
pub mod report;
pub mod statistics;

pub use error::{Error, ErrorKind};
