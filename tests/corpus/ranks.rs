//! Jobs of many ranks with planted faults: every cell of every table equals that of an independent program.

use dlprof_generate::corpus::{folder, ranks_programs};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Scenario and number of ranks.
const JOBS: [(&str, usize); 12] = [
    ("balanced", 2),
    ("slow_gpu", 8),
    ("late_input", 4),
    ("late_host", 4),
    ("extra_work", 4),
    ("slow_link", 8),
    ("uneven_batches", 4),
    ("stage_imbalance", 8),
    ("intermittent", 4),
    ("no_payload", 8),
    ("missing", 8),
    ("per_node", 16),
];

/// Tables with the columns that tell rows apart.
const TABLES: [(&str, &[&str]); 10] = [
    ("job", &[]),
    ("ranks", &["rank"]),
    ("rank_iterations", &["iteration", "rank"]),
    ("collectives", &["iteration", "communicator", "order"]),
    ("communicators", &["communicator"]),
    ("rank_groups", &["group"]),
    ("collective_kinds", &["kind", "bytes", "ranks"]),
    ("rank_ops", &["op", "group"]),
    ("job_findings", &["rule", "ranks"]),
    ("rank_files", &["file"]),
];

/// Sentences, which each program words its own way.
const WORDED: [(&str, &str); 2] = [("job_findings", "title"), ("rank_files", "status")];

/// Of a job without one of its captures, exchange says nothing here about who is slow, and nothing is said to save anything; the
/// specification compares with it.
const OF_WHOLE_JOBS: [&str; 10] = [
    "lag_ns",
    "lag_percent",
    "lag_share_percent",
    "score",
    "lagging",
    "confidence",
    "cause",
    "saving_ns",
    "saving_upper_ns",
    "figures",
];

type Rows = BTreeMap<Vec<String>, BTreeMap<String, String>>;

fn rows(text: &[u8], keys: &[&str]) -> Rows {
    let mut reader = csv::Reader::from_reader(text);
    let headers = reader.headers().expect("headers").clone();
    let row = |record: csv::StringRecord| {
        let cells: BTreeMap<String, String> =
            headers.iter().map(str::to_owned).zip(record.iter().map(str::to_owned)).collect();
        (keys.iter().map(|key| cells[*key].clone()).collect(), cells)
    };
    reader.records().map(|record| row(record.expect("a row"))).collect()
}

fn is_same(ours: &str, theirs: &str) -> bool {
    if ours == theirs || ours.eq_ignore_ascii_case(theirs) {
        return true;
    }
    match (ours.parse::<i64>(), theirs.parse::<i64>()) {
        (Ok(_), Ok(_)) => false,
        // Fractions are written with three decimals there.
        _ => match (ours.parse::<f64>(), theirs.parse::<f64>()) {
            (Ok(ours), Ok(theirs)) => (ours - theirs).abs() <= 0.000_501,
            _ => false,
        },
    }
}

fn python(folder: &Path, words: &[&str]) {
    let mut command = Command::new("python3");
    command.env("PYTHONDONTWRITEBYTECODE", "1").current_dir(folder).args(words);
    let output = command.output().expect("python3");
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn tables_of_jobs_equal_those_of_the_specification() {
    let Some(programs) = ranks_programs() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let mut cells = 0;
    for (scenario, ranks) in JOBS {
        let (job, theirs) = (folder.path().join(scenario), folder.path().join(format!("{scenario}-tables")));
        let path = |path: &Path| path.to_str().expect("UTF-8").to_owned();
        python(&programs, &["ranks_gen.py", scenario, &ranks.to_string(), &path(&job)]);
        python(&programs, &["ranks.py", &path(&job), "--no-text", "--tables", &path(&theirs)]);
        for (table, keys) in TABLES {
            let mut command = Command::new(env!("CARGO_BIN_EXE_dlprof-agg"));
            command.args(["show", table, "--format", "csv", "--no-cache"]).arg(&job);
            let output = command.output().expect("the program starts");
            assert!(
                output.status.success(),
                "{scenario} {table}: {}",
                String::from_utf8_lossy(&output.stderr)
            );
            let ours = rows(&output.stdout, keys);
            let theirs = rows(&std::fs::read(theirs.join(format!("{table}.csv"))).expect("a table"), keys);
            let names = |rows: &Rows| -> BTreeSet<Vec<String>> { rows.keys().cloned().collect() };
            assert_eq!(names(&ours), names(&theirs), "{scenario} {table}");
            for (key, row) in &theirs {
                for (column, cell) in
                    row.iter().filter(|(column, _)| !WORDED.contains(&(table, column.as_str())))
                {
                    let own = &ours[key][column];
                    if scenario == "missing" && OF_WHOLE_JOBS.contains(&column.as_str()) {
                        continue;
                    }
                    assert!(is_same(own, cell), "{scenario} {table} {key:?} {column}: {own}, there {cell}");
                    cells += 1;
                }
            }
        }
    }
    assert!(cells > 50_000, "{cells} cells");
}

/// What is said of folders as they arrive: with holes, with several sessions, with several that are slow.
#[test]
fn folders_as_they_arrive_are_judged_by_what_captures_state() {
    let Some(cases) = folder().map(|corpus| corpus.join("cases")).filter(|cases| cases.is_dir()) else {
        return;
    };
    let both_lag = "Ranks 2 and 5 together hold the job back: their GPUs run at 91 % of the others' speed";
    let is_missing = "Rank 2 is missing, and all groups that it belongs to wait: it, or what it waits for, may be why; none of the 7";
    let cases_and_words: [(&str, &[&str]); 7] = [
        ("ranks/two-equal-laggards-with-groups", &[both_lag]),
        ("ranks/pipeline-balanced-one-missing", &[is_missing]),
        ("ranks/order-of-findings", &["Ranks 5, 17, 30 together hold the job back"]),
        ("ranks/two-traces-per-rank", &["8 ranks", "session 2 of 2"]),
        ("traces/06-vllm-dir", &["2 ranks", "session 2 of 2", "Rank 1"]),
        ("traces/06b-vllm-dir-one-session", &["2 ranks", "Rank 1"]),
        ("traces/07-torchtitan/profile_trace", &["2 ranks", "session 2 of 2"]),
    ];
    for (case, words) in cases_and_words {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dlprof-agg"));
        let output = command.args(["ranks", "--no-cache"]).arg(cases.join(case)).output();
        let text = String::from_utf8(output.expect("the program starts").stdout).expect("UTF-8");
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for words in words {
            assert!(text.contains(words), "{case}: {words}: {text}");
        }
    }
}

/// A job of a seed, in which some GPUs are 12 % slower and some inputs (`2i`) 3 ms late.
const DRAWN: &str = r#"
import sys, ranks_gen as g
layout, size, seed, slow, payload, out = sys.argv[1:]
def make(*_):
    job = g.Job(layout, int(size), int(seed), 12, layers=3, per_node=max(1, int(size) // 2))
    gpus = [int(rank) for rank in slow.split() if rank.isdigit()]
    if gpus:
        job.plant("slow_gpu", ranks=gpus, factor=1.12)
    for rank in slow.split():
        if not rank.isdigit():
            job.plant("late_input", ranks=[int(rank[:-1])], ns=3_000_000)
    identity = "payload" if payload else "thread"
    return job, dict(payload=bool(payload), identity=identity, utc_error=2_000_000, drift=2e-6)
g.make = make
g.generate("drawn", int(size), out, int(seed), 12)
"#;

/// What is said of the captures of a job: who lags, who is named by a finding about ranks, and what all that lag cost together.
fn judged(captures: &[PathBuf]) -> (BTreeSet<i64>, BTreeSet<i64>, f64) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dlprof-agg"));
    let output = command.args(["ranks", "--format", "json", "--no-cache"]).args(captures).output();
    let job: Value = serde_json::from_slice(&output.expect("the program starts").stdout).expect("JSON");
    let rows = |table: &str| job["tables"][table].as_array().cloned().expect("rows");
    let lagging = rows("ranks").into_iter().filter(|rank| rank["lagging"] == true);
    let named = rows("job_findings").into_iter().filter(|finding| finding["rule"] != "missing_ranks");
    let number = |text: &str| text.parse::<i64>().expect("a rank");
    let span = |text: &str| match text.split_once('-') {
        Some((first, last)) => number(first)..=number(last),
        None => number(text)..=number(text),
    };
    let ranks = named.flat_map(|finding| {
        let ranks = finding["ranks"].as_str().unwrap_or_default().to_owned();
        ranks.split_whitespace().flat_map(span).collect::<Vec<i64>>()
    });
    let saving_ns = rows("job")[0]["saving_ns"].as_f64().unwrap_or(0.0);
    (lagging.map(|rank| rank["rank"].as_i64().expect("a rank")).collect(), ranks.collect(), saving_ns)
}

/// Jobs of all layouts, balanced and with one, two and three culprits, with and without communicators; each also without one of its
/// captures: nobody is named but who is slow, who is slow is named, and all together save what was planted.
#[test]
fn culprits_of_drawn_jobs_are_named_with_what_they_cost_and_nobody_else_is() {
    let Some(programs) = ranks_programs() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let plans = [("balanced", ""), ("one", "5"), ("two", "1 6"), ("three", "0 3 6"), ("two causes", "1 6i")];
    let jobs = plans.iter().flat_map(|plan| ["ddp", "fsdp", "tp", "pp", "3d"].map(|layout| (plan, layout)));
    for (seed, ((plan, slow), layout)) in (300..).zip(jobs) {
        let name = format!("{plan} {layout} {seed}");
        let job = folder.path().join(&name);
        let payload = if seed % 2 == 0 { "with" } else { "" };
        let out = job.to_str().expect("UTF-8");
        python(&programs, &["-c", DRAWN, layout, "8", &seed.to_string(), slow, payload, out]);
        let truth: Value =
            serde_json::from_slice(&std::fs::read(job.join("truth.json")).expect("the truth")).expect("JSON");
        let rank = |text: &str| text.trim_end_matches('i').parse().expect("a rank");
        let slow: BTreeSet<i64> = slow.split_whitespace().map(rank).collect();
        let mut captures: Vec<PathBuf> =
            std::fs::read_dir(&job).expect("a job").map(|file| file.expect("a file").path()).collect();
        captures.retain(|file| file.extension().is_some_and(|ending| ending == "sqlite"));
        captures.sort();
        let (lagging, named, saving_ns) = judged(&captures);
        assert_eq!((&lagging, &named), (&slow, &slow), "{name}");
        let [step_ns, without_ns] =
            ["step_ns", "step_without_ns"].map(|key| truth[key].as_f64().expect("a time"));
        let planted_ns = step_ns - without_ns;
        let off_ns = (saving_ns - planted_ns).abs();
        // That nobody waits for a rank is a little more than that it is as fast as the others.
        let allowed = if ["two", "three"].contains(plan) { 0.1 } else { 0.2 };
        assert!(
            off_ns <= allowed * planted_ns || off_ns <= 0.003 * step_ns,
            "{name}: {saving_ns} of {planted_ns}"
        );
        captures.remove(usize::try_from(seed).expect("a seed") % captures.len());
        let (lagging, named, _) = judged(&captures);
        assert!(
            lagging.is_subset(&slow) && named.is_subset(&slow),
            "{name}, one missing: {lagging:?} {named:?}"
        );
    }
}

/// Eight traces of one step: all ranks are found to be one communicator, and what exchange and waiting take together is what HTA
/// calls non-compute time, which has copies too.
#[test]
fn a_real_job_of_traces_is_what_hta_says_and_tells_waiting_from_exchange() {
    let Some(kineto) = folder().map(|corpus| corpus.join("kineto")) else { return };
    let job = kineto.join("nv-v100-dlrm-8rank");
    let table = |name: &str, keys: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dlprof-agg"));
        let output = command.args(["show", name, "--format", "csv", "--no-cache"]).arg(&job).output();
        rows(&output.expect("the program starts").stdout, keys)
    };
    let number = |cell: &str| cell.parse::<f64>().unwrap_or_else(|_| panic!("{cell} is no number"));
    let collectives = table("collectives", &["order"]);
    let kinds: Vec<&str> = collectives.values().map(|row| row["kind"].as_str()).collect();
    assert_eq!(kinds.iter().filter(|kind| **kind == "AllToAll").count(), 5, "{kinds:?}");
    for row in collectives.values() {
        assert_eq!(row["ranks"], "8", "{row:?}");
        assert!(number(&row["end_skew_ns"]) < 10_000.0, "{row:?}");
    }
    let hta = std::fs::read(kineto.join("reference/hta/dlrm-8rank/temporal.csv")).expect("a reference");
    let (ours, theirs) = (table("ranks", &["rank"]), rows(&hta, &["rank"]));
    assert_eq!(ours.len(), 8);
    for (rank, row) in &ours {
        let exchange = number(&row["transfer_ns"]) + number(&row["wait_ns"]);
        let non_compute = 1e3 * number(&theirs[rank]["non_compute_time(us)"]);
        let copies = non_compute - exchange;
        assert!((0.0..40_000.0).contains(&copies), "{rank:?}: {exchange} and {non_compute}");
    }
}

fn program(words: &str, paths: &[&Path]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dlprof-agg"));
    let output = command.args(words.split_whitespace()).args(paths).arg("--no-cache").output();
    let output = output.expect("the program starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// A capture per node, which does not say its ranks, and one without GPU work.
#[test]
fn a_capture_of_several_ranks_is_called_after_its_lowest() {
    let Some(corpus) = folder() else { return };
    let capture = corpus.join("torch-fastvideo-train-nccl-2gpu-h100-2026.2.1-before.sqlite");
    let folder = tempfile::tempdir().expect("a folder");
    let lake = folder.path().join("lake");
    let add =
        |words: &str, capture: &Path| program(&format!("lake add {} {words}", lake.display()), &[capture]);
    let (code, _, unknown) = add("--run 1", &capture);
    assert!(code == Some(5) && unknown.contains("--rank N"), "{unknown}");
    let (code, _, said) = add("--run 1 --rank 6", &capture);
    assert!(code == Some(0) && lake.join("run=1/rank=6").is_dir(), "{said}");
    let (code, _, by_path) = add("--run 2 --rank-from (2)gpu", &capture);
    assert!(code == Some(0) && lake.join("run=2/rank=2").is_dir(), "{by_path}");
    let (_, ranks, said) = program("show ranks --columns rank --format csv", &[&lake.join("run=1")]);
    assert_eq!(ranks, "rank\n6\n7\n", "{said}");
    // Its only step is all that was captured.
    let (_, shown, _) = program("ranks", &[&lake.join("run=1")]);
    assert!(shown.contains(" in all   ") && !shown.contains("per step"), "{shown}");

    let (code, _, none) =
        add("--run 1 --rank 3", &corpus.join("torch-centerformer-nvtxonly-titanrtx-2022.4.2.sqlite"));
    assert!(code == Some(5) && none.contains("has no GPU work"), "{none}");
}

#[test]
fn a_copy_of_a_trace_is_no_rank() {
    let Some(kineto) = folder().map(|corpus| corpus.join("kineto")) else { return };
    let mut traces: Vec<_> = std::fs::read_dir(kineto.join("nv-v100-dlrm-8rank"))
        .expect("a job")
        .map(|file| file.expect("a file").path())
        .collect();
    traces.sort();
    let folder = tempfile::tempdir().expect("a folder");
    let copies = ["a.json.gz", "b.json.gz", "c.json.gz"].map(|name| folder.path().join(name));
    for (of, copy) in [0, 1, 0].into_iter().zip(&copies) {
        std::fs::copy(&traces[of], copy).expect("a copy");
    }
    let (code, shown, said) = program("show rank_files --format csv --columns file,ranks", &[folder.path()]);
    assert_eq!(code, Some(0), "{said}");
    let ranks: Vec<&str> = shown.lines().skip(1).filter_map(|line| line.rsplit(',').next()).collect();
    assert_eq!(ranks, ["1", "1", "0"], "{shown}");
    let (_, ranks, _) = program("ranks", &[folder.path()]);
    assert!(ranks.contains("ranks by trace"), "{ranks}");
    let (code, _, alone) = program("ranks", &[&copies[0], &copies[2]]);
    assert!(code == Some(5) && alone.contains("1 of them is a copy of another"), "{alone}");
}

#[test]
fn options_that_fit_no_trace_are_told_from_traces_that_cannot_be_read() {
    let Some(kineto) = folder().map(|corpus| corpus.join("kineto")) else { return };
    let job = kineto.join("nv-v100-dlrm-8rank");
    for words in ["ranks --iter-start 50 --iter-stop 60", "ranks --key-node foo"] {
        let (code, shown, said) = program(words, &[&job]);
        assert_eq!((code, shown.as_str()), (Some(5), ""), "{words}: {said}");
    }
}
