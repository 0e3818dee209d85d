//! A table of a job as it is declared, and the table of one job.

use super::super::job::Job;
use crate::base::time::Ns;
use crate::tables::{CellKind, Columns, Header, Layout, Table, Unit, Value};
use std::sync::Arc;

/// Reads a cell from a row.
pub(super) type Read<R> = for<'a> fn(&'a Job, &'a R) -> Value<'a>;

/// A column: its header and how to read it from a row.
pub(super) struct JobColumn<R: 'static> {
    header: Header<'static>,
    value: Read<R>,
}

impl<R> JobColumn<R> {
    const fn new(
        kind: CellKind,
        (key, title): (&'static str, &'static str),
        unit: Unit,
        doc: &'static str,
        value: Read<R>,
    ) -> Self {
        Self { header: Header { key, title, unit, kind, doc }, value }
    }

    /// A column of whole numbers.
    pub(super) const fn int(
        names: (&'static str, &'static str),
        unit: Unit,
        doc: &'static str,
        value: Read<R>,
    ) -> Self {
        Self::new(CellKind::Int, names, unit, doc, value)
    }

    /// A column of fractions.
    pub(super) const fn float(
        names: (&'static str, &'static str),
        unit: Unit,
        doc: &'static str,
        value: Read<R>,
    ) -> Self {
        Self::new(CellKind::Float, names, unit, doc, value)
    }

    /// A column of texts.
    pub(super) const fn text(names: (&'static str, &'static str), doc: &'static str, value: Read<R>) -> Self {
        Self::new(CellKind::Text, names, Unit::None, doc, value)
    }

    /// A column of flags.
    pub(super) const fn flag(names: (&'static str, &'static str), doc: &'static str, value: Read<R>) -> Self {
        Self::new(CellKind::Flag, names, Unit::None, doc, value)
    }
}

/// All that is known of a table of a job without data.
pub(super) struct JobDeclaration<R: 'static> {
    pub(super) key: &'static str,
    pub(super) title: &'static str,
    pub(super) doc: &'static str,
    pub(super) columns: fn() -> &'static [JobColumn<R>],
    pub(super) layout: Layout,
    /// Makes its rows.
    pub(super) rows: fn(&Job) -> Vec<R>,
}

impl<R> JobDeclaration<R> {
    pub(super) fn headers(&self) -> Vec<&'static Header<'static>> {
        (self.columns)().iter().map(|column| &column.header).collect()
    }

    pub(super) fn of(&'static self, job: &Arc<Job>) -> JobTable<R> {
        JobTable {
            declaration: self,
            columns: (self.columns)(),
            rows: (self.rows)(job),
            job: Arc::clone(job),
        }
    }
}

/// A table of a job. It holds the job.
pub struct JobTable<R: 'static> {
    declaration: &'static JobDeclaration<R>,
    columns: &'static [JobColumn<R>],
    rows: Vec<R>,
    job: Arc<Job>,
}

impl<R: Send + Sync> Table for JobTable<R> {
    fn key(&self) -> &str {
        self.declaration.key
    }

    fn title(&self) -> &str {
        self.declaration.title
    }

    fn columns(&self) -> usize {
        self.columns.len()
    }

    fn header(&self, column: usize) -> Header<'_> {
        self.columns[column].header
    }

    fn rows(&self) -> usize {
        self.rows.len()
    }

    fn value(&self, row: usize, column: usize) -> Value<'_> {
        (self.columns[column].value)(&self.job, &self.rows[row])
    }

    fn layout(&self) -> &Layout {
        &self.declaration.layout
    }

    fn origin_ns(&self) -> Ns {
        0
    }
}

/// What is known of a table of a job.
#[derive(Debug, Clone, Copy)]
pub struct JobTableDefinition {
    /// Stable name, as in `show NAME`.
    pub key: &'static str,
    /// Title for people.
    pub title: &'static str,
    /// What its rows are.
    pub doc: &'static str,
    /// Builds it. The table holds its job.
    pub build: fn(&Arc<Job>) -> Box<dyn Table>,
    /// How people see it.
    pub layout: &'static Layout,
    pub(super) headers: fn() -> Vec<&'static Header<'static>>,
}

impl JobTableDefinition {
    /// The columns.
    #[must_use]
    pub fn headers(&self) -> Vec<&'static Header<'static>> {
        (self.headers)()
    }
}

impl From<&JobTableDefinition> for Columns<'static> {
    fn from(definition: &JobTableDefinition) -> Self {
        Self::new(definition.key, definition.headers().into_iter().copied().collect())
    }
}
