//! Many ranks of one job.

use crate::asked::AskedOfPython;
use crate::errors::raised;
use crate::figures;
use crate::process::{Owned, run};
use crate::table::Table;
use dlprof_cli::library::{self, OpenedJob, Refusal, ReportFile, RowsAsked};
use dlprof_core::JOB_TABLES;
use dlprof_export::{JobLook, job_json, job_markdown, job_text};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;

/// A job whose captures are read.
#[pyclass(frozen, module = "dlprof_agg._native")]
pub(crate) struct Job(Owned<OpenedJob>);

/// Reads the captures of a job.
#[pyfunction]
pub(crate) fn open_job(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    asked: AskedOfPython,
    rank_from: Option<String>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<Job> {
    let asked = asked.checked(py)?;
    let opened = run(py, progress.as_ref(), move |watch| {
        library::open_job(&paths, &asked, rank_from.as_deref(), &|done, total| watch.tell(done, total))
    })?;
    Ok(Job(Owned::new(opened)))
}

impl Job {
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&OpenedJob) -> Result<T, Refusal> + Send,
    ) -> PyResult<T> {
        let opened = self.0.get(py)?;
        py.detach(|| work(opened)).map_err(|refusal| raised(py, &refusal))
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
            dict.set_item("problem", dlprof_core::capitalized(&finding.title))?;
            dict.set_item("recommendation", &finding.advice)?;
            dict.set_item("saving_ns", finding.saving_ns)?;
            dict.set_item("saving_upper_ns", finding.saving_upper_ns)?;
            let figures = finding.figures.iter().map(|(name, measure)| (*name, measure));
            dict.set_item("figures", figures::dict(py, figures)?)?;
            Ok(dict)
        };
        job.findings.iter().map(described).collect()
    }

    /// All tables of jobs: key, title, what a row is.
    #[staticmethod]
    fn tables() -> Vec<(&'static str, &'static str, &'static str)> {
        JOB_TABLES.iter().map(|table| (table.key, table.title, table.doc)).collect()
    }

    fn table(
        &self,
        py: Python<'_>,
        name: &str,
        columns: Vec<String>,
        conditions: Vec<String>,
        sort: Vec<String>,
        top: Option<usize>,
    ) -> PyResult<Table> {
        let rows = RowsAsked { columns, conditions, sort, top };
        Ok(Table::new(self.with(py, |opened| opened.table(name, rows))?))
    }

    fn write(
        &self,
        py: Python<'_>,
        path: PathBuf,
        tables: Vec<String>,
        format: Option<String>,
        replaces: bool,
    ) -> PyResult<Vec<PathBuf>> {
        let file = ReportFile { path, tables, format, replaces };
        self.with(py, |opened| opened.write(&file))
    }

    fn text(&self, py: Python<'_>, has_all_findings: bool, width: usize) -> PyResult<String> {
        self.with(py, |opened| Ok(job_text(&opened.job, JobLook { width, has_all_findings })))
    }

    fn json(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, |opened| Ok(job_json(&opened.job)))
    }

    fn markdown(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, |opened| Ok(job_markdown(&opened.job)))
    }
}
