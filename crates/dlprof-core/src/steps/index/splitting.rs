//! Splits the time between cuts by class, GPU by GPU.

use super::resources::{DeviceResources, ResourceSplit, Resources, sums_before};
use crate::base::Error;
use crate::base::groups::Grouped;
use crate::base::ids::WorkId;
use crate::base::intervals::{ClassSweep, union_of};
use crate::base::limits::GPU_ROWS;
use crate::base::reach::Reaches;
use crate::base::time::{Ns, Span};
use crate::capture::CaptureContents;
use crate::capture::correlate::{Mode, TensorCores};
use crate::columns::{Buffer, Memory};
use crate::read::facts::WorkKind;
use crate::steps::iterate::Iterations;
use rayon::prelude::*;
use std::ops::Range;

/// Op type of the calls that wait for data.
pub(crate) const DATALOADER: &str = "DataLoader";

/// Refuses iterations in nearly all of which nearly all GPUs do nothing between their work: figures have a row for each GPU in
/// each iteration from its first work to its last.
pub(super) fn check_rows(capture: &CaptureContents, iterations: &Iterations) -> Result<(), Error> {
    let (work, all) = (capture.work.span.len(), capture.devices.len() * iterations.total() as usize);
    if all <= GPU_ROWS.most_for(work) {
        return Ok(());
    }
    let rows = reaches(capture, &iterations.boundaries).total();
    let refused = |too_much| Error::TooMuch { path: capture.source.path.clone(), too_much };
    GPU_ROWS.check(rows, work, usize::MAX).map_err(refused)
}

/// Which pieces between cuts the work of each GPU reaches.
fn reaches(capture: &CaptureContents, cuts: &[Ns]) -> Reaches {
    let pieces: Vec<Span> = cuts.windows(2).map(|cuts| Span::new(cuts[0], cuts[1])).collect();
    let work = capture.work.device.iter().copied().zip(capture.work.span.iter().copied());
    Reaches::of_work(capture.devices.len(), &pieces, work)
}

/// Splits the time between cuts, piece by piece.
pub(super) fn split(capture: &CaptureContents, cuts: Vec<Ns>) -> ResourceSplit {
    let memory = &capture.memory;
    let (cpu, work) = rayon::join(|| CpuSpans::new(capture), || WorkByClass::new(capture));
    let gpus = capture.system.gpu_count.max(capture.devices.len()).max(1);
    let reaches = reaches(capture, &cuts);
    let of_device = |device: usize| -> Vec<Resources> {
        split_device(&work.of_device(capture, device), &cpu, &cuts, reaches.windows(device)).collect()
    };
    let rows: Vec<Vec<Resources>> = (0..capture.devices.len()).into_par_iter().map(of_device).collect();
    let rows = DeviceResources { resources: memory.collect(rows.into_iter().flatten()).into_column() };
    let none = GpuSpans::none(memory);
    let idle = sums_before(split_device(&none, &cpu, &cuts, 0..cuts.len().saturating_sub(1)));
    let idle = DeviceResources { resources: memory.collect(idle).into_column() };
    ResourceSplit::new(memory, (cuts, gpus), reaches, rows, idle).expect("rows are those of the pieces")
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
        if capture.description.mode == Mode::Simple {
            let any = union_of(memory, capture.api_calls.span.iter().copied());
            return Self { dataloader: memory.buffer(0), any };
        }
        let calls = &capture.op_calls;
        let is_dataloader: Vec<bool> =
            capture.description.labels.iter().map(|label| label.op_type == DATALOADER).collect();
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
    fn none(memory: &Memory) -> Self {
        Self { tc: memory.buffer(0), non_tc: memory.buffer(0), memory: memory.buffer(0) }
    }
}

/// The work of each GPU, by class.
struct WorkByClass {
    by_key: Grouped<WorkId>,
}

/// Classes of work: kernels that use Tensor Cores, other kernels, copies and memsets.
const CLASSES: usize = 3;

impl WorkByClass {
    fn new(capture: &CaptureContents) -> Self {
        let key = |id: WorkId| {
            let class = match capture.work_kind(id) {
                WorkKind::Kernel if capture.judged.tensor_cores[id] == TensorCores::Used => 0,
                WorkKind::Kernel => 1,
                WorkKind::Copy | WorkKind::Memset => 2,
            };
            Some(capture.work.device[id].index() * CLASSES + class)
        };
        let keys = capture.devices.len() * CLASSES;
        Self { by_key: Grouped::new(&capture.memory, keys, capture.work_ids(), key) }
    }

    fn of_device(&self, capture: &CaptureContents, device: usize) -> GpuSpans {
        let union = |class: usize| {
            let ids = self.by_key.get(device * CLASSES + class);
            union_of(&capture.memory, ids.iter().map(|&id| capture.work.span[id]))
        };
        GpuSpans { tc: union(0), non_tc: union(1), memory: union(2) }
    }
}

/// The time of a GPU in some pieces between neighbouring cuts, which ascend.
fn split_device<'a>(
    gpu: &'a GpuSpans,
    cpu: &'a CpuSpans,
    cuts: &'a [Ns],
    pieces: Range<usize>,
) -> impl Iterator<Item = Resources> + 'a {
    let start = cuts.get(pieces.start).copied().unwrap_or(Ns::MIN);
    let from = |spans: &'a [Span]| &spans[spans.partition_point(|span| span.end <= start)..];
    let mut sweep =
        ClassSweep::new([&gpu.tc, &gpu.non_tc, &gpu.memory, from(&cpu.dataloader), from(&cpu.any)]);
    pieces.map(move |piece| {
        let window = Span::new(cuts[piece], cuts[piece + 1]);
        let mut lengths = [0; 5];
        sweep.walk(window, |piece, class, _| lengths[class] += piece.length());
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
        resources.other_ns = window.length() - resources.total();
        resources
    })
}
