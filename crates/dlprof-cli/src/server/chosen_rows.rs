//! Which rows of a table a question is about, in which order. The answers to the last questions are kept, so that the next page
//! costs nothing.

use super::question::TableQuestion;
use super::refusal::Refusal;
use axum::http::StatusCode;
use dlprof_core::{CellKind, Columns, Rows, Selection, Table, Value, View};
use std::borrow::Cow;
use std::collections::HashMap;

/// How many row numbers are kept of a table, or those of the last question if they are more.
const MOST_KEPT: usize = 8 << 20;

/// Tables with at most so many matching rows are sorted as a whole.
const SORTED_WHOLE: usize = 1 << 16;

/// Of larger ones only the first rows are sorted: at least so many.
const LEAST_SORTED: usize = 1 << 12;

/// And at most so many.
pub(super) const MOST_SORTED: usize = 1 << 20;

/// The rows of the last questions about a table.
#[derive(Debug, Default)]
pub(super) struct ChosenRows {
    /// The last one first.
    kept: Vec<Kept>,
}

#[derive(Debug, Clone)]
struct Kept {
    conditions: Vec<String>,
    search: String,
    sort: Vec<String>,
    found: Found,
}

impl TableQuestion {
    /// The rows and columns that are asked for, of a table and the rows that were found in it.
    pub(super) fn view<'a>(&self, table: &'a dyn Table, rows: &Rows) -> Result<View<'a>, Refusal> {
        let selection = Selection { columns: &self.columns, ..Selection::default() };
        let view = View::of(table).with_rows(rows.clone()).select(&selection)?;
        Ok(view.page(self.from, self.count.unwrap_or(usize::MAX)))
    }
}

/// Rows in the order asked for.
#[derive(Debug, Clone)]
pub(super) struct Found {
    /// The first of them, at least as many as were asked for.
    pub(super) rows: Rows,
    /// The number of all of them.
    pub(super) matching: usize,
}

impl ChosenRows {
    /// The rows that a question is about, at least the first `depth` of them.
    pub(super) fn find(
        &mut self,
        table: &dyn Table,
        question: &TableQuestion,
        depth: usize,
    ) -> Result<Found, Refusal> {
        let selection =
            Selection { sort: &question.sort, conditions: &question.conditions, ..Selection::default() };
        selection.check(&Columns::of(table))?;
        if let Some(found) = self.kept(question, &question.sort, depth) {
            return Ok(found);
        }
        let matching = match self.kept(question, &[], usize::MAX) {
            Some(found) => found,
            None => {
                let rows = matching_rows(table, question)?;
                let found = Found { matching: rows.len(), rows };
                self.keep(question, &[], &found);
                found
            }
        };
        if question.sort.is_empty() {
            return Ok(matching);
        }
        let rows = first_in_order(table, matching.rows, &question.sort, depth)?;
        let found = Found { rows, matching: matching.matching };
        self.keep(question, &question.sort, &found);
        Ok(found)
    }

    fn kept(&mut self, question: &TableQuestion, sort: &[String], depth: usize) -> Option<Found> {
        let is_wanted = |kept: &Kept| {
            kept.conditions == question.conditions
                && kept.search == question.search
                && kept.sort == sort
                && kept.found.rows.len() >= depth.min(kept.found.matching)
        };
        let at = self.kept.iter().position(is_wanted)?;
        self.kept[..=at].rotate_right(1);
        Some(self.kept[0].found.clone())
    }

    fn keep(&mut self, question: &TableQuestion, sort: &[String], found: &Found) {
        let (conditions, search) = (question.conditions.clone(), question.search.clone());
        self.kept.retain(|kept| kept.conditions != conditions || kept.search != search || kept.sort != sort);
        self.kept.insert(0, Kept { conditions, search, sort: sort.to_vec(), found: found.clone() });
        let mut numbers = 0;
        let is_kept = |kept: &Kept| {
            numbers += kept.found.rows.held().max(1 << 10);
            numbers <= MOST_KEPT
        };
        let count = self.kept.iter().map(is_kept).take_while(|&is_kept| is_kept).count();
        self.kept.truncate(count.max(1));
    }
}

/// The rows for which all conditions hold and that have all words.
fn matching_rows(table: &dyn Table, question: &TableQuestion) -> Result<Rows, Refusal> {
    let columns = Columns::of(table);
    let conditions =
        Selection { conditions: &question.conditions, ..Selection::default() }.conditions(&columns)?;
    let mut words = Words::new(table, &question.search);
    if conditions.is_empty() && words.is_empty() {
        return Ok(Rows::all(table.rows()));
    }
    table.prepare();
    let holds = |row: usize| conditions.iter().all(|condition| condition.holds(table, row));
    Ok(Rows::these((0..table.rows()).filter(|&row| holds(row) && words.are_in(row))))
}

/// The first of some rows in the order of some columns.
fn first_in_order(table: &dyn Table, rows: Rows, sort: &[String], depth: usize) -> Result<Rows, Refusal> {
    let top = match rows.len() {
        0..=SORTED_WHOLE => None,
        most => {
            let depth = depth.min(most);
            if depth > MOST_SORTED {
                return Err(Refusal::new(
                    StatusCode::UNPROCESSABLE_ENTITY,
                    format!("this order can show only the first {MOST_SORTED} of {most} rows"),
                    "choose fewer rows with a filter, or sort the other way round",
                ));
            }
            Some(depth.next_power_of_two().max(LEAST_SORTED))
        }
    };
    let selection = Selection { sort, top, ..Selection::default() };
    Ok(View::of(table).with_rows(rows).select(&selection)?.row_numbers().clone())
}

/// Words to search for in the texts of rows.
struct Words<'a> {
    table: &'a dyn Table,
    columns: Vec<usize>,
    words: Vec<String>,
    /// Which words borrowed texts have, by their place in memory: names repeat very often, and none changes or goes away
    /// while the table is borrowed.
    known: HashMap<(usize, usize), u64>,
}

impl<'a> Words<'a> {
    /// At most 64 words.
    fn new(table: &'a dyn Table, search: &str) -> Self {
        let is_text = |&column: &usize| matches!(table.header(column).kind, CellKind::Text | CellKind::Json);
        Self {
            table,
            columns: (0..table.columns()).filter(is_text).collect(),
            words: search.to_lowercase().split_whitespace().take(64).map(str::to_owned).collect(),
            known: HashMap::new(),
        }
    }

    fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Whether each word is in some text of a row.
    fn are_in(&mut self, row: usize) -> bool {
        let all = u64::MAX >> (64 - self.words.len().max(1));
        let mut found = if self.words.is_empty() { all } else { 0 };
        for &column in &self.columns {
            if found == all {
                break;
            }
            if let Value::Text(text) = self.table.value(row, column) {
                found |= match text {
                    Cow::Borrowed(text) => {
                        let words = &self.words;
                        let place = (text.as_ptr().addr(), text.len());
                        *self.known.entry(place).or_insert_with(|| words_in(words, text))
                    }
                    Cow::Owned(text) => words_in(&self.words, &text),
                };
            }
        }
        found == all
    }
}

/// A bit per word that a text has.
fn words_in(words: &[String], text: &str) -> u64 {
    let text = text.to_lowercase();
    words.iter().enumerate().filter(|(_, word)| text.contains(*word)).map(|(at, _)| 1 << at).sum()
}

#[cfg(test)]
mod tests;
