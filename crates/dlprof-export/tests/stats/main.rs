//! Reports of `nsys stats`, byte for byte: what nsys itself printed for real exports, where they are beside the project.

mod golden;
mod options;
mod outcomes;

use dlprof_core::nsys_stats::{Filter, Form, Refusal, Request, make};
use dlprof_core::read::ingest::{RowDetail, SqliteOptions};
use dlprof_core::{Capture, Error, ReadOptions};
use dlprof_export::nsys_text::{FormatArguments, Layout, StatsFormat, StatsTimeUnit, write_report};
use dlprof_generate::corpus;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of what nsys printed; none without a corpus.
fn expected_folder() -> Option<PathBuf> {
    let folder = corpus::folder()?.join("nsys_stats");
    if !folder.is_dir() {
        eprintln_skipped(&folder);
        return None;
    }
    Some(folder)
}

fn eprintln_skipped(folder: &Path) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "SKIPPED: no outputs of nsys at {}", folder.display());
}

/// The form of a version of nsys.
fn form_of(version: &str) -> Form {
    match version {
        "2020.4.3" => Form::V2020,
        "2022.4.2" => Form::V2022,
        "2023.4.4" => Form::V2023,
        "2024.2.3" => Form::V2024,
        other => panic!("unknown version {other}"),
    }
}

/// An export of the corpus, with records.
fn read(export: &str) -> Result<Capture, Error> {
    let path = corpus::folder().expect("a corpus").join(format!("{export}.sqlite"));
    let records = SqliteOptions { detail: RowDetail::Records, ..SqliteOptions::default() };
    Capture::read(&path, &ReadOptions { sqlite: records, ..ReadOptions::default() })
}

/// What is asked for besides the report.
#[derive(Clone)]
struct Asked {
    format: StatsFormat,
    time_unit: StatsTimeUnit,
    filter: Filter,
}

/// A report as nsys prints it, and its number of rows.
fn print(capture: &Capture, report: &str, form: Form, asked: &Asked) -> Result<(Vec<u8>, usize), Refusal> {
    let mut request = Request::parse(report, form)?;
    request.filter = asked.filter.clone();
    let made = make(capture, &request, form, "FILE")?;
    let name = report.split(':').next().unwrap_or(report);
    let layout = Layout {
        form,
        time_unit: asked.time_unit,
        title: request.entry.title,
        name,
        arguments: &FormatArguments::default(),
    };
    let mut text = Vec::new();
    write_report(&made, asked.format, &layout, &mut text).expect("a vector takes all");
    Ok((text, made.len()))
}

const AS_CSV: Asked =
    Asked { format: StatsFormat::Csv, time_unit: StatsTimeUnit::Nanoseconds, filter: Filter::None };

/// The content of a file that may be compressed.
fn content(path: &Path) -> Vec<u8> {
    if path.extension().is_some_and(|extension| extension == "xz") {
        let unpacked =
            Command::new("xz").arg("-dc").arg(path).output().expect("`xz` unpacks expected outputs");
        assert!(unpacked.status.success());
        return unpacked.stdout;
    }
    std::fs::read(path).expect("a readable file")
}

/// Where two texts first differ.
fn difference(expected: &[u8], actual: &[u8]) -> String {
    let (expected, actual) = (String::from_utf8_lossy(expected), String::from_utf8_lossy(actual));
    let lines = expected.lines().zip(actual.lines()).enumerate().find(|(_, (a, b))| a != b);
    let cut = |line: &str| line.chars().take(300).collect::<String>();
    match lines {
        Some((at, (a, b))) => format!("line {}\n    expected {}\n    actual   {}", at + 1, cut(a), cut(b)),
        None => format!("{} lines, expected {}", actual.lines().count(), expected.lines().count()),
    }
}
