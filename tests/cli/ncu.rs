//! Logs of Nsight Compute beside a capture and alone.

use crate::run::{Run, run, sample, temporary_folder};
use std::path::{Path, PathBuf};

/// A log of one kernel of the sample, and one that it does not have.
pub(crate) const LOG: &str = "==PROF== Connected to process 7\n\
    \"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\",\"Block Size\",\"Grid Size\",\"Device\",\
    \"gpu__time_duration.sum\",\"dram__bytes_read.sum\",\"dram__bytes_write.sum\",\
    \"sm__throughput.avg.pct_of_peak_sustained_elapsed\",\"gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed\",\
    \"sm__inst_executed_pipe_tensor_op_hmma.sum\",\"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active\"\n\
    \"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"us\",\"Kbyte\",\"Kbyte\",\"%\",\"%\",\"inst\",\"%\"\n\
    \"0\",\"7\",\"python\",\"host\",\"ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_32x5_tn\",\"1\",\"7\",\"(9, 9, 9)\",\"(1, 1, 1)\",\
    \"0\",\"31.500000\",\"100.000000\",\"50.000000\",\"20.00\",\"90.50\",\"0\",\"0\"\n\
    \"1\",\"7\",\"python\",\"host\",\"only_in_the_log(int)\",\"1\",\"7\",\"(1, 1, 1)\",\"(1, 1, 1)\",\"0\",\"1.000000\",\"1.000000\",\
    \"1.000000\",\"1.00\",\"2.00\",\"0\",\"0\"\n";

fn with_log(words: &str) -> (tempfile::TempDir, Run) {
    let folder = temporary_folder();
    let log = folder.path().join("run.ncu.csv");
    std::fs::write(&log, LOG).expect("a log");
    let words = words.replace("LOG", &log.display().to_string());
    let shown = run(&words, &[&sample()]);
    (folder, shown)
}

fn alone(words: &str, text: &str) -> Run {
    let folder = temporary_folder();
    let log: PathBuf = folder.path().join("run.ncu.csv");
    std::fs::write(&log, text).expect("a log");
    run(words, &[Path::new(&log)])
}

#[test]
fn a_log_alone_is_a_table() {
    let shown = alone("ncu --format csv", LOG);
    assert_eq!(shown.code, 0, "{shown:?}");
    let rows: Vec<&str> = shown.stdout.lines().collect();
    assert_eq!(rows.len(), 3, "{shown:?}");
    assert!(rows[0].starts_with("long_kernel_name,calls,gpu_time_ns,measured_calls,level"), "{}", rows[0]);
    assert!(rows[1].contains(",31500,") && rows[1].contains(",150000,"), "{}", rows[1]);
    let launches = alone("ncu --table ncu-launches --format csv", LOG);
    assert_eq!((launches.code, launches.stdout.lines().count()), (0, 3), "{launches:?}");
}

/// Times of a log may be anything: their sum is not beyond what a number of 64 bits holds.
#[test]
fn times_of_ages_are_no_reason_to_fail() {
    let head = "\"Kernel Name\",\"Device\",\"Invocations\",\"Metric Name\",\"Metric Unit\",\"Minimum\",\"Maximum\",\"Average\"\n";
    let rows = |ns: &str, count: &str| -> String {
        let metrics = [
            ("gpu__time_duration.sum", ns),
            ("sm__throughput.avg.pct_of_peak_sustained_elapsed", "90.00"),
            ("gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", "12.50"),
        ];
        let row = |kernel: &str, (name, value): (&str, &str)| {
            format!("\"{kernel}\",\"0\",\"{count}\",\"{name}\",\"\",\"1\",\"1\",\"{value}\"\n")
        };
        ["f", "g"].iter().flat_map(|kernel| metrics.map(|metric| row(kernel, metric))).collect()
    };
    for (ns, count, words) in [
        ("9e30", "2", "What limits kernels, by launches: "),
        ("1e15", "4,294,967,295", "What limits kernels, by time under ncu: "),
    ] {
        let log = format!("{head}{}", rows(ns, count));
        for table in ["", " --table ncu-kernels --format csv", " --table roofline --format csv"] {
            let shown = alone(&format!("ncu{table}"), &log);
            assert_eq!(shown.code, 0, "{shown:?}");
        }
        let shown = alone("ncu", &log);
        assert!(format!("{}{}", shown.stdout, shown.stderr).contains(words), "{shown:?}");
    }
}

#[test]
fn what_is_no_log_says_what_to_do() {
    let shown = alone("ncu", "==PROF== Connected\n==PROF== Report: x.ncu-rep\n");
    assert_eq!(shown.code, 3, "{shown:?}");
    assert!(shown.stderr.contains("no_table") && shown.stderr.contains("ncu --import"), "{shown:?}");
    let beside = with_log("show ncu-kernels --ncu /nowhere/x.csv");
    assert_eq!(beside.1.code, 3, "{:?}", beside.1);
    let needs_capture = alone("ncu --table ncu-ops", LOG);
    assert!(needs_capture.code == 2 && needs_capture.stderr.contains("--ncu"), "{needs_capture:?}");
}

/// The name says that it runs on Tensor Cores, the counters that it does not, whatever its size.
#[test]
fn a_measured_answer_replaces_that_of_the_name() {
    let words = "show kernel-names --format csv --columns tensor_cores --where long_kernel_name~'s16816gemm'";
    let by_name = run(words, &[&sample()]);
    let (_folder, measured) = with_log(&format!("{words} --ncu LOG"));
    assert_eq!(by_name.stdout, "tensor_cores\ntrue\n", "{by_name:?}");
    assert_eq!(measured.stdout, "tensor_cores\nfalse\n", "{measured:?}");
}

#[test]
fn tables_of_counters_are_exported_only_where_there_are_some() {
    let names = |words: &str| {
        let folder = temporary_folder();
        let log = folder.path().join("run.ncu.csv");
        std::fs::write(&log, LOG).expect("a log");
        let output = folder.path().join("tables/");
        let words = words.replace("LOG", &log.display().to_string());
        let done = run(&format!("export -o {}/ {words}", output.display()), &[&sample()]);
        assert_eq!(done.code, 0, "{done:?}");
        let mut names: Vec<String> = std::fs::read_dir(output)
            .expect("a folder")
            .map(|entry| entry.expect("a file").file_name().to_string_lossy().into_owned())
            .filter(|name| name.starts_with("ncu_"))
            .collect();
        names.sort();
        names
    };
    assert!(names("").is_empty());
    assert_eq!(names("--ncu LOG"), ["ncu_kernels.csv", "ncu_launches.csv", "ncu_match.csv", "ncu_ops.csv"]);
}

#[test]
fn what_was_joined_is_said() {
    let (_folder, dashboard) = with_log("--ncu LOG");
    assert_eq!(dashboard.code, 0, "{dashboard:?}");
    assert!(dashboard.stdout.contains("Counters cover"), "{}", dashboard.stdout);
    assert!(dashboard.stdout.contains("only_in_the_log"), "{}", dashboard.stdout);
    let (_folder, matched) = with_log("show ncu-match --format csv --columns kernel_name,level --ncu LOG");
    assert!(
        matched.stdout.contains("tn,name\n") && matched.stdout.contains("only_in_the_log(int),none\n"),
        "{matched:?}"
    );
    let plain = run("", &[&sample()]);
    assert!(!plain.stdout.contains("Counters"), "{}", plain.stdout);
}

#[test]
fn what_logs_say_is_a_workbook_and_a_report_as_well() {
    let folder = temporary_folder();
    let log = folder.path().join("run.ncu.csv");
    std::fs::write(&log, LOG).expect("a log");
    for (words, ending, start) in [
        ("ncu --table ncu-launches -o", "xlsx", &b"PK\x03\x04"[..]),
        ("ncu -o", "pdf", b"%PDF-"),
        ("ncu --levels l1,l2,dram -o", "pdf", b"%PDF-"),
    ] {
        let folder = temporary_folder();
        let bytes = ["first", "second"].map(|name| {
            let file = folder.path().join(name).with_extension(ending);
            let done = run(&format!("{words} {}", file.display()), &[&log]);
            assert_eq!((done.code, done.stdout), (0, format!("{}\n", file.display())), "{}", done.stderr);
            std::fs::read(file).expect("a file")
        });
        assert!(bytes[0].starts_with(start) && bytes[0].len() > 2_000, "{} bytes", bytes[0].len());
        assert!(bytes[0] == bytes[1], "the same log gives the same bytes");
        let refused = run(
            &format!("{words} {}", folder.path().join("first").with_extension(ending).display()),
            &[&log],
        );
        assert_eq!(refused.code, 4, "{refused:?}");
    }
    let html = run(&format!("ncu -o {}", folder.path().join("x.html").display()), &[&log]);
    assert_eq!(html.code, 2, "{html:?}");
}

#[test]
fn every_metric_is_shown_where_all_are_asked_for() {
    let text = LOG.replace("sm__inst_executed_pipe_tensor_op_hmma.sum", "smsp__of_no_figure.sum");
    let all = alone("ncu --all-metrics --format csv", &text);
    assert_eq!((all.code, all.stdout.lines().count()), (0, 15), "{all:?}");
    assert!(all.stdout.contains(",smsp__of_no_figure.sum,0,inst,"), "{}", all.stdout);
    assert!(all.stdout.contains(",dram__bytes_read.sum,100000,byte,"), "{}", all.stdout);
    let named = alone("ncu --table ncu-metrics --format csv", &text);
    assert_eq!(named.stdout, all.stdout);
    let kernels = alone("ncu --all-metrics --table ncu-kernels --format csv", &text);
    assert!(kernels.stdout.starts_with("long_kernel_name,"), "{kernels:?}");
    let (_folder, beside) = with_log("ncu --all-metrics --ncu LOG");
    assert_eq!(beside.code, 2, "{beside:?}");
}

/// Without counters table `op_work` is what it was.
#[test]
fn the_work_of_ops_has_measured_columns_only_with_counters() {
    let heads = |shown: &Run| shown.stdout.lines().next().unwrap_or_default().to_owned();
    let plain = run("show op-work --format csv", &[&sample()]);
    let (_folder, with) = with_log("show op-work --format csv --ncu LOG");
    assert!(heads(&plain).ends_with(",assumed"), "{plain:?}");
    assert_eq!(heads(&with), heads(&plain) + ",measured_flop,measured_bytes");
    let refused = run("show op-work --columns measured_flop", &[&sample()]);
    assert_eq!(refused.code, 2, "{refused:?}");
    let (_folder, chosen) = with_log("show op-work --columns op_id,measured_flop --ncu LOG");
    assert_eq!(chosen.code, 0, "{chosen:?}");
}

/// No command writes over a log that it reads, however the log was named, and none over a list of captures.
#[test]
fn logs_and_lists_are_never_written_over() {
    let folder = temporary_folder();
    let [log, list, settings, policy] =
        ["log.csv", "list.json", "settings.toml", "log.json"].map(|name| folder.path().join(name));
    let sample = sample();
    let lines = format!("{0}\n{0}\n", sample.display());
    for (file, text) in [
        (&log, LOG),
        (&policy, LOG),
        (&list, lines.as_str()),
        (&settings, &format!("ncu = [{:?}]", log.display().to_string())),
    ] {
        std::fs::write(file, text).expect("a file");
    }
    let before = |file: &PathBuf| std::fs::read_to_string(file).expect("a file");
    let texts = [&log, &policy, &list].map(before);
    let (log_name, json, list_name) = (log.display(), policy.display(), list.display());
    let settings = settings.display();
    for words in [
        format!("ncu --table roofline --ncu {log_name} -o {log_name} --force"),
        format!("export --ncu {log_name} --tables ops -o {log_name} --force"),
        format!("export --config {settings} --tables ops -o {log_name} --force"),
        format!("baseline --ncu {json} -o {json} --force"),
        format!("gate --baseline {} --ncu {json} -o {json} --force", sample.display()),
        format!("rules --ncu {json} -o {json} --force"),
        format!("ranks @{list_name} -o {list_name} --force"),
        format!("export @{list_name} --tables ranks -o {list_name} --force"),
    ] {
        let refused = if words.contains('@') { run(&words, &[]) } else { run(&words, &[&sample]) };
        assert!(refused.code == 2 && refused.stderr.contains("never written over"), "{words}: {refused:?}");
    }
    let asked =
        run(&format!("query --ncu {log_name} -o {log_name} --force"), &[&sample, Path::new("select 1")]);
    assert!(asked.code == 2 && asked.stderr.contains("never written over"), "{asked:?}");
    assert_eq!([&log, &policy, &list].map(before), texts);
}

#[test]
fn options_that_change_nothing_are_refused() {
    for words in [
        "ncu --table roofline --columns zzz",
        "ncu --table roofline --where x>1",
        "ncu --table roofline --top 1",
        "ncu --key-node foo",
        "ncu --from 1ms",
        "ncu --table roofline --iter-start 3",
        "ncu --levels l2 --format csv",
        "ncu --levels l2 --table ncu-launches",
        "ncu --roofline kernels --top 1",
    ] {
        let shown = alone(words, LOG);
        assert_eq!((shown.code, shown.stdout.as_str()), (2, ""), "{words}: {shown:?}");
    }
    for words in ["--top 1", "--columns zzz", "--where x>1", "--sort zzz", "--wide"] {
        let (_folder, shown) = with_log(&format!("ncu --ncu LOG {words}"));
        assert_eq!((shown.code, shown.stdout.as_str()), (2, ""), "{words}: {shown:?}");
    }
    for words in
        ["--format json", "--where x", "--top 3", "--columns zzz", "--sort zzz", "--wide", "--no-pager"]
    {
        let shown = run(&format!("ncu --suggest {words}"), &[&sample()]);
        assert_eq!(shown.code, 2, "{words}: {shown:?}");
        // A program that asked for JSON is told in JSON.
        match words == "--format json" {
            true => assert!(shown.stdout.starts_with("{\"v\":1"), "{shown:?}"),
            false => assert_eq!(shown.stdout, "", "{words}: {shown:?}"),
        }
    }
    // What they are for, they do.
    assert_eq!(alone("ncu --levels l2", LOG).code, 0);
    assert_eq!(alone("ncu --levels l2 --table roofline --format csv", LOG).code, 0);
    assert_eq!(alone("ncu --table ncu-launches --top 1 --format csv", LOG).stdout.lines().count(), 2);
    assert_eq!(run("ncu --suggest --from 8ms", &[&sample()]).code, 0);
}

#[test]
fn times_that_no_launch_says_are_unknown() {
    let log = "\"ID\",\"Kernel Name\",\"sm__throughput.avg.pct_of_peak_sustained_elapsed\"\n\"\",\"\",\"%\"\n\"0\",\"gemm\",\"20.00\"\n";
    let shown = alone("ncu --format json", log);
    let rows: serde_json::Value = serde_json::from_str(&shown.stdout).expect("JSON");
    assert_eq!(rows[0]["long_kernel_name"], "gemm", "{shown:?}");
    assert!(rows[0]["gpu_time_ns"].is_null() && rows[0]["counted_percent"].is_null(), "{shown:?}");
    let timed = alone("ncu --format json", LOG);
    let rows: serde_json::Value = serde_json::from_str(&timed.stdout).expect("JSON");
    assert_eq!(rows[0]["gpu_time_ns"], 31500, "{timed:?}");
}

/// Its launches are those that were measured.
#[test]
fn points_of_a_log_alone_are_exact() {
    let log = "\"ID\",\"Kernel Name\",\"gpu__time_duration.sum\",\"dram__bytes.sum\",\
        \"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum\",\"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum\",\
        \"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum\",\"sm__inst_executed_pipe_tensor.sum\"\n\
        \"\",\"\",\"ns\",\"byte\",\"inst\",\"inst\",\"inst\",\"inst\"\n\"0\",\"gemm\",\"1000\",\"4096\",\"10\",\"10\",\"1000\",\"0\"\n";
    let shown = alone("ncu --table roofline", log);
    let points: Vec<&str> = shown.stdout.lines().filter(|row| row.starts_with("point,")).collect();
    assert!(points.len() == 1 && points[0].ends_with(",true"), "{shown:?}");
}

#[test]
fn what_is_no_log_is_named_and_endings_are_all_named() {
    let shown = run("ncu", &[&sample()]);
    assert_eq!(shown.code, 3, "{shown:?}");
    assert!(shown.stderr.contains("SQLite") && shown.stderr.contains("ncu --suggest"), "{shown:?}");
    assert!(!shown.stderr.contains("ncu-rep"), "{shown:?}");
    let ending = alone("ncu -o x.html", LOG);
    assert!(ending.code == 2 && ending.stderr.contains("xlsx"), "{ending:?}");
    let ending = run("ranks -o x.csv", &[&sample()]);
    assert!(ending.code == 2 && ending.stderr.contains("html, pdf"), "{ending:?}");
}
