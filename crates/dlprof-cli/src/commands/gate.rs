//! `gate`: prints a verdict and its reasons.

use super::baseline::{Run, Terms, folder, has_database, pooled};
use super::one_clock::{OnOneClock, RUNS_AHEAD};
use super::report_files::{CiFormat, ReportFiles};
use crate::console;
use crate::exit::Failure;
use crate::settings::Settings;
use dlprof_core::{BaselineRun, Document, GateCheck, GateReport, GateVerdict, Mode, Policy, judge_gate};
use dlprof_export::{gate_json, gate_markdown, gate_text, github_annotations, junit_report, sarif_report};
use std::path::{Path, PathBuf};

/// Without `--baseline`, so many of the last baselines of the history are the baseline.
const RECENT: usize = 5;

/// Which run to judge, by what, and where the report goes.
pub(crate) struct Gate {
    /// A capture, or a file written by `baseline`.
    pub(crate) new: PathBuf,
    /// Captures or baselines, which are pooled; empty for the last ones of the history.
    pub(crate) baseline: Vec<PathBuf>,
    /// A TOML file.
    pub(crate) policy: Option<PathBuf>,
    /// A folder of baselines.
    pub(crate) history: Option<PathBuf>,
    /// How captures are read.
    pub(crate) settings: Settings,
    pub(crate) format: CiFormat,
    pub(crate) files: ReportFiles,
}

pub(crate) fn run(asked: &Gate) -> Result<GateVerdict, Failure> {
    let baseline: Vec<Run> = asked.baseline.iter().cloned().map(Run::File).collect();
    let (policy, history) = (asked.policy.as_deref(), asked.history.as_deref());
    let new = Run::File(asked.new.clone());
    let Gated { report, has_traces, runs_ahead } = judged(&new, &baseline, policy, history, &asked.settings)?;
    if runs_ahead {
        console::print_note(RUNS_AHEAD);
    }
    if has_traces && report.checks.iter().any(GateCheck::lacks_iterations) {
        console::print_note(
            "traces of few steps can be pooled: `dlprof-agg baseline A.json.gz B.json.gz … -o pooled.json` for each side; or record \
             more steps, such as `active=12` in the schedule of torch.profiler",
        );
    }
    asked.files.write(|format| text(&report, format))?;
    console::print(&text(&report, asked.format))?;
    Ok(report.verdict)
}

/// A run that was judged.
pub(crate) struct Gated {
    pub(crate) report: GateReport,
    /// Whether a trace of torch.profiler is among the runs.
    has_traces: bool,
    /// As [`OnOneClock::runs_ahead`].
    runs_ahead: bool,
}

/// Judges a run against baselines; without any, against the last ones of the history.
pub(crate) fn judged(
    new: &Run,
    baselines: &[Run],
    policy: Option<&Path>,
    history: Option<&Path>,
    settings: &Settings,
) -> Result<Gated, Failure> {
    // Everything that can fail without reading a capture is checked first.
    let policy = policy.map_or_else(|| Ok(Policy::default()), Policy::read)?;
    let history = match history {
        Some(path) => folder(path)?.1,
        None => Vec::new(),
    };
    let has_database =
        has_database([new].into_iter().chain(baselines))? || history.iter().any(Document::has_database);
    let terms = Terms { has_database, ..Terms::default() };
    let recent = || Document::pooled(history[history.len().saturating_sub(RECENT)..].iter().cloned());
    let read = |runs: &[Run], clock| pooled(runs, settings, Terms { clock, ..terms });
    let sides = OnOneClock::read(
        |clock| if baselines.is_empty() { Ok(recent()) } else { read(baselines, clock) },
        |clock| read(std::slice::from_ref(new), clock),
        Document::clock,
    )?;
    let OnOneClock { base, new, runs_ahead } = sides;
    let is_trace = |run: &BaselineRun| run.environment.mode == Mode::TorchProfiler.as_str();
    let has_traces = base.runs.iter().chain(&new.runs).any(is_trace);
    Ok(Gated { report: judge_gate(&base, &new, &policy, &history), has_traces, runs_ahead })
}

fn text(report: &GateReport, format: CiFormat) -> String {
    match format {
        CiFormat::Text => gate_text(report),
        CiFormat::Json => gate_json(report),
        CiFormat::Markdown => gate_markdown(report),
        CiFormat::Junit => junit_report(report),
        CiFormat::Sarif => sarif_report(report),
        CiFormat::Github => github_annotations(report),
    }
}
