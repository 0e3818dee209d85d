//! What is asked for: for each report, its format and where it goes.

use super::{RowFilter, Stats};
use crate::exit::Failure;
use dlprof_core::{NsysFilter, NsysForm, NsysRangeFilter, NsysRefusal, NsysRequest, default_nsys_reports};
use dlprof_export::{NsysFormatArguments, StatsFormat, Target};
use std::path::{Path, PathBuf};

/// A report, its format and where it goes.
pub(super) struct Order {
    /// What is asked for.
    pub(super) request: NsysRequest,
    /// The name of the report, as the user wrote it.
    pub(super) name: String,
    /// The format.
    pub(super) format: StatsFormat,
    /// What follows the name of the format.
    pub(super) arguments: NsysFormatArguments,
    /// Where the text goes.
    pub(super) output: Output,
    /// What messages call the export.
    pub(super) file: String,
}

/// Where a text goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Output {
    /// Standard output.
    Console,
    /// A file.
    File(Target),
    /// The standard input of a command.
    Command(Vec<String>),
}

impl Order {
    /// The line that says what is done.
    pub(super) fn processing(&self) -> String {
        let to = match &self.output {
            Output::File(target) => format!(" to [{}]", target.path().display()),
            Output::Command(words) => format!(" to [@{}]", words.join(" ")),
            Output::Console => String::new(),
        };
        format!("Processing [{}] with [{}]{to}... \n", self.file, self.name)
    }

    /// From 2022 on, nsys leaves an empty file for a report that it skips.
    pub(super) fn leave_empty(&self, form: NsysForm) -> Result<(), Failure> {
        match &self.output {
            Output::File(target) if !matches!(form, NsysForm::V2020 | NsysForm::Right) => {
                Ok(target.write(|_| Ok(()))?)
            }
            _ => Ok(()),
        }
    }
}

/// The orders, and what nsys says about reports that do not exist or arguments that they do not take. Files that must not
/// be overwritten are an error.
pub(super) fn of(asked: &Stats) -> Result<(Vec<Order>, Vec<String>), Failure> {
    let (file, form) = (&asked.file.path, asked.form);
    let names: Vec<String> = match &asked.reports[..] {
        [] => default_nsys_reports(form).filter_map(|entry| entry.name_in(form)).map(str::to_owned).collect(),
        names => names.to_vec(),
    };
    let filter = filter(&asked.filter);
    let checked = |path: PathBuf| Target::new(&path, asked.overwrite, &asked.inputs).map(Output::File);
    let (mut orders, mut refused) = (Vec::new(), Vec::new());
    for (place, text) in names.iter().enumerate() {
        let output = nth(&asked.outputs, place).unwrap_or("-");
        let (format, arguments) = format(nth(&asked.formats, place).unwrap_or("."), output)?;
        match NsysRequest::parse(text, form) {
            Ok(request) => {
                let output = match where_to(output, file, &suffix(text, &asked.filter), format) {
                    Goal::Console => Output::Console,
                    Goal::Command(words) => Output::Command(words),
                    Goal::File(path) => checked(path)?,
                };
                let name = text.split(':').next().unwrap_or(text).to_owned();
                orders.push(Order {
                    request: NsysRequest { filter: filter.clone(), ..request },
                    name,
                    format,
                    arguments,
                    output,
                    file: file.display().to_string(),
                });
            }
            Err(NsysRefusal::Skipped(message) | NsysRefusal::Failed(message)) => refused.push(message),
        }
    }
    Ok((orders, refused))
}

/// The value for a report: its own, or the last.
fn nth(values: &[String], place: usize) -> Option<&str> {
    values.get(place).or(values.last()).map(String::as_str)
}

fn format(text: &str, output: &str) -> Result<(StatsFormat, NsysFormatArguments), Failure> {
    let (name, arguments) = text.split_once(':').unwrap_or((text, ""));
    let usual = if output == "-" { StatsFormat::Column } else { StatsFormat::Csv };
    let known = StatsFormat::ALL.into_iter().find(|(known, _)| *known == name).map(|(_, format)| format);
    let format = known.or((name == ".").then_some(usual)).ok_or_else(|| Failure::Usage {
        message: format!("`{name}` is not a format of `stats`"),
        hint: Some("formats are column, table, csv, tsv, json, hdoc and htable".into()),
    })?;
    let arguments = NsysFormatArguments::parse(format, arguments).map_err(|argument| Failure::Usage {
        message: format!("format `{name}` does not take `{argument}`"),
        hint: Some(format!("it is written {}", format.usage().0)),
    })?;
    Ok((format, arguments))
}

fn filter(filter: &RowFilter) -> NsysFilter {
    match filter {
        RowFilter::None => NsysFilter::None,
        RowFilter::Time(window) => NsysFilter::Time(window.start.0, window.end.0),
        RowFilter::Range(range) => NsysFilter::Range(NsysRangeFilter::parse(range)),
    }
}

/// What follows the base in the name of a file: report, arguments, filter.
fn suffix(report: &str, filter: &RowFilter) -> String {
    let report = report.replace(':', "_");
    match filter {
        RowFilter::None => report,
        RowFilter::Time(window) => format!("{report}_start={}_end={}", window.start.1, window.end.1),
        RowFilter::Range(range) => format!("{report}_nvtx={range}"),
    }
}

/// What `--output` says.
enum Goal {
    Console,
    File(PathBuf),
    Command(Vec<String>),
}

fn where_to(output: &str, file: &Path, suffix: &str, format: StatsFormat) -> Goal {
    let base = match output {
        "-" => return Goal::Console,
        "." => file.with_extension("").into_os_string(),
        other => match other.strip_prefix('@') {
            Some(command) => return Goal::Command(command.split_whitespace().map(str::to_owned).collect()),
            None => other.into(),
        },
    };
    let mut name = base;
    // A slash in the name of a range would be a folder.
    name.push(format!("_{}.{}", suffix.replace('/', "_"), format.ending()));
    Goal::File(name.into())
}
