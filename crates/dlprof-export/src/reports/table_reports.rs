//! The reports that are tables.

use super::Context;
use super::line::{Lines, metric_header, times_header};
use dlprof_core::{KernelLaunch, KernelSummary, OpId, OpStats, TensorCores, percent};
use std::io::{self, Write};

pub(super) fn detailed(context: &Context<'_>, out: &mut dyn Write) -> io::Result<()> {
    let profile = context.judged.profile();
    let header = format!(
        "Op ID,Op Name,Direction,Op Type,No. Calls,TC Eligible,Using TC,{},Data Type,Stack Trace",
        times_header()
    );
    let mut lines = Lines::new("All Iterations", &header, out)?;
    for op in &profile.op_stats {
        op_start(context, &mut lines, op.op);
        let label = profile.label(op.op);
        lines.plain(op.times.cpu.count).flag(op.tc_eligible).flag(op.uses_tc);
        lines.times(&op.times).plain(&label.data_type).quoted(&label.stack_trace).end()?;
    }
    Ok(())
}

/// Op ID, name, direction, type.
fn op_start(context: &Context<'_>, lines: &mut Lines<'_>, op: OpId) {
    let profile = context.judged.profile();
    let label = profile.label(op);
    lines.quoted(profile.op_id(op)).quoted(profile.op_name(op));
    lines.plain(label.direction.as_str()).quoted(&label.op_type);
}

pub(super) fn op_type(context: &Context<'_>, out: &mut dyn Write) -> io::Result<()> {
    let header = format!("Op Type,# Ops,# Calls,{}", times_header());
    let mut lines = Lines::new("Op Type Summary Report", &header, out)?;
    for row in &context.judged.op_types {
        lines.quoted(&row.op_type).plain(row.ops).plain(row.times.cpu.count).times(&row.times).end()?;
    }
    Ok(())
}

pub(super) fn group_op(context: &Context<'_>, out: &mut dyn Write) -> io::Result<()> {
    let header = format!("Name,Num Calls Aggregated,Num TC Eligible Ops,Num Ops Using TC,{}", times_header());
    let mut lines = Lines::new("Group Op Report", &header, out)?;
    for group in &context.judged.groups {
        lines.quoted(group.name(&context.judged.index)).plain(group.calls);
        lines.plain(group.tc_eligible_ops).plain(group.tc_ops);
        lines.times(&group.times).end()?;
    }
    Ok(())
}

/// Rows are sorted by op name, op ID and kernel name.
pub(super) fn kernel(context: &Context<'_>, out: &mut dyn Write) -> io::Result<()> {
    let profile = context.judged.profile();
    let header = format!(
        "Kernel Name,Op ID,Op Name,Direction,Uses TC,{},{}",
        metric_header("GPU Time", "Avg"),
        metric_header("API Time", "Avg")
    );
    let mut lines = Lines::new("Kernel Report", &header, out)?;
    let mut rows: Vec<&KernelSummary> = profile.kernel_summaries.iter().collect();
    rows.sort_by_key(|row| profile.op_name(row.op));
    for row in rows {
        lines.quoted(profile.capture.strings.get(row.name));
        lines.quoted(profile.op_id(row.op)).quoted(profile.op_name(row.op));
        lines.plain(profile.label(row.op).direction.as_str()).flag(row.tensor_cores == TensorCores::Used);
        lines.metric(&row.gpu).metric(&row.api).end()?;
    }
    Ok(())
}

pub(super) fn tensor_core(context: &Context<'_>, out: &mut dyn Write) -> io::Result<()> {
    let profile = context.judged.profile();
    let header = "Op ID,Op Name,Direction,Op Type,Uses TC,Total GPU Time (ns),TC GPU Time (ns),\
                  Non-TC GPU Time (ns),TC Utilization (%),Total Kernel Count,TC Kernel Count,TC Kernel Names,\
                  Non-TC Kernel Count,Non-TC Kernel Names";
    let mut lines = Lines::new("Tensor Core Report", header, out)?;
    for op in profile.op_stats.iter().filter(|op| op.tc_eligible || op.uses_tc) {
        op_start(context, &mut lines, op.op);
        let kernels = &op.kernels;
        lines.flag(op.uses_tc).plain(kernels.gpu_ns).plain(kernels.tc_gpu_ns);
        lines.plain(kernels.gpu_ns - kernels.tc_gpu_ns).decimal(percent(kernels.tc_gpu_ns, kernels.gpu_ns));
        let [tc, non_tc] = kernel_names(context, op);
        lines.plain(tc.len() + non_tc.len());
        lines.plain(tc.len()).quoted(&tc.join(", ")).plain(non_tc.len()).quoted(&non_tc.join(", ")).end()?;
    }
    Ok(())
}

/// Kernel names of an op in byte order: first those that use Tensor Cores, then the others.
fn kernel_names<'a>(context: &Context<'a>, op: &OpStats) -> [Vec<&'a str>; 2] {
    let profile = context.judged.profile();
    // Kernel summaries are in order of op and name.
    let from = profile.kernel_summaries.partition_point(|row| row.op < op.op);
    let rows = profile.kernel_summaries[from..].iter().take_while(|row| row.op == op.op);
    let (tc, non_tc): (Vec<&KernelSummary>, Vec<_>) =
        rows.partition(|row| row.tensor_cores == TensorCores::Used);
    [tc, non_tc].map(|rows| {
        rows.into_iter().map(|row: &KernelSummary| profile.capture.strings.get(row.name)).collect()
    })
}

pub(super) fn iteration(context: &Context<'_>, out: &mut dyn Write) -> io::Result<()> {
    let header = "Iteration,Op ID,Op Name,Direction,Op Type,Kernel Name,Device ID,GPU Start Time (ns),\
                  GPU Duration (ns),API Call Start (ns),API Call Time (ns),Uses TC,Grid X,Grid Y,Grid Z,\
                  Block X,Block Y,Block Z,Data Types,Input Shapes,Parameters,Output Shapes,Long Kernel Name";
    let mut lines = Lines::new("Iteration Report", header, out)?;
    for launch in context.judged.kernel_launches().iter() {
        write_launch(context, &mut lines, launch)?;
    }
    Ok(())
}

fn write_launch(context: &Context<'_>, lines: &mut Lines<'_>, launch: &KernelLaunch) -> io::Result<()> {
    let profile = context.judged.profile();
    let work = &profile.capture.work;
    let kernel = launch.kernel;
    let op = profile.index.calls.op[launch.call];
    let calls = &profile.capture.op_calls;
    let label = &profile.capture.description.labels[calls.label[launch.call].index()];
    lines.plain(launch.iteration);
    op_start(context, lines, op);
    lines.quoted(profile.capture.strings.get(profile.capture.kernels.short_name[kernel]));
    lines.plain(profile.capture.devices[work.device[kernel].index()].device_id);
    lines.plain(work.span[kernel].start).plain(work.span[kernel].length());
    let api = launch.api.some().map(|api| profile.capture.api_calls.span[api]);
    // DLProf never had a kernel without an API call. Such cells are 0, as DLProf writes for its synchronisations.
    let api = api.unwrap_or_default();
    lines.plain(api.start).plain(api.length());
    lines.flag(profile.capture.judged.tensor_cores[kernel] == TensorCores::Used);
    let config = profile.capture.launch_config(launch.kernel);
    for size in config.grid.into_iter().chain(config.block) {
        lines.plain(size);
    }
    lines.plain(&label.data_type).quoted(&label.shapes.inputs).quoted(&label.shapes.parameters);
    lines.quoted(&label.shapes.output).quoted(long_name(context, op, launch)).end()
}

/// DLProf gives all launches of a kernel name in an op the long name of the last launch.
fn long_name<'a>(context: &Context<'a>, op: OpId, launch: &KernelLaunch) -> &'a str {
    let profile = context.judged.profile();
    let strings = &profile.capture.strings;
    let name = strings.get(profile.capture.kernels.short_name[launch.kernel]);
    let summaries = &profile.kernel_summaries;
    let found = summaries.binary_search_by(|row| (row.op, strings.get(row.name)).cmp(&(op, name)));
    found.map_or("", |at| strings.get(summaries[at].long_name))
}

pub(super) fn expert_systems(context: &Context<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut lines = Lines::new("Expert Systems Feedback", "Problem,Recommendation", out)?;
    for finding in context.judged.findings() {
        lines.quoted(&finding.problem.to_string()).quoted(&finding.recommendation.to_string()).end()?;
    }
    Ok(())
}
