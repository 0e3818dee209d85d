//! The command line: what clap reads, and what it means.
//!
//! ```text
//! words ─command_line─► Cli (types of clap) ─asked─► the plain values of `commands/`
//! ```
//!
//! A file per command or group of commands has the options with their help, and `asked`, which makes the command's values of
//! them. Nothing below this room knows how a command line is written.

mod analysis;
mod ask;
mod brief;
pub(crate) mod command_line;
mod examples;
pub(crate) mod for_programs;
mod formats;
mod general;
mod known_names;
pub(crate) mod lake;
mod mcp;
mod ncu;
mod old_options;
mod output;
mod profile;
pub(crate) mod question;
mod ranks;
mod report_format;
mod reports;
mod rules;
mod runs;
pub(crate) mod shell;
pub(crate) mod show;
pub(crate) mod stats;
#[cfg(test)]
mod tests;
mod value_help;
mod view;
mod what_if;

use crate::answers::GUIDE;
use crate::commands;
use crate::commands::dashboard::{Dashboard, DashboardFormat};
use crate::exit::Failure;
use analysis::Analysis;
use ask::Ask;
use brief::AnswerForm;
use clap::{Parser, Subcommand};
use dlprof_export::DashboardDetails;
use known_names::OF_EXPLANATIONS;
use mcp::Mcp;
use ncu::Ncu;
use output::{Demo, Export, Query};
use profile::Profile;
use ranks::Ranks;
use reports::{ReportArgs, Reports};
use rules::{FAIL_ON, FAIL_ON_LONG, FailOn, Rules};
use runs::{Baseline, Compare, Gate, History};
use show::Show;
use stats::Stats;
use value_help::with_values;
use view::View;
use what_if::WhatIf;

// What the commands that compare runs say of their files.
const RUN: &str = "Capture of a run, folder of the ranks of a job, or a file written by `baseline`";
const BASE: &str = "Baseline: a capture, folder of the ranks of a job, or a file written by `baseline`";
const JUDGED: &str = "Run to judge: a capture, folder of the ranks of a job, or a file written by `baseline`";

/// Reads what Nsight Systems, torch.profiler, AMD's rocprofv3 or the profiler of JAX recorded, and says where the time went and what
/// to change.
#[derive(Debug, Parser)]
#[command(name = "dlprof-agg", version, arg_required_else_help = true, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    /// Show all findings, and the command that lists the evidence of each
    #[arg(long)]
    pub(crate) details: bool,
    #[arg(
        long,
        value_enum,
        value_name = "FORMAT",
        default_value = "text",
        hide_default_value = true,
        hide_possible_values = true,
        help = "How to write the dashboard: text, json, markdown [default: text]",
        long_help = with_values::<DashboardFormat>("How to write the dashboard [default: text]")
    )]
    pub(crate) format: DashboardFormat,
    #[command(flatten)]
    pub(crate) reports: ReportArgs,
    #[arg(
        long,
        value_enum,
        value_name = "SEVERITY",
        conflicts_with_all = ["reports", "formats", "output_path"],
        hide_possible_values = true,
        help = FAIL_ON,
        long_help = with_values::<FailOn>(FAIL_ON_LONG)
    )]
    pub(crate) fail_on: Option<FailOn>,
    #[command(flatten)]
    pub(crate) analysis: Analysis,
}

/// What a command line without a command asks for.
pub(crate) enum Asked {
    /// The dashboard.
    Dashboard(Dashboard),
    /// DLProf's reports, as DLProf's command lines do.
    Reports(commands::reports::Reports),
}

impl Cli {
    /// What is asked for without a command.
    pub(crate) fn asked(self) -> Result<Asked, Failure> {
        if self.reports.is_asked() {
            let reports = Reports { analysis: self.analysis, reports: self.reports };
            return Ok(Asked::Reports(reports.asked()?));
        }
        self.reports.old.note();
        Ok(Asked::Dashboard(Dashboard {
            file: self.analysis.capture()?,
            details: if self.details { DashboardDetails::All } else { DashboardDetails::Best },
            format: self.format,
            fail_on: self.fail_on.map(Into::into),
        }))
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Profile a program with nsys, and show where its time went
    ///
    /// `dlprof-agg profile -- python train.py` runs `nsys profile` with the options that this tool's figures need, and prints
    /// that command first. Signals reach the program. The report is kept. The exit code is that of the program.
    #[command(mut_arg("ncu", profile::measures))]
    Profile(Profile),
    /// Answer one of ten standing questions about captures
    ///
    /// Answers have figures with the SQL that shows them, and say what is not known, why, and what to record. With `--brief` they are
    /// one line of JSON. docs/agents/README.md describes the form.
    Ask(Ask),
    /// Serve agents: the Model Context Protocol on standard input and output
    ///
    /// Eight tools that only read captures below the roots. docs/agents/README.md describes tools and protection.
    Mcp(Mcp),
    /// Print what an agent needs to know of this program
    #[command(long_about = GUIDE)]
    Agent,
    /// Write DLProf's report files
    Reports(Reports),
    /// Say what a capture holds, what is missing, and what to do about it
    Check {
        #[command(flatten)]
        form: AnswerForm,
        #[command(flatten)]
        analysis: Analysis,
    },
    /// Print a table, such as `show ops FILE`
    ///
    /// On a terminal, a table is as wide as the terminal: columns that have no room are named below it. In a pipe or a file
    /// it has all columns and whole texts, so that grep finds every name. docs/tables.md describes columns,
    /// docs/expressions.md conditions.
    Show(Show),
    /// Print the reports of `nsys stats`, with its options and byte for byte
    ///
    /// The exit code is 5 if a report that was asked for was skipped; without `--report`, if all were. docs/nsys-stats.md
    /// describes reports, options and what differs.
    Stats(Stats),
    /// Write tables and reports to files: CSV, JSON, Parquet, XLSX, PDF, HTML …
    Export(Export),
    /// Show what logs of Nsight Compute say, with or without a capture, or the command that writes one
    ///
    /// Logs are CSV that `ncu --csv --log-file FILE` wrote. Times and rates are those of `ncu`, which locks clocks at the base
    /// clock and runs kernels alone. `--ncu LOG` of the other commands joins logs to the kernels of a capture. docs/ncu.md
    /// describes what is read and how it is joined.
    Ncu(Ncu),
    /// Answer an SQL query about the tables of one or several captures
    Query(Query),
    /// Explore one or several captures in a browser
    ///
    /// Starts a small server and prints its address. Other ranges and key nodes are aggregated at once. Ctrl-C ends it.
    /// Only this machine can reach the server, unless `--bind` names another address; then the printed address ends in
    /// a random token.
    View(View),
    /// Say how long an iteration would take with a change of the program
    ///
    /// The aggregated iterations are replayed with the change: what each call and each piece of GPU work waits for, and how long it
    /// takes. Printed are the iteration before and after, what each edit saves alone, what limits next, and two bounds: the iteration
    /// if GPU work, or the host, took no time. docs/what-if.md says how, and what a replay cannot know.
    #[command(mut_arg("file", |file| file.index(1).required(true)))]
    WhatIf(WhatIf),
    /// List or remove what is kept of earlier runs: captures, and exports of reports
    ///
    /// The capture of an export of 4 MiB or more is kept as a folder in `$XDG_CACHE_HOME/dlprof-agg`, or in
    /// `~/.cache/dlprof-agg`, so that another range, key node or table does not read the export again. All kept
    /// captures take at most 8 GiB; those that were not used for the longest time are removed first. A kept capture
    /// is used only if the export is still the same, unchanged file.
    ///
    /// The export of a report (`.nsys-rep`, `.qdrep`) is kept in the subfolder `exports`. All kept exports take at most
    /// 8 GiB, or as much as the newest one if that alone is larger. A kept export is used only if path, size and time of
    /// the report are the same.
    Cache {
        /// What to do
        #[command(subcommand)]
        action: CacheAction,
    },
    /// Write a baseline: the figures of one or several runs, to compare other runs with
    #[command(mut_arg("file", |file| file.index(1).required(true).value_name("RUN")
        .help(RUN).long_help(RUN)))]
    Baseline(Baseline),
    /// Compare runs: what became slower or faster, by how much, and how certain that is
    #[command(mut_arg("file", |file| file.index(1).required(true).value_name("BASE")
        .help(BASE).long_help(BASE)))]
    Compare(Compare),
    /// Fail if a run is slower than a baseline allows
    ///
    /// A run fails if it is slower than the baseline by more than noise and by more than a policy allows.
    #[command(mut_arg("file", |file| file.index(1).required(true).value_name("NEW")
        .help(JUDGED).long_help(JUDGED)))]
    Gate(Gate),
    /// Say which rank of a distributed job holds it back, and why
    ///
    /// Takes a capture per rank or per node: files, folders, patterns, or `@FILE` with a path per line. Captures that cannot be
    /// read are named and left out. `--iter-start` and `--iter-stop` take common numbers of iterations. The tables of a job, such
    /// as `ranks`, `collectives` and `job_findings`, are printed by `show TABLE PATH…`; docs/ranks.md describes them.
    #[command(mut_arg("file", |file| file.index(1).required(true).value_name("PATH")
        .help("Captures of the ranks of a job, or a folder of them")
        .long_help("Captures of the ranks of a job, or a folder of them; `@FILE` has a path per line")), mut_arg("output", |output| output.long_help("Also write the report to a file, whose ending sets the format\n\n\
            Endings: html (the page Ranks of the viewer, in one file), pdf, txt, json, md, xml (JUnit), sarif. May be given several times.")))]
    Ranks(Ranks),
    /// Keep tables of many captures as Parquet files, for SQL and for jobs of many ranks
    ///
    /// `dlprof-agg lake add DIR PATH…` writes tables and a digest per capture; `dlprof-agg ranks DIR` reads the digests alone.
    /// DuckDB, polars, Spark and other engines read the Parquet files. docs/lake.md has layout and schema.
    Lake {
        /// What to do
        #[command(subcommand)]
        action: lake::LakeAction,
    },
    /// Show when metrics changed over many baselines
    #[command(mut_arg("file", |file| file.index(1).required(true).value_name("DIR|FILE")
        .help("Folder of baselines, or the first of several files, oldest first")
        .long_help("Folder of baselines (`*.json`, in order of their names), or the first of several files, oldest \
                    first")))]
    History(History),
    /// List the rules with their thresholds; with FILE, also what each found there
    ///
    /// A settings file can tune, silence or raise every rule, and can have rules of your own; docs/rules.md says how.
    Rules(Rules),
    /// Say what a column, cause, class or term means, or how a rule decides
    ///
    /// Without a name, all names are listed.
    Explain {
        /// Names, such as `occupancy`, `gpu_idle_ns`, `ops.gpu_time_ns`, `input_bound`
        #[arg(value_name = "NAME", value_parser = OF_EXPLANATIONS, hide_possible_values = true)]
        names: Vec<String>,
        #[command(flatten)]
        form: AnswerForm,
    },
    /// Show the dashboard of a built-in sample capture
    Demo(Demo),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or that of a command
    Man {
        /// The command
        #[arg(value_name = "COMMAND")]
        command: Option<String>,
    },
}

impl Command {
    /// The most tokens of an answer for programs, if `--format json` asks for one.
    pub(crate) fn most_tokens(&self) -> Option<usize> {
        match self {
            Self::Check { form, .. } | Self::Explain { form, .. } => form.most_tokens(),
            _ => None,
        }
    }
}

/// What to do with what is kept of earlier runs.
#[derive(Debug, Clone, Copy, Subcommand)]
pub(crate) enum CacheAction {
    /// Print what is kept, the most recently used first
    List,
    /// Remove all kept captures and exports
    Clear,
}
