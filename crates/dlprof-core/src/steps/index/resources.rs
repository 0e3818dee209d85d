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
//! several GPUs the split is made once per GPU, with only that GPU's work; over which GPUs it is averaged, the profile
//! decides.

use crate::base::ids::DeviceId;
use crate::base::intervals::{ClassSweep, union_of};
use crate::base::time::{Ns, Span};
use crate::capture::CaptureContents;
use crate::capture::correlate::{Mode, TensorCores};
use crate::columns::{Buffer, cells_of_numbers, table};
use crate::read::facts::WorkKind;
use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;

/// Op type of the calls that wait for data.
pub(crate) const DATALOADER: &str = "DataLoader";

/// Nanoseconds by class, summed over GPUs. The classes add up to the length times the number of GPUs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
#[repr(C)]
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

cells_of_numbers! {
    Resources:
        "tc_kernel_ns" "non_tc_kernel_ns" "memory_ns" "dataloader_ns" "io_ns" "cpu_ns" "other_ns";
}

table! {
    /// The time of a GPU by class, a row per piece between cuts of the time line.
    "device_resources" DeviceResources built by DeviceResourcesBuilder, by () {
        /// The time of the piece by class.
        resources: Resources, "ns";
    }
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

    /// Name and time of each class, in the order in which they claim time.
    #[must_use]
    pub fn by_class(&self) -> [(&'static str, Ns); 7] {
        [
            ("TC kernels", self.tc_kernel_ns),
            ("Other kernels", self.non_tc_kernel_ns),
            ("Memory", self.memory_ns),
            ("Data loader", self.dataloader_ns),
            ("I/O", self.io_ns),
            ("CPU", self.cpu_ns),
            ("Other", self.other_ns),
        ]
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

/// The split of each GPU in each piece of the time line between neighbouring cuts. The cuts hold the boundaries of
/// iterations on every clock, so that any window between boundaries is a sum of pieces.
#[derive(Debug, Clone, Default)]
pub struct ResourceSplit {
    /// Where pieces begin, and the end of the last one; ascending.
    pub cuts: Vec<Ns>,
    /// By device of the capture: a row per piece; none of a GPU without work.
    pub by_device: Vec<DeviceResources>,
    /// A GPU without work, whether the capture names it or not: a row per piece; empty if there is none.
    pub idle: DeviceResources,
    /// GPUs of the machine; at least one, so that CPU work is split even without any.
    pub gpus: usize,
}

impl ResourceSplit {
    /// The time of a device in a window between two cuts.
    #[must_use]
    pub fn of_device(&self, device: DeviceId, window: Span) -> Resources {
        self.by_device.get(device.index()).map_or_else(Resources::default, |rows| {
            match rows.resources.is_empty() {
                true => self.sum(&self.idle, window),
                false => self.sum(rows, window),
            }
        })
    }

    /// The time of all GPUs of the machine in a window between two cuts, summed.
    #[must_use]
    pub fn of_all(&self, window: Span) -> Resources {
        let mut sum = Resources::default();
        let with_work = || self.by_device.iter().filter(|rows| !rows.resources.is_empty());
        with_work().for_each(|rows| sum.add(&self.sum(rows, window)));
        let idle = self.sum(&self.idle, window);
        for _ in with_work().count()..self.gpus {
            sum.add(&idle);
        }
        sum
    }

    fn sum(&self, rows: &DeviceResources, window: Span) -> Resources {
        let first = self.cuts.partition_point(|&cut| cut < window.start);
        let end = self.cuts.partition_point(|&cut| cut < window.end);
        let mut sum = Resources::default();
        for row in rows.resources.get(first..end.max(first)).unwrap_or_default() {
            sum.add(row);
        }
        sum
    }
}

/// Splits the time between cuts, piece by piece.
pub(crate) fn split(capture: &CaptureContents, cuts: Vec<Ns>) -> ResourceSplit {
    let (cpu, gpu) = rayon::join(|| CpuSpans::new(capture), || gpu_spans(capture));
    let gpus = capture.system.gpu_count.max(capture.devices.len()).max(1);
    let column = |gpu: &GpuSpans| DeviceResources { resources: split_device(gpu, &cpu, &cuts).into() };
    let of_device = |gpu: &GpuSpans| if gpu.has_work() { column(gpu) } else { DeviceResources::default() };
    let by_device: Vec<DeviceResources> = gpu.par_iter().map(of_device).collect();
    let has_idle = gpus > gpu.iter().filter(|gpu| gpu.has_work()).count();
    let idle = if has_idle { column(&GpuSpans::new(capture)) } else { DeviceResources::default() };
    ResourceSplit { cuts, by_device, idle, gpus }
}

/// When op calls were open.
struct CpuSpans {
    dataloader: Buffer<Span>,
    any: Buffer<Span>,
}

impl CpuSpans {
    /// In simple mode all that is known of the CPU is its API calls.
    fn new(capture: &CaptureContents) -> Self {
        let memory = &capture.memory;
        if capture.mode == Mode::Simple {
            let any = union_of(memory, capture.api_calls.span.iter().copied());
            return Self { dataloader: memory.buffer(0), any };
        }
        let calls = &capture.op_calls;
        let is_dataloader: Vec<bool> =
            capture.labels.iter().map(|label| label.op_type == DATALOADER).collect();
        let on_cpu = calls.ids().filter(|&call| !calls.thread[call].is_none());
        let dataloader = on_cpu.clone().filter(|&call| is_dataloader[calls.label[call].index()]);
        Self {
            dataloader: union_of(memory, dataloader.map(|call| calls.span[call])),
            any: union_of(memory, on_cpu.map(|call| calls.span[call])),
        }
    }
}

/// When work ran on a GPU, by class.
struct GpuSpans {
    tc: Buffer<Span>,
    non_tc: Buffer<Span>,
    memory: Buffer<Span>,
}

impl GpuSpans {
    fn new(capture: &CaptureContents) -> Self {
        let empty = || capture.memory.buffer(0);
        Self { tc: empty(), non_tc: empty(), memory: empty() }
    }

    fn has_work(&self) -> bool {
        !(self.tc.is_empty() && self.non_tc.is_empty() && self.memory.is_empty())
    }
}

fn gpu_spans(capture: &CaptureContents) -> Vec<GpuSpans> {
    let work = &capture.work;
    let mut devices: Vec<GpuSpans> = capture.devices.iter().map(|_| GpuSpans::new(capture)).collect();
    for id in capture.work_ids() {
        let device = &mut devices[work.device[id].index()];
        let class = match capture.work_kind(id) {
            WorkKind::Kernel if capture.kernels.tensor_cores[id] == TensorCores::Used => &mut device.tc,
            WorkKind::Kernel => &mut device.non_tc,
            WorkKind::Copy | WorkKind::Memset => &mut device.memory,
        };
        class.push(work.span[id]);
    }
    let merged = |device: GpuSpans| {
        let union = |spans: Buffer<Span>| union_of(&capture.memory, spans.iter().copied());
        GpuSpans { tc: union(device.tc), non_tc: union(device.non_tc), memory: union(device.memory) }
    };
    devices.into_iter().map(merged).collect()
}

/// The time of a GPU in each window between neighbouring boundaries, which ascend.
fn split_device(gpu: &GpuSpans, cpu: &CpuSpans, boundaries: &[Ns]) -> Vec<Resources> {
    let mut sweep = ClassSweep::new([&gpu.tc, &gpu.non_tc, &gpu.memory, &cpu.dataloader, &cpu.any]);
    let split = |window: &[Ns]| {
        let mut lengths = [0; 5];
        sweep.walk(Span::new(window[0], window[1]), |piece, class, _| lengths[class] += piece.length());
        let [tc_kernel_ns, non_tc_kernel_ns, memory_ns, dataloader_ns, cpu_ns] = lengths;
        let mut resources = Resources {
            tc_kernel_ns,
            non_tc_kernel_ns,
            memory_ns,
            dataloader_ns,
            io_ns: 0,
            cpu_ns,
            other_ns: 0,
        };
        resources.other_ns = window[1] - window[0] - resources.total();
        resources
    };
    boundaries.windows(2).map(split).collect()
}
