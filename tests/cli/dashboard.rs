//! The dashboard, the demo, help, completions.

use crate::run::{command, database, run, run_with_cache, sample, temporary_folder};
use std::path::Path;

const RANGE: &str = "--key-node /module/train_step --iter-start 15 --iter-stop 58";

/// The dashboard at some columns, with variables of the environment.
fn at(columns: usize, words: &str, variables: &[(&str, &str)]) -> String {
    let folder = temporary_folder();
    let mut command = command(folder.path(), words, &[&sample()]);
    let output = command.env("COLUMNS", columns.to_string()).envs(variables.iter().copied()).output();
    let output = output.expect("the program starts");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn dashboard_of_the_sample() {
    let run = run(RANGE, &[&sample()]);
    assert_eq!(run.code, 0, "{run:?}");
    let mut rest = run.stdout.as_str();
    // The answer, then what it is about, then where the time goes, then what to change.
    for part in [
        "CPU-bound: GPUs idle 12.8 % of the step. Three changes save about 6 %.\nThe host paces GPUs, which idle 12.8% of the time.",
        "sample.sqlite",
        " · iterations 15 to 58 of 0 to 64 (steady)\nkey node /module/train_step · CPU clock",
        "per iteration   GPU busy",
        "Where a step goes, µs",
        "mean of 44",
        "GPU compute 158",
        "(63.3 %)",
        "░░ idle",
        "Iterations, µs",
        "aggregated",
        " of 7 names, % of kernel time",
        "all by kind: ",
        "Top ops, equal ones folded",
        "What to change",
        "▲ ",
        "expected −",
        "NVIDIA H100 80GB HBM3",
        "DLProf's, this window: wall clock 11.0 ms, GPU utilization 81.2 %",
        "Tensor Core efficiency 100.0 %",
    ] {
        let place = rest.find(part).unwrap_or_else(|| panic!("`{part}` in {rest}"));
        rest = &rest[place + part.len()..];
    }
    assert!(!run.stdout.contains('\u{1b}'), "no colours in a pipe");
    assert!(run.stdout.lines().count() <= 50, "a screen: {}", run.stdout);
}

#[test]
fn the_dashboard_flows_from_60_to_250_columns() {
    for columns in [60, 80, 100, 139, 140, 160, 200, 250] {
        let text = at(columns, RANGE, &[]);
        for line in text.lines() {
            assert!(unicode_width::UnicodeWidthStr::width(line) <= columns, "{columns}: {line}");
        }
        for part in ["Where a step goes", "ernels, ", "Top ops", "What to change"] {
            assert!(text.contains(part), "`{part}` at {columns} columns");
        }
    }
    assert_eq!(at(100, RANGE, &[]), run(RANGE, &[&sample()]).stdout, "100 columns in a pipe");
    assert_eq!(at(7, RANGE, &[]), at(60, RANGE, &[]), "never narrower");
    // Columns go by importance.
    assert!(at(100, RANGE, &[]).contains("mean µs") && !at(60, RANGE, &[]).contains("mean µs"));
    // Op types stand beside ops.
    let beside = |columns| {
        at(columns, RANGE, &[])
            .lines()
            .any(|line| line.contains("Kernels, 7 names") && line.contains("Top ops"))
    };
    assert!(beside(160) && !beside(100));
}

#[test]
fn without_a_utf8_locale_the_dashboard_is_ascii() {
    for columns in [60, 100, 160] {
        let ascii = at(columns, RANGE, &[("LC_ALL", "C")]);
        assert!(ascii.is_ascii(), "{ascii}");
        assert!(ascii.contains("+/-") && ascii.contains(":: idle") && ascii.contains("###"), "{ascii}");
        assert!(ascii.lines().all(|line| line.len() <= columns), "{ascii}");
    }
    let of_language = at(100, RANGE, &[("LC_ALL", ""), ("LC_CTYPE", ""), ("LANG", "de_DE.UTF-8")]);
    assert_eq!(of_language, at(100, RANGE, &[]));
    assert!(at(100, RANGE, &[("LC_ALL", ""), ("LC_CTYPE", "POSIX"), ("LANG", "de_DE.UTF-8")]).is_ascii());
}

#[test]
fn details_show_all_that_left_the_first_screen() {
    let all = run(&format!("{RANGE} --details"), &[&sample()]).stdout;
    for part in [
        "In DLProf's terms",
        "Wall clock time",
        "Total iterations, with iteration 0            65",
        "Resources: TC kernels",
        "Kernels using Tensor Cores",
        "Eligible ops not using them",
        "States of iterations",
        "key node /module/train_step: named by the user",
        "process 4100",
        "dlprof-agg show ",
        "GPUs",
        "rule ",
        "confidence",
    ] {
        assert!(all.contains(part), "`{part}` in {all}");
    }
    let shown = run(&format!("show findings --format csv {RANGE}"), &[&sample()]);
    let rules = shown.stdout.lines().skip(1).filter_map(|line| line.split(',').next());
    for rule in
        rules.filter(|rule| rule.ends_with("_detector") || shown.stdout.contains(&format!("\n{rule},")))
    {
        assert!(all.contains(&format!("rule {rule}")), "{rule} in {all}");
    }
    let found = run("--iter-start 15 --iter-stop 58 --details", &[&sample()]).stdout;
    assert!(
        found.contains("found by a period of 7 kernels") && found.contains("medium confidence"),
        "{found}"
    );
}

/// A row of a table as `show` has it, by column.
fn rows_of(table: &str) -> Vec<std::collections::BTreeMap<String, String>> {
    let shown = run(&format!("show {table} --format csv {RANGE}"), &[&sample()]);
    let mut reader = csv::Reader::from_reader(shown.stdout.as_bytes());
    reader.deserialize().map(|row| row.expect("a row")).collect()
}

#[test]
fn json_has_the_figures_of_the_tables() {
    let run = run(&format!("{RANGE} --format json"), &[&sample()]);
    let json: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(json["version"], 4);
    let divisor = json["basis"]["divisor"].as_f64().expect("a number");
    let cell = |row: &std::collections::BTreeMap<String, String>, key: &str| {
        row[key].parse::<f64>().unwrap_or_else(|_| panic!("{key} of {row:?}"))
    };
    let same = |what: &str, json: &serde_json::Value, table: f64| {
        let json = json.as_f64().unwrap_or_else(|| panic!("{what}: {json}"));
        assert!((json - table).abs() <= 1e-6 * table.abs().max(1.0), "{what}: {json}, not {table}");
    };
    let kernels = rows_of("kernel_names");
    let shown = json["kernels"]["rows"].as_array().expect("a list");
    assert_eq!(shown.len(), kernels.len().min(50));
    for (row, table) in shown.iter().zip(&kernels) {
        assert_eq!(row["long_name"].as_str(), table.get("long_kernel_name").map(String::as_str));
        same("ns", &row["ns"], cell(table, "gpu_time_ns") / divisor);
        same("share", &row["percent"], cell(table, "gpu_time_percent"));
        same("calls", &row["calls"], cell(table, "calls") / divisor);
    }
    let kinds: f64 = json["kernels"]["kinds"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|kind| kind["ns"].as_f64())
        .sum();
    same("kinds", &json["kernels"]["total_ns"], kinds);
    let steps = rows_of("steps");
    for class in json["step"]["classes"].as_array().expect("a list") {
        let name = class["class"].as_str().expect("a name");
        let sum: f64 = steps.iter().map(|row| cell(row, &format!("{name}_ns"))).sum();
        same(name, &class["ns"], sum / divisor);
    }
    let ops: f64 = rows_of("ops").iter().map(|row| cell(row, "gpu_time_ns")).sum();
    same("ops", &json["ops"]["total_ns"], ops / divisor);
    let members = |row: &serde_json::Value| row["members"].as_array().map_or(0, Vec::len);
    let listed: usize = json["ops"]["rows"].as_array().expect("a list").iter().map(members).sum();
    assert!(listed > 0 && listed <= rows_of("ops").len());
    let iterations = rows_of("iterations");
    for (row, table) in json["iterations"]["rows"].as_array().expect("a list").iter().zip(&iterations) {
        same("duration", &row["duration_ns"], cell(table, "duration_ns"));
        assert_eq!(row["state"].as_str(), Some(table["state"].as_str()));
    }
    let findings = rows_of("findings");
    let ids: Vec<&str> = findings.iter().map(|row| row["finding_id"].as_str()).collect();
    let shown: Vec<&str> =
        json["findings"].as_array().expect("a list").iter().filter_map(|row| row["id"].as_str()).collect();
    assert_eq!(shown, ids);
    assert_eq!(json["tiles"]["items_per_s"], serde_json::Value::Null);
    assert!(json["missing"].as_array().expect("a list").iter().any(|one| one["option"] == "--batch-size N"));
}

#[test]
fn markdown_is_tables_for_summaries() {
    let run = run(&format!("{RANGE} --format markdown"), &[&sample()]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stdout.starts_with("## sample.sqlite\n\n**CPU-bound"), "{}", run.stdout);
    for part in
        ["| Mean time per iteration | GPU busy |", "| Finding | What to change |", "| Top kernels, of "]
    {
        assert!(run.stdout.contains(part), "`{part}` in {}", run.stdout);
    }
    // Every row of a table has as many cells as its header.
    let cells = |line: &str| line.replace("\\|", "").matches('|').count();
    let lines: Vec<&str> = run.stdout.lines().collect();
    for pair in lines.windows(2).filter(|pair| pair.iter().all(|line| line.starts_with('|'))) {
        assert_eq!(cells(pair[0]), cells(pair[1]), "{pair:?}");
    }
}

/// Captures without kernels, without ranges, without iterations: what is known is shown, the rest is not 0.
#[test]
fn captures_with_little_in_them_have_a_dashboard() {
    let folder = temporary_folder();
    for (sql, parts) in [
        ("host-tables.sql", vec!["Where"]),
        ("cuda-graph.sql", vec!["whole CUDA graphs"]),
        ("many-launches.sql", vec!["ernels", "by kind"]),
    ] {
        let file = database(folder.path(), sql);
        for columns in [60, 100, 160] {
            let mut command = command(folder.path(), "-q", &[&file]);
            let output = command.env("COLUMNS", columns.to_string()).output().expect("the program starts");
            assert_eq!(output.status.code(), Some(0), "{sql}: {output:?}");
            let text = String::from_utf8(output.stdout).expect("UTF-8");
            for part in &parts {
                assert!(text.contains(part), "{sql} at {columns}: `{part}` in {text}");
            }
            assert!(!text.contains("NaN") && !text.contains(" inf "), "{sql}: {text}");
        }
    }
}

/// The command that must always work.
#[test]
fn iterations_are_found_without_a_key_node() {
    let run = run("--iter-start 15 --iter-stop 58", &[&sample()]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(
        run.stdout.contains("iterations 15 to 58 of 0 to 64") && run.stdout.contains("period of 7 kernels"),
        "{run:?}"
    );
}

#[test]
fn check_says_what_the_capture_holds() {
    let run = run("check", &[&sample()]);
    assert_eq!(run.code, 0, "{run:?}");
    for part in ["kernels                 642", "GPU time claimed", "64, by sm80_xmma", "DLProf markers"] {
        assert!(run.stdout.contains(part), "`{part}` in {}", run.stdout);
    }
}

#[test]
fn key_nodes_are_listed() {
    let run = run("show key-nodes --top 3", &[&sample()]);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(run.stdout.lines().count(), 2, "{run:?}");
    assert!(run.stdout.lines().nth(1).is_some_and(|line| line.contains("sm80_xmma")), "{run:?}");
}

#[test]
fn key_nodes_are_listed_where_one_is_given() {
    let found = run("show key-nodes --format csv", &[&sample()]);
    for given in ["--key-node /module/train_step", "--key-node="] {
        let run = run(&format!("show key-nodes --format csv {given}"), &[&sample()]);
        assert_eq!((run.code, &run.stdout), (0, &found.stdout), "{given}");
    }
}

#[test]
fn key_node_by_name_and_by_op_id_are_the_same() {
    let by_name = run(RANGE, &[&sample()]);
    let by_id = run("--key-node ZERO_GRAD_1 --iter-start 15 --iter-stop 58", &[&sample()]);
    assert_eq!(by_name.stdout, by_id.stdout);
}

#[test]
fn old_command_lines_work() {
    let expected = run(RANGE, &[&sample()]);
    for words in [
        "--key_node=/module/train_step --iter_start=15 --iter_stop=58",
        "--key_op /module/train_step --iter_start 15 --iter_stop 58 --mode pytorch",
        "--key-op /module/train_step --iter-start 15 --iter-stop 58 -m auto",
    ] {
        let old = run(words, &[&sample()]);
        assert_eq!(old.code, 0, "{words}: {old:?}");
        assert_eq!(old.stdout, expected.stdout, "{words}");
    }
    let database = run(&format!("{RANGE} --database"), &[&sample()]);
    assert_eq!(database.stdout, expected.stdout);
}

#[test]
fn threads_do_not_change_the_output() {
    let one = run(&format!("{RANGE} --threads 1"), &[&sample()]);
    let three = run(&format!("{RANGE} --threads 3"), &[&sample()]);
    assert_eq!(one.stdout, three.stdout);
}

/// A line of dots stands for lines that are left out.
#[test]
fn readme_shows_what_its_first_command_prints() {
    let readme = include_str!("../../README.md");
    let shown = readme.split("```text\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a block");
    let run = run("--iter-start 15 --iter-stop 58", &[&sample()]);
    let mut rest = run.stdout.as_str();
    assert!(rest.starts_with(shown.lines().next().expect("a line")), "{}", run.stdout);
    for part in shown.split("  …\n") {
        let at = rest
            .find(part)
            .unwrap_or_else(|| panic!("README shows\n{part}\nand the command prints\n{}", run.stdout));
        rest = &rest[at + part.len()..];
    }
}

/// What does not fit the memory lives in files; every byte of the output stays.
#[test]
#[cfg(target_os = "linux")]
fn memory_does_not_change_the_output() {
    let folder = temporary_folder();
    let file = database(folder.path(), "many-launches.sql");
    let folder_of_temporary_files = |path: &Path| std::fs::read_dir(path).expect("a folder").count();
    let before = folder_of_temporary_files(folder.path());
    for command in ["", "show kernels --format csv"] {
        let enough = run(&format!("{command} -vv --memory 4G"), &[&file]);
        assert!(!enough.stderr.contains("scratch files"), "{enough:?}");
        let default = run(&format!("{command} -v"), &[&file]);
        assert!(default.stdout == enough.stdout, "{command} with the default");
        for memory in ["1M", "3M --threads 1", "1K --reader sqlite"] {
            let little = run(&format!("{command} -vv --memory {memory}"), &[&file]);
            assert!(little.stderr.contains("scratch files"), "{little:?}");
            assert!(little.stdout == enough.stdout, "{command} with {memory}");
        }
    }
    assert_eq!(folder_of_temporary_files(folder.path()), before);
    for wrong in ["0", "-1M", "much", "12Q", "1.5G", "99999999999T"] {
        let run = run(&format!("--memory={wrong}"), &[&file]);
        assert_eq!(run.code, 2, "{wrong}: {run:?}");
        assert!(run.stderr.contains("--memory"), "{run:?}");
    }
}

#[test]
fn captures_are_kept_listed_and_removed() {
    let folder = temporary_folder();
    let file = database(folder.path(), "many-launches.sql");
    let cache = folder.path().join("cache");
    let run = |words: &str, paths: &[&Path]| {
        let run = run_with_cache(&cache, words, paths);
        assert_eq!(run.code, 0, "{words}: {run:?}");
        run
    };
    let first = run("-vv --no-cache", &[&file]);
    assert!(!cache.exists());
    let second = run("-vv", &[&file]);
    let third = run("-vv --threads 1", &[&file]);
    assert!(second.stderr.contains("read and correlate"), "{second:?}");
    assert!(third.stderr.contains("read the index from the cache"), "{third:?}");
    assert_eq!((&first.stdout, &first.stdout), (&second.stdout, &third.stdout));
    let range = "--key-node re:train --iter-start 5 --iter-stop 9 -vv";
    let kept = run(range, &[&file]);
    assert!(kept.stderr.contains("read the capture from the cache"), "{kept:?}");
    assert_eq!(kept.stdout, run(&format!("{range} --no-cache"), &[&file]).stdout);
    let list = run("cache list", &[]).stdout;
    assert!(list.starts_with("1 captures in") && list.contains("many-launches.sqlite"), "{list}");
    std::fs::remove_file(&file).expect("removed");
    assert!(run("cache list", &[]).stdout.contains("changed or moved"));
    assert!(run("cache clear", &[]).stdout.starts_with("Removed 1 captures"));
    assert!(run("cache list", &[]).stdout.starts_with("0 captures in"));
}

#[test]
fn time_units() {
    for (unit, symbol) in [("ns", "ns"), ("us", "µs"), ("ms", "ms"), ("s", "s")] {
        let shown = run(&format!("{RANGE} --time-unit {unit}"), &[&sample()]).stdout;
        assert!(shown.contains(&format!("Where a step goes, {symbol} ")), "{unit}: {shown}");
        assert!(shown.contains(&format!(" {symbol} ± ")), "{unit}: {shown}");
    }
}

#[test]
fn demo_works_with_nothing_at_hand() {
    let shown = run("demo", &[]);
    assert_eq!(shown.code, 0, "{shown:?}");
    assert!(
        shown.stdout.contains("demo: sample.sqlite")
            && shown.stdout.contains(" of 7 names, % of kernel time"),
        "{shown:?}"
    );
    let folder = temporary_folder();
    let file = folder.path().join("sample.sqlite");
    assert_eq!(run("demo -o", &[&file]).code, 0);
    assert_eq!(std::fs::read(&file).expect("the sample"), std::fs::read(sample()).expect("the sample"));
    let again = run("demo -o", &[&file]);
    assert_eq!(again.code, 4, "{again:?}");
    assert!(again.stderr.contains("exists") && again.stderr.contains("--force"), "{again:?}");
}

#[test]
fn help_completions_and_manual() {
    let help = run("--help", &[]);
    assert_eq!(help.code, 0);
    for part in ["--iter-start", "--key-node", "Exit codes:", "reports", "demo"] {
        assert!(help.stdout.contains(part), "`{part}` in {}", help.stdout);
    }
    let completions = run("completions bash", &[]).stdout;
    for name in ["dlprof-agg", "top_ops", "rank_iterations", "gpu_idle_ns", "cuda_gpu_kern_sum"] {
        assert!(completions.contains(name), "{name}");
    }
    assert!(run("man", &[]).stdout.contains(".TH dlprof-agg"));
    assert!(run("man show", &[]).stdout.contains(".TH dlprof-agg-show"));
    let unknown = run("man shaw", &[]);
    assert_eq!((unknown.code, unknown.stdout.as_str()), (2, ""));
    assert!(run("--version", &[]).stdout.starts_with("dlprof-agg "));
}

/// A reader that goes away is not a failure.
#[cfg(unix)]
#[test]
fn closed_pipes_end_quietly() {
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_dlprof-agg"))
        .arg(sample())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}
