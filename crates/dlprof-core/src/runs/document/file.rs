//! The baseline as JSON: sorted keys, one array of samples per line, so that two of them can be compared with `diff`.

use super::{Document, FORMAT, GpuTime, Run, Scope, VERSION};
use crate::Error;
use crate::base::small_file::{MOST_BASELINE_BYTES, open, read_text};
use crate::runs::{RunError, metrics};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

/// Whether a file is a JSON document and not a capture: it is empty, or begins with `{`.
///
/// # Errors
/// If the file cannot be read.
pub fn is_baseline(path: &Path) -> Result<bool, Error> {
    let unreadable = |source| Error::Unreadable { path: path.into(), source };
    let mut start = Vec::new();
    open(path).map_err(unreadable)?.take(64).read_to_end(&mut start).map_err(unreadable)?;
    let first = start.iter().find(|byte| !byte.is_ascii_whitespace());
    Ok(first.is_none_or(|&byte| byte == b'{'))
}

/// Reads a baseline and checks that its parts fit each other.
///
/// # Errors
/// If it cannot be read, is not a baseline, has a later version, or is damaged.
pub fn read(path: &Path) -> Result<Document, RunError> {
    let text = read_text(path, MOST_BASELINE_BYTES)
        .map_err(|source| Error::Unreadable { path: path.into(), source })?;
    let not_one = |found| RunError::NotABaseline { path: path.into(), found };
    let damaged = |found: String| RunError::DamagedBaseline { path: path.into(), found };
    if text.trim().is_empty() {
        return Err(not_one("the file is empty"));
    }
    let value: Value = serde_json::from_str(&text).map_err(|error| damaged(error.to_string()))?;
    if value.get("format").and_then(Value::as_str) != Some(FORMAT) {
        return Err(not_one("its field `format` is not \"dlprof-agg baseline\""));
    }
    match value.get("version").and_then(Value::as_u64) {
        Some(found) if found > u64::from(VERSION) => {
            return Err(RunError::NewerBaseline { path: path.into(), found, known: VERSION });
        }
        Some(1..) => {}
        _ => return Err(damaged("its field `version` is not a number of at least 1".to_owned())),
    }
    let document: Document = serde_json::from_value(value).map_err(|error| damaged(error.to_string()))?;
    if document.runs.is_empty() {
        return Err(damaged("it holds no runs".to_owned()));
    }
    for (at, run) in document.runs.iter().enumerate() {
        check(run).map_err(|found| damaged(format!("run {} of {}: {found}", at + 1, document.runs.len())))?;
    }
    Ok(document)
}

/// Checks what later steps rely on.
fn check(run: &Run) -> Result<(), String> {
    let samples = run.samples();
    if run.scope == Scope::Iterations {
        if samples == 0 {
            return Err("it says that it has iterations, but has none".to_owned());
        }
        if (run.iterations.used as usize) < samples || run.iterations.total < run.iterations.used {
            return Err(format!(
                "it has {} iterations, uses {} and has {samples} samples",
                run.iterations.total, run.iterations.used
            ));
        }
    }
    if !run.metrics.contains_key(metrics::ITERATION_TIME) {
        return Err(format!("metric `{}` is missing", metrics::ITERATION_TIME));
    }
    for (key, values) in &run.metrics {
        check_samples(key, values, samples)?;
    }
    let times = [&run.op_types, &run.groups, &run.kernels].into_iter().flatten();
    let ops = run.ops.iter().map(|(key, op)| (key, &op.time));
    for (key, time) in times.chain(ops) {
        let GpuTime { mean_ns, samples_ns } = time;
        check_samples(key, std::slice::from_ref(mean_ns), 1)?;
        if !samples_ns.is_empty() {
            check_samples(key, samples_ns, samples)?;
        }
    }
    for found in run.findings.iter().flat_map(|findings| &findings.found) {
        if let Some(saving) = &found.saving {
            check_samples(&found.id, &[saving.ns], 1)?;
        }
    }
    check_wall_clock(run)
}

/// Largest number of nanoseconds that a float holds exactly: 104 days.
const LARGEST: f64 = 9_007_199_254_740_992.0;

fn check_samples(key: &str, values: &[f64], expected: usize) -> Result<(), String> {
    if values.len() != expected {
        return Err(format!("`{key}` has {} samples, not {expected}", values.len()));
    }
    match values.iter().find(|value| !(0.0..=LARGEST).contains(*value)) {
        Some(value) => Err(format!("`{key}` has the sample {value}")),
        None => Ok(()),
    }
}

fn check_wall_clock(run: &Run) -> Result<(), String> {
    let wall_clock = &run.wall_clock;
    if wall_clock.iterations == 0 || wall_clock.gpus == 0 {
        return Err("its wall clock has no iterations or no GPUs".to_owned());
    }
    let by_op = [&wall_clock.kernels, &wall_clock.communication, &wall_clock.copies];
    let parts = by_op.into_iter().flat_map(BTreeMap::values).flat_map(BTreeMap::values);
    let sum: i128 = parts.chain(wall_clock.idle.values()).map(|&ns| i128::from(ns)).sum();
    if sum == i128::from(wall_clock.total_ns) {
        return Ok(());
    }
    Err(format!(
        "the parts of its wall clock add up to {sum} ns, but should add up to {}",
        wall_clock.total_ns
    ))
}

/// The document as text.
#[must_use]
pub fn to_json(document: &Document) -> String {
    let value = serde_json::to_value(document).unwrap_or_default();
    let mut text = String::new();
    write_value(&value, 0, &mut text);
    text.push('\n');
    text
}

/// Writes objects and lists of objects on several lines, and lists of plain values on one line.
fn write_value(value: &Value, depth: usize, text: &mut String) {
    let line = |depth: usize| format!("\n{}", " ".repeat(depth));
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            let sorted: BTreeMap<&String, &Value> = fields.iter().collect();
            for (at, (key, value)) in sorted.into_iter().enumerate() {
                text.push_str(if at == 0 { "{" } else { "," });
                text.push_str(&line(depth + 1));
                text.push_str(&Value::String(key.clone()).to_string());
                text.push_str(": ");
                write_value(value, depth + 1, text);
            }
            text.push_str(&line(depth));
            text.push('}');
        }
        Value::Array(items) if items.iter().any(Value::is_object) => {
            for (at, item) in items.iter().enumerate() {
                text.push_str(if at == 0 { "[" } else { "," });
                text.push_str(&line(depth + 1));
                write_value(item, depth + 1, text);
            }
            text.push_str(&line(depth));
            text.push(']');
        }
        Value::Array(items) => {
            text.push('[');
            for (at, item) in items.iter().enumerate() {
                text.push_str(if at == 0 { "" } else { ", " });
                write_value(item, depth, text);
            }
            text.push(']');
        }
        Value::Number(number) => text.push_str(&plain_number(number)),
        other => text.push_str(&other.to_string()),
    }
}

/// A number; whole numbers have no fraction.
fn plain_number(number: &serde_json::Number) -> String {
    let text = number.to_string();
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_of_numbers_stand_on_one_line() {
        let value = serde_json::json!({"b": [1.0, 2.5], "a": [{"x": null}], "c": {}});
        let mut text = String::new();
        write_value(&value, 0, &mut text);
        assert_eq!(text, "{\n \"a\": [\n  {\n   \"x\": null\n  }\n ],\n \"b\": [1, 2.5],\n \"c\": {}\n}");
        assert_eq!(
            serde_json::from_str::<Value>(&text).expect("JSON"),
            serde_json::json!({"b": [1, 2.5], "a": [{"x": null}], "c": {}})
        );
    }
}
