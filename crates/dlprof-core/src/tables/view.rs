//! Chosen columns and rows of a table, in a chosen order.

use super::Definition;
use super::filter::{Condition, FilterError};
use super::table::{Header, Table, Value};
use std::cmp::Ordering;

/// What to show of a table.
#[derive(Debug, Clone, Default)]
pub struct Selection<'a> {
    /// Keys of the columns, in order; all if empty.
    pub columns: &'a [String],
    /// Keys of the columns to sort by, the first one first; `-` in front for the largest first.
    pub sort: &'a [String],
    /// Conditions on rows (see [`Condition`]); all must hold.
    pub conditions: &'a [String],
    /// At most so many rows.
    pub top: Option<usize>,
}

impl Selection<'_> {
    /// Checks the selection before the table is there.
    ///
    /// # Errors
    /// If the table lacks a column, or a condition cannot be read.
    pub fn check(&self, columns: &Columns<'_>) -> Result<(), FilterError> {
        self.resolve(columns).map(drop)
    }

    fn resolve(&self, columns: &Columns<'_>) -> Result<Resolved, FilterError> {
        let shown = match self.columns {
            [] => (0..columns.headers.len()).collect(),
            names => names.iter().map(|name| columns.position(name)).collect::<Result<_, _>>()?,
        };
        let sort_key = |name: &String| match name.strip_prefix('-') {
            Some(name) => Ok((columns.position(name)?, true)),
            None => Ok((columns.position(name)?, false)),
        };
        Ok(Resolved {
            columns: shown,
            sort: self.sort.iter().map(sort_key).collect::<Result<_, FilterError>>()?,
            conditions: self
                .conditions
                .iter()
                .map(|text| Condition::parse(text, columns))
                .collect::<Result<_, _>>()?,
        })
    }
}

/// A selection in terms of positions.
struct Resolved {
    columns: Vec<usize>,
    /// Columns to sort by, and whether the largest comes first.
    sort: Vec<(usize, bool)>,
    conditions: Vec<Condition>,
}

/// The columns of a table by name.
#[derive(Debug, Clone)]
pub struct Columns<'a> {
    table: &'a str,
    pub(super) headers: Vec<Header<'a>>,
}

impl<'a> Columns<'a> {
    /// Those of a table.
    pub fn of(table: &'a dyn Table) -> Self {
        let headers = (0..table.columns()).map(|column| table.header(column)).collect();
        Self { table: table.key(), headers }
    }

    /// The position of a column by its key; `-` may stand for `_`.
    pub(super) fn position(&self, name: &str) -> Result<usize, FilterError> {
        let wanted = name.replace('-', "_");
        self.headers.iter().position(|header| header.key == wanted).ok_or_else(|| {
            let known: Vec<&str> = self.headers.iter().map(|header| header.key).collect();
            let known = known.join(", ");
            let table = self.table;
            FilterError {
                message: format!("table `{table}` has no column `{name}`; its columns are {known}"),
            }
        })
    }
}

impl From<&Definition> for Columns<'static> {
    fn from(definition: &Definition) -> Self {
        Self { table: definition.key, headers: definition.headers().into_iter().copied().collect() }
    }
}

/// A table of which only some is seen.
pub struct View<'a> {
    table: &'a dyn Table,
    columns: Vec<usize>,
    rows: Vec<usize>,
}

impl<'a> View<'a> {
    /// Chooses columns and rows.
    ///
    /// # Errors
    /// If the table lacks a column, or a condition cannot be read.
    pub fn new(table: &'a dyn Table, selection: &Selection<'_>) -> Result<Self, FilterError> {
        let Resolved { columns, sort: keys, conditions } = selection.resolve(&Columns::of(table))?;
        let is_wanted = |row: &usize| conditions.iter().all(|condition| condition.holds(table, *row));
        let rows = (0..table.rows()).filter(is_wanted);
        let sort_values = |row| keys.iter().map(|&(column, _)| table.value(row, column)).collect();
        let mut keyed: Vec<(Vec<Value<'_>>, usize)> = rows.map(|row| (sort_values(row), row)).collect();
        // Stable: rows that compare equal keep the order of the table.
        keyed.sort_by(|(a, _), (b, _)| {
            let cells = keys.iter().zip(a.iter().zip(b));
            let mut orders = cells.map(|(&(_, is_descending), (a, b))| order(a, b, is_descending));
            orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
        });
        let mut rows: Vec<usize> = keyed.into_iter().map(|(_, row)| row).collect();
        rows.truncate(selection.top.unwrap_or(usize::MAX));
        Ok(Self { table, columns, rows })
    }
}

/// Order of two cells of a column; empty ones come last in either direction.
fn order(a: &Value<'_>, b: &Value<'_>, is_descending: bool) -> Ordering {
    let order = match (a, b) {
        (Value::Null, Value::Null) => return Ordering::Equal,
        (Value::Null, _) => return Ordering::Greater,
        (_, Value::Null) => return Ordering::Less,
        (Value::Int(a), Value::Int(b)) => a.cmp(b),
        (Value::Float(a), Value::Float(b)) => a.total_cmp(b),
        (Value::Flag(a), Value::Flag(b)) => a.cmp(b),
        (Value::Text(a), Value::Text(b)) => a.cmp(b),
        // Columns have one type.
        _ => Ordering::Equal,
    };
    if is_descending { order.reverse() } else { order }
}

impl Table for View<'_> {
    fn key(&self) -> &str {
        self.table.key()
    }

    fn title(&self) -> &str {
        self.table.title()
    }

    fn columns(&self) -> usize {
        self.columns.len()
    }

    fn header(&self, column: usize) -> Header<'_> {
        self.table.header(self.columns[column])
    }

    fn rows(&self) -> usize {
        self.rows.len()
    }

    fn value(&self, row: usize, column: usize) -> Value<'_> {
        self.table.value(self.rows[row], self.columns[column])
    }
}
