//! `ranks`, and `show` of the tables of jobs.

use super::run::{run, temporary_folder};
use dlprof_generate::{JobPlan, write_export, write_job};
use std::path::{Path, PathBuf};

/// A job of two captures, whose names have the ranks.
fn job(folder: &Path) -> Vec<PathBuf> {
    let capture = |rank: usize| {
        let file = folder.join(format!("rank{rank}.sqlite"));
        let arguments = format!("--style ranges --iterations 12 --layers 2 --seed {}", rank + 1);
        write_export(&file, &arguments).expect("an export");
        std::fs::remove_file(file.with_extension("truth.json")).expect("its truth");
        file
    };
    (0..2).map(capture).collect()
}

#[test]
fn a_job_is_shown_from_files_folders_and_lists() {
    let folder = temporary_folder();
    let files = job(folder.path());
    let by_files = run("ranks", &[&files[0], &files[1]]);
    assert_eq!(by_files.code, 0, "{}", by_files.stderr);
    assert!(by_files.stdout.contains("2 ranks on "), "{}", by_files.stdout);
    assert!(by_files.stdout.contains("ranks by file name"), "{}", by_files.stdout);
    let by_folder = run("ranks", &[folder.path()]);
    assert_eq!(by_folder.stdout, by_files.stdout);
    let list = folder.path().join("list.txt");
    std::fs::write(&list, format!("{}\n{}\n", files[1].display(), files[0].display())).expect("a list");
    let by_list = run(&format!("ranks @{} --jobs 2", list.display()), &[]);
    assert_eq!(by_list.stdout, by_files.stdout);
    let pattern = folder.path().join("*.sqlite");
    assert_eq!(run("ranks", &[&pattern]).stdout, by_files.stdout);
}

#[test]
fn lines_fit_the_terminal() {
    let folder = temporary_folder();
    let even = folder.path().join("even");
    std::fs::create_dir(&even).expect("a folder");
    job(&even);
    let slow =
        drawn(folder.path(), "slow", &JobPlan { ranks: 4, slow: Some((2, 120)), ..JobPlan::default() });
    for captures in [even, slow] {
        let text = run("ranks", &[&captures]).stdout;
        assert!(text.contains("What to change"), "{text}");
        // Lines with the path of a capture are as long as it is.
        for line in text.lines().filter(|line| !line.contains(".sqlite")) {
            assert!(unicode_width::UnicodeWidthStr::width(line) <= 100, "{line}");
        }
    }
}

/// An export that was made without payloads describes them, but has none.
#[test]
fn check_says_how_to_get_communicators() {
    let folder = temporary_folder();
    let file = job(folder.path()).swap_remove(0);
    let has_none = run("check", &[&file]);
    assert!(has_none.code == 0 && !has_none.stdout.contains("--include-blobs=true"), "{}", has_none.stdout);
    let table = "CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES (domainId INTEGER, schemaId INTEGER, idx INTEGER, flags INTEGER, \
                 type INTEGER, name TEXT, description TEXT, arrayOrUnionDetail INTEGER, offset INTEGER);
                 INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES (1, 16777218, 0, 0, 18, 'NCCL communicator ID', NULL, NULL, NULL);
                 INSERT INTO NVTX_EVENTS (start, eventType, text, globalTid, domainId) SELECT 0, 75, 'NCCL', globalTid, 1 FROM NVTX_EVENTS LIMIT 1;
                 INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, domainId) SELECT start, end, 59, 'ncclAllReduce', globalTid, 1 FROM NVTX_EVENTS LIMIT 1;";
    let opened = rusqlite::Connection::open(&file);
    opened.and_then(|export| export.execute_batch(table)).expect("a table");
    let lacks = run("check", &[&file]);
    assert!(
        lacks.code == 0 && lacks.stdout.contains("`nsys export --include-blobs=true`"),
        "{}",
        lacks.stdout
    );
}

#[test]
fn what_cannot_be_read_is_a_row() {
    let folder = temporary_folder();
    job(folder.path());
    let damaged = folder.path().join("rank2.sqlite");
    std::fs::write(&damaged, "no database").expect("a file");
    let shown = run("ranks", &[folder.path()]);
    assert_eq!(shown.code, 0, "{}", shown.stderr);
    assert!(
        shown.stdout.contains("! not read: ") && shown.stdout.contains("rank2.sqlite"),
        "{}",
        shown.stdout
    );
    let table = run("show rank_files --format csv", &[folder.path()]);
    let statuses: Vec<&str> =
        table.stdout.lines().skip(1).filter_map(|line| line.split(',').nth(1)).collect();
    assert_eq!(statuses[..2], ["read", "read"], "{}", table.stdout);
    assert!(statuses[2].contains("unreadable: "), "{}", table.stdout);
}

#[test]
fn errors_say_what_is_missing() {
    let folder = temporary_folder();
    let files = job(folder.path());
    let missing = folder.path().join("none.sqlite");
    let one = run("ranks", &[&files[0]]);
    assert_eq!((one.code, one.stderr.contains("fewer than two ranks")), (5, true), "{}", one.stderr);
    let unreadable = run("ranks", &[&files[0], &missing]);
    assert_eq!(
        (unreadable.code, unreadable.stderr.contains("does not exist")),
        (3, true),
        "{}",
        unreadable.stderr
    );
    let pattern = run("ranks --rank-from rank(9)", &[&files[0], &files[1]]);
    assert_eq!((pattern.code, pattern.stderr.contains("gives none")), (2, true), "{}", pattern.stderr);
    let wrong = run("ranks --rank-from (", &[&files[0], &files[1]]);
    assert_eq!((wrong.code, wrong.stderr.contains("regular expression")), (2, true), "{}", wrong.stderr);
    let trace = folder.path().join("trace.json");
    let events = r#"{"traceEvents": [
        {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 10, "dur": 5, "args": {"device": 0, "stream": 7}},
        {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 9, "tid": 9, "ts": 1, "dur": 2}
    ]}"#;
    std::fs::write(&trace, events).expect("a trace");
    let mixed = run("ranks", &[&files[0], &trace]);
    assert_eq!(
        (mixed.code, mixed.stderr.contains("one kind")),
        (5, true),
        "{} {}",
        mixed.stdout,
        mixed.stderr
    );
    let second = run("show ops", &[&files[0], &files[1]]);
    assert_eq!((second.code, second.stderr.contains("is a second FILE")), (2, true), "{}", second.stderr);
}

#[test]
fn tables_of_jobs_are_shown_in_every_format() {
    let folder = temporary_folder();
    job(folder.path());
    for table in dlprof_core::JOB_TABLES {
        let csv = run(&format!("show {} --format csv", table.key), &[folder.path()]);
        assert_eq!(csv.code, 0, "{}: {}", table.key, csv.stderr);
        let headers: Vec<&str> = table.headers().iter().map(|header| header.key).collect();
        assert_eq!(csv.stdout.lines().next(), Some(&*headers.join(",")), "{}", table.key);
    }
    let own = run("show ranks --columns rank,own_ns --where rank=1 --format json", &[folder.path()]);
    assert!(own.stdout.contains("\"own_ns\"") && !own.stdout.contains("wait_ns"), "{}", own.stdout);
    let json = run("ranks --format json", &[folder.path()]);
    let json: serde_json::Value = serde_json::from_str(&json.stdout).expect("JSON");
    assert_eq!(json["tables"]["ranks"].as_array().map(Vec::len), Some(2));
    let markdown = run("ranks --format markdown", &[folder.path()]).stdout;
    assert!(markdown.starts_with("### ") && markdown.contains("| Rank | Node |"), "{markdown}");
}

#[test]
fn ci_systems_get_every_finding_in_their_formats() {
    let folder = temporary_folder();
    let files = job(folder.path());
    // Rank 2 of 3 has no capture.
    std::fs::rename(&files[1], folder.path().join("rank2.sqlite")).expect("a rank");
    let found = run("show job_findings --columns rule --format tsv", &[folder.path()]).stdout;
    let rules: Vec<&str> = found.lines().skip(1).collect();
    assert!(rules.contains(&"missing_ranks"), "{found}");
    let written = temporary_folder();
    let [junit, sarif] = ["job.xml", "job.sarif"].map(|name| written.path().join(name));
    let words = format!("ranks --format annotations -o {} -o {}", junit.display(), sarif.display());
    let shown = run(&words, &[folder.path()]);
    assert_eq!(shown.code, 0, "{}", shown.stderr);
    let junit = std::fs::read_to_string(junit).expect("JUnit");
    let sarif = std::fs::read_to_string(sarif).expect("SARIF");
    let sarif: serde_json::Value = serde_json::from_str(&sarif).expect("JSON");
    let results = sarif["runs"][0]["results"].as_array().expect("results");
    assert_eq!(results.len(), rules.len());
    for (rule, result) in rules.iter().zip(results) {
        assert!(shown.stdout.contains(&format!(" title=dlprof-agg {rule}::")), "{}", shown.stdout);
        assert_eq!(result["ruleId"], *rule);
        assert!(junit.contains(&format!("<testcase name=\"{rule}\"")), "{junit}");
    }
    assert_eq!(junit.matches("<testcase ").count(), dlprof_core::JobRule::ALL.len());
    assert_eq!(junit.matches("<failure ").count(), 1, "{junit}");
    assert_eq!(run("ranks --fail-on warning", &[folder.path()]).code, 1);
    let again = run(&words, &[folder.path()]);
    assert_eq!((again.code, again.stderr.contains("--force")), (4, true), "{}", again.stderr);
    let over = run(&format!("ranks --force -o {}", files[0].display()), &[folder.path()]);
    assert_ne!(over.code, 0, "a capture of the job is no output");
}

#[test]
fn one_rank_has_its_own_dashboard_and_tables() {
    let folder = temporary_folder();
    let files = job(folder.path());
    assert_eq!(run("ranks --rank 1", &[folder.path()]).stdout, run("", &[&files[1]]).stdout);
    let table = "--columns op_id,gpu_time_ns --format csv";
    let own = run(&format!("show ops {table} --rank 1"), &[folder.path()]);
    assert_eq!(own.code, 0, "{}", own.stderr);
    assert_eq!(own.stdout, run(&format!("show ops {table}"), &[&files[1]]).stdout);
    let none = run("ranks --rank 7", &[folder.path()]);
    assert_eq!((none.code, none.stderr.contains("ranks 0, 1")), (5, true), "{}", none.stderr);
    assert_eq!(run("ranks --rank 1 --format junit", &[folder.path()]).code, 2);
}

#[test]
fn tables_of_a_job_are_exported_in_every_format() {
    let folder = temporary_folder();
    let files = job(folder.path());
    let written = temporary_folder();
    let at = |name: &str| written.path().join(name).display().to_string();
    let names = ["job.json", "job.xlsx", "tables/"];
    let outputs: Vec<String> = names.iter().map(|name| format!("-o {}", at(name))).collect();
    let exported = run(&format!("export {}", outputs.join(" ")), &[folder.path()]);
    assert_eq!(exported.code, 0, "{}", exported.stderr);
    let document = std::fs::read_to_string(at("job.json")).expect("the document");
    let document: serde_json::Value = serde_json::from_str(&document).expect("JSON");
    assert_eq!(document["captures"].as_array().map(Vec::len), Some(2));
    for table in dlprof_core::JOB_TABLES {
        let csv = std::fs::read_to_string(at(&format!("tables/{}.csv", table.key))).expect("a table");
        let shown = run(&format!("show {} --format csv", table.key), &[folder.path()]).stdout;
        assert_eq!(csv, shown, "{}", table.key);
        let rows = document["tables"][table.key].as_array().expect("a table").len();
        assert_eq!(rows, csv::Reader::from_reader(csv.as_bytes()).records().count(), "{}", table.key);
    }
    for ending in ["csv", "tsv", "json", "ndjson", "md", "parquet", "arrow"] {
        let file = at(&format!("ranks.{ending}"));
        let one = run(&format!("export --tables ranks -o {file}"), &[&files[0], &files[1]]);
        assert_eq!(one.code, 0, "{ending}: {}", one.stderr);
        assert!(std::fs::metadata(&file).expect("a file").len() > 100, "{ending}");
    }
    let of_one = run(&format!("export --rank 1 --tables ops -o {}", at("ops.csv")), &[folder.path()]);
    assert_eq!(of_one.code, 0, "{}", of_one.stderr);
    for command in ["export", "ranks"] {
        let pdf = run(&format!("{command} -f -o {}", at("job.pdf")), &[folder.path()]);
        assert_eq!(pdf.code, 0, "{}", pdf.stderr);
        assert!(std::fs::read(at("job.pdf")).expect("a file").starts_with(b"%PDF-"));
    }
    let trace = run(&format!("export -o {}", at("job.trace.json")), &[folder.path()]);
    assert_eq!((trace.code, trace.stderr.contains("formats of jobs")), (2, true), "{}", trace.stderr);
    let ops = run(&format!("export --tables ops -o {}", at("o.csv")), &[folder.path()]);
    assert_eq!((ops.code, ops.stderr.contains("of one capture")), (2, true), "{}", ops.stderr);
}

#[test]
fn the_page_of_a_job_is_one_file() {
    let folder = temporary_folder();
    let captures = folder.path().join("captures");
    std::fs::create_dir(&captures).expect("a folder");
    job(&captures);
    let page = folder.path().join("job.html");
    let shown = run(&format!("ranks -o {}", page.display()), &[&captures]);
    assert_eq!(shown.code, 0, "{}", shown.stderr);
    let by_ranks = std::fs::read_to_string(&page).expect("a page");
    assert!(by_ranks.contains("<title>captures: dlprof-agg</title>"), "the folder names the job");
    for block in ["manifest", "table-job", "table-ranks", "table-rank_iterations", "table-job_findings"] {
        assert!(by_ranks.contains(&format!("<script type=\"text/plain\" id=\"{block}\">")), "{block}");
    }
    assert!(by_ranks.contains("default-src 'none'"), "a policy that lets nothing be loaded");
    let again = run(&format!("ranks -o {}", page.display()), &[&captures]);
    assert_eq!((again.code, again.stderr.contains("exists")), (4, true), "{}", again.stderr);
    let other = folder.path().join("export.html");
    let exported = run(&format!("export -o {}", other.display()), &[&captures]);
    assert_eq!(exported.code, 0, "{}", exported.stderr);
    assert_eq!(std::fs::read_to_string(&other).expect("a page"), by_ranks);
}

#[cfg(feature = "view")]
#[test]
fn the_page_of_a_job_is_served() {
    let folder = temporary_folder();
    write_job(folder.path(), &JobPlan { slow: Some((1, 120)), ..JobPlan::default() }).expect("a job");
    let server = super::http::Server::start("", &[folder.path()]);
    server.until_read();
    let manifest = server.json("/api/manifest");
    let shown = run("ranks --format json", &[folder.path()]);
    let said: serde_json::Value = serde_json::from_str(&shown.stdout).expect("JSON");
    assert_eq!(manifest["job"]["verdict"], said["verdict"]);
    assert_eq!(manifest["job"]["lagging"], serde_json::json!([1]));
    assert_eq!(server.json("/api/blocks/table-ranks")["rows"], 2);
    assert_eq!(server.get("/api/blocks/table-secrets").status, 404);
    let host = format!("localhost:{}", server.port);
    let without_token = server
        .send(&format!("GET /api/blocks/table-ranks HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"));
    assert_eq!(without_token.status, 401);
}

#[test]
fn the_rank_that_lags_is_named_with_its_saving() {
    let folder = temporary_folder();
    write_job(folder.path(), &JobPlan { ranks: 4, slow: Some((2, 120)), ..JobPlan::default() })
        .expect("a job");
    let shown = run("ranks", &[folder.path()]);
    assert_eq!(shown.code, 0, "{}", shown.stderr);
    // 12 % of 6 ms, less the noise of the slowest of the others.
    assert!(shown.stdout.starts_with("Rank 2 holds the job back: "), "{}", shown.stdout);
    assert!(shown.stdout.contains("slow GPU"), "{}", shown.stdout);
    let found = run("show job_findings --format json", &[folder.path()]);
    let found: serde_json::Value = serde_json::from_str(&found.stdout).expect("JSON");
    let saving = found[0]["saving_ns"].as_i64().expect("a saving");
    assert!((550_000..720_000).contains(&saving), "{saving}");
}

/// Whichever capture is not there, nobody is accused who is not slow, and nothing is said to be saved.
#[test]
fn a_missing_capture_makes_nobody_a_culprit() {
    let folder = temporary_folder();
    let plan = JobPlan { ranks: 5, steps: 12, slow: Some((2, 120)), ..JobPlan::default() };
    let files = write_job(folder.path(), &plan).expect("a job");
    for (rank, file) in files.iter().enumerate() {
        let others: Vec<&Path> = files.iter().filter(|other| *other != file).map(PathBuf::as_path).collect();
        let found = run("show job_findings --format json", &others);
        let found: serde_json::Value = serde_json::from_str(&found.stdout).expect("JSON");
        let found = found.as_array().expect("rows");
        // The last rank is not missed: nothing says that there is one.
        assert!(found[0]["rule"] == "missing_ranks" || rank == 4, "{found:?}");
        let about = |finding: &&serde_json::Value| finding["rule"] == "slow_gpu";
        let accused: Vec<&str> =
            found.iter().filter(about).filter_map(|finding| finding["ranks"].as_str()).collect();
        assert_eq!(accused, if rank == 2 { vec![] } else { vec!["2"] }, "without {rank}: {found:?}");
        let saves = found.iter().any(|finding| finding["saving_ns"].as_i64().is_some());
        assert_eq!(saves, rank == 4, "without {rank}: {found:?}");
    }
}

/// A job in a folder of its own.
fn drawn(folder: &Path, name: &str, plan: &JobPlan<'_>) -> PathBuf {
    let captures = folder.join(name);
    std::fs::create_dir(&captures).expect("a folder");
    write_job(&captures, plan).expect("a job");
    captures
}

#[test]
fn jobs_in_one_folder_are_judged_and_printed_each_by_itself() {
    let folder = temporary_folder();
    let slow = JobPlan { ranks: 4, slow: Some((2, 120)), ..JobPlan::default() };
    drawn(folder.path(), "first", &slow);
    drawn(folder.path(), "second", &JobPlan { ranks: 3, seed: 1, ..JobPlan::default() });
    for words in ["ranks", "ranks --format markdown"] {
        let shown = run(words, &[folder.path()]);
        assert_eq!(shown.code, 0, "{}", shown.stderr);
        let said = [
            "Job 1 of 2, of which `",
            "Rank 2 holds the job back: ",
            "Job 2 of 2, of which `",
            "The ranks are even",
        ];
        let places: Vec<Option<usize>> = said.iter().map(|words| shown.stdout.find(words)).collect();
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?}: {}", shown.stdout);
    }
    // A finding of any of them counts.
    assert_eq!(run("ranks --fail-on warning", &[folder.path()]).code, 1);
    assert!(run("ranks --session 2", &[folder.path()]).stdout.starts_with("The ranks are even"));
}

#[test]
fn jobs_are_compared_and_gated() {
    const LONG: JobPlan<'_> = JobPlan {
        ranks: 4,
        steps: 14,
        compute_ns: 6_000_000,
        slow: None,
        gpu: "NVIDIA A100-SXM4-80GB",
        node: "node",
        seed: 0,
    };
    let folder = temporary_folder();
    let job = |name: &str, plan: JobPlan<'_>| drawn(folder.path(), name, &plan);
    let base = job("base", LONG);
    let again = job("again", JobPlan { seed: 1, ..LONG });
    let slow = job("slow", JobPlan { slow: Some((2, 300)), seed: 2, ..LONG });
    let kept = folder.path().join("kept.json");
    let written = run(&format!("baseline -o {}", kept.display()), &[&base, &again]);
    assert_eq!(written.code, 0, "{}", written.stderr);

    let gate = |new: &Path, base: &Path| run(&format!("gate --baseline {}", base.display()), &[new]);
    let equal = gate(&again, &base);
    assert_eq!(equal.code, 0, "{}{}", equal.stdout, equal.stderr);
    for base in [&base, &kept] {
        let worse = gate(&slow, base);
        assert_eq!(worse.code, 1, "{}{}", worse.stdout, worse.stderr);
        assert!(worse.stdout.contains("FAIL: Iteration time, "), "{}", worse.stdout);
        assert!(!worse.stdout.contains("Kernel launches"), "metrics of captures: {}", worse.stdout);
    }
    let compared = run("compare", &[&base, &slow]);
    assert_eq!(compared.code, 0, "{}", compared.stderr);
    for words in
        ["Waiting for other ranks", "Lag of the slowest rank", "slow_gpu", "waiting for others", "GPU idle"]
    {
        assert!(compared.stdout.contains(words), "{words}: {}", compared.stdout);
    }
    let history = run("history", &[&kept, &slow]);
    assert!(history.stdout.contains("2 baselines, kept … slow"), "{}", history.stdout);
    assert!(history.stdout.contains("Waiting for other ranks"), "{}", history.stdout);
}

#[test]
fn jobs_that_are_unlike_have_no_verdict() {
    let folder = temporary_folder();
    let job = |name: &str, plan: JobPlan<'_>| drawn(folder.path(), name, &plan);
    let plan = JobPlan { steps: 14, ..JobPlan::default() };
    let base = job("base", plan);
    let larger = job("larger", JobPlan { ranks: 4, ..plan });
    let elsewhere = job("elsewhere", JobPlan { gpu: "NVIDIA H100 80GB HBM3", ..plan });
    let one = base.join("rank0.sqlite");
    for (new, reason) in [
        (&larger, "the baseline used 2 GPUs, the new run 4"),
        (&elsewhere, "other GPUs are no regression"),
        (&one, "a job of many ranks is compared with a single capture"),
    ] {
        let judged = run(&format!("gate --baseline {}", base.display()), &[new]);
        assert_eq!(judged.code, 6, "{}{}", judged.stdout, judged.stderr);
        assert!(judged.stdout.contains(reason), "{reason}: {}", judged.stdout);
    }
}

#[test]
fn iterations_out_of_range_are_refused() {
    let folder = temporary_folder();
    job(folder.path());
    let pages = folder.path().join("job.html");
    for words in ["ranks", "show job", "gate --baseline", "ranks -o"] {
        let inputs: &[&Path] = match words {
            "gate --baseline" => &[folder.path(), folder.path()],
            "ranks -o" => &[&pages, folder.path()],
            _ => &[folder.path()],
        };
        let inputs: Vec<String> = inputs.iter().map(|path| path.display().to_string()).collect();
        let found = run(&format!("{words} {} --iter-start 50 --iter-stop 60", inputs.join(" ")), &[]);
        assert_eq!((found.code, found.stdout.as_str()), (5, ""), "{words}: {}", found.stderr);
        assert!(found.stderr.contains("no common iteration from 50 to 60: they have "), "{}", found.stderr);
    }
    assert!(!pages.exists());
    // The first iteration is steady for a capture alone, and has no window in the job.
    let own = run("ranks --rank 1 --iter-start 0 --iter-stop 0", &[folder.path()]);
    let alone = run("--iter-start 0 --iter-stop 0", &[&folder.path().join("rank1.sqlite")]);
    assert_eq!((own.code, &own.stdout), (0, &alone.stdout), "{}", own.stderr);
}

#[test]
fn what_no_capture_has_is_a_request_that_does_not_fit() {
    let folder = temporary_folder();
    job(folder.path());
    let found = run("ranks --key-node nosuchnode", &[folder.path()]);
    assert_eq!(found.code, 5, "{}", found.stderr);
    assert!(found.stderr.contains("2 of them lack what was asked for"), "{}", found.stderr);
    assert!(found.stderr.contains("nosuchnode"), "{}", found.stderr);
}

#[test]
fn mistakes_are_met_with_what_would_work() {
    let folder = temporary_folder();
    job(folder.path());
    let pattern = run("ranks", &[&folder.path().join("nomatch*.gz")]);
    assert_eq!(
        (pattern.code, pattern.stderr.contains("nomatch*.gz` fits no file")),
        (3, true),
        "{}",
        pattern.stderr
    );
    let table = run("show ranks --rank 1", &[folder.path()]);
    assert_eq!((table.code, table.stderr.contains("`--where rank=1`")), (2, true), "{}", table.stderr);
    assert!(table.stderr.contains("`ranks` is a table of a job"), "{}", table.stderr);
    let ending = run(&format!("ranks -o {}", folder.path().join("x.csv").display()), &[folder.path()]);
    assert_eq!((ending.code, ending.stderr.contains("sarif, html, pdf")), (2, true), "{}", ending.stderr);
}

#[test]
fn times_of_a_job_have_the_unit_that_is_asked_for() {
    let folder = temporary_folder();
    write_job(folder.path(), &JobPlan { ranks: 3, slow: Some((1, 120)), ..JobPlan::default() })
        .expect("a job");
    let shown = |unit: &str| run(&format!("ranks --time-unit {unit}"), &[folder.path()]).stdout;
    let length = |text: &str, unit: &str| -> f64 {
        let line = text.lines().find(|line| line.contains(" per step   ")).expect("figures");
        let (number, rest) = line.split_once(' ').expect("a unit");
        assert!(rest.starts_with(unit), "{line}");
        number.parse().expect("a number")
    };
    let (ms, us, ns) = (shown("ms"), shown("us"), shown("ns"));
    assert_eq!(shown("auto"), ms, "steps of milliseconds");
    assert!((length(&us, "µs") / 1e3 - length(&ms, "ms")).abs() < 0.06, "{us}");
    assert!((length(&ns, "ns") / 1e6 - length(&ms, "ms")).abs() < 0.06, "{ns}");
    for heading in ["Where a step goes, µs,", "own µs", "Collectives, µs"] {
        assert!(us.contains(heading), "{heading}: {us}");
    }
}
