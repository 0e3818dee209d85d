//! Many ranks of one job.

use crate::asked::AskedOfPython;
use crate::figures;
use crate::process::{Owned, run};
use crate::tables::Tables;
use dlprof_cli::library::{self, Hears, OpenedJob};
use dlprof_export::{JobLook, TimeUnit, job_json, job_markdown, job_text};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;
use std::sync::Arc;

/// A job whose captures are read.
#[pyclass(frozen, extends = Tables, module = "dlprof_agg._native")]
pub(crate) struct Job(Owned<OpenedJob>);

/// Reads the captures of a job.
#[pyfunction]
pub(crate) fn open_job(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    asked: AskedOfPython,
    rank_from: Option<String>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<Py<Job>> {
    let asked = asked.checked(py)?;
    let opened = run(py, progress.as_ref(), move |watch| {
        library::open_job(&paths, &asked, rank_from.as_deref(), &|done, total| watch.rows(done, total))
    })?;
    let tables = Tables::of_job(&opened);
    Py::new(py, (Job(Owned::new(opened)), tables))
}

impl Job {
    /// Does what may take a moment, without the interpreter's lock.
    fn text_of(
        &self,
        py: Python<'_>,
        of: impl FnOnce(&Arc<dlprof_core::Job>) -> String + Send,
    ) -> PyResult<String> {
        let opened = self.0.get(py)?;
        Ok(py.detach(|| of(&opened.job)))
    }
}

#[pymethods]
impl Job {
    #[getter]
    fn name(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.0.get(py)?.name.clone())
    }

    #[getter]
    fn ranks(&self, py: Python<'_>) -> PyResult<Vec<i64>> {
        Ok(self.0.get(py)?.job.ranks.iter().map(|one| one.rank).collect())
    }

    #[getter]
    fn findings<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let job = &self.0.get(py)?.job;
        let described = |finding: &dlprof_core::JobFinding| {
            let dict = PyDict::new(py);
            dict.set_item("id", finding.rule.key())?;
            dict.set_item("severity", finding.severity.as_str())?;
            dict.set_item("confidence", finding.confidence.as_str())?;
            dict.set_item("ranks", &finding.ranks)?;
            dict.set_item("problem", dlprof_core::capitalized(&finding.title_in_ms()))?;
            dict.set_item("recommendation", &finding.advice)?;
            dict.set_item("saving_ns", finding.saving_ns)?;
            dict.set_item("saving_upper_ns", finding.saving_upper_ns)?;
            let figures = finding.figures.iter().map(|(name, measure)| (*name, measure));
            dict.set_item("figures", figures::dict(py, figures)?)?;
            Ok(dict)
        };
        job.findings.iter().map(described).collect()
    }

    fn text(&self, py: Python<'_>, has_all_findings: bool, width: usize) -> PyResult<String> {
        let look = JobLook { width, has_all_findings, time_unit: TimeUnit::Auto };
        self.text_of(py, |job| job_text(job, look))
    }

    fn json(&self, py: Python<'_>) -> PyResult<String> {
        self.text_of(py, job_json)
    }

    fn markdown(&self, py: Python<'_>) -> PyResult<String> {
        self.text_of(py, |job| job_markdown(job))
    }
}
