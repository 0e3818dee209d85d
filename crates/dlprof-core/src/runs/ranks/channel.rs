//! The collectives of a rank on one stream, where the export names no communicators.

use super::arithmetic::most_common;
use super::communicator::Form;
use super::digest::RankDigest;
use crate::base::time::{Ns, Span};
use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;

/// Names of kernels of all ranks.
pub(super) type Names = IndexSet<String, FxBuildHasher>;

/// The collectives of a rank on one stream.
pub(super) struct Channel {
    pub(super) rank: usize,
    pub(super) channel: u32,
    /// Context and number.
    pub(super) stream: (i64, i64),
    /// What most iterations have.
    pub(super) forms: Vec<Form>,
    /// By common iteration and place in it, in this order.
    pub(super) spans: Vec<(Place, Span)>,
}

/// Common iteration of a collective, and its place among those of its channel in it.
pub(super) type Place = (i64, u32);

impl Channel {
    /// `None` without collectives in iterations.
    pub(super) fn new(
        digest: &RankDigest,
        rank: usize,
        channel: u32,
        stream: (i64, i64),
        numbers: &[i64],
        names: &mut Names,
    ) -> Option<Self> {
        let own = digest.collectives.iter().filter(|one| one.channel == channel);
        let mut spans = Vec::new();
        let mut sequences: IndexMap<i64, Vec<Form>, FxBuildHasher> = IndexMap::default();
        for one in own {
            let Some(iteration) = one.iteration else { continue };
            let iteration = numbers[iteration as usize];
            let name = &digest.names[one.name as usize];
            let name = names.get_index_of(name).unwrap_or_else(|| names.insert_full(name.clone()).0);
            let sequence = sequences.entry(iteration).or_default();
            let place = u32::try_from(sequence.len()).unwrap_or(u32::MAX);
            sequence.push((u32::try_from(name).unwrap_or(u32::MAX), one.grid_x));
            spans.push(((iteration, place), one.span));
        }
        let (forms, _) = most_common(sequences.into_values())?;
        spans.sort_unstable_by_key(|(place, _)| *place);
        Some(Self { rank, channel, stream, forms, spans })
    }

    /// Whether its times are whole microseconds, as in traces of older versions of PyTorch.
    pub(super) fn is_in_microseconds(&self) -> bool {
        const MICROSECOND_NS: Ns = 1_000;
        self.spans.iter().all(|(_, span)| span.start % MICROSECOND_NS == 0 && span.end % MICROSECOND_NS == 0)
    }

    /// The order of channels of a class: streams in the order of their numbers as texts.
    pub(super) fn order(&self) -> (usize, String) {
        let (context, number) = self.stream;
        (self.rank, format!("{context}, {number})"))
    }
}
