//! The baseline: what is kept of runs to compare other runs with them.

mod file;
mod found;
mod kept_names;
mod kept_ops;
mod of_job;
mod sample;
mod size;
mod used;
mod used_sums;

pub use file::{is_baseline, read, to_json, write_json};
pub use found::{MainFigure, RunFinding, RunFindings, RunSaving, SavingKind};
#[cfg(test)]
pub(crate) use kept_names::{OTHER_NAMES, OTHER_OPS};

use crate::advice::Judged;
use crate::runs::metrics;
use crate::steps::iterate::ClockChoice;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Version of the document. A reader accepts any version up to its own.
pub(crate) const VERSION: u32 = 1;

/// The value of the field `format` in every baseline.
pub(crate) const FORMAT: &str = "dlprof-agg baseline";

/// The input of runs that were read from a DLProf database.
pub(crate) const DLPROF_DATABASE: &str = "DLProf database";

/// The input of runs that were read from the captures of a job of many ranks.
pub(crate) const JOB: &str = "job of many ranks";

/// One or several runs of the same program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// `FORMAT`.
    pub format: String,
    /// `VERSION` of the writer.
    pub version: u32,
    /// The runs; at least one.
    pub runs: Vec<BaselineRun>,
}

impl Document {
    /// A document of the one run that a profile shows, with what the rules find in it.
    #[must_use]
    pub fn of(judged: &Judged) -> Self {
        Self::new(vec![sample::sample(judged)])
    }

    /// A document of runs.
    #[must_use]
    pub fn new(runs: Vec<BaselineRun>) -> Self {
        Self { format: FORMAT.to_owned(), version: VERSION, runs }
    }

    /// The clock on which all runs with iterations were measured; that of a new run's own choice if they differ or have
    /// none. Runs from before there were two clocks were measured on the CPU's.
    #[must_use]
    pub fn clock(&self) -> ClockChoice {
        let runs = self.runs.iter().filter(|run| run.scope == BaselineScope::Iterations);
        let mut on_gpu = runs.map(|run| run.environment.clock.as_deref() == Some("gpu"));
        match on_gpu.next() {
            Some(first) if on_gpu.all(|other| other == first) => match first {
                true => ClockChoice::Gpu,
                false => ClockChoice::Cpu,
            },
            _ => ClockChoice::Auto,
        }
    }

    /// Whether a run was read from a DLProf database.
    #[must_use]
    pub fn has_database(&self) -> bool {
        self.runs.iter().any(BaselineRun::is_database)
    }

    /// Several documents as one: all their runs.
    #[must_use]
    pub fn pooled(documents: impl IntoIterator<Item = Self>) -> Self {
        Self::new(documents.into_iter().flat_map(|document| document.runs).collect())
    }
}

/// What one sample describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BaselineScope {
    /// An iteration.
    Iterations,
    /// The whole range of the capture. There are no iterations, so there is one value of each number.
    WholeCapture,
}

/// One run of a program, from one capture.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BaselineRun {
    /// Name of the file it was made from, without folder.
    pub capture: String,
    /// The machine and the software.
    pub environment: BaselineEnvironment,
    /// What a sample describes.
    pub scope: BaselineScope,
    /// Which iterations there are, and which were used.
    pub iterations: BaselineIterations,
    /// One value per sample, by key of the metric. A metric that is undefined in this run is absent.
    pub metrics: BTreeMap<String, Vec<f64>>,
    /// GPU time by op type.
    pub op_types: BTreeMap<String, BaselineGpuTime>,
    /// GPU time by group.
    pub groups: BTreeMap<String, BaselineGpuTime>,
    /// Ops by name, direction and ordinal; at most `MOST_OPS`, and all others as `OTHER_OPS`.
    pub ops: BTreeMap<String, BaselineOp>,
    /// Kernel time by short name.
    pub kernels: BTreeMap<String, BaselineGpuTime>,
    /// What the wall clock time of the used iterations was spent on.
    pub wall_clock: WallClock,
    /// What the rules found; `None` where it is not known: in baselines from before findings were kept, and in
    /// measurements that do not come from a capture.
    #[serde(default)]
    pub findings: Option<RunFindings>,
}

impl BaselineRun {
    /// A run that has only metrics, each with one value per iteration; all have the same number of iterations. Use
    /// it for measurements that do not come from a capture.
    #[must_use]
    pub fn of_metrics(capture: &str, metrics: BTreeMap<String, Vec<f64>>) -> Self {
        let samples = metrics.values().next().map_or(0, Vec::len);
        let samples = u32::try_from(samples).unwrap_or(u32::MAX);
        Self {
            capture: capture.to_owned(),
            environment: BaselineEnvironment::default(),
            scope: BaselineScope::Iterations,
            iterations: BaselineIterations {
                total: samples.saturating_add(1),
                used: samples,
                left_out: BTreeMap::from([("before".to_owned(), 1)]),
                sampled: (1..=samples).collect(),
            },
            metrics,
            op_types: BTreeMap::new(),
            groups: BTreeMap::new(),
            ops: BTreeMap::new(),
            kernels: BTreeMap::new(),
            wall_clock: WallClock { iterations: samples.max(1), gpus: 1, ..WallClock::default() },
            findings: None,
        }
    }

    /// What makes figures of its capture wrong; empty where nothing does, as far as is known.
    #[must_use]
    pub fn misleads(&self) -> &[String] {
        self.findings.as_ref().map_or(&[], |findings| &findings.misleads)
    }

    /// Whether it is known what GPUs did: kernels were recorded, or it does not come from a capture.
    #[must_use]
    pub(crate) fn is_gpu_known(&self) -> bool {
        self.metrics.contains_key(metrics::KERNEL_TIME) || self.wall_clock.total_ns == 0 || self.is_job()
    }

    /// Whether it was read from a DLProf database.
    #[must_use]
    pub fn is_database(&self) -> bool {
        self.environment.input.as_deref() == Some(DLPROF_DATABASE)
    }

    /// Whether it is a job of many ranks: its values are over all of them.
    #[must_use]
    pub fn is_job(&self) -> bool {
        self.environment.input.as_deref() == Some(JOB)
    }

    /// Number of samples: the used iterations, or some of them if there are very many; 1 without iterations.
    #[must_use]
    pub fn samples(&self) -> usize {
        match self.scope {
            BaselineScope::Iterations => self.iterations.sampled.len(),
            BaselineScope::WholeCapture => 1,
        }
    }
}

/// The machine and the software, as far as the capture describes them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BaselineEnvironment {
    /// Names of the GPUs of the machine, in order.
    pub gpus: Vec<String>,
    /// GPUs with any work.
    pub gpus_used: usize,
    /// CPU model.
    pub cpu: Option<String>,
    /// GPU driver version.
    pub driver: Option<String>,
    /// CUDA version.
    pub cuda: Option<String>,
    /// cuDNN version.
    pub cudnn: Option<String>,
    /// Framework and version.
    pub framework: Option<String>,
    /// nsys version.
    pub nsys: Option<String>,
    /// Version of this tool.
    pub dlprof_agg: String,
    /// How ranges became ops.
    pub mode: String,
    /// What delimits iterations.
    pub key_node: Option<String>,
    /// The clock of the iterations, `cpu` or `gpu`; none in baselines from before there were two, which are the CPU's.
    #[serde(default)]
    pub clock: Option<String>,
    /// `DLPROF_DATABASE` if the run was read from one, `JOB` if it is a job; none for nsys exports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// What a capture without iterations was measured over: `GPU span`; none where there are iterations, and in baselines
    /// from before, which hold whole captures.
    #[serde(default)]
    pub window: Option<String>,
    /// The part of the capture that `--from` and `--to` chose; none for the whole capture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut: Option<String>,
    /// What the profiler recorded that makes the host slower than it is, or `nothing`; none in baselines from before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slows_host: Option<String>,
    /// The words of the command that nsys ran; none where the capture does not say, and in baselines from before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
}

/// Which iterations a run has.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BaselineIterations {
    /// All of the capture.
    pub total: u32,
    /// The used iterations: the steady ones in the requested range.
    pub used: u32,
    /// The unused iterations, by state: before, warm-up, outlier, empty, cut.
    pub left_out: BTreeMap<String, u32>,
    /// Numbers of the iterations that the samples are from, in order of the samples.
    pub sampled: Vec<u32>,
}

/// GPU time per iteration.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct BaselineGpuTime {
    /// Average per used iteration.
    pub mean_ns: f64,
    /// One value per sample, if it has enough of the GPU time to be sampled.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub samples_ns: Vec<f64>,
}

/// An op.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct BaselineOp {
    /// Name.
    pub name: String,
    /// Op type.
    pub op_type: String,
    /// Direction; empty, `fprop` or `bprop`.
    pub direction: String,
    /// Its number among the ops of its name and direction, from 1.
    pub ordinal: u32,
    /// Operand shapes; empty where unknown.
    pub shapes: String,
    /// Its place in order of first start, from 0.
    pub position: u32,
    /// Short names of its kernels, with launches per used iteration.
    pub kernels: BTreeMap<String, f64>,
    /// Its GPU time.
    #[serde(flatten)]
    pub time: BaselineGpuTime,
}

impl BaselineOp {
    /// The key of an op: unique in a run, and the same in another run of the same program.
    #[must_use]
    pub fn key(name: &str, direction: &str, ordinal: u32) -> String {
        match direction {
            "" => format!("{name} #{ordinal}"),
            _ => format!("{name} {direction} #{ordinal}"),
        }
    }
}

/// What the wall clock time of the used iterations was spent on, summed over these iterations and the GPUs used.
/// The parts add up to `total_ns`; every nanosecond is in one part.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WallClock {
    /// Number of iterations summed over; 1 without iterations.
    pub iterations: u32,
    /// Number of GPUs summed over.
    pub gpus: u32,
    /// Length of the iterations × GPUs.
    pub total_ns: i64,
    /// By op and kernel name.
    pub kernels: Parts,
    /// By op and name of the communication kernel; only while no other kernel ran.
    pub communication: Parts,
    /// By op and direction of the copy, or `memset`; only while no kernel ran.
    pub copies: Parts,
    /// Without GPU work, by what the CPU did: `data loader`, `I/O`, `in an op`, `outside ops`.
    pub idle: BTreeMap<String, i64>,
}

/// Nanoseconds by op and name.
pub(crate) type Parts = BTreeMap<String, BTreeMap<String, i64>>;
