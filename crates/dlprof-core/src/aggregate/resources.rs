//! Resource usage: every nanosecond of the wall clock in exactly one class.
//!
//! ```text
//! TC kernel   ──────├──┤─────────────────
//! kernel      ────├────┤──├────┤─────────      the first class that applies, from top to bottom
//! memory      ──────────────├─────┤──────
//! op calls    ─├──────────────┤──────────
//! class       ocKTTKccKKKKmm‥ooo               (o other, c CPU, K kernel, T TC kernel, m memory)
//! ```
//!
//! Order: TC kernel, other kernel, memory, data loader, I/O, CPU (any op call, loose ones included), other. With
//! several GPUs the split is made once per GPU, with only that GPU's work, and averaged over all GPUs of the
//! machine, used or not.

use crate::correlate::{Correlation, Mode, TensorCores};
use crate::intervals::{lengths_in_windows, subtract, union};
use crate::time::{Ns, Span};
use crate::trace::{Trace, WorkKind};

/// Op type of the calls that wait for data.
const DATALOADER: &str = "DataLoader";

/// Nanoseconds by class, summed over GPUs. The classes add up to the length times the number of GPUs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Resources {
    /// A kernel that uses Tensor Cores ran.
    pub tc_kernel_ns: Ns,
    /// Another kernel ran.
    pub non_tc_kernel_ns: Ns,
    /// A copy or a memset ran.
    pub memory_ns: Ns,
    /// The data loader ran.
    pub dataloader_ns: Ns,
    /// I/O. nsys does not record it by default; always 0 so far, as in DLProf.
    pub io_ns: Ns,
    /// An op call was open.
    pub cpu_ns: Ns,
    /// None of these.
    pub other_ns: Ns,
}

impl Resources {
    /// Adds another split.
    pub fn add(&mut self, other: &Self) {
        self.tc_kernel_ns += other.tc_kernel_ns;
        self.non_tc_kernel_ns += other.non_tc_kernel_ns;
        self.memory_ns += other.memory_ns;
        self.dataloader_ns += other.dataloader_ns;
        self.io_ns += other.io_ns;
        self.cpu_ns += other.cpu_ns;
        self.other_ns += other.other_ns;
    }

    /// All classes together.
    #[must_use]
    pub fn total(&self) -> Ns {
        self.gpu_ns() + self.dataloader_ns + self.io_ns + self.cpu_ns + self.other_ns
    }

    /// Kernels of both kinds.
    #[must_use]
    pub fn kernel_ns(&self) -> Ns {
        self.tc_kernel_ns + self.non_tc_kernel_ns
    }

    /// Kernels and memory.
    #[must_use]
    pub fn gpu_ns(&self) -> Ns {
        self.kernel_ns() + self.memory_ns
    }

    /// The average over `gpus`. What does not divide evenly goes to "other", so that the classes still add up.
    #[must_use]
    pub fn average(&self, gpus: usize) -> Self {
        let gpus = Ns::try_from(gpus.max(1)).unwrap_or(Ns::MAX);
        let mut average = Self {
            tc_kernel_ns: self.tc_kernel_ns / gpus,
            non_tc_kernel_ns: self.non_tc_kernel_ns / gpus,
            memory_ns: self.memory_ns / gpus,
            dataloader_ns: self.dataloader_ns / gpus,
            io_ns: self.io_ns / gpus,
            cpu_ns: self.cpu_ns / gpus,
            other_ns: 0,
        };
        average.other_ns = self.total() / gpus - average.total();
        average
    }
}

/// The split of each GPU in each iteration.
#[derive(Debug, Clone, Default)]
pub struct ResourceSplit {
    /// By device of the trace, then by iteration.
    pub by_device: Vec<Vec<Resources>>,
    /// By iteration: the sum over all GPUs of the machine.
    pub by_iteration: Vec<Resources>,
    /// GPUs of the machine; at least one, so that CPU work is split even without any.
    pub gpus: usize,
}

/// Splits the time between `boundaries`, iteration by iteration.
pub(super) fn split(trace: &Trace, correlation: &Correlation, boundaries: &[Ns]) -> ResourceSplit {
    let cpu = CpuSpans::new(trace, correlation);
    let gpus = trace.system.gpu_count.max(trace.devices.len()).max(1);
    let by_device: Vec<Vec<Resources>> =
        gpu_spans(trace, correlation).iter().map(|gpu| split_device(gpu, &cpu, boundaries)).collect();
    let unused = split_device(&GpuSpans::default(), &cpu, boundaries);
    let mut by_iteration = vec![Resources::default(); boundaries.len() - 1];
    for device in by_device.iter().chain(std::iter::repeat_n(&unused, gpus - by_device.len())) {
        for (sum, part) in by_iteration.iter_mut().zip(device) {
            sum.add(part);
        }
    }
    ResourceSplit { by_device, by_iteration, gpus }
}

/// When op calls were open.
struct CpuSpans {
    dataloader: Vec<Span>,
    any: Vec<Span>,
}

impl CpuSpans {
    /// In simple mode all that is known of the CPU is its API calls.
    fn new(trace: &Trace, correlation: &Correlation) -> Self {
        if correlation.mode == Mode::Simple {
            return Self { dataloader: Vec::new(), any: union(trace.api_calls.span.clone()) };
        }
        let calls = &correlation.calls;
        let is_dataloader: Vec<bool> =
            correlation.labels.iter().map(|label| label.op_type == DATALOADER).collect();
        let on_cpu = (0..calls.len()).filter(|&call| !calls.thread[call].is_none());
        let spans = |call: usize| calls.span[call];
        let dataloader = on_cpu.clone().filter(|&call| is_dataloader[calls.label[call].index()]);
        Self { dataloader: union(dataloader.map(spans).collect()), any: union(on_cpu.map(spans).collect()) }
    }
}

/// When work ran on a GPU, by class.
#[derive(Default)]
struct GpuSpans {
    tc: Vec<Span>,
    non_tc: Vec<Span>,
    memory: Vec<Span>,
}

fn gpu_spans(trace: &Trace, correlation: &Correlation) -> Vec<GpuSpans> {
    let work = &trace.gpu_work;
    let mut devices: Vec<GpuSpans> = trace.devices.iter().map(|_| GpuSpans::default()).collect();
    for id in work.ids() {
        let device = &mut devices[work.device[id.index()].index()];
        let class = match work.kind(id) {
            WorkKind::Kernel if correlation.kernel_tensor_cores[id.index()] == TensorCores::Used => {
                &mut device.tc
            }
            WorkKind::Kernel => &mut device.non_tc,
            WorkKind::Copy | WorkKind::Memset => &mut device.memory,
        };
        class.push(work.span[id.index()]);
    }
    let merged = |device: GpuSpans| GpuSpans {
        tc: union(device.tc),
        non_tc: union(device.non_tc),
        memory: union(device.memory),
    };
    devices.into_iter().map(merged).collect()
}

fn split_device(gpu: &GpuSpans, cpu: &CpuSpans, boundaries: &[Ns]) -> Vec<Resources> {
    let mut taken: Vec<Span> = Vec::new();
    let mut claim = |spans: &[Span]| {
        let claimed = subtract(spans, &taken);
        taken = union(taken.iter().chain(&claimed).copied().collect());
        lengths_in_windows(&claimed, boundaries)
    };
    let tc = claim(&gpu.tc);
    let non_tc = claim(&gpu.non_tc);
    let memory = claim(&gpu.memory);
    let dataloader = claim(&cpu.dataloader);
    let any_call = claim(&cpu.any);
    let split = |(at, window): (usize, &[Ns])| {
        let mut resources = Resources {
            tc_kernel_ns: tc[at],
            non_tc_kernel_ns: non_tc[at],
            memory_ns: memory[at],
            dataloader_ns: dataloader[at],
            io_ns: 0,
            cpu_ns: any_call[at],
            other_ns: 0,
        };
        resources.other_ns = window[1] - window[0] - resources.total();
        resources
    };
    boundaries.windows(2).enumerate().map(split).collect()
}
