//! The columns of a table by name.

use super::Definition;
use super::filter::error::FilterError;
use super::table::{Header, Table};

/// The columns of a table by name.
#[derive(Debug, Clone)]
pub struct Columns<'a> {
    table: &'a str,
    pub(crate) headers: Vec<Header<'a>>,
}

impl<'a> Columns<'a> {
    /// Those of a table.
    pub fn of(table: &'a dyn Table) -> Self {
        let headers = (0..table.columns()).map(|column| table.header(column)).collect();
        Self { table: table.key(), headers }
    }

    /// The position of a column by its key; `-` may stand for `_`.
    ///
    /// # Errors
    /// If the table has no such column.
    pub fn position(&self, name: &str) -> Result<usize, FilterError> {
        let wanted = name.replace('-', "_");
        self.headers.iter().position(|header| header.key == wanted).ok_or_else(|| {
            FilterError::UnknownColumn {
                table: self.table.to_owned(),
                column: name.to_owned(),
                known: self.headers.iter().map(|header| header.key.to_owned()).collect(),
            }
        })
    }
}

impl From<&Definition> for Columns<'static> {
    fn from(definition: &Definition) -> Self {
        Self { table: definition.key, headers: definition.headers().into_iter().copied().collect() }
    }
}
