//! The room on captures that are drawn as intervals: servers that train as well, and steps that a user chooses.

use super::{Serving, Workload};
use crate::advice::{Judged, passes, serving_in_words};
use crate::base::ratios::rounded;
use crate::base::time::Ns;
use crate::capture::Capture;
use crate::capture::names::Phase;
use crate::read::facts::NO_CORRELATION;
use crate::steps::iterate::{KeyNodeChoice, RangeChoice};
use crate::tests::drawn::Drawn;

const DECODE: &str = "execute_context_0(0)_generation_32(32)";
const FEWER: &str = "execute_context_0(0)_generation_30(30)";
const MIXED: &str = "execute_context_1(900)_generation_32(32)";

/// Steps of 1000 ns, 800 of them with a kernel.
fn steps(drawn: &mut Drawn, from: Ns, texts: &[&str]) {
    for (text, step) in texts.iter().zip(0..) {
        let now = from + step * 1_000;
        drawn.range(text, now..now + 300);
        drawn.launch(now + 10..now + 20, "gemm", now + 30..now + 830);
    }
}

/// A rollout, three steps of training of 2000 ns, and another rollout.
fn rollouts_and_training() -> Capture {
    let mut drawn = Drawn::new();
    steps(&mut drawn, 1_000, &[DECODE; 5]);
    for now in [6_000, 8_000, 10_000] {
        drawn.range("train_step", now..now + 1_900);
        drawn.launch(now + 10..now + 20, "gemm", now + 30..now + 900);
        drawn.range("Optimizer.step#Adam.step", now + 1_000..now + 1_200);
        drawn.launch(now + 1_010..now + 1_020, "multi_tensor_apply_kernel", now + 1_030..now + 1_800);
    }
    steps(&mut drawn, 12_000, &[DECODE; 5]);
    drawn.capture()
}

fn judged(capture: &Capture, key_node: &KeyNodeChoice) -> Judged {
    let index = capture.index(key_node).expect("iterations");
    index.profile(&RangeChoice::default()).expect("a profile").into()
}

fn lengths(judged: &Judged) -> Vec<Ns> {
    let iterations = &judged.iterations;
    let is_step = |at: u32| iterations.is_aggregated(at) && !iterations.is_outside(at);
    let steps = judged.iteration_stats.iter().filter(|row| is_step(row.iteration));
    steps.map(|row| row.span.length()).collect()
}

#[test]
fn no_step_of_a_server_holds_training() {
    let capture = rollouts_and_training();
    let serving = Serving::of(&capture);
    assert_eq!(serving.workload, Workload::Both);
    let lane = serving.main().expect("steps");
    let periods: Vec<Option<Ns>> = lane.steps.iter().map(|step| Some(step.period?.length)).collect();
    let rollout = [None, Some(1_000), Some(1_000), Some(1_000), Some(1_000)];
    assert_eq!(periods, [rollout, rollout].concat());
    assert!(lane.steps.iter().all(|step| step.work.is_some_and(|work| work.busy_ns == 800)));
    assert_eq!(lane.figures.tokens.map(|tokens| (tokens.samples, tokens.max)), Some((256, 1_000)));
}

#[test]
fn rollouts_and_training_have_iterations_of_their_own() {
    let capture = rollouts_and_training();
    let server = judged(&capture, &KeyNodeChoice::Find);
    assert!(server.is_about_server());
    assert!(lengths(&server).iter().all(|&length| length <= 1_000), "{:?}", lengths(&server));
    assert!(server.findings().iter().all(|found| !found.id.contains("between")), "{:?}", server.findings());
    let said: Vec<String> = serving_in_words(&server).iter().map(ToString::to_string).collect();
    assert!(said.iter().any(|said| said.contains("shows training as well")), "{said:?}");
    let training = judged(&capture, &KeyNodeChoice::Named("train_step".into()));
    assert!(!training.is_about_server());
    assert!(lengths(&training).contains(&2_000), "{:?}", lengths(&training));
    assert!(training.findings().iter().all(|found| !found.id.starts_with("engine_")));
}

#[test]
fn a_key_node_may_be_the_steps_of_a_phase_and_of_a_size_of_batch() {
    let mut drawn = Drawn::new();
    steps(&mut drawn, 1_000, &[DECODE, DECODE, DECODE, MIXED, DECODE, FEWER, FEWER, DECODE, DECODE]);
    let capture = drawn.capture();
    let labels = |name: &str| -> Vec<String> {
        let judged = judged(&capture, &KeyNodeChoice::Named(name.into()));
        judged.iterations.labels.iter().filter(|label| !label.is_empty()).cloned().collect()
    };
    assert_eq!(labels("engine step").len(), 9);
    assert_eq!(labels("engine step decode 32"), [DECODE; 6]);
    assert_eq!(labels("engine step decode 30"), [FEWER; 2]);
    assert_eq!(labels("engine step mixed"), [MIXED]);
    assert!(capture.index(&KeyNodeChoice::Named("engine step decode 7".into())).is_err());
}

#[test]
fn exchange_and_filling_of_decode_steps_are_findings() {
    let mut drawn = Drawn::new();
    for now in (1..=6).map(|step| step * 1_000) {
        drawn.range("decode[bs=20/32 tok=20 d=20]", now..now + 300);
        drawn.launch(now + 10..now + 20, "gemm", now + 30..now + 430);
        let exchange = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)";
        drawn.launch(now + 20..now + 25, exchange, now + 430..now + 830);
    }
    let judged = judged(&drawn.capture(), &KeyNodeChoice::Find);
    let found = |id: &str| {
        let found = judged.findings().iter().find(|found| found.id == id);
        found.unwrap_or_else(|| panic!("no {id}: {:?}", judged.findings()))
    };
    let exchange = found("engine_exchange");
    assert!(exchange.problem.to_string().contains("(40.0%)"), "{}", exchange.problem);
    assert!(exchange.recommendation.to_string().contains("--disable-custom-all-reduce"));
    assert!(
        found("engine_padding").problem.to_string().contains("38% are filling"),
        "{}",
        found("engine_padding").problem
    );
}

/// Twelve decode steps, each begun when the one before is done and scheduled in so much time; a copy of the tokens ends it.
fn scheduled(schedule: Ns) -> Judged {
    const MS: Ns = 1_000_000;
    let mut drawn = Drawn::new();
    let mut now = MS;
    for _ in 0..12 {
        if schedule > 0 {
            drawn.range("schedule: allocate_slots", now..now + schedule);
        }
        now += schedule;
        drawn.range(DECODE, now..now + MS / 2);
        drawn.launch(now + 10_000..now + 20_000, "gemm", now + 30_000..now + 2 * MS);
        now += 2 * MS + 10_000;
        drawn.api_call("cudaStreamSynchronize_v3020", now - 2 * MS..now, NO_CORRELATION);
    }
    judged(&drawn.capture(), &KeyNodeChoice::Find)
}

#[test]
fn a_scheduler_saves_what_the_server_without_it_is_shorter_by() {
    for schedule in [300_000, 900_000, 3_000_000] {
        let (server, without) = (scheduled(schedule), scheduled(0));
        let saved = period(&server) - period(&without);
        assert_eq!(saved, schedule);
        let found = server.findings().iter().find(|found| found.id == "engine_scheduling");
        let saving = found.and_then(|found| found.saving.as_ref()).expect("a saving");
        let each = saving.expected_ns.expect("it is replayed") / Ns::from(passes(&server));
        assert!((each - saved).abs() * 20 <= period(&server), "{each} of {saved}");
        assert!(found.is_some_and(|found| found.limits_then.is_some()));
    }
}

fn period(judged: &Judged) -> Ns {
    let figures = &judged.serving().main().expect("steps").figures;
    rounded(figures.phase(Phase::Decode).expect("decode steps").period.mean())
}
