//! Columns that several tables have, declared once.

use super::table::{Column, Header, Unit};
use crate::base::ids::{OpId, WorkId};
use crate::base::time::Span;
use crate::capture::names::Precision;
use crate::figures::by_name::KernelName;
use crate::figures::profile::{
    IterationOpStats, IterationStats, KernelLaunch, KernelSummary, OpStats, OpTypeStats, Profile,
};
use crate::steps::index::{KernelSums, OpTimes, ProcessIterationStats, Resources};

/// A row about an op.
pub(super) trait OfOp: 'static {
    fn op(&self, profile: &Profile) -> OpId;
}

impl OfOp for OpStats {
    fn op(&self, _: &Profile) -> OpId {
        self.op
    }
}

impl OfOp for IterationOpStats {
    fn op(&self, _: &Profile) -> OpId {
        self.op
    }
}

impl OfOp for KernelSummary {
    fn op(&self, _: &Profile) -> OpId {
        self.op
    }
}

impl OfOp for KernelLaunch {
    fn op(&self, profile: &Profile) -> OpId {
        profile.index.calls.op[self.call]
    }
}

/// A row about a kernel, or about kernels of one name.
pub(super) trait OfKernel: 'static {
    fn kernel(&self) -> WorkId;

    /// The data type of the inputs of the op that launched it; none of launches by several ops.
    fn input_type<'a>(&self, _: &'a Profile) -> Option<&'a str> {
        None
    }
}

impl OfKernel for KernelName {
    fn kernel(&self) -> WorkId {
        self.example
    }
}

impl OfKernel for KernelLaunch {
    fn kernel(&self) -> WorkId {
        self.kernel
    }

    fn input_type<'a>(&self, profile: &'a Profile) -> Option<&'a str> {
        Some(&profile.label(self.op(profile)).data_type)
    }
}

/// What the name of a kernel says beside what it computes.
pub(super) fn of_kernel_name<R: OfKernel>() -> [Column<R>; 3] {
    [
        Column::text(
            "exchange",
            "Exchange",
            "How it exchanges data between GPUs, as its name says, or the collective that launches it: `allreduce`, `allgather`, \
             `reducescatter`, `broadcast`, `alltoall-dispatch`, `alltoall-combine`, `sendrecv`, `barrier-notify`, `pack-unpack`, `exchange` where the name does not \
             tell how, `no`, or `unknown`.",
            |p: &Profile, row: &R| p.judge_kernel(row.kernel()).exchange.as_str().into(),
        ),
        Column::text(
            "library",
            "Library",
            "The library that the kernel is of, as its name says, or `unknown`.",
            |p, row| p.judge_kernel(row.kernel()).library.unwrap_or("unknown").into(),
        ),
        Column::text(
            "precision",
            "Precision",
            "The number format of its operands, as its name says, or of a launch the inputs of its op: `f64`, `f32`, `tf32`, `f16`, \
             `bf16`, `fp8`, `fp4`, `int8`, `int4`, `mixed`, or `unknown`.",
            |p, row| {
                let judged = p.judge_kernel(row.kernel());
                let of_inputs = || Precision::of_inputs(row.input_type(p)?, judged.kind.is_matrix());
                judged.precision.or_else(of_inputs).map_or("unknown", Precision::as_str).into()
            },
        ),
    ]
}

pub(super) fn op_id<R: OfOp>() -> Column<R> {
    Column::text(
        "op_id",
        "Op ID",
        "Op type in upper case and a number; `…_BPROP` for the backward pass of an op.",
        |p, row| p.op_id(row.op(p)).into(),
    )
}

pub(super) fn op_name<R: OfOp>() -> Column<R> {
    Column::text("op_name", "Op Name", "Path of the op; its prefixes are the groups.", |p, row| {
        p.op_name(row.op(p)).into()
    })
}

/// Data type, shapes and source lines.
pub(super) fn origin<R: OfOp>() -> [Column<R>; 3] {
    [
        Column::text(
            "data_type",
            "Data Type",
            "Data type of the first tensor argument; empty if unknown.",
            |p, row| p.label(row.op(p)).data_type.as_str().into(),
        ),
        Column::text(
            "input_shapes",
            "Input Shapes",
            "Shapes of the input tensors of the first call.",
            |p, row| p.label(row.op(p)).shapes.inputs.as_str().into(),
        ),
        Column::text("stack_trace", "Stack Trace", "Source lines, outermost first.", |p, row| {
            p.label(row.op(p)).stack_trace.as_str().into()
        }),
    ]
}

pub(super) fn direction<R: OfOp>() -> Column<R> {
    Column::text(
        "direction",
        "Direction",
        "`fprop` or `bprop`; of a program's own ranges as the innermost range says whose name has the word `forward` or `backward`; empty where \
         unknown.",
        |p, row| p.direction(row.op(p)).as_str().into(),
    )
}

pub(super) fn op_type<R: OfOp>() -> Column<R> {
    Column::text("op_type", "Op Type", "What the op computes.", |p, row| {
        p.label(row.op(p)).op_type.as_str().into()
    })
}

/// Calls and use of Tensor Cores of an op.
pub(super) fn use_of_op() -> [Column<OpStats>; 3] {
    [
        Column::int("calls", "Calls", Unit::None, "Executions of the op.", |_, row| {
            row.times.cpu.count.into()
        }),
        Column::flag(
            "tc_eligible",
            "TC Eligible",
            "Whether the op could use Tensor Cores; of a program's own ranges only if one of its kernels does.",
            |_, row| row.tc_eligible.into(),
        ),
        Column::flag("using_tc", "Using TC", "Whether any of its kernels uses Tensor Cores.", |_, row| {
            row.uses_tc.into()
        }),
    ]
}

/// A row with kernels.
pub(super) trait WithKernels: 'static {
    fn kernels(&self) -> &KernelSums;
}

macro_rules! with_kernels {
    ($($row:ty)*) => {$(
        impl WithKernels for $row {
            fn kernels(&self) -> &KernelSums {
                &self.kernels
            }
        }
    )*};
}

with_kernels!(OpStats IterationOpStats IterationStats ProcessIterationStats);

/// Kernel launches and the sums of their durations.
pub(super) fn kernel_sums<R: WithKernels>() -> [Column<R>; 5] {
    let columns: [Column<R>; 5] = [
        Column::int("kernel_calls", "Total Kernels", Unit::None, "Kernel launches.", |_, row| {
            row.kernels().launches.into()
        }),
        Column::int(
            "tc_kernel_calls",
            "TC Kernels",
            Unit::None,
            "Launches of kernels that use Tensor Cores.",
            |_, row| row.kernels().tc_launches.into(),
        ),
        Column::int(
            "kernel_gpu_time_ns",
            "Kernel GPU Time",
            Unit::Nanoseconds,
            "Plain sum of kernel durations.",
            |_, row| row.kernels().gpu_ns.into(),
        ),
        Column::int(
            "tc_kernel_gpu_time_ns",
            "TC Kernel GPU Time",
            Unit::Nanoseconds,
            "Plain sum of durations of kernels that use Tensor Cores.",
            |_, row| row.kernels().tc_gpu_ns.into(),
        ),
        Column::int(
            "tc_unknown_gpu_time_ns",
            "TC Unknown GPU Time",
            Unit::Nanoseconds,
            "Plain sum of durations of kernels whose name does not tell whether they use Tensor Cores.",
            |_, row| row.kernels().tc_unknown_gpu_ns.into(),
        ),
    ];
    columns.map(Column::of_gpu)
}

/// The same of an iteration: of the kernels that its calls launched, while its other figures are of what runs in it.
pub(super) fn launched_kernel_sums<R: WithKernels>() -> [Column<R>; 5] {
    kernel_sums().map(|column| match column.header.key {
        "kernel_gpu_time_ns" => Column {
            header: Header {
                title: "Launched Kernel GPU Time",
                doc: "Plain sum of the durations of the kernels that its calls launched, whenever they run.",
                ..column.header
            },
            ..column
        },
        _ => column,
    })
}

/// A row with the four times, one sample per call.
pub(super) trait WithTimes: 'static {
    fn times(&self) -> &OpTimes;
}

impl WithTimes for OpStats {
    fn times(&self) -> &OpTimes {
        &self.times
    }
}

impl WithTimes for OpTypeStats {
    fn times(&self) -> &OpTimes {
        &self.times
    }
}

/// Keys, titles and meaning of total, average, smallest and largest.
struct Words {
    keys: [&'static str; 4],
    titles: [&'static str; 4],
    doc: &'static str,
}

/// Reads total, average, smallest and largest of a metric of a row.
macro_rules! metric_columns {
    ($words:expr, |$row:ident: $type:ty| $metric:expr) => {{
        let Words { keys, titles, doc } = $words;
        [
            Column::int(keys[0], titles[0], Unit::Nanoseconds, doc, |_, $row: &$type| $metric.sum.into()),
            Column::float(
                keys[1],
                titles[1],
                Unit::Nanoseconds,
                "Average of the samples of the total.",
                |_, $row: &$type| $metric.average().into(),
            ),
            Column::int(
                keys[2],
                titles[2],
                Unit::Nanoseconds,
                "Smallest sample of the total.",
                |_, $row: &$type| $metric.min.into(),
            ),
            Column::int(
                keys[3],
                titles[3],
                Unit::Nanoseconds,
                "Largest sample of the total.",
                |_, $row: &$type| $metric.max.into(),
            ),
        ]
    }};
}

const CPU: Words = Words {
    keys: ["cpu_time_ns", "avg_cpu_time_ns", "min_cpu_time_ns", "max_cpu_time_ns"],
    titles: ["CPU Time", "Avg. CPU Time", "Min CPU Time", "Max CPU Time"],
    doc: "CPU time of the calls, summed.",
};
const GPU: Words = Words {
    keys: ["gpu_time_ns", "avg_gpu_time_ns", "min_gpu_time_ns", "max_gpu_time_ns"],
    titles: ["GPU Time", "Avg. GPU Time", "Min GPU Time", "Max GPU Time"],
    doc: "Per call, time covered by its kernels, copies and memsets; summed over calls.",
};
const CPU_OVERHEAD: Words = Words {
    keys: ["cpu_overhead_ns", "avg_cpu_overhead_ns", "min_cpu_overhead_ns", "max_cpu_overhead_ns"],
    titles: ["CPU Overhead", "Avg. CPU Overhead", "Min CPU Overhead", "Max CPU Overhead"],
    doc: "Per call, CPU time outside CUDA API calls; summed over calls.",
};
const GPU_IDLE: Words = Words {
    keys: ["gpu_idle_ns", "avg_gpu_idle_ns", "min_gpu_idle_ns", "max_gpu_idle_ns"],
    titles: ["GPU Idle", "Avg. GPU Idle", "Min GPU Idle", "Max GPU Idle"],
    doc: "Per call, time between its first and its last GPU work without any; summed over calls.",
};
const LAUNCH_GPU: Words = Words { doc: "Durations of the launches on the GPU, summed.", ..GPU };
const LAUNCH_API: Words = Words {
    keys: ["api_time_ns", "avg_api_time_ns", "min_api_time_ns", "max_api_time_ns"],
    titles: ["API Time", "Avg. API Time", "Min API Time", "Max API Time"],
    doc: "Durations of the launching API calls, summed; one that launches several kernels counts once.",
};

/// Total, average, smallest and largest of the four times.
pub(super) fn times<R: WithTimes>() -> impl Iterator<Item = Column<R>> {
    let cpu = metric_columns!(CPU, |row: R| row.times().cpu);
    let gpu = metric_columns!(GPU, |row: R| row.times().gpu);
    let cpu_overhead = metric_columns!(CPU_OVERHEAD, |row: R| row.times().cpu_overhead);
    let gpu_idle = metric_columns!(GPU_IDLE, |row: R| row.times().gpu_idle);
    [cpu, gpu, cpu_overhead, gpu_idle].into_iter().flatten()
}

/// Durations of the launches of a kernel name, on the GPU and on the CPU.
pub(super) fn launch_times() -> impl Iterator<Item = Column<KernelSummary>> {
    let gpu = metric_columns!(LAUNCH_GPU, |row: KernelSummary| row.gpu);
    let api = metric_columns!(LAUNCH_API, |row: KernelSummary| row.api);
    [gpu, api].into_iter().flatten()
}

/// A row with a part of the time line.
pub(super) trait WithSpan: 'static {
    fn span(&self) -> Span;
}

impl WithSpan for IterationStats {
    fn span(&self) -> Span {
        self.span
    }
}

impl WithSpan for ProcessIterationStats {
    fn span(&self) -> Span {
        self.span
    }
}

/// Start and length.
pub(super) fn span<R: WithSpan>() -> [Column<R>; 2] {
    [
        Column::int(
            "start_ns",
            "Timestamp",
            Unit::Nanoseconds,
            "Start, from the start of the capture, on the clock in force.",
            |_, row| row.span().start.into(),
        ),
        Column::int(
            "duration_ns",
            "Duration",
            Unit::Nanoseconds,
            "Length on the clock in force.",
            |_, row| row.span().length().into(),
        ),
    ]
}

/// A row with time split into classes.
pub(super) trait WithResources: 'static {
    /// The split, averaged over GPUs where there are several.
    fn resources(&self, profile: &Profile) -> Resources;
}

/// Time by class; the classes add up to the length.
pub(super) fn resources<R: WithResources>() -> [Column<R>; 7] {
    macro_rules! class {
        ($field:ident, $key:literal, $title:literal, $doc:literal) => {
            class!($field, $key, $title, $doc, |_| true)
        };
        ($field:ident, $key:literal, $title:literal, $doc:literal, $is_known:expr) => {
            Column::int($key, $title, Unit::Nanoseconds, $doc, |p, row| {
                let is_known: fn(&Profile) -> bool = $is_known;
                is_known(p).then(|| row.resources(p).$field).into()
            })
        };
    }
    let columns: [Column<R>; 7] = [
        class!(
            tc_kernel_ns,
            "tc_kernel_ns",
            "TC Kernels Running",
            "Time with a kernel running that uses Tensor Cores."
        ),
        class!(
            non_tc_kernel_ns,
            "non_tc_kernel_ns",
            "Non-TC Kernels Running",
            "Time with only other kernels running."
        ),
        class!(memory_ns, "memory_ns", "Memory", "Time with only copies or memsets running."),
        class!(
            dataloader_ns,
            "dataloader_ns",
            "Dataloader",
            "Time without GPU work in the data loader; empty without ranges that tell.",
            |p| p.summary.knows_dataloader
        ),
        class!(
            io_ns,
            "io_ns",
            "I/O",
            "Time without GPU work in I/O; empty where the capture does not tell.",
            |p| p.summary.knows_io
        ),
        class!(cpu_ns, "cpu_ns", "CPU", "Time without GPU work in an op."),
        class!(other_ns, "other_ns", "Other", "The rest."),
    ];
    columns.map(Column::of_gpu)
}
