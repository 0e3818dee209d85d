//! Reports of `nsys stats` as text: CSV, JSON, TSV, columns, tables and HTML, byte for byte as nsys writes them.
//!
//! A format knows nothing of reports: it writes columns and cells. With [`NsysForm::Right`], absent values are null, texts are
//! escaped, and a report without rows still has its header.

mod arguments;
mod cells;
mod html;
mod json;
mod separated;
mod tables;

pub use arguments::FormatArguments;
use dlprof_core::{NsysForm, NsysReport};
use std::io::{self, Write};

/// A form of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatsFormat {
    /// Values separated by commas.
    Csv,
    /// An array of objects.
    Json,
    /// Values separated by tabs.
    Tsv,
    /// Columns for a terminal.
    Column,
    /// Columns with lines between them.
    Table,
    /// A whole HTML page.
    HtmlDocument,
    /// An HTML table.
    HtmlTable,
}

impl StatsFormat {
    /// All formats, by the name that nsys gives them.
    pub const ALL: [(&'static str, Self); 7] = [
        ("column", Self::Column),
        ("table", Self::Table),
        ("csv", Self::Csv),
        ("tsv", Self::Tsv),
        ("json", Self::Json),
        ("hdoc", Self::HtmlDocument),
        ("htable", Self::HtmlTable),
    ];

    /// What may follow its name, as nsys writes it, and what it is.
    #[must_use]
    pub fn usage(self) -> (&'static str, &'static str) {
        match self {
            Self::Csv => ("csv[:nohdr]", "values separated by commas"),
            Self::Json => ("json", "an array of objects"),
            Self::Tsv => ("tsv[:nohdr][:esc]", "values separated by tabs; esc: a tab in a text is \\t"),
            Self::Column => ("column[:nohdr][:nolimit][:nofmt][:WIDTH]...", "columns for a terminal"),
            Self::Table => ("table[:nohdr][:nolimit][:nofmt][:WIDTH]...", "columns with lines between them"),
            Self::HtmlDocument => ("hdoc[:title=TITLE][:css=URL]", "an HTML page"),
            Self::HtmlTable => ("htable", "an HTML table"),
        }
    }

    /// How names of files end.
    #[must_use]
    pub fn ending(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Json => "json",
            Self::Tsv => "tsv",
            Self::Column | Self::Table => "txt",
            Self::HtmlDocument | Self::HtmlTable => "html",
        }
    }
}

/// The unit of times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StatsTimeUnit {
    /// Nanoseconds.
    #[default]
    Nanoseconds,
    /// Microseconds.
    Microseconds,
    /// Milliseconds.
    Milliseconds,
    /// Seconds.
    Seconds,
}

/// How a report is written.
#[derive(Debug, Clone, Copy)]
pub struct Layout<'a> {
    /// Whose text it is.
    pub form: NsysForm,
    /// The unit of times.
    pub time_unit: StatsTimeUnit,
    /// Title above columns and tables.
    pub title: &'a str,
    /// The name of the report, after the title.
    pub name: &'a str,
    /// What follows the name of the format.
    pub arguments: &'a FormatArguments,
}

/// Writes a report. A report without rows has no text, unless the form is nsys 2020 or the right one.
///
/// # Errors
/// If `out` refuses to be written to.
pub fn write_report(
    report: &NsysReport<'_>,
    format: StatsFormat,
    layout: &Layout<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    if report.is_empty() && !matches!(layout.form, NsysForm::V2020 | NsysForm::Right) {
        return Ok(());
    }
    match format {
        StatsFormat::Csv => separated::write(report, separated::Separator::Comma, layout, out),
        StatsFormat::Tsv => separated::write(report, separated::Separator::Tab, layout, out),
        StatsFormat::Json => json::write(report, layout, out),
        StatsFormat::Column => tables::write_columns(report, layout, out),
        StatsFormat::Table => tables::write_table(report, layout, out),
        StatsFormat::HtmlDocument => html::write_document(report, layout, out),
        StatsFormat::HtmlTable => html::write_table(report, layout, out),
    }
}
