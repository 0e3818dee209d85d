//! `--brief`: the answers of commands as one line of JSON, in the form that agents and scripts read.

use super::ask::{self, Ask, FailsOn};
use super::{OpenFile, explained, queried, refused, shown};
use crate::commands::compare::{Compare, Sides};
use crate::commands::per_iteration;
use crate::commands::query::{Query, as_one_of_several};
use crate::commands::show::Show;
use crate::console;
use crate::exit::{self, Failure};
use crate::opening::CaptureFile;
use dlprof_core::{Judged, Table};
use dlprof_export::{Envelope, QueryLimits, StandingQuestion};
use std::sync::Arc;

/// Answers a standing question about a capture, in place of what a command prints for people.
pub(crate) fn ask(
    question: StandingQuestion,
    files: Vec<CaptureFile>,
    fails_on: FailsOn,
    most_tokens: usize,
) -> Result<u8, Failure> {
    ask::run(&Ask { question, files, about: None, cursor: None, is_json: true, most_tokens, fails_on })
}

/// Rows of a table.
pub(crate) fn show(asked: &Show, most_tokens: usize) -> Result<u8, Failure> {
    if asked.per_iteration {
        per_iteration::check(asked.table)?;
    }
    let judged = asked.file.open()?;
    let table: Arc<dyn Table> = (asked.table.build)(&judged).into();
    let table = if asked.per_iteration { per_iteration::means(table, &judged)? } else { table };
    let mut conditions = asked.conditions.clone();
    conditions.extend(asked.rows.conditions(&judged, table.as_ref())?);
    let file = OpenFile { path: &asked.file.path, judged: &judged };
    let envelope = shown(table, &asked.shown, &conditions, file)?;
    asked.file.keep_figures(&judged);
    print(&envelope, most_tokens)
}

/// The answer to a query.
pub(crate) fn query(asked: &Query, most_tokens: usize) -> Result<u8, Failure> {
    let several = asked.files.len() > 1;
    let judged: Vec<Judged> =
        asked.files.iter().map(|file| as_one_of_several(file, several)).collect::<Result<_, _>>()?;
    let files = asked.files.iter().zip(&judged).map(|(file, judged)| OpenFile { path: &file.path, judged });
    let memory_bytes = asked.files.first().map_or(0, |file| file.settings.memory_bytes());
    let limits = QueryLimits { time: asked.time_limit, memory_bytes };
    print(&queried(&asked.sql, &files.collect::<Vec<_>>(), limits)?, most_tokens)
}

/// What changed between two captures.
pub(crate) fn compare(asked: Compare, most_tokens: usize) -> Result<u8, Failure> {
    let Sides::Runs { base, new } = asked.sides else { return Err(not_brief("compare --iterations")) };
    let file = |path| CaptureFile::new(path, asked.settings.clone());
    ask(StandingQuestion::Compare, vec![file(base), file(new)], FailsOn::Nothing, most_tokens)
}

/// What names mean.
pub(crate) fn explain(names: &[String], most_tokens: usize) -> Result<u8, Failure> {
    print(&explained(names)?, most_tokens)
}

/// That a command has no brief answer.
pub(crate) fn not_brief(command: &str) -> Failure {
    Failure::Usage {
        message: format!("`{command}` has no brief form"),
        hint: Some("`--brief` is for the dashboard, `ask`, `check`, `compare`, `explain`, `query`, `rules FILE` and `show`".into()),
    }
}

/// Prints a failure as an answer of a command.
pub(crate) fn print_refused(command: &str, failure: &Failure, most_tokens: usize) {
    // Where nothing can be printed, the exit code alone says it.
    drop(print(&refused(command, failure), most_tokens));
}

fn print(envelope: &Envelope, most_tokens: usize) -> Result<u8, Failure> {
    console::print_json(&envelope.to_json(most_tokens)).map(|()| exit::DONE)
}
