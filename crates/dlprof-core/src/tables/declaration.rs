//! A table as it is declared: all that is known of it without data, and a table of rows made from it.

use super::layout::Layout;
use super::table::{Column, Header, Table, Value};
use crate::base::time::Ns;
use crate::figures::profile::Profile;
use std::fmt;
use std::ops::Range;

/// All that is known of a table without data.
#[derive(Debug)]
pub struct Declaration<R: 'static> {
    /// Stable name, as in `show NAME`.
    pub key: &'static str,
    /// Title for people.
    pub title: &'static str,
    /// What its rows are.
    pub doc: &'static str,
    /// Its columns in order.
    pub columns: fn() -> &'static [Column<R>],
    /// How people see it.
    pub layout: Layout,
}

impl<R> Declaration<R> {
    /// The columns without how to read them.
    #[must_use]
    pub fn headers(&self) -> Vec<&'static Header<'static>> {
        (self.columns)().iter().map(|column| &column.header).collect()
    }

    /// The table of a profile with these rows.
    pub fn with(&'static self, profile: &Profile, rows: Vec<R>) -> RowTable<R> {
        self.table(profile, Rows::Own(rows))
    }

    /// The table of a profile with rows that the profile holds.
    pub fn of(&'static self, profile: &Profile, rows: fn(&Profile) -> &[R]) -> RowTable<R> {
        self.table(profile, Rows::OfProfile(rows))
    }

    /// The table of a profile with rows that are made when they are looked at.
    pub(super) fn on_demand(
        &'static self,
        profile: &Profile,
        rows: impl RowsOnDemand<R> + 'static,
    ) -> RowTable<R> {
        self.table(profile, Rows::OnDemand(Box::new(rows)))
    }

    fn table(&'static self, profile: &Profile, rows: Rows<R>) -> RowTable<R> {
        let columns = (self.columns)();
        RowTable { declaration: self, title: self.title, columns, profile: profile.clone(), rows }
    }
}

/// A table over rows of one type. It holds its profile.
#[derive(Debug)]
pub struct RowTable<R: 'static> {
    declaration: &'static Declaration<R>,
    title: &'static str,
    columns: &'static [Column<R>],
    profile: Profile,
    rows: Rows<R>,
}

#[derive(Debug)]
enum Rows<R: 'static> {
    Own(Vec<R>),
    OfProfile(fn(&Profile) -> &[R]),
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

impl<R> RowTable<R> {
    /// The table with another title.
    pub(super) fn titled(self, title: &'static str) -> Self {
        Self { title, ..self }
    }

    fn row(&self, row: usize) -> &R {
        match &self.rows {
            Rows::Own(rows) => &rows[row],
            Rows::OfProfile(rows) => &rows(&self.profile)[row],
            Rows::OnDemand(rows) => rows.get(row),
        }
    }
}

impl<R: Send + Sync> Table for RowTable<R> {
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
            Rows::OfProfile(rows) => rows(&self.profile).len(),
            Rows::OnDemand(rows) => rows.len(),
        }
    }

    fn value(&self, row: usize, column: usize) -> Value<'_> {
        (self.columns[column].value)(&self.profile, self.row(row))
    }

    fn origin_ns(&self) -> Ns {
        self.profile.window().start
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
            Rows::Own(_) | Rows::OfProfile(_) => None,
        }
    }
}
