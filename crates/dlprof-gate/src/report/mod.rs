//! Reports as text, JSON, Markdown, JUnit XML, SARIF and workflow commands of GitHub. Nothing here prints.

mod annotations;
mod json;
mod junit;
mod layout;
mod markdown;
mod summary;
mod text;
pub(crate) mod words;

pub use annotations::{github, sarif};
pub use json::{comparison_json, gate_json, history_json};
pub use junit::junit;
pub use markdown::{comparison_markdown, gate_markdown, history_markdown};
pub use text::{comparison_text, gate_text, history_text};
