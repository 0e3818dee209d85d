//! Runs against runs: baselines, comparisons, the gate.

use super::asked::Asked;
use super::refusal::Refusal;
use super::report::inputs;
pub use crate::commands::baseline::Run;
use crate::commands::one_clock::OnOneClock;
use crate::commands::{baseline, gate as gate_command};
use crate::exit::{self, Failure};
use dlprof_core::{
    Assumptions, Comparison, DefaultRange, Document, GateReport, GateVerdict, compare_runs, write_baseline,
};
use dlprof_export::{Overwrite, Target};
use std::path::{Path, PathBuf};

/// Several runs as one document, with all iterations of each unless others are asked for.
///
/// # Errors
/// If one of them cannot be read.
pub fn pool(runs: &[Run], asked: &Asked) -> Result<Document, Refusal> {
    let terms = baseline::Terms { has_database: baseline::has_database(runs)?, ..baseline::Terms::default() };
    Ok(baseline::pooled(runs, &asked.settings(DefaultRange::All)?, terms)?)
}

/// Writes a baseline that was made from some files.
///
/// # Errors
/// If the file exists and is not to be replaced, is one of those files, or cannot be written.
pub fn write_baseline_file(
    document: &Document,
    made_from: &[PathBuf],
    path: &Path,
    replaces: bool,
) -> Result<(), Refusal> {
    let overwrite = if replaces { Overwrite::Replace } else { Overwrite::Refuse };
    let target = Target::new(path, overwrite, &inputs(made_from)).map_err(Failure::from)?;
    target.write(|out| write_baseline(document, out)).map_err(Failure::from)?;
    Ok(())
}

/// Compares a run with an older one.
///
/// # Errors
/// If one of them cannot be read.
pub fn compare(base: &Run, new: &Run, asked: &Asked) -> Result<Comparison, Refusal> {
    let settings = asked.settings(DefaultRange::All)?;
    let terms =
        baseline::Terms { has_database: baseline::has_database([base, new])?, ..baseline::Terms::default() };
    let read = |run, clock| {
        baseline::pooled(std::slice::from_ref(run), &settings, baseline::Terms { clock, ..terms })
    };
    let sides = OnOneClock::read(|clock| read(base, clock), |clock| read(new, clock), Document::clock)?;
    Ok(compare_runs(&sides.base, &sides.new, Assumptions::default()))
}

/// Judges a run against baselines, or against the last ones of a history.
///
/// # Errors
/// If a run, the policy or the history cannot be read.
pub fn gate(
    new: &Run,
    baselines: &[Run],
    policy: Option<&Path>,
    history: Option<&Path>,
    asked: &Asked,
) -> Result<GateReport, Refusal> {
    if baselines.is_empty() && history.is_none() {
        let hint = "give a baseline, or the folder of a history".to_owned();
        return Err(Refusal::usage("there is nothing to compare with".into(), hint));
    }
    let settings = asked.settings(DefaultRange::All)?;
    Ok(gate_command::judged(new, baselines, policy, history, &settings)?.report)
}

/// The exit code of a verdict.
#[must_use]
pub fn gate_code(verdict: GateVerdict) -> u8 {
    exit::of_verdict(verdict)
}
