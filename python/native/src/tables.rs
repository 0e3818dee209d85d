//! What an open capture and a job have in common: tables, and files of them.

use crate::errors::raised;
use crate::process::Owned;
use crate::table::{ColumnInWords, Table, in_words};
use dlprof_cli::library::{Opened, OpenedJob, ReportFile, RowsAsked};
use dlprof_core::{Header, JOB_TABLES, TABLES};
use pyo3::prelude::*;
use std::path::PathBuf;

/// Whose tables they are.
enum Whose {
    Capture(Opened),
    Job(OpenedJob),
}

/// Key, title, what a row is, columns.
type TableInWords = (&'static str, &'static str, &'static str, Vec<ColumnInWords>);

/// The tables of a capture or of a job: the class that both extend.
#[pyclass(frozen, subclass, module = "dlprof_agg._native")]
pub(crate) struct Tables(Owned<Whose>);

impl Tables {
    /// Those of a capture.
    pub(crate) fn of_capture(opened: &Opened) -> Self {
        Self(Owned::new(Whose::Capture(opened.clone())))
    }

    /// Those of a job.
    pub(crate) fn of_job(opened: &OpenedJob) -> Self {
        Self(Owned::new(Whose::Job(opened.clone())))
    }
}

#[pymethods]
impl Tables {
    /// All tables.
    #[getter]
    fn tables(&self, py: Python<'_>) -> PyResult<Vec<TableInWords>> {
        let columns =
            |headers: Vec<&'static Header<'static>>| headers.into_iter().map(in_words).collect::<Vec<_>>();
        Ok(match self.0.get(py)? {
            Whose::Capture(_) => {
                TABLES.iter().map(|one| (one.key, one.title, one.doc, columns(one.headers()))).collect()
            }
            Whose::Job(_) => {
                JOB_TABLES.iter().map(|one| (one.key, one.title, one.doc, columns(one.headers()))).collect()
            }
        })
    }

    #[expect(clippy::too_many_arguments, reason = "the options of one call of Python")]
    fn table(
        &self,
        py: Python<'_>,
        name: &str,
        columns: Vec<String>,
        conditions: Vec<String>,
        sort: Vec<String>,
        top: Option<usize>,
        per_iteration: bool,
    ) -> PyResult<Table> {
        let whose = self.0.get(py)?;
        let rows = RowsAsked { columns, conditions, sort, top, per_iteration };
        let view = py.detach(|| match whose {
            Whose::Capture(opened) => opened.table(name, rows),
            Whose::Job(opened) => opened.table(name, rows),
        });
        view.map(Table::new).map_err(|refusal| raised(py, &refusal))
    }

    fn write(
        &self,
        py: Python<'_>,
        path: PathBuf,
        tables: Vec<String>,
        format: Option<String>,
        replaces: bool,
    ) -> PyResult<Vec<PathBuf>> {
        let whose = self.0.get(py)?;
        let file = ReportFile { path, tables, format, replaces };
        let written = py.detach(|| match whose {
            Whose::Capture(opened) => file.write(opened),
            Whose::Job(opened) => opened.write(&file),
        });
        written.map_err(|refusal| raised(py, &refusal))
    }
}
