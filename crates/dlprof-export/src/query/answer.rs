//! The answer to a query as a table.

use super::cells::Cells;
use super::declared;
use dlprof_core::{CellKind, Header, Ns, Table, Unit, Value};
use rusqlite::Statement;

/// Functions whose result has the unit of their first argument.
const KEEP_UNIT: [&str; 8] = ["sum", "total", "min", "max", "avg", "median", "percentile", "stddev"];

/// The answer to a query: columns named as the query names them.
pub struct Answer {
    columns: Vec<AnswerColumn>,
    cells: Cells,
    rows: usize,
}

/// A column of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AnswerColumn {
    pub(super) name: String,
    /// That of the column of a table that it passes on; `None` if it is computed.
    declared: Option<(CellKind, Unit)>,
    kind: CellKind,
}

/// The columns of a statement. If several have the same name, the later ones get a number: `op_id:1`.
pub(super) fn columns(statement: &Statement<'_>) -> Vec<AnswerColumn> {
    let mut columns: Vec<AnswerColumn> = Vec::new();
    for column in statement.columns() {
        let first = std::iter::once(column.name().to_owned());
        let mut names = first.chain((1..).map(|number| format!("{}:{number}", column.name())));
        let is_free = |name: &String| columns.iter().all(|known| known.name != *name);
        let name = names.find(is_free).unwrap_or_default();
        let declared = column.decl_type().and_then(declared::read);
        columns.push(AnswerColumn { name, declared, kind: CellKind::Text });
    }
    columns
}

impl Answer {
    /// The rows of an answer.
    pub(super) fn new(mut columns: Vec<AnswerColumn>, cells: Cells, rows: usize) -> Self {
        for (at, column) in columns.iter_mut().enumerate() {
            column.kind = cells.kind(at, column.declared.map(|(kind, _)| kind));
        }
        Self { columns, cells, rows }
    }
}

impl AnswerColumn {
    /// Numbers have the unit of the column that they come from, or the one that their name says.
    fn unit(&self) -> Unit {
        match (self.kind, self.declared) {
            (CellKind::Int | CellKind::Float, Some((_, unit))) => unit,
            (CellKind::Int | CellKind::Float, None) => unit_of_name(&self.name),
            _ => Unit::None,
        }
    }
}

/// The unit that a name ends in; `sum(gpu_time_ns)` is nanoseconds, `count(gpu_time_ns)` is not.
fn unit_of_name(name: &str) -> Unit {
    let argument = match name.strip_suffix(')').and_then(|name| name.split_once('(')) {
        None => name,
        Some((function, argument)) if KEEP_UNIT.contains(&function.trim().to_ascii_lowercase().as_str()) => {
            let argument = argument.split(',').next().unwrap_or_default().trim();
            argument.strip_prefix("distinct ").unwrap_or(argument)
        }
        Some(_) => return Unit::None,
    };
    let is_name = argument.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.');
    if is_name { Unit::of_key(argument) } else { Unit::None }
}

impl Table for Answer {
    fn key(&self) -> &str {
        "query"
    }

    fn title(&self) -> &str {
        "Query"
    }

    fn columns(&self) -> usize {
        self.columns.len()
    }

    fn header(&self, column: usize) -> Header<'_> {
        let column = &self.columns[column];
        Header { key: &column.name, title: &column.name, unit: column.unit(), kind: column.kind, doc: "" }
    }

    fn rows(&self) -> usize {
        self.rows
    }

    fn value(&self, row: usize, column: usize) -> Value<'_> {
        self.cells.value(row, column, self.columns[column].kind)
    }

    fn origin_ns(&self) -> Ns {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_units_only_of_what_keeps_them() {
        for (name, unit) in [
            ("gpu_ns", Unit::Nanoseconds),
            ("sum(o.gpu_time_ns)", Unit::Nanoseconds),
            ("MAX(distinct gpu_time_ns)", Unit::Nanoseconds),
            ("percentile(duration_ns, 90)", Unit::Nanoseconds),
            ("busy_percent", Unit::Percent),
            ("count(gpu_time_ns)", Unit::None),
            ("sum(calls) / gpu_time_ns", Unit::None),
            ("sum(calls * gpu_time_ns)", Unit::None),
            ("a / b_ns", Unit::None),
        ] {
            assert_eq!(unit_of_name(name), unit, "{name}");
        }
    }
}
