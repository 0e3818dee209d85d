//! Windows: default range, clock and states are the planted ones.

use dlprof_core::{
    Capture, DefaultRange, DiagnosticCode, Judged, KeyNodeChoice, Profile, RangeChoice, ReadOptions,
};
use dlprof_generate::write_export;
use serde_json::Value;

/// The default profile of a planted capture, and what is true of it.
fn planted(id: &str) -> (Profile, Value) {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let file = folder.path().join("window.sqlite");
    write_export(&file, &format!("--window {id}")).expect("an export");
    let truth = std::fs::read_to_string(file.with_extension("truth.json")).expect("the truth");
    let capture = Capture::read(&file, &ReadOptions::default()).expect("a capture");
    let index = capture.index(&KeyNodeChoice::Find).expect("an index");
    let range = RangeChoice { otherwise: DefaultRange::Auto, ..RangeChoice::default() };
    (index.profile(&range).expect("a profile"), serde_json::from_str(&truth).expect("JSON"))
}

fn check(id: &str) -> Profile {
    let (profile, truth) = planted(id);
    let iterations = &profile.iterations;
    let planted = truth["iterations"].as_array().expect("a list");
    for (number, planted) in (1_u32..).zip(planted) {
        let (state, span) = (iterations.states[number as usize], iterations.windows.cpu_span(number));
        assert_eq!(Some(state.as_str()), planted["state"].as_str(), "iteration {number} of `{id}`");
        assert_eq!(Some(span.start), planted["cpu_start_ns"].as_i64(), "iteration {number} of `{id}`");
    }
    assert_eq!(iterations.last_iteration() as usize, planted.len(), "`{id}`");
    assert_eq!(Some(profile.summary.clock.as_str()), truth["clock"].as_str(), "`{id}`");
    let range = [iterations.start, iterations.stop].map(|number| Some(u64::from(number)));
    assert_eq!(range, [truth["start"].as_u64(), truth["stop"].as_u64()], "`{id}`");
    profile
}

#[test]
fn iterations_with_lost_records_are_not_judged() {
    let profile = check("lost");
    let first = &profile.diagnostics[0];
    assert_eq!((first.code, first.count), (DiagnosticCode::LostRecords, 1));
    assert_eq!(
        first.examples,
        ["CUDA records of thread 4101 end at 87.9 ms of 192.6 ms; iterations 15 to 24 are not judged"]
    );
}

#[test]
fn every_fifth_iteration_is_an_outlier_and_the_finding_says_what_it_has() {
    let profile = check("outliers");
    let judged = Judged::from(profile.clone());
    let found = judged.findings().iter().find(|finding| finding.id == "unsteady_iterations");
    let found = found.expect("it fires");
    let text = found.problem.to_string();
    assert!(text.starts_with("5 of iterations ") && text.contains("; only outliers have"), "{text}");
    for name in ["checkpoint", "cudaMemGetInfo", "fsync"] {
        assert!(text.contains(name), "{name}: {text}");
    }
    // Of what an outlier has more, five of them are in the range.
    let excess = found.saving.as_ref().and_then(|saving| saving.upper_ns).expect("a bound");
    assert!((excess - 5 * 2_804_000).abs() < 100_000, "{excess}");
    assert!(profile.diagnostics.iter().all(|one| one.code != DiagnosticCode::LostRecords));
}

#[test]
fn short_and_long_iterations_by_turns_are_steady() {
    let judged = Judged::from(check("alternating"));
    assert!(judged.findings().iter().all(|finding| finding.id != "warm_up_in_range"));
}

#[test]
fn launches_that_run_ahead_unevenly_are_on_the_clock_of_the_gpu() {
    let profile = check("ahead");
    let durations = profile.iterations.durations();
    let (least, most) = (durations.iter().min(), durations.iter().max());
    let (least, most) = (*least.expect("some"), *most.expect("some"));
    assert!(most - least < least / 50, "{least} to {most}");
}
