//! A workbook: a first sheet with the answer and charts, a sheet per table, a sheet with the meanings of columns.

mod arranged;
mod cells;
mod charts;
mod faults;
mod front;
mod grid;
mod links;
mod meanings;
mod sentences;
mod sheet;
mod sheet_names;
mod top;

use crate::dates;
use crate::display::TimeUnit;
use crate::error::Error;
use crate::overview::overview;
use arranged::Arranged;
use dlprof_core::{Judged, Profile, Table};
use faults::Patient;
pub use faults::catches_panics;
use rust_xlsxwriter::{DocProperties, ExcelDateTime, Workbook, XlsxError};
pub(crate) use sentences::{SavingFinding, Sentences};
use std::io;
use std::path::Path;

/// Compression level, from 0 to 9, of files with long sheets.
const COMPRESSION: u8 = 2;

/// Who wrote a workbook.
const AUTHOR: &str = concat!("dlprof-agg ", env!("CARGO_PKG_VERSION"));

/// Writes a workbook with a dashboard and the given tables to a new file.
///
/// # Errors
/// If the file exists, the system refuses to write, or a sheet cannot be made.
pub fn write(
    judged: &Judged,
    title: &str,
    tables: &[Box<dyn Table + '_>],
    time_unit: TimeUnit,
    path: &Path,
) -> Result<(), Error> {
    save(path, || workbook(judged, title, tables, time_unit, path))
}

/// Writes a workbook whose first sheet has sentences instead of a dashboard.
///
/// # Errors
/// If the file exists, the system refuses to write, or a sheet cannot be made.
pub(crate) fn write_with_sentences(
    sentences: &Sentences,
    tables: &[Box<dyn Table + '_>],
    time_unit: TimeUnit,
    path: &Path,
) -> Result<(), Error> {
    save(path, || {
        let mut workbook = new_workbook(tables, path)?;
        workbook.set_properties(&undated(&sentences.title)?);
        let sheets = Sheets::new(tables, time_unit)?;
        sentences.add(&mut workbook, &sheets.links)?;
        sheets.add(&mut workbook)?;
        Ok(workbook)
    })
}

/// Writes a workbook of a table that belongs to no capture, with the meanings of its columns. It has no dashboard, and no date, so
/// that the same table gives the same bytes.
///
/// # Errors
/// If a sheet cannot be made, or `out` cannot be written to.
pub fn write_table_workbook(
    table: Box<dyn Table + '_>,
    title: &str,
    time_unit: TimeUnit,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let tables = [table];
    let make = || {
        let mut workbook = Workbook::new();
        workbook.set_properties(&undated(title)?);
        Sheets::new(&tables, time_unit)?.add(&mut workbook)?;
        workbook.save_to_buffer()
    };
    let bytes = faults::caught(|| make().map_err(io_error))?;
    out.write_all(&bytes)
}

/// Title and author. The writer takes today for a date that is not given, so there is one that says nothing.
fn undated(title: &str) -> Result<DocProperties, XlsxError> {
    let no_date = ExcelDateTime::from_timestamp(0)?;
    Ok(DocProperties::new().set_title(title).set_author(AUTHOR).set_creation_datetime(&no_date))
}

fn save(path: &Path, make: impl FnOnce() -> Result<Workbook, XlsxError>) -> Result<(), Error> {
    let failed = |source| Error::Write { path: path.into(), source };
    let made = || make().map_err(io_error);
    let mut workbook = faults::caught(made).map_err(failed)?;
    crate::target::create_with(path, |out| {
        let mut out = Patient::new(out);
        let saved = faults::caught(|| workbook.save_to_writer(&mut out).map_err(io_error));
        // What the disk refuses comes first: the other error may follow from it.
        out.finish().and(saved)
    })
}

/// The error of the system, if that is what happened.
fn io_error(error: XlsxError) -> io::Error {
    match error {
        XlsxError::IoError(error) | XlsxError::TempFileError(_, error) => error,
        error => io::Error::other(error),
    }
}

fn workbook(
    judged: &Judged,
    title: &str,
    tables: &[Box<dyn Table + '_>],
    time_unit: TimeUnit,
    path: &Path,
) -> Result<Workbook, XlsxError> {
    let mut workbook = new_workbook(tables, path)?;
    workbook.set_properties(&properties(judged, title)?);
    let empty: Vec<&str> =
        tables.iter().filter(|table| table.rows() == 0).map(|table| table.title()).collect();
    let sheets = Sheets::new(tables, time_unit)?;
    let overview = overview(judged, time_unit);
    let unit = cells::unit_of_sheet(overview.tiles.iteration_ns, time_unit);
    let figures = charts::Figures::of(judged, &overview, unit);
    front::add(&mut workbook, &overview, title, &figures, &sheets.links, &empty)?;
    sheets.add(&mut workbook)?;
    figures.add(&mut workbook)?;
    Ok(workbook)
}

/// A workbook without sheets.
fn new_workbook(tables: &[Box<dyn Table + '_>], path: &Path) -> Result<Workbook, XlsxError> {
    let mut workbook = Workbook::new();
    // Long sheets are first written to a temporary file. It is beside the output, because there must be room
    // anyway.
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    workbook.set_tempdir(folder)?;
    if tables.iter().any(|table| table.rows() > sheet::HUGE) {
        // Time matters more than size here.
        workbook.use_zip_large_file(true).set_zip_compression_level(COMPRESSION);
    }
    Ok(workbook)
}

/// The tables with rows, and the names of their sheets.
struct Sheets<'a> {
    tables: Vec<Arranged<'a>>,
    names: Vec<String>,
    links: links::Links,
}

impl<'a> Sheets<'a> {
    fn new(tables: &'a [Box<dyn Table + '_>], time_unit: TimeUnit) -> Result<Self, XlsxError> {
        let tables: Vec<Arranged<'_>> = tables
            .iter()
            .filter(|table| table.rows() > 0)
            .map(|table| Arranged::new(table.as_ref(), time_unit))
            .collect::<Result<_, _>>()
            .map_err(io::Error::other)?;
        let names = sheet_names::sheet_names(&tables);
        let links = links::Links::new(&tables, &names);
        Ok(Self { tables, names, links })
    }

    /// Adds a sheet per table, and one with the meanings of columns.
    fn add(&self, workbook: &mut Workbook) -> Result<(), XlsxError> {
        for (table, name) in self.tables.iter().zip(&self.names) {
            sheet::add(workbook, table, name, &self.links)?;
        }
        if self.tables.is_empty() { Ok(()) } else { meanings::add(workbook, &self.tables, &self.names) }
    }
}

/// Title, author, and the date of the capture; if the export does not say it, of the export. So the same export gives the same
/// bytes.
fn properties(profile: &Profile, title: &str) -> Result<DocProperties, XlsxError> {
    let undated = undated(title)?;
    let date = dates::of_capture_or_file(profile).map(ExcelDateTime::from_timestamp);
    Ok(match date {
        Some(Ok(date)) => undated.set_creation_datetime(&date),
        _ => undated,
    })
}
