//! `view` in a program that was built without the feature `view`: prints an error.

use super::ranks::JobOfCaptures;
use crate::exit::Failure;
use crate::opening::CaptureFile;

/// What to explore, and where the server would listen.
#[expect(dead_code, reason = "there is no server")]
pub(crate) struct View {
    pub(crate) shown: Shown,
    pub(crate) bind: String,
    pub(crate) port: u16,
    pub(crate) allowed_hosts: Vec<String>,
    pub(crate) csv_safe: bool,
    pub(crate) opens_browser: bool,
}

/// What would be explored.
#[expect(dead_code, reason = "there is no server")]
pub(crate) enum Shown {
    Captures(Vec<CaptureFile>),
    Job(Box<JobOfCaptures>),
}

pub(crate) fn run(_: &View) -> Result<(), Failure> {
    Err(Failure::Usage {
        message: "this `dlprof-agg` was built without `view`".into(),
        hint: Some(
            "build it with `cargo install --path crates/dlprof-cli`; `export FILE -o report.html` gives the same \
             pages in one file"
                .into(),
        ),
    })
}
