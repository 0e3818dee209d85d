//! The command line of `ncu`.

use super::analysis::Options;
use super::general::overwrite;
use super::report_format::PrintedFormat;
use super::show::Paging;
use crate::commands::ncu;
use crate::commands::ncu_logs::{NcuLogs, needs_capture};
use crate::commands::show::{ColumnsAndOrder, find};
use crate::console::pager;
use crate::exit::Failure;
use clap::Args;
use dlprof_core::{DefaultRange, LOG_TABLES};
use dlprof_export::{Format, Target};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct Ncu {
    /// Logs that `ncu --csv --log-file LOG` wrote
    ///
    /// Of the pages details and raw, and summaries of these.
    #[arg(value_name = "LOG", required = true)]
    logs: Vec<PathBuf>,
    /// The table: ncu-kernels or ncu-launches
    #[arg(long, value_name = "TABLE", default_value = "ncu-kernels", hide_default_value = true)]
    table: String,
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
    /// Endings: csv, tsv, json, ndjson, md, parquet, arrow.
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
        let table = find(&self.table)?;
        if !LOG_TABLES.contains(&table.key) {
            return Err(needs_capture(table));
        }
        let output = self.output.as_deref();
        let output = output.map(|path| Format::of_path(path).map(|format| (path, format))).transpose()?;
        let inputs = self.options.general.inputs(&self.logs);
        let target =
            |(path, format)| Target::new(path, overwrite(self.force), &inputs).map(|target| (target, format));
        let output = output.map(target).transpose()?;
        let Paging { pager, no_pager } = self.paging;
        Ok(ncu::Ncu::Logs(Box::new(NcuLogs {
            logs: self.logs,
            table,
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
