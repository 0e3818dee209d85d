//! Counters of Nsight Compute beside a capture: logs of other runs of the program, joined to the kernels that this one launched.
//!
//! ```text
//! logs ─read─► launches ─join, log by log─► what was measured of each kernel ─combine─► Counters
//! ```
//!
//! Times and shares come from the capture, always: `ncu` locks clocks and runs kernels alone. Counts and percentages come from the
//! logs. Whether a kernel runs on Tensor Cores is known once its counters are, so the answer by its name is replaced.

mod combine;
mod gpu_names;
mod join;
mod kernels;
mod names;
mod notes;

pub(crate) use names::normal_name;
pub use notes::diagnostics_of_logs;

use crate::base::Error;
use crate::base::ids::{StrId, WorkId};
use crate::capture::CaptureContents;
use crate::capture::correlate::TensorCores;
use crate::read::ncu::{NcuFigures, NcuLog};
use rustc_hash::FxHashMap;
use std::path::PathBuf;
use std::sync::Arc;

/// Logs of Nsight Compute, and how they are joined.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NcuOptions {
    /// The logs, in the order in which they count: of equally good ones the later.
    pub logs: Vec<PathBuf>,
    /// Whether logs are of the GPU of the capture even where they say otherwise.
    pub is_same_gpu: bool,
}

/// How surely a launch of a log is a kernel of the capture, the surest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NcuLevel {
    /// As many launches of the name and size on both sides: the k-th is the k-th.
    Launch,
    /// A summary of as many launches as the capture has: their mean.
    Summary,
    /// The mean of the log's launches of this name and size.
    Signature,
    /// The same by the function's own name, which several kernels share.
    Base,
    /// The name in another size: what belongs to the code, and no counts.
    Name,
    /// Nothing.
    None,
}

impl NcuLevel {
    /// All levels, the surest first.
    pub const ALL: [Self; 6] =
        [Self::Launch, Self::Summary, Self::Signature, Self::Base, Self::Name, Self::None];

    /// The word for people and tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Launch => "launch",
            Self::Summary => "summary",
            Self::Signature => "signature",
            Self::Base => "base",
            Self::Name => "name",
            Self::None => "none",
        }
    }

    /// Whether counts of launches come with it.
    #[must_use]
    pub fn has_counts(self) -> bool {
        self < Self::Name
    }
}

/// What was measured of a kernel.
#[derive(Debug, Clone)]
pub struct Measured {
    /// How surely it is this kernel.
    pub level: NcuLevel,
    /// The figures of one launch.
    pub figures: NcuFigures,
    /// How far the launches lie apart of which this is the mean.
    pub spread_percent: Option<f64>,
    /// How many launches were measured for it.
    pub measured_calls: u64,
    /// Whether another GPU ran them.
    pub is_other_gpu: bool,
}

/// Launches of a log that are alike, and the kernels that they are.
#[derive(Debug, Clone)]
pub struct SignatureMatch {
    /// The name, as the log spells it.
    pub kernel_name: Arc<str>,
    /// Blocks along x, y and z.
    pub grid: Option<[u64; 3]>,
    /// Threads of a block along x, y and z.
    pub block: Option<[u64; 3]>,
    /// Blocks.
    pub blocks: Option<u64>,
    /// Threads of a block.
    pub threads: Option<u64>,
    /// The device in the log.
    pub device: Option<i64>,
    /// Launches in the log.
    pub log_launches: u64,
    /// The kernels of the capture with this name and size.
    pub kernels: Vec<WorkId>,
    /// How surely; the worst of them.
    pub level: NcuLevel,
}

/// A log and what became of its launches.
#[derive(Debug, Clone)]
pub struct JoinedLog {
    /// The log.
    pub log: Arc<NcuLog>,
    /// By launch: how surely, and the first kernel that it went to.
    pub places: Vec<(NcuLevel, Option<WorkId>)>,
    /// What is alike in it.
    pub signatures: Vec<SignatureMatch>,
}

/// A name whose use of Tensor Cores is another one than it suggests.
#[derive(Debug, Clone)]
pub struct ChangedAnswer {
    /// The demangled name.
    pub long_name: StrId,
    /// What the name suggests.
    pub by_name: TensorCores,
    /// What was measured.
    pub measured: bool,
}

/// Counters, joined to the kernels of a capture.
#[derive(Debug, Default)]
pub struct Counters {
    /// The logs.
    pub logs: Vec<JoinedLog>,
    /// Where they are.
    pub paths: Vec<PathBuf>,
    /// By kernel: what was measured of it.
    of_kernel: Vec<Option<u32>>,
    measured: Vec<Measured>,
    /// By demangled name: launches that were measured.
    calls_by_name: FxHashMap<StrId, u64>,
    /// By demangled name: whether any launch that was measured ran on Tensor Cores.
    answers: FxHashMap<StrId, bool>,
    /// Names whose use of Tensor Cores was corrected.
    pub changed: Vec<ChangedAnswer>,
    /// Kernels of the logs that the capture lacks: name and launches.
    pub only_in_logs: Vec<(Arc<str>, u64)>,
    /// The median of the time in the log over that in the capture.
    pub time_ratio: Option<f64>,
}

impl Counters {
    /// What was measured of a kernel.
    #[must_use]
    pub fn of(&self, kernel: WorkId) -> Option<&Measured> {
        let place = (*self.of_kernel.get(kernel.index())?)?;
        self.measured.get(usize::try_from(place).ok()?)
    }

    /// How surely a kernel was measured.
    #[must_use]
    pub fn level(&self, kernel: WorkId) -> NcuLevel {
        self.of(kernel).map_or(NcuLevel::None, |measured| measured.level)
    }

    /// How many launches of a demangled name were measured.
    #[must_use]
    pub fn measured_calls(&self, long_name: StrId) -> u64 {
        self.calls_by_name.get(&long_name).copied().unwrap_or(0)
    }
}

/// Reads logs, with the metrics that figures need.
pub(crate) fn read_logs(options: &NcuOptions) -> Result<Vec<NcuLog>, Error> {
    options.logs.iter().map(|path| NcuLog::read(path, false)).collect()
}

impl CaptureContents {
    /// Reads logs and joins them to the kernels. Without logs nothing changes.
    pub(crate) fn add_counters(&mut self, options: &NcuOptions) -> Result<(), Error> {
        if options.logs.is_empty() {
            return Ok(());
        }
        self.join_counters(read_logs(options)?, options);
        Ok(())
    }

    /// Joins logs to the kernels.
    pub(crate) fn join_counters(&mut self, logs: Vec<NcuLog>, options: &NcuOptions) {
        let mut counters = combine::combine(self, logs, options.is_same_gpu);
        counters.paths.clone_from(&options.logs);
        let answers = combine::answers(self, &counters);
        notes::note(self, &counters);
        self.judged.tensor_cores = self.memory.collect(answers.into_iter()).into_column();
        self.counters = Some(Arc::new(counters));
    }
}
