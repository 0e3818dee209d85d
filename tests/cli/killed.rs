//! Runs that are killed while they read and keep a capture: the next run is right, and removes what they left.

use crate::run::{Run, command, run_with_cache, temporary_folder};
use dlprof_generate::write_export;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// How many runs are killed, if the environment does not say otherwise in `DLPROF_TEST_KILLS`.
const KILLS: u32 = 10;

const WORDS: &str = "show ops --format csv";

/// When a run is killed.
#[derive(Debug, Clone, Copy)]
enum Moment {
    /// So long after its start.
    Running(Duration),
    /// So long after it began to write a folder.
    Writing(Duration),
}

/// Kills a first run at a moment; says whether it was still running then.
fn kill(cache: &Path, file: &Path, moment: Moment) -> bool {
    let mut child = command(cache, WORDS, &[file])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    match moment {
        Moment::Running(after) => std::thread::sleep(after),
        Moment::Writing(after) => {
            while child.try_wait().expect("a state").is_none()
                && !names(cache).iter().any(|name| is_left(name))
            {
                std::hint::spin_loop();
            }
            std::thread::sleep(after);
        }
    }
    let was_running = child.try_wait().expect("a state").is_none();
    child.kill().expect("a signal");
    child.wait().expect("the end");
    was_running
}

/// The names in the cache.
fn names(cache: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(cache.join("dlprof-agg")).into_iter().flatten().flatten();
    let mut names: Vec<PathBuf> = files.map(|file| file.file_name().into()).collect();
    names.sort();
    names
}

fn is_left(name: &Path) -> bool {
    name.to_string_lossy().starts_with("writing-")
}

fn assert_same(found: &Run, expected: &Run, when: &str) {
    assert_eq!((found.code, &found.stderr), (0, &expected.stderr), "{when}");
    assert!(found.stdout == expected.stdout, "{when}: another output");
}

#[test]
fn a_killed_run_leaves_nothing_that_the_next_one_does_not_remove() {
    let folder = temporary_folder();
    let file = folder.path().join("train.sqlite");
    write_export(&file, "--style markers --kernels 30000 --processes 2 --gpus 2").expect("an export");
    let started = Instant::now();
    let expected = run_with_cache(&folder.path().join("first"), WORDS, &[&file]);
    let whole = started.elapsed();
    let finished = names(&folder.path().join("first"));
    assert_eq!(finished.len(), 2, "a capture and an index: {finished:?}");
    let kills = std::env::var("DLPROF_TEST_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(KILLS);
    let (mut killed, mut with_leftovers) = (0, 0);
    for number in 0..kills {
        let cache = folder.path().join(number.to_string());
        // Evenly spread over the run, and over the moments in which folders are written, which are few.
        let moment = if number % 2 == 0 {
            Moment::Running(whole * (2 * number + 1) / (2 * kills))
        } else {
            Moment::Writing(Duration::from_millis(10) * (number / 2) / kills)
        };
        killed += u32::from(kill(&cache, &file, moment));
        let left = names(&cache);
        with_leftovers += u32::from(left.iter().any(|name| is_left(name)));
        let when = format!("killed at {moment:?} of {whole:?}, which left {left:?}");
        assert_same(&run_with_cache(&cache, WORDS, &[&file]), &expected, &when);
        assert_eq!(names(&cache), finished, "{when}");
        assert_same(&run_with_cache(&cache, WORDS, &[&file]), &expected, &when);
    }
    let said = format!("{killed} of {kills} runs were killed, {with_leftovers} left an unfinished folder");
    writeln!(std::io::stderr(), "{said}").expect("standard error");
    assert!(with_leftovers > 0, "no run was killed while it wrote");
    assert!(killed > 0, "all runs ended before they were killed");
}

#[test]
fn what_a_killed_run_left_is_removed_although_everything_is_kept() {
    let cache = temporary_folder();
    let file = cache.path().join("train.sqlite");
    write_export(&file, "--style markers --kernels 30000 --processes 2 --gpus 2").expect("an export");
    run_with_cache(cache.path(), WORDS, &[&file]);
    let finished = names(cache.path());
    assert_eq!(finished.len(), 2, "a capture and an index: {finished:?}");
    let left = cache.path().join("dlprof-agg").join("writing-left");
    std::fs::create_dir(&left).expect("a folder");
    std::fs::write(left.join("work.arrow"), "half").expect("a file");
    run_with_cache(cache.path(), WORDS, &[&file]);
    assert_eq!(names(cache.path()), finished);
}
