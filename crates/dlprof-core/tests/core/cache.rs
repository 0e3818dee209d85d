//! Kept captures: equal to what a reading gives, and never used when they should not be.

use crate::corpus;
use crate::generator::{generate, options::Options};
use clap::Parser;
use dlprof_core::cache::Cache;
use dlprof_core::correlate::ModeChoice;
use dlprof_core::{Capture, ReadOptions};
use rusqlite::Connection;
use std::path::{Path, PathBuf};

/// Larger exports are left out where every byte is compared.
const LARGEST: u64 = 5_000_000;

fn read(file: &Path, cache: Option<&Cache>, mode: ModeChoice) -> Capture {
    let capture = Capture::read(file, ReadOptions { cache, mode, ..ReadOptions::default() });
    capture.unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// Everything that a capture holds.
fn content(capture: &Capture) -> String {
    format!("{:?} {:?}", capture.trace, capture.correlation)
}

fn is_hit(file: &Path, cache: &Cache) -> bool {
    let capture = read(file, Some(cache), ModeChoice::Auto);
    assert_eq!(content(&capture), content(&read(file, None, ModeChoice::Auto)), "{}", file.display());
    capture.is_from_cache
}

fn sample(folder: &Path, name: &str, arguments: &[&str]) -> PathBuf {
    let file = folder.join(name);
    let path = file.to_str().expect("a UTF-8 path");
    let fixed = ["generate", path, "--kernels", "600"];
    generate(Options::parse_from(fixed.into_iter().chain(arguments.iter().copied()))).expect("an export");
    file
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder for temporary files")
}

/// The only file in a cache.
fn kept_file(cache: &Cache) -> PathBuf {
    let mut files =
        std::fs::read_dir(cache.folder()).expect("a folder").map(|file| file.expect("a file").path());
    let file = files.next().expect("something is kept");
    assert_eq!(files.next(), None);
    file
}

#[test]
fn what_is_kept_is_what_is_read() {
    let folder = folder();
    let mut files: Vec<PathBuf> = ["markers", "emit-nvtx", "ranges", "none"]
        .into_iter()
        .map(|style| sample(folder.path(), &format!("{style}.sqlite"), &["--style", style, "--backward"]))
        .collect();
    files.extend(corpus::corpus());
    for file in files {
        let small = std::fs::metadata(&file).is_ok_and(|metadata| metadata.len() <= LARGEST);
        let kept = tempfile::tempdir_in(folder.path()).expect("a folder");
        let cache = Cache::new(kept.path().join("made when needed"), Cache::LIMIT_BYTES);
        if !small || Capture::read(&file, ReadOptions::default()).is_err() {
            continue;
        }
        assert!(!is_hit(&file, &cache), "{}: nothing is kept yet", file.display());
        assert!(is_hit(&file, &cache), "{}: now it is", file.display());
        let [entry] = &cache.entries().expect("entries")[..] else { panic!("one capture") };
        assert_eq!(entry.export, file.canonicalize().ok());
        assert!(entry.is_fresh);
        assert_eq!(cache.clear().expect("cleared"), (1, entry.bytes));
        assert!(!is_hit(&file, &cache), "{}: nothing is kept any more", file.display());
    }
}

#[test]
fn changed_exports_are_read_again() {
    let folder = folder();
    let cache = Cache::new(folder.path().join("cache"), Cache::LIMIT_BYTES);
    let file = sample(folder.path(), "a.sqlite", &[]);
    assert!(!is_hit(&file, &cache));
    assert!(is_hit(&file, &cache));
    let sql = "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = end + 1 WHERE rowid = 5";
    Connection::open(&file).and_then(|database| database.execute_batch(sql)).expect("SQL");
    assert!(!cache.entries().expect("entries")[0].is_fresh);
    assert!(!is_hit(&file, &cache), "changed");
    assert!(is_hit(&file, &cache));
    // The same size, another seed, the old time of change.
    let modified = std::fs::metadata(&file).and_then(|metadata| metadata.modified()).expect("a time");
    let other = sample(folder.path(), "b.sqlite", &["--seed", "2"]);
    std::fs::rename(&other, &file).expect("renamed");
    std::fs::File::options()
        .write(true)
        .open(&file)
        .and_then(|file| file.set_modified(modified))
        .expect("set");
    assert!(!is_hit(&file, &cache), "replaced");
    let read_as_ranges = read(&file, Some(&cache), ModeChoice::Nvtx);
    assert!(!read_as_ranges.is_from_cache, "another mode");
    assert!(read(&file, Some(&cache), ModeChoice::Nvtx).is_from_cache);
    assert!(is_hit(&file, &cache), "the first mode is still there");
}

#[test]
fn damaged_files_are_not_used() {
    let folder = folder();
    let cache = Cache::new(folder.path().join("cache"), Cache::LIMIT_BYTES);
    let file = sample(folder.path(), "a.sqlite", &[]);
    let fresh = content(&read(&file, Some(&cache), ModeChoice::Auto));
    let kept = kept_file(&cache);
    let whole = std::fs::read(&kept).expect("bytes");
    let mut misses = 0;
    let step = whole.len() / 80;
    for at in (0..whole.len()).step_by(step) {
        let mut flipped = whole.clone();
        flipped[at] ^= 0x41;
        for damaged in [&flipped[..], &whole[..at]] {
            std::fs::write(&kept, damaged).expect("written");
            let capture = read(&file, Some(&cache), ModeChoice::Auto);
            misses += usize::from(!capture.is_from_cache);
            assert_eq!(content(&capture), fresh, "byte {at} of {}", damaged.len());
        }
    }
    assert!(misses > 130, "hits only where padding was changed: {misses}");
}

#[test]
fn the_captures_used_longest_ago_make_room() {
    let folder = folder();
    let [a, b, c] = ["a.sqlite", "b.sqlite", "c.sqlite"].map(|name| sample(folder.path(), name, &[]));
    let measure = Cache::new(folder.path().join("measure"), Cache::LIMIT_BYTES);
    read(&a, Some(&measure), ModeChoice::Auto);
    let bytes = measure.entries().expect("entries")[0].bytes;

    let too_small = Cache::new(folder.path().join("too small"), bytes / 2);
    assert!(!is_hit(&a, &too_small) && !is_hit(&a, &too_small), "too large to be kept");
    assert_eq!(std::fs::read_dir(too_small.folder()).expect("a folder").count(), 0);

    let two = Cache::new(folder.path().join("two"), bytes * 5 / 2);
    let pause = || std::thread::sleep(std::time::Duration::from_millis(20));
    for file in [&a, &b] {
        assert!(!is_hit(file, &two));
        pause();
    }
    assert!(is_hit(&a, &two));
    pause();
    assert!(!is_hit(&c, &two));
    let kept: Vec<PathBuf> =
        two.entries().expect("entries").into_iter().filter_map(|one| one.export).collect();
    assert_eq!(kept, [c, a].map(|file| file.canonicalize().expect("a path")), "b was used longest ago");
}

/// A run that was killed leaves a file that nobody ends.
#[test]
fn unfinished_files_go() {
    let folder = folder();
    let cache = Cache::new(folder.path().join("kept"), u64::MAX);
    let file = sample(folder.path(), "a.sqlite", &[]);
    let unfinished = |name: &str, hours: u64| {
        std::fs::create_dir_all(cache.folder()).expect("a folder");
        let path = cache.folder().join(name);
        let file = std::fs::File::create(&path).expect("a file");
        let then = std::time::SystemTime::now() - std::time::Duration::from_hours(hours);
        file.set_modified(then).expect("a time");
        path
    };
    let (old, young) = (unfinished("writing-old", 2), unfinished("writing-young", 0));
    read(&file, Some(&cache), ModeChoice::Auto);
    assert_eq!((old.exists(), young.exists()), (false, true), "another process may be writing the young one");
    cache.clear().expect("all can be removed");
    assert_eq!(std::fs::read_dir(cache.folder()).expect("a folder").count(), 0);
}
