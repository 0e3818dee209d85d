//! Kept indexes: any range made from them is what a reading of the export gives.

use crate::kept::{Kept, content, folder, sample};
use crate::script::Script;
use dlprof_core::{
    Activity, ActivitySettings, Cache, Capture, Classified, ClockChoice, DefaultRange, Error, GpuFigures,
    Index, KeyNodeChoice, LONG_GAP_NS, LongGaps, ModeChoice, ProfileSettings, RangeChoice, ReadOptions,
    Thresholds, calls_by_window, gpu_figures,
};
use dlprof_generate::{corpus, write_export};
use std::path::Path;

/// The content of a range; or the error.
fn of_range(index: &Index, range: &RangeChoice) -> Result<String, String> {
    index.profile(range).map(|profile| content(&profile)).map_err(|error| error.to_string())
}

fn kept_index(cache: &Cache, file: &Path, threads: usize, key_node: &KeyNodeChoice) -> Result<Index, Error> {
    let export = cache.export(file, ModeChoice::Auto);
    let capture = export.capture(&ReadOptions { threads, ..ReadOptions::default() })?;
    export.index(&capture, key_node)
}

/// How many ranges of a capture are compared, besides its ends.
const MOST_RANGES: usize = 30;

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
    let step = ranges.len().div_ceil(MOST_RANGES).max(1);
    let ends = [(0, last), (0, 0), (last, last)];
    ends.into_iter().chain(ranges.into_iter().step_by(step)).collect()
}

/// Compares many ranges, after the index of a key node was kept.
fn check(file: &Path, cache: &Cache, key_node: &KeyNodeChoice) {
    let name = file.display();
    let capture = Capture::read(file, &ReadOptions::default()).expect("a capture");
    let fresh = capture.index(key_node).expect("an index");
    let total = fresh.iterations.total();
    let kept = Kept::new(cache.clone());
    kept_index(cache, file, 1, key_node).expect("an index");
    let folders = kept.without_figures();
    let mut choices: Vec<RangeChoice> =
        ranges(total).into_iter().map(|(start, stop)| RangeChoice::from(start..=stop)).collect();
    for otherwise in [DefaultRange::Steady, DefaultRange::Auto] {
        choices.push(RangeChoice { otherwise, ..RangeChoice::default() });
    }
    choices.push(RangeChoice { iter_start: Some(total / 2), ..RangeChoice::default() });
    let impossible = [(0, total), (total + 3, total + 5), (2, 1)];
    choices.extend(impossible.map(|(start, stop)| RangeChoice {
        iter_start: Some(start),
        iter_stop: Some(stop),
        ..RangeChoice::default()
    }));
    let index = kept_index(cache, file, 1, key_node).expect("an index");
    for range in &choices {
        let (found, expected) = (of_range(&index, range), of_range(&fresh, range));
        let differs = |found: &str, expected: &str| {
            let mut lines = found.lines().zip(expected.lines());
            lines.find(|(found, expected)| found != expected).map(|(a, b)| format!("{a}\n{b}"))
        };
        match (&found, &expected) {
            (Ok(found), Ok(expected)) => {
                assert!(found == expected, "{name}, {range:?}: {:?}", differs(found, expected))
            }
            _ => assert_eq!(found, expected, "{name}, {range:?}"),
        }
    }
    assert!(choices[choices.len() - 3..].iter().all(|range| of_range(&index, range).is_err()), "{name}");
    let other = kept_index(cache, file, 5, key_node).expect("an index");
    let range = RangeChoice::from(total / 3..=total * 2 / 3);
    assert!(of_range(&other, &range) == of_range(&fresh, &range), "{name}: with other threads");
    assert_eq!(kept.without_figures(), folders, "{name}: the kept folders were used");
}

fn cache(folder: &Path) -> Cache {
    let folder = tempfile::tempdir_in(folder).expect("a folder").keep();
    Cache::new(folder, Cache::LIMIT_BYTES)
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
        let file = folder.path().join("generated.sqlite");
        write_export(&file, arguments).expect("an export");
        check(&file, &cache(folder.path()), &KeyNodeChoice::Find);
    }
}

#[test]
fn ranges_of_other_key_nodes() {
    let folder = folder();
    let file = sample(folder.path(), "a.sqlite", "--style markers --backward --processes 2");
    let cache = cache(folder.path());
    // A layer inside the step: most of its iterations are short, and calls of a backward pass go to other ones.
    for key_node in ["re:conv2d$", "/module/train_step"] {
        check(&file, &cache, &KeyNodeChoice::Named(key_node.into()));
    }
    check(&file, &cache, &KeyNodeChoice::None);
    let unknown = KeyNodeChoice::Named("train_stop".into());
    let error = kept_index(&cache, &file, 1, &unknown).expect_err("no such op").to_string();
    assert!(error.contains("never ran"), "{error}");
    let folders = Kept::new(cache).without_figures().len();
    assert_eq!(folders, 2, "a new index replaces the index of another key node");
}

/// Spans that reach over boundaries, kernels far after their calls, gaps, ties.
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
        if is_small && Capture::read(&file, &ReadOptions::default()).is_ok() {
            check(&file, &cache(folder.path()), &KeyNodeChoice::Find);
            found += 1;
        }
    }
    assert!(found > 10 || corpus::corpus().is_empty(), "{found} exports");
}

/// Figures of a range are a part of those of all iterations; worked out for its windows alone they are the same.
#[test]
fn figures_of_a_range_are_those_of_its_windows() {
    let folder = folder();
    let styles = [
        "--style markers --backward --kernels 1500 --processes 2 --gpus 2",
        "--style emit-nvtx --kernels 1500 --gpus 3",
        "--style ranges --numbered-steps --iterations 30 --kernels 1",
        "--style none --kernels 800",
    ];
    for arguments in styles {
        let file = folder.path().join("generated.sqlite");
        write_export(&file, arguments).expect("an export");
        let capture = Capture::read(&file, &ReadOptions::default()).expect("a capture");
        let index = capture.index(&KeyNodeChoice::Find).expect("an index");
        let settings = ActivitySettings::default();
        let facts = Classified::new(Activity::of(&capture), &settings);
        for (start, stop) in ranges(index.iterations.total()).into_iter().step_by(7) {
            for clock in [ClockChoice::Cpu, ClockChoice::Gpu] {
                let choice = RangeChoice { clock, ..RangeChoice::from(start..=stop) };
                let profile = index.profile(&choice).expect("a profile");
                let windows = profile.windows();
                let GpuFigures { times, gaps, ranges } = gpu_figures(&facts, &windows);
                assert_eq!(
                    profile.idle_ranges(),
                    ranges.of_windows(0..windows.len()),
                    "{arguments}: {choice:?}"
                );
                for device in 0..capture.devices.len() {
                    assert!(
                        profile.gpu_times().of_device(device).eq(times.of_device(device)),
                        "{arguments}: {choice:?}"
                    );
                }
                let calls = calls_by_window(&facts, &profile.call_windows());
                assert_eq!(profile.window_calls(), &calls[..], "{arguments}: {choice:?}");
                let inside = |gaps: &LongGaps| gaps.inside(profile.window(), LONG_GAP_NS);
                assert_eq!(inside(profile.long_gaps()), inside(&gaps), "{arguments}: {choice:?}");
                assert_eq!(
                    profile.long_gaps().at_boundaries_ns(&windows),
                    gaps.at_boundaries_ns(&windows),
                    "{arguments}: {choice:?}"
                );
            }
        }
    }
}

/// Figures are kept for one choice of thresholds and one clock; those of another choice are worked out, and replace them.
#[test]
fn kept_figures_are_used_for_their_choice_only() {
    let folder = folder();
    let file = sample(folder.path(), "a.sqlite", "--style markers --processes 2 --gpus 2");
    let cache = cache(folder.path());
    let fresh = Capture::read(&file, &ReadOptions::default()).expect("a capture");
    let fresh = fresh.index(&KeyNodeChoice::Find).expect("an index");
    let thresholds = Thresholds { turnaround_ns: 1, submit_ns: 7, ..Thresholds::default() };
    let other = ActivitySettings { thresholds, ..ActivitySettings::default() };
    let other = ProfileSettings { activity: other, ..ProfileSettings::default() };
    let range = RangeChoice::from(2..=6);
    let expected = [ProfileSettings::default(), other].map(|settings| {
        let content = content(&fresh.profile_with(&range, &settings).expect("a profile"));
        (settings, content)
    });
    assert!(expected[0].1 != expected[1].1, "thresholds show");
    let kept = Kept::new(cache.clone());
    let figures =
        || kept.folders().into_iter().find(|(path, _)| path.extension().is_some_and(|e| e == "figures"));
    let mut last = None;
    for (round, (settings, expected)) in expected.iter().chain(&expected).enumerate() {
        for is_again in [false, true] {
            let index = kept_index(&cache, &file, 2, &KeyNodeChoice::Find).expect("an index");
            let export = cache.export(&file, ModeChoice::Auto);
            let known = export.kept_figures(&index, &KeyNodeChoice::Find);
            let profile = index.profile_sharing(&range, settings, &known).expect("a profile");
            assert!(content(&profile) == *expected, "round {round}");
            export.keep_figures(&profile.known_figures(), &KeyNodeChoice::Find);
            let now = figures();
            assert!(now.is_some() && (now == last) == is_again, "round {round}: kept once, and then used");
            last = now;
        }
    }
}

#[test]
fn an_index_has_to_fit_beside_its_capture() {
    let folder = folder();
    let file = sample(folder.path(), "a.sqlite", "--style markers");
    let measure = cache(folder.path());
    kept_index(&measure, &file, 1, &KeyNodeChoice::Find).expect("an index");
    let bytes = measure.entries().expect("entries")[0].bytes;
    let folders = |limit: u64| {
        let cache = Cache::new(folder.path().join(limit.to_string()), limit);
        kept_index(&cache, &file, 1, &KeyNodeChoice::Find).expect("an index");
        Kept::new(cache).folders().len()
    };
    assert_eq!(folders(bytes / 2), 0, "nothing fits");
    assert_eq!(folders(bytes * 99 / 100), 1, "the capture alone");
    assert_eq!(folders(bytes + 10), 2);
}

/// Without its capture, an index is of no use; it is still listed and removed.
#[test]
fn an_index_without_its_capture_is_not_used() {
    let folder = folder();
    let file = sample(folder.path(), "a.sqlite", "--style ranges");
    let cache = cache(folder.path());
    let fresh = kept_index(&cache, &file, 1, &KeyNodeChoice::Find).expect("an index");
    let kept = Kept::new(cache);
    let [capture, index] = &kept.folders().into_keys().collect::<Vec<_>>()[..] else { panic!("two folders") };
    assert!(capture.to_string_lossy().ends_with(".capture") && index.to_string_lossy().ends_with(".index"));
    std::fs::remove_dir_all(capture).expect("removed");
    assert_eq!(kept.cache.entries().expect("entries").len(), 1);
    let again = kept_index(&kept.cache, &file, 1, &KeyNodeChoice::Find).expect("an index");
    let all = RangeChoice::default();
    assert!(of_range(&again, &all) == of_range(&fresh, &all));
    assert_eq!(kept.folders().len(), 2, "the capture was kept again");
    std::fs::remove_dir_all(capture).expect("removed");
    assert_eq!(kept.cache.clear().expect("cleared").0, 1);
    assert_eq!(std::fs::read_dir(kept.cache.folder()).expect("a folder").count(), 0);
}
