//! Table `NVTX_EVENTS`: ranges, and the names of domains.
//!
//! PyTorch's `emit_nvtx` writes numbers behind the name of every operator:
//!
//! ```text
//! aten::conv2d, seq = 12, op_id = 345, sizes = [[32, 3, 32, 32], [6, 3, 3, 3], [6]]
//! ╰─ text ───╯       ╰ sequence                ╰─ sizes
//! ```
//!
//! The numbers differ from range to range, so the text is taken apart here and each part stored once.

use super::Progress;
use super::database::Database;
use super::keys::KeyColumn;
use super::names::{NameReader, Names};
use super::row::{Cell, Row};
use crate::diagnostics::{Code, Diagnostics};
use crate::error::Error;
use crate::ids::StrId;
use crate::strings::StringPool;
use crate::time::{Ns, Span};
use memchr::memchr_iter;
use rustc_hash::FxHashMap;

pub(super) const TABLE: &str = "NVTX_EVENTS";

/// `eventType` of a push/pop range, a start/end range and the creation of a domain.
const PUSH_POP: i64 = 59;
const START_END: i64 = 60;
const DOMAIN_CREATE: i64 = 75;

/// The end of a range that was still open; replaced once the end of the capture is known.
pub(super) const OPEN_END: Ns = Ns::MAX;

/// The table as read; thread ids are still the export's.
pub(super) struct RawRanges {
    pub(super) span: Vec<Span>,
    pub(super) global_tid: KeyColumn<i64>,
    pub(super) text: Vec<StrId>,
    pub(super) sequence: Vec<i64>,
    pub(super) sizes: Vec<StrId>,
    /// (global process id, domain id); none for the default domain.
    pub(super) domain: KeyColumn<(i64, i64)>,
    pub(super) domain_names: FxHashMap<(i64, i64), StrId>,
    pub(super) is_operator: Vec<bool>,
    pub(super) extra: StringPool,
    pub(super) diagnostics: Diagnostics,
}

const COLUMNS: [&str; 7] = ["start", "end", "eventType", "text", "textId", "globalTid", "domainId"];

pub(super) fn read(database: &Database, names: &Names, progress: &Progress<'_>) -> Result<RawRanges, Error> {
    let rows = usize::try_from(database.row_estimate(TABLE)?).unwrap_or(0);
    let init = || Reading {
        ranges: RawRanges {
            span: Vec::with_capacity(rows),
            global_tid: KeyColumn::with_capacity(rows),
            text: Vec::with_capacity(rows),
            sequence: Vec::with_capacity(rows),
            sizes: Vec::with_capacity(rows),
            domain: KeyColumn::with_capacity(rows),
            domain_names: FxHashMap::default(),
            is_operator: Vec::with_capacity(rows),
            extra: StringPool::default(),
            diagnostics: Diagnostics::default(),
        },
        names: NameReader::new(names),
        labels: FxHashMap::default(),
    };
    let Reading { mut ranges, names, .. } =
        database.fold(TABLE, &COLUMNS, Some(progress), init, Reading::push)?;
    ranges.extra = names.into_extra();
    Ok(ranges)
}

struct Reading<'a> {
    ranges: RawRanges,
    names: NameReader<'a>,
    /// Texts of table `StringIds`, taken apart.
    labels: FxHashMap<StrId, Label>,
}

impl Reading<'_> {
    fn push(&mut self, row: &Row<'_>) {
        match row.int(2, &mut self.ranges.diagnostics) {
            Some(PUSH_POP | START_END) => {
                let label = self.label(row);
                self.ranges.push(row, label);
            }
            Some(DOMAIN_CREATE) => self.ranges.push_domain(row, &mut self.names),
            _ => {}
        }
    }

    fn label(&mut self, row: &Row<'_>) -> Label {
        match row.value(3) {
            Cell::Text(bytes) => return take_apart(bytes, &mut self.names),
            Cell::Null => {}
            _ => row.count_bad_value(3, &mut self.ranges.diagnostics),
        }
        let Some(id) = self.names.cell(row, 4, &mut self.ranges.diagnostics) else {
            return Label {
                text: self.names.intern(""),
                sequence: -1,
                sizes: StrId::NONE,
                is_operator: false,
            };
        };
        if let Some(label) = self.labels.get(&id) {
            return *label;
        }
        let text = self.names.text(id).to_owned();
        let label = take_apart(text.as_bytes(), &mut self.names);
        self.labels.insert(id, label);
        label
    }
}

impl RawRanges {
    fn push(&mut self, row: &Row<'_>, label: Label) {
        let diagnostics = &mut self.diagnostics;
        let Some(start) = row.start(0, diagnostics) else { return };
        let span = match row.int(1, diagnostics) {
            Some(end) => row.checked_span(start, end, diagnostics),
            None => {
                diagnostics.count(Code::OpenRange, || format!("range that starts at {start} ns"));
                Span::new(start, OPEN_END)
            }
        };
        let global_tid = row.int(5, diagnostics);
        let domain = row.int(6, diagnostics).filter(|&domain| domain != 0);
        self.span.push(span);
        self.global_tid.push(global_tid);
        self.domain.push(domain.map(|domain| (super::process_of(global_tid.unwrap_or(0)), domain)));
        self.text.push(label.text);
        self.sequence.push(label.sequence);
        self.sizes.push(label.sizes);
        self.is_operator.push(label.is_operator);
    }

    fn push_domain(&mut self, row: &Row<'_>, reader: &mut NameReader<'_>) {
        let text = reader.cell(row, 3, &mut self.diagnostics);
        let name = text.or_else(|| reader.cell(row, 4, &mut self.diagnostics));
        let process = super::process_of(row.int(5, &mut self.diagnostics).unwrap_or(0));
        if let (Some(name), Some(domain)) = (name, row.int(6, &mut self.diagnostics)) {
            self.domain_names.insert((process, domain), name);
        }
    }
}

/// A range's text, taken apart.
#[derive(Clone, Copy)]
struct Label {
    text: StrId,
    sequence: i64,
    sizes: StrId,
    is_operator: bool,
}

fn take_apart(text: &[u8], names: &mut NameReader<'_>) -> Label {
    let parts = split_numbers(text);
    Label {
        text: names.intern_bytes(parts.text),
        sequence: parts.sequence,
        sizes: parts.sizes.map_or(StrId::NONE, |sizes| names.intern_bytes(sizes)),
        is_operator: parts.text.len() < text.len(),
    }
}

/// The parts of an `emit_nvtx` text; other texts are all `text`.
pub(super) struct Parts<'a> {
    text: &'a [u8],
    sequence: i64,
    sizes: Option<&'a [u8]>,
}

/// Takes an `emit_nvtx` text apart (PyTorch, `torch/csrc/profiler/util.cpp`, `getNvtxStr`).
pub(super) fn split_numbers(text: &[u8]) -> Parts<'_> {
    const MARKERS: [&[u8]; 3] = [b", seq = ", b", op_id = ", b", sizes = "];
    let whole = Parts { text, sequence: -1, sizes: None };
    if text.first() == Some(&b'{') {
        return whole;
    }
    let is_marker = |at: &usize| MARKERS.iter().any(|marker| text[*at..].starts_with(marker));
    let Some(at) = memchr_iter(b',', text).find(is_marker) else { return whole };
    let (name, numbers) = text.split_at(at);
    let behind = |marker: &[u8]| {
        let at = memchr_iter(b',', numbers).find(|&at| numbers[at..].starts_with(marker))?;
        Some(&numbers[at + marker.len()..])
    };
    let sequence = behind(MARKERS[0]).and_then(leading_number);
    let sizes = behind(MARKERS[2]).map(|sizes| {
        let end =
            memchr_iter(b',', sizes).find(|&at| at > 0 && sizes[at - 1..].starts_with(b"], input_op_ids"));
        &sizes[..end.unwrap_or(sizes.len())]
    });
    Parts { text: name, sequence: sequence.unwrap_or(-1), sizes }
}

fn leading_number(text: &[u8]) -> Option<i64> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    std::str::from_utf8(&text[..digits]).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn emit_nvtx_texts_come_apart() {
        let cases = [
            ("aten::mm, seq = 12", "aten::mm", 12, None),
            ("aten::mm, op_id = 7", "aten::mm", -1, None),
            ("aten::mm, seq = 12, op_id = 7, sizes = [[2, 3], []]", "aten::mm", 12, Some("[[2, 3], []]")),
            ("aten::mm, seq = 1, sizes = [[2]], input_op_ids = [(1,0)]", "aten::mm", 1, Some("[[2]]")),
            ("step, then seq", "step, then seq", -1, None),
            ("{'mod': 'x', 'op': 'y, seq = 3'}", "{'mod': 'x', 'op': 'y, seq = 3'}", -1, None),
        ];
        for (text, name, sequence, sizes) in cases {
            let parts = split_numbers(text.as_bytes());
            let sizes: Option<&str> = sizes;
            let expected = (name.as_bytes(), sequence, sizes.map(str::as_bytes));
            assert_eq!((parts.text, parts.sequence, parts.sizes), expected, "{text}");
        }
    }
}
