//! Captures drawn in tests: ranges, API calls and GPU work as intervals, without a database.
//!
//! ```text
//! let mut drawn = Drawn::new();
//! drawn.range("step", 0..100);                     thread   ├─ step ────────────────┤
//! drawn.launch(10..14, "gemm", 20..60);                       ├api┤
//! let capture = drawn.capture();                   stream        ╲──├─ gemm ─┤
//! ```

use crate::base::diagnostics::DiagnosticCode;
use crate::base::ids::{DeviceId, LaunchConfigId, Maybe, ProcessId, RangeTextId, StrId, StreamId, ThreadId};
use crate::base::time::{Ns, Span};
use crate::capture::Capture;
use crate::capture::correlate::{LooseWork, ModeChoice, correlate};
use crate::capture::counters::NcuOptions;
use crate::read::facts::global_ids::global_id;
use crate::read::facts::{
    AboutRecording, CorrelationId, Device, Exchange, Facts, GraphOrigin, KinetoNotes, LaunchConfig,
    MpiCallFacts, NO_CORRELATION, NO_EXCHANGE, NO_SEQUENCE, OperatorKeys, OsCallFacts, OverheadKind, Process,
    RangeText, RecordedCommunicator, RecordedThread, RecorderKind, SequenceNumber, Stream, ThreadRangeFacts,
    Vendor, WorkKind,
};
use std::ops::Range;
use std::sync::Arc;

/// A capture that is being drawn: one GPU or several, and at first one process with one thread.
pub(crate) struct Drawn {
    facts: Facts,
    /// The thread of the calls and ranges to come.
    thread: ThreadId,
    /// The GPU of the work to come, which has one stream of the same number.
    gpu: usize,
    api_calls: Vec<(Span, ThreadId, CorrelationId, StrId)>,
    work: Vec<DrawnWork>,
    range_texts: Vec<(RangeText, OperatorKeys)>,
    ranges: Vec<Vec<(Span, RangeTextId, SequenceNumber)>>,
    /// Of the ranges: thread, place on it, and what NCCL recorded beside it.
    exchanges: Vec<(ThreadId, usize, Exchange)>,
    mpi_calls: Vec<(Span, ThreadId, StrId)>,
    os_calls: Vec<(Span, ThreadId, StrId)>,
    samples: Vec<(Ns, ThreadId, [StrId; 2])>,
    overheads: Vec<(Span, ThreadId, OverheadKind)>,
    switches: Vec<(Ns, ThreadId, bool)>,
    /// Python functions, thread by thread in the order in which they open.
    frames: Vec<(Span, ThreadId, StrId)>,
    /// Bytes of each copy; none if they are not known.
    copied_bytes: Option<u64>,
    /// Whether copies are from pageable memory; else it is not known.
    from_pageable: bool,
}

/// A piece of GPU work.
struct DrawnWork {
    kind: WorkKind,
    name: StrId,
    span: Span,
    process: Maybe<ProcessId>,
    correlation: CorrelationId,
    gpu: usize,
    config: LaunchConfigId,
}

fn span(range: Range<Ns>) -> Span {
    Span::new(range.start, range.end)
}

impl Drawn {
    /// An empty capture.
    pub(crate) fn new() -> Self {
        let mut drawn = Self {
            facts: Facts::default(),
            thread: ThreadId::new(0),
            gpu: 0,
            api_calls: Vec::new(),
            work: Vec::new(),
            range_texts: Vec::new(),
            ranges: Vec::new(),
            exchanges: Vec::new(),
            mpi_calls: Vec::new(),
            os_calls: Vec::new(),
            samples: Vec::new(),
            overheads: Vec::new(),
            switches: Vec::new(),
            frames: Vec::new(),
            copied_bytes: None,
            from_pageable: false,
        };
        drawn.about().devices.push(Device::default());
        let (process, device) = (Maybe::NONE, DeviceId::new(0));
        drawn.about().streams.push(Stream { process, device, context: 0, number: 0 });
        drawn.about().launch_configs.push(LaunchConfig {
            grid: [1; 3],
            block: [32, 1, 1],
            ..LaunchConfig::default()
        });
        drawn.process();
        drawn
    }

    /// Another process, whose first thread draws from now on.
    pub(crate) fn process(&mut self) -> ThreadId {
        let number = i64::try_from(self.facts.processes.len()).expect("few processes") + 1;
        self.about().processes.push(Process { global_pid: global_id(number, 0), name: None });
        self.thread()
    }

    /// Another process, whose first thread has a name.
    pub(crate) fn named_process(&mut self, name: &str) -> ThreadId {
        let thread = self.process();
        let name = self.facts.strings.intern(name);
        self.about().threads[thread.index()].name = name;
        thread
    }

    /// Another thread of the last process, which draws from now on.
    pub(crate) fn thread(&mut self) -> ThreadId {
        let process = self.facts.processes.len() - 1;
        let tid = i64::try_from(self.facts.threads.len()).expect("few threads") + 1;
        let global_tid = self.facts.processes[process].global_pid + tid;
        let thread = RecordedThread { global_tid, process: ProcessId::new(process), name: StrId::NONE };
        self.about().threads.push(thread);
        self.ranges.push(Vec::new());
        self.thread = ThreadId::new(self.facts.threads.len() - 1);
        self.thread
    }

    fn about(&mut self) -> &mut AboutRecording {
        &mut self.facts.recorded.about
    }

    /// Draws on an earlier thread from now on.
    pub(crate) fn on(&mut self, thread: ThreadId) -> &mut Self {
        self.thread = thread;
        self
    }

    /// The process of the thread that draws.
    pub(crate) fn current_process(&self) -> ProcessId {
        self.facts.process_of(self.thread)
    }

    /// A range.
    pub(crate) fn range(&mut self, text: &str, time: Range<Ns>) -> &mut Self {
        self.sequenced(text, NO_SEQUENCE, time)
    }

    /// A range of a library, in its domain.
    pub(crate) fn library_range(&mut self, domain: &str, text: &str, time: Range<Ns>) -> &mut Self {
        let domain = self.facts.strings.intern(domain);
        self.range_in(domain, text, NO_SEQUENCE, time)
    }

    /// A range of NCCL, with its payload.
    pub(crate) fn exchange(&mut self, exchange: Exchange, time: Range<Ns>) -> &mut Self {
        let place = self.ranges[self.thread.index()].len();
        self.library_range("NCCL", &exchange.name, time);
        self.exchanges.push((self.thread, place, exchange));
        self
    }

    /// A communicator of the process that draws.
    pub(crate) fn communicator(&mut self, id: u64, ranks: u64) -> &mut Self {
        let process = self.current_process();
        let known = RecordedCommunicator {
            process: process.into(),
            id,
            ranks: Some(ranks),
            rank: None,
            is_whole: true,
        };
        self.about().communicators.push(known);
        self
    }

    /// A range with a sequence number of PyTorch.
    pub(crate) fn sequenced(&mut self, text: &str, sequence: SequenceNumber, time: Range<Ns>) -> &mut Self {
        self.range_in(StrId::NONE, text, sequence, time)
    }

    fn range_in(
        &mut self,
        domain: StrId,
        text: &str,
        sequence: SequenceNumber,
        time: Range<Ns>,
    ) -> &mut Self {
        let says = RangeText {
            text: self.facts.strings.intern(text),
            sizes: StrId::NONE,
            domain,
            is_operator: sequence != NO_SEQUENCE,
        };
        self.range_saying((says, OperatorKeys::default()), sequence, time)
    }

    fn range_saying(
        &mut self,
        says: (RangeText, OperatorKeys),
        sequence: SequenceNumber,
        time: Range<Ns>,
    ) -> &mut Self {
        let texts = &mut self.range_texts;
        let known = texts.iter().position(|known| *known == says);
        let at = known.unwrap_or_else(|| {
            texts.push(says);
            texts.len() - 1
        });
        self.ranges[self.thread.index()].push((span(time), RangeTextId::new(at), sequence));
        self
    }

    /// Makes it a trace of torch.profiler.
    pub(crate) fn of_torch_profiler(&mut self) -> &mut Self {
        self.about().kineto = Some(Box::default());
        self.about().recorder.kind = RecorderKind::TorchProfiler;
        self
    }

    /// The GPUs are of this maker.
    pub(crate) fn of_vendor(&mut self, vendor: Vendor) -> &mut Self {
        self.about().recorder.vendor = vendor;
        self
    }

    /// A tool left most operators out of the trace.
    pub(crate) fn thinned(&mut self) -> &mut Self {
        self.about().diagnostics.count(DiagnosticCode::ThinnedTrace, || "2 of 5000 numbers are there".into());
        self
    }

    /// The trace ends early.
    pub(crate) fn cut_off(&mut self) -> &mut Self {
        self.about().diagnostics.count(DiagnosticCode::CutTrace, || "in an event".into());
        self
    }

    /// Makes it a trace for which Python stacks, or the memory of allocators, were asked for.
    pub(crate) fn asked_for(&mut self, with_stack: bool, profile_memory: bool) -> &mut Self {
        self.about().recorder.kind = RecorderKind::TorchProfiler;
        self.about().kineto =
            Some(Box::new(KinetoNotes { with_stack, profile_memory, ..KinetoNotes::default() }));
        self
    }

    /// An operator of torch.profiler, with its number, if it has one; that of a `node` belongs to the backward pass.
    pub(crate) fn operator(
        &mut self,
        name: &str,
        number: impl Into<Option<SequenceNumber>>,
        is_node: bool,
        time: Range<Ns>,
    ) -> &mut Self {
        let text = self.facts.strings.intern(name);
        let says = RangeText { text, sizes: StrId::NONE, domain: StrId::NONE, is_operator: true };
        let keys = OperatorKeys { is_node, ..OperatorKeys::default() };
        self.range_saying((says, keys), number.into().unwrap_or(NO_SEQUENCE), time)
    }

    /// A Python function or a module that torch.profiler recorded.
    pub(crate) fn frame(&mut self, name: &str, time: Range<Ns>) -> &mut Self {
        let name = self.facts.strings.intern(name);
        self.frames.push((span(time), self.thread, name));
        self
    }

    /// An API call with a correlation id.
    pub(crate) fn api_call(&mut self, name: &str, time: Range<Ns>, correlation: CorrelationId) -> &mut Self {
        let name = self.facts.strings.intern(name);
        self.api_calls.push((span(time), self.thread, correlation, name));
        self
    }

    /// A call of MPI.
    pub(crate) fn mpi_call(&mut self, name: &str, time: Range<Ns>) -> &mut Self {
        let name = self.facts.strings.intern(name);
        self.mpi_calls.push((span(time), self.thread, name));
        self
    }

    /// A call of the operating system.
    pub(crate) fn os_call(&mut self, name: &str, time: Range<Ns>) -> &mut Self {
        let name = self.facts.strings.intern(name);
        self.os_calls.push((span(time), self.thread, name));
        self
    }

    /// A CPU sample of the thread in a function of a binary.
    pub(crate) fn sample(&mut self, function: &str, module: &str, time: Ns) -> &mut Self {
        let frame = [function, module].map(|text| self.facts.strings.intern(text));
        self.samples.push((time, self.thread, frame));
        self
    }

    /// The thread has no processor for some time, and one before and after it.
    pub(crate) fn sleeps(&mut self, time: Range<Ns>) -> &mut Self {
        self.switches.extend([(time.start, self.thread, false), (time.end, self.thread, true)]);
        self
    }

    /// Time that the profiler recorded as overhead of the thread.
    pub(crate) fn overhead(&mut self, kind: OverheadKind, time: Range<Ns>) -> &mut Self {
        self.overheads.push((span(time), self.thread, kind));
        self
    }

    /// GPU work that a process says it launched with a correlation id.
    pub(crate) fn work(
        &mut self,
        kind: WorkKind,
        name: &str,
        time: Range<Ns>,
        (process, correlation): (impl Into<Maybe<ProcessId>>, CorrelationId),
    ) -> &mut Self {
        let (name, process) = (self.facts.strings.intern(name), process.into());
        let gpu = self.gpu;
        let config = LaunchConfigId::new(self.facts.launch_configs.len() - 1);
        self.work.push(DrawnWork { kind, name, span: span(time), process, correlation, gpu, config });
        self
    }

    /// An API call and the kernel that it launches, with a correlation id of their own.
    pub(crate) fn launch(&mut self, call: Range<Ns>, name: &str, kernel: Range<Ns>) -> &mut Self {
        let correlation = 1000 + CorrelationId::try_from(self.api_calls.len()).expect("few calls");
        let origin = (self.current_process(), correlation);
        self.api_call("cudaLaunchKernel", call, correlation).work(WorkKind::Kernel, name, kernel, origin)
    }

    /// An API call and the CUDA graph that it launches, recorded as one piece. Kernels are drawn before graphs.
    pub(crate) fn graph(&mut self, call: Range<Ns>, graph: Range<Ns>) -> &mut Self {
        self.about().whole_graphs += 1;
        self.launch(call, "CUDA graph 4", graph)
    }

    /// An API call and the copy to the GPU that it makes, with a correlation id of their own. All copies of a drawing have one
    /// size.
    pub(crate) fn copy(&mut self, call: Range<Ns>, bytes: u64, copy: Range<Ns>) -> &mut Self {
        self.copied_bytes = Some(bytes);
        let correlation = 1000 + CorrelationId::try_from(self.api_calls.len()).expect("few calls");
        let origin = (self.current_process(), correlation);
        self.api_call("cudaMemcpyAsync", call, correlation).work(WorkKind::Copy, "HtoD", copy, origin)
    }

    /// All copies of the drawing, migrations too, have so many bytes.
    pub(crate) fn copied_bytes(&mut self, bytes: u64) -> &mut Self {
        self.copied_bytes = Some(bytes);
        self
    }

    /// All copies of the drawing are from pageable memory.
    pub(crate) fn pageable_copies(&mut self) -> &mut Self {
        self.from_pageable = true;
        self
    }

    /// Draws work on a GPU from now on, which is the next one or an earlier one.
    pub(crate) fn on_gpu(&mut self, gpu: usize) -> &mut Self {
        if gpu == self.facts.devices.len() {
            self.unused_gpu();
            let (process, device) = (Maybe::NONE, DeviceId::new(gpu));
            self.about().streams.push(Stream { process, device, context: 0, number: 0 });
        }
        self.gpu = gpu;
        self
    }

    /// Another GPU of the machine, on which nothing runs.
    pub(crate) fn unused_gpu(&mut self) -> &mut Self {
        let device_id = i64::try_from(self.facts.devices.len()).expect("few GPUs");
        self.about().devices.push(Device { device_id, ..Device::default() });
        self
    }

    /// The GPU has so many multiprocessors, and blocks say what they need.
    pub(crate) fn multiprocessors(&mut self, count: i64) -> &mut Self {
        self.about().devices[0].sm_count = Some(count);
        let config = &mut self.about().launch_configs[0];
        config.registers = Some(32);
        config.static_shared_bytes = Some(0);
        self.ampere()
    }

    /// Kernels from now on have so many blocks of so many threads, and need what the last ones needed.
    pub(crate) fn grid(&mut self, blocks: i64, threads: i64) -> &mut Self {
        let configs = &mut self.about().launch_configs;
        let last = configs.last().copied().expect("the first");
        configs.push(LaunchConfig { grid: [blocks, 1, 1], block: [threads, 1, 1], ..last });
        self
    }

    /// The GPU has Tensor Cores that compute in TF32.
    pub(crate) fn a100(&mut self) -> &mut Self {
        self.about().devices[0].name = Some("NVIDIA A100-SXM4-40GB".to_owned());
        self.ampere()
    }

    /// GPUs have Tensor Cores that take TF32.
    pub(crate) fn ampere(&mut self) -> &mut Self {
        self.about().devices[0].compute_capability = Some((8, 0));
        self
    }

    /// The program printed a warning about TF32.
    pub(crate) fn printed_about_tf32(&mut self, warning: &str) -> &mut Self {
        self.about().notes.tf32_warning = Some(warning.to_owned());
        self
    }

    /// The program printed an error at its end.
    pub(crate) fn printed_at_its_end(&mut self, line: &str) -> &mut Self {
        self.about().diagnostics.count(DiagnosticCode::ProgramFailed, || line.to_owned());
        self
    }

    /// How long the trace is, as nsys says.
    pub(crate) fn traced(&mut self, ns: Option<Ns>) -> &mut Self {
        self.about().notes.traced_ns = ns;
        self
    }

    /// How many events of NVTX nsys collected and the export lacks.
    pub(crate) fn ranges_left_out(&mut self, events: u64) -> &mut Self {
        self.about().notes.ranges_left_out = Some(events);
        self
    }

    /// Whether the profiler was asked to record ranges.
    pub(crate) fn nvtx_traced(&mut self, traced: Option<bool>) -> &mut Self {
        self.about().notes.nvtx_traced = traced;
        self
    }

    /// The profiler recorded more kinds of things than usual.
    pub(crate) fn also_traced(&mut self, kinds: &[&str]) -> &mut Self {
        self.about().notes.also_traced = kinds.iter().map(|&kind| kind.to_owned()).collect();
        self
    }

    /// GPU work without an API call.
    pub(crate) fn loose(&mut self, kind: WorkKind, name: &str, time: Range<Ns>) -> &mut Self {
        let origin = (self.current_process(), NO_CORRELATION);
        self.work(kind, name, time, origin)
    }

    /// The facts.
    pub(crate) fn facts(mut self) -> Facts {
        self.work.sort_by_key(|work| work.kind);
        self.facts.recorded.host.mpi = MpiCallFacts {
            span: self.mpi_calls.iter().map(|call| call.0).collect(),
            thread: self.mpi_calls.iter().map(|call| call.1.into()).collect(),
            name: self.mpi_calls.iter().map(|call| call.2).collect(),
        };
        self.facts.recorded.host.os_calls = (!self.os_calls.is_empty()).then(|| OsCallFacts {
            span: self.os_calls.iter().map(|call| call.0).collect(),
            thread: self.os_calls.iter().map(|call| call.1.into()).collect(),
            name: self.os_calls.iter().map(|call| call.2).collect(),
            nesting: self.os_calls.iter().map(|_| 0).collect(),
        });
        let host = &mut self.facts.recorded.host;
        host.overheads.span = self.overheads.iter().map(|overhead| overhead.0).collect();
        host.overheads.thread = self.overheads.iter().map(|overhead| overhead.1.into()).collect();
        host.overheads.name = self.overheads.iter().map(|_| StrId::NONE).collect();
        host.overheads.kind = self.overheads.iter().map(|overhead| overhead.2).collect();
        host.switches.time = self.switches.iter().map(|switch| switch.0).collect();
        host.switches.thread = self.switches.iter().map(|switch| switch.1.into()).collect();
        host.switches.switched_in = self.switches.iter().map(|switch| switch.2).collect();
        host.samples.time = self.samples.iter().map(|sample| sample.0).collect();
        host.samples.thread = self.samples.iter().map(|sample| sample.1.into()).collect();
        host.stack_frames.symbol = self.samples.iter().map(|sample| sample.2[0]).collect();
        host.stack_frames.module = self.samples.iter().map(|sample| sample.2[1]).collect();
        host.stack_offsets.offset = (0..).take(self.samples.len() + 1).collect();
        host.python.span = self.frames.iter().map(|frame| frame.0).collect();
        host.python.thread = self.frames.iter().map(|frame| frame.1.into()).collect();
        host.python.name = self.frames.iter().map(|frame| frame.2).collect();
        let of_kind = |kind| self.work.iter().filter(move |work: &&DrawnWork| work.kind == kind);
        let kernels = || of_kind(WorkKind::Kernel);
        let Facts { recorded: facts, keys, strings: names, .. } = &mut self.facts;
        facts.api_calls.span = self.api_calls.iter().map(|call| call.0).collect();
        facts.api_calls.thread = self.api_calls.iter().map(|call| call.1.into()).collect();
        keys.api_calls = self.api_calls.iter().map(|call| call.2).collect();
        facts.api_calls.name = self.api_calls.iter().map(|call| call.3).collect();
        facts.work.span = self.work.iter().map(|work| work.span).collect();
        facts.work.device = self.work.iter().map(|work| DeviceId::new(work.gpu)).collect();
        facts.work.process = self.work.iter().map(|work| work.process).collect();
        facts.work.stream = self.work.iter().map(|work| StreamId::new(work.gpu)).collect();
        facts.work.correlation = self.work.iter().map(|work| work.correlation).collect();
        facts.kernels.short_name = kernels().map(|work| work.name).collect();
        facts.kernels.long_name = kernels().map(|work| work.name).collect();
        let graphs_from = kernels().count() - facts.about.whole_graphs;
        let origin = |at| if at < graphs_from { GraphOrigin::None } else { GraphOrigin::WholeGraph };
        facts.kernels.graph = (0..kernels().count()).map(origin).collect();
        facts.kernels.config = kernels().map(|work| work.config).collect();
        let kind = |work: &DrawnWork| match names.get(work.name) {
            "DtoH" => 2,
            "UM_HtoD" => 11,
            "UM_DtoH" => 12,
            _ => 1,
        };
        facts.copies.kind = of_kind(WorkKind::Copy).map(kind).collect();
        if self.from_pageable {
            let is_back = |work: &DrawnWork| kind(work) == 2;
            let host_or_gpu = |is_gpu: bool| if is_gpu { 2 } else { 0 };
            facts.copies.source_memory =
                of_kind(WorkKind::Copy).map(|work| host_or_gpu(is_back(work))).collect();
            facts.copies.target_memory =
                of_kind(WorkKind::Copy).map(|work| host_or_gpu(!is_back(work))).collect();
        }
        if let Some(bytes) = self.copied_bytes {
            facts.transfers.bytes = of_kind(WorkKind::Copy).map(|_| bytes).collect();
        }
        let list = |ranges: &Vec<(Span, RangeTextId, SequenceNumber)>| ThreadRangeFacts {
            span: ranges.iter().map(|range| range.0).collect(),
            text: ranges.iter().map(|range| range.1).collect(),
        };
        facts.ranges.by_thread = self.ranges.iter().map(list).collect();
        facts.ranges.texts = self.range_texts.iter().map(|(says, _)| *says).collect();
        if facts.about.recorder.is_torch_profiler() {
            keys.operators = self.range_texts.iter().map(|(_, keys)| *keys).collect();
        }
        let sequences = |ranges: &Vec<_>| ranges.iter().map(|&(_, _, sequence)| sequence).collect();
        keys.sequences = self.ranges.iter().map(sequences).collect();
        if !self.exchanges.is_empty() {
            let mut places: Vec<Vec<u32>> =
                self.ranges.iter().map(|ranges| vec![NO_EXCHANGE; ranges.len()]).collect();
            for (number, (thread, place, exchange)) in (0..).zip(self.exchanges) {
                places[thread.index()][place] = number;
                keys.exchanges.distinct.push(exchange);
            }
            keys.exchanges.by_thread =
                places.into_iter().map(|places| places.into_iter().collect()).collect();
        }
        self.facts
    }

    /// The capture, read in a mode.
    pub(crate) fn capture_in(self, mode: ModeChoice) -> Capture {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
        correlate(self.facts(), mode, LooseWork::default(), &[], Arc::new(pool)).into()
    }

    /// The capture, cut to a window in time.
    pub(crate) fn capture_cut(self, cut: &crate::read::time_cut::TimeCut) -> Capture {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
        let (facts, window) = self.facts().cut(cut).expect("a window");
        let mut contents = correlate(facts, ModeChoice::Auto, LooseWork::default(), &[], Arc::new(pool));
        contents.description.cut = window;
        contents.into()
    }

    /// The mangled name of kernels of a name.
    pub(crate) fn mangled(&mut self, name: &str, mangled: &str) -> &mut Self {
        let pair = [name, mangled].map(|text| self.facts.strings.intern(text)).into();
        self.about().mangled_names.push(pair);
        self
    }

    /// The capture beside a log of Nsight Compute.
    pub(crate) fn capture_counted(self, log: &str) -> Capture {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
        let mut contents =
            correlate(self.facts(), ModeChoice::Auto, LooseWork::default(), &[], Arc::new(pool));
        let log = crate::read::ncu::read_bytes(log.as_bytes()).expect("a log");
        contents.join_counters(vec![log], &NcuOptions::default());
        contents.into()
    }

    /// The capture.
    pub(crate) fn capture(self) -> Capture {
        self.capture_in(ModeChoice::Auto)
    }
}
