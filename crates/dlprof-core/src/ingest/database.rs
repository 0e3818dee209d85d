//! Opening an export without ever changing it, and reading its tables in one ordered pass each.

use crate::diagnostics::{Code, Diagnostics};
use crate::error::Error;
use crate::time::{Ns, Span};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// An export that passed the checks of [`Database::open`], and the tables and columns it has.
pub(super) struct Database {
    path: PathBuf,
    uri: String,
    size_bytes: u64,
    tables: BTreeMap<String, Vec<String>>,
}

impl Database {
    /// Opens `path` read-only and lists its tables and columns.
    pub(super) fn open(path: &Path) -> Result<Self, Error> {
        let size_bytes = check_file(path)?;
        let mut database =
            Self { path: path.into(), uri: immutable_uri(path), size_bytes, tables: BTreeMap::new() };
        let connection = database.connect()?;
        database.tables =
            list_tables(&connection).map_err(|source| database.damaged("sqlite_schema", source))?;
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
        self.tables.contains_key(table)
    }

    /// Whether a table of the export has a column.
    pub(super) fn has_column(&self, table: &str, column: &str) -> bool {
        self.tables.get(table).is_some_and(|columns| columns.iter().any(|name| name == column))
    }

    /// Names of all tables, in byte order.
    pub(super) fn tables(&self) -> impl Iterator<Item = &str> {
        self.tables.keys().map(String::as_str)
    }

    /// Largest row id of a table: close to its number of rows, and found without reading it. 0 if it is absent.
    pub(super) fn row_estimate(&self, table: &str) -> Result<u64, Error> {
        if !self.has_table(table) {
            return Ok(0);
        }
        let sql = format!("SELECT max(rowid) FROM {}", quoted(table));
        let largest: Option<i64> = self
            .connect()?
            .query_row(&sql, [], |row| row.get(0))
            .map_err(|source| self.damaged(table, source))?;
        // A row takes at least a few bytes: a forged row id must not make us reserve memory.
        Ok(u64::try_from(largest.unwrap_or(0)).unwrap_or(0).min(self.size_bytes / 8))
    }

    /// Reads the named columns of a table in row order. Columns the table lacks read as NULL.
    /// An absent table has no rows.
    pub(super) fn read(
        &self,
        table: &str,
        columns: &[&str],
        mut on_row: impl FnMut(&Row<'_>),
    ) -> Result<(), Error> {
        if !self.has_table(table) {
            return Ok(());
        }
        let damaged = |source| self.damaged(table, source);
        let connection = self.connect()?;
        let select: Vec<String> = columns
            .iter()
            .map(|column| if self.has_column(table, column) { quoted(column) } else { "NULL".into() })
            .collect();
        // NOT INDEXED: a foreign index that covers the columns would change the order of the rows.
        let sql = format!("SELECT {} FROM {} NOT INDEXED", select.join(", "), quoted(table));
        let mut statement = connection.prepare(&sql).map_err(damaged)?;
        let mut rows = statement.query([]).map_err(damaged)?;
        let mut number: u64 = 0;
        while let Some(row) = rows.next().map_err(damaged)? {
            number += 1;
            if number >= u64::from(u32::MAX) {
                return Err(Error::TooManyRows {
                    path: self.path.clone(),
                    table: table.into(),
                    rows: number,
                });
            }
            on_row(&Row { row, table, columns });
        }
        Ok(())
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

/// One row; columns are numbered as they were asked for.
pub(super) struct Row<'a> {
    row: &'a rusqlite::Row<'a>,
    table: &'a str,
    columns: &'a [&'a str],
}

impl<'a> Row<'a> {
    /// The raw value.
    pub(super) fn value(&self, column: usize) -> ValueRef<'a> {
        self.row.get_ref(column).unwrap_or(ValueRef::Null)
    }

    /// An integer; NULL is `None`, anything else that is no integer is counted and `None`.
    pub(super) fn int(&self, column: usize, diagnostics: &mut Diagnostics) -> Option<i64> {
        match self.value(column) {
            ValueRef::Integer(value) => Some(value),
            ValueRef::Null => None,
            other => {
                let parsed = lenient_integer(other);
                if parsed.is_none() {
                    self.count_bad_value(column, diagnostics);
                }
                parsed
            }
        }
    }

    /// A text, with replacement characters where it is not UTF-8; numbers are written out.
    pub(super) fn text(&self, column: usize) -> Option<String> {
        match self.value(column) {
            ValueRef::Null => None,
            ValueRef::Integer(value) => Some(value.to_string()),
            ValueRef::Real(value) => Some(value.to_string()),
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
                Some(String::from_utf8_lossy(bytes).into_owned())
            }
        }
    }

    /// Start and end as a span. No start, or one that no clock shows: the row is counted and `None`. No end: it is
    /// counted and ends where it starts.
    pub(super) fn span(&self, start: usize, end: usize, diagnostics: &mut Diagnostics) -> Option<Span> {
        let start = self.start(start, diagnostics)?;
        let Some(end) = self.int(end, diagnostics) else {
            diagnostics.count(Code::RowWithoutEnd, || format!("table `{}`, start {start}", self.table));
            return Some(Span::new(start, start));
        };
        Some(self.checked_span(start, end, diagnostics))
    }

    /// A start time; rows without one are counted.
    pub(super) fn start(&self, column: usize, diagnostics: &mut Diagnostics) -> Option<Ns> {
        /// Beyond the year 2090, in nanoseconds since 1970.
        const LATEST: Ns = 4_000_000_000_000_000_000;
        let start = self.int(column, diagnostics).filter(|start| start.abs() <= LATEST);
        if start.is_none() {
            diagnostics.count(Code::RowWithoutTime, || format!("table `{}`", self.table));
        }
        start
    }

    /// A span; an end before the start, or months behind it, is counted and the span empty.
    pub(super) fn checked_span(&self, start: Ns, end: Ns, diagnostics: &mut Diagnostics) -> Span {
        /// Nearly four months.
        const LONGEST: Ns = 10_000_000_000_000_000;
        if (start..=start + LONGEST).contains(&end) {
            return Span::new(start, end);
        }
        diagnostics.count(Code::BadInterval, || format!("table `{}`: start {start}, end {end}", self.table));
        Span::new(start, start)
    }

    /// Counts a cell that could not be used.
    pub(super) fn count_bad_value(&self, column: usize, diagnostics: &mut Diagnostics) {
        let kind = self.value(column).data_type();
        diagnostics.count(Code::BadValue, || {
            format!("table `{}`, column `{}`: {kind}", self.table, self.columns[column])
        });
    }
}

/// Integers that another program stored as a text or as a float.
fn lenient_integer(value: ValueRef<'_>) -> Option<i64> {
    /// 2^53: integers beyond it are not exact in a float.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match value {
        ValueRef::Integer(value) => Some(value),
        #[expect(clippy::cast_possible_truncation, reason = "the range is checked")]
        ValueRef::Real(value) if value.abs() <= EXACT && value.fract().abs() < f64::EPSILON => {
            Some(value as i64)
        }
        ValueRef::Text(bytes) => std::str::from_utf8(bytes).ok()?.trim().parse().ok(),
        _ => None,
    }
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn list_tables(connection: &Connection) -> rusqlite::Result<BTreeMap<String, Vec<String>>> {
    let sql = "SELECT t.name, c.name FROM sqlite_schema AS t, pragma_table_info(t.name) AS c \
               WHERE t.type = 'table' ORDER BY t.name, c.cid";
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query([])?;
    let mut tables: BTreeMap<String, Vec<String>> = BTreeMap::new();
    while let Some(row) = rows.next()? {
        tables.entry(row.get(0)?).or_default().push(row.get(1)?);
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

/// Everything that can be said before SQLite looks at the file. Returns its size.
fn check_file(path: &Path) -> Result<u64, Error> {
    let unreadable = |source| Error::Unreadable { path: path.into(), source };
    let metadata = match std::fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(Error::NotFound { path: path.into() });
        }
        Err(error) => return Err(unreadable(error)),
    };
    if metadata.is_dir() {
        return Err(Error::IsDirectory { path: path.into() });
    }
    let mut header = Vec::with_capacity(100);
    File::open(path).map_err(unreadable)?.take(100).read_to_end(&mut header).map_err(unreadable)?;
    check_header(path, &header, metadata.len())?;
    check_journals(path)?;
    Ok(metadata.len())
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
