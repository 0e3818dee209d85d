//! JSON: rows as objects with the columns' keys; a whole profile as one document.

use dlprof_core::profile::Profile;
use dlprof_core::tables::{CellKind, Definition, Header, TABLES, Table, Value};
use serde::Serialize;
use serde::ser::{SerializeMap, SerializeSeq, Serializer};
use serde_json::{Map, json};
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
            object
                .serialize_entry(self.table.header(column).key, &Cell(self.table.value(self.row, column)))?;
        }
        object.end()
    }
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
pub(super) struct JsonRows<'a>(pub(super) &'a dyn Table);

impl Serialize for JsonRows<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut array = serializer.serialize_seq(Some(self.0.rows()))?;
        for row in 0..self.0.rows() {
            array.serialize_element(&Row { table: self.0, row })?;
        }
        array.end()
    }
}

/// One array.
pub(super) fn write_array(table: &dyn Table, mut out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut out, &JsonRows(table))?;
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

/// Version of the document's form. It rises if a column or table is renamed or removed, but not if one is added.
pub const DOCUMENT_VERSION: u32 = 1;

/// A whole profile: the tool, the input, the options, and the tables as arrays of objects.
#[derive(Serialize)]
struct Document<'a> {
    document_version: u32,
    tool: &'static str,
    tool_version: &'static str,
    profile_name: &'a str,
    verdict: String,
    input: Input<'a>,
    options: Options<'a>,
    tables: Tables<'a>,
}

#[derive(Serialize)]
struct Input<'a> {
    file: String,
    size_bytes: u64,
    nsys_version: &'a str,
    schema_version: &'a str,
}

#[derive(Serialize)]
struct Options<'a> {
    mode: &'static str,
    mode_reason: &'a str,
    key_node: Option<&'a str>,
    iter_start: u32,
    iter_stop: u32,
}

struct Tables<'a>(&'a [Box<dyn Table + 'a>]);

impl Serialize for Tables<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(Some(self.0.len()))?;
        for table in self.0 {
            object.serialize_entry(table.key(), &JsonRows(table.as_ref()))?;
        }
        object.end()
    }
}

/// Writes a whole profile as one document (JSON Schema: `docs/export.schema.json`).
///
/// # Errors
/// If `out` cannot be written to.
pub fn write_document(
    profile: &Profile,
    profile_name: &str,
    tables: &[Box<dyn Table + '_>],
    mut out: &mut dyn Write,
) -> io::Result<()> {
    let source = &profile.capture.source;
    let iterations = &profile.iterations;
    let document = Document {
        document_version: DOCUMENT_VERSION,
        tool: "dlprof-agg",
        tool_version: env!("CARGO_PKG_VERSION"),
        profile_name,
        verdict: dlprof_core::findings::verdict(profile).to_string(),
        input: Input {
            file: source.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
            size_bytes: source.size_bytes,
            nsys_version: &source.product_version,
            schema_version: &source.schema_version,
        },
        options: Options {
            mode: profile.capture.mode.as_str(),
            mode_reason: &profile.capture.mode_reason,
            key_node: iterations.key_node.as_ref().map(|key_node| key_node.name.as_str()),
            iter_start: iterations.start,
            iter_stop: iterations.stop,
        },
        tables: Tables(tables),
    };
    serde_json::to_writer_pretty(&mut out, &document)?;
    out.write_all(b"\n")
}

/// The JSON Schema of [`write_document`], made from the tables' declarations.
#[must_use]
pub fn schema() -> serde_json::Value {
    let table = |definition: &Definition| {
        let column = |header: &&Header<'_>| {
            let types = match header.kind {
                CellKind::Int => "integer",
                CellKind::Float => "number",
                CellKind::Flag => "boolean",
                CellKind::Text | CellKind::Answer => "string",
            };
            (header.key.to_owned(), json!({ "type": [types, "null"], "description": header.doc }))
        };
        let headers = definition.headers();
        let keys: Vec<&str> = headers.iter().map(|header| header.key).collect();
        let columns: Map<String, serde_json::Value> = headers.iter().map(column).collect();
        let rows = json!({ "type": "object", "properties": columns, "required": keys });
        (definition.key.to_owned(), json!({ "type": "array", "description": definition.doc, "items": rows }))
    };
    let tables: Map<String, serde_json::Value> = TABLES.iter().map(table).collect();
    let text = json!({ "type": "string" });
    let count = json!({ "type": "integer", "minimum": 0 });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A profile exported by dlprof-agg",
        "description": "Times are whole nanoseconds; null is undefined. A new version may add tables and columns.",
        "type": "object",
        "required": ["document_version", "tool", "tool_version", "profile_name", "verdict", "input", "options", "tables"],
        "properties": {
            "document_version": { "const": DOCUMENT_VERSION },
            "tool": { "const": "dlprof-agg" },
            "tool_version": text,
            "profile_name": text,
            "verdict": text,
            "input": {
                "type": "object",
                "required": ["file", "size_bytes", "nsys_version", "schema_version"],
                "properties": { "file": text, "size_bytes": count, "nsys_version": text, "schema_version": text }
            },
            "options": {
                "type": "object",
                "required": ["mode", "mode_reason", "key_node", "iter_start", "iter_stop"],
                "properties": {
                    "mode": text, "mode_reason": text, "key_node": { "type": ["string", "null"] },
                    "iter_start": count, "iter_stop": count
                }
            },
            "tables": { "type": "object", "properties": tables }
        }
    })
}
