//! Exports that another program writes: one error that says so, never partial totals.

use crate::run::{Run, run, run_with_cache, sample, temporary_folder};
use dlprof_core::{Cache, Capture, ModeChoice, ReadOptions, RowDetail, RowReader, SqliteOptions};
use rusqlite::Connection;
use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Once;

/// So many rows that progress is reported while they are read.
const ROWS: u32 = 70_000;

/// The sample with many ranges.
fn long_export(folder: &Path) -> PathBuf {
    export_with_ranges(folder, ROWS)
}

fn export_with_ranges(folder: &Path, rows: u32) -> PathBuf {
    let file = folder.join("long.sqlite");
    fs::copy(sample(), &file).expect("a copy");
    let sql = format!(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {rows}),
             first AS (SELECT max(end) AS end, globalTid FROM NVTX_EVENTS)
         INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid)
             SELECT first.end + 10 * i, first.end + 10 * i + 5, 59, 'range', globalTid FROM n, first;"
    );
    Connection::open(&file).and_then(|database| database.execute_batch(&sql)).expect("SQL");
    file
}

/// The sample as a DLProf database with many texts.
fn long_database(folder: &Path) -> PathBuf {
    let file = folder.join("long-dlprof.sqlite");
    let written = run("export -q -o", &[&file, &sample()]);
    assert_eq!(written.code, 0, "{written:?}");
    let sql = format!(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {ROWS})
         INSERT INTO dictionary SELECT max_id + i, 'another text ' || i FROM n, (SELECT max(id) AS max_id FROM dictionary);"
    );
    Connection::open(&file).and_then(|database| database.execute_batch(&sql)).expect("SQL");
    file
}

/// What another program does to a file.
type Change = fn(&Path);

const CHANGES: [(&str, Change); 6] = [
    ("it grows", |file| {
        File::options()
            .append(true)
            .open(file)
            .and_then(|mut file| file.write_all(&[0; 4096]))
            .expect("room");
    }),
    ("its counter of changes grows, and its time is set back", |file| {
        let modified = fs::metadata(file).and_then(|file| file.modified()).expect("a time");
        let mut file = File::options().write(true).open(file).expect("a file");
        file.seek(SeekFrom::Start(24)).and_then(|_| file.write_all(b"next")).expect("a change");
        file.set_modified(modified).expect("a time");
    }),
    ("a program adds a table", |file| {
        let database = Connection::open(file).expect("a database");
        database.execute_batch("PRAGMA journal_mode = OFF; CREATE TABLE other (x)").expect("SQL");
    }),
    ("another file takes its name", |file| {
        let other = file.with_extension("other");
        fs::copy(file, &other).and_then(|_| fs::rename(&other, file)).expect("another file");
    }),
    ("it is removed", |file| fs::remove_file(file).expect("no file")),
    ("a log appears beside it", |file| {
        fs::write(format!("{}-wal", file.display()), "frames").expect("a log");
    }),
];

/// Reads a copy of a file that changes in the middle; returns what is said.
fn read_while(change: Change, file: &Path, options: &ReadOptions<'_>) -> String {
    let folder = temporary_folder();
    let copy = folder.path().join("run.sqlite");
    fs::copy(file, &copy).expect("a copy");
    let (once, cache) = (Once::new(), Cache::new(folder.path().join("cache"), Cache::LIMIT_BYTES));
    let on_progress = |_, _| {
        once.call_once(|| change(&copy));
        ControlFlow::Continue(())
    };
    let options = ReadOptions { on_progress: Some(&on_progress), ..options.clone() };
    let read = if options.sqlite.detail == RowDetail::Analysis {
        cache.export(&copy, ModeChoice::default()).read(&options)
    } else {
        Capture::read(&copy, &options)
    };
    assert!(once.is_completed(), "it changed while it was read");
    let kept = cache.entries().expect("a folder").len();
    match read {
        Ok(_) => format!("{kept} kept"),
        Err(error) => {
            assert_eq!(kept, 0, "nothing is kept");
            error.to_string()
        }
    }
}

#[test]
fn a_file_that_changes_while_it_is_read_is_refused() {
    let folder = temporary_folder();
    let export = long_export(folder.path());
    let database = long_database(folder.path());
    for (what, change) in CHANGES {
        let expected = if what.contains("log") {
            "holds changes that are not in it yet"
        } else {
            "changed while it was read"
        };
        let check = |file: &Path, reader, detail| {
            let sqlite = SqliteOptions { reader, detail };
            let said = read_while(change, file, &ReadOptions { sqlite, ..ReadOptions::default() });
            assert!(said.contains(expected), "{what}, {reader:?}, {detail:?}, {}: {said}", file.display());
        };
        check(&export, RowReader::Pages, RowDetail::Analysis);
        check(&export, RowReader::Sqlite, RowDetail::Analysis);
        check(&export, RowReader::Auto, RowDetail::Records);
        check(&database, RowReader::Auto, RowDetail::Analysis);
    }
    let said = read_while(|_| {}, &export, &ReadOptions::default());
    assert_eq!(said, "1 kept");
}

fn assert_refused(run: &Run, error: &str) {
    assert_eq!((run.code, run.stdout.as_str()), (3, ""), "{run:?}");
    assert!(run.stderr.contains(error) && run.stderr.contains("hint: "), "{run:?}");
}

/// A program has begun to write and has not ended. It writes no journal, as nsys does.
#[cfg(unix)]
#[test]
fn what_a_program_writes_now_is_not_read() {
    let folder = temporary_folder();
    let out = folder.path().join("out.json");
    for file in [long_export(folder.path()), long_database(folder.path())] {
        let writer = Connection::open(&file).expect("a database");
        writer.execute_batch("PRAGMA journal_mode = OFF; BEGIN IMMEDIATE").expect("SQL");
        let error = format!("is being written by process {}", std::process::id());
        let query = PathBuf::from("SELECT count(*) FROM ops");
        let doors: [(&str, &[&Path]); 5] = [
            ("", &[&file]),
            ("check", &[&file]),
            ("show ops", &[&file]),
            ("export -o", &[&out, &file]),
            ("query", &[&file, &query]),
        ];
        for (words, paths) in doors {
            assert_refused(&run(words, paths), &error);
        }
        assert!(!out.exists());
        writer.execute_batch("COMMIT").expect("SQL");
        assert_eq!(run("show ops", &[&file]).code, 0);
        // A program that only reads is not in the way.
        writer.execute_batch("BEGIN; SELECT count(*) FROM sqlite_schema").expect("SQL");
        assert_eq!(run("show ops", &[&file]).code, 0);
    }
    let file = long_export(folder.path());
    let writer = Connection::open(&file).expect("a database");
    writer.execute_batch("BEGIN EXCLUSIVE").expect("SQL");
    for words in ["stats", "baseline --force -o"] {
        let paths: &[&Path] = if words == "stats" { &[&file] } else { &[&out, &file] };
        assert_refused(&run(words, paths), "is being written by process");
    }
}

/// What is kept of an export is not shown while the export is incomplete.
#[test]
fn a_kept_capture_of_an_incomplete_export_is_not_used() {
    let folder = temporary_folder();
    let (file, cache) = (export_with_ranges(folder.path(), 2 * ROWS), folder.path().join("cache"));
    let show = || run_with_cache(&cache, "show ops --format csv", &[&file]);
    let first = show();
    assert_eq!(first.code, 0, "{first:?}");
    let kept = fs::read_dir(cache.join("dlprof-agg")).expect("a cache").count();
    assert!(kept > 0, "the capture is kept");
    for journal in ["long.sqlite-wal", "long.sqlite-journal"] {
        fs::write(folder.path().join(journal), "frames").expect("a journal");
        assert_refused(&show(), "holds changes that are not in it yet");
        fs::remove_file(folder.path().join(journal)).expect("a file");
    }
    assert_eq!(show().stdout, first.stdout);
}
