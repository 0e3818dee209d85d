//! `dlprof-agg`: where the training time went, from an Nsight Systems SQLite export.
//!
//! The whole program as one function, [`main_with`], which the binary calls, and the console script of the Python package. It
//! parses arguments, calls the libraries and prints; see `dlprof-core` and `dlprof-export`. Nothing of the process is changed
//! until it is called: no signals, no hooks, no memory set aside. Its rooms, from the ground up: `exit` (codes and failures),
//! `process` (signals, the end of memory), `console` (the only printing), `nsys` (the program of that name), `settings` (what is
//! asked for, checked), `opening` (from a file to a judged profile), `server` (of `view`), `commands` (plain values and what is done
//! with them), `arguments` (from words to these values), `library` (the same work as functions for programs in other languages).

mod answers;
mod arguments;
mod commands;
mod console;
mod exit;
#[cfg(test)]
mod generated;
pub mod library;
mod mcp;
mod nsys;
mod opening;
mod process;
#[cfg(feature = "view")]
mod server;
mod settings;

use arguments::lake::LakeAction;
use arguments::{Asked, CacheAction, Cli, Command, command_line, for_programs, shell, show, stats};
use dlprof_core::Severity;
use dlprof_export::StandingQuestion;
use exit::Failure;
use opening::CaptureFile;
use process::{allocator, interrupted};
use std::ffi::OsString;
use std::io::Write;

/// Runs the program with a command line, of which the first word is the program's name, and returns the exit code.
///
/// The process is the program's from here on: signals, the panic hook and the end of memory are handled as the program needs it,
/// and it prints. To be called once, by what ends the process with the code.
#[must_use]
pub fn main_with(words: &[OsString]) -> u8 {
    allocator::reserve();
    allocator::take_aborts_for_lack_of_memory();
    interrupted::take_limits_as_errors();
    interrupted::hide_caught_panics();
    let cli = match command_line::read(words) {
        Ok(cli) => cli,
        Err(code) => return code,
    };
    let brief = cli.analysis.options.general.brief.most_tokens();
    let code = run(cli, brief).unwrap_or_else(|failure| for_programs::failed(&failure, words, brief));
    // Where this is not the binary, nothing else does it at the end.
    drop(std::io::stdout().flush());
    code
}

/// Runs a command and returns the exit code.
fn run(mut cli: Cli, brief: Option<usize>) -> Result<u8, Failure> {
    // These two have their own ways to end.
    if !matches!(cli.command, Some(Command::Profile(_) | Command::View(_))) {
        interrupted::watch();
    }
    if let Some(most_tokens) = brief.or(cli.command.as_ref().and_then(Command::most_tokens)) {
        return run_briefly(cli, most_tokens);
    }
    let Some(command) = cli.command.take() else {
        return match cli.asked()? {
            Asked::Dashboard(dashboard) => {
                commands::dashboard::run(&dashboard).map_err(command_line::misspelt)
            }
            Asked::Reports(reports) => commands::reports::run(reports).map(|()| exit::DONE),
        };
    };
    match command {
        Command::Gate(gate) => return commands::gate::run(&gate.asked()?).map(exit::of_verdict),
        Command::Profile(profile) => return commands::profile::run(profile.asked()?),
        Command::Ranks(ranks) => return commands::ranks::run(&ranks.asked()?),
        Command::Lake { action: LakeAction::Add(add) } => {
            return commands::lake::run(&add.asked(cli.analysis.options)?);
        }
        Command::Agent => console::print(answers::GUIDE),
        Command::Ask(ask) => return answers::ask::run(&ask.asked()?),
        Command::Mcp(mcp) => return mcp::run(&mcp.asked()?),
        Command::Rules(rules) => return commands::rules::run(rules.asked()?),
        Command::Stats(stats) => match stats.asked()? {
            stats::Asked::Reports(stats) => return commands::stats::run(&stats),
            stats::Asked::ListOfReports(form) => commands::stats::list(form),
            stats::Asked::ListOfFormats => commands::stats::list_formats(),
        },
        Command::Reports(reports) => commands::reports::run(reports.asked()?),
        Command::Check { analysis, .. } => return commands::check::run(&analysis.capture()?),
        Command::Show(show) => match show.asked()? {
            show::Asked::Rows(show) => commands::show::run(&show),
            show::Asked::ListOfJob(table, paging) => commands::show_job::list(table, &paging),
            show::Asked::OfJob(show) => commands::show_job::run(&show),
            show::Asked::List(table, paging) => commands::show::list(table, &paging),
            show::Asked::Rules(rules) => return commands::rules::run(*rules),
        },
        Command::Export(export) if export.schema => commands::export::schema(),
        Command::Export(export) if export.is_of_job() => commands::export_job::run(&export.asked_of_job()?),
        Command::Export(export) => commands::export::run(export.asked()?),
        Command::Ncu(ncu) => commands::ncu::run(&ncu.asked()?),
        Command::Query(query) => commands::query::run(&query.asked()?),
        Command::View(view) => commands::view::run(&view.asked()?),
        Command::Cache { action } => match (settings::cache(), action) {
            (None, _) => commands::cache::none(),
            (Some(cache), CacheAction::List) => commands::cache::list(&cache),
            (Some(cache), CacheAction::Clear) => commands::cache::clear(&cache),
        },
        Command::Baseline(baseline) => commands::baseline::run(&baseline.asked()?),
        Command::Compare(compare) => return commands::compare::run(compare.asked()?),
        Command::History(history) => commands::history::run(&history.asked()?),
        Command::WhatIf(what_if) => commands::what_if::run(&what_if.asked()?),
        Command::Explain { names, .. } => commands::explain::run(&names),
        Command::Demo(demo) => match demo.asked(&cli.analysis.options)? {
            Some(target) => commands::demo::write(&target),
            None => commands::demo::show(),
        },
        Command::Completions { shell } => shell::completions(shell),
        Command::Man { command } => shell::man(command.as_deref()),
    }?;
    Ok(exit::DONE)
}

/// Runs a command whose answer is for programs.
fn run_briefly(cli: Cli, most_tokens: usize) -> Result<u8, Failure> {
    use answers::{ask::FailsOn, brief};
    let Some(command) = cli.command else {
        let fails_on = FailsOn::Problems(cli.fail_on.map(Severity::from));
        return brief::ask(StandingQuestion::WhySlow, vec![cli.analysis.capture()?], fails_on, most_tokens);
    };
    match command {
        Command::Ask(ask) => answers::ask::run(&ask.asked()?),
        Command::Check { analysis, .. } => {
            let fails_on = FailsOn::Problems(Some(Severity::Error));
            brief::ask(StandingQuestion::Suffices, vec![analysis.capture()?], fails_on, most_tokens)
        }
        Command::Compare(compare) => brief::compare(compare.asked()?, most_tokens),
        Command::Explain { names, .. } => brief::explain(&names, most_tokens),
        Command::Query(query) => brief::query(&query.asked()?, most_tokens),
        Command::Rules(rules) => {
            let rules = rules.asked()?;
            let file = rules.file.ok_or_else(|| brief::not_brief("rules"))?;
            let (files, fails_on) =
                (vec![CaptureFile::new(file, rules.settings)], FailsOn::Findings(rules.fail_on));
            brief::ask(StandingQuestion::WhatFirst, files, fails_on, most_tokens)
        }
        Command::Show(show) => match show.asked()? {
            show::Asked::Rows(show) => brief::show(&show, most_tokens),
            _ => Err(brief::not_brief("show --list")),
        },
        _ => Err(brief::not_brief("this command")),
    }
}
