//! The list of formats. All code that offers, describes or looks up a format uses this list.

use std::path::{Path, PathBuf};

/// A format of one table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// Comma-separated values (RFC 4180) with keys as header.
    Csv,
    /// Tab-separated values with keys as header: pastes into a spreadsheet.
    Tsv,
    /// An array of objects.
    Json,
    /// An object per line.
    Ndjson,
    /// A table in Markdown, with titles.
    Markdown,
    /// Apache Parquet; no text.
    Parquet,
    /// Apache Arrow IPC file; no text.
    Arrow,
}

/// A format of all tables in one file, or of a file for another tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Together {
    /// All tables as one JSON document.
    Document,
    /// All tables as a workbook, with a dashboard.
    Workbook,
    /// A report to print and to hand over.
    Pdf,
    /// A page with all tables, to sort and filter.
    Html,
    /// A database as DLProf 1.8.0 wrote it.
    Dlprof,
    /// What ran when, for Perfetto.
    Trace,
    /// What ran when, for the Firefox Profiler.
    Firefox,
    /// Collapsed stacks.
    Folded,
    /// Stacks for speedscope.
    Speedscope,
    /// Event files for TensorBoard.
    Events,
    /// Text for Prometheus.
    Prometheus,
    /// Markdown for a job summary of GitHub Actions, to which it is appended.
    StepSummary,
}

impl Together {
    /// Whether the tables are in the file. The other formats have figures of their own, for other tools.
    #[must_use]
    pub fn has_tables(self) -> bool {
        matches!(self, Self::Document | Self::Workbook | Self::Pdf | Self::Html)
    }
}

/// A format of files.
#[derive(Debug, PartialEq, Eq)]
pub struct FileFormat {
    /// The ending of its files, which is also its name on the command line.
    pub ending: &'static str,
    /// Other endings and names.
    pub other_names: &'static [&'static str],
    /// What it is, in a few words.
    pub doc: &'static str,
    /// How a file holds one table; `None` if it always holds all.
    pub table: Option<Format>,
    /// How a file holds all tables or what another tool reads; `None` if it holds one table.
    pub together: Option<Together>,
    /// Whether it is text that may be printed.
    pub is_text: bool,
}

const fn of_table(ending: &'static str, format: Format, doc: &'static str) -> FileFormat {
    FileFormat { ending, other_names: &[], doc, table: Some(format), together: None, is_text: true }
}

const fn of_all(ending: &'static str, together: Together, doc: &'static str) -> FileFormat {
    FileFormat { ending, other_names: &[], doc, table: None, together: Some(together), is_text: false }
}

/// Every format, in the order in which formats are listed.
pub static FORMATS: &[FileFormat] = &[
    of_table("csv", Format::Csv, "Comma-separated values"),
    of_table("tsv", Format::Tsv, "Tab-separated values: pastes into a spreadsheet"),
    FileFormat {
        together: Some(Together::Document),
        ..of_table("json", Format::Json, "JSON: a table is an array of objects, all tables are one document")
    },
    FileFormat { other_names: &["jsonl"], ..of_table("ndjson", Format::Ndjson, "A JSON object per line") },
    FileFormat { other_names: &["markdown"], ..of_table("md", Format::Markdown, "A table in Markdown") },
    FileFormat { is_text: false, ..of_table("parquet", Format::Parquet, "Apache Parquet") },
    FileFormat { is_text: false, ..of_table("arrow", Format::Arrow, "Apache Arrow IPC") },
    FileFormat {
        other_names: &["collapsed"],
        is_text: true,
        ..of_all(
            "folded",
            Together::Folded,
            "Collapsed stacks for flame graphs: GPU time by module path, op and kernel",
        )
    },
    FileFormat {
        other_names: &["speedscope"],
        is_text: true,
        ..of_all("speedscope.json", Together::Speedscope, "The same stacks for speedscope")
    },
    FileFormat {
        other_names: &["tensorboard"],
        ..of_all("tfevents", Together::Events, "Event files for TensorBoard: scalars per iteration")
    },
    FileFormat {
        other_names: &["prometheus"],
        is_text: true,
        ..of_all("prom", Together::Prometheus, "The figures of the dashboard as text for Prometheus")
    },
    FileFormat {
        is_text: true,
        ..of_all(
            "step-summary",
            Together::StepSummary,
            "The dashboard in Markdown, appended to the job summary of GitHub Actions",
        )
    },
    of_all("xlsx", Together::Workbook, "A workbook with a dashboard and a sheet per table"),
    of_all("pdf", Together::Pdf, "A report to hand over: dashboard with charts, findings, main tables"),
    FileFormat {
        other_names: &["htm"],
        ..of_all(
            "html",
            Together::Html,
            "A page with dashboard, charts, findings, and tables to sort and filter",
        )
    },
    FileFormat {
        other_names: &["dldb"],
        ..of_all(
            "sqlite",
            Together::Dlprof,
            "A database as DLProf 1.8.0 wrote it (`dlprof_dldb.sqlite`), for its viewer and scripts",
        )
    },
    FileFormat {
        other_names: &["trace", "trace.json.gz", "json.gz"],
        is_text: true,
        ..of_all(
            "trace.json",
            Together::Trace,
            "A trace for Perfetto and chrome://tracing: what ran when, with arrows from calls to kernels",
        )
    },
    FileFormat {
        other_names: &["firefox", "firefox.json.gz"],
        is_text: true,
        ..of_all("firefox.json", Together::Firefox, "The same for the Firefox Profiler, with CPU samples")
    },
];

impl FileFormat {
    /// The format with a name or an ending, in small or capital letters.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        let is_name = |known: &str| known.eq_ignore_ascii_case(name);
        FORMATS
            .iter()
            .find(|format| is_name(format.ending) || format.other_names.iter().any(|name| is_name(name)))
    }

    /// The format that the ending of a path names. The longest ending counts, so `a.trace.json` is not JSON. TensorBoard reads
    /// files with `tfevents` anywhere in their name, so these are event files.
    ///
    /// # Errors
    /// If it names none.
    pub fn of_path(path: &Path) -> Result<&'static Self, FormatError> {
        let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
        let ends = |ending: &str| {
            name.strip_suffix(ending).is_some_and(|stem| stem.len() > 1 && stem.ends_with('.'))
        };
        let endings = FORMATS.iter().flat_map(|format| {
            let names = format.other_names.iter().chain([&format.ending]);
            names.filter(|ending| ends(ending)).map(move |ending| (ending.len(), format))
        });
        let by_ending = endings.max_by_key(|&(length, _)| length).map(|(_, format)| format);
        let by_name = || FORMATS.iter().find(|format| format.is_named_inside(&name));
        by_ending.or_else(by_name).ok_or_else(|| FormatError::Unknown { path: path.into() })
    }

    /// Whether the tool that reads the format finds its files by a part of their name, and this name has it.
    pub(crate) fn is_named_inside(&self, file_name: &str) -> bool {
        self.together == Some(Together::Events) && file_name.contains(self.ending)
    }
}

impl Format {
    /// The format of one table that the ending of a path names.
    ///
    /// # Errors
    /// If it names none, or one that always holds all tables.
    pub fn of_path(path: &Path) -> Result<Self, FormatError> {
        let format = FileFormat::of_path(path).ok().and_then(|format| format.table);
        format.ok_or_else(|| FormatError::NotOfOneTable { path: path.into() })
    }

    /// The ending of its files.
    #[must_use]
    pub fn extension(self) -> &'static str {
        FORMATS.iter().find(|format| format.table == Some(self)).map_or("", |format| format.ending)
    }
}

/// The endings of the formats for which a condition holds, separated by commas.
#[must_use]
pub fn endings(is_wanted: fn(&FileFormat) -> bool) -> String {
    let endings: Vec<&str> = FORMATS.iter().filter(|one| is_wanted(one)).map(|one| one.ending).collect();
    endings.join(", ")
}

/// Why a path cannot be written in the requested format.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FormatError {
    /// The ending names no format.
    #[error("the ending of `{}` names no format", path.display())]
    Unknown {
        /// The path.
        path: PathBuf,
    },
    /// A path without an ending that is not a folder.
    #[error("`{}` has no ending that sets a format, and it is not a folder", path.display())]
    NoEnding {
        /// The path.
        path: PathBuf,
    },
    /// The ending names no format, or one that always holds all tables.
    #[error("the ending of `{}` names no format of one table", path.display())]
    NotOfOneTable {
        /// The path.
        path: PathBuf,
    },
    /// A format of one file, and a folder.
    #[error("`{}` is a folder, but this format writes one file", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
    },
    /// A name that TensorBoard does not find.
    #[error("`{}` is not a name of an event file: TensorBoard reads files with `tfevents` in their name", path.display())]
    NoEventFile {
        /// The file.
        path: PathBuf,
    },
    /// A format that holds one table, and several tables.
    #[error("`{}` can hold one table, but {tables} tables are exported", path.display())]
    ManyTables {
        /// The file.
        path: PathBuf,
        /// How many tables were asked for.
        tables: usize,
        /// The ending of the format.
        ending: &'static str,
    },
}

impl FormatError {
    /// What the user can do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::Unknown { .. } => format!("known endings are {}; or use `--format`", endings(|_| true)),
            Self::NoEnding { path } => format!(
                "add one of the endings {}; or make it a folder with a slash: `{}/`",
                endings(|_| true),
                path.display()
            ),
            Self::NotOfOneTable { .. } => {
                format!("known endings are {}", endings(|format| format.table.is_some()))
            }
            Self::Folder { .. } => {
                "give a file name, such as `profile.json`, `profile.xlsx` or `profile.pdf`".into()
            }
            Self::NoEventFile { path } => format!(
                "name it `{}`, or make it a folder with a slash: `{}/`",
                path.with_extension("tfevents").display(),
                path.display()
            ),
            Self::ManyTables { ending, .. } => {
                format!(
                    "choose one table with `--tables NAME`, or give a folder, with a slash at its end: `-o DIR/ --format \
                     {ending}`"
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_name_is_used_once_and_found() {
        let mut names = BTreeSet::new();
        for format in FORMATS {
            for name in format.other_names.iter().chain([&format.ending]) {
                assert!(names.insert(*name), "{name}");
                assert_eq!(FileFormat::named(&name.to_uppercase()), Some(format));
            }
            assert!(format.table.is_some() || format.together.is_some());
            assert!(format.table.is_none_or(|table| table.extension() == format.ending));
        }
        assert_eq!(FileFormat::named("docx"), None);
    }

    #[test]
    fn endings_are_listed() {
        let has_tables = |format: &FileFormat| format.together.is_some_and(Together::has_tables);
        assert_eq!(endings(has_tables), "json, xlsx, pdf, html");
    }

    #[test]
    fn the_longest_ending_counts() {
        let ending = |path: &str| FileFormat::of_path(Path::new(path)).map(|format| format.ending).ok();
        assert_eq!(ending("a.json"), Some("json"));
        for trace in ["a.json.gz", "a.trace.json", "v1.2/run.3.TRACE.json.gz", "a.trace"] {
            assert_eq!(ending(trace), Some("trace.json"), "{trace}");
        }
        assert_eq!(ending("a.firefox.json"), Some("firefox.json"));
        assert_eq!(ending("a.firefox.json.gz"), Some("firefox.json"));
        assert_eq!(ending("trace.json"), Some("json"));
        assert_eq!(ending("a.csv.gz"), None);
        assert_eq!(ending("run.1/a.Speedscope.JSON"), Some("speedscope.json"));
        assert_eq!(ending("speedscope.json"), Some("json"));
        assert_eq!(ending("a.speedscope"), Some("speedscope.json"));
        assert_eq!(ending("a.collapsed"), Some("folded"));
        assert_eq!(ending("logs/events.out.tfevents.1758814926.host"), Some("tfevents"));
        assert_eq!(ending("a.tfevents.csv"), Some("csv"));
        assert_eq!(ending("tfevents.1/a.host"), None);
        assert_eq!(ending("csv"), None);
        assert_eq!(ending(".csv"), None);
    }
}
