//! `show` and `export` as a user types them.

use crate::run::{run, sample, temporary_folder};
use dlprof_core::{TABLES, definition};

#[test]
fn show_lists_chooses_and_formats() {
    let list = run("show --list", &[]);
    assert!(list.code == 0 && list.stdout.contains("iteration_ops: "), "{list:?}");
    assert_eq!(list.stdout.lines().count(), TABLES.len(), "a line per table");
    let one = run("show --list key-nodes", &[]);
    assert!(one.stdout.starts_with("key_nodes: ") && !one.stdout.contains("ops: A row per op."));
    let columns = definition("key_nodes").expect("a table").headers();
    assert!(columns.iter().all(|column| one.stdout.contains(&format!("\n  {} ", column.key))), "{one:?}");

    let rules = run("rules", &[&sample()]);
    assert_eq!(run("show findings --all", &[&sample()]).stdout, rules.stdout, "every rule");
    assert_eq!(run("show ops --all", &[&sample()]).code, 2);

    let csv = run(
        "show ops --iter-range all --columns op_id,calls --where calls=64 --sort op_id --top 2 --format csv",
        &[&sample()],
    );
    assert_eq!((csv.code, csv.stdout.as_str()), (0, "op_id,calls\nADD__1,64\nALL_REDUCE_1,64\n"));
    let tsv = run("show ops --columns op_id,calls --sort -op_id --top 1 --format tsv", &[&sample()]);
    assert!(tsv.stdout.starts_with("op_id\tcalls\n"), "{tsv:?}");
    let json = run("show kernels --iteration 5 --op CONV2D_1 --format ndjson", &[&sample()]);
    assert!(json.stdout.lines().count() > 0);
    assert!(json.stdout.lines().all(|line| line.starts_with("{\"iteration\":5,\"op_id\":\"CONV2D_1\"")));
    let markdown = run("show gpus --columns device_id,memory_bytes --format markdown", &[&sample()]);
    assert!(markdown.stdout.starts_with("| Device ID | "), "{markdown:?}");
}

#[test]
fn items_per_second_need_a_batch_size() {
    let range = "--key-node /module/train_step --iter-start 15 --iter-stop 58 --format csv -q";
    let words = format!("show summary --columns items_per_s,avg_iteration_ns,clock,gpus_used {range}");
    let without = run(&words, &[&sample()]);
    assert!(without.stdout.lines().nth(1).is_some_and(|line| line.starts_with(',')), "{without:?}");
    let with = run(&format!("{words} --batch-size 32"), &[&sample()]);
    let cells: Vec<&str> = with.stdout.lines().nth(1).expect("a row").split(',').collect();
    let number = |at: usize| cells[at].parse::<f64>().expect("a number");
    assert!((number(0) - 32e9 / number(1)).abs() < 1.0, "{with:?}");
    assert_eq!(cells[2..], ["cpu", "1"]);
    let rows = run(&format!("show iterations --columns items_per_s {range} --batch-size 32"), &[&sample()]);
    assert_eq!(rows.stdout.lines().count(), 66, "{rows:?}");
    assert_eq!(run("--batch-size 0", &[&sample()]).code, 2);
}

#[test]
fn show_says_what_it_cannot_do_before_it_reads() {
    let missing = std::path::Path::new("missing.sqlite");
    for (words, message) in [
        ("show opps", "there is no table `opps`"),
        ("show ops --columns speed", "has no column `speed`"),
        ("show ops --where calls>", "a value expected"),
        ("show ops --iteration 3", "has no column `iteration`"),
    ] {
        let run = run(words, &[missing]);
        assert_eq!(run.code, 2, "{run:?}");
        assert!(run.stderr.contains(message), "{run:?}");
    }
}

#[test]
fn export_writes_files_and_refuses_to_overwrite() {
    let folder = temporary_folder();
    let path = |name: &str| folder.path().join(name).to_str().expect("a UTF-8 path").to_owned();
    let words = format!("export -o {} -o {} -o {}", path("tables/"), path("run.json"), path("run.xlsx"));
    let first = run(&words, &[&sample()]);
    assert_eq!(first.code, 0, "{first:?}");
    let empty = [
        "operators",
        "collectives",
        "idle_python",
        "ncu_kernels",
        "ncu_ops",
        "ncu_launches",
        "ncu_match",
        "engine_steps",
        "engine_phases",
        "engine_tokens",
        "engine_modules",
    ];
    assert_eq!(
        first.stdout.lines().count(),
        TABLES.len() - empty.len() + 3,
        "a file per table that an export may fill, their source, and two of all"
    );
    assert!(std::fs::read(path("run.xlsx")).is_ok_and(|bytes| bytes.starts_with(b"PK")));
    let again = run(&words, &[&sample()]);
    assert!(again.code == 4 && again.stderr.contains("--force"), "{again:?}");
    assert_eq!(run(&format!("{words} --force"), &[&sample()]).code, 0);

    let one = run(&format!("export --tables ops -o {}", path("ops.csv")), &[&sample()]);
    assert_eq!(one.code, 0, "{one:?}");
    for (arguments, message) in [
        (format!("export -o {}", path("all.csv")), "can hold one table, but"),
        (format!("export -o {}", path("all.what")), "names no format"),
        (format!("export --tables what -o {}", path("a.csv")), "there is no table `what`"),
        (format!("export --format xlsx -o {}", path("folder/")), "is a folder"),
    ] {
        let run = run(&arguments, &[&sample()]);
        assert_eq!(run.code, 2, "{run:?}");
        assert!(run.stderr.contains(message), "{run:?}");
    }
}

#[test]
fn reports_for_people_are_written_and_checked() {
    let folder = temporary_folder();
    let path = |name: &str| folder.path().join(name).to_str().expect("a UTF-8 path").to_owned();
    let words = format!("export --max-rows 5 -o {} -o {}", path("run.pdf"), path("run.html"));
    let first = run(&words, &[&sample()]);
    assert_eq!((first.code, first.stdout.lines().count()), (0, 2), "{first:?}");
    assert!(std::fs::read(path("run.pdf")).is_ok_and(|bytes| bytes.starts_with(b"%PDF-")));
    let page = std::fs::read_to_string(path("run.html")).expect("the page");
    assert!(page.starts_with("<!DOCTYPE html>"));
    for (arguments, message) in [
        (format!("export --format pdf -o {}", path("folder/")), "is a folder"),
        (format!("export --font {} -o {}", path("no.ttf"), path("a.pdf")), "cannot read font"),
        (
            format!("export --font {} -o {}", path("run.html"), path("a.pdf")),
            "is not a font that PDF can use",
        ),
    ] {
        let run = run(&arguments, &[&sample()]);
        assert_eq!(run.code, 2, "{run:?}");
        assert!(run.stderr.contains(message), "{run:?}");
    }
}
