//! Every file for which a capture's texts are only data is parsed, of a capture whose names have what breaks careless writers.

use crate::formats::{odd_export, profile_of};
use dlprof_core::{Capture, Definition, ReadOptions, TABLES};
use dlprof_export::{
    ExportContent, ExportOutput, ExportPlan, FORMATS, Format, Inputs, Overwrite, ReportOptions, ReportTables,
    TimeUnit, Together,
};
use quick_xml::events::Event;
use rusqlite::Connection;
use std::io::{Cursor, Read};
use std::path::Path;

/// Parts of names that break writers of some format.
const NAMES: [&str; 9] = [
    "\u{1}control\u{7f}\u{1b}[31m\u{9b}2J",
    "]]> </script> <!-- ${x}",
    "\u{202E}turned\u{61C}",
    "\u{FFFE}no character\u{FFFF}\u{2028}",
    "| pipe ` tick `` ticks \\ \"quote\"",
    "two\nlines\r\nthree\u{85}",
    "=cmd()",
    "@SUM(1)+cmd|' /C calc'!A0",
    "&amp; %s {} \u{0}end",
];

/// A capture whose ranges, kernels, threads, processes and GPU have these names, and some that are no UTF-8.
fn hostile(folder: &Path) -> Capture {
    let file = odd_export(folder, &NAMES.map(str::to_owned));
    // Half of a pair of surrogates.
    let all = [NAMES.concat().as_bytes(), b"\xED\xA0\x80"].concat();
    let database = Connection::open(&file).expect("a database");
    database
        .execute_batch(
            "CREATE TABLE ThreadNames (nameId INTEGER, priority INTEGER, globalTid INTEGER);
             INSERT INTO ThreadNames SELECT DISTINCT 2, 0, globalTid FROM NVTX_EVENTS;
             CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT);
             INSERT INTO PROCESSES SELECT DISTINCT globalPid, 1, '' FROM CUPTI_ACTIVITY_KIND_KERNEL;",
        )
        .expect("SQL");
    for (table, column) in [("StringIds", "value"), ("PROCESSES", "name"), ("TARGET_INFO_GPU", "name")] {
        let sql = format!("UPDATE {table} SET {column} = CAST(?1 AS TEXT) || {column}");
        database.execute(&sql, [&all]).expect("new names");
    }
    drop(database);
    Capture::read(&file, &ReadOptions::default()).expect("a capture")
}

/// Checks that a text is XML: its elements and attributes, and that it has only characters that XML may have.
fn assert_xml(text: &str, name: &str) {
    let is_allowed = |c: char| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..);
    let wrong = text.char_indices().find(|&(_, c)| !is_allowed(c));
    assert_eq!(wrong, None, "{name}");
    let mut reader = quick_xml::Reader::from_str(text);
    loop {
        match reader.read_event().unwrap_or_else(|error| panic!("{name}: {error}")) {
            Event::Start(element) | Event::Empty(element) => {
                for attribute in element.attributes() {
                    drop(attribute.unwrap_or_else(|error| panic!("{name}: {error}")));
                }
            }
            Event::Eof => return,
            _ => {}
        }
    }
}

/// Checks a file by its ending.
fn assert_parses(path: &Path) {
    let bytes = std::fs::read(path).expect("a file");
    let name = path.file_name().expect("a name").to_string_lossy().into_owned();
    let text = || String::from_utf8(bytes.clone()).expect("UTF-8");
    let json = |text: &str| {
        let parsed: Result<serde_json::Value, _> = serde_json::from_str(text);
        assert!(parsed.is_ok(), "{name}: {parsed:?}");
    };
    match name.rsplit_once('.').expect("an ending").1 {
        "json" => json(&text()),
        "ndjson" => text().lines().for_each(json),
        "xlsx" => {
            let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).expect("an archive");
            for at in 0..archive.len() {
                let mut part = archive.by_index(at).expect("a part");
                let (mut text, name) = (String::new(), part.name().expect("its name").into_owned());
                part.read_to_string(&mut text).expect("UTF-8");
                assert_xml(&text, &name);
            }
        }
        "md" | "step-summary" => {
            let obeyed = |c: char| {
                (c.is_control() && c != '\n') || matches!(c, '\u{61C}' | '\u{2028}'..='\u{202E}' | '\u{FFFE}')
            };
            assert_eq!(text().chars().find(|&c| obeyed(c)), None, "{name}");
        }
        "html" => {
            let page = text();
            assert!(page.trim_end().ends_with("</html>") && !page.contains(['\u{202E}', '\u{1b}']), "{name}");
        }
        _ => {}
    }
}

#[test]
fn names_of_captures_break_no_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let profile = profile_of(&hostile(folder.path()));
    let tables: Vec<&'static Definition> = TABLES.iter().collect();
    let of_table = |format: Format| ExportOutput {
        path: folder.path().join(format.extension()),
        content: ExportContent::Folder(format),
    };
    let mut outputs = [Format::Json, Format::Ndjson, Format::Markdown].map(of_table).to_vec();
    outputs.extend(FORMATS.iter().filter_map(|format| {
        let content = format.together.filter(|one| !matches!(one, Together::Dlprof | Together::Events))?;
        let path = folder.path().join(format!("profile.{}", format.ending));
        Some(ExportOutput { path, content: ExportContent::Together(content) })
    }));
    ExportPlan {
        tables: &tables,
        outputs: &outputs,
        report: ReportOptions {
            tables: ReportTables::Usual,
            most_rows: None,
            time_unit: TimeUnit::Auto,
            font: None,
        },
        profile_name: "run ]]>\u{1b}\u{FFFF}\u{202E} </script> =cmd()",
        csv_safe: false,
        per_iteration: false,
        overwrite: Overwrite::Refuse,
        inputs: &Inputs::default(),
        database: None,
        on_rows: None,
    }
    .write(&profile)
    .expect("files");
    for output in &outputs {
        let is_folder = output.path.is_dir();
        let inside = std::fs::read_dir(&output.path).into_iter().flatten().flatten();
        let files: Vec<_> = inside.map(|file| file.path()).collect();
        assert_eq!(is_folder, files.len() > 10, "{}", output.path.display());
        files.iter().for_each(|file| assert_parses(file));
        if !is_folder {
            assert_parses(&output.path);
        }
    }
}
