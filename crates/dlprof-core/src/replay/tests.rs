//! Replays of drawn programs, and of the captures beside the project.

use super::chosen::KernelsOf;
use super::edit::{EDIT_FORMS, Edit};
use super::graph::{ArcKind, Change};
use super::nodes::Nodes;
use super::path::PathClass;
use super::what_if::{Bounds, Replay};
use crate::OpenOptions;
use crate::base::time::Ns;
use crate::capture::Capture;
use crate::capture::names::ApiClass;
use crate::figures::profile::Profile;
use crate::read::facts::{NO_CORRELATION, WorkKind};
use crate::steps::iterate::{DefaultRange, KeyNodeChoice, RangeChoice};
use crate::tests::drawn::Drawn;
use dlprof_generate::corpus::{corpus, folder};
use std::path::{Path, PathBuf};

/// Edits that only lessen what something takes.
const LESSENING: [&str; 10] = [
    "kernels x 0.5",
    "gpu x 0",
    "no copies",
    "no waits",
    "host x 0",
    "launches as one",
    "input instant",
    "no calls like '%malloc%'",
    "no ranges like '%e%'",
    "exchange x 0.1",
];

fn edit(text: &str) -> Edit {
    Edit::parse(text).expect("an edit")
}

/// What holds of every window: unchanged, every time is the recorded one; the path is as long as the window; no edit that only lessens
/// moves anything later, saves a negative time, or saves more than there is; and the same edit twice is the same edit.
pub(crate) fn check(name: &str, profile: &Profile) {
    let Ok(replay) = Replay::of(profile) else { return };
    let (model, observed) = (replay.model(), &replay.model().graph.observed);
    assert!(
        Change::none(&model.graph).replay() == *observed,
        "{name}: unchanged times are the recorded ones"
    );
    let path = replay.critical_path();
    let sum: Ns = path.parts.iter().map(|part| part.time_ns).sum();
    assert_eq!(sum, path.length_ns, "{name}: the parts of the path add up to its length");
    for text in LESSENING {
        let mut change = Change::none(&model.graph);
        edit(text).apply(model, &mut change);
        let times = change.replay();
        assert!(
            times.iter().zip(observed).all(|(new, old)| new <= old),
            "{name}: {text} moves nothing later"
        );
        let saved = model.saved_ns(&times);
        assert!((0..=path.length_ns).contains(&saved), "{name}: {text} saves {saved} of {}", path.length_ns);
        edit(text).apply(model, &mut change);
        assert!(change.replay() == times, "{name}: {text} twice is {text} once");
    }
    let kernels: Ns = model.window.work.iter().map(|work| work.span.length()).sum();
    let saved = replay.saved_ns(&edit("kernels x 0.5")) * model.passes();
    assert!(saved <= kernels, "{name}: shorter kernels save no more than their time");
}

/// The usual iterations of a capture that can be read.
fn profile(path: &Path) -> Option<Profile> {
    let range = RangeChoice { otherwise: DefaultRange::Auto, ..RangeChoice::default() };
    let options = OpenOptions { range, ..OpenOptions::default() };
    Capture::open(path, &options, None).ok().map(|judged| Profile::clone(&judged))
}

/// Files of a folder beside the project, in order; not traces that take seconds to read.
fn files(of: &str) -> Vec<PathBuf> {
    let Some(Ok(entries)) = folder().map(|folder| std::fs::read_dir(folder.join(of))) else {
        return Vec::new();
    };
    let is_short =
        |path: &PathBuf| path.metadata().is_ok_and(|file| file.is_file() && file.len() < 1_500_000);
    let mut files: Vec<PathBuf> =
        entries.filter_map(|entry| Some(entry.ok()?.path())).filter(is_short).collect();
    files.sort();
    files
}

#[test]
fn captures_are_replayed_to_the_nanosecond() {
    let all =
        corpus().into_iter().chain(files("cases/nsys")).chain(files("cases/traces")).chain(files("kineto"));
    for path in all {
        if let Some(profile) = profile(&path) {
            check(&path.display().to_string(), &profile);
        }
    }
}

/// The independent program's savings, in ms of an iteration.
#[test]
fn savings_are_those_of_the_independent_program() {
    let Some(folder) = folder() else { return };
    let text = std::fs::read_to_string(folder.join("replay/reference.json")).expect("the values");
    let values: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let told = [
        ("sync_in_step", "at_most", edit("no waits")),
        ("launch_bound", "expected", Edit::launches_as_one()),
        ("cpu_work_between", "expected", Edit::usual_gaps()),
    ];
    let mut compared = 0;
    for (file, of) in values.as_object().expect("an object") {
        let Some(profile) = profile(&folder.join(file)) else { continue };
        let replay = Replay::of(&profile).expect("there is GPU work");
        let model = replay.model();
        let iterations = model.window.steps.len().max(1) as u64;
        if Some(iterations) != of["iterations"].as_u64()
            || Some(model.window.work.len() as u64) != of["works"].as_u64()
        {
            continue;
        }
        let step = crate::base::ratios::to_f64(replay.step_ns()) / 1e6;
        // It knows nothing of several passes in one iteration.
        let iterations_per_pass =
            crate::base::ratios::count_to_f64(iterations) / crate::base::ratios::to_f64(model.passes());
        for (finding, level, edit) in &told {
            let Some(expected) = of["savings_ms_per_iteration"][*finding][*level].as_f64() else { continue };
            let expected = expected * iterations_per_pass;
            let saved = crate::base::ratios::to_f64(replay.saved_ns(edit)) / 1e6;
            assert!(
                (saved - expected).abs() < 0.005 * step,
                "{file}: {finding} saves {saved}, not {expected} of {step} ms"
            );
            compared += 1;
        }
    }
    assert!(compared >= 20, "{compared} savings were compared");
}

const MS: Ns = 1_000_000;

/// Steps of 10 ms. In each the host launches a kernel of 6 ms at once and waits for it; `acts` draws more into a step that starts at a
/// time.
fn steps(acts: impl Fn(&mut Drawn, Ns)) -> Drawn {
    let mut drawn = Drawn::new();
    for step in 0..8 {
        let start = 100 * MS + step * 10 * MS;
        drawn.range("step", start..start + 10 * MS - 1);
        acts(&mut drawn, start);
        drawn.launch(
            start + 2 * MS..start + 2 * MS + 10_000,
            "gemm",
            start + 2 * MS + 10_000..start + 8 * MS,
        );
        drawn.api_call("cudaDeviceSynchronize", start + 2 * MS + 20_000..start + 8 * MS + 2_000, 0);
    }
    drawn
}

fn drawn_profile(drawn: &mut Drawn) -> Profile {
    let index = std::mem::replace(drawn, Drawn::new()).capture().index(&KeyNodeChoice::Named("step".into()));
    index.expect("it ran").profile(&RangeChoice::from(1..=8)).expect("a profile")
}

/// How much an edit saves of an iteration, in µs.
fn saved_us(profile: &Profile, text: &str) -> Ns {
    Replay::of(profile).expect("there is GPU work").saved_ns(&edit(text)) / 1_000
}

#[test]
fn a_gpu_bound_step_is_as_much_shorter_as_its_kernels() {
    let profile = drawn_profile(&mut steps(|_, _| {}));
    assert_eq!(saved_us(&profile, "kernels like 'g%mm' x 0.5"), 2_995, "half of 5.99 ms");
    assert_eq!(saved_us(&profile, "kernels like 'other' x 0.5"), 0);
    assert_eq!(saved_us(&profile, "kernels x 2"), -5_990, "longer kernels cost time");
    let (_, limiter) = Replay::of(&profile).expect("work").saved_and_limiter(&[]);
    assert_eq!(limiter.map(|limiter| limiter.what), Some("GPU compute"), "6 ms of 10");
    let (_, limiter) = Replay::of(&profile).expect("work").saved_and_limiter(&[edit("kernels x 0.1")]);
    assert_eq!(limiter.map(|limiter| limiter.what), Some("the CPU"), "4 ms of 4.6");
}

#[test]
fn long_gaps_of_the_host_become_usual_ones() {
    // The host is 4 ms in other code between the end of each kernel and the next launch; half of all gaps are that long.
    let saved =
        Replay::of(&drawn_profile(&mut steps(|_, _| {}))).expect("work").saved_ns(&Edit::usual_gaps());
    assert!((2_700_000..=3_000_000).contains(&saved), "{saved} ns of 4 ms, of which 1 ms is no long gap");
}

#[test]
fn where_input_limits_shorter_kernels_save_nothing() {
    // The host waits for its loader, which is 2 ms after the end of each step, and does nothing else there.
    let waiting = |drawn: &mut Drawn, start: Ns| {
        drawn.os_call("sem_timedwait", start - 2 * MS + 10_000..start + 2 * MS - 10_000);
    };
    let profile = drawn_profile(&mut steps(waiting));
    let replay = Replay::of(&profile).expect("work");
    assert!(replay.model().arrivals >= 7, "{}", replay.model().arrivals);
    assert_eq!(replay.saved_ns(&edit("kernels x 0.5")), 0);
    assert!(replay.saved_ns(&edit("input instant")) > 3 * MS);
    let together = replay.what_if(&[edit("input instant").into(), edit("kernels x 0.5").into()], &[]);
    assert!(together.edits[1].step_ns < together.edits[0].step_ns, "behind the input the kernels count");
    assert_eq!(together.edits[0].matches, replay.model().arrivals as u64);
}

#[test]
fn a_short_wait_in_every_step_is_input_whatever_else_the_host_does_there() {
    // Of the 4 ms between two steps the host waits for its loader for a part, and works in the rest.
    let arrivals = |waited: Ns| {
        let profile = drawn_profile(&mut steps(|drawn, start| {
            drawn.os_call("sem_timedwait", start + 2 * MS - 10_000 - waited..start + 2 * MS - 10_000);
        }));
        let replay = Replay::of(&profile).expect("work");
        (replay.model().arrivals, replay.saved_ns(&edit("kernels x 0.5")))
    };
    let (count, saved) = arrivals(600_000);
    assert!(count >= 7 && saved == 0, "{count}: {saved}");
    let (count, saved) = arrivals(400_000);
    assert!(count == 0 && saved > 2 * MS, "{count}: {saved}; under a twentieth of a step");
}

#[test]
fn a_wait_inside_a_step_costs_what_runs_dry_behind_it() {
    // Of the 4 ms of each step in which the GPU waits for the host: the first step has nothing before it to run beside.
    let profile = drawn_profile(&mut steps(|_, _| {}));
    let (waits, host) = (saved_us(&profile, "no waits"), saved_us(&profile, "host x 0"));
    assert!((3_400..=3_600).contains(&waits), "{waits}: seven eighths");
    assert!((3_650..=4_000).contains(&host), "{host}");
    let what_if = Replay::of(&profile).expect("work").what_if(&[], &[]);
    let Bounds { step_ns, without_gpu_ns, without_host_ns, .. } = what_if.bounds;
    assert!(without_gpu_ns < step_ns && without_host_ns < step_ns && step_ns == what_if.step_ns);
    assert_eq!(what_if.step_after_ns, what_if.step_ns);
}

#[test]
fn host_code_belongs_to_each_range_that_it_runs_in() {
    // Between two calls the host is 2 ms in the step that ends, 1 ms in `load`, and 1 ms in `prepare`.
    let ranges = |drawn: &mut Drawn, start: Ns| {
        drawn.range("load", start..start + MS - 1);
        drawn.range("prepare", start + MS..start + 2 * MS - 1);
    };
    let path = Replay::of(&drawn_profile(&mut steps(ranges))).expect("work").critical_path();
    let of = |name: &str| {
        let part = path.parts.iter().find(|part| part.class == PathClass::HostCode && part.name == name);
        part.map_or(0, |part| part.time_ns)
    };
    assert!((7 * MS..=8 * MS).contains(&of("load")), "{:?}", path.parts);
    assert!((7 * MS - 20..=8 * MS).contains(&of("prepare")), "{:?}", path.parts);
    assert!((13 * MS..=15 * MS).contains(&of("step")), "{:?}", path.parts);
    assert_eq!(path.parts.iter().map(|part| part.time_ns).sum::<Ns>(), path.length_ns, "nothing is lost");
}

#[test]
fn a_gpu_that_does_other_work_does_not_stand_still() {
    // A kernel that is queued early starts a millisecond after the one before it, in which the GPU may copy for no recorded call.
    let stall = |copies: bool| {
        let mut drawn = steps(|drawn, start| {
            let late = start + 9 * MS;
            drawn.launch(start + 2 * MS + 12_000..start + 2 * MS + 15_000, "late", late..late + MS / 2);
            if copies {
                let unknown = (drawn.current_process(), 77);
                drawn.work(WorkKind::Copy, "HtoD", start + 8 * MS + 10_000..late - 10_000, unknown);
            }
        });
        let path = Replay::of(&drawn_profile(&mut drawn)).expect("work").critical_path();
        let stalls = path.parts.into_iter().filter(|part| part.class == PathClass::Stall);
        stalls.map(|part| part.name).collect::<Vec<_>>()
    };
    assert_eq!(stall(false), ["GPU stands still"]);
    assert_eq!(stall(true), ["beside other work of the GPU"]);
}

#[test]
fn a_wait_of_the_system_that_ends_with_gpu_work_is_no_input() {
    // The thread has things to do for 2 ms after it, and then launches the next step.
    let mut drawn = Drawn::new();
    for step in 0..8 {
        let start = 100 * MS + step * 10 * MS;
        let (launch, end) = (start + 2 * MS, start + 8 * MS);
        drawn.range("step", start..start + 10 * MS - 1);
        drawn.launch(launch..launch + 10_000, "gemm", launch + 10_000..end);
        drawn.os_call("sem_timedwait", launch + 20_000..end + 10_000);
    }
    let profile = drawn_profile(&mut drawn);
    let replay = Replay::of(&profile).expect("work");
    assert_eq!(replay.model().arrivals, 0);
    assert_eq!(replay.saved_ns(&edit("input instant")), 0);
}

/// Work that becomes one piece takes its share of the time of all of it, whatever else is changed, in any order.
#[test]
fn fused_kernels_are_changed_with_the_time_that_they_take() {
    let profile = drawn_profile(&mut steps(|drawn, start| {
        drawn.launch(start..start + 10_000, "short", start + 20_000..start + 120_000);
        drawn.launch(start + 10_000..start + 20_000, "long", start + 120_000..start + 1_920_000);
        drawn.api_call("cudaDeviceSynchronize", start + 20_000..start + 1_922_000, 0);
    }));
    let replay = Replay::of(&profile).expect("work");
    let fused = Edit::fused_kernels(KernelsOf { shorter_than: Some(2 * MS), ..KernelsOf::default() }, 2, 1.0);
    let (half, same) = (edit("kernels x 0.5"), edit("kernels x 1"));
    let saved =
        |edits: &[&Edit]| replay.saved_of(&edits.iter().map(|&edit| edit.clone()).collect::<Vec<_>>());
    let both = saved(&[&fused, &half]);
    assert_eq!(saved(&[&fused, &same]), saved(&[&fused]));
    assert_eq!(saved(&[&half, &fused]), both);
    assert_eq!(saved(&[&fused, &half, &half]), both);
    assert!((both - saved(&[&fused]) - saved(&[&half])).abs() < MS / 100, "{both}");
}

/// The last iteration ends where the next one begins, and so do those before it.
#[test]
fn what_iterations_begin_with_is_saved_in_each() {
    let profile =
        drawn_profile(&mut steps(|drawn, start| _ = drawn.range("load", start..start + 3 * MS / 2)));
    assert_eq!(saved_us(&profile, "no ranges like 'load'"), 1_500);
}

/// Traces with whole microseconds have calls that take no time, several of them at one time.
#[test]
fn calls_at_one_time_are_in_order() {
    let profile = drawn_profile(&mut steps(|drawn, start| {
        drawn.api_call("cudaGetDevice", start..start, 0);
        drawn.api_call("cudaGetDevice", start..start, 0);
        drawn.launch(start..start + 10_000, "gemm", start + 20_000..start + 250_000);
    }));
    let replay = Replay::of(&profile).expect("work");
    assert_eq!(replay.model().graph.contradicted, 0);
    assert!(replay.unexplained_percent() < 1.0, "{}", replay.unexplained_percent());
}

#[test]
fn memory_calls_wait_for_a_gpu_that_has_nothing_left_to_do() {
    let waits = |rest_until: Ns| {
        let profile = drawn_profile(&mut steps(|drawn, start| {
            drawn.launch(start..start + 10_000, "first", start + 20_000..start + 250_000);
            if rest_until > 0 {
                drawn.launch(start + 10_000..start + 20_000, "rest", start + 251_000..start + rest_until);
            }
            drawn.api_call("cudaFree", start + 30_000..start + 300_000, 0);
        }));
        let replay = Replay::of(&profile).expect("work");
        let (calls, graph) = (&replay.model().window.calls, &replay.model().graph);
        let frees = (0..calls.len()).filter(|&at| calls[at].function.class == ApiClass::Allocation);
        let waits: Vec<bool> = frees.map(|at| graph.has(Nodes::call_end(at), ArcKind::Wait)).collect();
        assert_eq!(waits.len(), 8);
        waits
    };
    assert!(waits(0).into_iter().all(|waits| waits));
    assert!(waits(MS).into_iter().all(|waits| !waits), "another kernel runs on");
}

#[test]
fn edits_have_the_forms_that_help_lists() {
    for (form, _) in EDIT_FORMS {
        assert_eq!(edit(form).text(), form);
    }
    for mistake in [
        "",
        "kernels",
        "kernels x",
        "kernels x -1",
        "no host",
        "like 'a' x 2",
        "kernels like x 2",
        "no calls",
        "gpu as one",
    ] {
        let unknown = Edit::parse(mistake).expect_err("no edit");
        assert_eq!(unknown.to_string(), format!("`{mistake}` is not an edit"));
    }
    assert!(Edit::parse("kernels like \"a b\" × 0.5").is_ok() && Edit::parse("copies * 3").is_ok());
}

/// Eight steps of 10 ms. A launch takes 8 ms of each, and its kernel of 1 ms starts a moment before it returns; the host waits for it.
#[test]
fn a_launch_is_the_hosts_where_its_kernel_starts_before_it_returns() {
    let mut drawn = Drawn::new();
    for start in (1..9).map(|step| step * 10 * MS) {
        drawn.range("step", start..start + 10 * MS - 1);
        drawn.launch(start..start + 8 * MS, "gemm", start + 8 * MS - 1_000..start + 9 * MS);
        let wait = start + 8 * MS + 10_000..start + 9 * MS + 10_000;
        drawn.api_call("cudaStreamSynchronize_v3020", wait, NO_CORRELATION);
    }
    let profile = drawn_profile(&mut drawn);
    let launches = saved_us(&profile, "calls like 'cudaLaunchKernel%' x 0");
    assert!((7_900..=8_000).contains(&launches), "{launches}");
    let host = saved_us(&profile, "host x 0");
    assert!(host >= 8_800, "{host}");
    let path = Replay::of(&profile).expect("work").critical_path();
    assert!(path.parts.iter().all(|part| part.class != PathClass::Stall), "{:?}", path.parts);
}

/// Pairs of kernels on one stream, of which the second starts 1 µs before the first ends.
#[test]
fn kernels_that_overlap_on_a_stream_are_kernels() {
    let mut drawn = Drawn::new();
    for start in (1..9).map(|step| step * 10 * MS) {
        drawn.range("step", start..start + 10 * MS - 1);
        drawn.launch(start..start + 5_000, "first", start + 10_000..start + 5 * MS);
        drawn.launch(start + 6_000..start + 9_000, "second", start + 5 * MS - 1_000..start + 9 * MS);
        let wait = start + 10_000..start + 9 * MS + 5_000;
        drawn.api_call("cudaStreamSynchronize_v3020", wait, NO_CORRELATION);
    }
    let profile = drawn_profile(&mut drawn);
    let first = saved_us(&profile, "kernels like 'first' x 0.5");
    assert!((2_450..=2_500).contains(&first), "{first}");
    let path = Replay::of(&profile).expect("work").critical_path();
    let kernels = path.parts.iter().filter(|part| part.class == PathClass::Kernels);
    assert!(kernels.map(|part| part.time_ns).sum::<Ns>() >= 8 * 8 * MS, "{:?}", path.parts);
    assert!(path.parts.iter().all(|part| part.class != PathClass::Stall), "{:?}", path.parts);
}

#[test]
fn what_the_host_does_in_ranges_can_take_less() {
    let ranges = |drawn: &mut Drawn, start: Ns| {
        drawn.range("load", start..start + MS - 1);
        drawn.range("prepare", start + MS..start + 2 * MS - 1);
    };
    let profile = drawn_profile(&mut steps(ranges));
    let saved = |text: &str| saved_us(&profile, text);
    assert!((850..=1_000).contains(&saved("no ranges like 'load'")), "{}", saved("no ranges like 'load'"));
    assert!((425..=500).contains(&saved("ranges like 'prep%' x 0.5")));
    assert_eq!(saved("no ranges like 'store'"), 0);
    // A range twice is that range once, and two ranges are both.
    let replay = Replay::of(&profile).expect("work");
    let saved_by = |edits: &[&str]| replay.saved_of(&edits.iter().map(|text| edit(text)).collect::<Vec<_>>());
    let load = saved_by(&["no ranges like 'load'"]);
    assert_eq!(saved_by(&["no ranges like 'load'", "ranges like 'lo%' x 0.5"]), load);
    let both = saved_by(&["no ranges like 'load'", "no ranges like 'prepare'"]);
    assert!((2 * load - both).abs() < 50_000, "{load} {both}");
}
