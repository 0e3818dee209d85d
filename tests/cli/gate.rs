//! `baseline`, `compare`, `gate`, `history` and the CI script, on generated captures.

use crate::run::{Run, run, run_with_cache, sample, temporary_folder};
use dlprof_core::Random;
use dlprof_generate::write_export;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How many standard deviations a run is off.
fn shift(seed: u64) -> f64 {
    Random::new(seed).normal()
}

/// A training loop with noise in every step, drift, outliers, and this much between runs.
fn generate(folder: &Path, name: &str, seed: u64, shift: f64, arguments: &str) -> PathBuf {
    let file = folder.join(name);
    let words = format!(
        "--iterations 44 --layers 2 --step-noise 1 --drift 0.4 --outlier-every 13 --seed {seed} \
         --run-shift {shift} {arguments}"
    );
    write_export(&file, &words).expect("an export");
    file
}

/// Five runs, pooled.
fn baseline(folder: &Path, arguments: &str) -> PathBuf {
    let runs: Vec<PathBuf> = (0..5u64)
        .map(|seed| generate(folder, &format!("base{seed}.sqlite"), 100 + seed, 0.4 * shift(seed), arguments))
        .collect();
    let base = folder.join("base.json");
    let paths: Vec<&Path> = runs.iter().map(PathBuf::as_path).collect();
    let made = run(&format!("baseline -o {}", base.to_str().expect("UTF-8")), &paths);
    assert_eq!(made.code, 0, "{made:?}");
    base
}

fn gate(new: &Path, base: &Path, arguments: &str) -> Run {
    run(&format!("gate --baseline {} {arguments}", base.to_str().expect("UTF-8")), &[new])
}

/// The line of a check.
fn check<'a>(run: &'a Run, name: &str) -> &'a str {
    let is_wanted = |line: &&str| line.trim_start().starts_with(name);
    run.stdout.lines().find(is_wanted).unwrap_or_else(|| panic!("{name}: {run:?}"))
}

#[test]
fn thirty_equal_runs_pass() {
    let folder = temporary_folder();
    let runs: Vec<PathBuf> = (0..35u64)
        .map(|seed| generate(folder.path(), &format!("run{seed}.sqlite"), seed, 2.0 * shift(seed), ""))
        .collect();
    let base = folder.path().join("base.json");
    let first: Vec<&Path> = runs[..5].iter().map(PathBuf::as_path).collect();
    assert_eq!(run(&format!("baseline -o {}", base.to_str().expect("UTF-8")), &first).code, 0);
    for new in &runs[5..] {
        let run = gate(new, &base, "");
        assert_eq!(run.code, 0, "{run:?}");
    }
}

#[test]
fn regressions_fail_for_their_cause() {
    let folder = temporary_folder();
    // Steps wait for data: slower kernels leave the iteration as long as it was.
    let base = baseline(folder.path(), "--pace 900000");
    let make = |name: &str, arguments: &str| {
        generate(folder.path(), name, 7, 0.1, &format!("--pace 900000 {arguments}"))
    };
    let same = gate(&make("same.sqlite", ""), &base, "");
    assert_eq!(same.code, 0, "{same:?}");
    let heading: Vec<&str> = check(&same, "Check ").split_whitespace().collect();
    assert_eq!(
        heading,
        ["Check", "Base", "New", "Change", "Budget", "Detectable", "Result", "Why"],
        "{same:?}"
    );

    let kernels = gate(&make("kernels.sqlite", "--kernel-factor 1.1"), &base, "");
    assert_eq!(kernels.code, 1, "{kernels:?}");
    assert!(kernels.stdout.starts_with("FAIL: Kernel time (sum) worse than allowed\n"), "{kernels:?}");
    assert!(check(&kernels, "Iteration time").contains("within the budget"), "{kernels:?}");

    // 60 ms of copies in each of 44 steps are 2.6 s.
    let copies = gate(&make("copies.sqlite", "--extra-copy-bytes 720000000"), &base, "");
    assert_eq!(copies.code, 1, "{copies:?}");
    assert!(check(&copies, "Copy time").contains("FAIL"), "{copies:?}");

    // An op type that is about 1 % of the iteration.
    let slow_op = make("op.sqlite", "--op-factor cross_entropy=1.3");
    let unlimited = gate(&slow_op, &base, "");
    assert_eq!(unlimited.code, 0, "{unlimited:?}");
    assert!(unlimited.stdout.contains("top movers (op types, GPU time per iteration): cross_entropy +"));
    let policy = folder.path().join("gate.toml");
    std::fs::write(&policy, "[[op-types]]\nmatch = 'cross_*'\nbudget-percent = 10\n").expect("a file");
    let limited = gate(&slow_op, &base, &format!("--policy {}", policy.to_str().expect("UTF-8")));
    assert_eq!(limited.code, 1, "{limited:?}");
    assert!(check(&limited, "op type cross_entropy").contains("FAIL"), "{limited:?}");

    let faster = gate(&make("faster.sqlite", "--kernel-factor 0.85"), &base, "");
    assert_eq!(faster.code, 0, "{faster:?}");
    assert!(check(&faster, "Kernel time").contains("improved"), "{faster:?}");
}

#[test]
fn a_kept_capture_and_little_memory_give_the_same_baseline() {
    let folder = temporary_folder();
    let cache = folder.path().join("cache");
    let read = |name: &str, arguments: &str| {
        let path = folder.path().join(name);
        let words = format!("baseline {arguments} -o {}", path.to_str().expect("UTF-8"));
        assert_eq!(run_with_cache(&cache, &words, &[&sample()]).code, 0);
        std::fs::read(path).expect("a baseline")
    };
    let first = read("first.json", "--no-cache");
    assert_eq!(first, read("kept.json", ""));
    assert_eq!(first, read("again.json", ""), "read from what is kept");
    assert_eq!(first, read("little.json", "--no-cache --memory 1M"));
}

#[test]
fn items_per_second_can_be_watched() {
    let folder = temporary_folder();
    let (base, policy) = (folder.path().join("base.json"), folder.path().join("gate.toml"));
    let words = format!("baseline --batch-size 32 -o {}", base.to_str().expect("UTF-8"));
    assert_eq!(run(&words, &[&sample()]).code, 0);
    std::fs::write(&policy, "[metrics.items-per-s]\nbudget-percent = 2\n").expect("a file");
    let watched = format!("--batch-size 32 --policy {}", policy.to_str().expect("UTF-8"));
    let passed = gate(&sample(), &base, &watched);
    assert!(passed.code == 0 && passed.stdout.contains("Items per second"), "{passed:?}");
    let slower = gate(&sample(), &base, &watched.replace("32", "16"));
    assert!(slower.code == 1 && slower.stdout.contains("Items per second"), "{slower:?}");
}

/// A baseline from before there were two clocks is the CPU's, and is still read.
#[test]
fn baselines_without_a_clock_are_read() {
    let folder = temporary_folder();
    let base = folder.path().join("base.json");
    assert_eq!(run(&format!("baseline -o {}", base.to_str().expect("UTF-8")), &[&sample()]).code, 0);
    let text = std::fs::read_to_string(&base).expect("a file");
    assert!(text.contains("\"clock\": \"cpu\""), "it says its clock");
    let old: String = text.lines().filter(|line| !line.contains("\"clock\"")).collect::<Vec<_>>().join("\n");
    std::fs::write(&base, old).expect("a file");
    let passed = gate(&sample(), &base, "");
    assert!(passed.code == 0 && !passed.stdout.contains("clock differs"), "{passed:?}");
    let forced = gate(&sample(), &base, "--clock gpu");
    assert!(forced.code != 2, "{forced:?}");
}

#[test]
fn the_same_capture_shows_no_change_in_any_number_of_threads() {
    let folder = temporary_folder();
    let (one, two) = (folder.path().join("one.json"), folder.path().join("two.json"));
    for (path, threads) in [(&one, 1), (&two, 3)] {
        let words = format!("baseline --threads {threads} -o {}", path.to_str().expect("UTF-8"));
        assert_eq!(run(&words, &[&sample()]).code, 0);
    }
    assert_eq!(std::fs::read(&one).expect("a file"), std::fs::read(&two).expect("a file"));
    let compared = run("compare", &[&one, &sample()]);
    assert_eq!(compared.code, 0, "{compared:?}");
    assert!(compared.stdout.contains("Ops, GPU time: none of 12 changed"), "{compared:?}");
    assert!(!compared.stdout.contains("Largest changes"), "{compared:?}");
    let json: serde_json::Value =
        serde_json::from_str(&run("compare --format json", &[&sample(), &two]).stdout).expect("JSON");
    let parts = json["decomposition"]["parts"].as_array().expect("parts");
    let sum = |side: &str| parts.iter().map(|part| part[side].as_i64().expect("ns")).sum::<i64>();
    assert_eq!(Some(sum("base_ns")), json["decomposition"]["base_ns"].as_i64());
    assert_eq!(Some(sum("new_ns")), json["decomposition"]["new_ns"].as_i64());
    assert_eq!(gate(&sample(), &one, "").code, 0);
    assert!(run("compare --format markdown", &[&one, &two]).stdout.starts_with("### dlprof-agg compare"));
}

#[test]
fn parts_of_generated_pairs_add_up_to_the_change() {
    let folder = temporary_folder();
    let base = generate(folder.path(), "a.sqlite", 1, 0.0, "--processes 2 --gpus 2 --style emit-nvtx");
    let new = generate(
        folder.path(),
        "b.sqlite",
        2,
        1.0,
        "--processes 2 --gpus 2 --style emit-nvtx --kernel-factor 1.2",
    );
    let compared = run("compare --format json", &[&base, &new]);
    let json: serde_json::Value = serde_json::from_str(&compared.stdout).expect("JSON");
    let decomposition = &json["decomposition"];
    let ns = |value: &serde_json::Value, side: &str| value[side].as_i64().expect("ns");
    let parts = decomposition["parts"].as_array().expect("parts");
    let change: i64 = parts.iter().map(|part| ns(part, "new_ns") - ns(part, "base_ns")).sum();
    assert_eq!(change, ns(decomposition, "new_ns") - ns(decomposition, "base_ns"));
    assert!(change > 0);
    let kernels = parts.iter().filter(|part| part["class"] == "kernels");
    assert!(kernels.map(|part| ns(part, "new_ns") - ns(part, "base_ns")).sum::<i64>() > 0);
    let text = run("compare", &[&base, &new]);
    assert!(check(&text, "Part ").ends_with("Change"), "{text:?}");
    assert!(check(&text, "Change ").contains(" Part "), "{text:?}");
}

#[test]
fn errors_are_no_verdicts() {
    let folder = temporary_folder();
    let path = |name: &str| folder.path().join(name);
    let written = |name: &str, text: &str| {
        std::fs::write(path(name), text).expect("a file");
        path(name)
    };
    let good = path("good.json");
    assert_eq!(run(&format!("baseline -o {}", good.to_str().expect("UTF-8")), &[&sample()]).code, 0);
    let again = run(&format!("baseline -o {}", good.to_str().expect("UTF-8")), &[&sample()]);
    assert!(again.code == 4 && again.stderr.contains("--force"), "{again:?}");
    let text = std::fs::read_to_string(&good).expect("a baseline");

    for (base, code, message) in [
        (path("missing.json"), 3, "`"),
        (written("empty.json", ""), 3, "the file is empty"),
        (written("other.json", "{\"a\": 1}"), 3, "is not a baseline: its field `format`"),
        (
            written("newer.json", &text.replace("\"version\": 1", "\"version\": 9")),
            3,
            "baseline of version 9",
        ),
        (written("half.json", &text[..text.len() / 2]), 3, "is damaged"),
        (written("text.json", "hello"), 3, "is neither an SQLite database nor a trace of torch.profiler"),
    ] {
        let run = gate(&sample(), &base, "");
        assert_eq!(run.code, code, "{run:?}");
        assert!(run.stderr.contains(message) && run.stdout.is_empty(), "{message}: {run:?}");
    }
    let policy = written("gate.toml", "[metrics.iteration-time]\nbudget-pecent = 3\n");
    let typo = gate(&sample(), &good, &format!("--policy {}", policy.to_str().expect("UTF-8")));
    assert_eq!(typo.code, 2, "{typo:?}");
    assert!(typo.stderr.contains("did you mean `budget-percent`?"), "{typo:?}");
    assert_eq!(gate(&sample(), &good, "--policy nowhere.toml").code, 2);
    assert_eq!(gate(&sample(), &good, "-o report.what").code, 2);
    assert_eq!(run("gate", &[&sample()]).code, 2);
    assert_eq!(gate(&path("missing.sqlite"), &good, "").code, 3);
    assert_eq!(gate(&sample(), &good, "--key-node nothing").code, 5);
    let nothing = run("history", &[folder.path().join("none").as_path()]);
    assert_eq!(nothing.code, 3, "{nothing:?}");
}

#[test]
fn without_iterations_the_gate_is_inconclusive() {
    let folder = temporary_folder();
    let base = folder.path().join("base.json");
    let words = format!("baseline --key-node= -o {}", base.to_str().expect("UTF-8"));
    let made = run(&words, &[&sample()]);
    assert!(made.code == 0 && made.stderr.contains("no steady iterations"), "{made:?}");
    for arguments in ["--key-node=", "", "--iter-start 3 --iter-stop 8"] {
        let judged = gate(&sample(), &base, arguments);
        assert_eq!(judged.code, 6, "{judged:?}");
        assert!(judged.stdout.starts_with("INCONCLUSIVE"), "{judged:?}");
    }
    let whole = run("compare --key-node=", &[&base, &sample()]);
    assert!(whole.stdout.contains("each whole capture is one value"), "{whole:?}");
    let policy = folder.path().join("gate.toml");
    std::fs::write(&policy, "inconclusive = 'fail'\n").expect("a file");
    let words = format!("--key-node= --policy {}", policy.to_str().expect("UTF-8"));
    let failed = gate(&sample(), &base, &words);
    assert_eq!(failed.code, 1);
    // The first line says what there are too few samples of, or what differs.
    let first = failed.stdout.lines().next().unwrap_or_default();
    let reason = first.strip_prefix("FAIL: ").and_then(|rest| rest.split(", and the policy counts").next());
    assert!(reason.is_some_and(|reason| reason.contains('(') || reason.contains("differ")), "{first}");
}

#[test]
fn a_history_shows_and_catches_a_creep() {
    let folder = temporary_folder();
    let history = folder.path().join("history");
    std::fs::create_dir(&history).expect("a folder");
    let entry = |at: u8| {
        let shift = 0.8 * f64::from(at) + 0.1 * shift(u64::from(at));
        generate(folder.path(), &format!("r{at}.sqlite"), u64::from(at), shift, "")
    };
    for at in 0..10 {
        let file = history.join(format!("{at:02}.json"));
        assert_eq!(run(&format!("baseline -o {}", file.to_str().expect("UTF-8")), &[&entry(at)]).code, 0);
    }
    let shown = run("history", &[&history]);
    assert_eq!(shown.code, 0, "{shown:?}");
    let line = check(&shown, "Iteration time");
    assert!(line.contains('▁') && line.contains('█') && line.contains('|'), "{line}");
    let json = run("history --format json", &[&history]);
    assert!(serde_json::from_str::<serde_json::Value>(&json.stdout).is_ok());
    let new = entry(10);
    let words = format!("--history {}", history.to_str().expect("UTF-8"));
    let base = history.join("09.json");
    assert_eq!(gate(&new, &base, "").code, 0);
    let drifted = gate(&new, &base, &words);
    assert_eq!(drifted.code, 1, "{drifted:?}");
    assert!(drifted.stdout.contains("drift: Iteration time went from"), "{drifted:?}");
    let alone = run(&format!("gate {words}"), &[&new]);
    assert_eq!(alone.code, 1, "{alone:?}");
}

#[test]
fn the_ci_script_leaves_reports_and_the_exit_code() {
    let ci = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/ci");
    let folder = temporary_folder();
    let base = baseline(folder.path(), "");
    let same = generate(folder.path(), "same.sqlite", 50, 0.2, "");
    let slow = generate(folder.path(), "slow.sqlite", 51, 0.2, "--kernel-factor 1.2");
    let script = |new: &Path, base: &Path, github: bool| {
        let reports = folder.path().join("reports");
        let mut command = Command::new("bash");
        command.arg(ci.join("gate.sh")).args([new, base, &reports]);
        command.env("XDG_CACHE_HOME", folder.path().join("cache"));
        command.env("DLPROF_AGG", env!("CARGO_BIN_EXE_dlprof-agg")).env("POLICY", ci.join("gate.toml"));
        command.env_remove("GITHUB_ACTIONS").env_remove("GITHUB_STEP_SUMMARY").env_remove("HISTORY");
        if github {
            command.env("GITHUB_ACTIONS", "true");
            command.env("GITHUB_STEP_SUMMARY", folder.path().join("summary.md"));
        }
        let output = command.output().expect("bash");
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        (output.status.code().expect("a code"), text, String::from_utf8(output.stderr).expect("UTF-8"))
    };
    let (code, text, errors) = script(&same, &base, false);
    assert_eq!(code, 0, "{text}{errors}");
    let (code, text, errors) = script(&slow, &base, true);
    assert_eq!(code, 1, "{text}{errors}");
    assert!(text.contains("::error title=dlprof-agg regression::Kernel time (sum)"), "{text}");
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("a report");
    assert!(read("summary.md").contains("❌ dlprof-agg gate"));
    assert!(read("reports/gate.txt").starts_with("FAIL"));
    assert!(read("reports/gate.xml").contains("<failure"));
    for name in ["reports/gate.json", "reports/gate.sarif"] {
        assert!(serde_json::from_str::<serde_json::Value>(&read(name)).is_ok(), "{name}");
    }
    let (code, _, errors) = script(&folder.path().join("missing.sqlite"), &base, true);
    assert_eq!(code, 3, "{errors}");
    let usage = Command::new("bash").arg(ci.join("gate.sh")).output().expect("bash");
    assert_eq!(usage.status.code(), Some(2));
}

/// What the commands print is what the library says; the classes add up to the change of the length.
#[test]
fn two_ranges_of_one_capture_are_compared() {
    let shown = run("compare --iterations 1-5,6-10 --format json", &[&sample()]);
    assert_eq!(shown.code, 0, "{shown:?}");
    let document: serde_json::Value = serde_json::from_str(&shown.stdout).expect("JSON");
    let number = |value: &serde_json::Value| value.as_f64().expect("a number");
    let lists = document["lists"].as_array().expect("lists");
    let list = |subject: &str| lists.iter().find(|list| list["subject"] == subject).expect("a list");
    let rows = list("classes")["rows"].as_array().expect("rows");
    let sum: f64 = rows.iter().map(|row| number(&row["change_ns"])).sum();
    let change = number(&document["new"]["mean_ns"]) - number(&document["base"]["mean_ns"]);
    assert!((sum - change).abs() < 10.0, "{sum} {change}");
    let text = run("compare --iterations 1-5,6-10", &[&sample()]);
    assert!(text.stdout.contains(document["sentence"].as_str().expect("a sentence")), "{text:?}");
    assert!(text.stdout.contains("\nKernels, per iteration, largest changes first: "), "{text:?}");
    let slowest = run("compare --iterations slowest --format markdown", &[&sample()]);
    assert_eq!(slowest.code, 0, "{slowest:?}");
    assert!(slowest.stdout.contains("| Name | Base | New | Change |"), "{slowest:?}");
}

#[test]
fn pairs_of_iterations_that_cannot_be_compared_are_refused() {
    let beyond = run("compare --iterations 1,1000", &[&sample()]);
    assert_eq!(beyond.code, 5, "{beyond:?}");
    assert!(beyond.stderr.contains("there is no iteration 1000"), "{beyond:?}");
    let single = run("compare --key-node= --iterations slowest", &[&sample()]);
    assert_eq!(single.code, 5, "{single:?}");
    assert!(single.stderr.contains("two iterations are needed"), "{single:?}");
    for wrong in ["3", "5-1,2", "first,last"] {
        let refused = run(&format!("compare --iterations {wrong}"), &[&sample()]);
        assert_eq!(refused.code, 2, "{refused:?}");
        assert!(refused.stderr.contains("such as `3,7`"), "{refused:?}");
    }
    let both = run("compare --iterations 1,2", &[&sample(), &sample()]);
    assert_eq!(both.code, 2, "{both:?}");
}
