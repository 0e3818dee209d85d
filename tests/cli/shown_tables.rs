//! Tables as people see them: columns, order, units, and what is said about a table or rows that do not exist.

use crate::run::{Run, command, run, sample, temporary_folder};

/// Runs `show` with a width.
fn show(columns: usize, words: &str) -> Run {
    let folder = temporary_folder();
    let mut command = command(folder.path(), &format!("show {words} -q"), &[&sample()]);
    let output = command.env("COLUMNS", columns.to_string()).output().expect("the program starts");
    Run {
        code: output.status.code().expect("the program ends by itself"),
        stdout: String::from_utf8(output.stdout).expect("UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

/// The cells of a column of a CSV file without quotes.
fn cells(csv: &str, at: usize) -> Vec<String> {
    csv.lines().skip(1).map(|line| line.split(',').nth(at).unwrap_or_default().to_owned()).collect()
}

#[test]
fn a_pipe_gets_all_columns_and_whole_texts() {
    let run = run("show kernel-names -q", &[&sample()]);
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert!(lines[0].starts_with("Long Kernel Name"), "{}", lines[0]);
    assert!(lines[0].contains("GPU Time (") && lines[0].contains("Underfill Loss"), "{}", lines[0]);
    assert!(!run.stdout.contains('…') && !run.stdout.contains("more column"), "nothing is cut or left out");
}

#[test]
fn people_see_the_largest_first_and_data_keeps_its_order() {
    let times = |words: &str| -> Vec<i64> {
        let run = run(&format!("show ops -q --columns gpu_time_ns --format csv {words}"), &[&sample()]);
        cells(&run.stdout, 0).iter().map(|cell| cell.parse().expect("a number")).collect()
    };
    let (plain, top) = (times(""), times("--top 5"));
    let mut sorted = plain.clone();
    sorted.sort_unstable_by_key(|&time| std::cmp::Reverse(time));
    assert_ne!(plain, sorted, "a data file keeps the order of the table");
    assert_eq!(top, sorted[..5], "the first rows are the largest");
    let shown = run("show ops -q --columns gpu_time_ns --time-unit ns", &[&sample()]);
    let shown: Vec<i64> = shown
        .stdout
        .lines()
        .skip(1)
        .map(|line| line.trim().replace(',', "").parse().expect("a number"))
        .collect();
    assert_eq!(shown, sorted);
    let iterations = run("show iterations -q --columns iteration", &[&sample()]);
    let numbers: Vec<u32> =
        iterations.stdout.lines().skip(1).map(|line| line.trim().parse().expect("a number")).collect();
    assert!(numbers.is_sorted());
}

#[test]
fn a_column_has_one_unit_and_one_number_of_decimals() {
    let run = run("show ops -q --columns gpu_time_ns,calls", &[&sample()]);
    let mut lines = run.stdout.lines();
    let title = lines.next().expect("a title");
    assert!(title.contains("GPU Time (µs)") || title.contains("GPU Time (ms)"), "{title}");
    for line in lines {
        let cell = line.split_whitespace().next().expect("a cell");
        let decimals = cell.rsplit_once('.').map(|(_, decimals)| decimals.len());
        assert_eq!(decimals, Some(3), "{line}");
    }
}

#[test]
fn points_in_time_are_relative_for_people_and_raw_in_data() {
    let range = "--key-node /module/train_step --iter-start 15 --iter-stop 58";
    let text = show(100, &format!("iterations --columns iteration,start_ns {range}"));
    let of_15 = text.stdout.lines().find(|line| line.trim_start().starts_with("15 ")).expect("iteration 15");
    assert_eq!(of_15.split_whitespace().nth(1), Some("0.000"), "{}", text.stdout);
    assert!(
        text.stdout.contains("Timestamp: from the start of the aggregated iterations"),
        "{}",
        text.stdout
    );
    let csv = run(
        &format!("show iterations -q --columns start_ns --iteration 15 --format csv {range}"),
        &[&sample()],
    );
    assert!(cells(&csv.stdout, 0)[0].parse::<i64>().is_ok_and(|start| start > 0), "{csv:?}");
}

#[test]
fn one_row_is_shown_line_by_line() {
    for columns in [60, 100] {
        let run = show(columns, "summary");
        assert!(run.stdout.lines().any(|line| line.starts_with("Wall Clock Time ") && line.ends_with(" ms")));
        assert!(run.stdout.lines().any(|line| line.starts_with("NSys Version ")), "nothing is left out");
    }
}

#[test]
fn answers_are_yes_or_no_for_people_and_true_or_false_in_data() {
    let people = run("show kernel-summaries -q --columns tensor_cores", &[&sample()]);
    let data = run("show kernel-summaries -q --columns tensor_cores --format csv", &[&sample()]);
    assert!(people.stdout.lines().skip(1).all(|line| ["yes", "no", "unknown"].contains(&line)));
    assert!(data.stdout.lines().skip(1).all(|line| ["true", "false", "unknown"].contains(&line)));
    let flags = run("show ops -q --columns using_tc --format csv", &[&sample()]);
    assert!(flags.stdout.lines().skip(1).all(|line| ["true", "false"].contains(&line)));
}

#[test]
fn headings_and_keys_name_columns() {
    let by_key =
        run("show ops -q --columns op_id,gpu_time_ns --sort -gpu_time_ns --format csv", &[&sample()]);
    for words in [
        "show ops -q --columns Op-ID,GPU-TIME --sort -GPU_Time --format csv",
        "show OPS -q --columns OP_ID,gpu-time-ns --sort -gputime --format csv",
    ] {
        assert_eq!(run(words, &[&sample()]).stdout, by_key.stdout, "{words}");
    }
}

#[test]
fn the_file_may_come_before_the_table() {
    let folder = temporary_folder();
    let outputs =
        [["ops".as_ref(), sample().as_os_str()], [sample().as_os_str(), "ops".as_ref()]].map(|words| {
            let mut command = command(folder.path(), "show -q --top 3", &[]);
            command.args(words).output().expect("the program starts")
        });
    assert!(outputs[0].status.success() && outputs[0].stdout == outputs[1].stdout, "{outputs:?}");
}

#[test]
fn what_does_not_exist_is_said_with_what_is_similar() {
    let range = "--key-node /module/train_step --iter-start 15 --iter-stop 58";
    for (words, code, message, hint) in [
        ("show kernel", 2, "there is no table `kernel`", "did you mean `kernels`"),
        ("show ops --columns gpu_tme", 2, "no column `gpu_tme`; did you mean `gpu_time_ns`", ""),
        ("show ops --sort -call", 2, "no column `call`; did you mean `calls`", ""),
        (
            "show copies --op X",
            2,
            "`--op` does not fit table `copies`: it has no column `op_id`",
            "tables with it: ",
        ),
        ("show ops --iteration 3", 2, "`--iteration` does not fit table `ops`", "iterations, "),
        (
            "show kernels --iteration 999",
            5,
            "there is no iteration 999: the capture has iterations 0 to ",
            "",
        ),
        (
            "show kernels --iteration 3",
            5,
            "iterations 15 to 58 are aggregated",
            "--iter-start 3 --iter-stop 3",
        ),
        ("show kernels --op CONV3D", 5, "no aggregated op has the ID or name `CONV3D`", "or `CONV2D_1`?"),
        ("show ops --op zzzz", 5, "no aggregated op has the ID or name `zzzz`", "lists the ops"),
    ] {
        let run = run(&format!("{words} -q {range}"), &[&sample()]);
        assert_eq!(run.code, code, "{words}: {run:?}");
        assert!(run.stdout.is_empty() && run.stderr.contains(message), "{words}: {run:?}");
        assert!(run.stderr.contains(hint), "{words}: {run:?}");
    }
}

#[test]
fn an_op_is_chosen_by_its_id_or_its_name() {
    let id = run("show kernels -q --op CONV2D_1 --format csv", &[&sample()]);
    let name = run("show ops -q --where op_id=CONV2D_1 --columns op_name --format csv", &[&sample()]);
    let name = cells(&name.stdout, 0)[0].clone();
    let by_name = run(&format!("show kernels -q --op {name} --format csv"), &[&sample()]);
    assert!(id.stdout.lines().count() > 1 && by_name.stdout.contains(",CONV2D_1,"), "{by_name:?}");
    let by_leaf = run("show kernels -q --op conv2d --format csv", &[&sample()]);
    assert!(by_leaf.stdout.contains(",CONV2D_1,"), "{by_leaf:?}");
    assert_eq!(run("show kernels -q --op conv2d_1 --format csv", &[&sample()]).stdout, id.stdout);
}

#[test]
fn help_lists_every_table() {
    let help = run("show --help", &[]);
    for table in dlprof_core::TABLES {
        let line = help.stdout.lines().find(|line| line.trim_start().starts_with(&format!("{} ", table.key)));
        assert!(line.is_some(), "{} is not in the help", table.key);
    }
}

/// A sum says that it is one, and over how many iterations; divided, titles and keys say that.
#[test]
fn sums_say_what_they_are_and_are_divided_on_request() {
    let range = "--key-node /module/train_step --iter-start 15 --iter-stop 58";
    let of = |words: &str| run(&format!("show copies {range} {words}"), &[&sample()]);
    let columns = "--columns gpu_time_ns,count --format csv";
    let (sums, means) = (of(columns), of(&format!("{columns} --per-iteration")));
    let said = "gpu_time_ns, count: sums over 44 iterations; `--per-iteration` divides them";
    assert!(sums.stderr.contains(said) && !means.stderr.contains("sums over"), "{sums:?} {means:?}");
    assert_eq!(means.stdout.lines().next(), Some("gpu_time_per_iteration_ns,count_per_iteration"));
    for column in [0, 1] {
        let numbers = |run: &Run| -> Vec<f64> {
            cells(&run.stdout, column).iter().map(|cell| cell.parse().expect("a number")).collect()
        };
        let (sums, means) = (numbers(&sums), numbers(&means));
        assert!(!sums.is_empty() && sums.len() == means.len());
        assert!(
            sums.iter().zip(&means).all(|(sum, mean)| (sum - 44.0 * mean).abs() < 1e-6 * sum),
            "{sums:?} {means:?}"
        );
    }
    let text = of("--per-iteration --columns gpu_time_ns --sort -gpu_time --where gpu_time>0ms -q");
    assert!(text.stdout.starts_with("GPU Time per Iteration ("), "{text:?}");
    assert!(!of("-q").stderr.contains("sums over"));
    let folder = temporary_folder();
    let file = folder.path().join("copies.ndjson");
    let export = format!("export {range} --tables copies --per-iteration -o {}", file.display());
    assert_eq!(run(&export, &[&sample()]).code, 0);
    let rows = std::fs::read_to_string(&file).expect("rows");
    assert!(rows.contains("\"gpu_time_per_iteration_ns\":"), "{rows}");
}

#[test]
fn what_has_no_sums_or_no_iterations_is_not_divided() {
    for (words, code, message) in [
        ("show kernels --per-iteration", 2, "does not fit table `kernels`"),
        ("show ops --per-iteration --key-node=", 5, "needs iterations"),
        ("export --per-iteration -o run.json", 2, "does not fit `run.json`"),
    ] {
        let run = run(words, &[&sample()]);
        assert!(
            run.code == code && run.stderr.contains(message) && run.stdout.is_empty(),
            "{words}: {run:?}"
        );
    }
}
