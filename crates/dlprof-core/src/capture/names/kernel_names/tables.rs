//! All tables in the numbers of one vocabulary, made once.

use super::kinds::NamedKind;
use super::libraries::{LIBRARIES, Place};
use super::precision::Formats;
use super::rule::Table;
use super::words::{Found, Vocabulary};
use super::{Exchange, exchange, kinds, tensor_marks};
use std::sync::LazyLock;

/// The tables in the numbers of one vocabulary.
#[derive(Debug)]
pub(super) struct Tables {
    pub(super) vocabulary: Vocabulary,
    pub(super) kinds: Table<NamedKind>,
    pub(super) by_namespace: Table<NamedKind>,
    /// What fused ops make of a kind of generated kernels.
    pub(super) fused: Vec<(NamedKind, Table<NamedKind>)>,
    pub(super) xla: Table<NamedKind>,
    pub(super) operations: Table<Exchange>,
    pub(super) formats: Formats,
    /// The words of each library; none of those that something else tells.
    pub(super) libraries: Vec<Found>,
    pub(super) exchange: ExchangeWords,
    pub(super) marks: Marks,
}

/// Words that mean exchange.
#[derive(Debug)]
pub(super) struct ExchangeWords {
    pub(super) function: Found,
    pub(super) namespace: Found,
    pub(super) local: Found,
    pub(super) ambiguous: Found,
}

/// Words about Tensor Cores.
#[derive(Debug)]
pub(super) struct Marks {
    pub(super) used: Found,
    pub(super) used_by_library: Found,
    pub(super) not_used: Found,
    pub(super) not_used_without_shape: Found,
    pub(super) products: Found,
    pub(super) narrow: Found,
    pub(super) old_engines: Found,
    pub(super) attention_families: Found,
    pub(super) decode: Found,
}

pub(super) static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let mut vocabulary = Vocabulary::default();
    let all = &mut vocabulary;
    Tables {
        kinds: Table::new(kinds::KINDS, all),
        by_namespace: Table::new(kinds::BY_NAMESPACE, all),
        fused: kinds::FUSED.iter().map(|(kind, rule)| (*kind, Table::new(&[*rule], all))).collect(),
        xla: Table::new(kinds::XLA, all),
        operations: Table::new(exchange::OPERATIONS, all),
        formats: Formats::new(all),
        libraries: LIBRARIES
            .iter()
            .map(|&(place, words, _)| match place {
                Place::Words | Place::BareWords => all.numbers(words),
                _ => Found::default(),
            })
            .collect(),
        exchange: ExchangeWords {
            function: all.numbers(exchange::FUNCTION_WORDS),
            namespace: all.numbers(exchange::NAMESPACE_WORDS),
            local: all.numbers(exchange::LOCAL_WORDS),
            ambiguous: all.numbers(exchange::AMBIGUOUS),
        },
        marks: Marks {
            used: all.numbers(tensor_marks::USED),
            used_by_library: all.numbers(tensor_marks::USED_BY_LIBRARY),
            not_used: all.numbers(tensor_marks::NOT_USED),
            products: all.numbers(kinds::PRODUCTS),
            not_used_without_shape: all.numbers(tensor_marks::NOT_USED_WITHOUT_SHAPE),
            narrow: all.numbers(tensor_marks::NARROW),
            old_engines: all.numbers(tensor_marks::OLD_ENGINES),
            attention_families: all.numbers(tensor_marks::ATTENTION_FAMILIES),
            decode: all.numbers("decode"),
        },
        vocabulary,
    }
});
