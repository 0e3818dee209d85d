//! The baseline as JSON: sorted keys, one array of samples per line, so that two of them can be compared with `diff`.

use super::size::{JsonSize, MOST_VALUES, Sized};
use super::{BaselineGpuTime, BaselineRun, BaselineScope, Document, FORMAT, VERSION, WallClock};
use crate::base::Error;
use crate::base::regular_file::open;
use crate::base::small_file::{MOST_BASELINE_BYTES, read_text};
use crate::runs::{RunError, metrics};
use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::path::Path;

/// Whether a file is a JSON document and not a capture: it is empty, or begins with `{` but not as traces of torch.profiler do.
///
/// # Errors
/// If the file cannot be read.
pub fn is_baseline(path: &Path) -> Result<bool, Error> {
    let unreadable = |source| Error::Unreadable { path: path.into(), source };
    let mut start = Vec::new();
    open(path).map_err(unreadable)?.take(START).read_to_end(&mut start).map_err(unreadable)?;
    let first = start.iter().find(|byte| !byte.is_ascii_whitespace());
    Ok(first.is_none_or(|&byte| byte == b'{') && !is_start_of_trace(&start))
}

/// How many bytes say what a file is.
const START: u64 = 64 << 10;

/// Whether bytes are the start of a trace, and not of a baseline of ours.
fn is_start_of_trace(start: &[u8]) -> bool {
    const KEYS: [&str; 5] = [
        "\"traceEvents\"",
        "\"schemaVersion\"",
        "\"deviceProperties\"",
        "\"distributedInfo\"",
        "\"displayTimeUnit\"",
    ];
    let has = |text: &str| memchr::memmem::find(start, text.as_bytes()).is_some();
    !has(FORMAT) && KEYS.into_iter().any(has)
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
    if JsonSize::of(text.as_bytes()).has_too_many_values() {
        return Err(damaged(format!("it has more than {MOST_VALUES} values")));
    }
    let header: Header = serde_json::from_str(&text).map_err(|error| damaged(error.to_string()))?;
    if header.format.0.as_ref().and_then(Value::as_str) != Some(FORMAT) {
        return Err(not_one("its field `format` is not \"dlprof-agg baseline\""));
    }
    match header.version.0.as_ref().and_then(Value::as_u64) {
        Some(found) if found > u64::from(VERSION) => {
            return Err(RunError::NewerBaseline { path: path.into(), found, known: VERSION });
        }
        Some(1..) => {}
        _ => return Err(damaged("its field `version` is not a number of at least 1".to_owned())),
    }
    let document: Document = serde_json::from_str(&text).map_err(|error| damaged(error.to_string()))?;
    if document.runs.is_empty() {
        return Err(damaged("it holds no runs".to_owned()));
    }
    for (at, run) in document.runs.iter().enumerate() {
        check(run).map_err(|found| damaged(format!("run {} of {}: {found}", at + 1, document.runs.len())))?;
    }
    Ok(document)
}

/// The fields that say what a file is, whatever else it has.
#[derive(Deserialize)]
struct Header {
    #[serde(default)]
    format: Scalar,
    #[serde(default)]
    version: Scalar,
}

/// A text, a number or a truth value; none for all else, which is not kept.
#[derive(Default)]
struct Scalar(Option<Value>);

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        source.deserialize_any(ScalarVisitor)
    }
}

struct ScalarVisitor;

impl<'de> Visitor<'de> for ScalarVisitor {
    type Value = Scalar;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Scalar, E> {
        Ok(Scalar(Some(value.into())))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Scalar, E> {
        Ok(Scalar(Some(value.into())))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Scalar, E> {
        Ok(Scalar(Some(value.into())))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Scalar, E> {
        Ok(Scalar(Some(value.into())))
    }

    fn visit_str<E>(self, value: &str) -> Result<Scalar, E> {
        Ok(Scalar(Some(value.into())))
    }

    fn visit_unit<E>(self) -> Result<Scalar, E> {
        Ok(Scalar(None))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Scalar, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Scalar(None))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Scalar, A::Error> {
        while fields.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Scalar(None))
    }
}

/// Checks what later steps rely on.
fn check(run: &BaselineRun) -> Result<(), String> {
    let samples = run.samples();
    if run.scope == BaselineScope::Iterations {
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
        let BaselineGpuTime { mean_ns, samples_ns } = time;
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

fn check_wall_clock(run: &BaselineRun) -> Result<(), String> {
    let wall_clock = &run.wall_clock;
    if wall_clock.iterations == 0 || wall_clock.gpus == 0 {
        return Err("its wall clock has no iterations or no GPUs".to_owned());
    }
    let by_op = [&wall_clock.kernels, &wall_clock.communication, &wall_clock.copies];
    let parts = by_op.into_iter().flat_map(BTreeMap::values).flat_map(BTreeMap::values);
    let parts = || parts.clone().chain(wall_clock.idle.values());
    // Then no sum of some of them leaves 64 bits.
    if let Some(part) = parts().find(|ns| **ns < 0) {
        return Err(format!("its wall clock has a part of {part} ns"));
    }
    let sum: i128 = parts().map(|&ns| i128::from(ns)).sum();
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
    let mut text = Vec::new();
    // Memory takes what is written.
    drop(write_document(document, &mut text));
    String::from_utf8(text).unwrap_or_default()
}

/// Writes the document. Its tables have a row for each op and kernel, and are not put together in memory.
///
/// # Errors
/// If `out` refuses to be written to, or the text is longer than [`read`] takes.
pub fn write_json(document: &Document, out: &mut dyn Write) -> io::Result<()> {
    write_document(document, &mut Sized::new(out))
}

fn write_document(document: &Document, out: &mut dyn Write) -> io::Result<()> {
    let Document { format, version, runs } = document;
    write!(out, "{{\n \"format\": {},\n \"runs\": [", Value::String(format.clone()))?;
    for (at, run) in runs.iter().enumerate() {
        out.write_all(if at == 0 { b"\n  " } else { b",\n  " })?;
        write_run(run, 2, out)?;
    }
    if !runs.is_empty() {
        out.write_all(b"\n ")?;
    }
    write!(out, "],\n \"version\": {version}\n}}\n")
}

/// Writes a run: a copy without its tables, and these in their places.
fn write_run(run: &BaselineRun, depth: usize, out: &mut dyn Write) -> io::Result<()> {
    let none = BTreeMap::new;
    let BaselineRun { op_types, groups, ops, kernels, wall_clock, .. } = run;
    let small = BaselineRun {
        capture: run.capture.clone(),
        environment: run.environment.clone(),
        scope: run.scope,
        iterations: run.iterations.clone(),
        metrics: run.metrics.clone(),
        op_types: none(),
        groups: none(),
        ops: BTreeMap::new(),
        kernels: none(),
        wall_clock: WallClock::default(),
        findings: run.findings.clone(),
    };
    write_object(&small, depth, out, |key, out| {
        match key {
            "op_types" => write_table(op_types, depth + 1, out)?,
            "groups" => write_table(groups, depth + 1, out)?,
            "ops" => write_table(ops, depth + 1, out)?,
            "kernels" => write_table(kernels, depth + 1, out)?,
            "wall_clock" => write_wall_clock(wall_clock, depth + 1, out)?,
            _ => return Ok(false),
        }
        Ok(true)
    })
}

fn write_wall_clock(wall_clock: &WallClock, depth: usize, out: &mut dyn Write) -> io::Result<()> {
    let WallClock { iterations, gpus, total_ns, kernels, communication, copies, idle } = wall_clock;
    let small = WallClock {
        iterations: *iterations,
        gpus: *gpus,
        total_ns: *total_ns,
        idle: idle.clone(),
        ..WallClock::default()
    };
    write_object(&small, depth, out, |key, out| {
        match key {
            "kernels" => write_table(kernels, depth + 1, out)?,
            "communication" => write_table(communication, depth + 1, out)?,
            "copies" => write_table(copies, depth + 1, out)?,
            _ => return Ok(false),
        }
        Ok(true)
    })
}

/// Writes the rows of a table, one after the other.
fn write_table<T: Serialize>(
    rows: &BTreeMap<String, T>,
    depth: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let rows = rows.iter().map(|(key, row)| (key.as_str(), row));
    write_fields(rows, depth, out, |_, row, out| write_value(&to_value(row)?, depth + 1, out))
}

/// Writes an object of which some fields are written by `writes`, which says so.
fn write_object<T: Serialize>(
    object: &T,
    depth: usize,
    out: &mut dyn Write,
    writes: impl Fn(&str, &mut dyn Write) -> io::Result<bool>,
) -> io::Result<()> {
    let value = to_value(object)?;
    let fields: BTreeMap<&str, &Value> =
        value.as_object().into_iter().flatten().map(|(key, value)| (key.as_str(), value)).collect();
    write_fields(fields, depth, out, |key, value, out| {
        if writes(key, out)? { Ok(()) } else { write_value(value, depth + 1, out) }
    })
}

fn to_value(item: &impl Serialize) -> io::Result<Value> {
    serde_json::to_value(item).map_err(io::Error::other)
}

/// Writes the fields of an object, each on a line of its own.
fn write_fields<'a, V>(
    fields: impl IntoIterator<Item = (&'a str, V)>,
    depth: usize,
    out: &mut dyn Write,
    write: impl Fn(&str, V, &mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    out.write_all(b"{")?;
    let mut is_empty = true;
    for (key, value) in fields {
        out.write_all(if is_empty { b"" } else { b"," })?;
        is_empty = false;
        new_line(depth + 1, out)?;
        write!(out, "{}: ", Value::String(key.to_owned()))?;
        write(key, value, out)?;
    }
    if !is_empty {
        new_line(depth, out)?;
    }
    out.write_all(b"}")
}

fn new_line(depth: usize, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "\n{:depth$}", "")
}

/// Writes objects and lists of objects on several lines, and lists of plain values on one line.
fn write_value(value: &Value, depth: usize, out: &mut dyn Write) -> io::Result<()> {
    match value {
        Value::Object(fields) => {
            let sorted: BTreeMap<&str, &Value> =
                fields.iter().map(|(key, value)| (key.as_str(), value)).collect();
            write_fields(sorted, depth, out, |_, value, out| write_value(value, depth + 1, out))
        }
        Value::Array(items) if items.iter().any(Value::is_object) => {
            for (at, item) in items.iter().enumerate() {
                out.write_all(if at == 0 { b"[" } else { b"," })?;
                new_line(depth + 1, out)?;
                write_value(item, depth + 1, out)?;
            }
            new_line(depth, out)?;
            out.write_all(b"]")
        }
        Value::Array(items) => {
            out.write_all(b"[")?;
            for (at, item) in items.iter().enumerate() {
                out.write_all(if at == 0 { b"" } else { b", " })?;
                write_value(item, depth, out)?;
            }
            out.write_all(b"]")
        }
        Value::Number(number) => out.write_all(plain_number(number).as_bytes()),
        other => write!(out, "{other}"),
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

    /// Fields that say nothing are not put together: a baseline of brackets would take thirty times its length.
    #[test]
    fn the_header_is_found_whatever_else_there_is() {
        let header = |text: &str| {
            let header: Header = serde_json::from_str(text).expect("JSON");
            (header.format.0, header.version.0)
        };
        assert_eq!(
            header(r#"{"x": [[{}]], "version": 7, "format": "f"}"#),
            (Some("f".into()), Some(7.into()))
        );
        assert_eq!(header(r#"{"format": [{"a": 1}], "version": {"b": []}}"#), (None, None));
        assert_eq!(header("{}"), (None, None));
    }

    #[test]
    fn arrays_of_numbers_stand_on_one_line() {
        let value = serde_json::json!({"b": [1.0, 2.5], "a": [{"x": null}], "c": {}});
        let mut text = Vec::new();
        write_value(&value, 0, &mut text).expect("memory takes everything");
        let text = String::from_utf8(text).expect("text");
        assert_eq!(text, "{\n \"a\": [\n  {\n   \"x\": null\n  }\n ],\n \"b\": [1, 2.5],\n \"c\": {}\n}");
        assert_eq!(
            serde_json::from_str::<Value>(&text).expect("JSON"),
            serde_json::json!({"b": [1, 2.5], "a": [{"x": null}], "c": {}})
        );
    }
}
