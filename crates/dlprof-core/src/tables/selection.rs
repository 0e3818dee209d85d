//! What to show of a table: columns, conditions on rows, an order, a number of rows.

use super::column_names::{Columns, UnknownColumn};
use super::expression::{Condition, ExpressionMistake};
use super::rows::Rows;
use super::table::{Table, Value};
use std::cmp::{Ordering, Reverse};
use std::ops::Range;

/// What to show of a table.
#[derive(Debug, Clone, Default)]
pub struct Selection<'a> {
    /// Keys of the columns, in order; all if empty.
    pub columns: &'a [String],
    /// Keys of the columns to sort by, the first one first; `-` in front for the largest first.
    pub sort: &'a [String],
    /// Conditions on rows (see [`Condition`]); all must hold.
    pub conditions: &'a [String],
    /// At most this many rows.
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
        mistake: Box<ExpressionMistake>,
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

    /// The selection in terms of positions.
    pub(super) fn resolve(&self, columns: &Columns<'_>) -> Result<Resolved, SelectionError> {
        let shown = self.columns.iter().map(|name| columns.position(name)).collect::<Result<_, _>>()?;
        let sort_key = |name: &String| match name.strip_prefix('-') {
            Some(name) => Ok((columns.position(name)?, true)),
            None => Ok((columns.position(name)?, false)),
        };
        Ok(Resolved {
            columns: shown,
            sort: self.sort.iter().map(sort_key).collect::<Result<_, SelectionError>>()?,
            conditions: self.conditions(columns)?,
            top: self.top.unwrap_or(usize::MAX),
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
pub(super) struct Resolved {
    /// The columns shown, in order; all if empty.
    pub(super) columns: Vec<usize>,
    /// Columns to sort by, and whether the largest comes first.
    sort: Vec<(usize, bool)>,
    conditions: Vec<Condition>,
    top: usize,
}

impl Resolved {
    /// Those of some rows of a table that are chosen, in the order asked for.
    pub(super) fn of_rows(&self, table: &dyn Table, rows: Rows) -> Rows {
        let Self { sort, conditions, top, .. } = self;
        if sort.is_empty() && conditions.is_empty() {
            return rows.page(0, *top);
        }
        if let Some(parts) = self.parts_by_largest(table, &rows) {
            return first_of_parts(table, parts, sort, *top);
        }
        table.prepare();
        let holds = |row: &usize| conditions.iter().all(|condition| condition.holds(table, *row));
        let chosen = rows.iter().filter(holds);
        if sort.is_empty() {
            Rows::these(chosen.take(*top))
        } else {
            let mut first = First::new(table, sort, *top);
            chosen.for_each(|row| first.take(row));
            first.into_rows()
        }
    }

    /// The parts of a table, where a few of its largest rows are wanted and it knows what parts to look at.
    fn parts_by_largest(&self, table: &dyn Table, rows: &Rows) -> Option<Vec<(Range<usize>, i64)>> {
        let Some(&(column, true)) = self.sort.first() else { return None };
        let is_part = self.conditions.is_empty() && self.top < rows.len() && rows.are_all(table.rows());
        is_part.then(|| table.parts_by_largest(column)).flatten()
    }
}

/// The first rows in the order of some columns, the first one descending, of a table whose parts hold no larger cells of the
/// first column than is said of them.
fn first_of_parts(
    table: &dyn Table,
    mut parts: Vec<(Range<usize>, i64)>,
    keys: &[(usize, bool)],
    most: usize,
) -> Rows {
    let mut first = First::new(table, keys, most);
    parts.sort_by_key(|&(_, largest)| Reverse(largest));
    for (rows, largest) in parts {
        first.cut();
        if first.is_behind(&Value::Int(largest)) {
            break;
        }
        rows.for_each(|row| first.take(row));
    }
    first.into_rows()
}

/// The first rows in the order of some columns, while rows come by. Rows that compare equal are in the order of their numbers.
struct First<'a> {
    table: &'a dyn Table,
    keys: &'a [(usize, bool)],
    /// The number of rows that are wanted.
    most: usize,
    best: Vec<(Vec<Value<'a>>, usize)>,
    /// The first cell of the last row that is wanted so far, once there are as many.
    last: Option<Value<'a>>,
}

impl<'a> First<'a> {
    fn new(table: &'a dyn Table, keys: &'a [(usize, bool)], most: usize) -> Self {
        Self { table, keys, most, best: Vec::new(), last: None }
    }

    fn take(&mut self, row: usize) {
        let value = self.table.value(row, self.keys[0].0);
        if self.is_behind(&value) {
            return;
        }
        let others = self.keys[1..].iter().map(|&(column, _)| self.table.value(row, column));
        self.best.push(([value].into_iter().chain(others).collect(), row));
        // More than twice as many as are wanted are never held.
        if self.best.len() >= self.most.saturating_mul(2).max(1024) {
            self.cut();
        }
    }

    /// Whether rows with a first cell are none of the first ones.
    fn is_behind(&self, value: &Value<'_>) -> bool {
        self.last.as_ref().is_some_and(|last| order(value, last, self.keys[0].1).is_gt())
    }

    /// Lets go of rows that are not wanted.
    fn cut(&mut self) {
        let keys = self.keys;
        self.best.sort_unstable_by(|(a, a_row), (b, b_row)| {
            let cells = keys.iter().zip(a.iter().zip(b));
            let mut orders = cells.map(|(&(_, is_descending), (a, b))| order(a, b, is_descending));
            orders.find(|order| order.is_ne()).unwrap_or_else(|| a_row.cmp(b_row))
        });
        self.best.truncate(self.most);
        if self.best.len() == self.most {
            self.last = self.best.last().map(|(values, _)| values[0].clone());
        }
    }

    fn into_rows(mut self) -> Rows {
        self.cut();
        Rows::these(self.best.into_iter().map(|(_, row)| row))
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
