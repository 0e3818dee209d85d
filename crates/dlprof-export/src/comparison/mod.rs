//! Comparisons, verdicts of the gate and histories as text, JSON, Markdown, JUnit XML, SARIF and workflow commands of GitHub.

pub(crate) mod annotations;
mod findings;
pub(crate) mod json;
pub(crate) mod junit;
pub(crate) mod layout;
mod markdown;
mod ranges;
mod summary;
mod text;

pub use annotations::{github, sarif};
pub use json::{comparison_json, gate_json, history_json};
pub use junit::junit;
pub use markdown::{comparison_markdown, gate_markdown, history_markdown};
pub use ranges::{RangesCompared, range_comparison_json, range_comparison_markdown, range_comparison_text};
pub use text::{comparison_text, gate_text, history_text};
