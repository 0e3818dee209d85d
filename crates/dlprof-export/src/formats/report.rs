//! The contents that reports for people share in all formats: tables, columns, rows, and notes on what is left out.

use super::pdf::face::Font;
use crate::display::{TimeUnit, grouped};
use dlprof_core::{
    CaptureContents, Definition, Diagnostic, Judged, Selection, Table, View, definition, hint_in,
};
use std::io;

/// Options of a report.
#[derive(Debug, Clone, Copy)]
pub struct Options<'a> {
    /// Which tables a PDF holds.
    pub tables: Tables,
    /// Maximum number of rows of a table; 0 means all, `None` means the default of the format.
    pub most_rows: Option<usize>,
    /// Unit of times.
    pub time_unit: TimeUnit,
    /// A font for characters that the built-in font lacks; HTML does not use it.
    pub font: Option<&'a Font>,
}

/// Which tables a PDF holds. An HTML page holds the given tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tables {
    /// The most important tables, with their main columns.
    Usual,
    /// The given tables, with all columns.
    Chosen,
}

/// The tables after the lists of kernels and ops. Their declarations say which columns a report shows.
const USUAL: [&str; 2] = ["gpus", "iterations"];

/// A table as a report shows it.
pub(crate) struct Section<'a> {
    pub(crate) view: View<'a>,
    /// What is not shown.
    pub(crate) notes: Vec<String>,
}

/// The usual tables of a profile.
pub(crate) fn usual_tables<'a>(judged: &'a Judged) -> Vec<Box<dyn Table + 'a>> {
    usual_definitions().map(|table| (table.build)(judged)).collect()
}

/// The definitions of the usual tables.
pub(crate) fn usual_definitions() -> impl Iterator<Item = &'static Definition> {
    USUAL.into_iter().filter_map(definition)
}

/// The part of each table that is shown, at most `most_rows` rows.
pub(crate) fn sections<'a>(
    tables: &'a [Box<dyn Table + 'a>],
    which: Tables,
    most_rows: usize,
) -> io::Result<Vec<Section<'a>>> {
    let section = |table: &'a (dyn Table + 'a)| {
        let owned = |keys: &[&str]| keys.iter().map(|&key| key.to_owned()).collect::<Vec<String>>();
        let columns = match which {
            Tables::Usual => owned(table.layout().report),
            Tables::Chosen => Vec::new(),
        };
        // Rows keep the order of the table, unless only some of them are shown.
        let mut sort = Vec::new();
        let mut notes = Vec::new();
        if most_rows > 0 && table.rows() > most_rows {
            let (keys, which) = most_telling(table);
            sort = owned(keys);
            notes.push(format!(
                "{} of {} rows are shown, {which}. Data files, such as CSV, Parquet or XLSX, hold all of them.",
                grouped(&most_rows.to_string()),
                grouped(&table.rows().to_string())
            ));
        }
        if !columns.is_empty() {
            let headers = (0..table.columns()).map(|at| table.header(at));
            let left_out: Vec<&str> = headers
                .filter(|header| !columns.iter().any(|key| key == header.key))
                .map(|header| header.title)
                .collect();
            notes.push(format!("Columns not shown: {}.", left_out.join(", ")));
        }
        let top = (most_rows > 0).then_some(most_rows);
        let selection = Selection { columns: &columns, sort: &sort, conditions: &[], top };
        let view = View::new(table, &selection).map_err(io::Error::other)?;
        Ok(Section { view, notes })
    };
    tables.iter().map(|table| section(table.as_ref())).collect()
}

/// Which rows are shown if there are too many: how to sort the table, and what to call these rows.
fn most_telling(table: &dyn Table) -> (&'static [&'static str], &'static str) {
    let has = |key: &str| (0..table.columns()).any(|at| table.header(at).key == key);
    if has("aggregated") {
        (&["-aggregated"], "those aggregated first")
    } else if has("wait_sum_ns") {
        (&["-wait_sum_ns"], "those with most waiting")
    } else if has("gpu_time_ns") {
        (&["-gpu_time_ns"], "those with most GPU time")
    } else {
        (&[], "the first ones")
    }
}

/// A diagnostic as one sentence.
pub(crate) fn note(diagnostic: &Diagnostic, capture: Option<&CaptureContents>) -> String {
    let code = diagnostic.code;
    let counted = if diagnostic.count == 1 { String::new() } else { format!("{} × ", diagnostic.count) };
    let hint = hint_in(code, capture).map_or_else(String::new, |hint| format!("; {hint}"));
    format!("{} {}: {counted}{}{hint}", code.severity().as_str(), code.key(), code.meaning())
}
