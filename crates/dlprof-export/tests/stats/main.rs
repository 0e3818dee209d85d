//! Reports of `nsys stats`, byte for byte: what nsys itself printed for real exports, where they are beside the project.

mod golden;
mod options;
mod outcomes;

use dlprof_core::{
    Capture, Error, NsysFilter, NsysForm, NsysRefusal, NsysRequest, ReadOptions, RowDetail, SqliteOptions,
    make_nsys_report,
};
use dlprof_export::{NsysFormatArguments, NsysLayout, StatsFormat, StatsTimeUnit, write_nsys_report};
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
fn form_of(version: &str) -> NsysForm {
    match version {
        "2020.4.3" => NsysForm::V2020,
        "2022.4.2" => NsysForm::V2022,
        "2023.4.4" => NsysForm::V2023,
        "2024.2.3" => NsysForm::V2024,
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
    filter: NsysFilter,
}

/// A report as nsys prints it, and its number of rows.
fn print(
    capture: &Capture,
    report: &str,
    form: NsysForm,
    asked: &Asked,
) -> Result<(Vec<u8>, usize), NsysRefusal> {
    let mut request = NsysRequest::parse(report, form)?;
    request.filter = asked.filter.clone();
    let made = make_nsys_report(capture, &request, form, "FILE")?;
    let name = report.split(':').next().unwrap_or(report);
    let layout = NsysLayout {
        form,
        time_unit: asked.time_unit,
        title: request.entry.title,
        name,
        arguments: &NsysFormatArguments::default(),
    };
    let mut text = Vec::new();
    write_nsys_report(&made, asked.format, &layout, &mut text).expect("a vector takes all");
    Ok((text, made.len()))
}

const AS_CSV: Asked =
    Asked { format: StatsFormat::Csv, time_unit: StatsTimeUnit::Nanoseconds, filter: NsysFilter::None };

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
