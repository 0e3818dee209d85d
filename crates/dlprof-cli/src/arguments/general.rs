//! Options that say how the program behaves, whatever it analyses.

use super::brief::Brief;
use super::value_help::with_values;
use crate::console::Verbosity;
use crate::settings::{UsualFiles, parse_size};
use clap::{ArgAction, Args, ValueEnum};
use dlprof_core::RowReader;
use dlprof_export::Overwrite;
use std::path::PathBuf;

/// How the program behaves, whatever it analyses. These options may come before or after the command.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "General")]
pub(crate) struct General {
    /// Show notes as well as warnings; -vv also stage times
    ///
    /// -v adds notes about the capture and the names of the settings files that were read. -vv also adds the time of each
    /// stage and the size of scratch files.
    #[arg(short, long, action = ArgAction::Count, global = true)]
    pub(crate) verbose: u8,
    /// Show errors only: no warnings and no progress
    #[arg(short, long, conflicts_with = "verbose", global = true)]
    pub(crate) quiet: bool,
    /// How much to show, as DLProf says it
    #[arg(
        long,
        value_enum,
        value_name = "LEVEL",
        global = true,
        hide = true,
        conflicts_with_all = ["quiet", "verbose"]
    )]
    pub(crate) verbosity: Option<DlprofVerbosity>,
    #[arg(
        long,
        value_enum,
        value_name = "WHEN",
        default_value = "auto",
        global = true,
        hide_possible_values = true,
        hide_default_value = true,
        help = "Colours: auto, always, never [default: auto]",
        long_help = with_values::<Color>("When to use colours [default: auto]")
    )]
    pub(crate) color: Color,
    /// Show no progress bar
    ///
    /// Progress is shown on standard error if something takes more than a second, and only if that is a terminal.
    #[arg(long, alias = "no_progress", global = true)]
    pub(crate) no_progress: bool,
    /// TOML file with values for these options and for rules
    ///
    /// docs/settings.md describes every key. The command line has precedence over this file, and this file has precedence
    /// over `./dlprof-agg.toml` and `~/.config/dlprof-agg/config.toml`.
    #[arg(long, value_name = "FILE", global = true)]
    pub(crate) config: Option<PathBuf>,
    /// Read no settings file but that of `--config`
    ///
    /// Neither `./dlprof-agg.toml` nor `~/.config/dlprof-agg/config.toml` counts, so that the result depends on the command
    /// line alone.
    #[arg(long, global = true)]
    pub(crate) no_config: bool,
    /// The program that exports `.nsys-rep` files [default: nsys on PATH]
    ///
    /// A report (`.nsys-rep`, `.qdrep`) is exported to the cache folder, with only the tables that are used, and the
    /// export is used again while the report is the same file. See `dlprof-agg cache --help`.
    #[arg(long, value_name = "PROGRAM", global = true)]
    pub(crate) nsys: Option<PathBuf>,
    /// Worker threads; 0 for one per processor [default: 0]
    ///
    /// At most 256. The result does not depend on it.
    #[arg(long, value_name = "N", global = true)]
    pub(crate) threads: Option<usize>,
    /// Most memory to use, such as 2G [default: half of what is free]
    ///
    /// What does not fit goes to scratch files in $TMPDIR, or in /var/tmp. K, M, G and T are powers of 1024. The result does
    /// not depend on it.
    #[arg(long, value_name = "SIZE", value_parser = parse_size, global = true)]
    pub(crate) memory: Option<usize>,
    /// Neither use nor keep captures and exports of earlier runs
    ///
    /// See `dlprof-agg cache --help`.
    #[arg(long, alias = "no_cache", global = true)]
    pub(crate) no_cache: bool,
    #[command(flatten)]
    pub(crate) brief: Brief,
    /// What reads the rows of the file: its pages, or always SQLite; the result does not depend on it
    #[arg(long, value_enum, value_name = "READER", hide = true, global = true)]
    pub(crate) reader: Option<ReaderChoice>,
}

/// DLProf's words for how much is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DlprofVerbosity {
    /// As `--quiet`
    Quiet,
    /// As `--quiet`
    Minimal,
    /// As without it
    Normal,
    /// As `-v`
    Detailed,
    /// As `-vv`
    Diagnostic,
}

impl General {
    /// Whether the settings files count that nobody names.
    pub(crate) fn usual_files(&self) -> UsualFiles {
        if self.no_config { UsualFiles::Ignored } else { UsualFiles::Read }
    }

    /// How much to show.
    pub(crate) fn level(&self) -> Verbosity {
        use DlprofVerbosity::{Detailed, Diagnostic, Minimal, Normal, Quiet};
        match (self.verbosity, self.quiet, self.verbose) {
            (Some(Quiet | Minimal), ..) | (None, true, _) => Verbosity::Quiet,
            (Some(Normal), ..) | (None, false, 0) => Verbosity::Normal,
            (Some(Detailed), ..) | (None, false, 1) => Verbosity::Notes,
            (Some(Diagnostic), ..) | (None, false, _) => Verbosity::Stages,
        }
    }
}

/// What `--force` says.
pub(super) fn overwrite(force: bool) -> Overwrite {
    if force { Overwrite::Replace } else { Overwrite::Refuse }
}

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Color {
    /// If the output is a terminal that shows them, and NO_COLOR is not set
    #[default]
    Auto,
    /// Always, also in files and pipes
    Always,
    /// Never
    Never,
}

impl From<Color> for anstream::ColorChoice {
    fn from(color: Color) -> Self {
        match color {
            Color::Auto => Self::Auto,
            Color::Always => Self::Always,
            Color::Never => Self::Never,
        }
    }
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

impl From<ReaderChoice> for RowReader {
    fn from(reader: ReaderChoice) -> Self {
        match reader {
            ReaderChoice::Auto => Self::Auto,
            ReaderChoice::Sqlite => Self::Sqlite,
        }
    }
}
