//! `compare`: two sets of runs side by side.

use super::baseline::{Terms, has_database, pooled};
use crate::console;
use crate::exit::Failure;
use crate::gate_args::{Compare, ReportFormat};
use dlprof_core::compare::comparison::compare;
use dlprof_core::compare::statistics::Assumptions;
use dlprof_export::comparison::{comparison_json, comparison_markdown, comparison_text};

pub(crate) fn run(args: &Compare) -> Result<(), Failure> {
    let terms = Terms {
        has_database: has_database(args.analysis.file.iter().chain([&args.new]))?,
        ..Terms::default()
    };
    let base = pooled(args.analysis.file.iter(), &args.analysis, terms)?;
    let new = pooled([&args.new].into_iter(), &args.analysis, Terms { base: Some(&base), ..terms })?;
    let assumptions = Assumptions::default();
    let comparison = compare(&base, &new, assumptions);
    console::print(&match args.format {
        ReportFormat::Text => comparison_text(&comparison, assumptions.confidence, args.top),
        ReportFormat::Json => comparison_json(&comparison),
        ReportFormat::Markdown => comparison_markdown(&comparison, assumptions.confidence, args.top),
    })
}
