//! The summary report: blocks of keys with values, in DLProf's CSV and JSON forms.

use super::Context;
use dlprof_core::{CategoryTotal, KernelTotal, Profile, percent};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::io;

struct Block {
    title: &'static str,
    lines: Vec<(&'static str, Values)>,
}

/// The value of a key.
enum Values {
    Text(String),
    Int(i64),
    /// One decimal in CSV, seventeen digits in JSON.
    Decimal(f64),
    /// GPU time, CPU time and a count with its label.
    Totals(i64, i64, (&'static str, u64)),
}

fn blocks(context: &Context<'_>) -> [Block; 5] {
    let profile = context.judged.profile();
    [
        Block { title: "System Config", lines: system(context) },
        Block { title: "Summary Report", lines: figures(profile) },
        Block { title: "Iterations", lines: iterations(profile) },
        Block { title: "All Ops", lines: ops(profile) },
        Block { title: "All Kernels", lines: kernels(profile) },
    ]
}

/// Blocks with empty lines between them.
pub(super) fn write_csv(context: &Context<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    out.write_all(blocks(context).map(|block| block.to_csv()).join("\n").as_bytes())
}

impl Block {
    fn to_csv(&self) -> String {
        let mut text = format!("{}\n", self.title);
        if let Some((_, Values::Totals(_, _, (label, _)))) = self.lines.first() {
            text.push_str(&format!(",GPU Time (ns),CPU Time (ns),{label}\n"));
        }
        for (key, values) in &self.lines {
            let values = match values {
                Values::Text(value) => value.clone(),
                Values::Int(value) => value.to_string(),
                Values::Decimal(value) => format!("{value:.1}"),
                Values::Totals(gpu_ns, cpu_ns, (_, count)) => format!("{gpu_ns},{cpu_ns},{count}"),
            };
            text.push_str(&format!("{key},{values}\n"));
        }
        text
    }
}

/// A value of DLProf's JSON; objects are in byte order of their keys.
enum Json<'a> {
    Scalar(String),
    Array(Box<Json<'a>>),
    Object(BTreeMap<&'a str, Json<'a>>),
}

/// One object from the blocks. Single values are arrays with one element, totals are objects.
pub(super) fn write_json(context: &Context<'_>) -> String {
    let scalar = |value: serde_json::Value| Json::Scalar(value.to_string());
    let single = |value: serde_json::Value| Json::Array(Box::new(scalar(value)));
    let values = |values: Values| match values {
        Values::Text(value) => single(value.into()),
        Values::Int(value) => single(value.into()),
        Values::Decimal(value) => Json::Array(Box::new(Json::Scalar(seventeen_digits(value)))),
        Values::Totals(gpu_ns, cpu_ns, (label, count)) => Json::Object(BTreeMap::from([
            ("GPU Time (ns)", scalar(gpu_ns.into())),
            ("CPU Time (ns)", scalar(cpu_ns.into())),
            (label, scalar(count.into())),
        ])),
    };
    let block = |block: Block| {
        let lines = block.lines.into_iter().map(|(key, line)| (key, values(line)));
        (block.title, Json::Object(lines.collect()))
    };
    let mut text = String::new();
    Json::Object(blocks(context).into_iter().map(block).collect()).write(0, &mut text);
    text
}

impl Json<'_> {
    /// Writes two spaces per level, brackets on their own lines, and a space on both sides of the colon.
    fn write(&self, depth: usize, text: &mut String) {
        let indent = "  ".repeat(depth);
        match self {
            Self::Scalar(value) => text.push_str(value),
            Self::Array(item) => {
                text.push_str(&format!("[\n{indent}  "));
                item.write(depth + 1, text);
                text.push_str(&format!("\n{indent}]"));
            }
            Self::Object(entries) => {
                text.push_str("{\n");
                for (at, (key, value)) in entries.iter().enumerate() {
                    let end = if matches!(value, Self::Scalar(_)) {
                        String::new()
                    } else {
                        format!("\n{indent}  ")
                    };
                    // Writing to a string cannot fail.
                    let _ = write!(text, "{}{indent}  \"{key}\" : {end}", if at == 0 { "" } else { ",\n" });
                    value.write(depth + 1, text);
                }
                text.push_str(&format!("\n{indent}}}"));
            }
        }
    }
}

/// A number with up to seventeen significant digits, as C's `%.17g` writes it. Our numbers need no exponent.
fn seventeen_digits(value: f64) -> String {
    let exponent =
        format!("{value:.16e}").rsplit_once('e').and_then(|(_, exponent)| exponent.parse::<i32>().ok());
    let decimals = usize::try_from(16 - exponent.unwrap_or(0)).unwrap_or(0);
    let digits = format!("{value:.decimals$}");
    if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.').to_owned() } else { digits }
}

fn system(context: &Context<'_>) -> Vec<(&'static str, Values)> {
    let system = &context.judged.capture.system;
    let known = |key, value: Option<&str>| value.map(|value| (key, Values::Text(value.to_owned())));
    let always = |key, value: Option<&str>| known(key, Some(value.unwrap_or_default()));
    [
        known("Profile Name", context.profile_name),
        always("GPU Count", Some(&system.gpu_count.to_string())),
        always("GPU Name(s)", Some(&system.gpu_names.join(", "))),
        always("CPU Model", system.cpu_model.as_deref()),
        always("GPU Driver Version", system.driver_version.as_deref()),
        // The line is written even if the value is unknown, because readers of this block rely on DLProf's order of
        // lines.
        always("Framework", system.framework.as_deref()),
        always("CUDA Version", system.cuda_version.as_deref()),
        known("cuDNN Version", system.cudnn_version.as_deref()),
        known("NSys Version", system.nsys_version.as_deref()),
        always("DLProf Version", Some(concat!("dlprof-agg v", env!("CARGO_PKG_VERSION")))),
        always("DLProf Build", Some(env!("CARGO_PKG_VERSION"))),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn figures(profile: &Profile) -> Vec<(&'static str, Values)> {
    let summary = &profile.summary;
    let resources = &summary.resources_all_gpus;
    let share = |key, ns| (key, Values::Decimal(percent(ns, resources.total())));
    vec![
        ("Wall Clock Time (ns)", Values::Int(summary.wall_clock_ns)),
        (
            "Tensor Core Kernel Utilization %",
            Values::Decimal(summary.tc_utilization_percent.unwrap_or_default()),
        ),
        ("GPU Utilization %", Values::Decimal(summary.gpu_utilization_percent.unwrap_or_default())),
        share("Tensor Core Kernel Duration %", resources.tc_kernel_ns),
        share("Non-Tensor Core Kernel Duration %", resources.non_tc_kernel_ns),
        share("Memory Duration %", resources.memory_ns),
        share("Dataloader Duration %", resources.dataloader_ns),
        share("IO Duration %", resources.io_ns),
        share("CPU Duration %", resources.cpu_ns),
        share("Other Duration %", resources.other_ns),
    ]
}

fn iterations(profile: &Profile) -> Vec<(&'static str, Values)> {
    let iterations = &profile.iterations;
    vec![
        ("Total Iterations", Values::Int(iterations.total().into())),
        ("Aggregated Iterations", Values::Int(iterations.aggregated().into())),
        ("Start Iteration", Values::Int(iterations.start.into())),
        ("Stop Iteration", Values::Int(iterations.stop.into())),
        ("Average Iteration Time (ns)", Values::Decimal(profile.summary.average_iteration_ns)),
        (
            "Iteration Time Standard Deviation",
            Values::Decimal(profile.summary.iteration_deviation_ns.unwrap_or(0.0)),
        ),
    ]
}

fn ops(profile: &Profile) -> Vec<(&'static str, Values)> {
    let categories = &profile.categories;
    let row =
        |key, total: &CategoryTotal| (key, Values::Totals(total.gpu_ns, total.cpu_ns, ("# Ops", total.ops)));
    vec![
        row("All ops", &categories.all),
        row("Ops using TC", &categories.using_tc),
        row("Ops eligible for TC but not using", &categories.eligible),
        row("All other ops", &categories.other),
    ]
}

fn kernels(profile: &Profile) -> Vec<(&'static str, Values)> {
    let totals = &profile.kernel_totals;
    let row = |key, total: KernelTotal| {
        (key, Values::Totals(total.gpu_ns, total.api_ns, ("# Kernels", total.names)))
    };
    vec![
        row("All kernels", totals.all()),
        row("Kernels using TC", totals.tc),
        row("Memory", totals.memory),
        row("All other kernels", totals.non_tc),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;
    use std::io::Write as _;
    use std::path::Path;

    fn json(value: &Value) -> Json<'_> {
        match value {
            Value::Object(entries) => {
                Json::Object(entries.iter().map(|(key, value)| (key.as_str(), json(value))).collect())
            }
            Value::Array(items) => Json::Array(Box::new(json(&items[0]))),
            Value::Number(number) if number.is_f64() => {
                Json::Scalar(seventeen_digits(number.as_f64().expect("a float")))
            }
            scalar => Json::Scalar(scalar.to_string()),
        }
    }

    #[test]
    fn digits() {
        let cases = [
            (0.0, "0"),
            (25.16202509548825, "25.16202509548825"),
            (0.1, "0.10000000000000001"),
            (1e6 / 3.0, "333333.33333333331"),
        ];
        for (value, text) in cases {
            assert_eq!(seventeen_digits(value), text);
        }
    }

    /// DLProf's own files, read and written again, keep every byte.
    #[test]
    fn json_has_the_form_of_dlprof() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/dlprof/summary_json");
        let Ok(files) = std::fs::read_dir(&folder) else {
            writeln!(std::io::stderr(), "SKIPPED: no corpus at {}", folder.display())
                .expect("standard error");
            return;
        };
        for file in files {
            let text = std::fs::read_to_string(file.expect("a file").path()).expect("UTF-8");
            let value: Value = serde_json::from_str(&text).expect("JSON");
            let mut written = String::new();
            json(&value).write(0, &mut written);
            assert_eq!(written.trim_end(), text.trim_end());
        }
    }
}
