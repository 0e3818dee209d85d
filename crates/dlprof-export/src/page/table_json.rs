//! Tables as columns, in the form in which pages read them.
//!
//! ```text
//! { "rows": 3,
//!   "columns": [ [1, 2, null],                              numbers, flags
//!                { "texts": ["a", "b"], "at": [0, 1, 0] } ] }   texts, each once; -1 for an empty cell
//! ```

use dlprof_core::{Table, Value};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use std::borrow::Cow;
use std::collections::HashMap;

/// A table whose columns are written one after the other.
pub(super) struct Columns<'a>(pub(super) &'a dyn Table);

impl Serialize for Columns<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(Some(2))?;
        object.serialize_entry("rows", &self.0.rows())?;
        object.serialize_entry("columns", &All(self.0))?;
        object.end()
    }
}

struct All<'a>(&'a dyn Table);

impl Serialize for All<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let table = self.0;
        let mut list = serializer.serialize_seq(Some(table.columns()))?;
        for column in 0..table.columns() {
            if table.header(column).kind.is_text() {
                list.serialize_element(&texts(table, column))?;
            } else {
                list.serialize_element(&Numbers { table, column })?;
            }
        }
        list.end()
    }
}

struct Numbers<'a> {
    table: &'a dyn Table,
    column: usize,
}

impl Serialize for Numbers<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let rows = 0..self.table.rows();
        let mut list = serializer.serialize_seq(Some(rows.len()))?;
        for row in rows {
            match self.table.value(row, self.column) {
                Value::Int(number) => list.serialize_element(&number)?,
                Value::Float(number) => list.serialize_element(&number)?,
                Value::Flag(flag) => list.serialize_element(&flag)?,
                Value::Null | Value::Text(_) => list.serialize_element(&())?,
            }
        }
        list.end()
    }
}

#[derive(serde::Serialize)]
struct Texts<'a> {
    texts: Vec<Cow<'a, str>>,
    at: Vec<i64>,
}

fn texts(table: &dyn Table, column: usize) -> Texts<'_> {
    let mut known: HashMap<Cow<'_, str>, i64> = HashMap::new();
    let mut found = Texts { texts: Vec::new(), at: Vec::with_capacity(table.rows()) };
    for row in 0..table.rows() {
        let Value::Text(text) = table.value(row, column) else {
            found.at.push(-1);
            continue;
        };
        let next = i64::try_from(found.texts.len()).unwrap_or(i64::MAX);
        let at = *known.entry(text).or_insert_with_key(|text| {
            found.texts.push(text.clone());
            next
        });
        found.at.push(at);
    }
    found
}
