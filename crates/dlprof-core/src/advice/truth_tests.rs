//! Sentences of findings that once were false where every sum was right.

use super::idle_tests::finding;
use super::{Finding, Judged, Measure};
use crate::base::time::Ns;
use crate::read::facts::NO_CORRELATION;
use crate::steps::iterate::{KeyNodeChoice, RangeChoice};
use crate::tests::drawn::Drawn;

const US: Ns = 1_000;

fn steps_of(drawn: Drawn) -> Judged {
    let index = drawn.capture().index(&KeyNodeChoice::Named("step".into())).expect("it ran");
    index.profile(&RangeChoice::default()).expect("a profile").into()
}

fn found<'a>(judged: &'a Judged, id: &str) -> &'a Finding {
    finding(judged, id).unwrap_or_else(|| panic!("{id} is found"))
}

fn measured(finding: &Finding, name: &str) -> f64 {
    let share = finding.figures.iter().find_map(|(key, measure)| match measure {
        Measure::Number(share) if key == name => Some(*share),
        _ => None,
    });
    share.unwrap_or_else(|| panic!("{name} is among the figures"))
}

/// Twelve steps with a wait inside, behind which the GPU idles 54 µs, and a wait at the end: the finding counts the former alone, and
/// says that the time after the latter is among the gaps.
#[test]
fn time_behind_waits_that_end_a_step_is_said_to_count() {
    let mut drawn = Drawn::new();
    for step in 0..12 {
        let start = 1_000 * US + step * 330 * US;
        drawn.range("step", start..start + 312 * US);
        drawn.launch(start..start + 3 * US, "gemm", start + 4 * US..start + 100 * US);
        drawn.api_call("cudaStreamSynchronize", start + 10 * US..start + 110 * US, NO_CORRELATION);
        drawn.launch(start + 150 * US..start + 153 * US, "relu", start + 154 * US..start + 300 * US);
        drawn.api_call("cudaStreamSynchronize", start + 160 * US..start + 310 * US, NO_CORRELATION);
    }
    let judged = steps_of(drawn);
    let waits = found(&judged, "sync_in_step");
    let problem = waits.problem.to_string();
    assert!(
        problem.contains("once per iteration inside the step, not counting 12 that end a step"),
        "{problem}"
    );
    assert!(problem.contains("The gaps after these waits and after those that end a step take"), "{problem}");
    // Without the wait inside the host is ahead from there on; with none it is ahead from step to step.
    let saving = waits.saving.as_ref().map(|saving| (saving.expected_ns, saving.upper_ns));
    let Some((Some(saved), Some(most))) = saving else { panic!("{saving:?}") };
    assert!((12 * 40 * US..12 * 54 * US).contains(&saved), "{saved}");
    assert!(most > saved + 11 * 20 * US, "{most}");
}

/// Of 180 elementwise launches of a step 120 are the optimizer's, of which another finding speaks.
#[test]
fn what_an_optimizer_launches_is_told_apart_from_other_elementwise_kernels() {
    let mut drawn = Drawn::new();
    for step in 0..6 {
        let start = 1_000 * US + step * 2_000 * US;
        drawn.range("step", start..start + 1_900 * US);
        let parts = [("forward", 0, 60), ("optimizer", 60, 120)];
        for (part, first, launches) in parts {
            let begin = start + first * 10 * US;
            drawn.range(part, begin..begin + launches * 10 * US);
            for launch in 0..launches {
                let call = begin + launch * 10 * US;
                let name = ["vectorized_add_elementwise", "mul_elementwise"][usize::from(launch % 2 == 1)];
                drawn.launch(call..call + 2 * US, name, call + 3 * US..call + 12 * US);
            }
        }
    }
    let judged = steps_of(drawn);
    assert!(finding(&judged, "per_parameter_optimizer").is_some());
    let elementwise = found(&judged, "elementwise_kernels");
    let words = elementwise.problem.to_string();
    let beside = "Of it 66.7% in the optimizer, which updates one parameter at a time";
    assert!(words.contains("in 180 launches") && words.ends_with(beside), "{words}");
    assert!((measured(elementwise, "optimizer_percent") - 66.67).abs() < 0.01);
    let saving = elementwise.saving.as_ref().expect("a saving");
    assert!(saving.basis.contains("outside the optimizer"), "{}", saving.basis);
    assert!(saving.upper_ns.is_some_and(|ns| ns <= 6 * 60 * 10 * US), "{:?}", saving.upper_ns);
}

/// Most short kernels are algorithms that are tried: markers have no part in that.
#[test]
fn short_kernels_that_are_tried_have_that_cause() {
    const TRIALS: [&str; 4] =
        ["fft2d_r2c_32x32", "redzone_checker", "volta_gcgemm_32x32_nt", "redzone_checker"];
    let mut drawn = Drawn::new();
    let mut now = 100 * US;
    for _ in 0..30 {
        for name in TRIALS {
            let kernel = if name == "redzone_checker" { 20 * US } else { 5 * US };
            drawn.launch(now..now + 3 * US, name, now + 4 * US..now + 4 * US + kernel);
            now += 45 * US;
        }
    }
    let index = drawn.capture().index(&KeyNodeChoice::None).expect("an index");
    let judged: Judged = index.profile(&RangeChoice::default()).expect("a profile").into();
    let short = found(&judged, "tiny_kernels");
    assert_eq!((short.same_cause_as, &short.saving), (Some("autotuning_in_range"), &None));
}

/// Two processes launch on one GPU.
#[test]
fn processes_that_share_a_gpu_are_counted() {
    let mut drawn = Drawn::new();
    for launch in 0..60 {
        let now = 100 * US + launch * 50 * US;
        drawn.launch(now..now + 3 * US, "gemm", now + 4 * US..now + 20 * US);
    }
    let one =
        |judged: &Judged| judged.processes_by_gpu().into_iter().map(|(_, number)| number).collect::<Vec<_>>();
    let mut shared = Drawn::new();
    for process in 0..2 {
        if process > 0 {
            shared.process();
        }
        let now = 100 * US + process * 50 * US;
        shared.launch(now..now + 3 * US, "gemm", now + 4 * US..now + 20 * US);
    }
    let judged = |drawn: Drawn| -> Judged {
        let index = drawn.capture().index(&KeyNodeChoice::None).expect("an index");
        index.profile(&RangeChoice::default()).expect("a profile").into()
    };
    assert_eq!((one(&judged(drawn)), one(&judged(shared))), (vec![1], vec![2]));
}
