//! Table `summary`: the figures of the dashboard, in one row.

use super::declaration::{Declaration, RowTable};
use super::layout::Layout;
use super::table::{Column, Unit};
use crate::base::ratios::percent;
use crate::figures::profile::Profile;

/// Columns of table `summary`.
static COLUMNS: &[Column<SummaryRow>] = &[
    Column::int(
        "wall_clock_ns",
        "Wall Clock Time",
        Unit::Nanoseconds,
        "From the start of the first to the end of the last aggregated iteration, on the clock in force; without iterations the \
         GPU span.",
        |p, _| p.summary.wall_clock_ns.into(),
    ),
    Column::int(
        "covered_start_ns",
        "First Event",
        Unit::Nanoseconds,
        "First start of an op call or GPU work in the aggregated iterations.",
        |p, _| p.summary.covered.start.into(),
    ),
    Column::int(
        "covered_ns",
        "Covered Time",
        Unit::Nanoseconds,
        "From the first start to the last end of op calls and GPU work.",
        |p, _| p.summary.covered.length().into(),
    ),
    Column::float(
        "tc_utilization_percent",
        "Tensor Core Kernel Efficiency",
        Unit::Percent,
        "Share of kernels that use Tensor Cores in the kernel time of ops that are eligible or use them, in simple mode of all kernels; empty without such ops, and where no name of a kernel tells.",
        |p, _| p.summary.tc_utilization_percent.into(),
    ),
    Column::float(
        "gpu_utilization_percent",
        "GPU Utilization",
        Unit::Percent,
        "Share of the wall clock with a kernel running, averaged over the GPUs in use; empty without kernel records.",
        |p, _| p.summary.gpu_utilization_percent.into(),
    ),
    Column::float(
        "gpu_idle_percent",
        "GPU Idle",
        Unit::Percent,
        "Share of the wall clock without a kernel running, averaged over the GPUs in use; empty without kernel records.",
        |p, _| p.summary.gpu_utilization_percent.map(|busy| 100.0 - busy).into(),
    ),
    Column::int(
        "total_iterations",
        "Total Iterations",
        Unit::None,
        "Iterations of the capture, iteration 0 included, which is what comes before the first.",
        |p, _| p.iterations.count().into(),
    ),
    Column::int(
        "aggregated_iterations",
        "Profiled Iterations",
        Unit::None,
        "Iterations aggregated.",
        |p, _| p.iterations.aggregated().into(),
    ),
    Column::int("start_iteration", "Start Iteration", Unit::None, "First iteration aggregated.", |p, _| {
        p.iterations.start.into()
    }),
    Column::int(
        "stop_iteration",
        "Stop Iteration",
        Unit::None,
        "Last iteration aggregated, inclusive.",
        |p, _| p.iterations.stop.into(),
    ),
    Column::float(
        "avg_iteration_ns",
        "Average Iteration Time",
        Unit::Nanoseconds,
        "Average length of the aggregated iterations; one in state `unsplit` counts as the passes that it holds.",
        |p, _| p.summary.average_iteration_ns.into(),
    ),
    Column::float(
        "iteration_deviation_ns",
        "Iteration Time Standard Deviation",
        Unit::Nanoseconds,
        "Standard deviation of the aggregated iterations (n - 1), without those in state `unsplit`, of whose passes only the sum is known; empty for fewer than two.",
        |p, _| p.summary.iteration_deviation_ns.into(),
    ),
    Column::float(
        "items_per_s",
        "Items per Second",
        Unit::PerSecond,
        "Batch size times aggregated iterations, or passes that they hold, over the time that they take; empty without \
         `--batch-size` or iterations.",
        |p, _| p.summary.items_per_s.into(),
    ),
    Column::text(
        "clock",
        "Clock",
        "`cpu`: iterations begin when their calls do; `gpu`: when their GPU work does.",
        |p, _| p.summary.clock.as_str().into(),
    ),
    Column::int(
        "gpus_used",
        "GPUs Used",
        Unit::None,
        "GPUs with at least one kernel, copy or memset in the capture; shares are averages over them.",
        |p, _| (p.iterations.windows.used.len() as u64).into(),
    ),
    Column::text(
        "key_node",
        "Key Node",
        "The op whose executions delimit iterations; empty without one.",
        |p, _| p.iterations.key_node.as_ref().map(|key_node| key_node.name.as_str()).into(),
    ),
    Column::text("mode", "Mode", "How ranges were read.", |p, _| p.capture.description.mode.as_str().into()),
    Column::int(
        "tc_kernel_ns",
        "TC Kernels",
        Unit::Nanoseconds,
        "Time with a kernel running that uses Tensor Cores, averaged over GPUs.",
        |p, _| p.summary.resources.tc_kernel_ns.into(),
    ),
    Column::float(
        "tc_kernel_percent",
        "TC Kernels %",
        Unit::Percent,
        "Time with a kernel running that uses Tensor Cores, as a share of the wall clock.",
        |p, _| {
            percent(p.summary.resources_all_gpus.tc_kernel_ns, p.summary.resources_all_gpus.total()).into()
        },
    ),
    Column::int(
        "non_tc_kernel_ns",
        "Non-TC Kernels",
        Unit::Nanoseconds,
        "Time with another kernel running, averaged over GPUs.",
        |p, _| p.summary.resources.non_tc_kernel_ns.into(),
    ),
    Column::float(
        "non_tc_kernel_percent",
        "Non-TC Kernels %",
        Unit::Percent,
        "Time with another kernel running, as a share of the wall clock.",
        |p, _| {
            percent(p.summary.resources_all_gpus.non_tc_kernel_ns, p.summary.resources_all_gpus.total())
                .into()
        },
    ),
    Column::int(
        "memory_ns",
        "Memory",
        Unit::Nanoseconds,
        "Time with only copies or memsets running, averaged over GPUs.",
        |p, _| p.summary.resources.memory_ns.into(),
    ),
    Column::float(
        "memory_percent",
        "Memory %",
        Unit::Percent,
        "Time with only copies or memsets running, as a share of the wall clock.",
        |p, _| percent(p.summary.resources_all_gpus.memory_ns, p.summary.resources_all_gpus.total()).into(),
    ),
    Column::int(
        "dataloader_ns",
        "Dataloader",
        Unit::Nanoseconds,
        "Time without GPU work in the data loader, averaged over GPUs; empty without ranges that tell.",
        |p, _| p.summary.knows_dataloader.then_some(p.summary.resources.dataloader_ns).into(),
    ),
    Column::float(
        "dataloader_percent",
        "Dataloader %",
        Unit::Percent,
        "Time without GPU work in the data loader, as a share of the wall clock.",
        |p, _| {
            let all = &p.summary.resources_all_gpus;
            p.summary.knows_dataloader.then(|| percent(all.dataloader_ns, all.total())).into()
        },
    ),
    Column::int(
        "io_ns",
        "I/O",
        Unit::Nanoseconds,
        "Time in I/O, averaged over GPUs; empty where the capture does not tell.",
        |p, _| p.summary.knows_io.then_some(p.summary.resources.io_ns).into(),
    ),
    Column::float(
        "io_percent",
        "I/O %",
        Unit::Percent,
        "Time in I/O, as a share of the wall clock.",
        |p, _| {
            let all = &p.summary.resources_all_gpus;
            p.summary.knows_io.then(|| percent(all.io_ns, all.total())).into()
        },
    ),
    Column::int(
        "cpu_ns",
        "CPU",
        Unit::Nanoseconds,
        "Time without GPU work in an op, averaged over GPUs.",
        |p, _| p.summary.resources.cpu_ns.into(),
    ),
    Column::float(
        "cpu_percent",
        "CPU %",
        Unit::Percent,
        "Time without GPU work in an op, as a share of the wall clock.",
        |p, _| percent(p.summary.resources_all_gpus.cpu_ns, p.summary.resources_all_gpus.total()).into(),
    ),
    Column::int("other_ns", "Other", Unit::Nanoseconds, "The rest, averaged over GPUs.", |p, _| {
        p.summary.resources.other_ns.into()
    }),
    Column::float(
        "other_percent",
        "Other %",
        Unit::Percent,
        "The rest, as a share of the wall clock.",
        |p, _| percent(p.summary.resources_all_gpus.other_ns, p.summary.resources_all_gpus.total()).into(),
    ),
    Column::int(
        "all_ops_gpu_time_ns",
        "All ops GPU Time",
        Unit::Nanoseconds,
        "All ops: GPU time.",
        |p, _| p.categories.all.gpu_ns.into(),
    ),
    Column::int(
        "all_ops_cpu_time_ns",
        "All ops CPU Time",
        Unit::Nanoseconds,
        "All ops: CPU time.",
        |p, _| p.categories.all.cpu_ns.into(),
    ),
    Column::int("all_ops_count", "All ops", Unit::None, "All ops: number of ops.", |p, _| {
        p.categories.all.ops.into()
    }),
    Column::int(
        "tc_ops_gpu_time_ns",
        "Ops using TC GPU Time",
        Unit::Nanoseconds,
        "Ops using TC: GPU time.",
        |p, _| p.categories.using_tc.gpu_ns.into(),
    ),
    Column::int(
        "tc_ops_cpu_time_ns",
        "Ops using TC CPU Time",
        Unit::Nanoseconds,
        "Ops using TC: CPU time.",
        |p, _| p.categories.using_tc.cpu_ns.into(),
    ),
    Column::int("tc_ops_count", "Ops using TC", Unit::None, "Ops using TC: number of ops.", |p, _| {
        p.categories.using_tc.ops.into()
    }),
    Column::int(
        "eligible_ops_gpu_time_ns",
        "Ops eligible for TC but not using GPU Time",
        Unit::Nanoseconds,
        "Ops eligible for TC but not using: GPU time.",
        |p, _| p.categories.eligible.gpu_ns.into(),
    ),
    Column::int(
        "eligible_ops_cpu_time_ns",
        "Ops eligible for TC but not using CPU Time",
        Unit::Nanoseconds,
        "Ops eligible for TC but not using: CPU time.",
        |p, _| p.categories.eligible.cpu_ns.into(),
    ),
    Column::int(
        "eligible_ops_count",
        "Ops eligible for TC but not using",
        Unit::None,
        "Ops eligible for TC but not using: number of ops.",
        |p, _| p.categories.eligible.ops.into(),
    ),
    Column::int(
        "other_ops_gpu_time_ns",
        "All other ops GPU Time",
        Unit::Nanoseconds,
        "All other ops: GPU time.",
        |p, _| p.categories.other.gpu_ns.into(),
    ),
    Column::int(
        "other_ops_cpu_time_ns",
        "All other ops CPU Time",
        Unit::Nanoseconds,
        "All other ops: CPU time.",
        |p, _| p.categories.other.cpu_ns.into(),
    ),
    Column::int("other_ops_count", "All other ops", Unit::None, "All other ops: number of ops.", |p, _| {
        p.categories.other.ops.into()
    }),
    Column::int("gpu_count", "GPU Count", Unit::None, "GPUs of the machine.", |p, _| {
        (p.capture.system.gpu_count as u64).into()
    }),
    Column::text("gpu_names", "GPU Name(s)", "Product names.", |p, _| {
        p.capture.system.gpu_names.join(", ").into()
    }),
    Column::text("cpu_model", "CPU Model", "Product name of the CPU.", |p, _| {
        p.capture.system.cpu_model.as_deref().into()
    }),
    Column::text("driver_version", "GPU Driver Version", "Version of the GPU driver.", |p, _| {
        p.capture.system.driver_version.as_deref().into()
    }),
    Column::text("framework", "Framework", "Framework and version, where DLProf recorded it.", |p, _| {
        p.capture.system.framework.as_deref().into()
    }),
    Column::text("cuda_version", "CUDA Version", "Version of CUDA.", |p, _| {
        p.capture.system.cuda_version.as_deref().into()
    }),
    Column::text("cudnn_version", "cuDNN Version", "Version of cuDNN.", |p, _| {
        p.capture.system.cudnn_version.as_deref().into()
    }),
    Column::text("nsys_version", "NSys Version", "Version of the nsys that made the export.", |p, _| {
        p.capture.system.nsys_version.as_deref().into()
    }),
];

/// Table `summary`.
pub static TABLE: Declaration<SummaryRow> = Declaration {
    key: "summary",
    title: "Summary",
    doc: "One row: the figures of the dashboard.",
    columns: || COLUMNS,
    layout: Layout {
        starts: &["covered_start_ns"],
        parts: &[
            ("tc_kernel_ns", "Using Tensor Cores"),
            ("non_tc_kernel_ns", "Not using Tensor Cores"),
            ("memory_ns", "Memory"),
            ("dataloader_ns", "Dataloader"),
            ("io_ns", "I/O"),
            ("cpu_ns", "CPU"),
            ("other_ns", "Other"),
        ],
        views: &[(
            "performance",
            &[
                "wall_clock_ns",
                "tc_utilization_percent",
                "gpu_utilization_percent",
                "gpu_idle_percent",
                "total_iterations",
                "aggregated_iterations",
                "start_iteration",
                "stop_iteration",
                "avg_iteration_ns",
                "iteration_deviation_ns",
            ],
        )],
        ..Layout::RECORD
    },
};

/// Table `summary` of a profile.
#[must_use]
pub(crate) fn build(profile: &Profile) -> RowTable<SummaryRow> {
    TABLE.with(profile, vec![SummaryRow])
}

/// The one row; all cells come from the profile.
#[derive(Debug, Clone, Copy)]
pub struct SummaryRow;
