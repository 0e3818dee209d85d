//! The room against the truth of generated captures of servers (shared corpus), whose maker knows each step and each cause.

use super::{EngineLane, IdlePart, Serving};
use crate::capture::names::Phase;
use crate::capture::{Capture, ReadOptions};
use serde_json::Value;
use std::path::PathBuf;

/// The folder of the generated captures; none where the shared corpus is not there.
pub(crate) fn generated() -> Option<PathBuf> {
    folder("synth")
}

/// A folder of captures of servers; none where the shared corpus is not there.
pub(crate) fn folder(name: &str) -> Option<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/serving").join(name);
    if folder.is_dir() {
        return Some(folder);
    }
    #[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
    {
        eprintln!("SKIPPED: {} is not there", folder.display());
    }
    None
}

/// The generated captures by name, each with its truth.
fn cases() -> Vec<(String, Value, Serving)> {
    let Some(folder) = generated() else { return Vec::new() };
    let text = std::fs::read_to_string(folder.join("truth.json")).expect("the truth");
    let truth: serde_json::Map<String, Value> = serde_json::from_str(&text).expect("JSON");
    let case = |(name, truth): (String, Value)| {
        let capture = Capture::read(&folder.join(&name), &ReadOptions::default()).expect("a capture");
        (name, truth, Serving::of(&capture))
    };
    truth.into_iter().map(case).collect()
}

/// A trace has microseconds with three decimals: rounding may move each time by one nanosecond.
fn allowed(name: &str) -> u64 {
    if name.ends_with(".sqlite") { 0 } else { 60 }
}

fn check_steps(name: &str, lane: &EngineLane, rows: &[Value]) {
    assert_eq!(lane.steps.len(), rows.len(), "{name}");
    for (step, row) in lane.steps.iter().zip(rows) {
        let says = [
            ("ctx_requests", step.mark.prefill_requests),
            ("ctx_tokens", step.mark.prefill_tokens),
            ("gen_requests", step.mark.decode_requests),
            ("gen_tokens", step.mark.decode_tokens),
        ];
        assert_eq!(Some(step.mark.phase.as_str()), row["phase"].as_str(), "{name}, {}", row["step"]);
        for (field, number) in says.into_iter().filter(|(_, number)| number.is_some()) {
            assert_eq!(number, row[field].as_u64(), "{name}, {field} of {}", row["step"]);
        }
        let times = [
            ("gpu_busy_ns", step.work.map(|work| work.busy_ns)),
            ("period_ns", step.period.map(|period| period.length)),
            ("idle_ns", step.period.map(|period| period.idle_ns)),
        ];
        for (field, time) in times {
            let expected = row[field].as_i64();
            let is_near = time.zip(expected).is_none_or(|(a, b)| a.abs_diff(b) <= allowed(name));
            assert!(
                time.is_some() == expected.is_some() && is_near,
                "{name}, {field} of {}: {time:?}",
                row["step"]
            );
        }
    }
}

fn check_causes(name: &str, lane: &EngineLane, truth: &Value) {
    const NAMES: [&str; 10] = [
        "schedule",
        "prepare",
        "launch",
        "inside_graph",
        "sample",
        "sync_return",
        "output",
        "other",
        "host_unnamed",
        "no_request",
    ];
    for (part, cause) in IdlePart::ALL.into_iter().zip(NAMES) {
        let expected = truth["idle_by_cause_visible_ns"][cause].as_i64().unwrap_or(0);
        let found = lane.figures.by_cause[part as usize];
        assert!(found.abs_diff(expected) <= 10_000, "{name}, {cause}: {found}, not {expected}");
    }
}

#[test]
fn steps_times_and_causes_are_those_that_the_maker_knows() {
    for (name, truth, serving) in cases() {
        assert_eq!(Some(serving.workload.as_str()), truth["workload"].as_str(), "{name}");
        let Some(lane) = serving.main() else {
            assert!(truth["workload"] != "inference", "{name}");
            continue;
        };
        let form = if name.ends_with(".sqlite") { "nsys" } else { "kineto" };
        let stem = name.split('.').next().expect("a name");
        let rows = generated().expect("the corpus").join(format!("{stem}.{form}.rows.json"));
        let rows: Vec<Value> =
            serde_json::from_str(&std::fs::read_to_string(rows).expect("rows")).expect("JSON");
        check_steps(&name, lane, &rows);
        check_causes(&name, lane, &truth);
        let tokens = lane.figures.tokens.expect("tokens follow each other");
        for (field, found) in [
            ("mean_ns", tokens.mean),
            ("p50_ns", tokens.median),
            ("p99_ns", tokens.p99),
            ("max_ns", tokens.max),
        ] {
            let expected = truth["itl_by_marks"][field].as_i64().expect("a time");
            assert!(found.abs_diff(expected) <= allowed(&name), "{name}, {field}: {found}, not {expected}");
        }
    }
}

/// Kernels inside graphs belong to the modules that were open when the graph was captured.
#[test]
fn modules_have_the_time_of_their_kernels() {
    for (name, truth, serving) in cases() {
        let (Some(expected), Some(lane)) = (truth["modules"].as_object(), serving.main()) else { continue };
        for (module, expected) in expected.iter().filter(|(module, _)| *module != "sampler") {
            let row = lane.modules.rows.iter().find(|row| row.name == *module);
            let row = row.unwrap_or_else(|| panic!("{name}: no module {module}"));
            let total = expected["total_ns"].as_i64().expect("a time");
            assert!(
                row.total_ns.abs_diff(total) <= row.kernels,
                "{name}, {module}: {}, not {total}",
                row.total_ns
            );
            if let Some(layer) = expected["max_layer"][0].as_str() {
                assert_eq!(
                    row.largest.map(|largest| largest.layer.to_string()),
                    Some(layer.to_owned()),
                    "{name}, {module}"
                );
            }
        }
        let share = crate::base::ratios::percent(lane.modules.attributed_ns, lane.modules.kernel_ns);
        assert!(share >= 95.0, "{name}: {share}");
    }
}

/// Steps of other phases are not in the figures of a phase, and idle time adds up.
#[test]
fn phases_are_apart_and_causes_add_up() {
    for (name, _, serving) in cases() {
        for lane in &serving.lanes {
            for phase in &lane.figures.phases {
                assert_eq!(phase.by_cause.iter().sum::<i64>(), phase.idle.sum, "{name}, {:?}", phase.phase);
                let own =
                    lane.steps.iter().filter(|step| step.mark.phase == phase.phase && step.period.is_some());
                assert_eq!(own.count() as u64, phase.steps, "{name}, {:?}", phase.phase);
            }
            assert!(lane.figures.phase(Phase::None).is_none(), "{name}");
        }
    }
}

/// A strip holds each nanosecond of each step once, and the steps of a distribution each token.
#[test]
fn pictures_hold_all_steps_and_all_tokens() {
    for (name, _, serving) in cases() {
        for lane in &serving.lanes {
            let strip = lane.strip(240).expect("steps");
            assert!(strip.pieces.len() <= 240, "{name}");
            let alone = |step: &super::EngineStep| step.work.map_or(0, |work| work.out - work.first);
            let times = lane.steps.iter().filter(|step| step.work.is_some());
            let expected: i64 =
                times.map(|step| step.period.map_or_else(|| alone(step), |period| period.length)).sum();
            assert_eq!(strip.pieces.iter().flatten().sum::<i64>(), expected, "{name}");
            let fits = |piece: &[i64; 5]| piece.iter().sum::<i64>() <= strip.piece_ns;
            assert!(strip.pieces.iter().all(fits), "{name}: steps do not overlap");
            let (tokens, bins) = (lane.figures.tokens, lane.figures.token_bins.as_ref());
            let (tokens, bins) = tokens.zip(bins).expect("tokens follow each other");
            assert_eq!(bins.counts.iter().flatten().sum::<u64>(), tokens.samples, "{name}");
            let beyond = usize::try_from(tokens.p99 / bins.width).expect("a place");
            assert!(beyond < bins.counts.len(), "{name}: p99 lies before the last step");
        }
    }
}
