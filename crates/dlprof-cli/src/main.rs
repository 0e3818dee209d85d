//! `dlprof-agg`: where the training time went, from an Nsight Systems SQLite export.
//!
//! This binary only parses arguments, calls the libraries and prints; see `dlprof-core` and `dlprof-export`.

mod allocator;
mod analysis_args;
mod args;
mod ci_args;
mod command_line;
mod commands;
mod console;
mod examples;
mod exit;
mod formats;
mod gate_args;
mod general_args;
mod inputs;
mod interrupted;
mod iteration_pair;
mod locale;
mod missing_file;
mod nsys;
mod old_options;
mod output_args;
mod pager;
mod profile_args;
mod progress;
#[cfg(feature = "view")]
mod server;
mod settings;
mod settings_files;
mod settings_mistakes;
mod show_args;
mod stages;
mod stats_args;
mod terminal;
mod value_help;
mod view_args;

use args::{Cli, Command};
use dlprof_export::dashboard::Details;
use exit::Failure;
use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    allocator::reserve();
    interrupted::take_limits_as_errors();
    interrupted::hide_caught_panics();
    let words: Vec<OsString> = std::env::args_os().collect();
    let cli = match command_line::read(&words) {
        Ok(cli) => cli,
        Err(code) => return code,
    };
    match run(cli) {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            console::print_failure(&failure);
            ExitCode::from(Failure::code(&failure))
        }
    }
}

/// Runs a command and returns the exit code.
fn run(cli: Cli) -> Result<u8, Failure> {
    // These two have their own ways to end.
    if !matches!(cli.command, Some(Command::Profile(_) | Command::View(_))) {
        interrupted::watch();
    }
    let Some(command) = cli.command else {
        if cli.reports.is_asked() {
            let reports = output_args::Reports { analysis: cli.analysis, reports: cli.reports };
            return commands::reports::run(reports).map(|()| exit::DONE);
        }
        cli.reports.old.note();
        let details = if cli.details { Details::All } else { Details::Best };
        return commands::dashboard::run(&cli.analysis, details, cli.format, cli.fail_on)
            .map_err(command_line::misspelt);
    };
    match command {
        Command::Gate(gate) => return commands::gate::run(&gate).map(exit::of_verdict),
        Command::Profile(profile) => return commands::profile::run(profile),
        Command::Stats(stats) => return commands::stats::run(&stats),
        Command::Rules(rules) => return commands::rules::run(&rules),
        Command::Reports(reports) => commands::reports::run(reports),
        Command::Check(analysis) => commands::check::run(&analysis),
        Command::Show(show) => commands::show::run(&show),
        Command::Export(export) => commands::export::run(&export),
        Command::Query(query) => commands::query::run(&query),
        Command::View(view) => commands::view::run(&view),
        Command::Cache { action } => commands::cache::run(action),
        Command::Baseline(baseline) => commands::baseline::run(&baseline),
        Command::Compare(compare) => commands::compare::run(&compare),
        Command::History(history) => commands::history::run(&history),
        Command::Explain { names } => commands::explain::run(&names),
        Command::Demo(demo) => commands::demo::run(demo, &cli.analysis.options.general),
        Command::Completions { shell } => commands::shell::completions(shell),
        Command::Man => commands::shell::man(),
    }?;
    Ok(exit::DONE)
}
