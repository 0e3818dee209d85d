//! `gate`: prints a verdict and its reasons.

use super::baseline::{folder, pooled};
use crate::console;
use crate::exit::Failure;
use crate::gate_args::{Gate, GateFormat};
use clap::ValueEnum;
use dlprof_core::compare::document::Document;
use dlprof_core::compare::gate::{Policy, Report, Verdict, judge};
use dlprof_export::comparison;
use dlprof_export::{Overwrite, check_target, write_file};
use std::path::Path;

/// Without `--baseline`, so many of the last baselines of the history are the baseline.
const RECENT: usize = 5;

pub(crate) fn run(args: &Gate) -> Result<Verdict, Failure> {
    // Everything that can fail without reading a capture is checked first.
    let formats: Vec<GateFormat> =
        args.output.iter().map(|path| of_ending(path)).collect::<Result<_, _>>()?;
    let overwrite = if args.force { Overwrite::Replace } else { Overwrite::Refuse };
    for path in &args.output {
        check_target(path, overwrite)?;
    }
    let policy = args.policy.as_deref().map_or_else(|| Ok(Policy::default()), Policy::read)?;
    let history = match &args.history {
        Some(path) => folder(path)?.1,
        None => Vec::new(),
    };
    let base = match args.baseline.is_empty() {
        true => Document::pooled(history[history.len().saturating_sub(RECENT)..].iter().cloned()),
        false => pooled(args.baseline.iter(), &args.analysis, None)?,
    };
    let new = pooled(args.analysis.file.iter(), &args.analysis, Some(&base))?;
    let report = judge(&base, &new, &policy, &history);
    for (path, format) in args.output.iter().zip(formats) {
        write_file(path, text(&report, format).as_bytes())?;
    }
    console::print(&text(&report, args.format))?;
    Ok(report.verdict)
}

fn text(report: &Report, format: GateFormat) -> String {
    match format {
        GateFormat::Text => comparison::gate_text(report),
        GateFormat::Json => comparison::gate_json(report),
        GateFormat::Markdown => comparison::gate_markdown(report),
        GateFormat::Junit => comparison::junit(report),
        GateFormat::Sarif => comparison::sarif(report),
        GateFormat::Github => comparison::github(report),
    }
}

fn of_ending(path: &Path) -> Result<GateFormat, Failure> {
    let ending = path.extension().map(|ending| ending.to_string_lossy().into_owned()).unwrap_or_default();
    GateFormat::from_str(&ending, true).map_err(|_| Failure::Usage {
        message: format!("the ending of `{}` names no format", path.display()),
        hint: Some("endings are txt, json, md, xml (JUnit), sarif".into()),
    })
}
