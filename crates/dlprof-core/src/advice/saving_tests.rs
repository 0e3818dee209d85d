//! What savings promise on small drawn captures: no more than a change can have, and over what they are summed.

use super::idle_tests::{MS, finding};
use super::{Finding, Judged, Severity, findings_table};
use crate::base::time::Ns;
use crate::read::facts::WorkKind;
use crate::steps::iterate::{KeyNodeChoice, RangeChoice};
use crate::tables::{Table, Value};
use crate::tests::drawn::Drawn;

const PRODUCT: &str = "ampere_sgemm_128x64_tn";
const SOFTMAX: &str = "void softmax_warp_forward<float>(float*)";
const SCALE: &str = "void at::native::vectorized_elementwise_kernel<(int)4, at::native::BUnaryFunctor<float, float, float, \
    at::native::binary_internal::MulFunctor<float>>>(int)";
const MASK: &str =
    "void at::native::elementwise_kernel<(int)128, (int)2, at::native::masked_fill_kernel>(int)";

/// Steps whose kernels take 45 µs each and are launched one after the other, far ahead of the GPU; each step ends with a wait.
fn steps_of(kernels: &[(&str, i64)]) -> Judged {
    let mut drawn = Drawn::new();
    let mut now = MS;
    for _ in 0..6 {
        let (start, mut gpu) = (now, now + 20_000);
        for &(name, blocks) in kernels {
            drawn.grid(blocks, 128);
            drawn.launch(now..now + 3_000, name, gpu..gpu + 45_000);
            now += 5_000;
            gpu += 46_000;
        }
        drawn.api_call("cudaDeviceSynchronize", now..gpu, crate::read::facts::NO_CORRELATION);
        now = gpu + 10_000;
        drawn.range("step", start..now - 1_000);
    }
    let index = drawn.capture().index(&KeyNodeChoice::Named("step".into())).expect("it ran");
    index.profile(&RangeChoice::default()).expect("a profile").into()
}

fn attention(judged: &Judged) -> &Finding {
    finding(judged, "unfused_attention").expect("attention in separate kernels")
}

/// Savings of one of the six iterations.
fn each(finding: &Finding) -> (Ns, Ns) {
    let saving = finding.saving.as_ref().expect("a saving");
    (saving.expected_ns.unwrap_or(-1) / 6, saving.upper_ns.unwrap_or(-1) / 6)
}

#[test]
fn launches_that_are_ahead_of_the_gpu_save_nothing_of_the_host() {
    let judged = steps_of(&[(PRODUCT, 64), (SOFTMAX, 64), (PRODUCT, 64), (PRODUCT, 64)]);
    assert_eq!(
        each(attention(&judged)),
        (23_500, 46_000),
        "half of a kernel and the pause before it, at most the kernel and the pause"
    );
}

#[test]
fn a_fused_kernel_scales_the_scores_as_well() {
    let most = |scale: &str, blocks| {
        let all = [(PRODUCT, 64), (scale, blocks), (MASK, 64), (SOFTMAX, 64), (PRODUCT, 64)];
        each(attention(&steps_of(&all))).1
    };
    // 64 blocks of 2 elements per thread are as many as 32 of 4.
    assert_eq!(most(SCALE, 32), 3 * 46_000, "scaling, masking and softmax");
    assert_eq!(most(SCALE, 64), 2 * 46_000, "twice as many elements are others than the scores");
    let adds = SCALE.replace("MulFunctor", "AddFunctor");
    assert_eq!(most(&adds, 32), 2 * 46_000);
}

#[test]
fn the_table_says_over_how_many_iterations_a_saving_is_summed() {
    let judged = steps_of(&[(PRODUCT, 64), (SOFTMAX, 64), (PRODUCT, 64)]);
    let table = findings_table::build(&judged);
    let cell = |row: usize, key: &str| {
        let column = (0..table.columns()).find(|&at| table.header(at).key == key).expect("a column");
        table.value(row, column)
    };
    let is_attention = |row: &usize| cell(*row, "finding_id") == Value::Text("unfused_attention".into());
    let row = (0..table.rows()).find(is_attention).expect("a row");
    let (all, each, iterations) =
        (cell(row, "saving_ns"), cell(row, "saving_per_iteration_ns"), cell(row, "iterations"));
    assert_eq!((all, each, iterations), (Value::Int(141_000), Value::Int(23_500), Value::Int(6)));
}

#[test]
fn a_program_that_is_sampled_while_gpus_idle_is_a_warning() {
    let idle = |samples: i64| {
        let mut drawn = Drawn::new();
        drawn.launch(MS..MS + 10_000, "first", 2 * MS..7 * MS);
        for sample in 0..samples {
            drawn.sample("compute", "a.out", 8 * MS + sample * MS);
        }
        drawn.launch(60 * MS..60 * MS + 10_000, "second", 60 * MS + 20_000..66 * MS);
        let index = drawn.capture().index(&KeyNodeChoice::None).expect("an index");
        Judged::from(index.profile(&RangeChoice::default()).expect("a profile"))
    };
    let severity = |judged: &Judged| finding(judged, "unexplained_idle").expect("53 of 64 ms").severity;
    assert_eq!(severity(&idle(50)), Severity::Warning);
    assert_eq!(severity(&idle(0)), Severity::Note, "nothing tells that the time is lost");
}

/// Four steps, each of which takes memory three times, and gives it back so often.
fn steps_that_take_memory(gives: usize) -> Judged {
    let mut drawn = Drawn::new();
    let none = crate::read::facts::NO_CORRELATION;
    let mut now = MS;
    for _ in 0..4 {
        let start = now;
        for at in 0..6_usize {
            let name = match at {
                0..3 => "cudaMalloc_v3020",
                _ if at < 3 + gives => "cudaFree_v3020",
                _ => "cudaMallocHost_v3020",
            };
            drawn.api_call(name, now..now + 1_000, none);
            now += 2_000;
        }
        drawn.launch(now..now + 3_000, "saxpy", now + 4_000..now + 900_000);
        now += 950_000;
        drawn.range("step", start..now - 1_000);
    }
    let index = drawn.capture().index(&KeyNodeChoice::Named("step".into())).expect("it ran");
    index.profile(&RangeChoice::default()).expect("a profile").into()
}

#[test]
fn memory_that_each_step_takes_and_none_gives_back_is_a_fault_whatever_it_costs() {
    let keeps = steps_that_take_memory(0);
    let words =
        finding(&keeps, "allocation_in_step").expect("12 calls, no call that gives").problem.to_string();
    assert!(
        words.starts_with("Every iteration takes memory of the GPU, 3 calls of `cudaMalloc` "),
        "{words}"
    );
    assert!(finding(&steps_that_take_memory(3), "allocation_in_step").is_none());
}

/// A copy that waits for a kernel of nearly a millisecond in each step: pinned memory makes the kernel no shorter, but lets the host
/// send what it has without waiting for it.
#[test]
fn copies_that_only_wait_for_kernels_are_advised_by_their_direction() {
    let advice = |kind: &str| {
        let mut drawn = Drawn::new();
        drawn.pageable_copies().copied_bytes(8);
        for step in 0..6_u32 {
            let now = MS + Ns::from(step) * 950_000;
            drawn.launch(now..now + 3_000, "saxpy", now + 4_000..now + 900_000);
            let origin = (drawn.current_process(), 50 + step);
            drawn.api_call("cudaMemcpyAsync", now + 5_000..now + 902_000, origin.1);
            drawn.work(WorkKind::Copy, kind, now + 901_000..now + 901_500, origin);
            drawn.range("step", now..now + 949_000);
        }
        let index = drawn.capture().index(&KeyNodeChoice::Named("step".into())).expect("it ran");
        let judged: Judged = index.profile(&RangeChoice::default()).expect("a profile").into();
        let found = finding(&judged, "pageable_copies").expect("calls keep the host nearly all of the time");
        found.recommendation.to_string()
    };
    let back = advice("DtoH");
    assert!(back.starts_with("Copy less often, such as a result") && !back.contains("pin_memory"), "{back}");
    let there = advice("HtoD");
    assert!(there.contains("need not wait") && !there.contains("a result"), "{there}");
}

/// Work that is done once, mostly in a range of a compiler.
#[test]
fn what_a_compiler_takes_is_advised_to_be_kept() {
    let advice = |range: &str| {
        let mut drawn = Drawn::new();
        drawn.launch(MS..MS + 10_000, "first", 2 * MS..3 * MS);
        drawn.range(range, 4 * MS..90 * MS);
        drawn.launch(91 * MS..91 * MS + 10_000, "second", 91 * MS + 20_000..95 * MS);
        let index = drawn.capture().index(&KeyNodeChoice::None).expect("an index");
        let judged = Judged::from(index.profile(&RangeChoice::default()).expect("a profile"));
        finding(&judged, "warm_up_in_range").expect("work that is done once").recommendation.to_string()
    };
    let compiles = advice("Nvrtc::CompileProgram");
    assert!(compiles.starts_with("Compile less: `Nvrtc::CompileProgram` takes most"), "{compiles}");
    assert!(advice("load_model").starts_with("Profile several passes"));
}

#[test]
fn regions_of_openacc_are_named_by_a_trace_of_them() {
    let advice = |traced: &[&str]| {
        let mut drawn = Drawn::new();
        drawn.also_traced(traced);
        drawn.launch(MS..MS + 10_000, "main_42_gpu__red", 2 * MS..9 * MS);
        drawn.launch(MS + 20_000..MS + 30_000, "__pgi_uacc_cuda_fill_42_gpu", 9 * MS..9 * MS + 1_000);
        let index = drawn.capture().index(&KeyNodeChoice::None).expect("an index");
        let judged = Judged::from(index.profile(&RangeChoice::default()).expect("a profile"));
        let advice = finding(&judged, "no_nvtx").expect("no ranges").recommendation.to_string();
        (advice, super::what_would_name_ops(&judged))
    };
    let (without, option) = advice(&[]);
    assert!(without.contains("`--trace=cuda,nvtx,openacc`") && without.contains("openacc_sum"), "{without}");
    // Regions of OpenACC are no ops here.
    assert!(!option.contains("openacc"), "{option}");
    let (with, option) = advice(&["openacc"]);
    assert!(
        with.starts_with("Mark each step") && option.ends_with("--trace=cuda,nvtx,openacc"),
        "{with}; {option}"
    );
    assert!(!with.contains("openacc,openacc"), "what was traced is traced again, once: {with}");
}
