//! Links inside the workbook: from an op to its kernels, and from the first sheet to the tables.

use super::arranged::{Arranged, KERNELS_BY_OP, OP_ID, position};
use super::cells::MOST_ROWS;
use dlprof_core::{Table, Value};
use std::collections::HashMap;

/// Excel allows only so many links in a sheet.
const MOST_LINKS: usize = 65_530;

/// Tables in which an op ID is a link to the kernels of the op.
const LINKED: [&str; 2] = ["ops", "top_ops"];

/// Targets of links.
pub(super) struct Links {
    /// By table: the name of its sheet.
    sheets: HashMap<String, String>,
    /// By op ID: the first and last line of its kernels.
    kernels: HashMap<String, (usize, usize)>,
}

impl Links {
    /// The targets in sheets with these names. Ops have none if their kernels are not exported or need several sheets.
    pub(super) fn new(tables: &[Arranged<'_>], names: &[String]) -> Self {
        let of_one_sheet = || tables.iter().zip(names).filter(|(table, _)| table.view.rows() <= MOST_ROWS);
        let sheets =
            of_one_sheet().map(|(table, name)| (table.view.key().to_owned(), name.clone())).collect();
        let mut kernels: HashMap<String, (usize, usize)> = HashMap::new();
        let target = of_one_sheet().map(|(table, _)| table).find(|table| table.view.key() == KERNELS_BY_OP);
        if let Some((table, op_id)) = target.and_then(|table| Some((table, position(&table.view, OP_ID)?))) {
            for row in 0..table.view.rows() {
                if let Value::Text(op) = table.view.value(row, op_id) {
                    let line = row + 2;
                    kernels.entry(op.into_owned()).and_modify(|lines| lines.1 = line).or_insert((line, line));
                }
            }
        }
        Self { sheets, kernels }
    }

    /// The column of a table whose cells are links.
    pub(super) fn column(table: &dyn Table, rows: usize) -> Option<usize> {
        let is_linked = LINKED.contains(&table.key()) && rows <= MOST_LINKS;
        is_linked.then(|| position(table, OP_ID)).flatten()
    }

    /// The kernels of an op.
    pub(super) fn to_kernels(&self, op: &Value<'_>) -> Option<String> {
        let Value::Text(op) = op else { return None };
        let (first, last) = self.kernels.get(op.as_ref())?;
        Some(format!("internal:'{}'!A{first}:A{last}", self.sheets.get(KERNELS_BY_OP)?))
    }

    /// The sheet of a table: its name and the link to it.
    pub(super) fn to_table(&self, key: &str) -> Option<(&str, String)> {
        let name = self.sheets.get(key)?;
        Some((name, format!("internal:'{name}'!A1")))
    }
}
