//! Traces written in the tests themselves, and what both readers make of real ones.

mod damaged;
mod file;
mod hostile;
mod readers;
mod rows;

use super::parts::Parsing;
use super::reading::EventReader;
use super::{read_from, window};
use crate::base::Error;
use crate::base::diagnostics::DiagnosticCode;
use crate::columns::Memory;
use crate::read::facts::Facts;
use std::io::Read;
use std::path::Path;

fn read_by(reader: EventReader, bytes: impl Read + Send, size_bytes: u64) -> Result<Facts, Error> {
    // Blocks of a few events, so that much is parsed in parts.
    let block_bytes = if size_bytes < 10_000 { 150 } else { 30_000 };
    let settings =
        window::Settings { path: Path::new("run.json"), size_bytes, block_bytes, on_progress: None };
    read_from(bytes, &settings, &Parsing { threads: 2, memory: &Memory::default() }, reader)
}

fn read_bytes(bytes: &[u8]) -> Result<Facts, Error> {
    read_by(EventReader::Quick, bytes, bytes.len() as u64)
}

fn read(text: &str) -> Facts {
    read_bytes(text.as_bytes()).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// A trace of some events.
fn trace(events: &[&str]) -> String {
    format!("{{\"schemaVersion\": 1, \"traceEvents\": [{}]}}", events.join(",\n"))
}

fn span(name: &str, category: &str, [start, length]: [&str; 2], rest: &str) -> String {
    format!(
        r#"{{"ph": "X", "cat": "{category}", "name": "{name}", "pid": 7, "tid": 8, "ts": {start}, "dur": {length}{rest}}}"#
    )
}

fn op(name: &str, times: [&str; 2], args: &str) -> String {
    span(name, "cpu_op", times, &format!(r#", "args": {{{args}}}"#))
}

fn count(facts: &Facts, code: DiagnosticCode) -> u64 {
    facts.diagnostics.counted(code)
}

fn texts(facts: &Facts) -> Vec<&str> {
    facts.ranges.texts.iter().map(|says| facts.strings.get(says.text)).collect()
}

const CALL: &str = r#"{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 7, "tid": 8, "ts": 11, "dur": 2,
    "args": {"External id": 3, "cbid": 211, "correlation": 5}}"#;

const KERNEL: &str = r#"{"ph": "X", "cat": "kernel", "name": "void at::add<float>(int)", "pid": 0, "tid": 7, "ts": 15.5,
    "dur": 3.25, "args": {"device": 0, "context": 1, "stream": 7, "correlation": 5, "registers per thread": 32,
    "shared memory": 1024, "grid": [64, 2, 1], "block": [128, 1, 1], "unknown": {"a": ["b", {}]}}}"#;
