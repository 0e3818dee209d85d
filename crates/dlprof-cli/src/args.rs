//! The command line: clap types only.

use crate::analysis_args::{Analysis, Options};
use crate::ci_args::{FailOn, Rules};
use crate::exit;
use crate::formats::{self, Printed};
use crate::gate_args::{Baseline, Compare, Gate, History};
use crate::view_args::View;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, CommandFactory, Parser, Subcommand};
use dlprof_export::formats::FileFormat;
use std::path::PathBuf;

/// Reads an Nsight Systems SQLite export and says where the training time went and what to change.
#[derive(Debug, Parser)]
#[command(
    name = "dlprof-agg",
    version,
    args_conflicts_with_subcommands = true,
    arg_required_else_help = true,
    max_term_width = 100,
    after_help = exit::HELP
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) analysis: Analysis,
    /// Show all findings, each with the command that lists its evidence
    #[arg(long)]
    pub(crate) details: bool,
    #[command(flatten)]
    pub(crate) reports: ReportArgs,
    /// End with exit code 1 if there is a finding of this severity or a higher one
    #[arg(long, value_enum, value_name = "SEVERITY", conflicts_with_all = ["reports", "formats", "output_path"])]
    pub(crate) fail_on: Option<FailOn>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Write DLProf's report files
    #[command(after_help = exit::HELP)]
    Reports(Reports),
    /// Say what a capture holds, what is missing, and what to do about it
    #[command(after_help = exit::HELP)]
    Check(Analysis),
    /// Print a table, such as `show key-nodes FILE`
    #[command(after_help = exit::HELP)]
    Show(Show),
    /// Write tables and reports to files: data, documents, workbooks, PDF, HTML
    #[command(after_help = exit::HELP)]
    Export(Export),
    /// Answer an SQL query about the tables of one or several captures
    #[command(after_help = exit::HELP)]
    Query(Query),
    /// Explore one or several captures in a browser
    ///
    /// Starts a small server and prints its address. Other ranges and key nodes are aggregated at once. Ctrl-C ends it.
    /// Only this machine can reach the server, unless `--bind` names another address; then the printed address ends in
    /// a random token.
    #[command(after_help = exit::HELP)]
    View(View),
    /// List or remove the captures kept from earlier runs
    ///
    /// The capture of an export of 4 MiB or more is kept as a folder in `$XDG_CACHE_HOME/dlprof-agg`, or in
    /// `~/.cache/dlprof-agg`, so that another range, key node or table does not read the export again. All kept
    /// captures take at most 8 GiB; those that were not used for the longest time are removed first. A kept capture
    /// is used only if the export is still the same, unchanged file.
    #[command(after_help = exit::HELP)]
    Cache {
        /// What to do
        #[command(subcommand)]
        action: CacheAction,
    },
    /// Write a baseline: what is needed of one or several runs to compare other runs with them
    #[command(after_help = exit::HELP, mut_arg("file", |file| file.index(1).required(true).value_name("RUN")
        .help("Capture of a run, or a file written by `baseline`")))]
    Baseline(Baseline),
    /// Compare runs: what became slower or faster, by how much, and how certain that is
    #[command(after_help = exit::HELP, mut_arg("file", |file| file.index(1).required(true).value_name("BASE")
        .help("Baseline: a capture, or a file written by `baseline`")))]
    Compare(Compare),
    /// Fail if a run is slower than a baseline by more than noise and more than a policy allows
    #[command(after_help = exit::HELP, mut_arg("file", |file| file.index(1).required(true).value_name("NEW")
        .help("Run to judge: a capture, or a file written by `baseline`")))]
    Gate(Gate),
    /// Show when metrics changed over many baselines
    #[command(after_help = exit::HELP, mut_arg("file", |file| file.index(1).required(true).value_name("DIR|FILE")
        .help("Folder of baselines (`*.json`, in order of their names), or the first of several files, oldest first")))]
    History(History),
    /// List all rules of the expert system with their thresholds; with FILE, also what each of them found there
    ///
    /// A settings file can tune, silence or raise every rule, and can have rules of your own; docs/rules.md says how.
    #[command(after_help = exit::HELP)]
    Rules(Rules),
    /// Say what a column, a cause of idle time, a class or a term means, or how a rule decides; without a name, list all
    /// names
    #[command(after_help = exit::HELP)]
    Explain {
        /// Names, such as `occupancy`, `gpu_idle_ns`, `ops.gpu_time_ns`, `input_bound`
        #[arg(value_name = "NAME")]
        names: Vec<String>,
    },
    /// Show the dashboard of a built-in sample capture
    Demo(Demo),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man,
}

/// What to do with the kept captures.
#[derive(Debug, Clone, Copy, Subcommand)]
pub(crate) enum CacheAction {
    /// Print the kept captures, the most recently used first
    List,
    /// Remove all kept captures
    Clear,
}

#[derive(Debug, Args)]
pub(crate) struct Reports {
    #[command(flatten)]
    pub(crate) analysis: Analysis,
    #[command(flatten)]
    pub(crate) reports: ReportArgs,
}

/// Which report files to write, and where.
#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// `all`, or a comma list of summary, detail, kernel, iteration, tensor, op_type, group_op,
    /// expert_systems [default: all]
    #[arg(long, value_name = "LIST", value_delimiter = ',', help_heading = "Reports")]
    pub(crate) reports: Vec<String>,
    /// File formats: csv, json [default: csv]
    #[arg(long, value_name = "LIST", value_delimiter = ',', help_heading = "Reports")]
    pub(crate) formats: Vec<String>,
    /// Folder for the files; it is created if it is missing [default: .]
    #[arg(long, value_name = "DIR", alias = "output_path", help_heading = "Reports")]
    pub(crate) output_path: Option<PathBuf>,
    /// Overwrite files that exist
    #[arg(short, long, value_name = "BOOL", num_args = 0..=1, require_equals = true,
          default_missing_value = "true", help_heading = "Reports")]
    pub(crate) force: Option<bool>,
}

impl ReportArgs {
    /// Whether an old command line without subcommand asks for reports.
    pub(crate) fn is_asked(&self) -> bool {
        !self.reports.is_empty() || !self.formats.is_empty() || self.output_path.is_some()
    }
}

#[derive(Debug, Args)]
pub(crate) struct Show {
    /// The table: summary, top-ops, findings, op-types, groups, ops, kernel-summaries, kernel-totals,
    /// iterations, process-iterations, iteration-ops, kernels, key-nodes, gpus, diagnostics
    #[arg(value_name = "TABLE", required_unless_present = "list")]
    pub(crate) table: Option<String>,
    /// Describe all tables and their columns, or only TABLE, instead of printing rows
    #[arg(long, help_heading = "Table")]
    pub(crate) list: bool,
    /// Show only these columns, in this order
    #[arg(long, value_name = "LIST", value_delimiter = ',', help_heading = "Table")]
    pub(crate) columns: Vec<String>,
    /// Sort by columns; `-COLUMN` puts the largest first
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        allow_hyphen_values = true,
        help_heading = "Table"
    )]
    pub(crate) sort: Vec<String>,
    /// Show only the first N rows
    #[arg(long, value_name = "N", help_heading = "Table")]
    pub(crate) top: Option<usize>,
    /// Show only rows for which a condition is true, such as 'gpu_time_ns > 1000000 and op_type = conv2d';
    /// operators: = != < <= > >= ~ (regular expression), `is null`, and, or, not, parentheses
    #[arg(long = "where", value_name = "CONDITION", help_heading = "Table")]
    pub(crate) conditions: Vec<String>,
    /// Show only rows of this iteration
    #[arg(long, value_name = "N", help_heading = "Table")]
    pub(crate) iteration: Option<u32>,
    /// Show only rows of this op
    #[arg(long, value_name = "ID", help_heading = "Table")]
    pub(crate) op: Option<String>,
    /// How to write it [default: table]
    #[arg(
        long,
        value_parser = formats::printed(),
        value_name = "FORMAT",
        default_value = "table",
        hide_default_value = true,
        help_heading = "Table"
    )]
    pub(crate) format: Printed,
    #[command(flatten)]
    pub(crate) analysis: Analysis,
}

#[derive(Debug, Args)]
pub(crate) struct Export {
    #[arg(
        short,
        long,
        value_name = "PATH",
        required_unless_present = "schema",
        help = formats::output_help(),
        help_heading = "Export"
    )]
    pub(crate) output: Vec<PathBuf>,
    /// `all`, or a comma list of tables; `show --list` describes them [default: all; in PDF the main columns of
    /// top_ops, op_types, kernel_totals, gpus, iterations]
    #[arg(long, value_name = "LIST", value_delimiter = ',', help_heading = "Export")]
    pub(crate) tables: Vec<String>,
    /// Maximum number of rows of a table in PDF and HTML, which say what they leave out; 0 means all rows
    /// [default: 200 in PDF, 500 in HTML]
    #[arg(long, value_name = "N", help_heading = "Export")]
    pub(crate) max_rows: Option<usize>,
    /// TrueType or OpenType font for characters that the font of PDF files lacks, such as Chinese ones
    #[arg(long, value_name = "FILE", help_heading = "Export")]
    pub(crate) font: Option<PathBuf>,
    /// Format of the file, whatever its ending is, or of the files in a folder [default: csv]
    #[arg(long, value_parser = formats::of_files(), value_name = "FORMAT", help_heading = "Export")]
    pub(crate) format: Option<&'static FileFormat>,
    /// Overwrite files that exist
    #[arg(short, long, help_heading = "Export")]
    pub(crate) force: bool,
    /// Print the JSON Schema of the JSON format instead of writing files
    #[arg(long, help_heading = "Export")]
    pub(crate) schema: bool,
    #[command(flatten)]
    pub(crate) analysis: Analysis,
}

/// One or several captures, and a query over their tables.
#[derive(Debug, Args)]
pub(crate) struct Query {
    /// SQLite exports of Nsight Systems reports; with several, every table begins with a column `profile`
    #[arg(value_name = "FILE", required = true, num_args = 1..)]
    pub(crate) files: Vec<PathBuf>,
    /// One SELECT, with or without WITH, such as
    /// "select op_type, sum(gpu_time_ns) from ops group by op_type"; `show --list` describes tables and columns
    #[arg(value_name = "SQL", required = true)]
    pub(crate) sql: String,
    /// How to write the answer [default: table]
    #[arg(
        long,
        value_parser = formats::printed(),
        value_name = "FORMAT",
        default_value = "table",
        hide_default_value = true,
        help_heading = "Query"
    )]
    pub(crate) format: Printed,
    #[arg(
        short,
        long,
        value_name = "FILE",
        conflicts_with = "format",
        help = formats::answer_help(),
        help_heading = "Query"
    )]
    pub(crate) output: Option<PathBuf>,
    /// Overwrite the file if it exists
    #[arg(short, long, help_heading = "Query")]
    pub(crate) force: bool,
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

/// Says what clap does not: that a word was no command, or stands in the wrong place.
pub(crate) fn explain(mut error: clap::Error) -> clap::Error {
    if error.kind() == ErrorKind::ArgumentConflict
        && matches!(error.get(ContextKind::InvalidSubcommand), Some(ContextValue::String(_)))
    {
        let commands = "the command comes first, then its options and files: `dlprof-agg show ops -q FILE`";
        let first = std::env::args().nth(1).unwrap_or_default();
        let advice = match nearest_command(&first) {
            Some(name) if name != first => format!("did you mean `dlprof-agg {name}`?"),
            _ => commands.to_owned(),
        };
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![advice.into()]));
    }
    error
}

/// The command whose name is most similar to a word.
pub(crate) fn nearest_command(word: &str) -> Option<String> {
    let likeness = |name: &str| strsim::jaro_winkler(name, word);
    let commands = Cli::command();
    let names = commands.get_subcommands().map(clap::Command::get_name);
    let nearest = names.max_by(|a, b| likeness(a).total_cmp(&likeness(b)))?;
    (likeness(nearest) > 0.8).then(|| nearest.to_owned())
}
