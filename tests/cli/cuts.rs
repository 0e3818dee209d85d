//! `--from` and `--to`: a part of a capture.

use crate::run::{Run, run, run_with_cache, sample, temporary_folder};
use dlprof_generate::write_export;
use rusqlite::Connection;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// An export with plain ranges that is large enough to be kept.
fn made(folder: &Path) -> PathBuf {
    let file = folder.join("made.sqlite");
    write_export(&file, "--style ranges --kernels 16000").expect("an export");
    file
}

/// The middle half of the kernels of an export: its begin and end, how many run in it, and the time that they take there.
fn middle(file: &Path) -> (i64, i64, i64, i64) {
    let database = Connection::open(file).expect("a database");
    let (first, last): (i64, i64) = database
        .query_row("SELECT min(start), max(end) FROM CUPTI_ACTIVITY_KIND_KERNEL", [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .expect("kernels");
    let (from, to) = (first + (last - first) / 4, last - (last - first) / 4);
    let sql = "SELECT count(*), sum(min(end, ?2) - max(start, ?1)) FROM CUPTI_ACTIVITY_KIND_KERNEL
               WHERE start < ?2 AND end > ?1";
    let (count, ns) =
        database.query_row(sql, [from, to], |row| Ok((row.get(0)?, row.get(1)?))).expect("kernels");
    (from, to, count, ns)
}

fn tables(words: &str, file: &Path) -> Value {
    let folder = temporary_folder();
    let output = folder.path().join("tables.json");
    let written = run(&format!("export -q --no-cache {words} --iter-range all -o"), &[&output, file]);
    assert_eq!(written.code, 0, "{written:?}");
    serde_json::from_str(&std::fs::read_to_string(output).expect("a file")).expect("JSON")
}

#[test]
fn what_is_outside_does_not_exist() {
    let folder = temporary_folder();
    let file = made(folder.path());
    let (from, to, count, ns) = middle(&file);
    let cut = format!("--from {from}ns --to {to}ns");
    let made = tables(&format!("{cut} --tables kernel_names"), &file);
    let rows = made["tables"]["kernel_names"].as_array().expect("rows");
    let sum = |key: &str| rows.iter().map(|row| row[key].as_i64().expect("a number")).sum::<i64>();
    assert_eq!(sum("calls"), count, "launches");
    assert_eq!(sum("gpu_time_ns"), ns);
    let window = &made["source"]["window"];
    assert_eq!((window["cut_start_ns"].as_i64(), window["cut_end_ns"].as_i64()), (Some(from), Some(to)));
    assert!(tables("--tables summary", &file)["source"]["window"]["cut_start_ns"].is_null());
    let summary = run(&format!("reports -q --reports summary {cut} --output-path"), &[folder.path(), &file]);
    assert_eq!(summary.code, 0, "{summary:?}");
    let summary = std::fs::read_to_string(folder.path().join("dlprof_summary.csv")).expect("the summary");
    let all = summary.lines().find(|line| line.starts_with("All Kernels") || line.starts_with("Total,"));
    assert!(summary.contains("Total Iterations,1\n"), "{all:?} in {summary}");
    let page = run(&format!("{cut} --no-cache"), &[&file]);
    assert!(
        page.stdout.contains(" s captured") && page.stdout.contains("\u{b7} from 0.")
            || page.stdout.contains("\nfrom 0."),
        "{}",
        page.stdout
    );
}

#[test]
fn ranges_are_limits() {
    let folder = temporary_folder();
    let file = made(folder.path());
    let steps = |words: &str| {
        let found = tables(&format!("{words} --key-node step --tables iterations"), &file);
        found["tables"]["iterations"].as_array().expect("rows").len()
    };
    let all = steps("");
    assert!(all > 8, "{all}");
    let database = Connection::open(&file).expect("a database");
    let third: (i64, i64) = database
        .query_row(
            "SELECT start, end FROM NVTX_EVENTS WHERE text = 'step' OR textId = (SELECT id FROM StringIds WHERE value = 'step')
             ORDER BY start LIMIT 1 OFFSET 2",
            [],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .expect("a step");
    // Iteration 0 is what comes before the first step: nothing here, but it has its number.
    assert_eq!(steps(&format!("--from {}ns", third.0)), all - 2);
    assert_eq!(steps("--from start:step --to end:step"), all);
    let refused = run("--from stepp", &[&file]);
    assert_eq!(refused.code, 5, "{refused:?}");
    assert!(refused.stderr.contains("nearest texts: `step`"), "{refused:?}");
}

#[test]
fn what_cannot_be_cut_is_refused() {
    for (words, code, message) in [
        ("--from 29.8x", 2, "`--from`: `29.8x` is not a time of the capture"),
        ("--to 17", 2, "`--to`: `17` is not a time of the capture"),
        ("--from 3s --to 2s", 2, "the window from 3 s to 2 s ends before it starts"),
        ("--from 999s", 5, "`--from`: 999 s is outside of the capture, whose records run from "),
        ("--to 999s", 5, "`--to`: 999 s is outside of the capture"),
        ("--from nothing", 5, "`--from`: no range has the text `nothing`"),
        (
            "stats --from 1ms",
            2,
            "`stats` prints the reports of `nsys stats`, which know no `--from` and `--to`",
        ),
    ] {
        let refused = run(words, &[&sample()]);
        assert_eq!(refused.code, code, "{words}: {refused:?}");
        assert!(refused.stderr.contains(message), "{words}: {refused:?}");
    }
    let folder = temporary_folder();
    let database = folder.path().join("dlprof_dldb.sqlite");
    assert_eq!(run("export -q -o", &[&database, &sample()]).code, 0);
    let refused = run("--from 1ms", &[&database]);
    assert_eq!(refused.code, 5, "{refused:?}");
    assert!(refused.stderr.contains("is a DLProf database, which cannot be cut"), "{refused:?}");
}

/// What is kept of the whole capture, of a part and of another part are three things.
#[test]
fn kept_captures_do_not_mix() {
    let folder = temporary_folder();
    let (file, cache) = (made(folder.path()), folder.path().join("cache"));
    let (from, to, ..) = middle(&file);
    let cuts = [
        String::new(),
        format!("--from {from}ns"),
        format!("--to {to}ns"),
        format!("--from {from}ns --to {to}ns"),
    ];
    let shown = |cut: &String, more: &str| -> Run {
        run_with_cache(&cache, &format!("show summary --format csv {cut} {more}"), &[&file])
    };
    let fresh: Vec<Run> = cuts.iter().map(|cut| shown(cut, "--no-cache")).collect();
    for (at, run) in fresh.iter().enumerate() {
        assert_eq!(run.code, 0, "{run:?}");
        assert!(fresh[..at].iter().all(|other| other.stdout != run.stdout), "cuts differ");
    }
    for _ in 0..2 {
        for (cut, fresh) in cuts.iter().zip(&fresh) {
            assert_eq!(shown(cut, "").stdout, fresh.stdout, "{cut}");
        }
    }
}

#[test]
fn settings_files_name_a_cut() {
    let folder = temporary_folder();
    let file = made(folder.path());
    let (from, to, ..) = middle(&file);
    let settings = folder.path().join("cut.toml");
    std::fs::write(&settings, format!("from = \"{from}ns\"\nto = \"{to}ns\"\n")).expect("a file");
    let named = run("show summary --format csv --config", &[&settings, &file]);
    let typed = run(&format!("show summary --format csv --from {from}ns --to {to}ns"), &[&file]);
    assert_eq!(named.code, 0, "{named:?}");
    assert_eq!(named.stdout, typed.stdout);
}
