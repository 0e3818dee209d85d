//! The rows of a question as a file, written by the exporters of the command line and sent while they write.

use super::chosen_rows::ChosenRows;
use super::question::TableQuestion;
use super::refusal::Refusal;
use axum::body::{Body, Bytes};
use axum::http::HeaderValue;
use dlprof_core::{BegunFolder, Definition, Judged, Table, View};
use dlprof_export::{
    ExportSource, FileFormat, ReportOptions, ReportTables, TimeUnit, Together, safe_texts, write_pdf,
    write_table_of, write_workbook,
};
use http_body::{Body as HttpBody, Frame};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::sync::{mpsc, oneshot};

/// Bytes sent at a time.
const CHUNK: usize = 64 << 10;

/// Chunks written before the first of them is sent.
const CHUNKS_AHEAD: usize = 4;

/// A PDF holds at most so many rows, and says what it leaves out.
const MOST_PDF_ROWS: usize = 2000;

/// What is to be written.
#[derive(Debug)]
pub(super) struct Download {
    pub(super) judged: Judged,
    /// Name shown in reports.
    pub(super) profile_name: String,
    pub(super) time_unit: TimeUnit,
    pub(super) definition: &'static Definition,
    pub(super) format: &'static FileFormat,
    pub(super) question: TableQuestion,
    /// Whether texts of CSV files are made safe for spreadsheets.
    pub(super) csv_safe: bool,
}

impl Download {
    /// Writes the file. `ready` is told once the rows are known; from then on the answer can be sent.
    pub(super) fn write(self, ready: oneshot::Sender<Result<(), Refusal>>, chunks: mpsc::Sender<Chunk>) {
        let table = (self.definition.build)(&self.judged);
        let mut rows = ChosenRows::default();
        let from = self.question.from;
        let depth = self.question.count.map_or(usize::MAX, |count| from.saturating_add(count));
        let found = rows.find(table.as_ref(), &self.question, depth);
        let view = match found.and_then(|found| self.question.view(table.as_ref(), &found.rows)) {
            Ok(view) => view,
            Err(refusal) => return drop(ready.send(Err(refusal))),
        };
        if ready.send(Ok(())).is_err() {
            return;
        }
        let mut out = BufWriter::with_capacity(CHUNK, ChunkWriter { chunks: chunks.clone() });
        if let Err(error) = self.write_view(view, &mut out).and_then(|()| out.flush()) {
            // The connection is closed before the end, so that nobody takes the file for complete.
            drop(chunks.blocking_send(Err(error)));
        }
    }

    fn write_view(&self, view: View<'_>, out: &mut (dyn Write + Send)) -> io::Result<()> {
        match (self.format.table, self.format.together) {
            (Some(format), _) => {
                let table = safe_texts(&view, format, self.csv_safe);
                write_table_of(table.as_ref(), format, Some(&ExportSource::of(&self.judged)), out)
            }
            (None, together) => {
                let folder = BegunFolder::temporary()?;
                let path = folder.path().join("export");
                let tables: [Box<dyn Table + '_>; 1] = [Box::new(view)];
                let (judged, name) = (&self.judged, self.profile_name.as_str());
                let options = ReportOptions {
                    tables: ReportTables::Chosen,
                    most_rows: Some(MOST_PDF_ROWS),
                    time_unit: self.time_unit,
                    font: None,
                };
                match together {
                    Some(Together::Workbook) => write_workbook(judged, name, &tables, self.time_unit, &path),
                    Some(Together::Pdf) => write_pdf(judged, name, &tables, &options, &path).map(drop),
                    _ => return Err(io::Error::other(format!("{} files are not sent", self.format.ending))),
                }
                .map_err(io::Error::other)?;
                io::copy(&mut File::open(&path)?, out).map(drop)
            }
        }
    }

    /// The content type of the file.
    pub(super) fn content_type(&self) -> HeaderValue {
        HeaderValue::from_static(match self.format.ending {
            "csv" => "text/csv; charset=utf-8",
            "json" => "application/json",
            "pdf" => "application/pdf",
            "xlsx" => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            "parquet" => "application/vnd.apache.parquet",
            _ if self.format.is_text => "text/plain; charset=utf-8",
            _ => "application/octet-stream",
        })
    }

    /// Offers the file for saving, under a name of plain characters.
    pub(super) fn disposition(&self) -> HeaderValue {
        let plain = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
        let name: String = self.profile_name.chars().map(plain).collect();
        let text = format!("attachment; filename=\"{name}-{}.{}\"", self.definition.key, self.format.ending);
        HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static("attachment"))
    }
}

/// Whether the rows of a question can be sent in a format.
pub(super) fn can_be_sent(format: &FileFormat) -> bool {
    format.table.is_some() || matches!(format.together, Some(Together::Workbook | Together::Pdf))
}

/// A piece of a file, or why it could not be written.
pub(super) type Chunk = io::Result<Bytes>;

/// Sends what is written. It waits for a slow browser, so that little is in memory.
struct ChunkWriter {
    chunks: mpsc::Sender<Chunk>,
}

impl Write for ChunkWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let chunk = Ok(Bytes::copy_from_slice(bytes));
        let sent = self.chunks.blocking_send(chunk);
        sent.map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe)).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Chunks as the body of an answer.
struct Chunks(mpsc::Receiver<Chunk>);

/// A channel of chunks: where they are written, and the body that sends them.
pub(super) fn chunks() -> (mpsc::Sender<Chunk>, Body) {
    let (sender, receiver) = mpsc::channel(CHUNKS_AHEAD);
    (sender, Body::new(Chunks(receiver)))
}

impl HttpBody for Chunks {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        self.0.poll_recv(context).map(|chunk| chunk.map(|chunk| chunk.map(Frame::data)))
    }
}
