//! Operators and annotations: what they say, each distinct text once, and their rows thread by thread.

use super::args::Arg;
use super::event::Event;
use super::names::Names;
use super::numbers::integer;
use super::rows::RawRange;
use super::threads::ResolvedThreads;
use crate::base::diagnostics::{DiagnosticCode, Diagnostics};
use crate::base::ids::{RangeId, RangeTextId, StrId};
use crate::base::time::Span;
use crate::columns::{Buffer, FactColumn, Memory};
use crate::read::facts::{
    NO_SEQUENCE, OperatorKeys, RangeFacts, RangeText, SequenceNumber, ThreadRangeFacts,
    ThreadRangeFactsBuilder,
};
use crate::read::most_names::{MOST_RANGE_TEXTS, OTHER_NAMES};
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashSet};
use std::cmp::Reverse;

/// What a range says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Says {
    text: StrId,
    sizes: StrId,
    is_operator: bool,
    keys: OperatorKeys,
}

/// Ranges while events are read.
pub(super) struct RawRanges {
    rows: Buffer<RawRange>,
    says: IndexSet<Says, FxBuildHasher>,
}

impl RawRanges {
    pub(super) fn new(memory: &Memory) -> Self {
        Self { rows: memory.buffer(0), says: IndexSet::default() }
    }

    /// Adds a range. `collective` is the one that it calls, if it says so.
    pub(super) fn push(
        &mut self,
        event: Event<'_>,
        (span, thread): (Span, u32),
        kind: RangeKind,
        collective: Option<u32>,
        names: &mut Names,
        diagnostics: &mut Diagnostics,
    ) {
        let name = event.name();
        let text = names.id(name, diagnostics);
        let is_operator = match kind {
            RangeKind::Operator => true,
            RangeKind::Annotation => false,
            RangeKind::Either => is_name_of_operator(names.pool.get(text)),
        };
        let mut detail = |arg| {
            let token = event.arg(arg).filter(|token| !matches!(*token, b"[]" | b"\"\"" | b"null"));
            token.map_or(StrId::NONE, |token| names.detail(token))
        };
        let is_convolution = memchr::memmem::find(name, b"conv").is_some();
        let says = Says {
            text,
            sizes: detail(Arg::InputDims),
            is_operator,
            keys: OperatorKeys {
                is_node: event.arg(Arg::ForwardThread).and_then(integer).is_some_and(|thread| thread != 0),
                types: detail(Arg::InputTypes),
                concrete: if is_convolution { detail(Arg::ConcreteInputs) } else { StrId::NONE },
                stack: detail(Arg::CallStack),
                collective,
            },
        };
        let text = self.position(says, names, diagnostics);
        let sequence = event.arg(Arg::SequenceNumber).and_then(integer);
        let sequence = sequence.and_then(|number| SequenceNumber::try_from(number).ok());
        self.rows.push(RawRange {
            span,
            thread,
            text,
            sequence: sequence.unwrap_or(NO_SEQUENCE),
            external: event.arg(Arg::ExternalId).and_then(integer).filter(|id| *id > 0),
        });
    }

    /// How many operators and annotations have a number, and how many numbers there are from the lowest to the highest of a process:
    /// the profiler counts what it records, so that these are the same where all of it is in the trace.
    pub(super) fn numbers(&self) -> (u64, u64) {
        let numbers = || self.rows.iter().filter_map(|row| row.external);
        let (lowest, highest) = (numbers().min().unwrap_or(1), numbers().max().unwrap_or(0));
        (numbers().count() as u64, highest.abs_diff(lowest - 1))
    }

    fn position(&mut self, says: Says, names: &mut Names, diagnostics: &mut Diagnostics) -> u32 {
        let place = |at: usize| u32::try_from(at).unwrap_or(0);
        if self.says.len() < MOST_RANGE_TEXTS {
            return place(self.says.insert_full(says).0);
        }
        if let Some(at) = self.says.get_index_of(&says) {
            return place(at);
        }
        diagnostics.count(DiagnosticCode::TooManyNames, || names.pool.get(says.text).to_owned());
        // The name at least, and whether it is of the backward pass.
        let Says { text, is_operator, keys: OperatorKeys { is_node, .. }, .. } = says;
        let bare =
            Says { text, is_operator, keys: OperatorKeys { is_node, ..OperatorKeys::default() }, ..NOTHING };
        match self.says.get_index_of(&bare) {
            Some(at) => place(at),
            None if self.says.len() < MOST_RANGE_TEXTS * 2 => place(self.says.insert_full(bare).0),
            None => {
                let others = Says { text: names.pool.intern(OTHER_NAMES), ..NOTHING };
                place(self.says.insert_full(others).0)
            }
        }
    }

    /// How many different things ranges say.
    pub(super) fn texts(&self) -> usize {
        self.says.len()
    }

    /// Adds what the ranges of a block say. Returns where each is.
    pub(super) fn add_texts(
        &mut self,
        block: &Self,
        name: impl Fn(StrId) -> StrId,
        collective: impl Fn(u32) -> u32,
    ) -> Vec<u32> {
        let moved = |says: &Says| Says {
            text: name(says.text),
            sizes: name(says.sizes),
            is_operator: says.is_operator,
            keys: OperatorKeys {
                is_node: says.keys.is_node,
                types: name(says.keys.types),
                concrete: name(says.keys.concrete),
                stack: name(says.keys.stack),
                collective: says.keys.collective.map(&collective),
            },
        };
        let add = |says: &Says| u32::try_from(self.says.insert_full(moved(says)).0).unwrap_or(0);
        block.says.iter().map(add).collect()
    }

    /// Adds the ranges of a block.
    pub(super) fn add_rows(&mut self, block: &Self, thread: impl Fn(u32) -> u32, text: impl Fn(u32) -> u32) {
        for &row in &block.rows {
            self.rows.push(RawRange { thread: thread(row.thread), text: text(row.text), ..row });
        }
    }

    /// The ranges of each thread in the order in which they open, without those that stand in the trace twice.
    pub(super) fn finish(
        mut self,
        memory: &Memory,
        zero: i64,
        threads: &ResolvedThreads,
        diagnostics: &mut Diagnostics,
        names: &Names,
    ) -> FinishedRanges {
        self.rows.sort_by_key(|row| (row.thread, row.span.start, Reverse(row.span.end)));
        let mut ranges = RangeFacts {
            texts: self.says.iter().map(Says::range_text).collect(),
            by_thread: vec![ThreadRangeFacts::default(); threads.threads.len()],
            without_thread: ThreadRangeFacts::default(),
        };
        let mut sequences = vec![FactColumn::default(); threads.threads.len()];
        for of_thread in self.rows.chunk_by(|a, b| a.thread == b.thread) {
            let Some(thread) = threads.id(of_thread[0].thread).some() else { continue };
            let thread = thread.index();
            let mut list = ThreadRangeFactsBuilder::new(memory, of_thread.len());
            let mut numbers = memory.buffer(of_thread.len());
            for at_once in of_thread.chunk_by(|a, b| a.span == b.span) {
                let mut seen = FxHashSet::default();
                for row in at_once {
                    let is_new =
                        at_once.len() == 1 || row.external.is_none() || seen.insert((row.text, row.external));
                    if !is_new {
                        let text =
                            self.says.get_index(row.text as usize).map_or(StrId::NONE, |says| says.text);
                        diagnostics.count(DiagnosticCode::RepeatedEvent, || names.pool.get(text).to_owned());
                        continue;
                    }
                    list.span.push(Span::new(row.span.start - zero, row.span.end - zero));
                    list.text.push(RangeTextId::new(row.text as usize));
                    numbers.push(row.sequence);
                }
            }
            if let (Some(ranges), Some(sequences)) =
                (ranges.by_thread.get_mut(thread), sequences.get_mut(thread))
            {
                *ranges = list.finish();
                *sequences = numbers.into_column();
            }
        }
        let operators = self.says.iter().map(|says| says.keys).collect();
        FinishedRanges { ranges, sequences, operators }
    }
}

/// Ranges once all events are read.
pub(super) struct FinishedRanges {
    pub(super) ranges: RangeFacts,
    pub(super) sequences: Vec<FactColumn<RangeId, SequenceNumber>>,
    pub(super) operators: Vec<OperatorKeys>,
}

const NOTHING: Says = Says {
    text: StrId::NONE,
    sizes: StrId::NONE,
    is_operator: false,
    keys: OperatorKeys {
        is_node: false,
        types: StrId::NONE,
        concrete: StrId::NONE,
        stack: StrId::NONE,
        collective: None,
    },
};

impl Says {
    fn range_text(&self) -> RangeText {
        RangeText { text: self.text, sizes: self.sizes, domain: StrId::NONE, is_operator: self.is_operator }
    }
}

/// What a category says about ranges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RangeKind {
    Operator,
    Annotation,
    /// The category of 2021, for both.
    Either,
}

/// Whether a range of the category of 2021 is an operator: `aten::add`, `AddBackward0`.
fn is_name_of_operator(name: &str) -> bool {
    let bare = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
    name.contains("::") || bare.ends_with("Backward") || bare.ends_with("_backward")
}
