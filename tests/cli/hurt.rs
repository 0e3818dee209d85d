//! Captures that hurt: as deep and as large as nobody writes programs on purpose. Every command that shows ops works, and what it
//! shows adds up.

use crate::run::{Run, run, run_with_cache, temporary_folder};
use dlprof_generate::write_export;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// What captures have too much of.
const HURT: [&str; 4] = ["open-ranges=4000", "nested-ranges=4000", "named-ranges=4000", "slashes=20000"];

/// A capture and what is true of it.
fn capture(folder: &Path, hurt: &str) -> (PathBuf, Value) {
    let file = folder.join(format!("{hurt}.sqlite"));
    write_export(&file, &format!("--hurt {hurt}")).expect("an export");
    let truth = fs::read_to_string(file.with_extension("truth.json")).expect("the truth");
    (file, serde_json::from_str(&truth).expect("JSON"))
}

fn succeeded(run: Run) -> Run {
    assert_eq!(run.code, 0, "{run:?}");
    run
}

fn rows(table: &str, file: &Path) -> Vec<Value> {
    let shown = succeeded(run(&format!("show {table} -q --format json"), &[file]));
    serde_json::from_str(&shown.stdout).expect("an array")
}

fn sum(rows: &[Value], key: &str) -> i64 {
    rows.iter().map(|row| row[key].as_i64().unwrap_or_else(|| panic!("{key} in {row}"))).sum()
}

#[test]
fn what_is_deeper_than_counts_belongs_to_the_last_level() {
    let folder = temporary_folder();
    for hurt in HURT {
        let (file, truth) = capture(folder.path(), hurt);
        let names = rows("kernel_names", &file);
        assert_eq!(sum(&names, "gpu_time_ns"), truth["kernel_gpu_ns"].as_i64().expect("a sum"), "{hurt}");
        let ops = rows("ops", &file);
        assert_eq!(sum(&ops, "gpu_time_ns"), sum(&names, "gpu_time_ns"), "{hurt}");
        assert!(ops.len() <= 256, "{hurt}: {} ops", ops.len());
        let groups = rows("groups", &file);
        let model = groups.iter().find(|row| row["name"] == "_CompleteModel_").expect("all ops");
        assert_eq!(model["gpu_time_ns"].as_i64(), truth["kernel_gpu_ns"].as_i64(), "{hurt}");
        assert!(groups.len() <= 600, "{hurt}: {} groups and ops", groups.len());
        let check = succeeded(run("check", &[&file]));
        assert!(check.stdout.contains("lie deeper than 256 levels"), "{hurt}: {check:?}");
    }
}

#[test]
fn every_format_takes_what_is_deep() {
    let folder = temporary_folder();
    let (cache, out) = (temporary_folder(), folder.path().join("out"));
    let files = [
        "r.html",
        "t.trace.json",
        "s.speedscope.json",
        "f.folded",
        "d.sqlite",
        "f.firefox.json",
        "r.pdf",
        "j.json",
    ];
    for hurt in HURT {
        let (file, _) = capture(folder.path(), hurt);
        for name in files {
            fs::create_dir_all(&out).expect("a folder");
            let written = out.join(name);
            succeeded(run_with_cache(cache.path(), "export -q --force -o", &[&written, &file]));
            assert!(fs::metadata(&written).is_ok_and(|file| file.len() > 500), "{hurt}: {name}");
        }
    }
}

/// Texts of two megabytes stand in ranges and as the name of every kernel. They are shown and exported cut.
#[test]
fn long_texts_are_cut_and_written_once_a_row() {
    const LONGEST: usize = 16 << 10;
    let folder = temporary_folder();
    let (file, truth) = capture(folder.path(), "long-texts=2000000");
    let names = rows("kernel_names", &file);
    assert_eq!(sum(&names, "gpu_time_ns"), truth["kernel_gpu_ns"].as_i64().expect("a sum"));
    let name = names[0]["long_kernel_name"].as_str().expect("a name");
    let (beginning, digest) = name.split_once("… ").expect("a cut name");
    assert!(beginning.bytes().all(|byte| byte == b'x') && name.len() <= LONGEST, "{}", name.len());
    assert_eq!(digest.len(), 16);
    let out = folder.path().join("reports");
    succeeded(run("reports -q --formats csv,json --output-path", &[&out, &file]));
    let length = |file: fs::DirEntry| file.metadata().expect("a file").len();
    let bytes: u64 = fs::read_dir(&out).expect("reports").map(|file| length(file.expect("a file"))).sum();
    // Twenty launches with two names each in two formats, and rows of ops, kernels and groups.
    assert!(bytes < 500 * LONGEST as u64, "{bytes} bytes");
    for name in ["t.json", "t.html", "t.xlsx", "t.pdf", "tables/", "t.trace.json", "t.sqlite"] {
        let written = folder.path().join(name);
        succeeded(run("export -q -o", &[&written, &file]));
        let length = fs::metadata(&written).expect("what was written").len();
        assert!(length < 10_000_000, "{name}: {length} bytes");
    }
    assert!(succeeded(run("stats -q --format csv", &[&file])).stdout.len() < 100 * LONGEST);
}

/// Many GPUs, steps, processes and names, and kernels that all run at once: every kernel is counted once, in the tables and in
/// the files.
#[test]
fn many_of_a_kind_add_up() {
    let folder = temporary_folder();
    let all = |table: &str, file: &Path| -> Vec<Value> {
        let shown = succeeded(run(&format!("show {table} -q --format json --iter-range all"), &[file]));
        serde_json::from_str(&shown.stdout).expect("an array")
    };
    // What there is much of, and by table how many rows that gives.
    let captures: [(&str, &[(&str, usize)]); 7] = [
        ("gpus=40", &[("gpus", 40), ("steps", 41), ("gpu_time", 41 * 40)]),
        ("gpu-steps=50", &[("gpus", 50), ("steps", 51), ("gpu_time", 51 * 50)]),
        ("threads=50", &[("threads", 50), ("steps", 21)]),
        ("thread-steps=50", &[("threads", 50), ("steps", 51)]),
        ("processes=60", &[("threads", 60), ("gpus", 1)]),
        ("kernel-names=300", &[("kernel_names", 300), ("steps", 101)]),
        ("overlapping-kernels=300", &[("kernel_names", 1), ("kernels", 300)]),
    ];
    for (hurt, tables) in captures {
        let (file, truth) = capture(folder.path(), hurt);
        let (kernels, gpu_ns) = (truth["kernels"].as_i64(), truth["kernel_gpu_ns"].as_i64());
        let names = all("kernel_names", &file);
        assert_eq!(Some(sum(&names, "calls")), kernels, "{hurt}");
        assert_eq!(Some(sum(&names, "gpu_time_ns")), gpu_ns, "{hurt}");
        for &(table, rows) in tables {
            assert_eq!(all(table, &file).len(), rows, "{hurt}: {table}");
        }
        for row in all("gpu_time", &file) {
            let time = |key: &str| row[key].as_i64().expect("a time");
            assert!(
                time("busy_ns") >= 0 && time("busy_ns") + time("idle_ns") == time("length_ns"),
                "{hurt}: {row}"
            );
        }
        for command in ["", "check", "stats -q", "reports -q -f --output-path"] {
            let out = folder.path().join("reports");
            let paths: &[&Path] = if command.contains("-path") { &[&out, &file] } else { &[&file] };
            succeeded(run(command, paths));
        }
        for name in ["r.html", "t.trace.json", "j.json"] {
            succeeded(run("export -q --force -o", &[&folder.path().join(name), &file]));
        }
    }
}

/// As many GPUs as there may be, with a kernel each, in as many iterations.
#[test]
fn iterations_before_and_behind_the_work_of_gpus_add_up() {
    let folder = temporary_folder();
    let (file, truth) = capture(folder.path(), "gpu-steps=256");
    let times = rows("gpu_time", &file);
    assert!(!times.is_empty() && times.len().is_multiple_of(256), "{} rows", times.len());
    assert_eq!(Some(sum(&times, "busy_ns")), truth["kernel_gpu_ns"].as_i64());
    let gpus = rows("gpus", &file);
    assert_eq!(gpus.len(), 256);
    let steps = rows("steps", &file);
    let classes = ["gpu_ns", "communication_ns", "copy_ns", "input_ns", "cpu_ns", "sync_ns", "other_ns"];
    let of_classes: i64 = classes.iter().map(|class| sum(&steps, class)).sum();
    assert_eq!(of_classes, sum(&steps, "length_ns"));
    for command in ["", "check"] {
        succeeded(run(command, &[&file]));
    }
}

/// No machine has so many GPUs, and every figure by GPU would take as many rows: one error, at once.
#[test]
fn more_gpus_than_a_machine_has_are_refused() {
    let folder = temporary_folder();
    let (file, _) = capture(folder.path(), "gpus=300");
    for command in ["check", "show gpus -q", "show findings -q"] {
        let refused = run(command, &[&file]);
        assert_eq!((refused.code, refused.stdout.as_str()), (3, ""), "{refused:?}");
        assert!(refused.stderr.contains("GPUs of a capture: 300; at most 256"), "{refused:?}");
    }
}

/// Every process that works on a GPU is a rank, and no machine runs so many.
#[test]
fn more_ranks_than_a_machine_runs_are_refused() {
    let folder = temporary_folder();
    let (file, _) = capture(folder.path(), "processes=300");
    let refused = run("ranks", &[&file]);
    assert_eq!((refused.code, refused.stdout.as_str()), (5, ""), "{refused:?}");
    assert!(refused.stderr.contains("processes on GPUs in one capture: 300; at most 256"), "{refused:?}");
}
