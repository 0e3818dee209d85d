//! Launches while their rows are read: values by metric, which become figures when the file has ended.

use super::launch::{NcuLaunch, NcuOddities};
use super::metric::{Extent, MetricId, Parts, Value};
use super::metric_names::is_needed;
use super::numbers::{Mark, Number};
use super::summed::{Alike, Sums};
use super::texts::Texts;
use super::units::Unit;
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::sync::Arc;

/// A launch and its values.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) launch: NcuLaunch,
    pub(super) values: Vec<Value>,
    pub(super) extents: Vec<(MetricId, Extent)>,
    pub(super) parts: Vec<Parts>,
    pub(super) texts: Vec<(Arc<str>, Arc<str>)>,
    /// The launches before this one that it stands for.
    sums: Option<Box<Sums>>,
    /// Where its values are, by metric; only of a launch to which the log has come back.
    places: Option<Box<FxHashMap<MetricId, usize>>>,
}

impl Draft {
    fn of(launch: NcuLaunch) -> Self {
        Self {
            launch,
            values: Vec::new(),
            extents: Vec::new(),
            parts: Vec::new(),
            texts: Vec::new(),
            sums: None,
            places: None,
        }
    }

    /// Adds what is kept of the launch to those that the draft stands for.
    fn add_up(&mut self) {
        let sums = self.sums.get_or_insert_default();
        sums.take(self.launch.invocations, self.values.drain(..), self.parts.drain(..));
        self.extents.clear();
        self.places = None;
    }

    /// Makes it the mean of all launches that it stands for, if it stands for others than its own.
    pub(super) fn become_mean(
        &mut self,
        names: &IndexSet<Arc<str>, FxBuildHasher>,
        settled: impl Fn(f64, Option<Mark>) -> f64,
    ) {
        if self.sums.is_none() {
            return;
        }
        self.add_up();
        let Some(sums) = self.sums.take() else { return };
        self.launch.id = None;
        self.launch.is_summary = true;
        self.launch.invocations = sums.launches();
        (self.values, self.parts) = sums.means(names, settled);
    }
}

/// Texts that figures need although they are no numbers.
const NEEDED_TEXTS: [&str; 3] = [
    "device__attribute_compute_capability_major",
    "device__attribute_compute_capability_minor",
    "device__attribute_display_name",
];

/// Values whose parts figures need.
const WITH_PARTS: [&str; 4] = [
    "sass__thread_inst_executed_true_per_opcode",
    "sass__inst_executed_per_opcode_with_modifier_all",
    "sass__inst_executed_per_opcode_with_modifier_selective",
    "sass__inst_executed_per_opcode",
];

/// No launch had a metric.
const NOT_SEEN: (usize, usize) = (usize::MAX, 0);

/// The names and units of a log, and the launches of its tables.
#[derive(Debug)]
pub(super) struct Drafts {
    pub(super) keeps_all: bool,
    pub(super) names: IndexSet<Arc<str>, FxBuildHasher>,
    pub(super) units: IndexSet<Arc<str>, FxBuildHasher>,
    pub(super) with_parts: Vec<bool>,
    pub(super) texts: Texts,
    pub(super) launches: Vec<Draft>,
    pub(super) oddities: NcuOddities,
    /// How many launches are kept one by one, and how many sums of further ones.
    most_launches: usize,
    summed: FxHashMap<Alike, usize>,
    /// For each metric the launch that had it last, and where. It tells all of a launch while no other one stands between its rows.
    seen: Vec<(usize, usize)>,
    /// The launch of the last value.
    current: usize,
}

impl Drafts {
    pub(super) fn new(keeps_all: bool, most_launches: usize) -> Self {
        Self {
            keeps_all,
            names: IndexSet::default(),
            units: IndexSet::default(),
            with_parts: Vec::new(),
            texts: Texts::default(),
            launches: Vec::new(),
            oddities: NcuOddities::default(),
            most_launches,
            summed: FxHashMap::default(),
            seen: Vec::new(),
            current: usize::MAX,
        }
    }

    /// Where the values of a launch are kept: for itself, or beyond the most launches with those that are alike. None if these are
    /// too many as well.
    pub(super) fn begin(&mut self, launch: NcuLaunch) -> Option<usize> {
        if self.launches.len() < self.most_launches {
            self.launches.push(Draft::of(launch));
            return Some(self.launches.len() - 1);
        }
        let alike = Alike::of(&launch);
        if let Some(&place) = self.summed.get(&alike) {
            let draft = &mut self.launches[place];
            for value in &draft.values {
                let seen = &mut self.seen[value.metric as usize];
                if seen.0 == place {
                    *seen = NOT_SEEN;
                }
            }
            draft.add_up();
            draft.launch.invocations = launch.invocations;
            return Some(place);
        }
        if self.summed.len() >= self.most_launches {
            self.oddities.dropped_launches += 1;
            return None;
        }
        self.summed.insert(alike, self.launches.len());
        self.launches.push(Draft::of(launch));
        Some(self.launches.len() - 1)
    }

    /// The id of a metric, if it is kept.
    pub(super) fn metric(&mut self, name: &str) -> Option<MetricId> {
        if !self.keeps_all && !is_needed(name) {
            return None;
        }
        let (id, is_new) = match self.names.get_index_of(name) {
            Some(id) => (id, false),
            None => self.names.insert_full(self.texts.shared(name)),
        };
        if is_new {
            self.with_parts.push(self.keeps_all || WITH_PARTS.contains(&name));
            self.seen.push(NOT_SEEN);
        }
        MetricId::try_from(id).ok()
    }

    /// The id of a base unit.
    pub(super) fn unit(&mut self, unit: &Unit) -> u16 {
        let id = match self.units.get_index_of(unit.base.as_str()) {
            Some(id) => id,
            None => self.units.insert_full(self.texts.shared(&unit.base)).0,
        };
        u16::try_from(id).unwrap_or(u16::MAX)
    }

    /// Whether a text is kept.
    pub(super) fn keeps_text(&self, name: &str) -> bool {
        self.keeps_all || NEEDED_TEXTS.contains(&name)
    }

    /// Keeps a text of a launch.
    pub(super) fn put_text(&mut self, launch: usize, name: &str, text: &str) {
        if self.keeps_text(name) {
            let pair = (self.texts.shared(name), self.texts.shared(text));
            let texts = &mut self.launches[launch].texts;
            match texts.iter_mut().find(|(known, _)| *known == pair.0) {
                Some(known) => known.1 = pair.1,
                None => texts.push(pair),
            }
        }
    }

    /// Keeps a value of a launch. The first one counts; returns whether this one does.
    pub(super) fn put(&mut self, launch: usize, value: Value) -> bool {
        let metric = value.metric as usize;
        let Draft { values, places, .. } = &mut self.launches[launch];
        if std::mem::replace(&mut self.current, launch) != launch && !values.is_empty() && places.is_none() {
            let all = values.iter().enumerate().map(|(place, value)| (value.metric, place));
            *places = Some(Box::new(all.collect()));
        }
        let place = match (places.as_deref(), self.seen[metric]) {
            (Some(places), _) => places.get(&value.metric).copied(),
            (None, (seen, place)) => (seen == launch).then_some(place),
        };
        let Some(place) = place else {
            match places {
                Some(places) => _ = places.insert(value.metric, values.len()),
                None => self.seen[metric] = (launch, values.len()),
            }
            values.push(value);
            return true;
        };
        let known = &mut values[place];
        if known.value.is_nan() {
            *known = value;
            return true;
        }
        let most = known.value.abs().max(value.value.abs());
        if !value.value.is_nan() && (known.value - value.value).abs() > 1e-9 * most {
            self.oddities.conflicts += 1;
        }
        false
    }
}

/// Whether the last digit of a scaled cell is more than 1 % of it.
pub(super) fn is_coarse(number: &Number, factor: f64) -> bool {
    (factor - 1.0).abs() > 1e-12 && number.value.abs() > 0.0 && number.resolution > 0.01 * number.value.abs()
}
