//! Chosen columns and rows of a table, in a chosen order.

use super::column_names::{Columns, UnknownColumn};
use super::expression::{Condition, Mistake};
use super::layout::Layout;
use super::table::{Header, Table, Value};
use crate::base::time::Ns;
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

/// Why a selection cannot be made of a table.
#[derive(Debug, thiserror::Error, Clone, PartialEq)]
#[non_exhaustive]
pub enum SelectionError {
    /// The table lacks a column to show or to sort by.
    #[error(transparent)]
    Column(#[from] UnknownColumn),
    /// A condition cannot be used.
    #[error("{mistake}")]
    Condition {
        /// The condition.
        text: String,
        /// What is wrong with it, and where.
        mistake: Box<Mistake>,
    },
}

impl Selection<'_> {
    /// Checks the selection before the table is there.
    ///
    /// # Errors
    /// If the table lacks a column, or a condition cannot be read.
    pub fn check(&self, columns: &Columns<'_>) -> Result<(), SelectionError> {
        self.resolve(columns).map(drop)
    }

    fn resolve(&self, columns: &Columns<'_>) -> Result<Resolved, SelectionError> {
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
            sort: self.sort.iter().map(sort_key).collect::<Result<_, SelectionError>>()?,
            conditions: self.conditions(columns)?,
        })
    }

    /// Reads the conditions.
    ///
    /// # Errors
    /// If one of them cannot be read.
    pub fn conditions(&self, columns: &Columns<'_>) -> Result<Vec<Condition>, SelectionError> {
        let read = |text: &String| {
            let unusable =
                |mistake| SelectionError::Condition { text: text.clone(), mistake: Box::new(mistake) };
            Condition::parse(text, columns).map_err(unusable)
        };
        self.conditions.iter().map(read).collect()
    }
}

/// A selection in terms of positions.
struct Resolved {
    columns: Vec<usize>,
    /// Columns to sort by, and whether the largest comes first.
    sort: Vec<(usize, bool)>,
    conditions: Vec<Condition>,
}

/// The positions of the columns of a table in the order in which people see them: by importance.
#[must_use]
pub fn columns_for_people(table: &dyn Table) -> Vec<usize> {
    let mut columns: Vec<usize> = (0..table.columns()).collect();
    columns.sort_by_key(|&column| table.layout().rank(table.header(column).key));
    columns
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
    pub fn new(table: &'a dyn Table, selection: &Selection<'_>) -> Result<Self, SelectionError> {
        let Resolved { columns, sort: keys, conditions } = selection.resolve(&Columns::of(table))?;
        let is_wanted = |row: &usize| conditions.iter().all(|condition| condition.holds(table, *row));
        let most = selection.top.unwrap_or(usize::MAX);
        if !(keys.is_empty() && conditions.is_empty()) {
            table.prepare();
        }
        let rows = (0..table.rows()).filter(is_wanted);
        let rows = if keys.is_empty() {
            rows.take(most).collect()
        } else {
            first_in_order(table, rows, &keys, most)
        };
        Ok(Self { table, columns, rows })
    }

    /// The rows of the table that are chosen, in order.
    #[must_use]
    pub fn row_numbers(&self) -> &[usize] {
        &self.rows
    }
}

/// The first rows in the order of some columns. Rows that compare equal keep the order of the table.
fn first_in_order(
    table: &dyn Table,
    rows: impl Iterator<Item = usize>,
    keys: &[(usize, bool)],
    most: usize,
) -> Vec<usize> {
    let compare = |(a, a_row): &(Vec<Value<'_>>, usize), (b, b_row): &(Vec<Value<'_>>, usize)| {
        let cells = keys.iter().zip(a.iter().zip(b));
        let mut orders = cells.map(|(&(_, is_descending), (a, b))| order(a, b, is_descending));
        orders.find(|order| order.is_ne()).unwrap_or_else(|| a_row.cmp(b_row))
    };
    // More than twice as many as are wanted are never held; a row behind the last of these is not looked at further.
    let limit = most.saturating_mul(2).max(1024);
    let mut best: Vec<(Vec<Value<'_>>, usize)> = Vec::new();
    let mut last: Option<Value<'_>> = None;
    let (first, is_descending) = keys[0];
    for row in rows {
        let value = table.value(row, first);
        if last.as_ref().is_some_and(|last| order(&value, last, is_descending).is_gt()) {
            continue;
        }
        let others = keys[1..].iter().map(|&(column, _)| table.value(row, column));
        best.push(([value].into_iter().chain(others).collect(), row));
        if best.len() >= limit {
            best.sort_unstable_by(compare);
            best.truncate(most);
            last = best.last().map(|(values, _)| values[0].clone());
        }
    }
    best.sort_unstable_by(compare);
    best.truncate(most);
    best.into_iter().map(|(_, row)| row).collect()
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
    fn origin_ns(&self) -> Ns {
        self.table.origin_ns()
    }

    fn layout(&self) -> &Layout {
        self.table.layout()
    }
}
