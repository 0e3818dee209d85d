//! A job of many ranks for people and for machines: text for a terminal, Markdown, JSON, formats of CI systems. Figures and sentences are the library's.

pub(crate) mod blocks;
mod export;
mod facts;
mod for_ci;
mod heat_map;
mod json;
mod markdown;
mod rank_rows;
pub(crate) mod text;

pub use export::JobPlan;
pub use facts::JobFacts;
pub(crate) use facts::{Part, Telling};
pub use for_ci::{job_github, job_junit, job_sarif};
pub use json::job_json;
pub use markdown::job_markdown;
pub use text::{JobLook, job_text};
