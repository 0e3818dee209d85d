//! Kept sums: any range made from them is what a reading of the export gives.

use crate::corpus;
use crate::generator::{generate, options::Options};
use crate::script::Script;
use clap::Parser;
use dlprof_core::aggregate::Profile;
use dlprof_core::cache::Cache;
use dlprof_core::correlate::ModeChoice;
use dlprof_core::iterate::IterationRange;
use dlprof_core::tables::TABLES;
use dlprof_core::{
    Capture, Error, IterationOptions, KeyNodeChoice, Origin, ProfileSource, ReadOptions, Rows,
};
use std::path::{Path, PathBuf};

/// Every cell of every table that needs no more than `rows`, and what no table shows.
fn content(profile: &Profile<'_>, rows: Rows) -> String {
    let mut text = format!(
        "{:?} {:?} {:?} {:?} {:?}\n",
        profile.counts,
        profile.categories,
        profile.kernel_totals,
        profile.iterations.boundaries,
        profile.iterations.key_node
    );
    for definition in TABLES.iter().filter(|definition| definition.rows <= rows) {
        let table = (definition.build)(profile);
        text.push_str(&format!("{}\n", definition.key));
        for row in 0..table.rows() {
            let cells: Vec<_> = (0..table.columns()).map(|column| table.value(row, column)).collect();
            text.push_str(&format!("{cells:?}\n"));
        }
    }
    text
}

fn read(file: &Path, cache: Option<&Cache>, options: &IterationOptions, rows: Rows) -> Outcome {
    let source = ProfileSource::read(file, ReadOptions { cache, ..ReadOptions::default() }, options, rows);
    let made = |source: &ProfileSource| {
        Ok((source.profile().map(|profile| content(&profile, rows))?, source.origin()))
    };
    source.and_then(|source| made(&source)).map_err(|error: Error| error.to_string())
}

type Outcome = Result<(String, Origin), String>;

fn range(start: u32, stop: u32, key_node: &KeyNodeChoice) -> IterationOptions {
    IterationOptions {
        key_node: key_node.clone(),
        iter_start: Some(start),
        iter_stop: Some(stop),
        ..IterationOptions::default()
    }
}

/// Ranges of so many iterations: all there are, or many of all kinds.
fn ranges(total: u32) -> Vec<(u32, u32)> {
    let last = total - 1;
    let all = (0..total).flat_map(|start| (start..total).map(move |stop| (start, stop)));
    let some = |&(start, stop): &(u32, u32)| {
        let (from_start, from_end) = (start, last - stop);
        (from_start < 2 && from_end < 2)
            || start == stop
            || (start * 31 + stop * 17) % total.pow(2) < total * 2
    };
    let ranges: Vec<_> = if total <= 12 { all.collect() } else { all.filter(some).collect() };
    let step = ranges.len().div_ceil(90).max(1);
    let ends = [(0, last), (0, 0), (last, last)];
    ends.into_iter().chain(ranges.into_iter().step_by(step)).collect()
}

/// Compares many ranges, after the sums of a key node were kept by a first profile.
fn check(file: &Path, cache: &Cache, key_node: &KeyNodeChoice) {
    let whole = Capture::read(file, ReadOptions::default()).expect("a capture");
    let expected = |options: &IterationOptions| {
        whole
            .profile(options)
            .map(|profile| content(&profile, Rows::NotNeeded))
            .map_err(|error| error.to_string())
    };
    let all = IterationOptions { key_node: key_node.clone(), ..IterationOptions::default() };
    let total = whole.profile(&all).expect("a profile").iterations.total();
    let name = file.display();
    let (first, origin) = read(file, Some(cache), &all, Rows::NotNeeded).expect("a profile");
    assert_ne!(origin, Origin::KeptSums, "{name}: nothing is kept yet");
    assert_eq!(Ok(first), expected(&all), "{name}");
    let mut options: Vec<IterationOptions> =
        ranges(total).into_iter().map(|(start, stop)| range(start, stop, key_node)).collect();
    options.push(IterationOptions { iter_range: IterationRange::Steady, ..all.clone() });
    options.push(IterationOptions { iter_start: Some(total / 2), ..all.clone() });
    for options in &options {
        let (found, origin) = read(file, Some(cache), options, Rows::NotNeeded).expect("a profile");
        assert_eq!(origin, Origin::KeptSums, "{name}, {options:?}");
        let expected = expected(options).expect("a profile");
        let differs = found.lines().zip(expected.lines()).find(|(found, expected)| found != expected);
        assert!(found == expected, "{name}, {options:?}: {differs:#?}");
    }
    for options in [range(0, total, key_node), range(total + 3, total + 5, key_node), range(2, 1, key_node)] {
        let found = read(file, Some(cache), &options, Rows::NotNeeded).map(|(content, _)| content);
        assert_eq!(found, expected(&options), "{name}, {options:?}");
        assert!(found.is_err(), "{name}, {options:?}");
    }
    let options = range(total / 3, total * 2 / 3, key_node);
    for threads in [1, 5] {
        let read_options = ReadOptions { cache: Some(cache), threads, ..ReadOptions::default() };
        let source = ProfileSource::read(file, read_options, &options, Rows::NotNeeded).expect("a source");
        let found = content(&source.profile().expect("a profile"), Rows::NotNeeded);
        assert_eq!(Ok(found), expected(&options), "{name}, {threads} threads");
        let again = content(&source.profile().expect("a profile"), Rows::NotNeeded);
        assert_eq!(Ok(again), expected(&options), "{name}, made twice");
    }
    let (found, origin) = read(file, Some(cache), &options, Rows::Needed).expect("a profile");
    assert_eq!(origin, Origin::KeptCapture, "{name}: rows are in the capture alone");
    let whole = whole.profile(&options).expect("a profile");
    assert!(found == content(&whole, Rows::Needed), "{name}: with rows");
}

fn sample(folder: &Path, arguments: &str) -> PathBuf {
    let file = folder.join(format!("{}.sqlite", arguments.replace([' ', '='], "_")));
    let path = file.to_str().expect("a UTF-8 path");
    let fixed = ["generate", path];
    generate(Options::parse_from(fixed.into_iter().chain(arguments.split(' ')))).expect("an export");
    file
}

fn cache(folder: &Path) -> Cache {
    let folder = tempfile::tempdir_in(folder).expect("a folder").keep();
    Cache::new(folder, Cache::LIMIT_BYTES)
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder for temporary files")
}

#[test]
fn ranges_of_generated_captures() {
    let folder = folder();
    let styles = [
        "--style markers --backward --kernels 3000",
        "--style markers --processes 3 --gpus 2 --iterations 40 --kernels 1 --interleave",
        "--style markers --iterations 11 --empty-iteration 5 --texts interned",
        "--style emit-nvtx --kernels 2500 --processes 2 --gpus 3",
        "--style ranges --numbered-steps --iterations 60 --streams 1 --kernels 1",
        "--style ranges --iterations 9 --schema 2022 --no-loose-work",
        "--style none --kernels 1500",
        "--style none --iterations 2 --kernels 1",
    ];
    for arguments in styles {
        check(&sample(folder.path(), arguments), &cache(folder.path()), &KeyNodeChoice::Find);
    }
}

#[test]
fn ranges_of_other_key_nodes() {
    let folder = folder();
    let file = sample(folder.path(), "--style markers --backward --kernels 2000 --processes 2");
    let cache = cache(folder.path());
    // A layer inside the step: most of its iterations are short, and calls of a backward pass go to other ones.
    for key_node in ["re:conv2d$", "/module/train_step"] {
        check(&file, &cache, &KeyNodeChoice::Named(key_node.into()));
    }
    check(&file, &cache, &KeyNodeChoice::None);
    let unknown = range(0, 0, &KeyNodeChoice::Named("train_stop".into()));
    let found = read(&file, Some(&cache), &unknown, Rows::NotNeeded);
    assert_eq!(found, read(&file, None, &unknown, Rows::NotNeeded));
    assert!(found.is_err_and(|error| error.contains("never ran")));
    let files = std::fs::read_dir(cache.folder()).expect("a folder").count();
    assert_eq!(files, 2, "the sums of one key node take the place of those of another");
}

/// Spans that reach over boundaries, kernels far behind their calls, gaps, ties.
#[test]
fn ranges_of_a_crooked_capture() {
    let mut script = Script::default();
    script.wait(5000);
    for step in 0..23 {
        script.range("step", |script| {
            script.launch("gemm", 40 + step % 5 * 300).launch("gemm", 1).wait(10);
            script.range(if step % 3 == 0 { "loss" } else { "norm" }, |script| {
                script.launch("reduce", 0).launch("late", if step == 7 { 9000 } else { 2 });
            });
        });
        script.wait(if step == 11 { 40_000 } else { 20 });
    }
    let folder = folder();
    let file = folder.path().join("crooked.sqlite");
    script.write_to(&file);
    check(&file, &cache(folder.path()), &KeyNodeChoice::Named("/step".into()));
    check(&file, &cache(folder.path()), &KeyNodeChoice::Named("/step/norm".into()));
}

#[test]
fn ranges_of_the_corpus() {
    let folder = folder();
    let mut found = 0;
    for file in corpus::corpus() {
        let is_small = std::fs::metadata(&file).is_ok_and(|metadata| metadata.len() <= 3_000_000);
        if is_small && Capture::read(&file, ReadOptions::default()).is_ok() {
            check(&file, &cache(folder.path()), &KeyNodeChoice::Find);
            found += 1;
        }
    }
    assert!(found > 10 || corpus::corpus().is_empty(), "{found} exports");
}

#[test]
fn damaged_sums_are_not_used() {
    let folder = folder();
    let file = sample(folder.path(), "--style markers --kernels 1200 --processes 2");
    let cache = cache(folder.path());
    let options = range(2, 6, &KeyNodeChoice::Find);
    let fresh = read(&file, Some(&cache), &options, Rows::NotNeeded).expect("a profile").0;
    let files: Vec<PathBuf> = std::fs::read_dir(cache.folder())
        .expect("a folder")
        .map(|file| file.expect("a file").path())
        .collect();
    assert_eq!(files.len(), 2);
    for kept in files {
        let is_sums = kept.to_string_lossy().ends_with("sums.arrow");
        let whole = std::fs::read(&kept).expect("bytes");
        let mut misses = 0;
        for at in (0..whole.len()).step_by(whole.len() / 60) {
            let mut flipped = whole.clone();
            flipped[at] ^= 0x41;
            for damaged in [&flipped[..], &whole[..at]] {
                std::fs::write(&kept, damaged).expect("written");
                let (found, origin) =
                    read(&file, Some(&cache), &options, Rows::NotNeeded).expect("a profile");
                assert_eq!(found, fresh, "byte {at} of {}", damaged.len());
                misses += usize::from(origin != Origin::KeptSums);
                if origin != Origin::KeptSums {
                    let (_, origin) =
                        read(&file, Some(&cache), &options, Rows::NotNeeded).expect("a profile");
                    assert_eq!(origin, Origin::KeptSums, "byte {at}: kept anew");
                }
            }
        }
        // Of the capture, pieces that the range does not need are not looked at; all of them when it is cut.
        let fewest = if is_sums { 85 } else { 60 };
        assert!(misses > fewest, "{}: {misses} misses", kept.display());
    }
}

#[test]
fn changed_exports_and_other_modes_have_no_sums() {
    let folder = folder();
    let file = sample(folder.path(), "--style ranges --kernels 900");
    let cache = cache(folder.path());
    let options = range(1, 2, &KeyNodeChoice::Find);
    let origin = |file: &Path| read(file, Some(&cache), &options, Rows::NotNeeded).expect("a profile").1;
    assert_eq!([origin(&file), origin(&file)], [Origin::Export, Origin::KeptSums]);
    let sql = "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = end + 1 WHERE rowid = 5";
    rusqlite::Connection::open(&file).and_then(|database| database.execute_batch(sql)).expect("SQL");
    assert_eq!([origin(&file), origin(&file)], [Origin::Export, Origin::KeptSums]);
    let [entry] = &cache.entries().expect("entries")[..] else { panic!("one capture with its sums") };
    let files = std::fs::read_dir(cache.folder()).expect("a folder");
    let bytes: u64 = files.map(|file| file.expect("a file").metadata().expect("metadata").len()).sum();
    assert_eq!(entry.bytes, bytes, "sums count");
    assert!(entry.is_fresh);
    let mode = |mode| {
        let options_of_mode = ReadOptions { cache: Some(&cache), mode, ..ReadOptions::default() };
        ProfileSource::read(&file, options_of_mode, &IterationOptions::default(), Rows::NotNeeded).map(
            |source| {
                drop(source.profile());
                source.origin()
            },
        )
    };
    for expected in [Origin::Export, Origin::KeptSums] {
        assert_eq!(mode(ModeChoice::Simple).expect("a source"), expected, "another mode");
    }
    assert_eq!(origin(&file), Origin::KeptSums, "the first mode is still there");
    cache.clear().expect("cleared");
    assert_eq!(origin(&file), Origin::Export);
    // Without its capture, sums are of no use; they are still listed and removed.
    let capture =
        std::fs::read_dir(cache.folder()).expect("a folder").map(|file| file.expect("a file").path());
    let capture =
        capture.into_iter().find(|file| file.to_string_lossy().contains("capture")).expect("a capture");
    std::fs::remove_file(capture).expect("removed");
    assert_eq!(cache.entries().expect("entries").len(), 1);
    assert_eq!(origin(&file), Origin::Export);
    assert_eq!(cache.clear().expect("cleared").0, 1);
    assert_eq!(std::fs::read_dir(cache.folder()).expect("a folder").count(), 0);
}

#[test]
fn sums_have_to_fit() {
    let folder = folder();
    let file = sample(folder.path(), "--style markers --kernels 900");
    let measure = cache(folder.path());
    let options = range(1, 2, &KeyNodeChoice::Find);
    let origin = |cache: &Cache| read(&file, Some(cache), &options, Rows::NotNeeded).expect("a profile").1;
    origin(&measure);
    let bytes = measure.entries().expect("entries")[0].bytes;
    let tight = Cache::new(folder.path().join("tight"), bytes - 1);
    assert_eq!([origin(&tight), origin(&tight)], [Origin::Export, Origin::KeptCapture]);
    assert_eq!(std::fs::read_dir(tight.folder()).expect("a folder").count(), 1, "the capture alone");
    let exact = Cache::new(folder.path().join("exact"), bytes);
    assert_eq!([origin(&exact), origin(&exact)], [Origin::Export, Origin::KeptSums]);
}
