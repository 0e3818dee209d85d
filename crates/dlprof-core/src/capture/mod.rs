//! A capture: who launched what, and which op it belongs to. Everything that later stages ask of an export.
//!
//! `reading` makes one of a file, `correlate` of facts. `names` says what a name means, with the user's settings, and
//! `classified` lends the facts with the class of each name. Iterations are not known here. What is handed on is a [`Capture`].

pub mod classified;
pub mod correlate;
pub mod names;
mod reading;
mod sum_check;
mod tables;
mod zones;

pub use reading::ReadOptions;
pub(crate) use tables::nesting_order;
pub use tables::*;
pub(crate) use zones::HostZones;
pub use zones::WorkZones;

use crate::base::diagnostics::Diagnostics;
use crate::base::groups::Grouped;
use crate::base::ids::{self, OpCallId, ProcessId, ThreadId, WorkId};
use crate::base::time::Ns;
use crate::capture::correlate::labels::Label;
use crate::capture::correlate::mode::Mode;
use crate::capture::correlate::model_config::ModelConfig;
use crate::columns::{Memory, Texts};
use crate::read::facts::{
    CaptureNotes, Device, DlprofNotes, HostFacts, LaunchConfig, MemoryEventFacts, MetricSampleFacts, Process,
    Records, RepeatedCalls, Source, Stream, System, Thread, TransferFacts, WorkKind, copy_kind_name,
    known_copy_kind,
};
use crate::read::time_cut::CutWindow;
use serde::{Deserialize, Serialize};
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

/// What there is little of in a capture; kept as JSON.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Description {
    /// The export.
    pub source: Source,
    /// Processes by ascending global process id.
    pub processes: Vec<Process>,
    /// Threads by ascending global thread id.
    pub threads: Vec<Thread>,
    /// GPUs of the machine, then GPUs that only the activity tables name.
    pub devices: Vec<Device>,
    /// The machine and the software.
    pub system: System,
    /// The window in time to which the capture was cut; none if it is whole.
    pub cut: Option<CutWindow>,
    /// How ranges were read.
    pub mode: Mode,
    /// Why in this mode.
    pub mode_reason: String,
    /// Distinct labels of op calls.
    pub labels: Vec<Label>,
    /// Settings that DLProf's markers recorded.
    pub model_config: ModelConfig,
    /// Distinct grids and blocks.
    pub launch_configs: Vec<LaunchConfig>,
    /// How many of the kernels, the last of them, are whole graph launches.
    pub whole_graphs: usize,
    /// Streams of GPU work.
    pub streams: Vec<Stream>,
    /// What else the export says, in few words.
    pub notes: CaptureNotes,
    /// API calls whose work joined a range of another thread by time.
    pub loose_calls: usize,
    /// Number of synchronisation records.
    pub syncs: usize,
    /// What only a DLProf database says; none of an nsys export.
    pub dlprof: Option<Box<DlprofNotes>>,
    /// What was odd about the export.
    pub diagnostics: Diagnostics,
}

/// What a capture holds.
#[derive(Debug)]
pub struct CaptureContents {
    /// What there is little of.
    pub description: Description,
    /// Texts of the export: names of API functions and kernels, texts of ranges.
    pub strings: Texts,
    /// Texts that labels refer to.
    pub names: Texts,
    /// CUDA API calls.
    pub api_calls: ApiCalls,
    /// Of the API calls: rows that repeat another one for its backtrace.
    pub repeated_calls: RepeatedCalls,
    /// What API calls waited for.
    pub waits: Syncs,
    /// Kernels, copies and memsets.
    pub work: Work,
    /// When the rows of the GPU work are.
    pub work_zones: WorkZones,
    /// Of the GPU work: the kernels.
    pub kernels: Kernels,
    /// Of the GPU work: the copies.
    pub copies: Copies,
    /// Of the GPU work: the copies and memsets.
    pub transfers: TransferFacts,
    /// Op calls, work that no op claims included.
    pub op_calls: OpCalls,
    /// By op call: its GPU work, in order of start.
    pub work_by_call: Grouped<WorkId>,
    /// NVTX ranges.
    pub ranges: Ranges,
    /// What CPU threads did besides.
    pub host: HostFacts,
    /// Allocations and frees of memory.
    pub memory_events: MemoryEventFacts,
    /// Samples of the counters of GPUs.
    pub metric_samples: MetricSampleFacts,
    /// What the rows say beyond that; none unless it was asked for.
    pub records: Option<Records>,
    /// The budget of the columns that later stages make.
    pub memory: Memory,
    /// The worker threads of later stages.
    pub pool: Arc<rayon::ThreadPool>,
    /// When the rows of what the CPU did are; found at the first question.
    pub(crate) host_zones: OnceLock<HostZones>,
}

/// A capture, read and correlated: the expensive part of an analysis. It is cheap to clone, and clones share what they hold.
///
/// ```
/// use dlprof_core::{Capture, KeyNodeChoice, RangeChoice, ReadOptions};
///
/// # fn main() -> Result<(), dlprof_core::Error> {
/// let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/sample.sqlite");
/// let capture = Capture::read(path.as_ref(), &ReadOptions::default())?;
/// let index = capture.index(&KeyNodeChoice::Find)?;
/// let profile = index.profile(&RangeChoice::from(15..=58))?;
/// assert_eq!(profile.iterations.aggregated(), 44);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Capture {
    contents: Arc<CaptureContents>,
}

impl Deref for Capture {
    type Target = CaptureContents;

    fn deref(&self) -> &CaptureContents {
        &self.contents
    }
}

impl Deref for CaptureContents {
    type Target = Description;

    fn deref(&self) -> &Description {
        &self.description
    }
}

impl From<CaptureContents> for Capture {
    fn from(contents: CaptureContents) -> Self {
        Self { contents: Arc::new(contents) }
    }
}

impl CaptureContents {
    /// What a piece of work is.
    #[must_use]
    #[inline]
    pub fn work_kind(&self, work: WorkId) -> WorkKind {
        WorkKind::of(work, self.kernels.short_name.len(), self.copies.kind.len())
    }

    /// When the rows of what the CPU did are.
    pub(crate) fn host_zones(&self) -> &HostZones {
        if let Some(zones) = self.host_zones.get() {
            return zones;
        }
        let host = &self.host;
        let os_calls = || host.os_calls.as_ref().map_or(&[][..], |calls| &calls.span);
        let zones = || HostZones {
            api_calls: WorkZones::new(&self.api_calls.span),
            op_calls: WorkZones::new(&self.op_calls.span),
            ranges: self.ranges.by_thread.iter().map(|ranges| WorkZones::new(&ranges.span)).collect(),
            mpi: WorkZones::new(&host.mpi.span),
            os_calls: WorkZones::new(os_calls()),
            overheads: WorkZones::new(&host.overheads.span),
        };
        // Not while others wait for the value: a thread that waits for parts of it may take up work that asks for it.
        let zones = self.pool.install(zones);
        self.host_zones.get_or_init(|| zones)
    }

    /// Ids of all GPU work in order.
    pub fn work_ids(&self) -> impl Iterator<Item = WorkId> + Clone + use<> {
        ids::all(self.work.span.len())
    }

    /// Where the time line begins: 0, or where the capture was cut.
    #[must_use]
    pub fn begin(&self) -> Ns {
        self.cut.as_ref().map_or(0, |cut| cut.span.start)
    }

    /// Number of memsets.
    #[must_use]
    pub fn memsets(&self) -> usize {
        self.work.span.len() - self.kernels.short_name.len() - self.copies.kind.len()
    }

    /// Grid and block of a kernel.
    #[must_use]
    pub fn launch_config(&self, kernel: WorkId) -> LaunchConfig {
        self.launch_configs[self.kernels.config[kernel].index()]
    }

    /// CUPTI's kind of a copy; 0 for other work.
    fn copy_kind(&self, work: WorkId) -> u8 {
        let place = work.index().wrapping_sub(self.kernels.short_name.len());
        self.copies.kind.get(place).copied().unwrap_or(0)
    }

    /// CUPTI's kind of a copy, if the work is one and its kind has a name.
    #[must_use]
    pub fn known_copy_kind(&self, work: WorkId) -> Option<u8> {
        known_copy_kind(self.copy_kind(work))
    }

    /// Direction of a copy in words, for copies that no API call names.
    #[must_use]
    pub fn copy_kind_name(&self, work: WorkId) -> &'static str {
        copy_kind_name(self.copy_kind(work))
    }

    /// What the text of an op call says.
    #[must_use]
    #[inline]
    pub fn label_of(&self, call: OpCallId) -> &Label {
        &self.labels[self.op_calls.label[call].index()]
    }

    /// The process of a thread.
    #[must_use]
    pub(crate) fn process_of(&self, thread: ThreadId) -> ProcessId {
        self.threads.get(thread.index()).map_or(ProcessId::NONE, |thread| thread.process)
    }

    /// A thread for people: pid and tid.
    #[must_use]
    pub fn thread_in_words(&self, thread: ThreadId) -> String {
        let thread = self.threads[thread.index()];
        let pid = self.processes[thread.process.index()].pid();
        format!("process {pid}, thread {}", thread.global_tid & 0xFF_FFFF)
    }
}

/// How much a capture holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Kernels, whole graph launches included.
    pub kernels: usize,
    /// Whole graph launches.
    pub whole_graphs: usize,
    /// Copies.
    pub copies: usize,
    /// Memsets.
    pub memsets: usize,
    /// CUDA API calls.
    pub api_calls: usize,
    /// Op calls, work that no op claims included.
    pub op_calls: usize,
    /// NVTX ranges.
    pub ranges: usize,
}

impl CaptureContents {
    /// How much the capture holds.
    #[must_use]
    pub fn counts(&self) -> Counts {
        Counts {
            kernels: self.kernels.short_name.len(),
            whole_graphs: self.whole_graphs,
            copies: self.copies.kind.len(),
            memsets: self.memsets(),
            api_calls: self.api_calls.len(),
            op_calls: self.op_calls.len(),
            ranges: self.ranges.len(),
        }
    }
}
