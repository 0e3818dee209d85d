//! `lake add`, and what is read from a lake.

use crate::foreign::engine;
use crate::run::{Run, command, run, temporary_folder};
use dlprof_generate::{JobPlan, write_job};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, SystemTime};

const FILES: [&str; 6] = [
    "digest.gz",
    "findings.parquet",
    "iterations.parquet",
    "kernel_names.parquet",
    "ops.parquet",
    "summary.parquet",
];

/// A job of four captures, of which that of rank 2 is slow.
fn job(folder: &Path) -> PathBuf {
    let captures = folder.join("captures");
    std::fs::create_dir(&captures).expect("a folder");
    write_job(&captures, &JobPlan { ranks: 4, steps: 12, slow: Some((2, 120)), ..JobPlan::default() })
        .expect("a job");
    captures
}

fn add(lake: &Path, words: &str, captures: &Path) -> Run {
    run(&format!("lake add {} {words}", lake.display()), &[captures])
}

/// By path in the lake: the bytes of all files that a query may see.
fn visible(lake: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let entries = |folder: &Path, start: &str| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let is_named =
            |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(start));
        entries.filter(is_named).collect()
    };
    for run in entries(lake, "run=") {
        for rank in entries(&run, "rank=") {
            for file in entries(&rank, "") {
                let name = file.strip_prefix(lake).expect("a file of the lake").to_owned();
                files.insert(name, std::fs::read(&file).expect("a file"));
            }
        }
    }
    files
}

/// Not even `--force` removes what is of no capture of a lake, the capture itself least of all.
#[test]
fn files_of_others_stay_in_a_lake() {
    let folder = temporary_folder();
    let (captures, lake) = (job(folder.path()), folder.path().join("lake"));
    let place = lake.join("run=1").join("rank=0");
    std::fs::create_dir_all(&place).expect("a folder");
    let first = std::fs::read_dir(&captures).expect("captures").flatten().next().expect("a capture").path();
    let (inside, notes) = (place.join("run.sqlite"), place.join("notes.txt"));
    for (file, capture) in [(&inside, &inside), (&notes, &first)] {
        std::fs::copy(&first, file).expect("a copy");
        for words in ["--run 1 --rank 0", "--run 1 --rank 0 --force"] {
            let refused = add(&lake, words, capture);
            assert_eq!((refused.code, file.exists()), (4, true), "{refused:?}");
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            assert!(refused.stderr.contains(&format!("holds `{name}`")), "{refused:?}");
            assert!(!refused.stderr.contains("--force"), "{refused:?}");
        }
        std::fs::remove_file(file).expect("it is there");
    }
    let added = add(&lake, "--run 1 --rank 0 --force", &first);
    assert_eq!(added.code, 0, "an empty folder holds nothing of others: {added:?}");
}

#[test]
fn a_lake_says_what_its_captures_say() {
    let folder = temporary_folder();
    let (captures, lake) = (job(folder.path()), folder.path().join("lake"));
    let added = add(&lake, "--run 0077", &captures);
    assert_eq!(added.code, 0, "{}", added.stderr);
    assert_eq!(added.stdout.matches(" added\n").count(), 4, "{}", added.stdout);
    let names: Vec<PathBuf> = visible(&lake).into_keys().collect();
    let expected =
        (0..4).flat_map(|rank| FILES.map(|file| PathBuf::from(format!("run=77/rank={rank}/{file}"))));
    assert_eq!(names, expected.collect::<Vec<_>>());
    // The captures themselves are not needed any more.
    let of_files: Vec<String> = dlprof_core::JOB_TABLES
        .iter()
        .map(|table| run(&format!("show {} --format csv", table.key), &[&captures]).stdout)
        .collect();
    std::fs::rename(&captures, folder.path().join("elsewhere")).expect("a folder");
    for (table, of_files) in dlprof_core::JOB_TABLES.iter().zip(of_files) {
        for place in [lake.clone(), lake.join("run=77")] {
            let of_lake = run(&format!("show {} --format csv", table.key), &[&place]);
            assert_eq!(of_lake.code, 0, "{}: {}", table.key, of_lake.stderr);
            assert_eq!(of_lake.stdout, of_files, "{}", table.key);
        }
    }
    let shown = run("ranks", &[&lake]);
    assert!(shown.stdout.starts_with("Rank 2 holds the job back: "), "{}", shown.stdout);
}

#[test]
fn what_is_there_is_not_added_again_and_not_replaced_unasked() {
    let folder = temporary_folder();
    let (captures, lake) = (job(folder.path()), folder.path().join("lake"));
    assert_eq!(add(&lake, "--run 7", &captures).code, 0);
    let first = visible(&lake);
    let again = add(&lake, "--run 7", &captures);
    assert_eq!((again.code, again.stdout.matches(" there already\n").count()), (0, 4), "{}", again.stderr);
    assert_eq!(visible(&lake), first);

    // Another job has the same ranks.
    let other = folder.path().join("other");
    std::fs::create_dir(&other).expect("a folder");
    write_job(&other, &JobPlan { ranks: 4, steps: 12, seed: 1, ..JobPlan::default() }).expect("a job");
    let refused = add(&lake, "--run 7", &other);
    assert_eq!(refused.code, 4, "{}", refused.stderr);
    assert!(
        refused.stderr.contains("holds another capture") && refused.stderr.contains("--force"),
        "{}",
        refused.stderr
    );
    assert_eq!(visible(&lake), first);
    let replaced = add(&lake, "--run 7 --force", &other);
    assert_eq!(
        (replaced.code, replaced.stdout.matches(" replaced\n").count()),
        (0, 4),
        "{}",
        replaced.stderr
    );
    assert_ne!(visible(&lake), first);
    assert!(
        !std::fs::read_dir(&lake).expect("the lake").any(|file| file.expect("a file").file_name() != "run=7")
    );

    // A lake of several runs: one must be named.
    assert_eq!(add(&lake, "--run 8", &captures).code, 0);
    let both = run("ranks", &[&lake]);
    assert_eq!((both.code, both.stderr.contains("has 2 runs")), (5, true), "{}", both.stderr);
    assert_eq!(run("ranks", &[&lake.join("run=8")]).code, 0);
}

#[test]
fn captures_need_a_rank_and_runs_a_name() {
    let folder = temporary_folder();
    let (captures, lake) = (job(folder.path()), folder.path().join("lake"));
    let one = folder.path().join("one.sqlite");
    dlprof_generate::write_export(&one, "--style ranges --iterations 6 --layers 2").expect("an export");
    let unknown = add(&lake, "--run 1", &one);
    assert_eq!(
        (unknown.code, unknown.stderr.contains("does not say which rank")),
        (5, true),
        "{}",
        unknown.stderr
    );
    let said = add(&lake, "--run 1 --rank 12", &one);
    assert_eq!((said.code, lake.join("run=1/rank=12").is_dir()), (0, true), "{}", said.stderr);
    assert_eq!(add(&lake, "--run 1 --rank 12", &captures).code, 2);
    assert_eq!(add(&lake, "--run a/b", &captures).code, 2);
    // The job of the scheduler, else the folder.
    let words = format!("lake add {}", lake.display());
    let status =
        command(folder.path(), &words, &[&captures]).env("SLURM_JOB_ID", "0042").output().expect("a run");
    assert!(status.status.success() && lake.join("run=42/rank=3").is_dir());
    // One that cannot be read does not keep the others out.
    std::fs::write(captures.join("rank9.sqlite"), "no database").expect("a file");
    let some = add(&lake, "--run 3", &captures);
    assert_eq!((some.code, some.stdout.matches(" added\n").count()), (3, 4), "{}", some.stderr);
}

#[test]
fn a_digest_that_cannot_be_used_is_a_row() {
    let folder = temporary_folder();
    let (captures, lake) = (job(folder.path()), folder.path().join("lake"));
    assert_eq!(add(&lake, "--run 7", &captures).code, 0);
    let digest = |rank: i64| lake.join(format!("run=7/rank={rank}/digest.gz"));
    let bytes = std::fs::read(digest(1)).expect("a digest");
    std::fs::write(digest(1), &bytes[..bytes.len() / 2]).expect("a cut digest");
    let mut newer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut newer, br#"{"format": 999, "ranks": [{"what": "new"}]}"#).expect("bytes");
    std::fs::write(digest(3), newer.finish().expect("bytes")).expect("a newer digest");
    let table = run("show rank_files --format csv", &[&lake]);
    assert_eq!(table.code, 0, "{}", table.stderr);
    let of_newer = format!("has format 999, this version reads {}", dlprof_core::DIGEST_FORMAT);
    for part in ["is damaged", &of_newer] {
        assert!(table.stdout.contains(part), "{part}: {}", table.stdout);
    }
    assert_eq!(table.stdout.matches(",read,").count(), 2, "{}", table.stdout);
    let mended = add(&lake, "--run 7 --force", &captures);
    assert_eq!(mended.code, 0, "{}", mended.stderr);
    assert_eq!(run("show rank_files --format csv", &[&lake]).stdout.matches(",read,").count(), 4);
}

#[test]
fn a_killed_run_leaves_nothing_half_visible() {
    const KILLS: u32 = 16;
    let folder = temporary_folder();
    let captures = job(folder.path());
    let whole = folder.path().join("whole");
    let started = std::time::Instant::now();
    assert_eq!(add(&whole, "--run 7", &captures).code, 0);
    let (expected, duration) = (visible(&whole), started.elapsed());
    let lake = folder.path().join("lake");
    let (mut killed, mut left) = (0, 0);
    for number in 0..KILLS {
        drop(std::fs::remove_dir_all(&lake));
        let words = format!("lake add {} --run 7", lake.display());
        let mut child = command(folder.path(), &format!("{words} --no-cache"), &[&captures])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        std::thread::sleep(duration * (2 * number + 1) / (2 * KILLS));
        killed += u32::from(child.try_wait().expect("a state").is_none());
        child.kill().expect("a signal");
        child.wait().expect("the end");
        let found = visible(&lake);
        for rank in 0..4 {
            let of_rank = |path: &PathBuf| path.starts_with(format!("run=7/rank={rank}"));
            let files = found.keys().filter(|path| of_rank(path)).count();
            assert!(
                files == 0 || files == FILES.len(),
                "killed after {number}: rank {rank} has {files} files"
            );
        }
        assert!(found.iter().all(|(path, bytes)| expected.get(path) == Some(bytes)), "killed after {number}");
        let is_left = |name: &str| name.starts_with(".adding-");
        let names = || std::fs::read_dir(&lake).into_iter().flatten().flatten().map(|file| file.file_name());
        left += u32::from(names().any(|name| is_left(&name.to_string_lossy())));
        let again = add(&lake, "--run 7", &captures);
        assert_eq!(again.code, 0, "{}", again.stderr);
        assert_eq!(visible(&lake), expected);
    }
    crate::inputs::say(format_args!(
        "{killed} of {KILLS} runs were killed, {left} left an unfinished folder"
    ));
    assert!(killed > 0, "all runs ended before they were killed");
}

#[test]
fn what_was_left_long_ago_is_removed() {
    let folder = temporary_folder();
    let (captures, lake) = (job(folder.path()), folder.path().join("lake"));
    let make = |name: &str, age: Duration| {
        let path = lake.join(name);
        std::fs::create_dir_all(path.join("capture")).expect("a folder");
        std::fs::write(path.join("capture/ops.parquet"), "half").expect("a file");
        let time = SystemTime::now() - age;
        std::fs::File::open(&path).and_then(|folder| folder.set_modified(time)).expect("an age");
        path
    };
    let (old, new) = (make(".adding-old", Duration::from_hours(25)), make(".adding-new", Duration::ZERO));
    assert_eq!(add(&lake, "--run 7", &captures).code, 0);
    assert_eq!((old.exists(), new.exists()), (false, true));
}

#[test]
fn machines_that_add_the_same_captures_add_them_once() {
    const MACHINES: usize = 4;
    let folder = temporary_folder();
    let captures = job(folder.path());
    let (whole, lake) = (folder.path().join("whole"), folder.path().join("lake"));
    assert_eq!(add(&whole, "--run 7", &captures).code, 0);
    let words = format!("lake add {} --run 7 --no-cache", lake.display());
    let start = |_| {
        let mut command = command(folder.path(), &words, &[&captures]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts")
    };
    let machines: Vec<_> = (0..MACHINES).map(start).collect();
    let said: Vec<_> =
        machines.into_iter().map(|machine| machine.wait_with_output().expect("the end")).collect();
    assert!(said.iter().all(|output| output.status.success()), "{said:?}");
    let text: String =
        said.iter().map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).collect();
    assert_eq!(text.matches(" added\n").count(), 4, "{text}");
    assert_eq!(text.matches(" there already\n").count(), 4 * (MACHINES - 1), "{text}");
    assert_eq!(visible(&lake), visible(&whole));
    assert_eq!(std::fs::read_dir(&lake).expect("the lake").count(), 1, "nothing is left");
}

/// DuckDB, polars and Spark answer the same question, and `show` agrees.
#[test]
fn engines_read_a_lake() {
    let folder = temporary_folder();
    let (captures, lake) = (job(folder.path()), folder.path().join("lake"));
    assert_eq!(add(&lake, "--run 7", &captures).code, 0);
    // By op: rank and time of each rank.
    let mut expected: BTreeMap<String, Vec<(i64, i64)>> = BTreeMap::new();
    for rank in 0..4 {
        let shown =
            run(&format!("show ops --columns op_name,gpu_time_ns --format csv --rank {rank}"), &[&captures]);
        for row in csv::Reader::from_reader(shown.stdout.as_bytes()).records() {
            let row = row.expect("a row");
            expected.entry(row[0].to_owned()).or_default().push((row[1].parse().expect("a time"), rank));
        }
    }
    expected.retain(|_, times| times.iter().any(|(time, _)| *time > 0));
    assert!(!expected.is_empty());
    for package in ["duckdb", "polars", "pyspark"] {
        let Some(said) = engine(package, &lake) else { continue };
        let mut lines = said.lines();
        assert_eq!(lines.next(), Some("run,op_name,rank,most_ns,least_ns"), "{package}");
        let mut met = 0;
        for line in lines {
            let [run, op, rank, most, least] = line.split(',').collect::<Vec<_>>()[..] else {
                panic!("{line}")
            };
            let times = &expected[op];
            let number = |text: &str| text.parse::<i64>().expect("a number");
            let (most_ns, least_ns) =
                (times.iter().max().expect("a rank").0, times.iter().min().expect("a rank").0);
            assert_eq!((run, number(most), number(least)), ("7", most_ns, least_ns), "{package} {op}");
            assert!(times.contains(&(most_ns, number(rank))), "{package} {op}: rank {rank}");
            met += 1;
        }
        assert_eq!(met, expected.len(), "{package}");
    }
}

/// What is kept was read with the options of `lake add`.
#[test]
fn options_of_reading_are_refused_for_what_was_read_before() {
    let folder = temporary_folder();
    let (captures, lake) = (job(folder.path()), folder.path().join("lake"));
    assert_eq!(add(&lake, "--run 7", &captures).code, 0);
    for option in ["--from 3ms", "--to 9ms", "--key-node foo", "--mode nvtx"] {
        for command in ["ranks", "show ranks", "export -o -"] {
            let command = command.replace("-o -", &format!("-o {}/x.json", folder.path().display()));
            let refused = run(&format!("{command} {option}"), &[&lake]);
            assert_eq!(
                (refused.code, refused.stdout.as_str()),
                (2, ""),
                "{command} {option}: {}",
                refused.stderr
            );
            assert!(refused.stderr.contains("lake add"), "{}", refused.stderr);
        }
    }
    assert_eq!(run("ranks --iter-start 3 --batch-size 8 --threads 1", &[&lake]).code, 0);
    // Settings files are for all captures.
    let settings = folder.path().join("settings.toml");
    std::fs::write(&settings, "mode = \"nvtx\"\n").expect("settings");
    let with_file = run(&format!("ranks --config {}", settings.display()), &[&lake]);
    assert_eq!(with_file.code, 0, "{}", with_file.stderr);
}

#[test]
fn the_capture_of_a_rank_is_the_one_that_was_added() {
    let folder = temporary_folder();
    let (captures, lake) = (job(folder.path()), folder.path().join("lake"));
    assert_eq!(add(&lake, "--run 7", &captures).code, 0);
    let file = captures.join("rank1.sqlite");
    let shown = run("ranks --rank 1", &[&lake]);
    assert_eq!((shown.code, &shown.stdout), (0, &run("", &[&file]).stdout), "{}", shown.stderr);
    // A part of it is still a part of it.
    assert_eq!(run("ranks --rank 1 --from 3ms", &[&lake]).code, 0);

    let other = folder.path().join("other");
    std::fs::create_dir(&other).expect("a folder");
    write_job(&other, &JobPlan { ranks: 4, steps: 12, seed: 1, ..JobPlan::default() }).expect("a job");
    std::fs::copy(other.join("rank1.sqlite"), &file).expect("another capture");
    let replaced = run("ranks --rank 1", &[&lake]);
    assert_eq!((replaced.code, replaced.stdout.as_str()), (3, ""), "{}", replaced.stderr);
    assert!(
        replaced.stderr.contains("another capture than the one that was put into the lake as rank 1"),
        "{}",
        replaced.stderr
    );
    std::fs::remove_file(&file).expect("it was there");
    let gone = run("ranks --rank 1", &[&lake]);
    assert_eq!((gone.code, gone.stderr.contains("a lake keeps no timelines")), (3, true), "{}", gone.stderr);
}

#[test]
fn runs_are_named_after_arrays_of_jobs_and_any_folder() {
    let folder = temporary_folder();
    let captures = job(folder.path());
    let add = |lake: &Path, job: Option<&str>, captures: &Path| {
        let mut command = command(folder.path(), &format!("lake add {}", lake.display()), &[captures]);
        for name in ["SLURM_JOB_ID", "LSB_JOBID", "FLUX_JOB_ID", "JOB_ID", "PBS_JOBID"] {
            command.env_remove(name);
        }
        if let Some(job) = job {
            command.env("PBS_JOBID", job);
        }
        let output = command.output().expect("a run");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    let lake = folder.path().join("lake");
    add(&lake, Some("123[4].pbs"), &captures);
    assert!(lake.join("run=123_4_.pbs/rank=3").is_dir());
    let strange = folder.path().join("my run");
    std::fs::rename(&captures, &strange).expect("a folder");
    add(&lake, None, &strange);
    assert!(lake.join("run=my_run/rank=3").is_dir());
    // One mistake is said once.
    let wrong = run(&format!("lake add {} --run a/b", lake.display()), &[&strange]);
    assert_eq!((wrong.code, wrong.stderr.matches("no name of a run").count()), (2, 1), "{}", wrong.stderr);
    assert!(wrong.stderr.contains("`--run a/b`"), "{}", wrong.stderr);
}

#[test]
fn captures_that_are_not_added_are_summed_up() {
    let folder = temporary_folder();
    let (captures, lake) = (job(folder.path()), folder.path().join("lake"));
    for bad in 0..7 {
        std::fs::write(captures.join(format!("bad{bad}.sqlite")), "no database").expect("a file");
    }
    let some = add(&lake, "--run 3", &captures);
    assert_eq!((some.code, some.stdout.matches(" added\n").count()), (3, 4), "{}", some.stderr);
    assert!(some.stderr.starts_with("error: 7 of 11 captures were not added\n"), "{}", some.stderr);
    assert_eq!(some.stderr.matches("error: ").count(), 1, "{}", some.stderr);
    assert!(some.stderr.contains("bad0.sqlite") && some.stderr.contains("bad2.sqlite"), "{}", some.stderr);
    assert!(!some.stderr.contains("bad3.sqlite") && some.stderr.contains("and 4 more"), "{}", some.stderr);
}

/// A limit for the size of files is like a full disk.
#[cfg(unix)]
#[test]
fn a_full_disk_leaves_no_empty_folder() {
    let folder = temporary_folder();
    let (captures, lake) = (job(folder.path()), folder.path().join("lake"));
    let own =
        command(folder.path(), &format!("lake add {} --run 5 --no-cache -q", lake.display()), &[&captures]);
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", "trap '' XFSZ; ulimit -f 1; exec \"$@\"", "sh"]);
    let full = shell.arg(own.get_program()).args(own.get_args()).output().expect("a run");
    let said = String::from_utf8_lossy(&full.stderr);
    assert_eq!(full.status.code(), Some(4), "{said}");
    assert!(!lake.exists(), "{:?}: {said}", std::fs::read_dir(&lake).map(Iterator::count));
    // A lake that was there stays, without the run.
    std::fs::create_dir(&lake).expect("a lake");
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", "trap '' XFSZ; ulimit -f 1; exec \"$@\"", "sh"]);
    assert!(!shell.arg(own.get_program()).args(own.get_args()).status().expect("a run").success());
    assert_eq!(std::fs::read_dir(&lake).expect("the lake").count(), 0);
}
