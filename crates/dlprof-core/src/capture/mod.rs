//! A capture: who launched what, and which op it belongs to. Everything that later stages ask of an export.
//!
//! `reading` makes one of a file, `correlate` of facts: it holds the tables as they were read
//! ([`RecordedTables`]) and, beside them, what correlating adds. `names` says what a name means, with the
//! user's settings, and `classified` lends the tables with the class of each name. Iterations are not known here. What is handed
//! on is a [`Capture`].

pub(crate) mod classified;
pub(crate) mod correlate;
pub(crate) mod counters;
pub(crate) mod graph_captures;
pub(crate) mod ledger;
pub(crate) mod names;
mod reading;
mod record_again;
mod sum_check;
mod tables;
pub(crate) mod training;
mod zones;

pub use reading::ReadOptions;
pub use record_again::hint_in;
pub(crate) use tables::nesting_order;
pub(crate) use tables::*;
pub(crate) use zones::HostZones;
pub(crate) use zones::WorkZones;

use crate::base::diagnostics::DiagnosticCode;
use crate::base::groups::Grouped;
use crate::base::ids::{self, ApiCallId, OpCallId, RangeTextId, ThreadId, WorkId};
use crate::base::time::{Ns, Span};
use crate::capture::classified::order::Orders;
use crate::capture::correlate::labels::Label;
use crate::capture::correlate::mode::Mode;
use crate::capture::correlate::model_config::ModelConfig;
use crate::capture::counters::Counters;
use crate::capture::graph_captures::GraphCaptures;
use crate::capture::ledger::Ledger;
use crate::columns::{Memory, Texts};
use crate::read::facts::Vendor;
use crate::read::facts::{
    DlprofNotes, LaunchConfig, RecordedTables, RecordedThread, Records, WorkKind, copy_kind_name,
    known_copy_kind,
};
use crate::read::time_cut::CutWindow;
use correlate::Eligibility;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

/// What correlating finds that there is little of; kept as JSON.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CaptureDescription {
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
    /// API calls whose work joined a range of another thread by time.
    pub loose_calls: usize,
    /// What is recorded of what was launched.
    pub ledger: Ledger,
    /// What only a DLProf database says; none of an nsys export.
    pub dlprof: Option<Box<DlprofNotes>>,
}

/// What a capture holds.
#[derive(Debug)]
pub struct CaptureContents {
    /// The tables as they were read.
    pub recorded: RecordedTables,
    /// What there is little of.
    pub description: CaptureDescription,
    /// Texts of the export: names of API functions and kernels, texts of ranges.
    pub strings: Texts,
    /// Texts that labels refer to.
    pub names: Texts,
    /// Of the GPU work: the API calls that launched it.
    pub launches: Launches,
    /// Of the synchronisations: the API calls that waited.
    pub waits: Waits,
    /// Of the API calls: what they did, and for whom.
    pub call_roles: CallRoles,
    /// Of the kernels: what their names say.
    pub judged: JudgedKernels,
    /// When the rows of the GPU work are.
    pub work_zones: WorkZones,
    /// Op calls, work that no op claims included.
    pub op_calls: OpCalls,
    /// By op call: its GPU work, in order of start.
    pub work_by_call: Grouped<WorkId>,
    /// What the rows say beyond that; none unless it was asked for.
    pub records: Option<Records>,
    /// Counters of Nsight Compute, joined to the kernels; none without logs.
    pub counters: Option<Arc<Counters>>,
    /// Captures of the graphs of servers, from traces of their own; none without these.
    pub graph_captures: GraphCaptures,
    /// The budget of the columns that later stages make.
    pub memory: Memory,
    /// The worker threads of later stages.
    pub pool: Arc<rayon::ThreadPool>,
    /// When the rows of what the CPU did are; found at the first question.
    pub(crate) host_zones: OnceLock<HostZones>,
    /// When the ranges are, thread by thread; found at the first question.
    pub(crate) range_zones: OnceLock<Arc<Vec<WorkZones>>>,
    /// Rows in the order of time; found at the first question.
    pub(crate) orders: Orders,
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
    type Target = RecordedTables;

    fn deref(&self) -> &RecordedTables {
        &self.recorded
    }
}

impl From<CaptureContents> for Capture {
    fn from(contents: CaptureContents) -> Self {
        Self { contents: Arc::new(contents) }
    }
}

/// Functions that start the profiler, of runtime and driver.
const PROFILER_START: [&str; 2] = ["cudaProfilerStart", "cuProfilerStart"];

/// Functions that stop it.
const PROFILER_STOP: [&str; 2] = ["cudaProfilerStop", "cuProfilerStop"];

impl CaptureContents {
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
            ranges: Arc::clone(self.range_zones()),
            mpi: WorkZones::new(&host.mpi.span),
            os_calls: WorkZones::new(os_calls()),
            overheads: WorkZones::new(&host.overheads.span),
        };
        // Not while others wait for the value: a thread that waits for parts of it may take up work that asks for it.
        let zones = self.pool.install(zones);
        self.host_zones.get_or_init(|| zones)
    }

    /// When the ranges of each thread are.
    pub(crate) fn range_zones(&self) -> &Arc<Vec<WorkZones>> {
        if let Some(zones) = self.range_zones.get() {
            return zones;
        }
        let ranges = &self.ranges.by_thread;
        let zones = self.pool.install(|| ranges.iter().map(|ranges| WorkZones::new(&ranges.span)).collect());
        self.range_zones.get_or_init(|| Arc::new(zones))
    }

    /// Where the time line begins: 0, or where the capture was cut.
    #[must_use]
    pub fn begin(&self) -> Ns {
        self.description.cut.as_ref().map_or(0, |cut| cut.span.start)
    }

    /// Grid and block of a kernel.
    #[must_use]
    pub fn launch_config(&self, kernel: WorkId) -> LaunchConfig {
        self.launch_configs[self.kernels.config[kernel].index()]
    }

    /// CUPTI's kind of a copy; 0 for other work.
    fn copy_kind(&self, work: WorkId) -> u8 {
        let place = work.index().wrapping_sub(self.kernels.len());
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

    /// What a piece of GPU work is called: a kernel by its short name, a copy by its kind, or `memset`.
    #[must_use]
    pub fn work_name(&self, work: WorkId) -> &str {
        match self.work_kind(work) {
            WorkKind::Kernel => self.strings.get(self.kernels.short_name[work]),
            WorkKind::Copy => self.copy_kind_name(work),
            WorkKind::Memset => "memset",
        }
    }

    /// What the text of an op call says.
    #[must_use]
    #[inline]
    pub fn label_of(&self, call: OpCallId) -> &Label {
        &self.description.labels[self.op_calls.label[call].index()]
    }

    /// The rank of MPI whose process was captured, by the names that nsys gives threads; `None` where there is none or several.
    #[must_use]
    pub fn only_mpi_rank(&self) -> Option<u64> {
        let named = self.threads.iter().filter(|thread| !thread.name.is_none());
        let rank = |thread: &RecordedThread| {
            self.strings.get(thread.name).strip_prefix("MPI Rank ")?.trim().parse().ok()
        };
        let ranks: BTreeSet<u64> = named.filter_map(rank).collect();
        ranks.first().copied().filter(|_| ranks.len() == 1)
    }

    /// Whether the program began the capture, with `cudaProfilerStart`: it is the first call that was recorded.
    #[must_use]
    pub fn begins_with_profiler_start(&self) -> bool {
        let calls = &self.api_calls;
        let first = ids::all::<ApiCallId>(calls.span.len()).min_by_key(|&call| calls.span[call].start);
        first.is_some_and(|call| self.is_call_of(call, PROFILER_START))
    }

    /// When the program first calls `cudaProfilerStart` inside a span.
    #[must_use]
    pub(crate) fn profiler_start_in(&self, span: Span) -> Option<Ns> {
        self.first_call_in(span, PROFILER_START)
    }

    /// When the program first stops the profiler after a time.
    #[must_use]
    pub(crate) fn profiler_stop_behind(&self, time: Ns) -> Option<Ns> {
        self.first_call_in(Span::new(time, Ns::MAX), PROFILER_STOP)
    }

    /// The start of the first call of one of two functions that starts in a span.
    fn first_call_in(&self, span: Span, functions: [&str; 2]) -> Option<Ns> {
        let start = |call: ApiCallId| self.api_calls.span[call].start;
        let calls = ids::all::<ApiCallId>(self.api_calls.span.len());
        let inside = calls.filter(|&call| (span.start..span.end).contains(&start(call)));
        inside.filter(|&call| self.is_call_of(call, functions)).map(start).min()
    }

    fn is_call_of(&self, call: ApiCallId, functions: [&str; 2]) -> bool {
        let name = self.api_calls.name[call].some().map_or("", |name| self.strings.get(name));
        functions.iter().any(|function| name.starts_with(function))
    }

    /// How many of the ranges are operators.
    #[must_use]
    pub fn operators(&self) -> usize {
        let is_operator = |text: &&RangeTextId| self.ranges.texts[text.index()].is_operator;
        self.ranges.lists().map(|list| list.text.iter().filter(is_operator).count()).sum()
    }

    /// Whether ops say that they could use Tensor Cores. Ranges of the program do not say what they compute: their ops count as eligible only
    /// where a kernel uses them.
    #[must_use]
    pub fn tells_eligible_ops(&self) -> bool {
        let has = |eligibility| self.description.labels.iter().any(|label| label.eligibility == eligibility);
        has(Eligibility::Eligible) || !has(Eligibility::WhenUsed)
    }

    /// Whether the GPUs are NVIDIA's.
    #[must_use]
    pub(crate) fn is_of_nvidia(&self) -> bool {
        self.recorder.vendor == Vendor::Nvidia
    }

    /// Whether the program had made several steps before the recording began: torch.profiler gives its steps their numbers in the
    /// program, so that what comes first in such a trace is not the first of its kind.
    #[must_use]
    pub(crate) fn begins_in_mid_run(&self) -> bool {
        let numbers = self.ranges.texts.iter().filter(|says| !says.is_operator);
        let numbers = numbers.filter_map(|says| names::profiler_step(self.strings.get(says.text)));
        let first = numbers.filter_map(|number| number.parse::<u64>().ok()).min();
        self.recorder.is_torch_profiler() && first.is_some_and(|first| first >= 2)
    }

    /// Whether most of what was recorded was left out of the trace.
    #[must_use]
    pub(crate) fn is_thinned(&self) -> bool {
        self.diagnostics.counted(DiagnosticCode::ThinnedTrace) > 0
    }

    /// Whether work without an API call was launched before the recording began, as far as can be told: calls were recorded, and most
    /// of this work comes before all that they launched into its stream. A stream runs in order.
    #[must_use]
    pub(crate) fn begins_with_earlier_work(&self) -> bool {
        if self.api_calls.is_empty() {
            return false;
        }
        let first = self.first_launched();
        let without = || self.work_ids().filter(|&work| self.launches.api[work].is_none());
        let is_first = |work: &WorkId| {
            first[self.work.stream[*work].index()].is_some_and(|first| self.work.span[*work].start <= first)
        };
        2 * without().filter(is_first).count() > without().count()
    }

    /// By stream: the earliest start of an item with an API call.
    pub(crate) fn first_launched(&self) -> Vec<Option<Ns>> {
        let mut first: Vec<Option<Ns>> = vec![None; self.streams.len()];
        for work in self.work_ids().filter(|&work| !self.launches.api[work].is_none()) {
            let first = &mut first[self.work.stream[work].index()];
            let start = self.work.span[work].start;
            *first = Some(first.map_or(start, |earlier| earlier.min(start)));
        }
        first
    }

    /// Whether ranges or operators say that collectives were called, whatever kernels were recorded.
    #[must_use]
    pub fn calls_collectives(&self) -> bool {
        let mut texts = self.ranges.texts.iter();
        texts.any(|says| correlate::is_collective(self.strings.get(says.text)))
    }

    /// Steps that torch.profiler marked: the program called `prof.step()`.
    #[must_use]
    pub fn profiler_steps(&self) -> usize {
        let texts = self.ranges.texts.iter().filter(|says| !says.is_operator);
        texts.filter(|says| names::profiler_step(self.strings.get(says.text)).is_some()).count()
    }

    /// A thread for people: pid and tid. Traces of torch.profiler say the number in the name, and of some threads that number is
    /// too large for a tid.
    #[must_use]
    pub fn thread_in_words(&self, thread: ThreadId) -> String {
        let thread = self.threads[thread.index()];
        let pid = self.processes[thread.process.index()].pid();
        let name = thread.name.some().map(|name| self.strings.get(name));
        match name.filter(|name| self.recorder.is_torch_profiler() && name.starts_with("thread ")) {
            Some(name) => format!("process {pid}, {name}"),
            None => format!("process {pid}, thread {}", thread.tid()),
        }
    }
}

/// How much a capture holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CaptureCounts {
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
    pub fn counts(&self) -> CaptureCounts {
        CaptureCounts {
            kernels: self.kernels.len(),
            whole_graphs: self.whole_graphs,
            copies: self.copies.len(),
            memsets: self.memsets(),
            // Rows that hold the backtrace of a call repeat it.
            api_calls: self.api_calls.len() - self.repeated_calls.repeat.len(),
            op_calls: self.op_calls.len(),
            ranges: self.ranges.len(),
        }
    }
}
