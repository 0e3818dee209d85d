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
use crate::intervals::union;
use crate::time::{Ns, Span};
use crate::trace::{Trace, WorkKind};
use rayon::prelude::*;

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
    let (cpu, gpu) = rayon::join(|| CpuSpans::new(trace, correlation), || gpu_spans(trace, correlation));
    let gpus = trace.system.gpu_count.max(trace.devices.len()).max(1);
    let by_device: Vec<Vec<Resources>> =
        gpu.par_iter().map(|gpu| split_device(gpu, &cpu, boundaries)).collect();
    let unused_gpus = gpus - by_device.len();
    let unused = (unused_gpus > 0).then(|| split_device(&GpuSpans::default(), &cpu, boundaries));
    let unused = unused.iter().flat_map(|unused| std::iter::repeat_n(unused, unused_gpus));
    let mut by_iteration = vec![Resources::default(); boundaries.len() - 1];
    for device in by_device.iter().chain(unused) {
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

/// The classes in order of rank, with the spans of each.
fn split_device(gpu: &GpuSpans, cpu: &CpuSpans, boundaries: &[Ns]) -> Vec<Resources> {
    let classes: [&[Span]; 5] = [&gpu.tc, &gpu.non_tc, &gpu.memory, &cpu.dataloader, &cpu.any];
    let lengths = first_class_lengths(classes, boundaries);
    let split = |(window, [tc, non_tc, memory, dataloader, any_call]): (&[Ns], [Ns; 5])| {
        let mut resources = Resources {
            tc_kernel_ns: tc,
            non_tc_kernel_ns: non_tc,
            memory_ns: memory,
            dataloader_ns: dataloader,
            io_ns: 0,
            cpu_ns: any_call,
            other_ns: 0,
        };
        resources.other_ns = window[1] - window[0] - resources.total();
        resources
    };
    boundaries.windows(2).zip(lengths).map(split).collect()
}

/// For each window between neighbouring `boundaries` (ascending), how long each class is the first one that applies.
/// The spans of a class are sorted and disjoint.
fn first_class_lengths<const N: usize>(classes: [&[Span]; N], boundaries: &[Ns]) -> Vec<[Ns; N]> {
    let mut next = [0; N];
    let mut lengths = Vec::with_capacity(boundaries.len());
    for window in boundaries.windows(2) {
        let mut sums = [0; N];
        let mut now = window[0];
        while now < window[1] {
            // The first class that applies now, and until when nothing changes for it.
            let mut until = window[1];
            let mut first = None;
            for (class, spans) in classes.iter().enumerate() {
                let at = &mut next[class];
                while spans.get(*at).is_some_and(|span| span.end <= now) {
                    *at += 1;
                }
                let Some(span) = spans.get(*at) else { continue };
                if span.start <= now {
                    until = until.min(span.end);
                    first = Some(class);
                    break;
                }
                until = until.min(span.start);
            }
            if let Some(class) = first {
                sums[class] += until - now;
            }
            now = until;
        }
        lengths.push(sums);
    }
    lengths
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn spans() -> impl Strategy<Value = Vec<Span>> {
        prop::collection::vec((-30i64..30, 0i64..9).prop_map(|(s, l)| Span::new(s, s + l)), 0..16)
            .prop_map(union)
    }

    proptest! {
        #[test]
        fn every_nanosecond_is_in_the_first_class_that_applies(
            a in spans(), b in spans(), c in spans(), mut cuts in prop::collection::vec(-40i64..40, 2..6),
        ) {
            cuts.sort_unstable();
            let has = |spans: &[Span], t: Ns| spans.iter().any(|span| span.start <= t && t < span.end);
            let lengths = first_class_lengths([&a, &b, &c], &cuts);
            for (window, lengths) in cuts.windows(2).zip(lengths) {
                let mut expected = [0; 3];
                for t in window[0]..window[1] {
                    if let Some(first) = [&a, &b, &c].iter().position(|spans| has(spans, t)) {
                        expected[first] += 1;
                    }
                }
                prop_assert_eq!(lengths, expected);
            }
        }
    }
}
