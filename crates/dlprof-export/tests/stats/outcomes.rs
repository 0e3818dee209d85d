//! Every outcome that is known: rows, or why a report is skipped.

use super::{AS_CSV, expected_folder, form_of, print, read};
use dlprof_core::NsysRefusal;
use std::collections::BTreeMap;
use std::fmt::Write;

/// A line of `outcomes.csv`.
#[derive(serde::Deserialize, Debug)]
struct Line {
    version: String,
    report: String,
    export: String,
    outcome: String,
    rows: Option<usize>,
    message: String,
}

#[test]
fn every_known_outcome_is_the_same() {
    let Some(folder) = expected_folder() else { return };
    let mut lines: BTreeMap<String, Vec<Line>> = BTreeMap::new();
    for line in csv::Reader::from_path(folder.join("outcomes.csv")).expect("outcomes").deserialize() {
        let line: Line = line.expect("a line");
        lines.entry(line.export.clone()).or_default().push(line);
    }
    let mut differences = String::new();
    let (mut equal, mut all) = (0, 0);
    for (export, lines) in lines {
        let capture = match read(&export) {
            Ok(capture) => capture,
            Err(error) => panic!("{export}: {error}"),
        };
        for line in lines.iter().filter(|line| line.outcome != "timeout") {
            let made = print(&capture, &line.report, form_of(&line.version), &AS_CSV);
            let found = match &made {
                Ok((_, 0)) => ("empty", None, String::new()),
                Ok((_, rows)) => ("rows", Some(*rows), String::new()),
                Err(NsysRefusal::Skipped(message)) => ("skipped", None, message.clone()),
                Err(NsysRefusal::Failed(message)) => ("error", None, format!("ERROR: {message}")),
            };
            // nsys 2020 prints the header of a report without rows.
            let outcome = if line.rows == Some(0) { "empty" } else { line.outcome.as_str() };
            let rows = line.rows.filter(|&rows| rows > 0);
            let is_equal = found == (outcome, rows, line.message.clone());
            all += 1;
            equal += usize::from(is_equal);
            if !is_equal {
                let _ = writeln!(differences, "{line:?}\n   found {found:?}");
            }
        }
    }
    assert!(differences.is_empty(), "{differences}\n{equal} of {all} equal");
}
