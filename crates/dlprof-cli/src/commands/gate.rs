//! `gate`: prints a verdict and its reasons.

use super::baseline::{Terms, folder, has_database, pooled};
use crate::ci_args::{CiFormat, ReportFiles};
use crate::exit::Failure;
use crate::gate_args::Gate;
use crate::{console, inputs};
use dlprof_core::runs::document::Document;
use dlprof_core::runs::gate::{Policy, Report, Verdict, judge};
use dlprof_export::comparison;

/// Without `--baseline`, so many of the last baselines of the history are the baseline.
const RECENT: usize = 5;

pub(crate) fn run(args: &Gate) -> Result<Verdict, Failure> {
    // Everything that can fail without reading a capture is checked first.
    let read = args.analysis.file.iter().chain(&args.baseline).chain(&args.policy);
    let mut inputs = inputs::of(read, &args.analysis.options.general);
    args.history.iter().for_each(|folder| inputs.add_files_of(folder));
    let files = ReportFiles::check(&args.output, args.force, &inputs)?;
    let policy = args.policy.as_deref().map_or_else(|| Ok(Policy::default()), Policy::read)?;
    let history = match &args.history {
        Some(path) => folder(path)?.1,
        None => Vec::new(),
    };
    let has_database = has_database(args.analysis.file.iter().chain(&args.baseline))?
        || history.iter().any(Document::has_database);
    let terms = Terms { has_database, ..Terms::default() };
    let base = match args.baseline.is_empty() {
        true => Document::pooled(history[history.len().saturating_sub(RECENT)..].iter().cloned()),
        false => pooled(args.baseline.iter(), &args.analysis, terms)?,
    };
    let new = pooled(args.analysis.file.iter(), &args.analysis, Terms { base: Some(&base), ..terms })?;
    let report = judge(&base, &new, &policy, &history);
    files.write(|format| text(&report, format))?;
    console::print(&text(&report, args.format))?;
    Ok(report.verdict)
}

fn text(report: &Report, format: CiFormat) -> String {
    match format {
        CiFormat::Text => comparison::gate_text(report),
        CiFormat::Json => comparison::gate_json(report),
        CiFormat::Markdown => comparison::gate_markdown(report),
        CiFormat::Junit => comparison::junit(report),
        CiFormat::Sarif => comparison::sarif(report),
        CiFormat::Github => comparison::github(report),
    }
}
