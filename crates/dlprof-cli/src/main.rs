//! `dlprof-agg`: where the training time went, from an Nsight Systems SQLite export.
//!
//! This binary only parses arguments, calls the libraries and prints; see `dlprof-core` and `dlprof-export`.

mod analysis_args;
mod args;
mod commands;
mod console;
mod exit;
mod formats;
mod gate_args;
mod progress;
mod settings;

use args::{Cli, Command};
use clap::Parser;
use dlprof_export::dashboard::Details;
use exit::Failure;
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = Cli::try_parse().unwrap_or_else(|error| args::explain(error).exit());
    let result = match cli.command {
        Some(Command::Reports(reports)) => commands::reports::run(reports),
        Some(Command::Check(analysis)) => commands::check::run(&analysis),
        Some(Command::Show(show)) => commands::show::run(&show),
        Some(Command::Export(export)) => commands::export::run(&export),
        Some(Command::Query(query)) => commands::query::run(&query),
        Some(Command::Cache { action }) => commands::cache::run(action),
        Some(Command::Baseline(baseline)) => commands::baseline::run(&baseline),
        Some(Command::Compare(compare)) => commands::compare::run(&compare),
        Some(Command::History(history)) => commands::history::run(&history),
        Some(Command::Gate(gate)) => match commands::gate::run(&gate) {
            Ok(verdict) => return ExitCode::from(exit::of_verdict(verdict)),
            Err(failure) => Err(failure),
        },
        Some(Command::Explain { names }) => commands::explain::run(&names),
        Some(Command::Demo(demo)) => commands::demo::run(demo),
        Some(Command::Completions { shell }) => commands::shell::completions(shell),
        Some(Command::Man) => commands::shell::man(),
        None if cli.reports.is_asked() => {
            commands::reports::run(args::Reports { analysis: cli.analysis, reports: cli.reports })
        }
        None => {
            let details = if cli.details { Details::All } else { Details::Best };
            commands::dashboard::run(&cli.analysis, details).map_err(misspelt)
        }
    };
    match result {
        Ok(()) => ExitCode::from(exit::DONE),
        Err(failure) => {
            console::print_failure(&failure);
            ExitCode::from(Failure::code(&failure))
        }
    }
}

/// A file that does not exist and looks like a command.
fn misspelt(failure: Failure) -> Failure {
    let Failure::Analysis(dlprof_core::Error::NotFound { path }) = &failure else { return failure };
    match args::nearest_command(&path.to_string_lossy()) {
        Some(name) => Failure::Usage {
            message: format!("there is neither a command nor a file `{}`", path.display()),
            hint: Some(format!("did you mean `dlprof-agg {name}`?")),
        },
        None => failure,
    }
}
