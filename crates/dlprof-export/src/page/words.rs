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

/// Names for people, by key.
#[derive(Debug, Clone, Serialize)]
pub struct Words {
    /// Classes of the leaves of flame graphs, in order.
    pub flame_classes: Vec<(&'static str, &'static str)>,
    /// DLProf's names of the classes of the wall clock, by column of table `summary`, in order.
    pub resources: [(&'static str, &'static str); 7],
    /// What GPUs do when they are busy, by column of table `gpu_time`, in order.
    pub works: [(&'static str, &'static str); 3],
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
            columns: VIEW_COLUMNS.into_iter().map(|(view, _, columns)| (view, columns)).collect(),
            metrics: METRICS.iter().map(|metric| (metric.key, metric.title)).collect(),
        }
    }
}
