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

pub mod compare;
pub mod document;
mod error;
pub mod gate;
pub mod history;
pub mod metrics;
pub mod report;
pub mod statistics;

pub use error::{Error, ErrorKind};
