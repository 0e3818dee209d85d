//! The command line of the commands that write files, and of `query`: clap types only.

use crate::analysis_args::{Analysis, Options};
use crate::formats::{self, Printed};
use crate::old_options::OldOptions;
use clap::{Args, value_parser};
use dlprof_export::formats::FileFormat;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct Reports {
    #[command(flatten)]
    pub(crate) reports: ReportArgs,
    #[command(flatten)]
    pub(crate) analysis: Analysis,
}

/// Which report files to write, and where.
#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// Reports to write, separated by commas [default: all]
    ///
    /// all, or some of summary, detail, kernel, iteration, tensor, op_type, group_op, expert_systems.
    #[arg(long, value_name = "LIST", value_delimiter = ',', help_heading = "Reports")]
    pub(crate) reports: Vec<String>,
    /// File formats: csv, json [default: csv]
    #[arg(long, value_name = "LIST", value_delimiter = ',', help_heading = "Reports")]
    pub(crate) formats: Vec<String>,
    /// Folder for the files; it is made if it is missing [default: .]
    #[arg(long, value_name = "DIR", alias = "output_path", help_heading = "Reports")]
    pub(crate) output_path: Option<PathBuf>,
    /// Overwrite files that exist
    #[arg(short, long, value_name = "BOOL", num_args = 0..=1, require_equals = true,
          default_missing_value = "true", hide_possible_values = true, help_heading = "Reports")]
    pub(crate) force: Option<bool>,
    #[command(flatten)]
    pub(crate) old: OldOptions,
}

impl ReportArgs {
    /// Whether an old command line without subcommand asks for reports.
    pub(crate) fn is_asked(&self) -> bool {
        !self.reports.is_empty() || !self.formats.is_empty() || self.output_path.is_some()
    }
}

#[derive(Debug, Args)]
pub(crate) struct Export {
    #[arg(
        short,
        long,
        value_name = "PATH",
        required_unless_present = "schema",
        help = "File, whose ending sets the format, or folder with `/` at its end",
        long_help = formats::output_help()
    )]
    pub(crate) output: Vec<PathBuf>,
    /// Tables to write, separated by commas [default: all]
    ///
    /// all, or some of the tables that `show --list` describes. Without this option, a PDF has the main columns of
    /// top_ops, op_types, kernel_totals, gpus and iterations.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) tables: Vec<String>,
    /// Most rows of a table in PDF (200) and HTML (500); 0: all
    ///
    /// The file says how many rows it leaves out. The default is 200 rows in PDF and 500 in HTML; 0 means all rows.
    #[arg(long, value_name = "N")]
    pub(crate) max_rows: Option<usize>,
    /// Font file for characters that PDF lacks, such as Chinese
    ///
    /// A TrueType or OpenType font.
    #[arg(long, value_name = "FILE")]
    pub(crate) font: Option<PathBuf>,
    #[arg(
        long,
        value_parser = formats::of_files(),
        value_name = "FORMAT",
        hide_possible_values = true,
        help = "Format, whatever the ending is, or of the files in a folder",
        long_help = formats::format_help()
    )]
    pub(crate) format: Option<&'static FileFormat>,
    /// Overwrite files that exist
    #[arg(short, long)]
    pub(crate) force: bool,
    /// Print the JSON Schema of the JSON format instead of writing files
    #[arg(long)]
    pub(crate) schema: bool,
    #[command(flatten)]
    pub(crate) analysis: Analysis,
}

/// One or several captures, and a query over their tables.
#[derive(Debug, Args)]
#[command(override_usage = "dlprof-agg query [OPTIONS] <FILE>... <SQL>")]
pub(crate) struct Query {
    /// Captures, and last the SQL: one SELECT, with or without WITH
    ///
    /// For example "select op_type, sum(gpu_time_ns) from ops group by op_type"; `show --list` describes tables and
    /// columns. With several captures, every table begins with a column `profile`.
    // One list for both: after `FILE --format csv`, the parser would take no second argument.
    #[arg(value_name = "FILE... SQL", required = true, num_args = 1.., id = "files")]
    pub(crate) files_and_sql: Vec<PathBuf>,
    #[arg(
        long,
        value_parser = formats::printed(),
        value_name = "FORMAT",
        hide_possible_values = true,
        help = formats::printed_help(),
        default_value = "table",
        hide_default_value = true,
    )]
    pub(crate) format: Printed,
    #[arg(
        short,
        long,
        value_name = "FILE",
        conflicts_with = "format",
        help = "Write the answer to a file, whose ending sets the format",
        long_help = formats::answer_help()
    )]
    pub(crate) output: Option<PathBuf>,
    /// Overwrite the file if it exists
    #[arg(short, long)]
    pub(crate) force: bool,
    /// Stop the query after so many seconds
    ///
    /// The reading of captures does not count. `--memory` limits the memory of the query too.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = value_parser!(u32).range(1..))]
    pub(crate) time_limit: u32,
    #[command(flatten)]
    pub(crate) options: Options,
}

#[derive(Debug, Args)]
pub(crate) struct Demo {
    /// Write the sample capture to a file instead of showing its dashboard
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Overwrite the file if it exists
    #[arg(short, long)]
    pub(crate) force: bool,
}
