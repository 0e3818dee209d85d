//! The command line: clap types only.

use crate::exit;
use crate::gate_args::{Baseline, Compare, Gate, History};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
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
    #[command(flatten)]
    pub(crate) reports: ReportArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Write DLProf's report files
    #[command(after_help = exit::HELP)]
    Reports(Reports),
    /// Say what a capture holds, what is missing, what that costs
    #[command(after_help = exit::HELP)]
    Check(Analysis),
    /// Print a table, for example `show key-nodes FILE`
    #[command(after_help = exit::HELP)]
    Show(Show),
    /// Write tables and reports to files: CSV, TSV, NDJSON, Markdown, Parquet, Arrow, JSON, XLSX, PDF, HTML
    #[command(after_help = exit::HELP)]
    Export(Export),
    /// Answer an SQL query over the tables of one or several captures
    #[command(after_help = exit::HELP)]
    Query(Query),
    /// List or remove the captures kept from earlier runs
    ///
    /// What was read of an export of 4 MiB or more is kept in `$XDG_CACHE_HOME/dlprof-agg`, or `~/.cache/dlprof-agg`, so that
    /// another range, key node or table does not read it again. All together take at most 8 GiB; those used longest ago make
    /// room. A kept capture is used only while the export is the same file, unchanged.
    #[command(after_help = exit::HELP)]
    Cache {
        /// What to do
        #[command(subcommand)]
        action: CacheAction,
    },
    /// Keep what is needed of one or several runs to compare others with them
    #[command(after_help = exit::HELP, mut_arg("file", |file| file.index(1).required(true).value_name("RUN")
        .help("Capture of a run, or a file written by `baseline`")))]
    Baseline(Baseline),
    /// Compare runs: what became slower or faster, by how much, how sure
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
    /// Print them, those used last first
    List,
    /// Remove them all
    Clear,
}

/// What to analyse, and how.
#[derive(Debug, Clone, Args)]
pub(crate) struct Analysis {
    /// SQLite export of an Nsight Systems report
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// DLProf's way to name the file
    #[arg(long, value_name = "FILE", hide = true, conflicts_with = "file", aliases = ["nsys_database", "nsys-database"])]
    pub(crate) database: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) options: Options,
}

/// How to analyse it.
#[derive(Debug, Clone, Args)]
pub(crate) struct Options {
    /// First iteration to aggregate
    #[arg(long, value_name = "N", alias = "iter_start")]
    pub(crate) iter_start: Option<u32>,
    /// Last iteration to aggregate, inclusive
    #[arg(long, value_name = "N", alias = "iter_stop")]
    pub(crate) iter_stop: Option<u32>,
    /// Iterations to aggregate where no numbers are given [default: all]
    #[arg(long, value_enum, value_name = "RANGE", alias = "iter_range")]
    pub(crate) iter_range: Option<IterRange>,
    /// What delimits iterations: op name, op ID, text of a range, or `re:` and a regular expression;
    /// '' for nothing [default: found]
    #[arg(long, value_name = "NAME|ID|re:REGEX", aliases = ["key_node", "key-op", "key_op"])]
    pub(crate) key_node: Option<String>,
    /// How NVTX ranges become ops [default: auto]
    #[arg(short, long, value_enum)]
    pub(crate) mode: Option<Mode>,
    /// Name shown in reports; prefix of report files
    #[arg(long, value_name = "TEXT", alias = "profile_name")]
    pub(crate) profile_name: Option<String>,
    /// Unit of times in text and reports for people; data files always carry nanoseconds [default: auto]
    #[arg(long, value_enum, value_name = "UNIT", alias = "time_unit")]
    pub(crate) time_unit: Option<TimeUnit>,
    /// Worker threads, at most 256; 0 for one per processor; the result does not depend on it [default: 0]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<usize>,
    /// Memory to keep within, such as 512M or 2G; what goes beyond lives in files under $TMPDIR or /var/tmp; the
    /// result does not depend on it [default: 384M]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub(crate) memory: Option<usize>,
    /// Neither use nor keep the correlated capture of an earlier run; see `dlprof-agg cache --help`
    #[arg(long, alias = "no_cache")]
    pub(crate) no_cache: bool,
    /// What reads the rows of the file: its pages, or always SQLite; the result does not depend on it
    #[arg(long, value_enum, value_name = "READER", default_value = "auto", hide = true)]
    pub(crate) reader: Reader,
    /// TOML file with values for these options; the command line wins
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Show no progress bar
    #[arg(long, alias = "no_progress")]
    pub(crate) no_progress: bool,
    /// Show neither diagnostics nor progress
    #[arg(short, long, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Show notes as well as warnings, and the time of each stage
    #[arg(short, long)]
    pub(crate) verbose: bool,
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
    /// Folder of the files; made if it is missing [default: .]
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
    /// Describe the tables and their columns, or those of TABLE, instead
    #[arg(long, help_heading = "Table")]
    pub(crate) list: bool,
    /// Only these columns, in this order
    #[arg(long, value_name = "LIST", value_delimiter = ',', help_heading = "Table")]
    pub(crate) columns: Vec<String>,
    /// Sort by columns; `-COLUMN` for the largest first
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        allow_hyphen_values = true,
        help_heading = "Table"
    )]
    pub(crate) sort: Vec<String>,
    /// Only the first N rows
    #[arg(long, value_name = "N", help_heading = "Table")]
    pub(crate) top: Option<usize>,
    /// Only rows that fulfil a condition, such as 'gpu_time_ns > 1000000 and op_type = conv2d';
    /// operators: = != < <= > >= ~ (regular expression), `is null`, and, or, not, parentheses
    #[arg(long = "where", value_name = "CONDITION", help_heading = "Table")]
    pub(crate) conditions: Vec<String>,
    /// Only rows of an iteration
    #[arg(long, value_name = "N", help_heading = "Table")]
    pub(crate) iteration: Option<u32>,
    /// Only rows of an op
    #[arg(long, value_name = "ID", help_heading = "Table")]
    pub(crate) op: Option<String>,
    /// How to write it [default: table]
    #[arg(
        long,
        value_enum,
        value_name = "FORMAT",
        default_value = "table",
        hide_default_value = true,
        help_heading = "Table"
    )]
    pub(crate) format: ShowFormat,
    #[command(flatten)]
    pub(crate) analysis: Analysis,
}

/// How a table is written to standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ShowFormat {
    /// Text for people
    Table,
    /// Comma-separated values
    Csv,
    /// Tab-separated values: pastes into a spreadsheet
    Tsv,
    /// An array of objects
    Json,
    /// An object per line
    Ndjson,
    /// A table in Markdown
    Markdown,
}

#[derive(Debug, Args)]
pub(crate) struct Export {
    /// File, whose ending sets the format (csv, tsv, ndjson, md, parquet, arrow for one table; json, xlsx, html for
    /// many; pdf for a report), or folder for a file per table; may be given several times
    #[arg(short, long, value_name = "PATH", required_unless_present = "schema", help_heading = "Export")]
    pub(crate) output: Vec<PathBuf>,
    /// `all`, or a comma list of tables; `show --list` describes them [default: all; in PDF the main columns of
    /// top_ops, op_types, kernel_totals, gpus, iterations]
    #[arg(long, value_name = "LIST", value_delimiter = ',', help_heading = "Export")]
    pub(crate) tables: Vec<String>,
    /// Most rows of a table in PDF and HTML, which say what they leave out; 0 for all [default: 200 in PDF, 500 in HTML]
    #[arg(long, value_name = "N", help_heading = "Export")]
    pub(crate) max_rows: Option<usize>,
    /// TrueType or OpenType font for characters that the font of PDF files lacks, such as Chinese ones
    #[arg(long, value_name = "FILE", help_heading = "Export")]
    pub(crate) font: Option<PathBuf>,
    /// Format, whatever the ending; of the files in a folder [default: csv]
    #[arg(long, value_enum, value_name = "FORMAT", help_heading = "Export")]
    pub(crate) format: Option<ExportFormat>,
    /// Overwrite files that exist
    #[arg(short, long, help_heading = "Export")]
    pub(crate) force: bool,
    /// Print the JSON Schema of JSON files instead
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
    /// One SELECT (WITH before it is fine), such as
    /// "select op_type, sum(gpu_time_ns) from ops group by op_type"; `show --list` describes tables and columns
    #[arg(value_name = "SQL", required = true)]
    pub(crate) sql: String,
    /// How to write the answer [default: table]
    #[arg(
        long,
        value_enum,
        value_name = "FORMAT",
        default_value = "table",
        hide_default_value = true,
        help_heading = "Query"
    )]
    pub(crate) format: ShowFormat,
    /// Write the answer to a file instead, whose ending sets the format: csv, tsv, json, ndjson, md, parquet, arrow
    #[arg(short, long, value_name = "FILE", conflicts_with = "format", help_heading = "Query")]
    pub(crate) output: Option<PathBuf>,
    /// Overwrite the file if it exists
    #[arg(short, long, help_heading = "Query")]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) options: Options,
}

/// Formats of exported files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    /// Comma-separated values
    Csv,
    /// Tab-separated values
    Tsv,
    /// An object per line
    #[value(alias = "jsonl")]
    Ndjson,
    /// A table in Markdown
    #[value(alias = "markdown")]
    Md,
    /// Apache Parquet
    Parquet,
    /// Apache Arrow IPC
    Arrow,
    /// One document with all tables
    Json,
    /// A workbook with a dashboard and a sheet per table
    Xlsx,
    /// A report to hand over: dashboard with charts, findings, main tables
    Pdf,
    /// A self-contained page: dashboard with charts, findings, tables to sort and filter
    #[value(alias = "htm")]
    Html,
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

/// Which iterations are aggregated where no numbers are given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum IterRange {
    /// All of them
    All,
    /// The longest run of steady ones
    Steady,
}

/// How ranges become ops.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Mode {
    /// By what the capture holds
    Auto,
    /// PyTorch with DLProf's markers or `emit_nvtx`
    Pytorch,
    /// TensorFlow's node ranges: the innermost node is the op
    #[value(alias = "tensorflow1", alias = "tensorflow2")]
    Tensorflow,
    /// XLA's ranges: the innermost thunk is the op, below its module
    Jax,
    /// Plain ranges: the innermost one is the op
    Nvtx,
    /// One op for all work
    #[value(alias = "tensorrt")]
    Simple,
}

/// What reads the rows of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Reader {
    /// Its pages, and SQLite where those are unusual
    #[default]
    Auto,
    /// SQLite
    Sqlite,
}

/// Unit of times in text for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum TimeUnit {
    /// The unit that fits each time
    Auto,
    /// Nanoseconds
    Ns,
    /// Microseconds
    Us,
    /// Milliseconds
    Ms,
    /// Seconds
    S,
}

/// A number of bytes, with `K`, `M`, `G` or `T` for powers of 1024.
pub(crate) fn parse_size(text: &str) -> Result<usize, String> {
    let text = text.trim();
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let shift = match text[digits.len()..].trim().to_ascii_uppercase().as_str() {
        "" | "B" => 0,
        "K" | "KB" | "KIB" => 10,
        "M" | "MB" | "MIB" => 20,
        "G" | "GB" | "GIB" => 30,
        "T" | "TB" | "TIB" => 40,
        _ => return Err("expected a whole number of bytes, or one with K, M, G or T, such as 512M".into()),
    };
    let number: usize = digits.parse().map_err(|_| "expected a size such as 512M or 2G".to_owned())?;
    number
        .checked_mul(1 << shift)
        .filter(|&size| size > 0)
        .ok_or_else(|| "expected more than nothing, and less than this machine can address".into())
}

impl From<TimeUnit> for dlprof_export::display::TimeUnit {
    fn from(unit: TimeUnit) -> Self {
        match unit {
            TimeUnit::Auto => Self::Auto,
            TimeUnit::Ns => Self::Ns,
            TimeUnit::Us => Self::Us,
            TimeUnit::Ms => Self::Ms,
            TimeUnit::S => Self::S,
        }
    }
}

/// Says what clap does not: that a word was no command, or stands in the wrong place.
pub(crate) fn explain(mut error: clap::Error) -> clap::Error {
    if error.kind() == ErrorKind::ArgumentConflict
        && matches!(error.get(ContextKind::InvalidSubcommand), Some(ContextValue::String(_)))
    {
        let commands = "a command comes first, then its options and files: `dlprof-agg show ops -q FILE`";
        let first = std::env::args().nth(1).unwrap_or_default();
        let advice = match nearest_command(&first) {
            Some(name) if name != first => format!("did you mean `dlprof-agg {name}`?"),
            _ => commands.to_owned(),
        };
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![advice.into()]));
    }
    error
}

/// The command that a word looks like.
pub(crate) fn nearest_command(word: &str) -> Option<String> {
    let likeness = |name: &str| strsim::jaro_winkler(name, word);
    let commands = Cli::command();
    let names = commands.get_subcommands().map(clap::Command::get_name);
    let nearest = names.max_by(|a, b| likeness(a).total_cmp(&likeness(b)))?;
    (likeness(nearest) > 0.8).then(|| nearest.to_owned())
}
