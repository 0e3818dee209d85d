//! The command line of `stats`.

use super::analysis::Analysis;
use super::general::overwrite;
use super::known_names::OF_REPORTS;
use crate::commands::stats::{self, RowFilter, TimeWindow};
use crate::exit::Failure;
use clap::{Args, ValueEnum};
use dlprof_core::NsysForm;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct Stats {
    /// Reports to print, such as nvtx_sum [default: those of nsys]
    ///
    /// NAME or NAME:ARGUMENT, separated by commas: cuda_gpu_kern_sum, cuda_gpu_kern_sum:base. `--help-reports` lists all.
    #[arg(
        short,
        long = "report",
        value_name = "NAME",
        value_delimiter = ',',
        value_parser = OF_REPORTS,
        hide_possible_values = true
    )]
    pub(crate) reports: Vec<String>,
    /// column, table, csv, tsv, json, hdoc, htable [default: column]
    ///
    /// Arguments may follow the name, such as csv:nohdr; `--help-formats` lists them. The default for files is csv. Several
    /// formats, separated by commas, are for the first, second … report; the last one is for the rest. `.` is the default.
    #[arg(short, long = "format", value_name = "FORMAT", value_delimiter = ',')]
    pub(crate) formats: Vec<String>,
    /// Start of file names, `.`, `-` or `@COMMAND` [default: -]
    ///
    /// A file is named START_REPORT.ENDING, with the report's arguments and the filter in its name. `@COMMAND` passes the
    /// text to the standard input of a command; `.` is the name of FILE without its ending; `-` is standard output. Several
    /// outputs, separated by commas, are for the first, second … report; the last one is for the rest.
    #[arg(short, long = "output", value_name = "OUTPUT", value_delimiter = ',', allow_hyphen_values = true)]
    pub(crate) outputs: Vec<String>,
    /// Unit of times: nsec, usec, msec, sec [default: nsec]
    #[arg(long, value_name = "UNIT", value_parser = parse_time_unit, default_value = "nsec", hide_default_value = true)]
    pub(crate) timeunit: TimeUnit,
    /// Only rows that touch this time: START/END in nanoseconds
    ///
    /// The times are as the export has them. A unit may follow: 1.5s/2s, 100ms/200ms. Without START or END the window is
    /// open at that side.
    #[arg(long, value_name = "START/END", conflicts_with = "filter_nvtx", value_parser = parse_window,
          allow_hyphen_values = true)]
    pub(crate) filter_time: Option<TimeWindow>,
    /// Only rows of an NVTX range: `NAME[@DOMAIN][/INDEX]`
    ///
    /// The rows of its thread (of its process, if it is the main thread) that touch its time. INDEX counts ranges of the name
    /// from 0, in order of start.
    #[arg(long, value_name = "RANGE")]
    pub(crate) filter_nvtx: Option<String>,
    /// Overwrite files that exist
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true", hide_possible_values = true)]
    pub(crate) force_overwrite: Option<bool>,
    /// 2024.2, 2023.4, 2022.4, 2020.4 or none [default: 2023.4]
    ///
    /// The text is that of this version of nsys, byte for byte, with its defects. `none` puts the defects right and says where
    /// nsys prints something else.
    #[arg(
        long,
        value_enum,
        value_name = "VERSION",
        default_value = "2023.4",
        hide_default_value = true,
        hide_possible_values = true
    )]
    pub(crate) like: Like,
    /// List the reports
    #[arg(long)]
    pub(crate) help_reports: bool,
    /// List the formats, and what may follow their names
    #[arg(long)]
    pub(crate) help_formats: bool,
    /// The export of a report: read if the file exists, else made there
    ///
    /// `--force-export` makes it anew. Without this option, exports are kept in the cache folder.
    #[arg(long, value_name = "FILE")]
    pub(crate) sqlite: Option<PathBuf>,
    /// Scripts of reports, which are not run
    #[arg(long, value_name = "DIR", hide = true)]
    pub(crate) report_dir: Option<PathBuf>,
    /// For scripts of nsys; exports are always made anew when their report changes
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true", hide = true)]
    pub(crate) force_export: Option<bool>,
    #[command(flatten)]
    pub(crate) analysis: Analysis,
}

/// What is asked for.
pub(crate) enum Asked {
    /// Reports.
    Reports(Box<stats::Stats>),
    /// The list of the reports of a version.
    ListOfReports(NsysForm),
    /// The list of formats.
    ListOfFormats,
}

impl Stats {
    /// What is asked for.
    pub(crate) fn asked(self) -> Result<Asked, Failure> {
        if self.help_reports {
            return Ok(Asked::ListOfReports(self.like.into()));
        }
        if self.help_formats {
            return Ok(Asked::ListOfFormats);
        }
        self.check()?;
        let mut inputs = self.analysis.inputs();
        let file = self.analysis.capture()?;
        if let Some(export) = &self.sqlite {
            file.use_export(export, self.force_export == Some(true), &inputs)?;
            inputs.add(export);
        }
        let filter = match (self.filter_time, self.filter_nvtx) {
            (Some(window), _) => RowFilter::Time(window),
            (None, Some(range)) => RowFilter::Range(range),
            (None, None) => RowFilter::None,
        };
        Ok(Asked::Reports(Box::new(stats::Stats {
            file,
            form: self.like.into(),
            reports: self.reports,
            formats: self.formats,
            outputs: self.outputs,
            time_unit: self.timeunit,
            filter,
            overwrite: overwrite(self.force_overwrite == Some(true)),
            inputs,
        })))
    }

    /// Refuses options of other programs, and of other commands.
    fn check(&self) -> Result<(), Failure> {
        if self.report_dir.is_some() {
            return Err(Failure::Usage {
                message: "`--report-dir` names scripts of nsys, which this program does not run".into(),
                hint: Some("its reports are built in; `dlprof-agg query` answers SQL about a capture".into()),
            });
        }
        if self.analysis.options.from.is_some() || self.analysis.options.to.is_some() {
            return Err(Failure::Usage {
                message: "`stats` prints the reports of `nsys stats`, which know no `--from` and `--to`"
                    .into(),
                hint: Some(
                    "`--filter-time` chooses a time; `show` and `export` have tables of a part of a capture"
                        .into(),
                ),
            });
        }
        Ok(())
    }
}

/// Whose reports to print.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Like {
    /// nsys 2024.2
    #[value(name = "2024.2")]
    V2024,
    /// nsys 2023.4
    #[value(name = "2023.4", alias = "nsys")]
    V2023,
    /// nsys 2022.4
    #[value(name = "2022.4")]
    V2022,
    /// nsys 2020.4
    #[value(name = "2020.4")]
    V2020,
    /// As nsys 2024.2, with defects put right
    None,
}

impl From<Like> for NsysForm {
    fn from(like: Like) -> Self {
        match like {
            Like::V2024 => Self::V2024,
            Like::V2023 => Self::V2023,
            Like::V2022 => Self::V2022,
            Like::V2020 => Self::V2020,
            Like::None => Self::Right,
        }
    }
}

/// A unit of times.
pub(crate) type TimeUnit = dlprof_export::StatsTimeUnit;

/// Any beginning of a name of a unit that no other unit begins with, as nsys takes it.
fn parse_time_unit(text: &str) -> Result<TimeUnit, String> {
    const NAMES: [(&str, TimeUnit); 8] = [
        ("nsec", TimeUnit::Nanoseconds),
        ("nanoseconds", TimeUnit::Nanoseconds),
        ("usec", TimeUnit::Microseconds),
        ("microseconds", TimeUnit::Microseconds),
        ("msec", TimeUnit::Milliseconds),
        ("milliseconds", TimeUnit::Milliseconds),
        ("sec", TimeUnit::Seconds),
        ("seconds", TimeUnit::Seconds),
    ];
    let fits = |name: &str| !text.is_empty() && name.starts_with(text);
    let mut units: Vec<TimeUnit> =
        NAMES.iter().filter(|(name, _)| fits(name)).map(|&(_, unit)| unit).collect();
    if let Some(&(_, unit)) = NAMES.iter().find(|(name, _)| *name == text) {
        return Ok(unit);
    }
    units.dedup();
    match units[..] {
        [unit] => Ok(unit),
        _ => Err("expected nsec, usec, msec or sec".into()),
    }
}

fn parse_window(text: &str) -> Result<TimeWindow, String> {
    let wrong =
        || "expected two times and a slash between them, such as 1000000/2000000 or 1s/1.5s".to_owned();
    let (start, end) = text.split_once('/').ok_or_else(wrong)?;
    let time = |text: &str, open: i64| if text.is_empty() { Some(open) } else { parse_time(text) };
    let (from, to) = time(start, i64::MIN).zip(time(end, i64::MAX)).ok_or_else(wrong)?;
    if from > to {
        return Err(format!("the window ends before it starts: {text}"));
    }
    Ok(TimeWindow { start: (from, start.into()), end: (to, end.into()) })
}

/// A time in nanoseconds, or with a unit.
#[expect(clippy::cast_possible_truncation, reason = "times beyond the range are cut")]
fn parse_time(text: &str) -> Option<i64> {
    const UNITS: [(&str, f64); 5] = [("ns", 1.0), ("us", 1e3), ("ms", 1e6), ("sec", 1e9), ("s", 1e9)];
    if let Ok(time) = text.parse() {
        return Some(time);
    }
    let (unit, factor) = UNITS.into_iter().find(|(unit, _)| text.ends_with(unit))?;
    let number: f64 = text[..text.len() - unit.len()].trim().parse().ok()?;
    Some((number * factor).round() as i64)
}
