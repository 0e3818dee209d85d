//! The figures of the dashboard as text for Prometheus, in the form of its text exposition format 0.0.4: for the textfile
//! collector of `node_exporter`, or a push gateway.
//!
//! Units are base units: seconds, ratios from 0 to 1, items per second. Times are per iteration, on average, and their names
//! begin with `dlprof_iteration_`; without iterations they are of the whole window and begin with `dlprof_window_`. What is not
//! known has no sample. There are no timestamps, because collectors of files refuse them.

mod family;

use crate::overview::{Overview, Per};
use dlprof_core::{count_to_f64, to_f64};
use family::Family;
use std::io::{self, Write};

/// Writes the figures. `capture` is a label of every sample.
///
/// # Errors
/// If `out` cannot be written to.
pub fn write(overview: &Overview, capture: &str, out: &mut dyn Write) -> io::Result<()> {
    let families = [window(overview), time(overview), gpu(overview), kernels(overview), findings(overview)];
    families.iter().flatten().try_for_each(|family| family.write(capture, out))
}

/// The name of a time or a number per iteration, or in the whole window.
fn per(overview: &Overview, rest: &str) -> String {
    let of = match overview.basis.per {
        Per::Iteration => "iteration",
        Per::Window => "window",
    };
    format!("{of}_{rest}")
}

fn seconds(ns: f64) -> f64 {
    ns / 1e9
}

fn ratio(percent: f64) -> f64 {
    percent / 100.0
}

fn number(count: usize) -> f64 {
    count_to_f64(count as u64)
}

fn window(overview: &Overview) -> Vec<Family> {
    let window = &overview.window;
    let key_node = window.key_node.as_ref().map_or("", |node| node.name.as_str());
    let labels = [
        ("file", window.capture.as_str()),
        ("key_node", key_node),
        ("clock", window.clock),
        ("mode", window.mode.as_str()),
        ("version", env!("CARGO_PKG_VERSION")),
    ];
    let has_iterations = window.first.is_some();
    let iterations = |count: u32| has_iterations.then(|| f64::from(count));
    vec![
        Family::new("capture_info", "What the figures of a capture are about; always 1.").with(&labels, 1.0),
        Family::one("capture_seconds", "Length of the capture.", Some(seconds(to_f64(window.captured_ns)))),
        Family::one(
            "window_seconds",
            "Length of the part of the capture that the figures are of.",
            Some(seconds(to_f64(window.length_ns))),
        ),
        Family::one("iterations", "Iterations in the capture.", iterations(overview.dlprof.iterations)),
        Family::one(
            "profiled_iterations",
            "Iterations that the figures are of.",
            iterations(overview.dlprof.profiled_iterations),
        ),
        Family::one(
            "items_per_second",
            "Items that the program works off per second; needs --batch-size.",
            overview.tiles.items_per_s,
        ),
    ]
}

/// How long iterations take.
fn time(overview: &Overview) -> Vec<Family> {
    let Some(iterations) = &overview.iterations else { return Vec::new() };
    let mut quantiles = Family::new(
        "iteration_quantile_seconds",
        "The length that a share of the profiled iterations does not exceed.",
    );
    for quantile in &iterations.quantiles {
        let share = ratio(f64::from(quantile.percent)).to_string();
        quantiles = quantiles.with(&[("share", &share)], seconds(quantile.ns));
    }
    let one = |name: &'static str, help: &'static str, ns: f64| Family::one(name, help, Some(seconds(ns)));
    vec![
        one("iteration_seconds", "Average length of the profiled iterations.", overview.tiles.iteration_ns),
        Family::one(
            "iteration_deviation_seconds",
            "Standard deviation of the profiled iterations.",
            overview.tiles.deviation_ns.map(seconds),
        ),
        one("iteration_min_seconds", "Shortest profiled iteration.", to_f64(iterations.min_ns)),
        one("iteration_max_seconds", "Longest profiled iteration.", to_f64(iterations.max_ns)),
        quantiles,
    ]
}

/// How GPUs spend the time. GPUs without work are in no figure.
fn gpu(overview: &Overview) -> Vec<Family> {
    let mut devices = Family::new("gpu_busy_ratio", "Share of the time in which a GPU has any work running.");
    for gpu in overview.gpus.iter().filter(|gpu| gpu.is_used) {
        let Some(busy) = gpu.busy_percent else { continue };
        let labels = [("gpu", gpu.number.to_string()), ("name", gpu.name.clone().unwrap_or_default())];
        devices = devices.with(&labels.each_ref().map(|(name, text)| (*name, text.as_str())), ratio(busy));
    }
    let mut families = vec![
        Family::one(
            "busy_ratio",
            "Share of the time with any GPU work running, averaged over the used GPUs.",
            overview.tiles.gpu_busy_percent.map(ratio),
        ),
        devices,
    ];
    let Some(step) = &overview.step else { return families };
    let mut classes = Family::new(
        per(overview, "class_seconds"),
        "Where the time goes, averaged over the used GPUs; the classes add up to the length.",
    );
    for part in &step.classes {
        classes = classes.with(&[("class", part.class.as_str())], seconds(part.ns));
    }
    let mut causes = Family::new(
        per(overview, "idle_seconds"),
        "Time without GPU work by cause, averaged over the used GPUs.",
    );
    for row in &step.idle {
        causes = causes.with(&[("cause", row.cause)], seconds(row.ns));
    }
    let busy = Family::one(
        per(overview, "busy_seconds"),
        "Time with any GPU work running, averaged over the used GPUs.",
        Some(seconds(step.busy_ns)),
    );
    families.extend([classes, busy, causes]);
    families
}

fn kernels(overview: &Overview) -> Vec<Family> {
    let Some(kernels) = &overview.kernels else { return Vec::new() };
    vec![
        Family::one(
            per(overview, "kernel_seconds"),
            "Plain sum of the durations of all kernels; kernels that run at the same time count twice.",
            Some(seconds(kernels.total_ns)),
        ),
        Family::one(per(overview, "kernels"), "Kernel launches.", Some(kernels.launches)),
        Family::one(
            "tensor_core_ratio",
            "Share of the kernel time on matrix units, as far as names of kernels tell.",
            overview.tiles.tensor_core_percent.map(ratio),
        ),
        Family::one(
            "tensor_core_unknown_ratio",
            "Share of the kernel time of kernels whose name does not tell whether they use matrix units.",
            overview.tiles.tensor_core_unknown_percent.map(ratio),
        ),
    ]
}

/// Findings by severity and by rule. Savings are never added up: of several findings of a rule, the largest counts.
fn findings(overview: &Overview) -> Vec<Family> {
    let findings = &overview.findings;
    let mut severities = Family::new("findings", "Findings by severity.");
    for severity in ["error", "warning", "note"] {
        let count = findings.iter().filter(|finding| finding.severity == severity).count();
        severities = severities.with(&[("severity", severity)], number(count));
    }
    let mut rules = Family::new("finding", "Findings of a rule.");
    let mut savings =
        Family::new(per(overview, "saving_seconds"), "What the change that a finding proposes would save.");
    for finding in findings {
        let count = findings.iter().filter(|other| other.id == finding.id).count();
        rules = rules.with(&[("finding", &finding.id), ("severity", finding.severity)], number(count));
    }
    let mut by_saving: Vec<_> =
        findings.iter().filter_map(|finding| Some((&finding.id, finding.saving.as_ref()?))).collect();
    by_saving.sort_by(|a, b| b.1.ns().total_cmp(&a.1.ns()));
    for (id, saving) in by_saving {
        for (kind, ns) in [("expected", saving.expected_ns), ("at_most", saving.at_most_ns)] {
            if let Some(ns) = ns {
                savings = savings.with(&[("finding", id), ("kind", kind)], seconds(ns));
            }
        }
    }
    vec![severities, rules, savings]
}
