//! Tables that were built, each with a thread that answers questions about it.

use super::chosen_rows::ChosenRows;
use super::question::TableQuestion;
use super::refusal::Refusal;
use axum::http::StatusCode;
use dlprof_core::{Definition, Judged, Table};
use dlprof_export::JsonCell;
use serde::Serialize;
use serde::ser::{SerializeSeq, Serializer};
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError, mpsc};
use tokio::sync::oneshot;

/// How many tables are open; the one that was not used for the longest time is closed first.
const MOST_OPEN: usize = 12;

/// An answer has at most so many cells.
const MOST_CELLS: usize = 2_000_000;

/// And at most so many bytes.
const MOST_BYTES: usize = 64 << 20;

/// Rows as JSON, or why there are none.
type PageResult = Result<Vec<u8>, Refusal>;

/// Tables that are open, the last used first.
#[derive(Debug, Default)]
pub(super) struct OpenTables {
    tables: Mutex<Vec<OpenTable>>,
}

#[derive(Debug)]
struct OpenTable {
    aggregation: String,
    key: &'static str,
    questions: mpsc::Sender<Asked>,
}

struct Asked {
    question: TableQuestion,
    reply: oneshot::Sender<PageResult>,
}

impl OpenTables {
    /// Asks for rows of a table of an aggregation. The table is built if it is not open yet.
    pub(super) fn ask(
        &self,
        aggregation: &str,
        definition: &'static Definition,
        judged: &Judged,
        question: TableQuestion,
    ) -> Result<oneshot::Receiver<PageResult>, Refusal> {
        let mut tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        let is_wanted = |table: &OpenTable| table.aggregation == aggregation && table.key == definition.key;
        let (reply, answer) = oneshot::channel();
        let mut asked = Asked { question, reply };
        if let Some(at) = tables.iter().position(is_wanted) {
            tables[..=at].rotate_right(1);
            match tables[0].questions.send(asked) {
                Ok(()) => return Ok(answer),
                // The thread ended although it was not told to.
                Err(mpsc::SendError(back)) => asked = back,
            }
            tables.remove(0);
        }
        let table = OpenTable::new(aggregation, definition, judged.clone())?;
        drop(table.questions.send(asked));
        tables.insert(0, table);
        tables.truncate(MOST_OPEN);
        Ok(answer)
    }

    /// Closes the tables of an aggregation.
    pub(super) fn close(&self, aggregation: &str) {
        let mut tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        tables.retain(|table| table.aggregation != aggregation);
    }
}

impl OpenTable {
    fn new(aggregation: &str, definition: &'static Definition, judged: Judged) -> Result<Self, Refusal> {
        let (questions, asked) = mpsc::channel::<Asked>();
        let thread = std::thread::Builder::new().name(format!("table {}", definition.key));
        let started = thread.spawn(move || {
            let table = (definition.build)(&judged);
            let mut rows = ChosenRows::default();
            for Asked { question, reply } in asked {
                // Nobody waits for the answer if the browser went away.
                if !reply.is_closed() {
                    drop(reply.send(page(table.as_ref(), &mut rows, &question)));
                }
            }
        });
        started.map_err(|error| Refusal::internal(format!("no thread can be started: {error}")))?;
        Ok(Self { aggregation: aggregation.to_owned(), key: definition.key, questions })
    }
}

/// The rows of a question as JSON.
fn page(table: &dyn Table, rows: &mut ChosenRows, question: &TableQuestion) -> PageResult {
    let depth = question.count.map_or(usize::MAX, |count| question.from.saturating_add(count));
    let found = rows.find(table, question, depth)?;
    let view = question.view(table, &found.rows)?;
    let cells = view.rows().saturating_mul(view.columns());
    if cells > MOST_CELLS {
        return Err(Refusal::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            format!("{cells} cells are too many for one answer, which has at most {MOST_CELLS}"),
            "ask for fewer rows with `count`, or for fewer columns",
        ));
    }
    let page = Page { total: table.rows(), matching: found.matching, rows: PageRows(&view) };
    let mut answer = Bounded(Vec::new());
    match serde_json::to_writer(&mut answer, &page) {
        Ok(()) => Ok(answer.0),
        Err(error) if error.is_io() => Err(Refusal::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            format!("these rows have more than {MOST_BYTES} bytes"),
            "ask for fewer rows with `count`, or for fewer columns",
        )),
        Err(error) => Err(Refusal::internal(error.to_string())),
    }
}

/// Bytes up to [`MOST_BYTES`].
struct Bounded(Vec<u8>);

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > MOST_BYTES {
            return Err(io::Error::from(io::ErrorKind::FileTooLarge));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[derive(Serialize)]
struct Page<'a> {
    total: usize,
    matching: usize,
    rows: PageRows<'a>,
}

/// Rows as arrays of cells.
struct PageRows<'a>(&'a dyn Table);

impl Serialize for PageRows<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut rows = serializer.serialize_seq(Some(self.0.rows()))?;
        for row in 0..self.0.rows() {
            rows.serialize_element(&PageRow { table: self.0, row })?;
        }
        rows.end()
    }
}

struct PageRow<'a> {
    table: &'a dyn Table,
    row: usize,
}

impl Serialize for PageRow<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let columns = 0..self.table.columns();
        serializer.collect_seq(columns.map(|column| JsonCell(self.table.value(self.row, column))))
    }
}
