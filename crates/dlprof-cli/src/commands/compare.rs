//! `compare`: two sets of runs side by side.

use super::baseline::pooled;
use crate::console;
use crate::exit::Failure;
use crate::gate_args::{Compare, ReportFormat};
use dlprof_core::compare::comparison::compare;
use dlprof_core::compare::statistics::Assumptions;
use dlprof_export::comparison::{comparison_json, comparison_markdown, comparison_text};

pub(crate) fn run(args: &Compare) -> Result<(), Failure> {
    let base = pooled(args.analysis.file.iter(), &args.analysis, None)?;
    let new = pooled([&args.new].into_iter(), &args.analysis, Some(&base))?;
    let assumptions = Assumptions::default();
    let comparison = compare(&base, &new, assumptions);
    console::print(&match args.format {
        ReportFormat::Text => comparison_text(&comparison, assumptions.confidence, args.top),
        ReportFormat::Json => comparison_json(&comparison),
        ReportFormat::Markdown => comparison_markdown(&comparison, assumptions.confidence, args.top),
    })
}
