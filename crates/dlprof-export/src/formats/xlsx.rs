//! A workbook: a first sheet with the answer and charts, a sheet per table, a sheet with the meanings of columns.

mod arranged;
mod cells;
mod charts;
mod front;
mod grid;
mod links;
mod meanings;
mod names;
mod sheet;
mod top;

use crate::display::TimeUnit;
use crate::error::Error;
use crate::overview::overview;
use arranged::Arranged;
use dlprof_core::profile::Profile;
use dlprof_core::tables::Table;
use rust_xlsxwriter::{DocProperties, ExcelDateTime, Workbook, XlsxError};
use std::path::Path;

/// Compression level, from 0 to 9, of files with long sheets.
const COMPRESSION: u8 = 2;

/// Writes a workbook with a dashboard and the given tables.
///
/// # Errors
/// If the system refuses to write, or a sheet cannot be made.
pub fn write(
    profile: &Profile,
    title: &str,
    tables: &[Box<dyn Table + '_>],
    path: &Path,
) -> Result<(), Error> {
    let failed =
        |source: XlsxError| Error::Write { path: path.into(), source: std::io::Error::other(source) };
    let mut workbook = workbook(profile, title, tables, path).map_err(failed)?;
    crate::target::write_with(path, |out| workbook.save_to_writer(out).map_err(std::io::Error::other))
}

fn workbook(
    profile: &Profile,
    title: &str,
    tables: &[Box<dyn Table + '_>],
    path: &Path,
) -> Result<Workbook, XlsxError> {
    let mut workbook = Workbook::new();
    // Long sheets are first written to a temporary file. It is beside the output, because there must be room
    // anyway.
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    workbook.set_tempdir(folder)?;
    // A fixed date: the same profile gives the same bytes.
    let date = ExcelDateTime::from_ymd(2000, 1, 1)?;
    let creator = concat!("dlprof-agg ", env!("CARGO_PKG_VERSION"));
    let properties = DocProperties::new().set_title(title).set_author(creator).set_creation_datetime(&date);
    workbook.set_properties(&properties);
    if tables.iter().any(|table| table.rows() > sheet::HUGE) {
        // Time matters more than size here.
        workbook.use_zip_large_file(true).set_zip_compression_level(COMPRESSION);
    }
    let tables: Vec<Arranged<'_>> = tables.iter().map(|table| Arranged::new(table.as_ref())).collect();
    let names = names::sheet_names(&tables);
    let links = links::Links::new(&tables, &names);
    let overview = overview(profile, TimeUnit::Auto);
    let figures = charts::Figures::of(profile, &overview);
    front::add(&mut workbook, &overview, title, &figures, &links)?;
    for (table, name) in tables.iter().zip(&names) {
        sheet::add(&mut workbook, table, name, &links)?;
    }
    meanings::add(&mut workbook, &tables, &names)?;
    figures.add(&mut workbook)?;
    Ok(workbook)
}
