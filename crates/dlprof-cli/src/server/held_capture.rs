//! A capture with its indexes: what profiles are made from, without reading the export again.

use super::long_work::LongWork;
use dlprof_core::advice::RuleSettings;
use dlprof_core::figures::profile::{KnownFigures, ProfileSettings};
use dlprof_core::kept::{KeptAggregation, KeptExport};
use dlprof_core::{Error, Index, KeyNodeChoice, Profile, RangeChoice};
use dlprof_export::display::TimeUnit;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Indexes of so many key nodes are held.
const MOST_INDEXES: usize = 4;

/// An index, and the figures that its profiles share.
type SharedIndex = (Index, KnownFigures);

/// A capture, and how its profiles are made.
#[derive(Debug)]
pub(crate) struct HeldCapture {
    /// Name shown in reports.
    pub(crate) name: String,
    /// The profile that the server was started with.
    pub(crate) profile: Profile,
    /// What delimits iterations in this profile.
    pub(crate) key_node: KeyNodeChoice,
    /// What was asked for with this profile.
    pub(crate) range: RangeChoice,
    /// What the user changed about the figures.
    pub(crate) figures: ProfileSettings,
    /// What settings files say about rules.
    pub(crate) rules: RuleSettings,
    /// Unit of times in sentences.
    pub(crate) time_unit: TimeUnit,
    /// Where aggregations are remembered.
    pub(crate) kept: Option<KeptExport>,
    /// The aggregations remembered from earlier runs, oldest first.
    pub(crate) remembered: Vec<KeptAggregation>,
    /// Indexes of other key nodes, the last used first.
    pub(crate) indexes: Mutex<Vec<(KeyNodeChoice, SharedIndex)>>,
    /// How long the last index took.
    pub(crate) index_took: Mutex<Option<Duration>>,
}

impl HeldCapture {
    /// Aggregates a range.
    ///
    /// # Errors
    /// If the key node never ran, or there is no such range.
    pub(super) fn aggregate(
        &self,
        key_node: &KeyNodeChoice,
        range: &RangeChoice,
        work: &LongWork,
    ) -> Result<Profile, Error> {
        let (index, known) = self.index(key_node, work)?;
        let _running = work.begin("aggregating another range", None);
        let profile = index.profile_sharing(range, &self.figures, &known)?;
        Ok(profile.with_own_rules(&self.rules))
    }

    fn index(&self, key_node: &KeyNodeChoice, work: &LongWork) -> Result<SharedIndex, Error> {
        if *key_node == self.key_node {
            return Ok((self.profile.index.clone(), self.profile.known_figures().clone()));
        }
        if let Some(index) = self.held_index(key_node) {
            return Ok(index);
        }
        let usual = *self.index_took.lock().unwrap_or_else(PoisonError::into_inner);
        let running = work.begin("splitting the capture at another key node", usual);
        let index = (self.profile.capture.index(key_node)?, KnownFigures::default());
        *self.index_took.lock().unwrap_or_else(PoisonError::into_inner) = Some(running.elapsed());
        let mut indexes = self.indexes.lock().unwrap_or_else(PoisonError::into_inner);
        indexes.retain(|(known, _)| known != key_node);
        indexes.insert(0, (key_node.clone(), index.clone()));
        indexes.truncate(MOST_INDEXES);
        Ok(index)
    }

    fn held_index(&self, key_node: &KeyNodeChoice) -> Option<SharedIndex> {
        let mut indexes = self.indexes.lock().unwrap_or_else(PoisonError::into_inner);
        let at = indexes.iter().position(|(known, _)| known == key_node)?;
        indexes[..=at].rotate_right(1);
        Some(indexes[0].1.clone())
    }

    /// Keeps the figures of iterations that are known by now for later runs.
    pub(super) fn keep_figures(&self) {
        if let Some(kept) = &self.kept {
            kept.keep_figures(self.profile.known_figures(), &self.key_node);
        }
    }

    /// Remembers aggregations. If they cannot be written, they are forgotten when the server ends.
    pub(super) fn remember(&self, aggregations: &[KeptAggregation]) {
        if let Some(kept) = &self.kept {
            drop(kept.keep_aggregations(aggregations));
        }
    }
}
