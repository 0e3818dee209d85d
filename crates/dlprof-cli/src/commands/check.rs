//! `check`: what a capture holds, what is missing, what that costs.

use crate::args::Analysis;
use crate::console;
use crate::exit::Failure;
use crate::settings::Settings;
use crate::text::{pad, percentage, time};
use dlprof_core::Rows;
use dlprof_core::aggregate::Profile;
use dlprof_core::correlate::UNASSOCIATED;
use dlprof_core::ratios::percent;

pub(crate) fn run(args: &Analysis) -> Result<(), Failure> {
    let settings = Settings::new(args)?;
    let source = settings.read(Rows::NotNeeded)?;
    let profile = source.profile()?;
    let mut lines = vec![settings.file.display().to_string()];
    let holds = holds(&profile).into_iter().chain(use_of_work(&profile, &settings));
    lines.extend(holds.map(|(what, value)| format!("  {}{value}", pad(what, 24))));
    lines.extend(oddities(&profile));
    console::print(&lines.iter().map(|line| format!("{line}\n")).collect::<String>())
}

/// What is in the file.
fn holds(profile: &Profile<'_>) -> Vec<(&'static str, String)> {
    let trace = profile.trace;
    let counts = &profile.counts;
    let version = &trace.source.product_version;
    let unknown = || "unknown".to_owned();
    vec![
        ("nsys", if version.is_empty() { unknown() } else { version.clone() }),
        ("size", format!("{:.1} MB", dlprof_core::ratios::count_to_f64(trace.source.size_bytes) / 1e6)),
        ("processes, threads", format!("{}, {}", trace.processes.len(), trace.threads.len())),
        ("GPUs", trace.system.gpu_count.max(trace.devices.len()).to_string()),
        ("kernels", (counts.kernels - counts.whole_graphs).to_string()),
        ("CUDA graph launches", counts.whole_graphs.to_string()),
        ("copies", counts.copies.to_string()),
        ("memsets", counts.memsets.to_string()),
        ("synchronizations", trace.joined.syncs.to_string()),
        ("CUDA API calls", counts.api_calls.to_string()),
        ("NVTX ranges", trace.joined.ranges.to_string()),
    ]
}

/// What was made of it.
fn use_of_work(profile: &Profile<'_>, settings: &Settings) -> Vec<(&'static str, String)> {
    let correlation = profile.correlation;
    let (mut claimed, mut linked, mut all) = (0, 0, 0);
    for op in &profile.op_stats {
        let gpu_ns = op.times.gpu.sum;
        all += gpu_ns;
        claimed += if profile.op_name(op.op).starts_with(UNASSOCIATED) { 0 } else { gpu_ns };
        linked += if profile.op_id(op.op).ends_with("_BPROP") { gpu_ns } else { 0 };
    }
    let iterations = match &profile.iterations.key_node {
        Some(key_node) => format!("{}, by {}", profile.iterations.total(), key_node.name),
        None => "1: nothing recurs clearly enough".into(),
    };
    let shares = format!(
        "{} of {} by ops, {} of it by backward ops linked to a forward op",
        percentage(percent(claimed, all)),
        time(all, settings.time_unit),
        percentage(percent(linked, claimed))
    );
    vec![
        ("mode", format!("{}: {}", correlation.mode.as_str(), correlation.mode_reason)),
        ("ops, op calls", format!("{}, {}", profile.op_stats.len(), profile.counts.op_calls)),
        ("GPU time claimed", shares),
        ("iterations", iterations),
    ]
}

/// Diagnostics, each with its cases and what to do.
fn oddities(profile: &Profile<'_>) -> Vec<String> {
    if profile.diagnostics.is_empty() {
        return vec!["Nothing is missing or odd.".into()];
    }
    let mut lines = Vec::new();
    for diagnostic in &profile.diagnostics {
        let code = diagnostic.code;
        let severity = code.severity().as_str();
        lines.push(format!("{severity}[{}]: {} × {}", code.key(), diagnostic.count, code.meaning()));
        lines.extend(diagnostic.examples.iter().map(|example| format!("    {example}")));
        lines.extend(code.hint().map(|hint| format!("    hint: {hint}")));
    }
    lines
}
