//! A log, line by line: what comes before a table, tables, and what stands between their rows.

use super::draft::Drafts;
use super::finish::finish;
use super::header::{Form, header_of};
use super::launch::{NcuForm, NcuLog};
use super::numbers::Evidence;
use super::preamble::{Preamble, binary};
use super::records::Record;
use super::table::Table;
use crate::base::NcuRefusal;
use memchr::memchr;
use std::io::{self, BufRead};

/// A record has at most so many bytes.
const MOST_RECORD_BYTES: usize = 64 << 20;

/// Why a log was not read.
#[derive(Debug)]
pub(super) enum Failure {
    Refused(NcuRefusal),
    Io(io::Error),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Reads a log.
pub(super) fn read(
    mut source: impl BufRead,
    file: &str,
    keeps_all: bool,
    most_launches: usize,
) -> Result<NcuLog, Failure> {
    if let Some(refusal) = binary(source.fill_buf()?) {
        return Err(Failure::Refused(refusal));
    }
    let mut reader = Reader {
        drafts: Drafts::new(keeps_all, most_launches),
        evidence: Evidence::default(),
        preamble: Preamble::default(),
        record: Record::new(),
        table: None,
        form: None,
        tables: 0,
    };
    let mut line = Vec::new();
    while next_line(&mut source, &mut line)? {
        reader.take(&line)?;
    }
    reader.end_table();
    match reader.form {
        None => Err(Failure::Refused(reader.preamble.refusal())),
        Some(form) => Ok(finish(reader.drafts, &reader.evidence, file, form, reader.tables)),
    }
}

struct Reader {
    drafts: Drafts,
    evidence: Evidence,
    preamble: Preamble,
    record: Record,
    table: Option<Table>,
    form: Option<NcuForm>,
    tables: u32,
}

impl Reader {
    fn take(&mut self, line: &[u8]) -> Result<(), Failure> {
        let header = header_of(line).filter(|header| self.table.is_none() || header.begins_table());
        if let Some(header) = header {
            let form = match header.form {
                Form::Known(form) => form,
                Form::ShiftedPerGpu => return Err(Failure::Refused(NcuRefusal::PerGpuRaw)),
            };
            let before = &line[..header.start];
            self.drafts.oddities.other_lines += u64::from(!before.trim_ascii().is_empty());
            self.end_table();
            let first = *self.form.get_or_insert(form);
            self.drafts.oddities.mixed_forms += u64::from(first != form);
            self.table = Some(Table::new(header, form, self.tables));
            self.tables += 1;
            return Ok(());
        }
        if let Some(message) = line.strip_prefix(b"==") {
            self.note_message(message);
            if self.table.is_none() {
                self.preamble.take(line);
            }
            return Ok(());
        }
        let Some(table) = &mut self.table else {
            self.drafts.oddities.other_lines += u64::from(!line.trim_ascii().is_empty());
            self.preamble.take(line);
            return Ok(());
        };
        if self.record.take(line, table.delimiter) {
            if !self.record.is_blank() {
                table.take(&self.record, &mut self.drafts, &mut self.evidence);
            }
            self.record.clear();
        } else if self.record.taken() > MOST_RECORD_BYTES {
            return Err(Failure::Refused(NcuRefusal::RecordTooLong));
        }
        Ok(())
    }

    fn note_message(&mut self, message: &[u8]) {
        let end = memchr::memmem::find(message, b"==").unwrap_or(message.len());
        let oddities = &mut self.drafts.oddities;
        match message[..end].trim_ascii().to_ascii_lowercase().as_slice() {
            b"prof" => oddities.prof_lines += 1,
            b"warning" => oddities.warning_lines += 1,
            b"error" => oddities.error_lines += 1,
            _ => oddities.other_lines += 1,
        }
    }

    /// Forgets a record that the file or the table ends in.
    fn end_table(&mut self) {
        self.drafts.oddities.truncated += u64::from(self.record.is_begun());
        self.drafts.oddities.cut_cells += self.record.cut_cells;
        self.record.cut_cells = 0;
        self.record.clear();
        self.table = None;
    }
}

/// The next line with its end; none at the end of the file.
fn next_line(source: &mut impl BufRead, line: &mut Vec<u8>) -> Result<bool, Failure> {
    line.clear();
    loop {
        let block = match source.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            other => other?,
        };
        if block.is_empty() {
            return Ok(!line.is_empty());
        }
        let (taken, is_end) = match memchr(b'\n', block) {
            Some(at) => (at + 1, true),
            None => (block.len(), false),
        };
        line.extend_from_slice(&block[..taken]);
        source.consume(taken);
        if line.len() > MOST_RECORD_BYTES {
            return Err(Failure::Refused(NcuRefusal::RecordTooLong));
        }
        if is_end {
            return Ok(true);
        }
    }
}
