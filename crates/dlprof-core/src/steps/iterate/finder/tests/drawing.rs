//! Captures drawn in code: threads that open ranges and launch kernels, and a GPU per process that runs them in order.

use super::super::{Confidence, DelimiterKind, FoundIterations};
use super::columns::Columns;
use crate::base::ids::{Maybe, ProcessId, ThreadId};
use crate::base::time::{Ns, Span};

/// A capture in the making. Times are in microseconds; what is drawn goes on where the thread stands.
pub(super) struct Drawing {
    columns: Columns,
    thread: usize,
    /// By thread: its time.
    now: Vec<Ns>,
    /// By process: when its GPU is free.
    gpu_free: Vec<Ns>,
    graphs: Vec<Launch>,
    /// A number that looks random.
    random: u64,
}

/// A launch of a whole graph, which goes after all kernels.
struct Launch {
    span: Span,
    thread: usize,
    call: crate::base::ids::ApiCallId,
    name: String,
}

const US: Ns = 1_000;

impl Drawing {
    /// A capture with one process and one thread.
    pub(super) fn new() -> Self {
        let mut drawing = Self {
            columns: Columns::default(),
            thread: 0,
            now: Vec::new(),
            gpu_free: Vec::new(),
            graphs: Vec::new(),
            random: 1,
        };
        drawing.new_thread(0);
        drawing
    }

    /// Goes on with a new thread of a process, at the time where the current thread stands.
    pub(super) fn new_thread(&mut self, process: usize) -> usize {
        let now = self.now.get(self.thread).copied().unwrap_or(US);
        self.columns.process_of_thread.push(ProcessId::new(process));
        self.now.push(now);
        if self.gpu_free.len() <= process {
            self.gpu_free.resize(process + 1, 0);
        }
        self.thread = self.now.len() - 1;
        self.thread
    }

    /// Goes on with a thread, no earlier than where the current thread stands.
    pub(super) fn on(&mut self, thread: usize) -> &mut Self {
        self.now[thread] = self.now[thread].max(self.now[self.thread]);
        self.thread = thread;
        self
    }

    /// Where the thread stands.
    pub(super) fn now(&self) -> Ns {
        self.now[self.thread]
    }

    /// Goes on at time 0 with a thread.
    pub(super) fn at_start_on(&mut self, thread: usize) -> &mut Self {
        self.thread = thread;
        self.now[thread] = US;
        self
    }

    fn process(&self) -> usize {
        self.columns.process_of_thread[self.thread].index()
    }

    pub(super) fn wait(&mut self, us: Ns) -> &mut Self {
        self.now[self.thread] += us * US;
        self
    }

    /// A number from 0 to below `end` that looks random, the same in each run.
    pub(super) fn random(&mut self, end: usize) -> usize {
        self.random =
            self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.random >> 33).expect("31 bits") % end
    }

    /// A range around what `body` draws.
    pub(super) fn range(&mut self, text: &str, body: impl FnOnce(&mut Self)) -> &mut Self {
        let thread = self.thread;
        let start = self.now[thread];
        self.now[thread] += 1;
        body(self);
        self.now[thread] += 1;
        self.columns.range(thread, Span::new(start, self.now[thread]), text, true);
        self
    }

    fn call(&mut self, name: &str, ns: Ns) -> crate::base::ids::ApiCallId {
        let start = self.now[self.thread];
        self.now[self.thread] = start + ns;
        self.columns.call(ThreadId::new(self.thread), Span::new(start, start + ns), name)
    }

    fn on_gpu(&mut self, us: Ns) -> Span {
        let process = self.process();
        let start = self.gpu_free[process].max(self.now[self.thread] + US);
        self.gpu_free[process] = start + us * US;
        Span::new(start, start + us * US)
    }

    /// Launches a kernel.
    pub(super) fn kernel(&mut self, name: &str, us: Ns) -> &mut Self {
        self.kernel_named(name, name, us)
    }

    /// Launches a kernel with an exact and a short name.
    pub(super) fn kernel_named(&mut self, long_name: &str, short_name: &str, us: Ns) -> &mut Self {
        let call = self.call("cudaLaunchKernel_v7000", 2 * US);
        self.add_kernel(call, long_name, short_name, us);
        self
    }

    fn add_kernel(&mut self, call: crate::base::ids::ApiCallId, long_name: &str, short_name: &str, us: Ns) {
        let process = self.process();
        let span = self.on_gpu(us);
        self.columns.kernels.push(span, ProcessId::new(process), call.into());
        let stream = u32::try_from(process).expect("few processes");
        self.columns.kernel(stream, long_name, short_name);
    }

    /// Launches `count` kernels named after their places.
    pub(super) fn kernels(&mut self, name: &str, count: usize, us: Ns) -> &mut Self {
        for at in 0..count {
            self.kernel(&format!("{name}{at}_kernel"), us);
        }
        self
    }

    /// Launches a graph whose kernels are recorded.
    pub(super) fn graph_by_node(&mut self, name: &str, count: usize, us: Ns) -> &mut Self {
        let call = self.call("cudaGraphLaunch_v10000", 5 * US);
        for at in 0..count {
            let name = format!("{name}{at}_kernel");
            self.add_kernel(call, &name, &name, us);
        }
        self
    }

    /// Launches a graph that is recorded as a whole.
    pub(super) fn graph(&mut self, us: Ns) -> &mut Self {
        let call = self.call("cudaGraphLaunch_v10000", 5 * US);
        let span = self.on_gpu(us);
        self.graphs.push(Launch { span, thread: self.thread, call, name: "CUDA graph 7".into() });
        self
    }

    fn copy(&mut self, kind: u8, us: Ns) -> &mut Self {
        let call = self.call("cudaMemcpyAsync_v3020", 2 * US);
        let span = self.on_gpu(us);
        self.columns.copies.push(span, ProcessId::new(self.process()), call.into());
        self.columns.copy_kind.push(kind);
        self
    }

    /// Unified memory migrates to the GPU.
    pub(super) fn migration(&mut self, us: Ns) -> &mut Self {
        let span = self.on_gpu(us);
        self.columns.copies.push(span, ProcessId::new(self.process()), Maybe::NONE);
        self.columns.copy_kind.push(11);
        self
    }

    /// Copies from the host.
    pub(super) fn copy_in(&mut self, us: Ns) -> &mut Self {
        self.copy(1, us)
    }

    /// Copies to the host and waits for that, as `loss.item()` does.
    pub(super) fn copy_out(&mut self, us: Ns) -> &mut Self {
        self.copy(2, us).settle()
    }

    /// Waits for the GPU, by a function of CUDA.
    pub(super) fn sync(&mut self, function: &str) {
        self.call(function, US);
        self.settle();
    }

    /// Lets the thread stand where the GPU is free.
    pub(super) fn settle(&mut self) -> &mut Self {
        self.now[self.thread] = self.now[self.thread].max(self.gpu_free[self.process()]);
        self
    }

    /// What the finder finds.
    pub(super) fn find(mut self) -> FoundIterations {
        self.columns.whole_graphs = self.graphs.len();
        for Launch { span, thread, call, name } in std::mem::take(&mut self.graphs) {
            let process = self.columns.process_of_thread[thread];
            self.columns.kernels.push(span, process, call.into());
            self.columns.kernel(u32::try_from(process.index()).expect("few"), &name, &name);
        }
        self.columns.find()
    }
}

/// What was found, in short: iterations of each process, name (of a range) or kernels (of a period), confidence.
pub(super) fn in_short(found: &FoundIterations) -> (Vec<usize>, String, Option<Confidence>) {
    let Some(delimiter) = &found.delimiter else { return (Vec::new(), "none".into(), None) };
    let counts = delimiter.by_process.iter().map(|process| process.iterations.len()).collect();
    let by = match delimiter.kind {
        DelimiterKind::Range => delimiter.name.clone(),
        DelimiterKind::Period { kernels } => format!("{kernels} kernels"),
    };
    (counts, by, Some(delimiter.confidence))
}

/// Ends a line of drawing where nothing is to be returned.
pub(super) fn done(_: &mut Drawing) {}
