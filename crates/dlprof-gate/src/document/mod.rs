//! The baseline: what is kept of runs to compare others with.

mod file;
mod sample;

pub use file::{is_baseline, read, to_json};
pub use sample::{SAMPLED_SHARE, SAMPLES_KEPT, sample};

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Version of the document. A reader takes any version up to its own.
pub const VERSION: u32 = 1;

/// What the field `format` of every baseline says.
pub const FORMAT: &str = "dlprof-agg baseline";

/// One or several runs of the same program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// [`FORMAT`].
    pub format: String,
    /// [`VERSION`] of the writer.
    pub version: u32,
    /// The runs; at least one.
    pub runs: Vec<Run>,
}

impl Document {
    /// A document of runs.
    #[must_use]
    pub fn new(runs: Vec<Run>) -> Self {
        Self { format: FORMAT.to_owned(), version: VERSION, runs }
    }

    /// Several documents as one: all their runs.
    #[must_use]
    pub fn pooled(documents: impl IntoIterator<Item = Self>) -> Self {
        Self::new(documents.into_iter().flat_map(|document| document.runs).collect())
    }
}

/// What one sample stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// An iteration.
    Iterations,
    /// The whole range of the capture: there are no iterations, so there is one value of everything.
    WholeCapture,
}

/// One run of a program, from one capture.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Name of the file it was made from, without folder.
    pub capture: String,
    /// The machine and the software.
    pub environment: Environment,
    /// What a sample stands for.
    pub scope: Scope,
    /// Which iterations there are, and which were used.
    pub iterations: Iterations,
    /// By key of a metric: a value per sample. A metric that means nothing here is absent.
    pub metrics: BTreeMap<String, Vec<f64>>,
    /// GPU time by op type.
    pub op_types: BTreeMap<String, GpuTime>,
    /// GPU time by group.
    pub groups: BTreeMap<String, GpuTime>,
    /// Ops by name, direction and ordinal.
    pub ops: BTreeMap<String, Op>,
    /// Kernel time by short name.
    pub kernels: BTreeMap<String, GpuTime>,
    /// Where the wall clock of the used iterations went.
    pub wall_clock: WallClock,
}

impl Run {
    /// Number of samples: used iterations, thinned out where there are very many; 1 without iterations.
    #[must_use]
    pub fn samples(&self) -> usize {
        match self.scope {
            Scope::Iterations => self.iterations.sampled.len(),
            Scope::WholeCapture => 1,
        }
    }
}

/// The machine and the software, as far as the capture tells.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Environment {
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
}

/// Which iterations a run has.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Iterations {
    /// All of the capture.
    pub total: u32,
    /// Steady ones in the range asked for: those used.
    pub used: u32,
    /// Those left out, by state: before, warm-up, outlier, empty, cut.
    pub left_out: BTreeMap<String, u32>,
    /// Numbers of the iterations that the samples are from, in order of the samples.
    pub sampled: Vec<u32>,
}

/// GPU time per iteration.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct GpuTime {
    /// Average per used iteration.
    pub mean_ns: f64,
    /// A value per sample, where it holds enough of the GPU time to be sampled.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub samples_ns: Vec<f64>,
}

/// An op.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Op {
    /// Name.
    pub name: String,
    /// Op type.
    pub op_type: String,
    /// Direction; empty, `fprop` or `bprop`.
    pub direction: String,
    /// Which of the ops of its name and direction it is, from 1.
    pub ordinal: u32,
    /// Operand shapes; empty where unknown.
    pub shapes: String,
    /// Its place in order of first start, from 0.
    pub position: u32,
    /// Short names of its kernels, with launches per used iteration.
    pub kernels: BTreeMap<String, f64>,
    /// Its GPU time.
    #[serde(flatten)]
    pub time: GpuTime,
}

impl Op {
    /// The key of an op: unique in a run, and the same in another run of the same program.
    #[must_use]
    pub fn key(name: &str, direction: &str, ordinal: u32) -> String {
        match direction {
            "" => format!("{name} #{ordinal}"),
            _ => format!("{name} {direction} #{ordinal}"),
        }
    }
}

/// Where the wall clock of the used iterations went, summed over them and over the GPUs used. The parts add up to
/// `total_ns`; every nanosecond is in one part.
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
    /// By op and name of the communication kernel; only where no other kernel ran.
    pub communication: Parts,
    /// By op and direction of the copy, or `memset`; only where no kernel ran.
    pub copies: Parts,
    /// Without GPU work, by what the CPU did: `data loader`, `I/O`, `in an op`, `outside ops`.
    pub idle: BTreeMap<String, i64>,
}

/// Nanoseconds by op and name.
pub type Parts = BTreeMap<String, BTreeMap<String, i64>>;
