//! The eight reports against DLProf 1.8.0's own, on its own input.

use crate::shuffled::shuffle;
use dlprof_core::{Capture, Judged, KeyNodeChoice, RangeChoice, ReadOptions};
use dlprof_export::DlprofReport;
use dlprof_generate::corpus::folder;
use rusqlite::Connection;
use std::collections::BTreeMap;
use std::path::Path;

fn reports(file: &Path, threads: usize) -> BTreeMap<&'static str, String> {
    let capture = Capture::read(file, &ReadOptions { threads, ..ReadOptions::default() }).expect("a capture");
    let index = capture.index(&KeyNodeChoice::Dlprof).expect("an index");
    let profile = Judged::from(index.profile(&RangeChoice::dlprof()).expect("a profile"));
    DlprofReport::ALL.iter().map(|report| (report.file_suffix(), csv(*report, &profile))).collect()
}

/// A report as CSV.
pub(crate) fn csv(report: DlprofReport, profile: &Judged) -> String {
    let mut text = Vec::new();
    report.write_csv(profile, None, &mut text).expect("a text");
    String::from_utf8(text).expect("UTF-8")
}

fn expected(corpus: &Path) -> BTreeMap<&'static str, String> {
    let read = |report: &DlprofReport| {
        let file = corpus.join(format!("dlprof/w_Relu/dlprof_{}.csv", report.file_suffix()));
        (report.file_suffix(), std::fs::read_to_string(file).expect("DLProf's report"))
    };
    DlprofReport::ALL.iter().map(read).collect()
}

/// What differs by design: the tool's own version and build, and the wording of findings.
fn without_own_lines(reports: &mut BTreeMap<&'static str, String>, more: &[&str]) {
    let own =
        ["DLProf Version,", "DLProf Build,"].into_iter().chain(more.iter().copied()).collect::<Vec<_>>();
    let summary = reports.get_mut("summary").expect("a summary");
    let kept: Vec<&str> =
        summary.split('\n').filter(|line| !own.iter().any(|start| line.starts_with(start))).collect();
    *summary = kept.join("\n");
    reports.remove("expert_systems");
}

fn assert_same_reports(actual: &BTreeMap<&str, String>, expected: &BTreeMap<&str, String>, what: &str) {
    for (report, text) in expected {
        let first_difference = text.lines().zip(actual[report].lines()).find(|(a, b)| a != b);
        assert!(actual[report] == *text, "{what}: report {report} differs: {first_difference:#?}");
    }
}

#[test]
fn reports_are_byte_identical_to_dlprofs() {
    let Some(corpus) = folder() else { return };
    let mut expected = expected(&corpus);
    let mut actual = reports(&corpus.join("dlprof/w_Relu/nsys_profile.sqlite"), 1);
    check_findings(&actual["expert_systems"], &expected["expert_systems"]);
    without_own_lines(&mut expected, &[]);
    without_own_lines(&mut actual, &[]);
    assert_eq!(expected.len(), 7);
    assert_same_reports(&actual, &expected, "w_Relu");
}

/// Number, order and figures of the findings; the wording is our own.
fn check_findings(actual: &str, expected: &str) {
    let rows = |text: &str| -> Vec<csv::StringRecord> {
        let mut reader =
            csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
        reader.records().map(|row| row.expect("CSV")).collect()
    };
    let (actual, expected) = (rows(actual), rows(expected));
    assert_eq!(actual.len(), expected.len());
    assert_eq!(actual[..2], expected[..2]);
    let figures = [vec!["5"], vec!["0.0%", "79.1%"], vec!["DALI"], vec!["--key"]];
    for ((row, figures), theirs) in actual[2..].iter().zip(figures).zip(&expected[2..]) {
        for figure in figures {
            assert!(row.iter().any(|cell| cell.contains(figure)), "{figure} in {row:?}");
            assert!(theirs.iter().any(|cell| cell.contains(figure)), "{figure} in {theirs:?}");
        }
    }
}

#[test]
fn re_exports_of_the_same_report_give_the_same() {
    let Some(corpus) = folder() else { return };
    let tolerated = ["Framework,", "NSys Version,"];
    let mut expected = expected(&corpus);
    without_own_lines(&mut expected, &tolerated);
    for export in ["ex2022", "ex2022-nolazy", "ex2023", "ex2024-nolazy", "ex2024-tsnorm"] {
        let file = corpus.join(format!("dlprof-torch-relu-2070s-2022.1.3-{export}.sqlite"));
        let mut actual = reports(&file, 2);
        without_own_lines(&mut actual, &tolerated);
        assert_same_reports(&actual, &expected, export);
    }
}

/// Texts of ranges move into `StringIds`, kernel and function names out of it.
fn swap_texts(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(
        "INSERT INTO StringIds SELECT 1000000 + min(rowid), text FROM NVTX_EVENTS WHERE text IS NOT NULL GROUP BY text;
         UPDATE NVTX_EVENTS SET textId = (SELECT max(id) FROM StringIds WHERE value = text), text = NULL
          WHERE text IS NOT NULL;
         CREATE TABLE kernels AS SELECT * FROM CUPTI_ACTIVITY_KIND_KERNEL;
         UPDATE kernels SET shortName = (SELECT value FROM StringIds WHERE id = shortName),
                            demangledName = (SELECT value FROM StringIds WHERE id = demangledName);
         DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL;
         CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL AS SELECT start, end, deviceId, correlationId, globalPid,
            gridX, gridY, gridZ, blockX, blockY, blockZ, CAST(shortName AS TEXT) AS shortName,
            CAST(demangledName AS TEXT) AS demangledName FROM kernels;
         DROP TABLE kernels;",
    )
}

#[test]
fn neither_row_order_nor_text_storage_nor_threads_matter() {
    let Some(corpus) = folder() else { return };
    let original = corpus.join("dlprof/w_Relu/nsys_profile.sqlite");
    let expected = reports(&original, 1);
    assert_same_reports(&reports(&original, 4), &expected, "4 threads");
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    for seed in [7, 4099] {
        for swaps in [false, true] {
            let file = folder.path().join(format!("shuffled-{seed}-{swaps}.sqlite"));
            std::fs::write(&file, std::fs::read(&original).expect("the export")).expect("a copy");
            let connection = Connection::open(&file).expect("a database");
            connection.pragma_update(None, "foreign_keys", false).expect("no constraints");
            if swaps {
                swap_texts(&connection).expect("texts swapped");
            }
            shuffle(&connection, seed).expect("rows shuffled");
            drop(connection);
            for threads in [1, 3] {
                assert_same_reports(&reports(&file, threads), &expected, &file.display().to_string());
            }
        }
    }
}
