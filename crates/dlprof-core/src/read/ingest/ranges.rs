//! Table `NVTX_EVENTS`: ranges, and the names of domains.
//!
//! PyTorch's `emit_nvtx` writes numbers after the name of every operator:
//!
//! ```text
//! aten::conv2d, seq = 12, op_id = 345, sizes = [[32, 3, 32, 32], [6, 3, 3, 3], [6]]
//! ╰─ text ───╯       ╰ sequence                ╰─ sizes
//! ```
//!
//! The numbers differ from range to range, so the text is taken apart here and each part stored once.

use super::TableSource;
use super::cell::Cell;
use super::columns::columns;
use super::job::begins_with_nccl;
use super::keys::Distinct;
use super::payload::Schemas;
use super::row::Row;
use super::string_ids::NameReader;
use crate::base::Error;
use crate::base::diagnostics::{DiagnosticCode, Diagnostics};
use crate::base::ids::{Maybe, RangeTextId, StrId};
use crate::base::time::{Ns, Span};
use crate::columns::long_text::as_read;
use crate::columns::{Buffer, Memory, StringPool};
use crate::read::emit_nvtx::split_numbers;
use crate::read::facts::global_ids::process_of;
use crate::read::facts::{
    Exchange, MOST_EXCHANGES, NO_EXCHANGE, NO_SEQUENCE, SequenceNumber, ThreadRangeFactsBuilder,
};
use crate::read::most_names::{MOST_RANGE_TEXTS, OTHER_NAMES};
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::collections::BTreeMap;

pub(super) const TABLE: &str = "NVTX_EVENTS";

/// `eventType` of a push/pop range, a start/end range and the creation of a domain.
const PUSH_POP: i64 = 59;
const START_END: i64 = 60;
const DOMAIN_CREATE: i64 = 75;

/// The end of a range that was still open; replaced once the end of the capture is known.
pub(super) const OPEN_END: Ns = Ns::MAX;

/// The table as read; threads and domains are still the export's ids.
pub(super) struct RawRanges {
    /// Global ids of the threads, in order of appearance; NULL is a thread too.
    pub(super) threads: Vec<Option<i64>>,
    /// By thread: its ranges, and their sequence numbers.
    pub(super) by_thread: Vec<(ThreadRangeFactsBuilder, Buffer<SequenceNumber>)>,
    pub(super) texts: Vec<RawText>,
    pub(super) domain_names: FxHashMap<(i64, i64), StrId>,
    pub(super) exchanges: RawExchanges,
    pub(super) extra: StringPool,
    pub(super) diagnostics: Diagnostics,
}

impl RawRanges {
    /// Whether a range is one of NCCL, by its text or its domain.
    pub(super) fn names_nccl(&self, strings: &StringPool) -> bool {
        self.texts.iter().filter_map(|text| Some((text.text, text.domain?))).any(|(text, domain)| {
            let domain = self.domain_names.get(&domain);
            [Some(&text), domain].into_iter().flatten().any(|name| begins_with_nccl(strings.get(*name)))
        })
    }
}

/// What libraries recorded beside ranges.
pub(super) struct RawExchanges {
    /// How payloads are read.
    schemas: Schemas,
    /// The different ones.
    pub(super) distinct: IndexSet<Exchange, FxBuildHasher>,
    /// By thread: the place of each range among them; ranges after the last one that has a place are left out.
    pub(super) by_thread: Vec<Buffer<u32>>,
    /// By global process id and number of the communicator.
    pub(super) communicators: BTreeMap<(i64, u64), RawCommunicator>,
}

/// What is known of a communicator; of several payloads about it, the largest counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RawCommunicator {
    pub(super) is_whole: bool,
    pub(super) ranks: Option<u64>,
    pub(super) rank: Option<i64>,
}

impl RawExchanges {
    fn new(schemas: Schemas) -> Self {
        let (distinct, by_thread) = (IndexSet::default(), Vec::new());
        Self { schemas, distinct, by_thread, communicators: BTreeMap::new() }
    }

    /// Whether payloads are described, and none is there.
    pub(super) fn lacks_payloads(&self) -> bool {
        !self.schemas.is_empty() && self.distinct.iter().all(|exchange| exchange.communicator.is_none())
    }

    /// Adds what a range says, which is the `row`-th of its thread.
    fn add(&mut self, memory: &Memory, exchange: Exchange, process: i64, thread: usize, row: usize) {
        if let (Some(id), Some(_)) = (exchange.communicator, exchange.ranks) {
            let is_whole = exchange.makes_communicator();
            let said = RawCommunicator { is_whole, ranks: exchange.ranks, rank: exchange.rank };
            let known = self.communicators.entry((process, id)).or_insert(said);
            *known = (*known).max(said);
        }
        let place = if self.distinct.len() < MOST_EXCHANGES {
            Some(self.distinct.insert_full(exchange).0)
        } else {
            self.distinct.get_index_of(&exchange)
        };
        let Some(place) = place.and_then(|place| u32::try_from(place).ok()) else { return };
        while self.by_thread.len() <= thread {
            self.by_thread.push(memory.buffer(0));
        }
        let places = &mut self.by_thread[thread];
        places.resize(row, NO_EXCHANGE);
        places.push(place);
    }
}

/// What a range says.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct RawText {
    pub(super) text: StrId,
    pub(super) sizes: StrId,
    pub(super) is_operator: bool,
    /// (global process id, domain id); none for the default domain.
    pub(super) domain: Option<(i64, i64)>,
}

columns! {
    START "start";
    END "end";
    EVENT_TYPE "eventType";
    TEXT "text";
    TEXT_ID "textId";
    GLOBAL_TID "globalTid";
    DOMAIN_ID "domainId";
    PAYLOAD "binaryData";
    JSON "jsonText";
}

pub(super) fn read(source: &TableSource<'_>) -> Result<RawRanges, Error> {
    let mut diagnostics = Diagnostics::default();
    let schemas = Schemas::read(source.database, &mut diagnostics)?;
    let init = || Reading {
        memory: source.memory,
        threads: Distinct::new(),
        by_thread: Vec::new(),
        texts: Distinct::new(),
        plain_texts: Vec::new(),
        names: NameReader::new(source.names),
        labels: FxHashMap::default(),
        domain_names: FxHashMap::default(),
        exchanges: RawExchanges::new(schemas.clone()),
        diagnostics: diagnostics.clone(),
    };
    let reading = source.fold(TABLE, COLUMNS, init, Reading::push)?;
    Ok(RawRanges {
        threads: reading.threads.into_list(),
        by_thread: reading.by_thread,
        texts: reading.texts.into_list(),
        domain_names: reading.domain_names,
        exchanges: reading.exchanges,
        extra: reading.names.into_extra(),
        diagnostics: reading.diagnostics,
    })
}

struct Reading<'a> {
    memory: &'a Memory,
    threads: Distinct<Option<i64>>,
    by_thread: Vec<(ThreadRangeFactsBuilder, Buffer<SequenceNumber>)>,
    texts: Distinct<RawText>,
    /// By text: its id as that of a plain range in the default domain, which most are; and as that of an operator.
    plain_texts: Vec<[Maybe<RangeTextId>; 2]>,
    names: NameReader<'a>,
    /// Texts of table `StringIds`, taken apart.
    labels: FxHashMap<StrId, Label>,
    domain_names: FxHashMap<(i64, i64), StrId>,
    exchanges: RawExchanges,
    diagnostics: Diagnostics,
}

impl Reading<'_> {
    fn push(&mut self, row: &Row<'_>) {
        match row.int(EVENT_TYPE, &mut self.diagnostics) {
            Some(PUSH_POP | START_END) => self.push_range(row),
            Some(DOMAIN_CREATE) => self.push_domain(row),
            _ => {}
        }
    }

    fn push_range(&mut self, row: &Row<'_>) {
        let label = self.label(row);
        let sequence = label.map_or(NO_SEQUENCE, |label| label.sequence);
        let diagnostics = &mut self.diagnostics;
        let Some(start) = row.start(START, diagnostics) else { return };
        let span = match row.int(END, diagnostics) {
            Some(end) => row.checked_span(start, end, diagnostics),
            None => {
                diagnostics.count(DiagnosticCode::OpenRange, || format!("range that starts at {start} ns"));
                Span::new(start, OPEN_END)
            }
        };
        let global_tid = row.int(GLOBAL_TID, diagnostics);
        let domain = row.int(DOMAIN_ID, diagnostics).filter(|&domain| domain != 0);
        let domain = domain.map(|domain| (process_of(global_tid.unwrap_or(0)), domain));
        let text = label.and_then(|label| self.text(&label, domain)).unwrap_or_else(|| self.other_texts());
        let thread = self.threads.position(global_tid) as usize;
        if thread == self.by_thread.len() {
            self.by_thread.push((ThreadRangeFactsBuilder::new(self.memory, 0), self.memory.buffer(0)));
        }
        let (ranges, sequences) = &mut self.by_thread[thread];
        let place = ranges.span.len();
        ranges.span.push(span);
        ranges.text.push(text);
        sequences.push(sequence);
        if let (Some((process, _)), Some(label)) = (domain, label)
            && let Some(exchange) = self.exchange(row, label.text)
        {
            self.exchanges.add(self.memory, exchange, process, thread, place);
        }
    }

    /// What a range of a library says that exchanges data; `None` for all others.
    fn exchange(&self, row: &Row<'_>, text: StrId) -> Option<Exchange> {
        let name = self.names.text(text);
        let payload = self.exchanges.schemas.beside(row.value(PAYLOAD), row.value(JSON));
        (payload.communicator.is_some() || begins_with_nccl(name)).then(|| Exchange {
            name: name.to_owned(),
            communicator: payload.communicator,
            bytes: payload.bytes,
            data_type: payload.data_type,
            ranks: payload.ranks.and_then(|ranks| u64::try_from(ranks).ok()),
            rank: payload.rank,
            peer: payload.peer,
        })
    }

    /// Whether only texts that were met before are told apart.
    fn is_full(&self) -> bool {
        self.texts.len() >= MOST_RANGE_TEXTS
    }

    /// The text of ranges whose own texts are not told apart.
    fn other_texts(&mut self) -> RangeTextId {
        let text = self.names.intern(OTHER_NAMES);
        let others = RawText { text, sizes: StrId::NONE, is_operator: false, domain: None };
        RangeTextId::new(self.texts.position(others) as usize)
    }

    /// `None` if the text is not told apart.
    fn text(&mut self, label: &Label, domain: Option<(i64, i64)>) -> Option<RangeTextId> {
        let Label { text, sizes, is_operator, .. } = *label;
        let new = RawText { text, sizes, is_operator, domain };
        if self.is_full() && self.texts.known(new).is_none() {
            self.diagnostics.count(DiagnosticCode::TooManyNames, || self.names.text(text).to_owned());
            return None;
        }
        if domain.is_some() || !sizes.is_none() {
            return Some(RangeTextId::new(self.texts.position(new) as usize));
        }
        // No text has the first place.
        let at = text.position().map_or(0, |position| position + 1);
        if self.plain_texts.len() <= at {
            self.plain_texts.resize(at + 1, [Maybe::NONE; 2]);
        }
        let known = &mut self.plain_texts[at][usize::from(is_operator)];
        let place = known.some().unwrap_or_else(|| RangeTextId::new(self.texts.position(new) as usize));
        *known = place.into();
        Some(place)
    }

    /// What a range says; `None` if its text is not told apart.
    fn label(&mut self, row: &Row<'_>) -> Option<Label> {
        match row.value(TEXT) {
            Cell::Text(bytes) if self.is_full() => {
                let label = known_parts(bytes, &self.names);
                if label.is_none() {
                    let example = || String::from_utf8_lossy(&as_read(bytes)).into_owned();
                    self.diagnostics.count(DiagnosticCode::TooManyNames, example);
                }
                return label;
            }
            Cell::Text(bytes) => return Some(take_apart(bytes, &mut self.names)),
            Cell::Null => {}
            _ => row.count_bad_value(TEXT, &mut self.diagnostics),
        }
        let Some(id) = self.names.cell(row, TEXT_ID, &mut self.diagnostics) else {
            return Some(Label {
                text: self.names.intern(""),
                sequence: NO_SEQUENCE,
                sizes: StrId::NONE,
                is_operator: false,
            });
        };
        if let Some(label) = self.labels.get(&id) {
            return Some(*label);
        }
        let text = self.names.text(id).to_owned();
        let label = take_apart(text.as_bytes(), &mut self.names);
        self.labels.insert(id, label);
        Some(label)
    }

    fn push_domain(&mut self, row: &Row<'_>) {
        let text = self.names.cell(row, TEXT, &mut self.diagnostics);
        let name = text.or_else(|| self.names.cell(row, TEXT_ID, &mut self.diagnostics));
        let process = process_of(row.int(GLOBAL_TID, &mut self.diagnostics).unwrap_or(0));
        if let (Some(name), Some(domain)) = (name, row.int(DOMAIN_ID, &mut self.diagnostics)) {
            // A domain without a name is like one whose creation is not in the capture.
            if !self.names.text(name).is_empty() {
                self.domain_names.insert((process, domain), name);
            }
        }
    }
}

/// A range's text, taken apart.
#[derive(Clone, Copy)]
struct Label {
    text: StrId,
    sequence: SequenceNumber,
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

/// The parts of a text whose texts were all met before.
fn known_parts(text: &[u8], names: &NameReader<'_>) -> Option<Label> {
    let parts = split_numbers(text);
    let sizes = parts.sizes.map_or(Some(StrId::NONE), |sizes| names.known(sizes))?;
    let is_operator = parts.text.len() < text.len();
    Some(Label { text: names.known(parts.text)?, sizes, is_operator, sequence: parts.sequence })
}
