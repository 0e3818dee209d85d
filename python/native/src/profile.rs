//! An open capture.

use crate::asked::AskedOfPython;
use crate::errors::raised;
use crate::figures;
use crate::process::{Owned, run};
use crate::tables::Tables;
use dlprof_cli::library::{self, Opened, Refusal};
use dlprof_core::{Finding, Judged, Severity};
use dlprof_export::{
    Colour, DashboardDetails, DashboardLook, TimeUnit, dashboard_html, overview, sentence_in_words,
    timeline_html, write_dashboard, write_dashboard_json,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;

/// An open capture, with the figures of a range of iterations.
#[pyclass(frozen, extends = Tables, module = "dlprof_agg._native")]
pub(crate) struct Profile(Owned<Opened>);

/// First, last, number of all, number of those aggregated, key node, clock.
type IterationsInWords = (u32, u32, u32, u32, Option<String>, &'static str);

/// Opens a capture.
#[pyfunction]
pub(crate) fn open(
    py: Python<'_>,
    path: PathBuf,
    asked: AskedOfPython,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<Py<Profile>> {
    let asked = asked.checked(py)?;
    let opened = run(py, progress.as_ref(), move |watch| library::open(&path, &asked, watch))?;
    Profile::new(py, opened)
}

impl Profile {
    fn new(py: Python<'_>, opened: Opened) -> PyResult<Py<Self>> {
        let tables = Tables::of_capture(&opened);
        Py::new(py, (Self(Owned::new(opened)), tables))
    }

    /// Does what may take a moment, without the interpreter's lock.
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Opened) -> Result<T, Refusal> + Send,
    ) -> PyResult<T> {
        let opened = self.0.get(py)?;
        py.detach(|| work(opened)).map_err(|refusal| raised(py, &refusal))
    }

    fn of_judged<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&Judged) -> T + Send) -> PyResult<T> {
        self.with(py, |opened| Ok(work(&opened.judged)))
    }
}

#[pymethods]
impl Profile {
    #[getter]
    fn path(&self, py: Python<'_>) -> PyResult<PathBuf> {
        Ok(self.0.get(py)?.path.clone())
    }

    #[getter]
    fn iterations(&self, py: Python<'_>) -> PyResult<IterationsInWords> {
        self.of_judged(py, |judged| {
            let iterations = &judged.iterations;
            let key_node = iterations.key_node.as_ref().map(|node| node.name.clone());
            let (count, aggregated) = (iterations.count(), iterations.aggregated());
            (iterations.start, iterations.stop, count, aggregated, key_node, judged.summary.clock.as_str())
        })
    }

    /// What limits the program and what the first changes save, and what that rests on.
    #[getter]
    fn verdict(&self, py: Python<'_>) -> PyResult<(String, Option<String>)> {
        self.with(py, |opened| {
            let overview = overview(&opened.judged, TimeUnit::Auto);
            opened.keep_figures();
            Ok((overview.verdict, overview.verdict_detail))
        })
    }

    #[getter]
    fn findings<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let opened = self.0.get(py)?;
        let findings = py.detach(|| {
            let findings = opened.judged.findings();
            opened.keep_figures();
            findings
        });
        let file = opened.path.to_string_lossy();
        findings.iter().map(|finding| described(py, finding, opened.judged.words(finding, &file))).collect()
    }

    /// What was odd about the capture: severity, code, words.
    #[getter]
    fn diagnostics(&self, py: Python<'_>) -> PyResult<Vec<(&'static str, &'static str, String)>> {
        self.with(py, |opened| {
            let found = opened.diagnostics().into_iter();
            Ok(found.map(|(severity, code, text)| (severity.as_str(), code, text)).collect())
        })
    }

    /// The answer to a standing question, as JSON.
    fn ask(
        &self,
        py: Python<'_>,
        question: &str,
        about: Option<&str>,
        most_tokens: usize,
    ) -> PyResult<String> {
        self.with(py, |opened| opened.ask(question, about, most_tokens))
    }

    fn range(&self, py: Python<'_>, start: u32, stop: u32) -> PyResult<Py<Self>> {
        Self::new(py, self.with(py, |opened| opened.range(start, stop))?)
    }

    /// The dashboard as text.
    fn text(&self, py: Python<'_>, has_details: bool, columns: usize) -> PyResult<String> {
        self.of_judged(py, |judged| {
            let details = if has_details { DashboardDetails::All } else { DashboardDetails::Best };
            let look = DashboardLook { details, columns, colour: Colour::Plain, ..DashboardLook::plain() };
            let mut out = Vec::new();
            // A list of bytes takes all that is written to it.
            drop(write_dashboard(&overview(judged, TimeUnit::Auto), &look, &mut out));
            String::from_utf8_lossy(&out).into_owned()
        })
    }

    /// The dashboard as JSON.
    fn overview(&self, py: Python<'_>) -> PyResult<String> {
        self.of_judged(py, |judged| {
            let mut out = Vec::new();
            drop(write_dashboard_json(&overview(judged, TimeUnit::Auto), &mut out));
            String::from_utf8_lossy(&out).into_owned()
        })
    }

    /// The iterations with edits, as JSON.
    fn what_if(&self, py: Python<'_>, edits: Vec<String>) -> PyResult<String> {
        self.with(py, |opened| opened.what_if(&edits))
    }

    fn html(&self, py: Python<'_>) -> PyResult<String> {
        self.of_judged(py, |judged| dashboard_html(judged, TimeUnit::Auto))
    }

    /// The timeline of an iteration; none if there is no such iteration.
    fn timeline(&self, py: Python<'_>, iteration: u32) -> PyResult<Option<String>> {
        self.of_judged(py, |judged| timeline_html(judged, iteration))
    }

    /// The iterations of median duration, and the slowest one.
    fn median_and_slowest(&self, py: Python<'_>) -> PyResult<(u32, u32)> {
        self.of_judged(py, |judged| judged.median_and_slowest_iteration())
    }
}

fn described<'py>(
    py: Python<'py>,
    finding: &Finding,
    command: Option<String>,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("id", finding.id.as_ref())?;
    dict.set_item("severity", Severity::as_str(finding.severity))?;
    dict.set_item("confidence", finding.confidence().as_str())?;
    dict.set_item("problem", sentence_in_words(&finding.problem, TimeUnit::Auto))?;
    dict.set_item("recommendation", sentence_in_words(&finding.recommendation, TimeUnit::Auto))?;
    let figures = finding.figures.iter().map(|(name, measure)| (name.as_ref(), measure));
    dict.set_item("figures", figures::dict(py, figures)?)?;
    let evidence = finding.evidence.iter().map(|row| (&*row.table, &*row.column, row.value.as_str()));
    dict.set_item("evidence", evidence.collect::<Vec<_>>())?;
    let saving = finding.saving.as_ref();
    dict.set_item("saving", saving.map(|saving| (saving.expected_ns, saving.upper_ns, &*saving.basis)))?;
    dict.set_item("same_cause_as", finding.same_cause_as)?;
    dict.set_item("command", command)?;
    dict.set_item("link", Some(&*finding.link).filter(|link| !link.is_empty()))?;
    Ok(dict)
}
