//! Runs against runs: baselines, comparisons, the gate.

use crate::asked::AskedOfPython;
use crate::errors::raised;
use crate::process::run;
use dlprof_cli::library::{self, Run, gate_code, write_baseline_file};
use dlprof_core::{
    Assumptions, Comparison as Compared, Document as Runs, GateReport, GateVerdict, baseline_json,
};
use dlprof_export::{
    comparison_json, comparison_markdown, comparison_text, gate_json, gate_markdown, gate_text,
    github_annotations, junit_report, sarif_report,
};
use pyo3::prelude::*;
use std::path::PathBuf;

/// What is kept of runs.
#[pyclass(frozen, module = "dlprof_agg._native")]
pub(crate) struct Document {
    runs: Runs,
    /// The files that were read.
    made_from: Vec<PathBuf>,
}

/// Two sets of runs side by side.
#[pyclass(frozen, module = "dlprof_agg._native")]
pub(crate) struct Comparison(Compared);

/// A verdict and its reasons.
#[pyclass(frozen, module = "dlprof_agg._native")]
pub(crate) struct Gate(GateReport);

/// A run as Python names it.
#[derive(FromPyObject)]
pub(crate) enum RunOfPython {
    Kept(Py<Document>),
    File(PathBuf),
}

impl From<RunOfPython> for Run {
    fn from(run: RunOfPython) -> Self {
        match run {
            RunOfPython::Kept(document) => Self::Kept(document.get().runs.clone()),
            RunOfPython::File(path) => Self::File(path),
        }
    }
}

/// Several runs as one.
#[pyfunction]
pub(crate) fn pool(py: Python<'_>, runs: Vec<RunOfPython>, asked: AskedOfPython) -> PyResult<Document> {
    let asked = asked.checked(py)?;
    let mut made_from = asked.files();
    for run in &runs {
        match run {
            RunOfPython::Kept(document) => made_from.extend_from_slice(&document.get().made_from),
            RunOfPython::File(path) => made_from.push(path.clone()),
        }
    }
    let runs: Vec<Run> = runs.into_iter().map(Run::from).collect();
    let runs = run(py, None, move |_| library::pool(&runs, &asked))?;
    Ok(Document { runs, made_from })
}

/// Compares a run with an older one.
#[pyfunction]
pub(crate) fn compare(
    py: Python<'_>,
    base: RunOfPython,
    new: RunOfPython,
    asked: AskedOfPython,
) -> PyResult<Comparison> {
    let asked = asked.checked(py)?;
    let (base, new) = (Run::from(base), Run::from(new));
    run(py, None, move |_| library::compare(&base, &new, &asked)).map(Comparison)
}

/// Judges a run against baselines, or against the last ones of a history.
#[pyfunction]
pub(crate) fn gate(
    py: Python<'_>,
    new: RunOfPython,
    baselines: Vec<RunOfPython>,
    policy: Option<PathBuf>,
    history: Option<PathBuf>,
    asked: AskedOfPython,
) -> PyResult<Gate> {
    let asked = asked.checked(py)?;
    let new = Run::from(new);
    let baselines: Vec<Run> = baselines.into_iter().map(Run::from).collect();
    run(py, None, move |_| library::gate(&new, &baselines, policy.as_deref(), history.as_deref(), &asked))
        .map(Gate)
}

#[pymethods]
impl Document {
    /// The names of the captures.
    #[getter]
    fn captures(&self) -> Vec<String> {
        self.runs.runs.iter().map(|run| run.capture.clone()).collect()
    }

    fn json(&self) -> String {
        baseline_json(&self.runs)
    }

    fn write(&self, py: Python<'_>, path: PathBuf, replaces: bool) -> PyResult<()> {
        let written = py.detach(|| write_baseline_file(&self.runs, &self.made_from, &path, replaces));
        written.map_err(|refusal| raised(py, &refusal))
    }
}

#[pymethods]
impl Comparison {
    fn json(&self) -> String {
        comparison_json(&self.0)
    }

    fn text(&self, top: usize) -> String {
        comparison_text(&self.0, Assumptions::default().confidence, top)
    }

    fn markdown(&self, top: usize) -> String {
        comparison_markdown(&self.0, Assumptions::default().confidence, top)
    }
}

#[pymethods]
impl Gate {
    #[getter]
    fn verdict(&self) -> &'static str {
        match self.0.verdict {
            GateVerdict::Pass => "pass",
            GateVerdict::Fail => "fail",
            GateVerdict::Inconclusive => "inconclusive",
        }
    }

    #[getter]
    fn exit_code(&self) -> u8 {
        gate_code(self.0.verdict)
    }

    fn json(&self) -> String {
        gate_json(&self.0)
    }

    fn text(&self) -> String {
        gate_text(&self.0)
    }

    fn markdown(&self) -> String {
        gate_markdown(&self.0)
    }

    fn junit(&self) -> String {
        junit_report(&self.0)
    }

    fn sarif(&self) -> String {
        sarif_report(&self.0)
    }

    fn github(&self) -> String {
        github_annotations(&self.0)
    }
}
