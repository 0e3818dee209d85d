//! `history`: when metrics changed over many baselines.

use super::baseline::{Run, Terms, folder, has_database, load, short_name};
use super::compare::ReportFormat;
use super::ranks::expanded;
use crate::console;
use crate::exit::Failure;
use crate::settings::Settings;
use dlprof_core::{Document, history_series};
use dlprof_export::{history_json, history_markdown, history_text};
use std::path::PathBuf;

/// Whose history to show, and how to print it.
pub(crate) struct History {
    /// Folders of baselines, baselines and captures, the oldest first.
    pub(crate) paths: Vec<PathBuf>,
    /// How captures are read.
    pub(crate) settings: Settings,
    pub(crate) format: ReportFormat,
}

pub(crate) fn run(asked: &History) -> Result<(), Failure> {
    let (names, documents) = baselines(asked)?;
    if documents.len() == 1 {
        console::print_note("one baseline has no history: give more of them, or a folder, the oldest first");
    }
    let series = history_series(&documents);
    console::print(&match asked.format {
        ReportFormat::Text => history_text(&names, &series),
        ReportFormat::Json => history_json(&names, &series),
        ReportFormat::Markdown => history_markdown(&names, &series),
    })
}

/// Names and documents in the order given; a folder gives those of all its baselines, one with captures is a job.
fn baselines(asked: &History) -> Result<(Vec<String>, Vec<Document>), Failure> {
    let (mut names, mut documents) = (Vec::new(), Vec::new());
    let runs: Vec<Run> = asked.paths.iter().cloned().map(Run::File).collect();
    let terms = Terms { has_database: has_database(&runs)?, ..Terms::default() };
    for path in &asked.paths {
        if path.is_dir() && expanded(&[path])?.is_empty() {
            let (more_names, more) = folder(path)?;
            names.extend(more_names);
            documents.extend(more);
        } else {
            names.push(short_name(path));
            documents.push(load(path, &asked.settings, terms)?);
        }
    }
    if documents.is_empty() {
        return Err(Failure::Usage {
            message: "no baselines given".into(),
            hint: Some("give files written by `dlprof-agg baseline`, or a folder of them".into()),
        });
    }
    Ok((names, documents))
}
