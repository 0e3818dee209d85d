//! What the server holds: captures, and the aggregations made of them so far.

use super::aggregation::{Aggregation, Request};
use super::comparison;
use super::held_capture::HeldCapture;
use super::kept_answers::KeptAnswers;
use super::long_work::LongWork;
use super::open_tables::OpenTables;
use super::refusal::Refusal;
use dlprof_core::{Judged, KeptAggregation};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// How many aggregations are selectable; the oldest go, but not those that the server was started with.
const MOST_AGGREGATIONS: usize = 24;

/// The profiles of so many aggregations are held; others are made again when they are asked for.
const MOST_PROFILES: usize = 6;

/// What the server holds.
#[derive(Debug)]
pub(crate) struct Held {
    /// Whether texts of downloaded CSV files are made safe for spreadsheets.
    pub(super) csv_safe: bool,
    /// At least one.
    pub(super) captures: Vec<HeldCapture>,
    /// Oldest first.
    aggregations: Mutex<Vec<Arc<Aggregation>>>,
    /// Those with a profile, the last used first.
    with_profile: Mutex<Vec<Arc<Aggregation>>>,
    /// Those that the server was started with, by capture.
    first: Vec<Arc<Aggregation>>,
    pub(super) tables: OpenTables,
    pub(super) answers: KeptAnswers,
    pub(super) work: LongWork,
    /// The comparison of two captures as JSON, once it was asked for.
    comparison: OnceLock<Result<String, Refusal>>,
}

impl Held {
    /// At least one capture.
    pub(crate) fn new(captures: Vec<HeldCapture>, csv_safe: bool) -> Self {
        let mut aggregations = Vec::new();
        let mut first = Vec::new();
        for (place, capture) in captures.iter().enumerate() {
            let (key_node, range) = (capture.key_node.clone(), capture.range);
            let mine = Aggregation::of(place, key_node, range.clock, range, capture.judged.clone());
            let remembered = capture.remembered.iter().cloned();
            let remembered = remembered.map(|kept| Aggregation::remembered(place, kept, &range));
            aggregations.extend(remembered.filter(|one| one.id != mine.id).map(Arc::new));
            let mine = Arc::new(mine);
            aggregations.push(Arc::clone(&mine));
            first.push(mine);
        }
        let held = Self {
            csv_safe,
            captures,
            aggregations: Mutex::new(aggregations),
            with_profile: Mutex::default(),
            first,
            tables: OpenTables::default(),
            answers: KeptAnswers::default(),
            work: LongWork::default(),
            comparison: OnceLock::new(),
        };
        held.drop_oldest();
        held
    }

    /// The aggregation with an ID. Without an ID, the one that the server made of its first capture at the start.
    pub(super) fn aggregation(&self, id: Option<&str>) -> Result<Arc<Aggregation>, Refusal> {
        let Some(id) = id else { return Ok(Arc::clone(&self.first[0])) };
        let aggregations = self.aggregations.lock().unwrap_or_else(PoisonError::into_inner);
        let found = aggregations.iter().find(|one| one.id == id).cloned();
        found.ok_or_else(|| {
            Refusal::not_found(
                format!("there is no aggregation `{id}`"),
                "choose one of the list, or aggregate the range again",
            )
        })
    }

    /// All aggregations, oldest first.
    pub(super) fn aggregations(&self) -> Vec<Arc<Aggregation>> {
        self.aggregations.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn capture_of(&self, aggregation: &Aggregation) -> &HeldCapture {
        &self.captures[aggregation.capture]
    }

    /// The judged profile of an aggregation. This may take seconds.
    pub(super) fn judged(&self, aggregation: &Arc<Aggregation>) -> Result<Judged, Refusal> {
        let judged = aggregation.judged(self.capture_of(aggregation), &self.work)?;
        let is_first = |one: &Arc<Aggregation>| self.first.iter().any(|first| Arc::ptr_eq(first, one));
        if !is_first(aggregation) {
            let mut with_profile = self.with_profile.lock().unwrap_or_else(PoisonError::into_inner);
            with_profile.retain(|one| !Arc::ptr_eq(one, aggregation));
            with_profile.insert(0, Arc::clone(aggregation));
            let held = with_profile.len().min(MOST_PROFILES);
            for unused in with_profile.drain(held..) {
                unused.forget_profile();
                self.tables.close(&unused.id);
            }
        }
        Ok(judged)
    }

    /// Makes an aggregation that differs from another one as a request says, or finds it. This may take seconds.
    pub(super) fn aggregate(
        &self,
        from: &Aggregation,
        request: &Request,
    ) -> Result<Arc<Aggregation>, Refusal> {
        let capture = self.capture_of(from);
        let (key_node, range) = from.changed(request, &capture.range);
        range.check()?;
        let judged = capture.aggregate(&key_node, &range, &self.work)?;
        let new = Arc::new(Aggregation::of(from.capture, key_node, range.clock, range, judged));
        let mut aggregations = self.aggregations.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = aggregations.iter().find(|one| one.id == new.id) {
            return Ok(Arc::clone(known));
        }
        aggregations.push(Arc::clone(&new));
        drop(aggregations);
        self.drop_oldest();
        self.judged(&new)?;
        self.remember(from.capture);
        Ok(new)
    }

    /// Whether there are two captures to compare.
    pub(super) fn has_comparison(&self) -> bool {
        self.captures.len() == 2
    }

    /// One of the two captures that are compared.
    pub(super) fn side(&self, side: usize) -> Option<&HeldCapture> {
        self.captures.get(side).filter(|_| self.has_comparison())
    }

    /// The comparison of the two captures, the first one being the baseline, as `compare --format json` prints it. The first
    /// time, this may take seconds.
    pub(super) fn comparison(&self) -> Result<&str, Refusal> {
        let [base, new] = self.captures.as_slice() else {
            return Err(Refusal::not_found(
                "there is nothing to compare",
                "start the server with two captures: `dlprof-agg view BASE NEW`",
            ));
        };
        let made = self.comparison.get_or_init(|| Ok(comparison::json(base, new, &self.work)?));
        made.as_deref().map_err(Clone::clone)
    }

    fn drop_oldest(&self) {
        let mut aggregations = self.aggregations.lock().unwrap_or_else(PoisonError::into_inner);
        let mut too_many = aggregations.len().saturating_sub(MOST_AGGREGATIONS.max(self.first.len()));
        aggregations.retain(|one| {
            let goes = too_many > 0 && !self.first.iter().any(|first| Arc::ptr_eq(first, one));
            if goes {
                too_many -= 1;
                self.tables.close(&one.id);
            }
            !goes
        });
    }

    /// Remembers the aggregations of a capture for later runs.
    fn remember(&self, place: usize) {
        let aggregations = self.aggregations();
        let of_capture = aggregations.iter().filter(|one| one.capture == place);
        let kept: Vec<KeptAggregation> = of_capture.map(|one| one.listed.clone()).collect();
        self.captures[place].remember(&kept);
    }
}
