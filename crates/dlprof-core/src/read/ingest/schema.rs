//! What the schema says about the tables that are read. The schema may come from anybody: no table is opened for its name
//! alone, and no view runs.

use super::dlprof::table_names;
use super::{RECORD_TABLES, USED_TABLES};
use rusqlite::Connection;
use std::collections::BTreeMap;

/// The row id of a table, asked for like a column.
pub(super) const ROW_ID: &str = "rowid";

/// What a table is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TableKind {
    /// Rows in pages of the file.
    Plain,
    /// A query over other tables.
    View,
    /// Rows that code of a module makes. It is never opened.
    Virtual,
}

/// What the schema says about a table. Columns are known only of tables that are read.
pub(super) struct TableInfo {
    pub(super) kind: TableKind,
    pub(super) root_page: u32,
    pub(super) has_row_ids: bool,
    pub(super) columns: Vec<ColumnInfo>,
    /// The column that is another name for the row id.
    pub(super) row_id: Option<usize>,
    /// Whether the columns in the records are in the order of the schema.
    pub(super) is_plain: bool,
}

pub(super) struct ColumnInfo {
    pub(super) name: String,
    /// Whether SQLite returns values as the records store them, without turning integers into floats.
    pub(super) is_plain: bool,
    /// Whether records that are older than the column have a value of it all the same.
    pub(super) has_default: bool,
    /// Whether an expression makes its values.
    pub(super) is_generated: bool,
}

/// Whether a table is in one of the lists of tables that are read.
pub(super) fn is_listed(table: &str) -> bool {
    USED_TABLES.contains(&table)
        || RECORD_TABLES.contains(&table)
        || table_names::ALL.contains(&table)
        || table.starts_with("rocpd_")
        || table == "ext_autogradapi"
}

pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

impl TableInfo {
    /// The position of a column.
    pub(super) fn position(&self, column: &str) -> Option<usize> {
        self.columns.iter().position(|info| info.name == column)
    }

    /// Whether rows are made by expressions of the file if these columns are asked for.
    pub(super) fn is_computed(&self, columns: &[&str]) -> bool {
        let is_generated =
            |column: &&str| self.position(column).is_some_and(|at| self.columns[at].is_generated);
        self.kind != TableKind::Plain || columns.iter().any(is_generated)
    }
}

/// All tables and views, by name.
pub(super) fn list_tables(connection: &Connection) -> rusqlite::Result<BTreeMap<String, TableInfo>> {
    let mut statement = connection
        .prepare("SELECT name, type, rootpage, sql FROM sqlite_schema WHERE type IN ('table', 'view')")?;
    let mut rows = statement.query([])?;
    let mut tables = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let name: String = row.get(0)?;
        let root_page = row.get_ref(2)?.as_i64().ok().and_then(|page| u32::try_from(page).ok()).unwrap_or(0);
        let kind = match row.get_ref(1)?.as_str()? {
            "view" => TableKind::View,
            _ if root_page == 0 => TableKind::Virtual,
            _ => TableKind::Plain,
        };
        let mut info = TableInfo {
            kind,
            root_page,
            has_row_ids: false,
            columns: Vec::new(),
            row_id: None,
            is_plain: false,
        };
        if is_listed(&name) && kind != TableKind::Virtual {
            let text = row.get_ref(3)?.as_bytes_or_null()?.unwrap_or_default();
            info.has_row_ids = kind == TableKind::Plain && has_row_ids(connection, &name);
            info.is_plain = info.has_row_ids;
            info.read_columns(connection, &name, text)?;
            let named_so = info.columns.iter().position(|column| column.name.eq_ignore_ascii_case(ROW_ID));
            info.has_row_ids &= named_so.is_none_or(|at| info.row_id == Some(at));
        }
        tables.insert(name, info);
    }
    Ok(tables)
}

/// Whether a table has row ids under their usual name, and no column takes the name.
fn has_row_ids(connection: &Connection, table: &str) -> bool {
    connection.prepare(&format!("SELECT {ROW_ID} FROM {} NOT INDEXED", quoted(table))).is_ok()
}

impl TableInfo {
    /// Adds the columns. A view of what is missing has none.
    fn read_columns(&mut self, connection: &Connection, table: &str, text: &[u8]) -> rusqlite::Result<()> {
        // `INTEGER PRIMARY KEY DESC` is not a row id, for historical reasons.
        let says_desc = text.windows(4).any(|word| word.eq_ignore_ascii_case(b"DESC"));
        let mut statement = match connection.prepare(&format!("PRAGMA main.table_xinfo({})", quoted(table))) {
            Ok(statement) => statement,
            Err(_) if self.kind == TableKind::View => return Ok(()),
            Err(error) => return Err(error),
        };
        let mut rows = statement.query([])?;
        loop {
            let row = match rows.next() {
                Ok(Some(row)) => row,
                Ok(None) => return Ok(()),
                Err(_) if self.kind == TableKind::View => return Ok(()),
                Err(error) => return Err(error),
            };
            let name: String = row.get("name")?;
            let declared_type =
                row.get::<_, Option<String>>("type")?.unwrap_or_default().to_ascii_uppercase();
            let has_default = row.get_ref("dflt_value")? != rusqlite::types::ValueRef::Null;
            let key: i64 = row.get("pk")?;
            let hidden: i64 = row.get("hidden")?;
            let is_real = ["REAL", "FLOA", "DOUB"].iter().any(|part| declared_type.contains(part));
            self.is_plain &= hidden == 0 && !(key > 0 && says_desc);
            if key > 0 {
                // With a second key column, neither column is the row id.
                self.row_id = match self.row_id {
                    None if key == 1 && declared_type == "INTEGER" => Some(self.columns.len()),
                    _ => None,
                };
                self.is_plain &= key == 1;
            }
            // 1 is a column of a virtual table that only its module sees; 2 and 3 are generated.
            if hidden != 1 {
                let is_plain = !(is_real || hidden != 0);
                self.columns.push(ColumnInfo { name, is_plain, has_default, is_generated: hidden != 0 });
            }
        }
    }
}
