//! `compare`: two sets of runs side by side, or two ranges of iterations of one capture.

use super::baseline::{Terms, has_database, pooled};
use crate::console;
use crate::exit::Failure;
use crate::opening::CaptureFile;
use crate::settings::Settings;
use crate::settings::iteration_pair::IterationPair;
use dlprof_core::{Assumptions, compare_runs};
use dlprof_export::{
    comparison_json, comparison_markdown, comparison_text, range_comparison_json, range_comparison_markdown,
    range_comparison_text,
};
use std::path::PathBuf;

/// What to compare, and how to print it.
pub(crate) struct Compare {
    pub(crate) sides: Sides,
    /// How captures are read.
    pub(crate) settings: Settings,
    pub(crate) format: ReportFormat,
    /// Rows of each list.
    pub(crate) top: usize,
}

/// What is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Sides {
    /// A run, and a newer one: captures, or files written by `baseline`.
    Runs { base: PathBuf, new: PathBuf },
    /// Two ranges of iterations of a capture.
    Ranges { file: PathBuf, pair: IterationPair },
}

/// Formats of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ReportFormat {
    /// Text for people
    Text,
    /// One JSON object
    Json,
    /// Markdown
    Markdown,
}

pub(crate) fn run(asked: Compare) -> Result<(), Failure> {
    let Compare { sides, settings, format, top } = asked;
    match sides {
        Sides::Runs { base, new } => runs(base, new, &settings, format, top),
        Sides::Ranges { file, pair } => ranges(&CaptureFile::new(file, settings), &pair, format, top),
    }
}

fn runs(
    base: PathBuf,
    new: PathBuf,
    settings: &Settings,
    format: ReportFormat,
    top: usize,
) -> Result<(), Failure> {
    let terms = Terms { has_database: has_database([&base, &new])?, ..Terms::default() };
    let base = pooled(&[base], settings, terms)?;
    let new = pooled(&[new], settings, Terms { base: Some(&base), ..terms })?;
    let assumptions = Assumptions::default();
    let comparison = compare_runs(&base, &new, assumptions);
    console::print(&match format {
        ReportFormat::Text => comparison_text(&comparison, assumptions.confidence, top),
        ReportFormat::Json => comparison_json(&comparison),
        ReportFormat::Markdown => comparison_markdown(&comparison, assumptions.confidence, top),
    })
}

fn ranges(file: &CaptureFile, pair: &IterationPair, format: ReportFormat, top: usize) -> Result<(), Failure> {
    let profile = file.open()?;
    let comparison = pair.compare(&profile)?;
    console::print(&match format {
        ReportFormat::Text => range_comparison_text(&comparison, top),
        ReportFormat::Json => range_comparison_json(&comparison),
        ReportFormat::Markdown => range_comparison_markdown(&comparison, top),
    })?;
    file.finish(&profile);
    Ok(())
}
