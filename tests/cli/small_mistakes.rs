//! Small mistakes and odd names: each is said in one short sentence, and no name changes what a terminal shows.

use crate::run::{Run, run, sample, temporary_folder};
use rusqlite::Connection;
use std::fs;
use std::path::Path;

fn settings(folder: &Path, text: &str) -> Run {
    let file = folder.join("settings.toml");
    fs::write(&file, text).expect("a file");
    run("show summary --config", &[&file, &sample()])
}

#[test]
fn numbers_that_mean_nothing_are_refused_in_settings_files() {
    let folder = temporary_folder();
    for (text, place, reason) in [
        ("batch-size = 0\n", "line 1, column 14", "a batch has at least one item"),
        ("[gpus.\"GPU X\"]\nsms = 0\n", "line 2, column 7", "a GPU has at least one multiprocessor"),
    ] {
        let failed = settings(folder.path(), text);
        assert_eq!((failed.code, failed.stdout.as_str()), (2, ""), "{failed:?}");
        assert!(failed.stderr.contains(place) && failed.stderr.contains(reason), "{failed:?}");
    }
    for good in ["batch-size = 1\n", "[gpus.\"GPU X\"]\nsms = 1\n"] {
        assert_eq!(settings(folder.path(), good).code, 0, "{good}");
    }
}

#[test]
fn more_threads_than_there_can_be_are_said_to_be_too_many() {
    let folder = temporary_folder();
    let usual = run("show summary --threads 256", &[&sample()]);
    assert_eq!((usual.code, usual.stderr.as_str()), (0, ""), "{usual:?}");
    for many in [run("show summary --threads 257", &[&sample()]), settings(folder.path(), "threads = 257\n")]
    {
        assert_eq!((many.code, &many.stdout), (0, &usual.stdout), "{many:?}");
        assert!(many.stderr.contains("256 threads are used"), "{many:?}");
    }
}

/// A machine that did not ask its GPUs writes empty names and zeros.
#[test]
fn what_is_not_known_of_gpus_is_not_shown_as_zero() {
    let folder = temporary_folder();
    let file = folder.path().join("gpus.sqlite");
    for name in ["NULL", "''", "'  '"] {
        fs::copy(sample(), &file).expect("a copy");
        let zeros = "smCount = 0, totalMemory = 0, clockRate = 0, memoryBandwidth = 0";
        let sql = format!("UPDATE TARGET_INFO_GPU SET name = {name}, {zeros};");
        Connection::open(&file).and_then(|database| database.execute_batch(&sql)).expect("SQL");
        let columns = "gpu_name,memory_bytes,sm_count,clock_mhz,memory_bandwidth_gb_s,peak_gb_per_s";
        let gpus = run("show gpus --format json", &[&file]);
        let rows: serde_json::Value = serde_json::from_str(&gpus.stdout).expect("JSON");
        let gpu = rows[0].as_object().expect("a GPU");
        let zero = |key: &&String| columns.contains(key.as_str()) && gpu[key.as_str()] == 0;
        assert_eq!(gpu.keys().find(zero), None, "{name}: {gpu:?}");
        assert!(gpu["gpu_name"].is_null() && gpu["sm_count"].is_null(), "{name}: {gpu:?}");
        // A second GPU with a name.
        let second = "INSERT INTO TARGET_INFO_GPU SELECT * FROM TARGET_INFO_GPU;
                      UPDATE TARGET_INFO_GPU SET name = 'GPU X', id = 1, cuDevice = 1 WHERE rowid = 2;";
        Connection::open(&file).and_then(|database| database.execute_batch(second)).expect("SQL");
        let summary = run("show summary", &[&file]);
        assert!(summary.stdout.contains("unnamed GPU, GPU X"), "{name}: {summary:?}");
        let details = run("--details", &[&file]);
        assert!(details.stdout.contains("0  unnamed GPU"), "{name}: {details:?}");
    }
}

#[test]
fn messages_do_not_repeat_long_texts() {
    let folder = temporary_folder();
    let long = "x".repeat(100_000);
    let sample = sample();
    let words =
        ["--key-node ", "--where ", "--columns ", "--from ", "--format ", "--iteration ", "--iter-start "];
    let mut runs: Vec<Run> =
        words.iter().map(|word| run(&format!("show ops {word}{long}"), &[&sample])).collect();
    runs.push(run(&format!("show {long}"), &[&sample]));
    runs.push(run(&format!("explain {long}"), &[]));
    runs.push(run(&format!("stats -r {long}"), &[&sample]));
    runs.push(run("query", &[&sample, Path::new(&format!("SELECT {long}"))]));
    for text in [format!("key-node = \"{long}\""), format!("{long} = 1"), format!("mode = \"{long}\"")] {
        runs.push(settings(folder.path(), &text));
    }
    for run in runs {
        assert_ne!(run.code, 0);
        let length = run.stdout.len() + run.stderr.len();
        assert!(length < 10_000, "{length}: {}", &run.stderr[..400]);
        assert!(run.stderr.contains("characters left out"), "{}", run.stderr);
    }
}

/// A file whose names have escape sequences, ends of lines, and characters that turn the direction of writing.
pub(crate) fn hostile(folder: &Path) -> std::path::PathBuf {
    let file = folder.join("names.sqlite");
    fs::copy(sample(), &file).expect("a copy");
    let sql = "UPDATE StringIds SET value = char(27) || '[31m' || value || char(7, 13, 10, 155) || '2J' || char(8238, 1564, 8232);
        UPDATE NVTX_EVENTS SET text = char(27) || '[31m' || text || char(7, 155) || '2J';
        UPDATE PROCESSES SET name = char(27) || '[1m' || name;";
    Connection::open(&file).and_then(|database| database.execute_batch(sql)).expect("SQL");
    file
}

/// Characters that a terminal obeys.
pub(crate) fn obeyed(text: &str) -> Vec<char> {
    let is_turning = |c: char| matches!(c, '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
    text.chars().filter(|&c| (c.is_control() && c != '\n') || is_turning(c)).collect()
}

/// A text without colours.
fn without_styles(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let style = part.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b';').count();
        plain.push_str(part[style..].strip_prefix('m').unwrap_or(part));
    }
    plain
}

#[test]
fn names_do_not_change_what_is_shown() {
    let folder = temporary_folder();
    let file = hostile(folder.path());
    let words = [
        "",
        "--details",
        "check",
        "show ops",
        "show kernels",
        "show key-nodes",
        "rules",
        "show findings",
        "rules --format markdown",
    ];
    for words in words {
        let run = run(&format!("{words} --color always"), &[&file]);
        assert_eq!(run.code, 0, "{words}: {run:?}");
        let has_styles = ["", "--details"].contains(&words);
        let shown = if has_styles { without_styles(&run.stdout) } else { run.stdout };
        assert_eq!(obeyed(&shown), [], "{words}");
    }
    let compared = run("compare", &[&file, &sample()]);
    assert_eq!((compared.code, obeyed(&compared.stdout)), (0, vec![]), "{}", compared.stdout);
    let missing = run("check --color always", &[Path::new("\u{1b}[31mnone\r.sqlite")]);
    assert!(missing.stderr.contains("` [31mnone .sqlite` does not exist"), "{missing:?}");
    assert_eq!((missing.code, obeyed(&without_styles(&missing.stderr))), (3, vec![]), "{missing:?}");
    // Data are whole.
    let data = run("show kernels --format json", &[&file]);
    assert!(data.stdout.contains("\\u001b[31m"));
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_nowhere_is_said_to_be_one() {
    let folder = temporary_folder();
    let link = folder.path().join("latest.sqlite");
    std::os::unix::fs::symlink("gone/run.sqlite", &link).expect("a link");
    let failed = run("check", &[&link]);
    assert_eq!(failed.code, 3, "{failed:?}");
    assert!(
        failed.stderr.contains("hint: it is a link to `gone/run.sqlite`, which does not exist"),
        "{failed:?}"
    );
}

#[test]
fn too_few_files_are_said_to_be_too_few() {
    let one = run("compare", &[&sample()]);
    assert_eq!((one.code, one.stdout.as_str()), (2, ""), "{one:?}");
    assert!(
        one.stderr.contains("error: no second run given") && one.stderr.contains("--iterations A,B"),
        "{one:?}"
    );
    let one = run("history", &[&sample()]);
    assert_eq!(one.code, 0, "{one:?}");
    assert!(one.stderr.contains("one baseline has no history"), "{one:?}");
    let two = run("history", &[&sample(), &sample()]);
    assert!(!two.stderr.contains("no history"), "{two:?}");
}
