//! Words of the pages that belong to no single column: the pages have none of their own.

use super::flame::FLAME_CLASSES;
use dlprof_core::{GPU_TIME_TABLE, RUN_METRICS, SUMMARY_TABLE, TABLES};
use serde::Serialize;
use std::collections::BTreeMap;

/// Kinds of lanes of timelines, with the words for a lane and for an item of it.
const LANES: [(&str, &str, &str); 9] = [
    ("ranges", "ranges", "Range"),
    ("ops", "ops", "Op"),
    ("api_calls", "API calls", "API call"),
    ("mpi_calls", "MPI calls", "MPI call"),
    ("os_calls", "OS calls", "OS call"),
    ("profiler", "profiler", "Profiler"),
    ("samples", "CPU samples", "CPU sample"),
    ("idle", "Idle", "Idle"),
    ("stream", "Kernels, copies", "Kernel"),
];

/// Names for people, by key.
#[derive(Debug, Clone, Serialize)]
pub struct Words {
    /// Classes of the leaves of flame graphs, in order.
    pub flame_classes: Vec<(&'static str, &'static str)>,
    /// DLProf's names of the classes of the wall clock, by column of table `summary`, in order.
    pub resources: &'static [(&'static str, &'static str)],
    /// What GPUs do when they are busy, by column of table `gpu_time`, in order.
    pub works: &'static [(&'static str, &'static str)],
    /// Lanes of timelines, by their kind.
    pub lanes: BTreeMap<&'static str, &'static str>,
    /// Items of lanes, by the kind of the lane; those of streams that are no kernels are `memory`.
    pub items: BTreeMap<&'static str, &'static str>,
    /// Columns that views show, by view.
    pub columns: BTreeMap<&'static str, &'static [&'static str]>,
    /// Metrics of runs.
    pub metrics: BTreeMap<&'static str, &'static str>,
}

impl Words {
    /// All of them.
    #[must_use]
    pub fn all() -> Self {
        Self {
            flame_classes: FLAME_CLASSES.to_vec(),
            resources: SUMMARY_TABLE.layout.parts,
            works: GPU_TIME_TABLE.layout.parts,
            lanes: LANES.map(|(kind, lane, _)| (kind, lane)).into(),
            items: LANES
                .map(|(kind, _, item)| (kind, item))
                .into_iter()
                .chain([("memory", "Copy")])
                .collect(),
            columns: TABLES.iter().flat_map(|table| table.layout.views.iter().copied()).collect(),
            metrics: RUN_METRICS.iter().map(|metric| (metric.key, metric.title)).collect(),
        }
    }
}
