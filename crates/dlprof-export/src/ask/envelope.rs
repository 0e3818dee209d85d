//! The one form of answers for programs: what was asked, of what, whether it is known, figures with unit and the SQL that shows them.

use super::cursor;
use super::unknown::Cannot;
use dlprof_core::{Table, Unit, Value};
use serde::Serialize;
use serde_json::Value as Json;

/// The version of the form. Fields may be added; it grows when one changes or goes away.
pub const ENVELOPE_VERSION: u32 = 1;

/// Bytes that count as a token.
pub const BYTES_OF_TOKEN: usize = 4;

/// The longest text of a cell, in characters, where a capture may have written it.
const LONGEST_CELL: usize = 120;

/// The longest text of a cell in [`PROSE`].
const LONGEST_PROSE: usize = 400;

/// Columns with sentences of this program. They are not cut in the middle of a step that is to be done.
const PROSE: [&str; 4] = ["problem", "recommendation", "in_words", "meaning"];

/// The longest key of a row.
const LONGEST_KEY: usize = 300;

/// Whether a question has an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Rows are what there is; no rows: it was looked for, and there is none.
    Answer,
    /// Rows are right; `cannot` says what they do not cover.
    Partial,
    /// It is not known; `cannot` says why.
    Cannot,
    /// The request cannot be met; `error` says why.
    Error,
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Envelope {
    /// [`ENVELOPE_VERSION`].
    pub v: u32,
    /// Who answers: the command or tool.
    pub tool: String,
    /// The standing question; `None` for tools without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<&'static str>,
    /// Whether it has an answer.
    pub state: State,
    /// The capture that it is about, where it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capture: Option<CaptureName>,
    /// The captures, where it is about several: of two that are compared the older one first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub captures: Vec<CaptureName>,
    /// Which part of a capture figures are about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// The class of the verdict, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<&'static str>,
    /// The rule that explains it, where that was asked for and there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// The answer in words.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub say: String,
    /// Rows with their proof, part by part.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Part>,
    /// What is not known, why, and what to record.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cannot: Vec<Cannot>,
    /// What misleads about the capture, whatever was asked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warn: Vec<Warning>,
    /// Why the request cannot be met.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Mistake>,
}

/// A capture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CaptureName {
    /// Its key: the same file has the same one.
    pub id: String,
    /// The name of the file.
    pub name: String,
}

/// Which part of a capture figures are about.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Scope {
    /// In words.
    pub text: String,
    /// First iteration; `None` without iterations.
    pub first: Option<u32>,
    /// Last iteration, inclusive.
    pub last: Option<u32>,
    /// Its length.
    pub length_ns: i64,
    /// The clock of durations: `cpu` or `gpu`.
    pub clock: &'static str,
}

/// Rows of one query.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Part {
    /// What the rows are.
    pub name: &'static str,
    /// Names of columns, with units.
    pub columns: Vec<ColumnName>,
    /// Cells in the order of the columns. The first is the key of its row. Unknown cells are null.
    pub rows: Vec<Vec<Json>>,
    /// How many rows there are.
    pub total: usize,
    /// How many of them stand here.
    pub shown: usize,
    /// Where the next rows begin; `None` where these are the last.
    pub next: Option<String>,
    /// What `dlprof-agg query` answers with these rows; `None` where rows are no query's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sql: Option<String>,
    /// The place of the first row.
    #[serde(skip)]
    pub(super) offset: usize,
    /// What its cursors are good for.
    #[serde(skip)]
    pub(super) seal: u32,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ColumnName {
    /// Its name.
    pub name: String,
    /// The unit of its numbers; empty without one.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub unit: &'static str,
}

/// A warning.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Warning {
    /// Its stable name.
    pub code: String,
    /// In words.
    pub say: String,
}

/// Why a request cannot be met.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Mistake {
    /// A stable name.
    pub code: &'static str,
    /// What was found.
    pub say: String,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Names that were perhaps meant.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub did_you_mean: Vec<String>,
}

impl Envelope {
    /// An answer without figures.
    #[must_use]
    pub fn new(tool: impl Into<String>, state: State) -> Self {
        Self {
            v: ENVELOPE_VERSION,
            tool: tool.into(),
            question: None,
            state,
            capture: None,
            captures: Vec::new(),
            scope: None,
            class: None,
            cause: None,
            say: String::new(),
            parts: Vec::new(),
            cannot: Vec::new(),
            warn: Vec::new(),
            error: None,
        }
    }

    /// That a request cannot be met.
    #[must_use]
    pub fn mistake(tool: impl Into<String>, mistake: Mistake) -> Self {
        Self { error: Some(mistake), ..Self::new(tool, State::Error) }
    }

    /// One line of JSON without line feed, at most so many tokens long: rows are left out from the end of the longest part, then
    /// proofs and words are shortened.
    #[must_use]
    pub fn to_json(&self, most_tokens: usize) -> String {
        self.fitted(most_tokens, |envelope| serde_json::to_string(envelope).unwrap_or_default())
    }

    /// As it is written, with as much left out as it takes to fit.
    pub(super) fn fitted(&self, most_tokens: usize, write: impl Fn(&Self) -> String) -> String {
        let most = most_tokens * BYTES_OF_TOKEN;
        let mut left = self.clone();
        let mut text = write(&left);
        while text.len() > most && left.shorten() {
            text = write(&left);
        }
        text
    }

    /// Leaves out what is needed least. Returns whether there was something to leave out.
    fn shorten(&mut self) -> bool {
        let longest =
            self.parts.iter_mut().filter(|part| part.rows.len() > 1).max_by_key(|part| part.length());
        if let Some(part) = longest {
            part.rows.pop();
            part.shown -= 1;
            part.next = Some(cursor::written(part.name, part.offset + part.shown, part.seal));
            return true;
        }
        let words = self.cannot.iter_mut().flat_map(Cannot::texts).chain([&mut self.say]);
        let words = words.chain(self.warn.iter_mut().map(|warning| &mut warning.say));
        let words =
            words.chain(self.captures.iter_mut().chain(&mut self.capture).map(|capture| &mut capture.name));
        let words = words.chain(self.scope.iter_mut().map(|scope| &mut scope.text));
        let words = words.chain(self.error.iter_mut().map(|error| &mut error.say));
        if let Some(text) = words.max_by_key(|text| text.len()).filter(|text| text.len() > 80) {
            *text = cut(text, text.chars().count() / 2);
            return true;
        }
        if self.cannot.len() > 1 || self.warn.len() > 1 {
            self.cannot.truncate((self.cannot.len() / 2).max(1));
            self.warn.truncate((self.warn.len() / 2).max(1));
            return true;
        }
        self.parts.pop().is_some()
    }
}

impl Part {
    /// The rows of a table from one on, at most so many.
    #[must_use]
    pub fn of(name: &'static str, table: &dyn Table, first: usize, most: usize, sql: Option<String>) -> Self {
        let total = table.rows();
        let stop = total.min(first.saturating_add(most));
        let columns = (0..table.columns()).map(|column| {
            let header = table.header(column);
            // A column without numbers has no kind: its name tells.
            let unit = if header.unit == Unit::None { Unit::of_key(header.key) } else { header.unit };
            ColumnName { name: header.key.to_owned(), unit: unit.symbol() }
        });
        let longest = |column| match column {
            0 => LONGEST_KEY,
            _ if PROSE.contains(&table.header(column).key) => LONGEST_PROSE,
            _ => LONGEST_CELL,
        };
        let row = |row| {
            (0..table.columns()).map(|column| cell(&table.value(row, column), longest(column))).collect()
        };
        let rows: Vec<_> = (first.min(stop)..stop).map(row).collect();
        let shown = rows.len();
        Self { name, columns: columns.collect(), rows, total, shown, next: None, sql, offset: first, seal: 0 }
    }

    /// Rows that no query answers with. The first column is their key.
    #[must_use]
    pub fn of_rows(name: &'static str, columns: &[&str], rows: Vec<Vec<Json>>) -> Self {
        let columns = columns
            .iter()
            .map(|&name| ColumnName { name: name.to_owned(), unit: Unit::of_key(name).symbol() });
        let count = rows.len();
        Self {
            name,
            columns: columns.collect(),
            rows,
            total: count,
            shown: count,
            next: None,
            sql: None,
            offset: 0,
            seal: 0,
        }
    }

    /// With cursors that are good for something.
    #[must_use]
    pub fn with_seal(self, seal: u32) -> Self {
        let stop = self.offset + self.shown;
        let next = (stop < self.total).then(|| cursor::written(self.name, stop, seal));
        Self { seal, next, ..self }
    }

    /// Makes every 0 of a column unknown; whether there was one.
    pub(super) fn forget_zeros(&mut self, column: &str) -> bool {
        let Some(at) = self.columns.iter().position(|one| one.name == column) else { return false };
        let cells = self.rows.iter_mut().filter_map(|row| row.get_mut(at));
        let zeros: Vec<&mut Json> = cells.filter(|cell| cell.as_f64() == Some(0.0)).collect();
        let has_some = !zeros.is_empty();
        zeros.into_iter().for_each(|cell| *cell = Json::Null);
        has_some
    }

    /// The cell of the first row in a column.
    #[must_use]
    pub fn first(&self, column: &str) -> Option<&Json> {
        let at = self.columns.iter().position(|one| one.name == column)?;
        self.rows.first()?.get(at).filter(|cell| !cell.is_null())
    }

    /// Sentences of this program in its cells.
    pub(super) fn prose(&mut self) -> impl Iterator<Item = &mut String> {
        let places: Vec<bool> =
            self.columns.iter().map(|column| PROSE.contains(&column.name.as_str())).collect();
        self.rows.iter_mut().flat_map(move |row| {
            let cells = row.iter_mut().zip(places.clone()).filter(|(_, is_prose)| *is_prose);
            cells.filter_map(|(cell, _)| if let Json::String(text) = cell { Some(text) } else { None })
        })
    }

    fn length(&self) -> usize {
        serde_json::to_string(&self.rows).map_or(0, |text| text.len())
    }
}

/// A cell. Fractions have three digits, long texts lose their middle; keys are cut later, because they name their row.
fn cell(value: &Value<'_>, longest: usize) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Int(number) => (*number).into(),
        Value::Float(number) => fraction((number * 1000.0).round() / 1000.0),
        Value::Flag(flag) => (*flag).into(),
        Value::Text(text) => cut(text, longest).into(),
    }
}

/// A fraction; without a point where it is whole.
#[expect(
    clippy::cast_possible_truncation,
    reason = "whole, and within the numbers that a double holds exactly"
)]
fn fraction(number: f64) -> Json {
    let is_whole = number.fract().abs() < f64::EPSILON && number.abs() < 9e15;
    if is_whole { (number as i64).into() } else { number.into() }
}

/// A text of at most so many characters: the middle of a longer one is left out.
pub(super) fn cut(text: &str, most: usize) -> String {
    let chars: Vec<char> = text.chars().collect();
    if chars.len() <= most.max(3) {
        return text.to_owned();
    }
    let [head, tail] = [(most.max(3) - 1).div_ceil(2), (most.max(3) - 1) / 2];
    let parts = [&chars[..head], &['…'], &chars[chars.len() - tail..]];
    parts.into_iter().flatten().collect()
}
