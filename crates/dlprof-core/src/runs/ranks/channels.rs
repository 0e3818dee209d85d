//! Streams of different ranks whose collectives belong together, where the export names no communicators.
//!
//! All members of a collective end together, so the ends of the same collectives on two ranks keep their distance; their starts
//! do not. Channels that look alike are a class, which [`super::channel_parts`] divides by time.

use super::arithmetic::most_common;
use super::channel_parts;
use super::communicator::{Communicator, Form, MatchedBy};
use super::digest::RankDigest;
use super::kind::CollectiveKind;
use super::settings::RankThresholds;
use crate::base::time::{Ns, Span};
use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;
use std::collections::BTreeSet;

/// Names of kernels of all ranks.
pub(super) type Names = IndexSet<String, FxBuildHasher>;

/// The collectives of a rank on one stream.
pub(super) struct Channel {
    pub(super) rank: usize,
    channel: u32,
    /// Context and number.
    stream: (i64, i64),
    /// What most iterations have.
    forms: Vec<Form>,
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
    fn order(&self) -> (usize, String) {
        let (context, number) = self.stream;
        (self.rank, format!("{context}, {number})"))
    }
}

/// Communicators of the channels that belong together.
pub(super) fn joined(
    channels: Vec<Channel>,
    names: &Names,
    thresholds: &RankThresholds,
) -> Vec<Communicator> {
    let mut classes: IndexMap<Vec<Form>, Vec<Channel>, FxBuildHasher> = IndexMap::default();
    for channel in channels {
        classes.entry(channel.forms.clone()).or_default().push(channel);
    }
    let mut found = Vec::new();
    for (forms, mut channels) in classes {
        channels.sort_by_cached_key(Channel::order);
        let parts = channel_parts::parts(&channels, thresholds);
        for part in parts.into_iter().filter(|part| part.len() > 1) {
            let members: Vec<(usize, u32)> =
                part.iter().map(|&at| (channels[at].rank, channels[at].channel)).collect();
            let kinds: BTreeSet<&str> =
                forms.iter().map(|&(name, _)| CollectiveKind::of(&names[name as usize]).as_str()).collect();
            let kinds: Vec<&str> = kinds.into_iter().collect();
            let first = &channels[part[0]];
            found.push(Communicator {
                name: format!("{}:{}:{}", kinds.join("+"), first.rank, first.stream.1),
                size: members.len(),
                matched_by: MatchedBy::StreamAndTime,
                members,
                forms: forms.clone(),
            });
        }
    }
    found
}
