//! Words of the pages that belong to no single column: the pages have none of their own.

use super::flame::FLAME_CLASSES;
use dlprof_core::{GPU_TIME_TABLE, RUN_METRICS, Recorder, SUMMARY_TABLE, TABLES};
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
    pub flame_classes: Vec<(&'static str, String)>,
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
    pub metrics: BTreeMap<&'static str, String>,
    /// Texts of views that name tools or parts of GPUs.
    pub phrases: BTreeMap<&'static str, String>,
}

/// Texts of views in the words of nsys and NVIDIA's GPUs.
const PHRASES: [(&str, &str); 14] = [
    ("matrix_units", "Tensor Cores"),
    ("matrix_unit_efficiency", "Tensor Core efficiency"),
    ("per_multiprocessor", "per SM"),
    ("multiprocessors", "SMs"),
    (
        "no_ops",
        "No op ran in these iterations. Ops are NVTX ranges: put them around the parts of a step (in PyTorch \
         `torch.autograd.profiler.emit_nvtx()`), and record them with `nsys profile --trace=cuda,nvtx`.",
    ),
    ("record_kernels", "nsys profile --trace=cuda,nvtx"),
    (
        "units_and_types",
        "Tensor Cores work on FP16, BF16, TF32, FP8 and INT8. Matrix sizes that are multiples of 8 (16 for INT8) use them fully.",
    ),
    (
        "mixed_precision",
        "Automatic mixed precision, such as `torch.autocast`, moves eligible ops to Tensor Cores without other changes.",
    ),
    ("runtime", "CUDA"),
    ("library", "cuDNN"),
    ("recorder", "nsys"),
    ("no_counters", "These figures are unknown: no log of Nsight Compute was given."),
    ("measure_kernels", "To measure kernels with Nsight Compute"),
    ("give_counters", "Measure the kernels with `ncu`, then give the log: `--ncu run.ncu.csv`."),
];

impl Words {
    /// All of them, in the words of who recorded a capture.
    #[must_use]
    pub fn of(recorder: Recorder) -> Self {
        let said = |(key, text): (&'static str, &str)| (key, recorder.title_in_its_words(text).into_owned());
        Self {
            flame_classes: FLAME_CLASSES.map(said).to_vec(),
            phrases: PHRASES.map(said).into(),
            resources: SUMMARY_TABLE.layout.parts,
            works: GPU_TIME_TABLE.layout.parts,
            lanes: LANES.map(|(kind, lane, _)| (kind, lane)).into(),
            items: LANES
                .map(|(kind, _, item)| (kind, item))
                .into_iter()
                .chain([("memory", "Copy")])
                .collect(),
            columns: TABLES.iter().flat_map(|table| table.layout.views.iter().copied()).collect(),
            metrics: RUN_METRICS.iter().map(|metric| said((metric.key, metric.title))).collect(),
        }
    }
}
