//! `show --where` as a user types it, and the conditions of docs/expressions.md.

use crate::run::{Run, command, sample, temporary_folder};

/// Runs `show TABLE` with a condition, as CSV.
fn show_where(table: &str, condition: &str) -> Run {
    let folder = temporary_folder();
    let mut command = command(folder.path(), &format!("show {table} -q --format csv --where"), &[]);
    let output = command.arg(condition).arg(sample()).output().expect("the program starts");
    Run {
        code: output.status.code().expect("the program ends by itself"),
        stdout: String::from_utf8(output.stdout).expect("UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

#[test]
fn conditions_of_one_meaning_choose_the_same_rows() {
    for (table, conditions) in [
        (
            "ops",
            &["gpu_time_ns > 100000", "gpu_time_ns > 100us", "GPU Time > 0.1 ms", "\"GPU Time\" > .1ms"][..],
        ),
        ("ops", &["calls between 10 and 64", "calls = 10..64", "calls >= 10 and calls <= 64"]),
        (
            "ops",
            &[
                "op_type in (conv2d, relu)",
                "op_type = conv2d or op_type = relu",
                "op_type ~ '^(conv2d|relu)$'",
            ],
        ),
        ("ops", &["op_type like 'conv%'", "op_type ilike 'CONV%'", "op type ~ ^conv"]),
        ("ops", &["not using_tc = yes", "using_tc = no", "using_tc = false", "using_tc != 1"]),
        ("kernels", &["tensor_cores = no", "tensor_cores = false", "tensor_cores in (0)"]),
        ("kernels", &["iteration = 3..5 and not iteration = 4", "iteration in (3, 5)"]),
        ("ops", &["op_type != 'a''b' and not op_type = \"'\"\"\"", "not op_type = 'a'' = ''\"b'"]),
        ("kernels", &["occupancy_percent is not null", "not occupancy is null"]),
    ] {
        let runs: Vec<Run> = conditions.iter().map(|condition| show_where(table, condition)).collect();
        for (run, condition) in runs.iter().zip(conditions) {
            assert_eq!(run.code, 0, "{condition}: {run:?}");
            assert_eq!(run.stdout, runs[0].stdout, "{condition}");
        }
        assert!(runs[0].stdout.lines().count() > 1, "{}: no row", conditions[0]);
    }
}

#[test]
fn two_quotes_inside_a_text_are_one() {
    for (condition, text) in [("'it''s' = 1", "it's"), ("\"say \"\"it\"\"\" = 1", "say \"it\"")] {
        let run = show_where("ops", condition);
        assert_eq!(run.code, 2, "{run:?}");
        assert!(run.stderr.contains(text), "{run:?}");
    }
    let run = show_where("ops", "op_type = 'it''s");
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.stderr.contains("text without an end: 'it''s"), "{run:?}");
}

#[test]
fn a_unit_that_does_not_fit_is_said() {
    for (condition, message) in [
        ("gpu_time > 4 MiB", "`4 MiB` does not fit `gpu_time`: it takes ns, us, ms or s"),
        ("calls > 1ms", "`1ms` does not fit `calls`: it takes a number without a unit"),
        ("using_tc = perhaps", "`using_tc` is yes or no, not `perhaps`"),
    ] {
        let run = show_where("ops", condition);
        assert_eq!(run.code, 2, "{run:?}");
        assert!(run.stderr.contains(message), "{run:?}");
    }
}

/// Every condition in docs/expressions.md can be read.
#[test]
fn conditions_of_the_documentation_can_be_read() {
    let docs = include_str!("../../docs/expressions.md");
    let (_, docs) = docs.split_once("| condition for table `kernels` |").expect("the table of conditions");
    let (docs, _) = docs.split_once("\n\n").expect("its end");
    let conditions: Vec<&str> = docs.lines().filter_map(|line| line.strip_prefix("| `")).collect();
    let conditions =
        conditions.iter().filter_map(|line| line.split_once("` | ").map(|(condition, _)| condition));
    let mut read = 0;
    for condition in conditions.filter(|condition| condition.contains(' ')) {
        let run = show_where("kernels", condition);
        assert_eq!(run.code, 0, "{condition}: {run:?}");
        read += 1;
    }
    assert!(read >= 10, "{read}");
}
