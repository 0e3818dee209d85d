//! Opening an export without ever changing it, and reading its tables in one ordered pass each.

use super::cell::Cell;
use super::dlprof::table_names;
use super::pages::{PageFile, Record, Unreadable, Wanted};
use super::row::{Row, Values};
use super::{Progress, RECORD_TABLES, RowReader, USED_TABLES, sqlite_rows};
use crate::error::Error;
use rusqlite::{Connection, OpenFlags};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// An export that passed the checks of [`Database::open`], and the tables and columns it has.
pub(crate) struct Database {
    path: PathBuf,
    uri: String,
    size_bytes: u64,
    reader: RowReader,
    tables: BTreeMap<String, TableInfo>,
}

/// The row id of a table, asked for like a column.
pub(super) const ROW_ID: &str = "rowid";

/// Whether a table is in one of the lists of tables that are read.
fn is_listed(table: &str) -> bool {
    USED_TABLES.contains(&table) || RECORD_TABLES.contains(&table) || table_names::ALL.contains(&table)
}

/// What the schema says about a table.
#[derive(Default)]
struct TableInfo {
    root_page: u32,
    is_view: bool,
    has_row_ids: bool,
    columns: Vec<ColumnInfo>,
    /// The column that is another name for the row id.
    row_id: Option<usize>,
    /// Whether the columns in the records are in the order of the schema.
    is_plain: bool,
}

struct ColumnInfo {
    name: String,
    /// Whether SQLite returns values as the records store them: without defaults for records that are older than
    /// the column, and without turning integers into floats.
    is_plain: bool,
}

impl Database {
    /// Opens `path` read-only and lists its tables and columns.
    pub(crate) fn open(path: &Path, reader: RowReader) -> Result<Self, Error> {
        let size_bytes = check_file(path)?;
        let uri = immutable_uri(path);
        let mut database = Self { path: path.into(), uri, size_bytes, reader, tables: BTreeMap::new() };
        let connection = database.connect()?;
        // A view of a table that is missing must not hide the others.
        database.tables = list_tables(&connection, "'table', 'view'")
            .or_else(|_| list_tables(&connection, "'table'"))
            .map_err(|source| database.damaged("sqlite_schema", source))?;
        Ok(database)
    }

    /// The file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Size of the file.
    pub(super) fn size_bytes(&self) -> u64 {
        self.size_bytes
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
        let largest: Option<i64> = self
            .connect()?
            .query_row(&sql, [], |row| row.get(0))
            .map_err(|source| self.damaged(table, source))?;
        // A row takes at least a few bytes. So a forged row id cannot make us reserve too much memory.
        Ok(u64::try_from(largest.unwrap_or(0)).unwrap_or(0).min(self.size_bytes / 8))
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
                Ok(()) => return sink.finish(self),
                Err(Unreadable) if self.reader == RowReader::Pages => {
                    return Err(self.damaged(table, rusqlite::Error::InvalidQuery));
                }
                Err(Unreadable) => {}
            }
        }
        let mut sink = sink();
        self.read_by_sqlite(table, columns, |cells| sink.push(Values::Cells(cells)))?;
        sink.finish(self)
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
                    wanted.push(Wanted { column: 0, slot, is_row_id: true });
                }
                continue;
            };
            if !info.columns[column].is_plain {
                return Err(Unreadable);
            }
            wanted.push(Wanted { column, slot, is_row_id: info.row_id == Some(column) });
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
        let has_row_ids = self.tables.get(table).is_some_and(|info| info.has_row_ids);
        let select: Vec<String> = columns
            .iter()
            .map(|column| match *column {
                column if self.has_column(table, column) => quoted(column),
                ROW_ID if has_row_ids => ROW_ID.into(),
                _ => "NULL".into(),
            })
            .collect();
        // NOT INDEXED: an added index that covers the columns would change the order of the rows. Views have no
        // index.
        let is_view = self.tables.get(table).is_some_and(|info| info.is_view);
        let hint = if is_view { "" } else { " NOT INDEXED" };
        let sql = format!("SELECT {} FROM {}{hint}", select.join(", "), quoted(table));
        let connection = self.connect()?;
        sqlite_rows::for_each(&connection, &sql, on_row).map_err(|source| self.damaged(table, source))
    }

    fn connect(&self) -> Result<Connection, Error> {
        let flags =
            OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        Connection::open_with_flags(&self.uri, flags).map_err(|source| self.damaged("sqlite_schema", source))
    }

    fn damaged(&self, table: &str, source: rusqlite::Error) -> Error {
        Error::Damaged { path: self.path.clone(), table: table.into(), source }
    }
}

/// Receives the rows of one reader.
struct Sink<'a, S, F> {
    state: S,
    rows: u64,
    on_row: &'a F,
    table: &'a str,
    columns: &'a [&'a str],
    progress: Option<&'a Progress<'a>>,
}

impl<S, F: Fn(&mut S, &Row<'_>)> Sink<'_, S, F> {
    /// The maximum number of rows, because rows are counted with 32 bits.
    const MOST_ROWS: u64 = (1 << 32) - Progress::STEP;

    #[inline]
    fn push(&mut self, values: Values<'_>) -> ControlFlow<()> {
        self.rows += 1;
        if self.rows.is_multiple_of(Progress::STEP) {
            if let Some(progress) = self.progress {
                progress.step();
            }
            if self.rows >= Self::MOST_ROWS {
                return ControlFlow::Break(());
            }
        }
        (self.on_row)(&mut self.state, &Row { values, table: self.table, columns: self.columns });
        ControlFlow::Continue(())
    }

    fn finish(self, database: &Database) -> Result<S, Error> {
        if self.rows < Self::MOST_ROWS {
            return Ok(self.state);
        }
        Err(Error::TooManyRows { path: database.path.clone(), table: self.table.into(), rows: self.rows })
    }
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

impl TableInfo {
    fn position(&self, column: &str) -> Option<usize> {
        self.columns.iter().position(|info| info.name == column)
    }
}

fn list_tables(connection: &Connection, kinds: &str) -> rusqlite::Result<BTreeMap<String, TableInfo>> {
    let sql = format!(
        "SELECT t.name, t.rootpage, t.sql, c.name, c.type, c.dflt_value, c.pk, c.hidden, t.type, l.wr \
               FROM sqlite_schema AS t, pragma_table_xinfo(t.name) AS c, pragma_table_list(t.name) AS l \
               WHERE t.type IN ({kinds}) AND l.schema = 'main' ORDER BY t.name, c.cid"
    );
    let mut statement = connection.prepare(&sql)?;
    let mut rows = statement.query([])?;
    let mut tables: BTreeMap<String, TableInfo> = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let root_page = row.get::<_, Option<i64>>(1)?.and_then(|page| u32::try_from(page).ok());
        let is_view = row.get_ref(8)?.as_str()? == "view";
        let has_row_ids = !is_view && row.get::<_, i64>(9)? == 0;
        let info = tables.entry(row.get(0)?).or_insert_with(|| TableInfo {
            root_page: root_page.unwrap_or(0),
            is_view,
            has_row_ids,
            is_plain: has_row_ids,
            ..TableInfo::default()
        });
        let declared_type = row.get::<_, Option<String>>(4)?.unwrap_or_default().to_ascii_uppercase();
        let has_default = row.get_ref(5)? != rusqlite::types::ValueRef::Null;
        let key: i64 = row.get(6)?;
        let is_hidden = row.get::<_, i64>(7)? != 0;
        let is_real = ["REAL", "FLOA", "DOUB"].iter().any(|part| declared_type.contains(part));
        let create: String = row.get::<_, Option<String>>(2)?.unwrap_or_default().to_ascii_uppercase();
        // `INTEGER PRIMARY KEY DESC` is not a row id, for historical reasons.
        let is_unclear_key = key > 0 && create.contains("DESC");
        info.is_plain &= !(is_hidden || is_unclear_key);
        if key > 0 {
            // With a second key column, neither column is the row id.
            info.row_id = match info.row_id {
                None if key == 1 && declared_type == "INTEGER" => Some(info.columns.len()),
                _ => None,
            };
            info.is_plain &= key == 1;
        }
        if !is_hidden {
            info.columns.push(ColumnInfo { name: row.get(3)?, is_plain: !(has_default || is_real) });
        }
    }
    Ok(tables)
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

/// Checks that a path names a regular file.
///
/// # Errors
/// If there is nothing with this name, or a directory, a pipe, a socket or a device.
pub fn check_path(path: &Path) -> Result<(), Error> {
    let metadata = match std::fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(Error::NotFound { path: path.into() });
        }
        Err(source) => return Err(Error::Unreadable { path: path.into(), source }),
    };
    if metadata.is_dir() {
        return Err(Error::IsDirectory { path: path.into() });
    }
    if !metadata.is_file() {
        return Err(Error::NotRegular {
            path: path.into(),
            found: crate::small_file::kind_of(metadata.file_type()),
        });
    }
    Ok(())
}

/// All checks that are possible before SQLite opens the file. Returns the size of the file.
pub(crate) fn check_file(path: &Path) -> Result<u64, Error> {
    check_path(path)?;
    let unreadable = |source| Error::Unreadable { path: path.into(), source };
    let file = File::open(path).map_err(unreadable)?;
    let size_bytes = file.metadata().map_err(unreadable)?.len();
    let mut header = Vec::with_capacity(100);
    file.take(100).read_to_end(&mut header).map_err(unreadable)?;
    check_header(path, &header, size_bytes)?;
    check_journals(path)?;
    Ok(size_bytes)
}

/// Checks the 100-byte header described in <https://www.sqlite.org/fileformat.html#the_database_header>.
fn check_header(path: &Path, header: &[u8], found_bytes: u64) -> Result<(), Error> {
    if !header.starts_with(b"SQLite format 3\0") {
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or("");
        return Err(if ["nsys-rep", "qdrep", "qdstrm"].contains(&extension) {
            Error::NsysReport { path: path.into() }
        } else {
            Error::NotSqlite { path: path.into(), found: describe_start(header) }
        });
    }
    let word = |at: usize| header.get(at..at + 4).map_or(0, |b| u32::from_be_bytes([b[0], b[1], b[2], b[3]]));
    let page_size = match header.get(16..18).map(|b| u16::from_be_bytes([b[0], b[1]])) {
        Some(1) => 65536,
        Some(size) => u64::from(size),
        None => 0,
    };
    let page_count_is_valid = word(24) == word(92);
    let expected_bytes = if page_count_is_valid { page_size * u64::from(word(28)) } else { 0 };
    if header.len() < 100 || found_bytes < expected_bytes {
        let expected_bytes = expected_bytes.max(100);
        return Err(Error::Truncated { path: path.into(), expected_bytes, found_bytes });
    }
    Ok(())
}

fn describe_start(header: &[u8]) -> String {
    if header.is_empty() {
        return "the file is empty".into();
    }
    let start: String = String::from_utf8_lossy(&header[..header.len().min(16)])
        .chars()
        .map(|c| if c.is_control() || c == '\u{FFFD}' { '.' } else { c })
        .collect();
    format!("it starts with `{start}`")
}

/// A `-wal` or `-journal` that is not empty may hold rows that the database file lacks.
fn check_journals(path: &Path) -> Result<(), Error> {
    for suffix in ["-wal", "-journal"] {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        let journal = PathBuf::from(name);
        if std::fs::metadata(&journal).is_ok_and(|metadata| metadata.len() > 0) {
            return Err(Error::HotJournal { path: path.into(), journal });
        }
    }
    Ok(())
}
