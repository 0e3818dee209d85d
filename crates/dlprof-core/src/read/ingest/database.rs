//! Opening an export without ever changing it, and reading its tables in one ordered pass each.

use super::allowance::{self, Allowance, Meter};
use super::cell::Cell;
use super::file_checks::{bytes_behind, check_file, check_unchanged};
use super::pages::{PageFile, Record, Unreadable, Wanted};
use super::row::{Row, Values};
use super::schema::{ROW_ID, TableInfo, TableKind, is_listed, list_tables, quoted};
use super::sink::Sink;
use super::sqlite_memory::schema_bytes;
use super::{RowReader, sqlite_rows};
use crate::base::Error;
use crate::read::file_state::FileState;
use crate::read::progress::Progress;
use rusqlite::{Connection, ffi};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// An export that passed the checks of [`Database::open`], and the tables and columns it has.
pub(crate) struct Database {
    path: PathBuf,
    uri: String,
    /// What the file was when it was opened.
    state: FileState,
    reader: RowReader,
    tables: BTreeMap<String, TableInfo>,
    allowance: Arc<Allowance>,
    /// Connections that nobody uses now: each of them has taken the time to read the schema.
    idle: Mutex<Vec<Connection>>,
}

/// The table of the schema.
const SCHEMA: &str = "sqlite_schema";

/// The most memory that the schema may take; that of a real export takes less than one.
const LARGEST_SCHEMA: u64 = 16 << 20;

impl Database {
    /// Opens `path` read-only and lists its tables and columns.
    pub(crate) fn open(path: &Path, reader: RowReader) -> Result<Self, Error> {
        let state = check_file(path)?;
        let mut database = Self {
            path: path.into(),
            uri: immutable_uri(path),
            allowance: Arc::new(Allowance::new(state.size_bytes)),
            state,
            reader,
            tables: BTreeMap::new(),
            idle: Mutex::default(),
        };
        let listed = database
            .ask(SCHEMA, false, |connection, _| Ok((list_tables(connection)?, schema_bytes(connection))));
        let (tables, bytes) = listed.map_err(|error| database.changed_or(error))?;
        database.tables = tables;
        if bytes > LARGEST_SCHEMA {
            let found = format!("it takes {} MB of memory, more than {}", bytes >> 20, LARGEST_SCHEMA >> 20);
            return Err(database.unusable(SCHEMA, found));
        }
        database.check_tables()?;
        Ok(database)
    }

    /// Refuses tables of which the rows come from elsewhere.
    fn check_tables(&self) -> Result<(), Error> {
        let mut by_root: BTreeMap<u32, &str> = BTreeMap::new();
        for (name, info) in self.tables.iter().filter(|(name, _)| is_listed(name)) {
            let found = match info.kind {
                TableKind::View => continue,
                TableKind::Virtual => "it is a virtual table; only tables and views can be read".into(),
                TableKind::Plain => match by_root.insert(info.root_page, name) {
                    None => continue,
                    Some(other) => format!("its rows are those of table `{other}`"),
                },
            };
            return Err(self.unusable(name, found));
        }
        Ok(())
    }

    /// Ends reading: what was read counts only if the file is still what it was.
    pub(super) fn finish<T>(&self, read: Result<T, Error>) -> Result<T, Error> {
        let read = read.map_err(|error| self.changed_or(error))?;
        check_unchanged(&self.path, &self.state)?;
        Ok(read)
    }

    /// The reason of an error, if the reason is that the file changed.
    fn changed_or(&self, error: Error) -> Error {
        check_unchanged(&self.path, &self.state).err().unwrap_or(error)
    }

    /// The file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Size of the file.
    pub(super) fn size_bytes(&self) -> u64 {
        self.state.size_bytes
    }

    /// Bytes of the file after the database.
    pub(super) fn bytes_behind(&self) -> u64 {
        bytes_behind(&self.state)
    }

    /// Whether the export has a table.
    pub(super) fn has_table(&self, table: &str) -> bool {
        debug_assert!(is_listed(table), "`{table}` is missing in the lists of tables that are read");
        self.tables.contains_key(table)
    }

    /// Whether a table of the export has a column.
    pub(super) fn has_column(&self, table: &str, column: &str) -> bool {
        debug_assert!(is_listed(table), "`{table}` is missing in the lists of tables that are read");
        self.tables.get(table).is_some_and(|info| info.position(column).is_some())
    }

    /// The columns of all tables.
    pub(super) fn columns_by_table(&self) -> BTreeMap<String, BTreeSet<String>> {
        let columns = |info: &TableInfo| info.columns.iter().map(|column| column.name.clone()).collect();
        self.tables.iter().map(|(table, info)| (table.clone(), columns(info))).collect()
    }

    /// Names of all tables, in byte order.
    pub(super) fn tables(&self) -> impl Iterator<Item = &str> {
        self.tables.keys().map(String::as_str)
    }

    /// Largest row id of a table: close to its number of rows, and found without reading it. 0 if it is absent
    /// or has none.
    pub(super) fn row_estimate(&self, table: &str) -> Result<u64, Error> {
        if !self.tables.get(table).is_some_and(|info| info.has_row_ids) {
            return Ok(0);
        }
        let sql = format!("SELECT max(rowid) FROM {}", quoted(table));
        let largest: Option<i64> =
            self.ask(table, false, |connection, _| connection.query_row(&sql, [], |row| row.get(0)))?;
        // A row takes at least a few bytes. So a forged row id cannot make us reserve too much memory.
        Ok(u64::try_from(largest.unwrap_or(0)).unwrap_or(0).min(self.size_bytes() / 8))
    }

    /// Reads the named columns of a table in row order and folds them into what `init` makes. Columns the table lacks
    /// read as NULL. An absent table has no rows.
    pub(super) fn fold<S>(
        &self,
        table: &str,
        columns: &[&str],
        progress: Option<&Progress<'_>>,
        init: impl Fn() -> S,
        on_row: impl Fn(&mut S, &Row<'_>),
    ) -> Result<S, Error> {
        if !self.has_table(table) {
            return Ok(init());
        }
        let sink = || Sink { state: init(), rows: 0, on_row: &on_row, table, columns, progress };
        if self.reader != RowReader::Sqlite {
            let mut sink = sink();
            match self.read_pages(table, columns, |record| sink.push(Values::Record(record))) {
                Ok(()) => return sink.finish(&self.path),
                Err(Unreadable) if self.reader == RowReader::Pages => {
                    return Err(self.damaged(table, rusqlite::Error::InvalidQuery));
                }
                Err(Unreadable) => {}
            }
        }
        let mut sink = sink();
        self.read_by_sqlite(table, columns, |cells| sink.push(Values::Cells(cells)))?;
        sink.finish(&self.path)
    }

    /// Reads a small table by SQLite. Columns the table lacks read as NULL. An absent table has no rows.
    pub(super) fn read(
        &self,
        table: &str,
        columns: &[&str],
        mut on_row: impl FnMut(&Row<'_>),
    ) -> Result<(), Error> {
        if !self.has_table(table) {
            return Ok(());
        }
        self.read_by_sqlite(table, columns, |cells| {
            on_row(&Row { values: Values::Cells(cells), table, columns });
            ControlFlow::Continue(())
        })
    }

    fn read_pages(
        &self,
        table: &str,
        columns: &[&str],
        on_row: impl FnMut(&Record<'_>) -> ControlFlow<()>,
    ) -> Result<(), Unreadable> {
        let info = self.tables.get(table).filter(|info| info.is_plain).ok_or(Unreadable)?;
        let mut wanted = Vec::with_capacity(columns.len());
        for (slot, name) in columns.iter().enumerate() {
            let Some(column) = info.position(name) else {
                if *name == ROW_ID {
                    wanted.push(Wanted { column: 0, slot, is_row_id: true, has_default: false });
                }
                continue;
            };
            if !info.columns[column].is_plain {
                return Err(Unreadable);
            }
            let has_default = info.columns[column].has_default;
            wanted.push(Wanted { column, slot, is_row_id: info.row_id == Some(column), has_default });
        }
        wanted.sort_unstable_by_key(|wanted| (wanted.column, wanted.is_row_id));
        PageFile::open(&self.path)?.for_each_row(info.root_page, &wanted, on_row)
    }

    fn read_by_sqlite(
        &self,
        table: &str,
        columns: &[&str],
        on_row: impl FnMut(&[Cell<'_>]) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        let Some(info) = self.tables.get(table) else { return Ok(()) };
        let select: Vec<String> = columns
            .iter()
            .map(|column| match *column {
                column if info.position(column).is_some() => quoted(column),
                ROW_ID if info.has_row_ids => ROW_ID.into(),
                _ => "NULL".into(),
            })
            .collect();
        // NOT INDEXED: an added index that covers the columns would change the order of the rows. Views have no
        // index.
        let hint = if info.kind == TableKind::View { "" } else { " NOT INDEXED" };
        let sql = format!("SELECT {} FROM {}{hint}", select.join(", "), quoted(table));
        self.ask(table, info.is_computed(columns), |connection, meter| {
            sqlite_rows::for_each(connection, &sql, meter, on_row)
        })
    }

    /// Asks SQLite something about a table, within what the file may take.
    fn ask<T>(
        &self,
        table: &str,
        is_computed: bool,
        question: impl FnOnce(&Connection, &Meter) -> rusqlite::Result<T>,
    ) -> Result<T, Error> {
        let damaged = |source| Error::Damaged { path: self.path.clone(), table: table.into(), source };
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut connection = match idle {
            Some(connection) => connection,
            None => allowance::open(&self.uri).map_err(damaged)?,
        };
        let meter = Meter::watch(&self.allowance, &mut connection, is_computed).map_err(damaged)?;
        let answer = question(&connection, &meter);
        if let Some(spent) = meter.spent() {
            return Err(self.unusable(table, format!("{} takes {spent}", self.noun(table))));
        }
        let source = match answer {
            Ok(answer) => {
                self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
                return Ok(answer);
            }
            Err(source) => source,
        };
        let said = source.to_string();
        Err(match source.sqlite_error().map(|error| error.extended_code & 0xFF) {
            Some(ffi::SQLITE_TOOBIG) if is_computed => {
                self.unusable(table, format!("{} makes a text of more than 16 MB", self.noun(table)))
            }
            _ => match allowance::refused_function(&said) {
                Some(function) => {
                    let found = format!(
                        "{} calls function `{function}`, which a file may not call",
                        self.noun(table)
                    );
                    self.unusable(table, found)
                }
                None => damaged(source),
            },
        })
    }

    /// What a table is, in words.
    fn noun(&self, table: &str) -> &'static str {
        match self.tables.get(table).map(|info| info.kind) {
            Some(TableKind::View) => "the view",
            Some(_) => "the table",
            None => "the schema",
        }
    }

    /// A table that holds what no capture can have, or whose rows cannot be made.
    pub(super) fn unusable(&self, table: &str, found: String) -> Error {
        Error::UnusableTable { path: self.path.clone(), table: table.into(), found }
    }

    fn damaged(&self, table: &str, source: rusqlite::Error) -> Error {
        Error::Damaged { path: self.path.clone(), table: table.into(), source }
    }
}

/// `immutable=1`: SQLite takes no locks and leaves nothing beside the file.
fn immutable_uri(path: &Path) -> String {
    let mut uri = String::from("file:");
    for &byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => {
                uri.push(char::from(byte));
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri + "?mode=ro&immutable=1"
}
