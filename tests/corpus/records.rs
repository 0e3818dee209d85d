//! The ledger of records: every launch of every capture is accounted for, the cases of losses have their right values, and no figure
//! of GPUs in an iteration without records is a number.

use crate::profiles::profile_of;
use dlprof_core::{Capture, Error, Judged, ReadOptions, TABLES, Table as _, Value, verdict_detail};
use dlprof_export::{Query, QueryAnswer, TimeUnit, write_check};
use dlprof_generate::corpus::{corpus, folder};
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Files of the cases beside the corpus; says loudly which are missing.
fn cases() -> Vec<PathBuf> {
    const CASES: [&str; 9] = [
        "nsys/tp4_rank0_only.sqlite",
        "nsys/tail_lost.sqlite",
        "nsys/unrecorded_lib.sqlite",
        "nsys/graph_norecords.sqlite",
        "nsys/driver_too_new.sqlite",
        "traces/01-kernels-lost-at-start.json",
        "traces/01b-kernels-lost-scattered.json",
        "traces/02-graph-capture.json",
        "traces/10c-xpu-kernels-lost.json",
    ];
    CASES.into_iter().filter_map(case).collect()
}

/// The file of a case; none, and `SKIPPED`, where it is missing.
fn case(name: &str) -> Option<PathBuf> {
    let path = folder()?.join("cases").join(name);
    if !path.is_file() {
        let _ = writeln!(std::io::stderr(), "SKIPPED: no case at {}", path.display());
        return None;
    }
    Some(path)
}

fn judged(path: &Path) -> Option<Judged> {
    match Capture::read(path, &ReadOptions::default()) {
        Ok(capture) => Some(profile_of(&capture)),
        Err(Error::NoEvents { .. }) => None,
        Err(error) => panic!("{}: {error}", path.display()),
    }
}

fn ask(judged: &Judged, sql: &str) -> QueryAnswer {
    let asked = Query::new(sql, 1).and_then(|mut query| {
        query.add("x", judged)?;
        query.run()
    });
    asked.unwrap_or_else(|error| panic!("{sql}: {error}"))
}

fn number(judged: &Judged, sql: &str) -> i64 {
    match ask(judged, sql).value(0, 0) {
        Value::Int(number) => number,
        Value::Null => 0,
        other => panic!("{sql}: {other:?}"),
    }
}

/// Launches by thread are in another table, which is made of the calls themselves; DLProf's databases have kernels without calls.
#[test]
fn every_launch_is_accounted_for() {
    for path in corpus().into_iter().chain(cases()) {
        let Some(judged) = judged(&path) else { continue };
        let name = path.display();
        let odd =
            "select count(*) from records where launches != recorded + captured + missing or lost > missing";
        assert_eq!(number(&judged, odd), 0, "{name}");
        let calls = number(&judged, "select sum(launch_calls) from threads");
        let host =
            "select sum(calls) from api_calls where call_class = 'launch' and api_function like '%HostFunc%'";
        let accounted = number(&judged, "select sum(launches) from records");
        assert_eq!(accounted + number(&judged, host), calls, "{name}");
    }
}

/// Columns about GPUs of tables by iteration; those of `steps` and `gpu_time` are theirs but for lengths and calls.
const OF_GPUS: [(&str, &str); 4] = [
    (
        "iterations",
        "gpu_utilization_percent, kernel_calls, kernel_gpu_time_ns, tc_kernel_ns, memory_ns, cpu_ns, other_ns",
    ),
    ("iteration_ops", "gpu_time_ns, gpu_idle_ns, kernel_calls, kernel_gpu_time_ns"),
    ("gpu_time", "busy_ns, idle_ns, compute_ns, copy_ns, gaps"),
    ("steps", "gpu_ns, communication_ns, copy_ns, cpu_ns, sync_ns, other_ns"),
];

#[test]
fn nothing_is_said_of_gpus_in_iterations_without_records() {
    let mut untraced = 0;
    for path in corpus().into_iter().chain(cases()) {
        let Some(judged) = judged(&path) else { continue };
        untraced += number(&judged, "select count(*) from iterations where state = 'untraced'");
        for (table, columns) in OF_GPUS {
            let known: Vec<String> =
                columns.split(", ").map(|column| format!("t.{column} is not null")).collect();
            let sql = format!(
                "select count(*) from {table} t join iterations i on i.iteration = t.iteration where i.state = 'untraced' and ({})",
                known.join(" or ")
            );
            assert_eq!(number(&judged, &sql), 0, "{}: {sql}", path.display());
        }
    }
    assert!(untraced > 200 || cases().is_empty(), "{untraced} iterations are untraced");
}

/// What `check` says first of what is wrong, and the first words of the verdict.
fn first_words(judged: &Judged) -> (String, String) {
    let mut bytes = Vec::new();
    write_check(judged, TimeUnit::Auto, &mut bytes).expect("memory takes everything");
    let text = String::from_utf8(bytes).expect("text");
    let first = text.lines().find(|line| line.starts_with(char::is_alphabetic) && line.contains("]: "));
    (verdict_detail(judged).to_string(), first.unwrap_or_default().to_owned())
}

#[test]
fn cases_of_losses_are_told_first_and_with_the_remedy_that_fits() {
    let told = [
        ("nsys/tp4_rank0_only.sqlite", "dropped_records", "processes 1001, 1002, 1003", "end by themselves"),
        ("nsys/tail_lost.sqlite", "dropped_records", "30.0% of the launches", "end by themselves"),
        (
            "nsys/unrecorded_lib.sqlite",
            "waits_without_work",
            "80 waits for the GPU end 11.090 ms",
            "before removing waits",
        ),
        (
            "nsys/graph_norecords.sqlite",
            "dropped_records",
            "200 launches of CUDA graphs",
            "--cuda-graph-trace",
        ),
        (
            "nsys/driver_too_new.sqlite",
            "dropped_records",
            "31 events were produced, and 3 arrived",
            "newer nsys",
        ),
        ("traces/01-kernels-lost-at-start.json", "dropped_records", "40.0% of the launches", "fewer steps"),
        ("traces/01b-kernels-lost-scattered.json", "dropped_records", "40.0% of the launches", "fewer steps"),
        ("traces/02-graph-capture.json", "captured_launches", "300 of 302 launches", "launches these graphs"),
        ("traces/10c-xpu-kernels-lost.json", "no_gpu_trace", "120 calls launched", "Record the GPU"),
    ];
    for (name, rule, says, remedy) in told {
        let Some(path) = case(name) else { continue };
        let judged = judged(&path).expect("events");
        let (verdict, first) = first_words(&judged);
        assert!(
            verdict.starts_with("This capture misleads: ") && verdict.contains(says),
            "{name}: {verdict}"
        );
        assert!(first.starts_with(&format!("error[{rule}]: ")), "{name}: {first}");
        let finding = judged.findings().first().expect("a finding");
        assert_eq!(finding.id, rule, "{name}");
        let advice = finding.recommendation.to_string();
        assert!(advice.contains(remedy), "{name}: {advice}");
        let silent = [
            "device_stall",
            "serialised_launches",
            "sync_in_step",
            "underutilized_gpu_detector",
            "launch_bound",
        ];
        let found = judged.findings().iter().find(|finding| silent.contains(&finding.id.as_ref()));
        assert!(found.is_none(), "{name}: {found:?}");
    }
}

#[test]
fn states_and_records_of_the_cases() {
    let states = |path: &Path| {
        let judged = judged(path).expect("events");
        number(&judged, "select count(*) from iterations where state = 'untraced'")
    };
    for (name, count) in [
        ("nsys/tail_lost.sqlite", 30),
        ("nsys/graph_norecords.sqlite", 200),
        ("nsys/tp4_rank0_only.sqlite", 0),
        ("traces/01-kernels-lost-at-start.json", 8),
        ("traces/01b-kernels-lost-scattered.json", 0),
    ] {
        if let Some(path) = case(name) {
            assert_eq!(states(&path), count, "{name}");
        }
    }
    let Some(path) = case("nsys/tp4_rank0_only.sqlite") else { return };
    let judged = judged(&path).expect("events");
    let lost = "select count(*) from records where lost = 2000 and launches = 2000 and place = 'all'";
    assert_eq!(number(&judged, lost), 3);
    let known = "select count(*) from gpus where gpu_utilization_percent is not null or other_ns is not null";
    assert_eq!(number(&judged, known), 1, "what other GPUs did is not known");
}

/// Every table of a case can be made, whatever is missing there.
#[test]
fn tables_of_captures_with_losses_can_be_read() {
    for path in cases() {
        let judged = judged(&path).expect("events");
        for definition in TABLES {
            let table = (definition.build)(&judged);
            for row in 0..table.rows().min(50) {
                (0..table.columns()).for_each(|column| drop(table.value(row, column)));
            }
        }
    }
}
