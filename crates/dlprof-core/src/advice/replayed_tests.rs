//! Savings of findings whose changes are replayed, on drawn captures and on those beside the project.

use super::idle_tests::MS;
use super::worth_tests::{found, saving};
use super::{Judged, passes, verdict};
use crate::OpenOptions;
use crate::base::ratios::to_f64;
use crate::base::time::Ns;
use crate::capture::Capture;
use crate::steps::iterate::{DefaultRange, KeyNodeChoice, RangeChoice};
use crate::tests::drawn::Drawn;
use dlprof_generate::corpus::folder;

const ADDS: &str =
    "void at::native::vectorized_elementwise_kernel<(int)4, at::native::CUDAFunctor_add<float>>(int)";
const SCALES: &str =
    "void at::native::vectorized_elementwise_kernel<(int)4, at::native::BUnaryFunctor<float>>(int)";
const PRODUCT: &str = "ampere_sgemm_128x64_tn";

/// Eight steps in which kernels of 45 µs are launched far ahead of the GPU, with a wait at the end. Before each step the host waits
/// so long for something outside.
fn steps_of(kernels: &[&str], outside: Ns) -> Judged {
    let mut drawn = Drawn::new();
    let mut now = MS;
    for _ in 0..8 {
        let start = now;
        if outside > 0 {
            drawn.os_call("sem_timedwait", now + 1_000..now + outside);
            now += outside + 1_000;
        }
        let mut gpu = now + 20_000;
        for name in kernels {
            drawn.launch(now..now + 3_000, name, gpu..gpu + 45_000);
            now += 5_000;
            gpu += 46_000;
        }
        drawn.api_call("cudaDeviceSynchronize", now..gpu, crate::read::facts::NO_CORRELATION);
        now = gpu + 10_000;
        drawn.range("step", start..now - 1_000);
    }
    let index = drawn.capture().index(&KeyNodeChoice::Named("step".into())).expect("it ran");
    index.profile(&RangeChoice::from(1..=8)).expect("a profile").into()
}

/// What fusing elementwise kernels saves of a step.
fn fused_ns(judged: &Judged) -> (Ns, Ns) {
    let (likely_ns, most_ns) = saving(found(judged, "elementwise_kernels"));
    (likely_ns.expect("likely") / 8, most_ns.expect("a bound") / 8)
}

#[test]
fn kernels_are_fused_with_those_behind_them() {
    let (likely_ns, most_ns) = fused_ns(&steps_of(&[PRODUCT, ADDS, SCALES, PRODUCT], 0));
    assert!((45_000..=47_000).contains(&likely_ns), "{likely_ns}: of two kernels one, as long as each");
    assert_eq!(most_ns, likely_ns);
    let alone = fused_ns(&steps_of(&[ADDS, PRODUCT, SCALES, PRODUCT], 0));
    assert_eq!(alone, (0, 0), "none follows another");
}

#[test]
fn where_input_limits_shorter_kernels_promise_nothing() {
    let judged = steps_of(&[PRODUCT, ADDS, SCALES, ADDS, SCALES], 2 * MS);
    assert_eq!(fused_ns(&judged).0, 0);
}

/// The most stays what the rule measured: all of the idle time.
#[test]
fn other_code_of_the_host_is_replayed() {
    // Without calls of the operating system nothing says that the thread waits: it is in other code.
    let mut drawn = Drawn::new();
    for step in 0..8 {
        let start = MS + step * 10 * MS;
        drawn.range("step", start..start + 10 * MS - 1);
        for launch in 0..5 {
            let at = start + launch * 5_000;
            drawn.launch(at..at + 3_000, PRODUCT, start + launch * MS + 20_000..start + (launch + 1) * MS);
        }
        let end = start + 5 * MS + 2_000;
        drawn.api_call("cudaDeviceSynchronize", start + 30_000..end, crate::read::facts::NO_CORRELATION);
    }
    let index = drawn.capture().index(&KeyNodeChoice::Named("step".into())).expect("it ran");
    let between: Judged = index.profile(&RangeChoice::from(1..=8)).expect("a profile").into();
    let (likely_ns, most_ns) = saving(found(&between, "cpu_work_between"));
    let likely_ns = likely_ns.expect("likely") / 8;
    assert!((4 * MS..=5 * MS).contains(&likely_ns), "{likely_ns} of 5 ms");
    assert!(most_ns.is_some_and(|most_ns| most_ns / 8 >= likely_ns), "{most_ns:?}");
    assert_eq!(verdict(&between).bounds.map(|bounds| bounds.host_percent() > 40.0), Some(true));
}

#[test]
fn a_replayed_saving_says_so() {
    let judged = steps_of(&[PRODUCT, ADDS, SCALES, PRODUCT], 0);
    let basis = found(&judged, "elementwise_kernels").saving.as_ref().map(|saving| saving.basis.to_string());
    assert!(basis.as_ref().is_some_and(|basis| basis.ends_with(" in a replay")), "{basis:?}");
}

/// What holds of replayed savings of every capture: the most is no less than what is likely, changes together save no less than
/// each of them, and the headline says no more than all of the time.
#[test]
fn savings_of_captures_are_in_order() {
    let Some(folder) = folder() else { return };
    for file in dlprof_generate::corpus::corpus() {
        let name = file.strip_prefix(&folder).unwrap_or(&file).display().to_string();
        let Some(judged) = open(&file) else { continue };
        for finding in judged.findings() {
            let (likely_ns, most_ns) = saving(finding);
            let most_ns = most_ns.or(likely_ns).unwrap_or(0);
            assert!((0..=most_ns).contains(&likely_ns.unwrap_or(0)), "{name}: {}", finding.id);
            if let Some(together_ns) = finding.together_ns {
                assert!(together_ns >= likely_ns.unwrap_or(0), "{name}: {} together", finding.id);
            }
            let share = finding.limits_then.map_or(0.0, |limiter| limiter.percent);
            assert!((0.0..=100.0).contains(&share), "{name}: {} {share}", finding.id);
            assert!(finding.limits_then.is_none() || finding.together_ns.is_some(), "{name}: {}", finding.id);
        }
        let changes = verdict(&judged).changes;
        assert!(changes.is_none_or(|changes| changes.percent <= 100.0), "{name}");
    }
}

fn open(file: &std::path::Path) -> Option<Judged> {
    let range = RangeChoice { otherwise: DefaultRange::Auto, ..RangeChoice::default() };
    let options = OpenOptions { range, ..OpenOptions::default() };
    Capture::open(file, &options, None).ok()
}

/// What an independent replay of two captures beside the project gives, in nanoseconds of a pass of the step.
#[test]
fn savings_are_those_of_an_independent_replay() {
    let Some(folder) = folder() else { return };
    for (file, rule, independent_ns) in [
        ("torch-gpt-small-nonvtx-a100-2024.6.2.sqlite", "launch_bound", 10.38e6),
        ("torch-gpt-small-nonvtx-a100-2024.6.2.sqlite", "tiny_kernels", 6.95e6),
        ("abacus-torch-titanrtx-2020.3.2-b-ex2020.sqlite", "launch_bound", 20.155e6),
        ("abacus-torch-titanrtx-2020.3.2-b-ex2020.sqlite", "tiny_kernels", 5.282e6),
    ] {
        let judged = open(&folder.join(file)).expect("a capture of the corpus");
        let saved_ns = to_f64(saving(found(&judged, rule)).0.expect("likely")) / f64::from(passes(&judged));
        assert!((saved_ns / independent_ns - 1.0).abs() < 0.02, "{file}: {rule} saves {saved_ns} ns");
    }
}
