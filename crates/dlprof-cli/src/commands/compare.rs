//! `compare`: two sets of runs side by side.

use super::baseline::pooled;
use crate::console;
use crate::exit::Failure;
use crate::gate_args::{Compare, ReportFormat};
use dlprof_gate::compare::compare;
use dlprof_gate::report::{comparison_json, comparison_markdown, comparison_text};
use dlprof_gate::statistics::Assumptions;

pub(crate) fn run(args: &Compare) -> Result<(), Failure> {
    let base = pooled(args.analysis.file.iter(), &args.analysis)?;
    let new = pooled([&args.new].into_iter(), &args.analysis)?;
    let assumptions = Assumptions::default();
    let comparison = compare(&base, &new, assumptions);
    console::print(&match args.format {
        ReportFormat::Text => comparison_text(&comparison, assumptions.confidence, args.top),
        ReportFormat::Json => comparison_json(&comparison),
        ReportFormat::Markdown => comparison_markdown(&comparison, assumptions.confidence, args.top),
    })
}
