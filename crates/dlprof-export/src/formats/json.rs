//! JSON: rows as objects with the columns' keys; a whole profile as one document.

mod layout;

use super::source::{self, ExportSource};
use crate::overview::Basis;
use dlprof_core::{CellKind, Definition, Header, Judged, TABLES, Table, Value, why_empty};
use layout::RowPerLine;
use serde::Serialize;
use serde::ser::{SerializeMap, SerializeSeq, Serializer};
use serde_json::{Map, Serializer as JsonSerializer, json};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// One row as an object.
struct Row<'a> {
    table: &'a dyn Table,
    row: usize,
}

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let columns = self.table.columns();
        let mut object = serializer.serialize_map(Some(columns))?;
        for column in 0..columns {
            let Header { key, kind, .. } = self.table.header(column);
            match self.table.value(self.row, column) {
                Value::Text(text) if kind == CellKind::Json => object.serialize_entry(key, &parsed(&text))?,
                value => object.serialize_entry(key, &Cell(value))?,
            }
        }
        object.end()
    }
}

/// What a cell of JSON holds; the text itself if it is none.
fn parsed(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap_or_else(|_| text.into())
}

/// The value of a cell. Whole numbers of any size are exact; undefined and infinite values are `null`.
pub struct Cell<'a>(pub Value<'a>);

impl Serialize for Cell<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Value::Null => serializer.serialize_none(),
            Value::Int(number) => serializer.serialize_i64(*number),
            Value::Float(number) => serializer.serialize_f64(*number),
            Value::Flag(flag) => serializer.serialize_bool(*flag),
            Value::Text(text) => serializer.serialize_str(text),
        }
    }
}

/// All rows of a table as an array of objects.
struct JsonRows<'a> {
    table: &'a dyn Table,
}

impl Serialize for JsonRows<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut array = serializer.serialize_seq(Some(self.table.rows()))?;
        for row in 0..self.table.rows() {
            array.serialize_element(&Row { table: self.table, row })?;
        }
        array.end()
    }
}

/// One array.
pub(super) fn write_array(table: &dyn Table, mut out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut out, &JsonRows { table })?;
    out.write_all(b"\n")
}

/// An object per line.
pub(super) fn write_lines(table: &dyn Table, mut out: &mut dyn Write) -> io::Result<()> {
    for row in 0..table.rows() {
        serde_json::to_writer(&mut out, &Row { table, row })?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// Version of the document's form. It rises if a column or table is renamed or removed or gets another type, but not if one is added.
pub const DOCUMENT_VERSION: u32 = 4;

/// A whole profile: the tool, the input, the options, and the tables as arrays of objects.
#[derive(Serialize)]
struct Document<'a> {
    document_version: u32,
    tool: &'static str,
    tool_version: &'static str,
    profile_name: &'a str,
    verdict: String,
    verdict_detail: String,
    source: &'a ExportSource,
    sums: Sums<'a>,
    tables: Tables<'a>,
    /// By name of a table without rows: why it has none.
    empty: BTreeMap<&'a str, String>,
}

/// Which columns are sums over the aggregated iterations.
#[derive(Serialize)]
struct Sums<'a> {
    /// In words, such as `10 iterations`.
    over: String,
    /// By name of a table.
    columns: BTreeMap<&'a str, &'static [&'static str]>,
}

impl<'a> Sums<'a> {
    fn of(judged: &Judged, tables: &'a [Box<dyn Table + 'a>]) -> Self {
        let with_sums = tables.iter().filter(|table| !table.layout().sums.is_empty());
        Self {
            over: Basis::of(judged).sum_in_words(),
            columns: with_sums.map(|table| (table.key(), table.layout().sums)).collect(),
        }
    }
}

/// By name of a table without rows: why it has none.
pub(crate) fn reasons<'a>(judged: &Judged, tables: &'a [Box<dyn Table + 'a>]) -> BTreeMap<&'a str, String> {
    tables.iter().filter_map(|table| Some((table.key(), why_empty(table.as_ref(), judged)?))).collect()
}

/// Tables by name.
pub(crate) struct Tables<'a> {
    pub(crate) tables: &'a [Box<dyn Table + 'a>],
}

impl Serialize for Tables<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(Some(self.tables.len()))?;
        for table in self.tables {
            object.serialize_entry(table.key(), &JsonRows { table: table.as_ref() })?;
        }
        object.end()
    }
}

/// Writes a whole profile as one document (JSON Schema: `docs/export.schema.json`), a row of a table per line.
///
/// # Errors
/// If `out` cannot be written to.
pub fn write_document(
    judged: &Judged,
    profile_name: &str,
    tables: &[Box<dyn Table + '_>],
    source: &ExportSource,
    out: &mut dyn Write,
) -> io::Result<()> {
    let document = Document {
        document_version: DOCUMENT_VERSION,
        tool: source.tool,
        tool_version: source.tool_version,
        profile_name,
        verdict: dlprof_core::verdict(judged).sentence.to_string(),
        verdict_detail: dlprof_core::verdict_detail(judged).to_string(),
        source,
        sums: Sums::of(judged, tables),
        tables: Tables { tables },
        empty: reasons(judged, tables),
    };
    write_rows(&document, out)
}

/// Writes a document with a row of a table per line.
///
/// # Errors
/// If `out` cannot be written to.
pub(crate) fn write_rows(document: &impl Serialize, mut out: &mut dyn Write) -> io::Result<()> {
    document.serialize(&mut JsonSerializer::with_formatter(&mut out, RowPerLine::new()))?;
    out.write_all(b"\n")
}

/// Writes what a folder of tables holds: the source, and the file of each table with its number of rows, or why it has none, and
/// which of its columns are sums over the aggregated iterations.
///
/// # Errors
/// If `out` cannot be written to.
pub(crate) fn write_manifest(
    source: &impl Serialize,
    empty: &BTreeMap<&str, String>,
    files: &[(&dyn Table, String)],
    mut out: &mut dyn Write,
) -> io::Result<()> {
    let table = |entry: &(&dyn Table, String)| {
        let (table, file) = entry;
        let mut entry =
            json!({ "table": table.key(), "title": table.title(), "file": file, "rows": table.rows() });
        if !table.layout().sums.is_empty() {
            entry["sums"] = table.layout().sums.into();
        }
        if let Some(why) = empty.get(table.key()) {
            entry["empty"] = why.as_str().into();
        }
        entry
    };
    let tables: Vec<serde_json::Value> = files.iter().map(table).collect();
    serde_json::to_writer_pretty(&mut out, &json!({ "source": source, "tables": tables }))?;
    out.write_all(b"\n")
}

/// The JSON Schema of [`write_document`], made from the tables' declarations.
#[must_use]
pub fn schema() -> serde_json::Value {
    let table = |definition: &Definition| {
        let column = |header: &&Header<'_>| {
            let types: &[&str] = match header.kind {
                CellKind::Int => &["integer", "null"],
                CellKind::Float => &["number", "null"],
                CellKind::Flag => &["boolean", "null"],
                CellKind::Json => &["object", "array", "null"],
                CellKind::Text | CellKind::Answer => &["string", "null"],
            };
            (header.key.to_owned(), json!({ "type": types, "description": header.doc }))
        };
        let headers = definition.headers();
        let keys: Vec<&str> = headers.iter().map(|header| header.key).collect();
        let columns: Map<String, serde_json::Value> = headers.iter().map(column).collect();
        let rows = json!({ "type": "object", "properties": columns, "required": keys });
        (definition.key.to_owned(), json!({ "type": "array", "description": definition.doc, "items": rows }))
    };
    let tables: Map<String, serde_json::Value> = TABLES.iter().map(table).collect();
    let text = json!({ "type": "string" });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A profile exported by dlprof-agg",
        "description": "Times are whole nanoseconds; null is undefined. A new version may add tables and columns.",
        "type": "object",
        "required": ["document_version", "tool", "tool_version", "profile_name", "verdict", "source", "tables"],
        "properties": {
            "document_version": { "const": DOCUMENT_VERSION },
            "tool": { "const": "dlprof-agg" },
            "tool_version": text,
            "profile_name": text,
            "verdict": text,
            "verdict_detail": text,
            "source": source::schema(),
            "sums": {
                "type": "object",
                "description": "Which columns are sums over the aggregated iterations; others are not, such as means and shares.",
                "properties": {
                    "over": { "type": "string", "description": "Over what, such as `10 iterations` or `the whole window`." },
                    "columns": {
                        "type": "object",
                        "description": "By name of a table: the columns with sums.",
                        "additionalProperties": { "type": "array", "items": text }
                    }
                }
            },
            "tables": { "type": "object", "properties": tables },
            "empty": {
                "type": "object",
                "description": "By name of a table without rows: why it has none, and which option records them.",
                "additionalProperties": text
            }
        }
    })
}
