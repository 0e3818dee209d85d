//! The values of one launch by the name of the metric.

use super::draft::Draft;
use super::metric::MetricId;
use super::numbers::Mark;
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::sync::Arc;

/// Values by name; filled for one launch after the other.
pub(super) struct Values<'a> {
    names: &'a IndexSet<Arc<str>, FxBuildHasher>,
    foreign: Option<Mark>,
    by_metric: Vec<Found>,
    /// Metrics of the launch.
    present: Vec<MetricId>,
    parts: FxHashMap<MetricId, Vec<(Arc<str>, f64)>>,
}

#[derive(Clone, Copy, PartialEq)]
enum Found {
    Absent,
    Missing,
    Value(f64),
}

impl<'a> Values<'a> {
    pub(super) fn new(names: &'a IndexSet<Arc<str>, FxBuildHasher>, foreign: Option<Mark>) -> Self {
        Self {
            names,
            foreign,
            by_metric: vec![Found::Absent; names.len()],
            present: Vec::new(),
            parts: FxHashMap::default(),
        }
    }

    /// A value as the file as a whole says that it is written.
    pub(super) fn settled(&self, value: f64, mark: Option<Mark>) -> f64 {
        if mark.is_some() && mark == self.foreign { value / 1000.0 } else { value }
    }

    /// Takes the values of a launch.
    pub(super) fn fill(&mut self, draft: &Draft) {
        for metric in self.present.drain(..) {
            self.by_metric[metric as usize] = Found::Absent;
        }
        self.parts.clear();
        for value in &draft.values {
            let settled = self.settled(value.value, value.mark);
            self.by_metric[value.metric as usize] =
                if settled.is_nan() { Found::Missing } else { Found::Value(settled) };
            self.present.push(value.metric);
        }
        for parts in &draft.parts {
            let mut summed: Vec<(Arc<str>, f64)> = Vec::with_capacity(parts.parts.len());
            let mut places: FxHashMap<&str, usize> = FxHashMap::default();
            for (key, value, mark) in &parts.parts {
                let value = self.settled(*value, *mark);
                match places.get(&**key) {
                    Some(place) => summed[*place].1 += value,
                    None => {
                        places.insert(key, summed.len());
                        summed.push((key.clone(), value));
                    }
                }
            }
            self.parts.insert(parts.metric, summed);
        }
    }

    fn found(&self, name: &str) -> Found {
        self.names.get_index_of(name).map_or(Found::Absent, |id| self.by_metric[id])
    }

    /// A value by its name.
    pub(super) fn get(&self, name: &str) -> Option<f64> {
        match self.found(name) {
            Found::Value(value) => Some(value),
            Found::Absent | Found::Missing => None,
        }
    }

    /// The first of several names that has a value.
    pub(super) fn first<const N: usize>(&self, names: [&str; N]) -> Option<f64> {
        names.into_iter().find_map(|name| self.get(name))
    }

    /// Values whose names begin and end so, by what stands between; also those that are missing.
    pub(super) fn between(&self, start: &str, end: &str) -> Vec<(&'a str, Option<f64>)> {
        let found = self.present.iter().filter_map(|metric| {
            let name: &'a str = self.names.get_index(*metric as usize)?;
            let middle = name.strip_prefix(start)?.strip_suffix(end)?;
            let value = match self.by_metric[*metric as usize] {
                Found::Value(value) => Some(value),
                Found::Absent | Found::Missing => None,
            };
            Some((middle, value))
        });
        found.collect()
    }

    /// The parts of a value.
    pub(super) fn parts(&self, name: &str) -> Option<&[(Arc<str>, f64)]> {
        let id = self.names.get_index_of(name)?;
        let parts = self.parts.get(&MetricId::try_from(id).ok()?)?;
        (!parts.is_empty()).then_some(parts.as_slice())
    }
}
