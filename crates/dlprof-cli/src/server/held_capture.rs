//! A capture with its indexes: what profiles are made from, without reading the export again.

use super::long_work::LongWork;
use super::stamp::Stamp;
use dlprof_core::{
    CaptureLanes, Error, Index, Judged, KeptAggregation, KeptExport, KeyNodeChoice, KnownFigures, Profile,
    ProfileSettings, RangeChoice, RuleSettings, judge,
};
use dlprof_export::TimeUnit;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// Of so many key nodes a profile is held.
const MOST_KEY_NODES: usize = 4;

/// A capture, and how its profiles are made.
#[derive(Debug)]
pub(crate) struct HeldCapture {
    /// Name shown in reports.
    pub(crate) name: String,
    /// The file as it was when it was read.
    pub(crate) stamp: Stamp,
    /// The profile that the server was started with, judged.
    pub(crate) judged: Judged,
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
    /// The last profile of each key node that was asked for, the last used first. The next one of the same key node takes its
    /// index, and the figures that it knows.
    pub(crate) last: Mutex<Vec<(KeyNodeChoice, Profile)>>,
    /// How long the last index took.
    pub(crate) index_took: Mutex<Option<Duration>>,
    /// The lanes of the whole capture, once the timeline was asked for.
    pub(crate) lanes: OnceLock<CaptureLanes>,
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
    ) -> Result<Judged, Error> {
        let (index, known) = self.index(key_node, work)?;
        let _running = work.begin("aggregating another range", None);
        let profile = index.profile_sharing(range, &self.figures, &known)?;
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.retain(|(known, _)| known != key_node);
        last.insert(0, (key_node.clone(), profile.clone()));
        last.truncate(MOST_KEY_NODES);
        drop(last);
        Ok(judge(&profile, &self.rules.anew()))
    }

    /// The index of a key node, and the figures that are known of it.
    fn index(&self, key_node: &KeyNodeChoice, work: &LongWork) -> Result<(Index, KnownFigures), Error> {
        let known = |profile: &Profile| (profile.index.clone(), profile.known_figures());
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, profile)) = last.iter().find(|(known, _)| known == key_node) {
            return Ok(known(profile));
        }
        drop(last);
        if *key_node == self.key_node {
            return Ok(known(&self.judged));
        }
        let usual = *self.index_took.lock().unwrap_or_else(PoisonError::into_inner);
        let running = work.begin("splitting the capture at another key node", usual);
        let index = self.judged.capture.index(key_node)?;
        *self.index_took.lock().unwrap_or_else(PoisonError::into_inner) = Some(running.elapsed());
        Ok((index, KnownFigures::default()))
    }

    /// The lanes of the whole capture. The first time, this may take seconds.
    pub(super) fn lanes(&self, work: &LongWork) -> &CaptureLanes {
        self.lanes.get_or_init(|| {
            let _running = work.begin("sorting all events into lanes", None);
            CaptureLanes::new(&self.judged.capture)
        })
    }

    /// Keeps the figures of iterations that are known by now for later runs.
    pub(super) fn keep_figures(&self) {
        if let Some(kept) = &self.kept {
            kept.keep_figures(&self.judged.known_figures(), &self.key_node);
        }
    }

    /// Remembers aggregations. If they cannot be written, they are forgotten when the server ends.
    pub(super) fn remember(&self, aggregations: &[KeptAggregation]) {
        if let Some(kept) = &self.kept {
            drop(kept.keep_aggregations(aggregations));
        }
    }
}
