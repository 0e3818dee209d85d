//! A table as it is declared: all that is known of it without data, and a table of rows made from it.

use super::layout::Layout;
use super::table::{Column, Header, Source, Table, Value};
use crate::base::time::Ns;
use crate::figures::profile::Profile;
use std::fmt;
use std::ops::Range;

/// All that is known of a table without data.
#[derive(Debug)]
pub struct Declaration<R: 'static, S: 'static = Profile> {
    /// Stable name, as in `show NAME`.
    pub key: &'static str,
    /// Title for people.
    pub title: &'static str,
    /// What its rows are.
    pub doc: &'static str,
    /// Its columns in order.
    pub columns: fn() -> &'static [Column<R, S>],
    /// How people see it.
    pub layout: Layout,
}

impl<R, S: Source> Declaration<R, S> {
    /// The columns without how to read them.
    #[must_use]
    pub fn headers(&self) -> Vec<&'static Header<'static>> {
        (self.columns)().iter().map(|column| &column.header).collect()
    }

    /// The table with these rows. Its cells are read from them and from what they are of: a profile, a job.
    pub fn with(&'static self, source: &S, rows: Vec<R>) -> RowTable<R, S> {
        self.table(source, Rows::Own(rows))
    }

    /// The table with rows that their source holds.
    pub fn of(&'static self, source: &S, rows: fn(&S) -> &[R]) -> RowTable<R, S> {
        self.table(source, Rows::OfSource(rows))
    }

    /// The table with rows that are made when they are looked at.
    pub(super) fn on_demand(
        &'static self,
        source: &S,
        rows: impl RowsOnDemand<R> + 'static,
    ) -> RowTable<R, S> {
        self.table(source, Rows::OnDemand(Box::new(rows)))
    }

    fn table(&'static self, source: &S, rows: Rows<R, S>) -> RowTable<R, S> {
        let columns = (self.columns)();
        RowTable {
            declaration: self,
            title: self.title,
            columns,
            source: source.clone(),
            rows,
            knows_gpu: |_, _| true,
        }
    }
}

/// A table over rows of one type. It holds what its cells are read from.
#[derive(Debug)]
pub struct RowTable<R: 'static, S: 'static = Profile> {
    declaration: &'static Declaration<R, S>,
    title: &'static str,
    columns: &'static [Column<R, S>],
    source: S,
    rows: Rows<R, S>,
    knows_gpu: fn(&S, &R) -> bool,
}

#[derive(Debug)]
enum Rows<R: 'static, S: 'static> {
    Own(Vec<R>),
    OfSource(fn(&S) -> &[R]),
    OnDemand(Box<dyn RowsOnDemand<R>>),
}

/// Rows that are too many to be made before they are looked at.
pub(super) trait RowsOnDemand<R>: fmt::Debug + Send + Sync {
    /// Number of rows.
    fn len(&self) -> usize;

    /// A row.
    fn get(&self, row: usize) -> &R;

    /// As [`Table::prepare`].
    fn prepare(&self);

    /// As [`Table::parts_by_largest`], of the column with this key.
    fn parts_by_largest(&self, key: &str) -> Option<Vec<(Range<usize>, i64)>>;
}

impl<R, S: Source> RowTable<R, S> {
    /// The table with another title.
    pub(super) fn titled(self, title: &'static str) -> Self {
        Self { title, ..self }
    }

    /// The table with columns about GPUs that are empty in rows of which it is not known what GPUs did.
    pub(super) fn where_gpu_is_known(self, knows_gpu: fn(&S, &R) -> bool) -> Self {
        Self { knows_gpu, ..self }
    }

    fn row(&self, row: usize) -> &R {
        match &self.rows {
            Rows::Own(rows) => &rows[row],
            Rows::OfSource(rows) => &rows(&self.source)[row],
            Rows::OnDemand(rows) => rows.get(row),
        }
    }
}

impl<R: Send + Sync, S: Source> Table for RowTable<R, S> {
    fn key(&self) -> &str {
        self.declaration.key
    }

    fn title(&self) -> &str {
        self.title
    }

    fn columns(&self) -> usize {
        self.columns.len()
    }

    fn header(&self, column: usize) -> Header<'_> {
        self.columns[column].header
    }

    fn rows(&self) -> usize {
        match &self.rows {
            Rows::Own(rows) => rows.len(),
            Rows::OfSource(rows) => rows(&self.source).len(),
            Rows::OnDemand(rows) => rows.len(),
        }
    }

    fn value(&self, row: usize, column: usize) -> Value<'_> {
        let (column, row) = (&self.columns[column], self.row(row));
        match column.of_gpu && !(self.knows_gpu)(&self.source, row) {
            true => Value::Null,
            false => (column.value)(&self.source, row),
        }
    }

    fn origin_ns(&self) -> Ns {
        self.source.origin_ns()
    }

    fn layout(&self) -> &Layout {
        &self.declaration.layout
    }

    fn prepare(&self) {
        if let Rows::OnDemand(rows) = &self.rows {
            rows.prepare();
        }
    }

    fn parts_by_largest(&self, column: usize) -> Option<Vec<(Range<usize>, i64)>> {
        match &self.rows {
            Rows::OnDemand(rows) => rows.parts_by_largest(self.columns[column].header.key),
            Rows::Own(_) | Rows::OfSource(_) => None,
        }
    }
}
