//! Options of every command that analyses captures.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

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
    /// Iterations to aggregate where no numbers are given [default: auto; all for DLProf's reports, `baseline`, `gate`,
    /// `compare` and `history`]
    #[arg(long, value_enum, value_name = "RANGE", alias = "iter_range")]
    pub(crate) iter_range: Option<IterRange>,
    /// The clock of durations and shares [default: auto]
    #[arg(long, value_enum, value_name = "CLOCK")]
    pub(crate) clock: Option<Clock>,
    /// Items, such as samples or images, that an iteration handles: adds items per second
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), alias = "batch_size")]
    pub(crate) batch_size: Option<u32>,
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
    /// result does not depend on it [default: half of the memory that is available]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub(crate) memory: Option<usize>,
    /// Neither use nor keep the correlated capture of an earlier run; see `dlprof-agg cache --help`
    #[arg(long, alias = "no_cache")]
    pub(crate) no_cache: bool,
    /// What reads the rows of the file: its pages, or always SQLite; the result does not depend on it
    #[arg(long, value_enum, value_name = "READER", default_value = "auto", hide = true)]
    pub(crate) reader: ReaderChoice,
    /// TOML file with values for these options and for rules (docs/rules.md). The command line has precedence over it, and it has
    /// precedence over `./dlprof-agg.toml` and `~/.config/dlprof-agg/config.toml`
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

/// Which iterations are aggregated where no numbers are given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum IterRange {
    /// The longest run of steady ones if there is one of at least three, else all
    Auto,
    /// The same, with a note where there is none
    Steady,
    /// All of them, and what lies between
    All,
}

/// The clock of durations and shares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Clock {
    /// The GPU's where more work is launched than fits into the iterations on the CPU, else the CPU's
    Auto,
    /// An iteration begins when its calls do
    Cpu,
    /// An iteration begins when its GPU work does
    Gpu,
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
pub(crate) enum ReaderChoice {
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
