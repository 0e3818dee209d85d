//! Streams of different ranks whose collectives belong together, where the export names no communicators.
//!
//! All members of a collective end together, so the ends of the same collectives on two ranks keep their distance; their starts
//! do not. Channels that look alike are a class, which [`super::channel_parts`] divides by time.

use super::channel::{Channel, Names};
use super::channel_parts;
use super::communicator::{Communicator, Form, MatchedBy};
use super::settings::RankThresholds;
use crate::capture::names::CollectiveKind;
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use std::collections::BTreeSet;

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
