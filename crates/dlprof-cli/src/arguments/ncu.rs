//! The command line of `ncu`.

use super::analysis::Options;
use super::general::overwrite;
use super::report_format::PrintedFormat;
use super::show::Paging;
use crate::commands::ncu;
use crate::commands::ncu_logs::{LogFormat, NcuLogs, needs_capture};
use crate::commands::ncu_roofline::{Beside, RooflineChoice, RooflineRows, RooflineSource};
use crate::commands::show::{ColumnsAndOrder, Printed, find};
use crate::console::pager;
use crate::exit::Failure;
use crate::opening::CaptureFile;
use crate::settings::Settings;
use clap::{Args, ValueEnum};
use dlprof_core::{DefaultRange, MemoryLevel, log_table};
use dlprof_export::{Format, RooflineOf, Target};
use std::path::PathBuf;

/// The table that is shown if none is named.
const KERNELS: &str = "ncu-kernels";
/// The table of all metrics.
const METRICS: &str = "ncu-metrics";
/// What names points and roofs, in the place of a table.
const ROOFLINE: &str = "roofline";

/// Points of a roofline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Points {
    /// Kernels by name
    Kernels,
    /// Ops; they need a capture
    Ops,
}

impl From<Points> for RooflineOf {
    fn from(points: Points) -> Self {
        match points {
            Points::Kernels => Self::Kernels,
            Points::Ops => Self::Ops,
        }
    }
}

/// A memory whose bytes are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Memory {
    /// The caches of the SMs
    L1,
    /// The cache of the GPU
    L2,
    /// The memory of the GPU
    Dram,
}

impl From<Memory> for MemoryLevel {
    fn from(memory: Memory) -> Self {
        match memory {
            Memory::L1 => Self::L1,
            Memory::L2 => Self::L2,
            Memory::Dram => Self::Dram,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct Ncu {
    /// Logs of Nsight Compute; with `--suggest` or `--ncu`, a capture
    ///
    /// Logs are what `ncu --csv --log-file FILE` wrote: pages details and raw, and summaries of these.
    #[arg(value_name = "FILE", required = true)]
    logs: Vec<PathBuf>,
    /// Print the command that measures the kernels with most time of a capture
    ///
    /// The command alone is printed to standard output, in one line: it can be copied, or saved as a script. What to know about it
    /// goes to standard error.
    #[arg(long, conflicts_with_all = [
        "table", "output", "force", "roofline", "levels", "columns", "sort", "top", "conditions", "wide", "format",
        "pager", "no_pager",
    ])]
    suggest: bool,
    /// Points of the roofline: kernels, ops [default: kernels]
    ///
    /// Ops need a capture, with `--ncu LOG`.
    #[arg(long, value_enum, value_name = "OF", hide_possible_values = true)]
    roofline: Option<Points>,
    /// Memories of the roofline: l1, l2, dram [default: dram]
    #[arg(long, value_enum, value_name = "LIST", value_delimiter = ',', hide_possible_values = true)]
    levels: Vec<Memory>,
    /// Keep every metric of the logs and show them: table ncu-metrics
    ///
    /// Without it only metrics that figures need are kept.
    #[arg(long, conflicts_with_all = ["suggest", "roofline", "levels"])]
    all_metrics: bool,
    /// The table: ncu-kernels, ncu-launches, ncu-metrics; or `roofline`
    ///
    /// `roofline` writes points, roofs and ridges as CSV, one a row.
    #[arg(long, value_name = "TABLE")]
    table: Option<String>,
    /// Show these columns, in this order; `all` for all
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    columns: Vec<String>,
    /// Sort by columns; `-COLUMN` puts the largest first
    #[arg(long, value_name = "LIST", value_delimiter = ',', allow_hyphen_values = true)]
    sort: Vec<String>,
    /// Show only the first N rows
    #[arg(long, value_name = "N")]
    top: Option<usize>,
    /// Show only rows for which a condition is true
    #[arg(long = "where", value_name = "CONDITION")]
    conditions: Vec<String>,
    /// Show all columns and whole texts, whatever the terminal's width is
    #[arg(long)]
    wide: bool,
    #[command(flatten)]
    printed: PrintedFormat,
    /// Write the table to a file; its ending sets the format
    ///
    /// Endings: csv, tsv, json, ndjson, md, parquet, arrow, xlsx, and pdf, which has the roofline too.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Overwrite a file that exists
    #[arg(short, long)]
    force: bool,
    #[command(flatten)]
    paging: Paging,
    #[command(flatten)]
    options: Options,
}

impl Ncu {
    /// What is asked for.
    pub(crate) fn asked(self) -> Result<ncu::Ncu, Failure> {
        if self.suggest {
            let (file, settings) = self.only_capture("--suggest")?;
            return Ok(ncu::Ncu::Suggest(Box::new(CaptureFile::new(file, settings))));
        }
        if self.table() == ROOFLINE {
            return self.roofline_rows();
        }
        if self.options.ncu.is_empty() {
            return self.logs_alone();
        }
        if self.all_metrics {
            return Err(Failure::Usage {
                message: "beside a capture only metrics that figures need are kept".into(),
                hint: Some("`dlprof-agg ncu LOG --all-metrics` shows all metrics of a log".into()),
            });
        }
        let is_of_table = self.option_of_table().is_some() || self.printed.format != Printed::Table;
        if is_of_table || self.output.is_some() || self.table() != KERNELS {
            return Err(Failure::Usage {
                message: "with `--ncu`, `ncu` shows a capture to people; it writes no table".into(),
                hint: Some(
                    "`dlprof-agg show ncu-kernels --ncu LOG CAPTURE` prints tables, `export` writes them"
                        .into(),
                ),
            });
        }
        let (roofline, paging) = (self.choice(), self.paging.clone());
        let (file, settings) = self.only_capture("--ncu")?;
        let file = CaptureFile::new(file, settings);
        let paging = pager::Paging { pager: paging.pager, no_pager: paging.no_pager };
        Ok(ncu::Ncu::Beside(Box::new(Beside { file, roofline, paging })))
    }

    /// The first of the options that were given and choose what of a table is shown.
    fn option_of_table(&self) -> Option<&'static str> {
        let given = [
            (!self.columns.is_empty(), "--columns"),
            (!self.sort.is_empty(), "--sort"),
            (self.top.is_some(), "--top"),
            (!self.conditions.is_empty(), "--where"),
            (self.wide, "--wide"),
        ];
        given.into_iter().find(|(is_given, _)| *is_given).map(|(_, option)| option)
    }

    /// Logs alone have no iterations, no ranges and no capture that could be cut.
    fn check_about_capture(&self) -> Result<(), Failure> {
        let Some(option) = self.options.about_capture() else { return Ok(()) };
        Err(Failure::Usage {
            message: format!("`{option}` is about a capture, and none is given"),
            hint: Some(format!("leave out `{option}`, or give one: `dlprof-agg ncu --ncu LOG CAPTURE`")),
        })
    }

    /// Points and roofs as data.
    fn roofline_rows(self) -> Result<ncu::Ncu, Failure> {
        if let Some(option) = self.option_of_table() {
            return Err(Failure::Usage {
                message: format!(
                    "`--table roofline` writes all points and roofs; `{option}` chooses none of them"
                ),
                hint: Some("`--roofline` and `--levels` say which points there are".into()),
            });
        }
        let given = self.output.as_deref().map(Format::of_path).transpose()?;
        let printed = match self.printed.format {
            Printed::As(format) => Some(format),
            Printed::Table => None,
        };
        if given.into_iter().chain(printed).any(|format| format != Format::Csv) {
            return Err(Failure::Usage {
                message: "points and roofs are written as CSV".into(),
                hint: Some("`--table roofline --format csv`, or `-o FILE.csv`".into()),
            });
        }
        let inputs = self.options.inputs(&self.logs);
        let output = self.output.as_deref();
        let output = output.map(|path| Target::new(path, overwrite(self.force), &inputs)).transpose()?;
        let roofline = self.choice();
        let source = if self.options.ncu.is_empty() {
            self.check_ops()?;
            self.check_about_capture()?;
            RooflineSource::Logs(self.logs)
        } else {
            let (file, settings) = self.only_capture("--ncu")?;
            RooflineSource::Capture(Box::new(CaptureFile::new(file, settings)))
        };
        Ok(ncu::Ncu::Roofline(Box::new(RooflineRows { source, roofline, output })))
    }

    /// The name of the table that is asked for.
    fn table(&self) -> &str {
        self.table.as_deref().unwrap_or(if self.all_metrics { METRICS } else { KERNELS })
    }

    fn choice(&self) -> RooflineChoice {
        RooflineChoice {
            of: self.roofline.map(RooflineOf::from).unwrap_or_default(),
            levels: self.levels.iter().map(|&level| level.into()).collect(),
        }
    }

    /// Logs know no ops.
    fn check_ops(&self) -> Result<(), Failure> {
        match self.roofline {
            None | Some(Points::Kernels) => Ok(()),
            Some(Points::Ops) => Err(Failure::Usage {
                message: "`--roofline ops` needs a capture: logs know no ops".into(),
                hint: Some("`dlprof-agg ncu --roofline ops --ncu LOG CAPTURE`".into()),
            }),
        }
    }

    /// Tables have no roofline that could be chosen.
    fn check_roofline(&self, has_roofline: bool) -> Result<(), Failure> {
        let given = [(!self.levels.is_empty(), "--levels"), (self.roofline.is_some(), "--roofline")];
        match given.into_iter().find(|(is_given, _)| *is_given && !has_roofline) {
            None => Ok(()),
            Some((_, option)) => Err(Failure::Usage {
                message: format!("`{option}` is about the roofline, and a table has none"),
                hint: Some(format!(
                    "leave out `{option}`; `--table roofline` writes points and roofs, `-o FILE.pdf` draws them"
                )),
            }),
        }
    }

    /// The one capture that an option needs.
    fn only_capture(self, option: &str) -> Result<(PathBuf, Settings), Failure> {
        let settings = self.options.settings(DefaultRange::Auto)?;
        match <[PathBuf; 1]>::try_from(self.logs) {
            Ok([file]) => Ok((file, settings)),
            Err(files) => Err(Failure::Usage {
                message: format!("with `{option}` one capture is given, not {} files", files.len()),
                hint: Some(
                    "`dlprof-agg ncu --suggest run.sqlite`, `dlprof-agg ncu --ncu run.ncu.csv run.sqlite`"
                        .into(),
                ),
            }),
        }
    }

    /// Logs without a capture.
    fn logs_alone(self) -> Result<ncu::Ncu, Failure> {
        self.check_ops()?;
        self.check_about_capture()?;
        let name = self.table();
        let Some(table) = log_table(name) else { return Err(needs_capture(find(name)?)) };
        let keeps_all_metrics =
            self.all_metrics || log_table(METRICS).is_some_and(|all| all.key == table.key);
        let output = self.output.as_deref();
        let output = output.map(|path| LogFormat::of_path(path).map(|format| (path, format))).transpose()?;
        let inputs = self.options.inputs(&self.logs);
        let target =
            |(path, format)| Target::new(path, overwrite(self.force), &inputs).map(|target| (target, format));
        let output = output.map(target).transpose()?;
        let is_plain = name == KERNELS
            && self.printed.format == Printed::Table
            && output.is_none()
            && !self.wide
            && self.top.is_none()
            && [&self.columns, &self.sort, &self.conditions].into_iter().all(Vec::is_empty);
        let has_roofline = is_plain || matches!(output, Some((_, LogFormat::Report)));
        self.check_roofline(has_roofline)?;
        let levels = self.choice().levels;
        let Paging { pager, no_pager } = self.paging;
        Ok(ncu::Ncu::Logs(Box::new(NcuLogs {
            logs: self.logs,
            keeps_all_metrics,
            table,
            has_picture: is_plain,
            levels,
            shown: ColumnsAndOrder { columns: self.columns, sort: self.sort, top: self.top },
            conditions: self.conditions,
            is_wide: self.wide,
            format: self.printed.format,
            output,
            paging: pager::Paging { pager, no_pager },
            settings: self.options.settings(DefaultRange::Auto)?,
        })))
    }
}
