//! The columns of a table by name.

use super::near::{folded, near, suggestion};
use super::table::{Header, Table};

/// A column that a table does not have.
#[derive(Debug, thiserror::Error, Clone, PartialEq, Eq)]
#[error("table `{table}` has no column `{column}`{}", suggested(near, known))]
pub struct UnknownColumn {
    /// Key of the table.
    pub table: String,
    /// What was asked for.
    pub column: String,
    /// Keys of columns with similar names, the most similar one first.
    pub near: Vec<String>,
    /// Keys of its columns.
    pub known: Vec<String>,
}

/// What a message says about the columns of a table: similar ones, or all.
fn suggested(near: &[String], known: &[String]) -> String {
    match near {
        [] => format!("; its columns are {}", known.join(", ")),
        near => suggestion(near),
    }
}

/// The columns of a table by name.
#[derive(Debug, Clone)]
pub struct Columns<'a> {
    table: &'a str,
    pub(crate) headers: Vec<Header<'a>>,
}

impl<'a> Columns<'a> {
    /// Those of the table with a key.
    pub(crate) fn new(table: &'a str, headers: Vec<Header<'a>>) -> Self {
        Self { table, headers }
    }

    /// Those of a table.
    pub fn of(table: &'a dyn Table) -> Self {
        let headers = (0..table.columns()).map(|column| table.header(column)).collect();
        Self { table: table.key(), headers }
    }

    /// The position of a column by its key or its title. Case does not matter; `-`, `_` and a space are the same.
    ///
    /// # Errors
    /// If the table has no such column.
    pub fn position(&self, name: &str) -> Result<usize, UnknownColumn> {
        self.find(name).ok_or_else(|| self.unknown(name))
    }

    /// The error for a name that no column has.
    pub(crate) fn unknown(&self, name: &str) -> UnknownColumn {
        UnknownColumn {
            table: self.table.to_owned(),
            column: name.to_owned(),
            near: self.near(name),
            known: self.headers.iter().map(|header| header.key.to_owned()).collect(),
        }
    }

    /// The same; `None` if there is no such column.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        let wanted = folded(name);
        let is_key = |header: &Header<'_>| folded(header.key) == wanted;
        let is_title = |header: &Header<'_>| folded(header.title) == wanted;
        self.headers.iter().position(is_key).or_else(|| self.headers.iter().position(is_title))
    }

    /// Keys of the columns with a key or a title that is similar to a name.
    fn near(&self, name: &str) -> Vec<String> {
        let names = self.headers.iter().flat_map(|header| [header.key, header.title]);
        let mut keys: Vec<String> = Vec::new();
        for near in near(name, names) {
            let header = self.headers.iter().find(|header| header.key == near || header.title == near);
            keys.extend(header.map(|header| header.key.to_owned()).filter(|key| !keys.contains(key)));
        }
        keys
    }
}
