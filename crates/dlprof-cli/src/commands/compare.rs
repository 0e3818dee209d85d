//! `compare`: two sets of runs side by side, or two ranges of iterations of one capture.

use super::baseline::{Run, Terms, has_database, opened, short_name};
use super::one_clock::{OnOneClock, RUNS_AHEAD};
use crate::console;
use crate::exit::{self, Failure};
use crate::opening::CaptureFile;
use crate::settings::Settings;
use crate::settings::iteration_pair::IterationPair;
use dlprof_core::{Assumptions, Document, Judged, compare_runs};
use dlprof_export::{
    PageComparison, SidesCompared, Target, comparison_json, comparison_markdown, comparison_text,
    range_comparison_json, range_comparison_markdown, range_comparison_text, write_comparison_page,
};
use std::path::{Path, PathBuf};

/// What to compare, and how to print it.
pub(crate) struct Compare {
    pub(crate) sides: Sides,
    /// How captures are read.
    pub(crate) settings: Settings,
    pub(crate) format: ReportFormat,
    /// Rows of each list.
    pub(crate) top: usize,
    /// Where the comparison is written as a page, too.
    pub(crate) page: Option<Target>,
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

/// Returns the exit code: that of no verdict where nothing can be compared.
pub(crate) fn run(asked: Compare) -> Result<u8, Failure> {
    match asked.sides.clone() {
        Sides::Runs { base, new } => runs(&base, &new, &asked),
        Sides::Ranges { file, pair } => ranges(&file, &pair, &asked).map(|()| exit::DONE),
    }
}

fn runs(base_file: &Path, new_file: &Path, asked: &Compare) -> Result<u8, Failure> {
    let Compare { settings, format, top, page, .. } = asked;
    let terms = Terms {
        has_database: has_database(&[base_file, new_file].map(|file| Run::File(file.to_owned())))?,
        ..Terms::default()
    };
    let read = |file, terms| -> Result<(Document, Option<Judged>), Failure> {
        let (document, judged) = opened(file, settings, terms)?;
        // Only a page needs more of a capture.
        Ok((Document::pooled([document]), judged.filter(|_| page.is_some())))
    };
    let sides = OnOneClock::read(
        |clock| read(base_file, Terms { clock, ..terms }),
        |clock| read(new_file, Terms { clock, ..terms }),
        |(document, _)| document.clock(),
    )?;
    if sides.runs_ahead {
        console::print_note(RUNS_AHEAD);
    }
    let ((base, base_judged), (new, new_judged)) = (sides.base, sides.new);
    let assumptions = Assumptions::default();
    let comparison = compare_runs(&base, &new, assumptions);
    if let Some(page) = page {
        let shown = new_judged.as_ref().map(|judged| (judged, new_file));
        let shown = shown.or(base_judged.as_ref().map(|judged| (judged, base_file)));
        let (judged, file) = shown.ok_or_else(|| Failure::Usage {
            message: "a page needs a capture on one side at least".into(),
            hint: Some(
                "baselines and jobs are compared as text, JSON or Markdown: leave out `--output`".into(),
            ),
        })?;
        let profiles = [&base_judged, &new_judged].map(|judged| judged.as_deref());
        let sides = SidesCompared::new(&comparison, &base, &new);
        write_page(page, judged, file, settings, &PageComparison::Runs(sides, profiles))?;
    }
    console::print(&match format {
        ReportFormat::Text => comparison_text(&comparison, assumptions.confidence, *top),
        ReportFormat::Json => comparison_json(&comparison),
        ReportFormat::Markdown => comparison_markdown(&comparison, assumptions.confidence, *top),
    })?;
    Ok(if comparison.scope.is_none() { exit::INCONCLUSIVE } else { exit::DONE })
}

fn ranges(file: &Path, pair: &IterationPair, asked: &Compare) -> Result<(), Failure> {
    let Compare { settings, format, top, page, .. } = asked;
    let capture = CaptureFile::new(file.to_owned(), settings.clone());
    let profile = capture.open()?;
    let comparison = pair.compare(&profile)?;
    if let Some(page) = page {
        write_page(page, &profile, file, settings, &PageComparison::Ranges(&comparison, pair.to_string()))?;
    }
    console::print(&match format {
        ReportFormat::Text => range_comparison_text(&comparison, *top),
        ReportFormat::Json => range_comparison_json(&comparison),
        ReportFormat::Markdown => range_comparison_markdown(&comparison, *top),
    })?;
    capture.finish(&profile);
    Ok(())
}

fn write_page(
    page: &Target,
    judged: &Judged,
    file: &Path,
    settings: &Settings,
    comparison: &PageComparison<'_>,
) -> Result<(), Failure> {
    let title = settings.profile_name.clone().unwrap_or_else(|| short_name(file));
    page.write(|out| write_comparison_page(judged, &title, comparison, settings.time_unit, out))?;
    Ok(())
}
