//! `compare`: two sets of runs side by side, or two ranges of iterations of one capture.

use super::baseline::{Terms, has_database, pooled};
use crate::console;
use crate::exit::Failure;
use crate::gate_args::{Compare, ReportFormat};
use crate::iteration_pair::IterationPair;
use crate::settings::Settings;
use dlprof_core::runs::comparison::compare;
use dlprof_core::runs::statistics::Assumptions;
use dlprof_export::comparison::{
    comparison_json, comparison_markdown, comparison_text, range_comparison_json, range_comparison_markdown,
    range_comparison_text,
};
use std::path::Path;

pub(crate) fn run(args: &Compare) -> Result<(), Failure> {
    match (&args.iterations, &args.new) {
        (Some(pair), _) => ranges_of_one_run(args, pair),
        (None, Some(new)) => runs(args, new),
        (None, None) => Err(Failure::Usage {
            message: "no second run given".into(),
            hint: Some("give two runs, or one run and `--iterations A,B`".into()),
        }),
    }
}

fn runs(args: &Compare, new: &Path) -> Result<(), Failure> {
    let new = new.to_owned();
    let terms =
        Terms { has_database: has_database(args.analysis.file.iter().chain([&new]))?, ..Terms::default() };
    let base = pooled(args.analysis.file.iter(), &args.analysis, terms)?;
    let new = pooled([&new].into_iter(), &args.analysis, Terms { base: Some(&base), ..terms })?;
    let assumptions = Assumptions::default();
    let comparison = compare(&base, &new, assumptions);
    console::print(&match args.format {
        ReportFormat::Text => comparison_text(&comparison, assumptions.confidence, args.top),
        ReportFormat::Json => comparison_json(&comparison),
        ReportFormat::Markdown => comparison_markdown(&comparison, assumptions.confidence, args.top),
    })
}

fn ranges_of_one_run(args: &Compare, pair: &IterationPair) -> Result<(), Failure> {
    let settings = Settings::new(&args.analysis)?;
    let profile = settings.profile()?;
    let comparison = pair.compare(&profile)?;
    console::print(&match args.format {
        ReportFormat::Text => range_comparison_text(&comparison, args.top),
        ReportFormat::Json => range_comparison_json(&comparison),
        ReportFormat::Markdown => range_comparison_markdown(&comparison, args.top),
    })?;
    settings.finish(&profile);
    Ok(())
}
