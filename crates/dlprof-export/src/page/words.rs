//! Words of the pages that belong to no table: the pages have none of their own.

use super::flame::FLAME_CLASSES;
use super::view_columns::VIEW_COLUMNS;
use dlprof_core::runs::metrics::METRICS;
use serde::Serialize;
use std::collections::BTreeMap;

const RESOURCES: [(&str, &str); 7] = [
    ("tc_kernel_ns", "Using Tensor Cores"),
    ("non_tc_kernel_ns", "Not using Tensor Cores"),
    ("memory_ns", "Memory"),
    ("dataloader_ns", "Dataloader"),
    ("io_ns", "I/O"),
    ("cpu_ns", "CPU"),
    ("other_ns", "Other"),
];

const WORKS: [(&str, &str); 3] = [
    ("compute_ns", "computing"),
    ("exposed_communication_ns", "communication, exposed"),
    ("exposed_copy_ns", "copies, exposed"),
];

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
    pub resources: [(&'static str, &'static str); 7],
    /// What GPUs do when they are busy, by column of table `gpu_time`, in order.
    pub works: [(&'static str, &'static str); 3],
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
            resources: RESOURCES,
            works: WORKS,
            lanes: LANES.map(|(kind, lane, _)| (kind, lane)).into(),
            items: LANES
                .map(|(kind, _, item)| (kind, item))
                .into_iter()
                .chain([("memory", "Copy")])
                .collect(),
            columns: VIEW_COLUMNS.into_iter().map(|(view, _, columns)| (view, columns)).collect(),
            metrics: METRICS.iter().map(|metric| (metric.key, metric.title)).collect(),
        }
    }
}
