//! Ranks that are not there, whole or in part: a collective with such a member says nothing about who is late or which link is slow,
//! because the member may have been late itself.

use super::digest::{ChannelKey, RankDigest};
use super::steps::RankSteps;
use super::words::{RankWords, have, named};
use std::collections::BTreeMap;

/// Ranks of a job that are not there, and what is whole without them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Absent {
    /// Ranks without a capture; where numbers are only an order, as many as there are, but nobody knows which.
    pub missing: Vec<i64>,
    /// Ranks whose captures end before the steps that count do.
    pub cut: Vec<i64>,
    /// How many of the groups that the captures name have all their members, and how many there are; none where captures do not
    /// name the members of groups.
    pub whole_groups: Option<(usize, usize)>,
}

impl Absent {
    pub(super) fn new(
        digests: &[RankDigest],
        ranks: &[i64],
        missing: Vec<i64>,
        steps: &[RankSteps],
        steady: &[i64],
    ) -> Self {
        let is_cut = |at: &usize| digests[*at].who.is_cut && steps[*at].of.len() < steady.len();
        let cut = (0..ranks.len()).filter(is_cut).map(|at| ranks[at]).collect();
        Self { missing, cut, whole_groups: whole_groups(digests) }
    }

    /// Whether any rank is not there.
    #[must_use]
    pub fn is_any(&self) -> bool {
        !(self.missing.is_empty() && self.cut.is_empty())
    }

    /// `rank 6 is missing, and all groups that it belongs to wait: it, or what it waits for, may be why`
    pub(super) fn sentence(&self, words: RankWords, world: i64) -> String {
        let (who, count) = match (&self.missing[..], &self.cut[..]) {
            ([], [one]) => (format!("the capture of {} {one} ends early", words.one), 1),
            ([], cut) => (format!("the captures of {} end early", words.these(cut)), cut.len()),
            (missing, _) if words.is_order => {
                let count = missing.len();
                (
                    format!("{count} of {world} ranks {} no capture, and which is not known", have(count)),
                    count,
                )
            }
            (missing, _) => {
                let verb = if missing.len() == 1 { "is" } else { "are" };
                (format!("{} {verb} missing", named(words, missing)), missing.len())
            }
        };
        match count {
            1 => {
                format!("{who}, and all groups that it belongs to wait: it, or what it waits for, may be why")
            }
            _ => format!(
                "{who}, and all groups that they belong to wait: they, or what they wait for, may be why"
            ),
        }
    }

    /// What can be judged without them: `9 of 12 groups are whole`.
    #[must_use]
    pub fn groups_in_words(&self) -> String {
        match self.whole_groups {
            Some((whole, all)) => format!("{whole} of {all} groups of ranks are whole"),
            None => {
                "which groups of ranks are whole is not known, because the captures do not name their members"
                    .into()
            }
        }
    }
}

/// How many of the groups that captures name have all members, and how many there are.
fn whole_groups(digests: &[RankDigest]) -> Option<(usize, usize)> {
    let mut present: BTreeMap<u64, (usize, i64)> = BTreeMap::new();
    for digest in digests {
        for known in &digest.who.communicators {
            let (count, size) = present.entry(known.id).or_default();
            *count += 1;
            *size = (*size).max(known.size.unwrap_or(0));
        }
    }
    let names_all = digests.iter().all(|digest| {
        let ids = digest.channels.iter();
        ids.clone().any(|key| matches!(key, ChannelKey::Communicator(_)))
    });
    let of_several = || present.values().filter(|(_, size)| *size > 1);
    let is_whole = |(count, size): &&(usize, i64)| i64::try_from(*count).is_ok_and(|count| count >= *size);
    let all = of_several().count();
    (names_all && all > 0).then(|| (of_several().filter(is_whole).count(), all))
}
