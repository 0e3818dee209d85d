//! What is said of programs of kinds that users have, drawn small: the cause that was planted, and nothing else.

use super::idle_tests::{MS, finding};
use super::scene::Scene;
use super::{Finding, Judged};
use crate::base::ids::ThreadId;
use crate::base::ratios::percent;
use crate::base::time::Ns;
use crate::read::facts::NO_CORRELATION;
use crate::steps::iterate::{KeyNodeChoice, RangeChoice};
use crate::tests::drawn::Drawn;

fn found<'a>(judged: &'a Judged, id: &str) -> &'a Finding {
    finding(judged, id).unwrap_or_else(|| panic!("{id} is found"))
}

fn saving(finding: &Finding) -> (Option<Ns>, Option<Ns>) {
    finding.saving.as_ref().map_or((None, None), |saving| (saving.expected_ns, saving.upper_ns))
}

/// Judges iterations that begin with a range.
fn judged(drawn: Drawn, key_node: &str) -> Judged {
    let index = drawn.capture().index(&KeyNodeChoice::Named(key_node.into())).expect("it ran");
    index.profile(&RangeChoice::default()).expect("a profile").into()
}

/// Two GPUs compute 6 ms and wait in an exchange for a third, which computes 10 ms: no overlap saves what they wait.
#[test]
fn waiting_for_a_slow_gpu_is_no_exchange_that_could_overlap() {
    let steps = |slow_ns: Ns| {
        let mut drawn = Drawn::new();
        let mut threads = vec![ThreadId::new(0)];
        threads.extend([drawn.thread(), drawn.thread()]);
        for step in 0..10 {
            let start = step * 20 * MS + MS;
            let end = start + slow_ns.max(6 * MS);
            for (gpu, &thread) in threads.iter().enumerate() {
                drawn.on(thread).on_gpu(gpu);
                if gpu == 0 {
                    drawn.range("train_step", start - 10_000..start + 18 * MS);
                }
                let computed = start + if gpu == 2 { slow_ns } else { 6 * MS };
                drawn.launch(start..start + 5_000, "gemm", start + 6_000..computed);
                drawn.launch(start + 6_000..start + 9_000, "ncclDevKernel_AllReduce", computed..end + MS);
                drawn.launch(start + 10_000..start + 13_000, "adam", end + MS..start + 19 * MS);
            }
        }
        judged(drawn, "train_step")
    };
    let slow = steps(16 * MS);
    let exchange = found(&slow, "exposed_communication");
    let words = exchange.problem.to_string();
    assert!(words.ends_with(". Most of it they wait for GPU 2, which computes longer"), "{words}");
    let (_, most_ns) = saving(exchange);
    assert!(most_ns.is_some_and(|ns| ns <= 10 * MS), "{most_ns:?}");
    let ids: Vec<&str> = slow.findings().iter().map(|finding| finding.id.as_ref()).collect();
    let place = |id: &str| ids.iter().position(|other| *other == id);
    assert!(place("straggler_gpu") < place("exposed_communication"), "{ids:?}");
}

/// Twenty launches that the GPU never waits for, and 600 µs of the host before the next step.
#[test]
fn one_pause_in_a_step_is_no_cost_of_its_launches() {
    let mut drawn = Drawn::new();
    for step in 0..10 {
        let start = step * 2 * MS + MS;
        drawn.range("decode_step", start - 1_000..start + 1_990_000);
        for launch in 0..40 {
            let (call, kernel) = (start + launch * 7_000, start + 10_000 + launch * 35_000);
            drawn.launch(call..call + 5_000, "decode", kernel..kernel + 35_000);
        }
    }
    let judged = judged(drawn, "decode_step");
    let found = found(&judged, "launch_bound");
    let words = found.problem.to_string();
    assert!(
        words.contains("in gaps under 1 ms, most of it in one gap of 600.000 µs per iteration"),
        "{words}"
    );
    assert!(found.recommendation.to_string().ends_with("Fewer launches would not help"));
    assert_eq!(saving(found).0, None);
}

/// A thread that waits for a lock between the layers of a step does not wait for input. The first wait is after other work of the host.
#[test]
fn waits_all_over_a_step_are_said_to_be_no_input() {
    let mut drawn = Drawn::new();
    for step in 0..10 {
        let start = step * 20 * MS + MS;
        drawn.range("train_step", start - 1_000..start + 19 * MS);
        for layer in 0..5 {
            let wait = start + layer * 3 * MS;
            drawn.os_call("futex", wait..wait + 2 * MS);
            drawn.range("layer", wait + 2 * MS..wait + 2 * MS + 8_000);
            drawn.launch(
                wait + 2 * MS + 1_000..wait + 2 * MS + 6_000,
                "layer",
                wait + 2 * MS + 10_000..wait + 3 * MS,
            );
        }
    }
    let judged = judged(drawn, "train_step");
    let found = found(&judged, "input_bound");
    let words = found.problem.to_string();
    assert!(
        words.ends_with("while the thread that launches waits, 4 times per iteration, mostly in `futex`"),
        "{words}"
    );
    assert!(found.recommendation.to_string().contains("a lock"), "{}", found.recommendation);
}

/// Ranges of XLA are ops under the name of their program, which is what splits the capture.
#[test]
fn a_program_of_xla_is_named_as_the_key_node_takes_it() {
    let mut drawn = Drawn::new();
    for step in 0..6 {
        let start = step * 2 * MS + MS;
        let module = "TSL:XlaModule:#hlo_module=jit_train_step,program_id=12#";
        drawn.library_range("TSL", module, start - 2_000..start + MS);
        for thunk in 0..4 {
            let call = start + thunk * 200_000;
            let text = format!("TSL:Thunk:#hlo_op=fusion.{thunk}#");
            drawn.library_range("TSL", &text, call - 1_000..call + 150_000);
            drawn.launch(call..call + 5_000, "fusion", call + 6_000..call + 190_000);
        }
    }
    let index = drawn.capture().index(&KeyNodeChoice::None).expect("an index");
    let judged = Judged::from(index.profile(&RangeChoice::default()).expect("a profile"));
    let advice = found(&judged, "no_nvtx").recommendation.to_string();
    assert!(advice.contains("`--key-node jit_train_step`"), "{advice}");
}

/// The GPU idles for 1 ms across each boundary, most of which lies after the first twentieth of the iteration.
#[test]
fn what_idles_around_boundaries_is_all_of_the_gaps_that_a_change_would_close() {
    let mut drawn = Drawn::new();
    for step in 0..10 {
        let start = step * 4 * MS + MS;
        drawn.range("iter", start..start + 4 * MS - 1_000);
        drawn.launch(start + 700_000..start + 705_000, "kernel", start + 710_000..start + 3_700_000);
    }
    let judged = judged(drawn, "iter");
    let found = found(&judged, "between_iterations");
    let words = found.problem.to_string();
    let (_, most_ns) = saving(found);
    let length_ns = Scene::new(&judged).span.length();
    let share = percent(most_ns.expect("a bound"), length_ns);
    assert!(words.starts_with(&format!("{share:.1}% of the time GPUs idle")), "{share}: {words}");
}

/// Every fifth step takes memory for 8 ms before its kernel: the finding on memory says it, and that on outliers stands below it.
#[test]
fn outliers_that_take_memory_stand_below_the_finding_on_memory() {
    let mut drawn = Drawn::new();
    let mut start = MS;
    for step in 0..25_i64 {
        let taking = if step % 5 == 4 { 8 * MS } else { 0 };
        drawn.range("train_step", start..start + taking + 4 * MS);
        if taking > 0 {
            drawn.api_call("cudaMalloc_v3020", start + 1_000..start + taking, NO_CORRELATION);
        }
        let call = start + taking + 5_000;
        drawn.launch(call..call + 5_000, "gemm", call + 8_000..call + 3 * MS + 900_000);
        start += taking + 4 * MS;
    }
    let judged = judged(drawn, "train_step");
    let ids: Vec<&str> = judged.findings().iter().map(|finding| finding.id.as_ref()).collect();
    assert_eq!(ids[..2], ["allocation_in_step", "unsteady_iterations"], "{ids:?}");
    assert_eq!(saving(&judged.findings()[1]), (None, None));
}
