//! What data files say about the capture they were made from.

use crate::formats::{for_each_profile, profile_of};
use dlprof_core::{Capture, Judged, ReadOptions, TABLES, Table, Value, definition};
use dlprof_export::{
    DOCUMENT_VERSION, ExportOutput, ExportPlan, ExportSource, Inputs, Overwrite, ReportOptions, ReportTables,
    TimeUnit, write_json_document,
};
use parquet::file::reader::{FileReader, SerializedFileReader};
use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// A copy of the sample that began at a known time.
fn dated_sample(folder: &Path) -> (PathBuf, Judged) {
    let file = folder.join("dated.sqlite");
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/sample.sqlite");
    std::fs::copy(sample, &file).expect("a copy");
    let database = rusqlite::Connection::open(&file).expect("a database");
    database
        .execute_batch(
            "DROP TABLE IF EXISTS TARGET_INFO_SESSION_START_TIME;
             CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs, utcTime, localTime);
             INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1758814926669571967, '', '');
             CREATE TABLE FILLED AS SELECT randomblob(3000000);",
        )
        .expect("SQL");
    drop(database);
    let capture = Capture::read(&file, &ReadOptions::default()).expect("a capture");
    (file, profile_of(&capture))
}

/// Exports two tables to paths in a folder.
fn export(profile: &Judged, folder: &Path, names: &[&str]) {
    let tables = [definition("ops").expect("a table"), definition("kernels").expect("a table")];
    for name in names {
        let tables = if name.contains('.') && !name.ends_with(".json") { &tables[..1] } else { &tables };
        let output = ExportOutput::new(&folder.join(name), None, tables.len()).expect("an output");
        let plan = ExportPlan {
            tables,
            outputs: &[output],
            report: ReportOptions {
                tables: ReportTables::Usual,
                most_rows: None,
                time_unit: TimeUnit::Auto,
                font: None,
            },
            profile_name: "run",
            csv_safe: false,
            per_iteration: false,
            overwrite: Overwrite::Refuse,
            inputs: &Inputs::default(),
            database: None,
            on_rows: None,
        };
        plan.check().expect("nothing is there");
        plan.write(profile).expect("files");
    }
}

fn json_of(path: &Path) -> Json {
    serde_json::from_slice(&std::fs::read(path).expect("the file")).expect("JSON")
}

#[test]
fn data_files_name_their_capture() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, profile) = dated_sample(folder.path());
    export(&profile, folder.path(), &["all.json", "ops.parquet", "ops.arrow", "tables/"]);
    let bytes = std::fs::read(&file).expect("the capture");
    assert!(bytes.len() > 2 << 20, "the ends of the file differ");
    let sum =
        |bytes: &[u8]| -> String { Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect() };
    let span = profile.iterations.aggregated_span();
    let expected = json!({
        "path": std::path::absolute(&file).expect("a path"),
        "size_bytes": bytes.len(),
        "sha256_first_mib": sum(&bytes[..1 << 20]),
        "sha256_last_mib": sum(&bytes[bytes.len() - (1 << 20)..]),
        "captured_at": "2025-09-25T15:42:06.669Z",
        "command": "python3 train.py",
        "nsys_version": profile.capture.source.product_version,
        "schema_version": profile.capture.source.schema_version,
        "mode": profile.capture.description.mode.as_str(),
        "mode_reason": profile.capture.description.mode_reason,
        "window": {
            "start_ns": span.start, "end_ns": span.end, "clock": "cpu", "cut_start_ns": null, "cut_end_ns": null,
            "iter_start": profile.iterations.start, "iter_stop": profile.iterations.stop,
            "passes": profile.iterations.passes(),
            "key_node": profile.iterations.key_node.as_ref().map(|key_node| key_node.name.as_str()),
        },
        "tool": "dlprof-agg",
        "tool_version": env!("CARGO_PKG_VERSION"),
    });
    assert_eq!(json_of(&folder.path().join("all.json"))["source"], expected);
    let manifest = json_of(&folder.path().join("tables/export.json"));
    assert_eq!(manifest["source"], expected);
    let tables: Vec<_> = manifest["tables"].as_array().expect("tables").iter().collect();
    assert_eq!(tables.len(), 2);
    for table in tables {
        let csv = folder.path().join("tables").join(table["file"].as_str().expect("a name"));
        let rows = csv::Reader::from_path(csv).expect("a CSV").into_records().count();
        assert_eq!(table["rows"], rows);
    }
    let parquet = std::fs::File::open(folder.path().join("ops.parquet")).expect("the file");
    let reader = SerializedFileReader::new(parquet).expect("a Parquet file");
    let metadata = reader.metadata().file_metadata().key_value_metadata().expect("metadata");
    let source = metadata.iter().find(|entry| entry.key == "source").and_then(|entry| entry.value.as_ref());
    assert_eq!(serde_json::from_str::<Json>(source.expect("the source")).expect("JSON"), expected);
    let arrow = std::fs::File::open(folder.path().join("ops.arrow")).expect("the file");
    let reader = arrow_ipc::reader::FileReader::try_new(arrow, None).expect("an Arrow file");
    let schema = reader.schema();
    let source = &schema.metadata()["source"];
    assert_eq!(serde_json::from_str::<Json>(source).expect("JSON"), expected);
}

#[test]
fn what_is_not_known_of_a_capture_is_null() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, profile) = dated_sample(folder.path());
    std::fs::write(&file, b"something else").expect("a file");
    let changed = ExportSource::of(&profile);
    assert_eq!((changed.sha256_first_mib, changed.sha256_last_mib), (None, None));
    std::fs::remove_file(&file).expect("the file");
    assert_eq!(ExportSource::of(&profile).sha256_first_mib, None);
    for_each_profile(|profile, _| {
        let source = ExportSource::of(profile);
        let is_dated = !source.nsys_version.is_empty();
        assert_eq!(source.captured_at.is_some(), is_dated, "the other capture has no table with a date");
    });
}

#[test]
fn rows_of_a_document_hold_names_as_texts() {
    for_each_profile(|profile, tables| {
        let mut bytes = Vec::new();
        let source = ExportSource::of(profile);
        write_json_document(profile, "run", tables, &source, &mut bytes).expect("memory takes everything");
        let document: Json = serde_json::from_slice(&bytes).expect("JSON");
        assert_eq!(document["document_version"], DOCUMENT_VERSION);
        assert_eq!(document.get("names"), None, "no name stands elsewhere");
        assert!(document["tables"]["kernel_names"][0]["long_kernel_name"].is_string());
        let mut names = 0;
        for table in tables {
            for column in (0..table.columns()).filter(|&at| table.header(at).key == "long_kernel_name") {
                for row in 0..table.rows() {
                    let cell = &document["tables"][table.key()][row]["long_kernel_name"];
                    let expected = match table.value(row, column) {
                        Value::Text(text) => Json::from(text.as_ref()),
                        _ => Json::Null,
                    };
                    assert_eq!(cell, &expected, "{} {row}", table.key());
                    names += usize::from(cell.is_string());
                }
            }
        }
        assert!(names > 1, "several tables name kernels");
    });
}

#[test]
fn a_row_of_a_document_is_a_line() {
    for_each_profile(|profile, tables| {
        let mut bytes = Vec::new();
        let source = ExportSource::of(profile);
        write_json_document(profile, "run", tables, &source, &mut bytes).expect("memory takes everything");
        let text = String::from_utf8(bytes).expect("UTF-8");
        let rows: usize = tables.iter().map(|table| table.rows()).sum();
        let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("      {")).collect();
        assert_eq!(lines.len(), rows);
        for line in lines {
            let row: Json = serde_json::from_str(line.trim().trim_end_matches(',')).expect("an object");
            assert!(row.is_object());
        }
    });
}

#[test]
fn parquet_keeps_each_text_of_a_column_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/sample.sqlite");
    let capture = Capture::read(&sample, &ReadOptions::default()).expect("a capture");
    let profile = profile_of(&capture);
    let kernels = TABLES.iter().find(|table| table.key == "kernels").expect("the table");
    let table: Box<dyn Table + '_> = (kernels.build)(&profile);
    let path = folder.path().join("kernels.parquet");
    dlprof_export::write_table_file(table.as_ref(), dlprof_export::Format::Parquet, None, &path)
        .expect("a file");
    let reader = SerializedFileReader::new(std::fs::File::open(&path).expect("the file")).expect("Parquet");
    for column in reader.metadata().row_group(0).columns() {
        if column.column_path().string() == "long_kernel_name" {
            assert!(column.dictionary_page_offset().is_some());
        }
    }
}
