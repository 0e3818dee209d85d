//! Answers for agents and scripts, in the one form of [`dlprof_export::Envelope`]: what commands with `--brief`, `ask` and the server
//! of the Model Context Protocol say. The two that print are `ask` and `brief`. Commands know nothing of this room.

pub(crate) mod ask;
pub(crate) mod brief;
mod capture_key;
mod refused;

pub(crate) use capture_key::capture_key;
pub(crate) use refused::refused;

use crate::commands::explain;
use crate::commands::per_iteration;
use crate::commands::query::{names_of_files, unusable};
use crate::commands::show::{ColumnsAndOrder, selected};
use crate::exit::Failure;
use dlprof_core::{Judged, MeansNamedIn, Table, name_means, why_empty, why_no_row};
use dlprof_export::{
    AnswerState, AskedCapture, Asking, Cursor, CursorError, Envelope, Part, Query, QueryLimits,
    StandingQuestion, ask, of_captures,
};
use std::path::Path;
use std::sync::Arc;

/// Tokens of an answer if nothing else is asked for.
pub(crate) const USUAL_TOKENS: u32 = 2_000;

/// What an agent needs to know.
pub(crate) const GUIDE: &str = include_str!("../../../../docs/agents/SKILL.md");

/// A capture that is open.
#[derive(Clone, Copy)]
pub(crate) struct OpenFile<'a> {
    /// As it was named.
    pub(crate) path: &'a Path,
    pub(crate) judged: &'a Judged,
}

/// What is asked of open captures.
pub(crate) struct Asked<'a> {
    pub(crate) question: StandingQuestion,
    pub(crate) about: Option<&'a str>,
    pub(crate) cursor: Option<&'a str>,
    pub(crate) limits: QueryLimits,
}

/// Answers a standing question.
pub(crate) fn answer(asked: &Asked<'_>, files: &[OpenFile<'_>]) -> Result<Envelope, Failure> {
    let Asked { question, about, cursor, limits } = *asked;
    check_count(question, files.len())?;
    let captures = keys_and_names(files);
    let cursor = cursor.map(|text| {
        let cursor: Cursor = text.parse()?;
        cursor.fits(question.words()[0], about, captures.iter().map(|(id, _)| id.as_str())).map(|()| cursor)
    });
    let cursor = cursor.transpose().map_err(unusable_cursor)?;
    let captures = asked_captures(files, &captures);
    ask(&Asking { question, about, captures: &captures, cursor: cursor.as_ref(), limits }).map_err(unusable)
}

/// The answer to a query.
pub(crate) fn queried(sql: &str, files: &[OpenFile<'_>], limits: QueryLimits) -> Result<Envelope, Failure> {
    let captures = keys_and_names(files);
    let mut query = Query::new(sql, files.len()).map_err(unusable)?.with_limits(limits);
    for (file, (_, name)) in files.iter().zip(&captures) {
        query.add(name, file.judged).map_err(unusable)?;
    }
    let answer = query.run().map_err(unusable)?;
    Ok(of_table("query", &answer, files, Some(sql.to_owned())))
}

/// Columns and rows of a table: without columns the most telling ones. An empty table says why it is so.
pub(crate) fn shown(
    table: Arc<dyn Table>,
    asked: &ColumnsAndOrder,
    conditions: &[String],
    file: OpenFile<'_>,
) -> Result<Envelope, Failure> {
    let layout = *table.layout();
    let (why, all) = (why_empty(table.as_ref(), file.judged), table.rows());
    let columns = match asked.columns.is_empty() {
        true => layout.first.iter().chain(layout.second).take(6).map(|&key| key.to_owned()).collect(),
        false => asked.columns.clone(),
    };
    let sort = if asked.sort.is_empty() { layout.sort() } else { asked.sort.clone() };
    let shown = ColumnsAndOrder { columns, sort, top: asked.top };
    let view = selected(Arc::clone(&table), &shown, conditions)?;
    let say = match view.rows() {
        0 if all > 0 => why_no_row(table.as_ref(), conditions, file.judged).join("\n"),
        _ => why.or_else(|| per_iteration::sums_in_words(&view, file.judged)).unwrap_or_default(),
    };
    Ok(Envelope { say, ..of_table("show", &name_means(view, MeansNamedIn::Keys), &[file], None) })
}

/// What names mean.
pub(crate) fn explained(names: &[String]) -> Result<Envelope, Failure> {
    let say = explain::text_of(names)?;
    Ok(Envelope { say, ..Envelope::new("explain", AnswerState::Answer) })
}

fn of_table(tool: &str, table: &dyn Table, files: &[OpenFile<'_>], sql: Option<String>) -> Envelope {
    let captures = keys_and_names(files);
    let parts = vec![Part::of("rows", table, 0, MOST_ROWS, sql)];
    Envelope { parts, ..of_captures(tool, &asked_captures(files, &captures)) }
}

fn asked_captures<'a>(files: &'a [OpenFile<'a>], captures: &'a [(String, String)]) -> Vec<AskedCapture<'a>> {
    let asked = |(file, (id, name)): (&OpenFile<'a>, &'a (String, String))| AskedCapture {
        id,
        name,
        judged: file.judged,
    };
    files.iter().zip(captures).map(asked).collect()
}

/// More rows do not fit any number of tokens that can be asked for.
const MOST_ROWS: usize = 2_000;

/// The keys of captures, and their names as `query` has them.
fn keys_and_names(files: &[OpenFile<'_>]) -> Vec<(String, String)> {
    let paths: Vec<&Path> = files.iter().map(|file| file.path).collect();
    paths.iter().map(|path| capture_key(path)).zip(names_of_files(&paths)).collect()
}

fn check_count(question: StandingQuestion, count: usize) -> Result<(), Failure> {
    let (is_right, needs) = match question {
        StandingQuestion::Compare => (count == 2, "two captures: BASE NEW"),
        StandingQuestion::WhichRank => (count > 0, "a capture"),
        _ => (count == 1, "one capture"),
    };
    if is_right {
        return Ok(());
    }
    let name = question.words()[0];
    Err(Failure::Usage {
        message: format!("`{name}` is about {needs}, and {count} were given"),
        hint: Some(format!(
            "dlprof-agg ask {name} {}",
            if question == StandingQuestion::Compare { "BASE NEW" } else { "FILE" }
        )),
    })
}

fn unusable_cursor(error: CursorError) -> Failure {
    let (message, hint) = match error {
        CursorError::Bad => ("this is not a cursor", "cursors are the `next` of an earlier answer"),
        CursorError::Stale => (
            "the cursor is of another question or capture, or the capture has changed",
            "ask again without a cursor",
        ),
    };
    Failure::Usage { message: message.into(), hint: Some(hint.into()) }
}
