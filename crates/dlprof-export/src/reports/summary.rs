//! The summary report: blocks of key and value, divided by empty lines.

use super::Context;
use dlprof_core::aggregate::{CategoryTotal, KernelTotal, Profile};
use dlprof_core::ratios::percent;
use std::fmt::Display;

pub(super) fn write(context: &Context<'_>) -> String {
    let profile = context.profile;
    let blocks = [
        block("System Config", &system(context)),
        block("Summary Report", &figures(profile)),
        block("Iterations", &iterations(profile)),
        block("All Ops", &ops(profile)),
        block("All Kernels", &kernels(profile)),
    ];
    blocks.join("\n")
}

fn block(title: &str, lines: &[String]) -> String {
    format!("{title}\n{}\n", lines.join("\n"))
}

fn line(key: &str, value: impl Display) -> String {
    format!("{key},{value}")
}

fn system(context: &Context<'_>) -> Vec<String> {
    let system = &context.profile.trace.system;
    let known = |key: &str, value: Option<&str>| value.map(|value| line(key, value));
    [
        known("Profile Name", context.profile_name),
        Some(line("GPU Count", system.gpu_count)),
        Some(line("GPU Name(s)", system.gpu_names.join(", "))),
        Some(line("CPU Model", system.cpu_model.as_deref().unwrap_or(""))),
        Some(line("GPU Driver Version", system.driver_version.as_deref().unwrap_or(""))),
        // Without a value where it is unknown: DLProf's line order is what readers of this block rely on.
        Some(line("Framework", system.framework.as_deref().unwrap_or(""))),
        Some(line("CUDA Version", system.cuda_version.as_deref().unwrap_or(""))),
        known("cuDNN Version", system.cudnn_version.as_deref()),
        known("NSys Version", system.nsys_version.as_deref()),
        Some(line("DLProf Version", concat!("dlprof-agg v", env!("CARGO_PKG_VERSION")))),
        Some(line("DLProf Build", env!("CARGO_PKG_VERSION"))),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn figures(profile: &Profile<'_>) -> Vec<String> {
    let summary = &profile.summary;
    let resources = &summary.resources_all_gpus;
    let share = |key: &str, ns| decimal(key, percent(ns, resources.total()));
    vec![
        line("Wall Clock Time (ns)", summary.wall_clock_ns),
        decimal("Tensor Core Kernel Utilization %", summary.tc_utilization_percent),
        decimal("GPU Utilization %", summary.gpu_utilization_percent),
        share("Tensor Core Kernel Duration %", resources.tc_kernel_ns),
        share("Non-Tensor Core Kernel Duration %", resources.non_tc_kernel_ns),
        share("Memory Duration %", resources.memory_ns),
        share("Dataloader Duration %", resources.dataloader_ns),
        share("IO Duration %", resources.io_ns),
        share("CPU Duration %", resources.cpu_ns),
        share("Other Duration %", resources.other_ns),
    ]
}

fn decimal(key: &str, value: f64) -> String {
    format!("{key},{value:.1}")
}

fn iterations(profile: &Profile<'_>) -> Vec<String> {
    let iterations = &profile.iterations;
    vec![
        line("Total Iterations", iterations.total()),
        line("Aggregated Iterations", iterations.aggregated()),
        line("Start Iteration", iterations.start),
        line("Stop Iteration", iterations.stop),
        decimal("Average Iteration Time (ns)", profile.summary.average_iteration_ns),
        decimal("Iteration Time Standard Deviation", profile.summary.iteration_deviation_ns),
    ]
}

fn ops(profile: &Profile<'_>) -> Vec<String> {
    let categories = &profile.categories;
    let row =
        |key: &str, total: &CategoryTotal| format!("{key},{},{},{}", total.gpu_ns, total.cpu_ns, total.ops);
    vec![
        ",GPU Time (ns),CPU Time (ns),# Ops".into(),
        row("All ops", &categories.all),
        row("Ops using TC", &categories.using_tc),
        row("Ops eligible for TC but not using", &categories.eligible),
        row("All other ops", &categories.other),
    ]
}

fn kernels(profile: &Profile<'_>) -> Vec<String> {
    let totals = &profile.kernel_totals;
    let row =
        |key: &str, total: KernelTotal| format!("{key},{},{},{}", total.gpu_ns, total.api_ns, total.names);
    vec![
        ",GPU Time (ns),CPU Time (ns),# Kernels".into(),
        row("All kernels", totals.all()),
        row("Kernels using TC", totals.tc),
        row("Memory", totals.memory),
        row("All other kernels", totals.non_tc),
    ]
}
