//! What rules say, and do not say, of small drawn captures.

use super::{Finding, Judged, Severity, verdict_detail, verdict_meaning};
use crate::base::time::Ns;
use crate::read::facts::NO_CORRELATION;
use crate::steps::iterate::{DefaultRange, KeyNodeChoice, RangeChoice};
use crate::tests::drawn::Drawn;

/// Sixty steps of 100 µs, each of which launches a kernel so many times, evenly, from a slow host.
fn slow_host(launches: Ns, kernel: &str) -> Judged {
    let mut drawn = Drawn::new();
    for step in 0..60 {
        let start = 100_000 + step * 100_000;
        drawn.range("step", start..start + 99_000);
        for launch in 0..launches {
            let call = start + launch * 99_000 / launches;
            drawn.launch(call..call + 3_000, kernel, call + 4_000..call + 6_000);
        }
    }
    let index = drawn.capture().index(&KeyNodeChoice::Named("step".into())).expect("it ran");
    let choice = RangeChoice { otherwise: DefaultRange::Auto, ..RangeChoice::default() };
    index.profile(&choice).expect("a profile").into()
}

fn finding<'a>(judged: &'a Judged, id: &str) -> Option<&'a Finding> {
    judged.findings().iter().find(|finding| finding.id == id)
}

#[test]
fn a_step_of_one_launch_has_none_to_spare() {
    let (one, many) = (slow_host(1, "saxpy"), slow_host(16, "saxpy"));
    for rule in ["launch_bound", "tiny_kernels"] {
        assert!(finding(&one, rule).is_none(), "{rule}");
        assert!(finding(&many, rule).is_some(), "{rule}");
    }
}

#[test]
fn advice_names_no_other_framework() {
    let words = |kernel: &str| {
        let profile = slow_host(16, kernel);
        let texts =
            profile.findings().iter().map(|finding| format!("{} {}", finding.recommendation, finding.link));
        texts.collect::<Vec<_>>().join("\n").to_lowercase()
    };
    for kernel in
        ["main_42_gpu", "cupy_multiply__float32_float_float32", "saxpy(int, float *)", "loop_add_fusion_3"]
    {
        assert!(!words(kernel).contains("torch"), "{kernel}: {}", words(kernel));
    }
    assert!(words("main_42_gpu").contains("compute regions"));
    assert!(words("void at::native::vectorized_elementwise_kernel<4>(int)").contains("torch.compile"));
}

#[test]
fn a_kernel_that_exchanges_data_is_no_hotspot() {
    assert!(finding(&slow_host(16, "saxpy"), "kernel_hotspot").is_some());
    assert!(finding(&slow_host(16, "ncclDevKernel_AllReduce_Sum_f16_RING_LL"), "kernel_hotspot").is_none());
}

/// Six pieces of memory are taken while the program starts, or all along.
fn allocations(all_along: bool) -> Judged {
    let mut drawn = Drawn::new();
    let mut now = 100_000;
    for launch in 0..200 {
        let takes = if all_along { launch % 10 == 9 } else { launch < 20 };
        if takes {
            drawn.api_call("cudaMalloc_v3020", now..now + 300_000, crate::read::facts::NO_CORRELATION);
            now += 301_000;
        }
        drawn.launch(now..now + 3_000, "saxpy", now + 4_000..now + 40_000);
        now += 41_000;
    }
    let index = drawn.capture().index(&KeyNodeChoice::None).expect("an index");
    index.profile(&RangeChoice::default()).expect("a profile").into()
}

#[test]
fn memory_that_is_taken_at_the_start_is_not_taken_in_steps() {
    assert!(finding(&allocations(true), "allocation_in_step").is_some());
    assert!(finding(&allocations(false), "allocation_in_step").is_none());
}

/// Kernels of one block each on a GPU of 108 multiprocessors.
#[test]
fn grids_that_are_too_small_are_the_programs_own_or_a_librarys() {
    let advice = |kernel: &str| {
        let mut drawn = Drawn::new();
        drawn.multiprocessors(108);
        for launch in 0..60 {
            let now = 100_000 + launch * 1_000_000;
            drawn.launch(now..now + 3_000, kernel, now + 4_000..now + 990_000);
        }
        let index = drawn.capture().index(&KeyNodeChoice::None).expect("an index");
        let judged: Judged = index.profile(&RangeChoice::default()).expect("a profile").into();
        let hotspot = finding(&judged, "kernel_hotspot").expect("one kernel").recommendation.to_string();
        assert!(hotspot.starts_with("The finding `underfilled` says what to change about it"), "{hotspot}");
        finding(&judged, "underfilled").expect("one block").recommendation.to_string()
    };
    assert!(advice("scaled_elementwise_sum").starts_with("Launch the same work with more blocks"));
    assert!(
        advice("void at::native::gemm_kernel<4>(int)").contains("a larger batch, products split along K")
    );
}

/// A name that says nothing: the kernel may exchange data, for which few blocks are right, and which no faster kernel shortens.
#[test]
fn where_names_do_not_tell_nothing_is_said_to_be_absent() {
    let judged = |kernel: &str| -> Judged {
        let mut drawn = Drawn::new();
        drawn.multiprocessors(108);
        for launch in 0..60 {
            let now = 100_000 + launch * 1_000_000;
            drawn.launch(now..now + 3_000, kernel, now + 4_000..now + 990_000);
        }
        // A kernel exchanges data, so that GPUs work together.
        drawn.launch(1_000..2_000, "ncclDevKernel_AllReduce_Sum_f16_RING_LL", 3_000..4_000);
        let index = drawn.capture().index(&KeyNodeChoice::None).expect("an index");
        index.profile(&RangeChoice::default()).expect("a profile").into()
    };
    let (untold, told) = (judged("step_7"), judged("gather_rows"));
    let words = verdict_detail(&untold).to_string();
    assert!(words.starts_with("GPU-bound or communication-bound: GPUs run kernels "), "{words}");
    assert!(words.contains("100.0% of the kernel time, most of it `step_7`, do not tell"), "{words}");
    assert!(finding(&untold, "underfilled").is_none());
    assert!(verdict_meaning(&untold).is_some_and(|meaning| meaning.contains("`[kernels] communication`")));
    assert!(verdict_detail(&told).to_string().starts_with("GPU-bound: "), "{}", verdict_detail(&told));
    assert!(finding(&told, "underfilled").is_some());
}

/// Where kernels run a small part of the time, no kernel comes first.
#[test]
fn a_hotspot_comes_first_only_where_kernels_take_most_of_the_time() {
    let advice = |work: Ns, waits: bool| {
        let mut drawn = Drawn::new();
        for launch in 0..60 {
            let now = 100_000 + launch * 1_000_000;
            drawn.launch(now..now + 3_000, "saxpy", now + 4_000..now + 4_000 + work);
            if waits {
                drawn.api_call("cudaDeviceSynchronize", now + 3_500..now + 6_000 + work, NO_CORRELATION);
            }
        }
        let index = drawn.capture().index(&KeyNodeChoice::None).expect("an index");
        let judged: Judged = index.profile(&RangeChoice::default()).expect("a profile").into();
        finding(&judged, "kernel_hotspot").expect("one kernel").recommendation.to_string()
    };
    assert!(advice(900_000, true).starts_with("Look at this kernel first"));
    assert!(advice(100_000, true).starts_with("Kernels run only 1"), "{}", advice(100_000, true));
    // A host that paces the GPU comes before kernels, however busy these keep it.
    assert!(advice(900_000, false).starts_with("Kernels do not come first"), "{}", advice(900_000, false));
}

/// Sixty steps, most of whose time is a graph that was recorded as one piece.
#[test]
fn a_rule_that_could_not_see_kernels_is_not_said_to_be_silent() {
    let state = |graphs: Ns| {
        let mut drawn = Drawn::new();
        drawn.ampere();
        for step in 0..60 {
            let start = 100_000 + step * 100_000;
            drawn.launch(start..start + 3_000, "saxpy", start + 4_000..start + 14_000);
        }
        for step in 0..graphs {
            let start = 100_000 + step * 100_000;
            drawn.graph(start + 5_000..start + 8_000, start + 20_000..start + 99_000);
        }
        let profile = drawn.capture().index(&KeyNodeChoice::None).expect("an index");
        let judged: Judged = profile.profile(&RangeChoice::default()).expect("a profile").into();
        ["fp32_matrix", "sync_in_step"].map(|rule| format!("{:?}", judged.rule_state(rule)))
    };
    assert_eq!(state(0), ["Silent", "Silent"]);
    let [kernels, host] = state(60);
    assert!(
        kernels.starts_with("NotJudged(\"CUDA graphs that were recorded as one piece each take 8"),
        "{kernels}"
    );
    assert_eq!(host, "Silent");
}

#[test]
fn only_a_rule_that_says_so_is_an_error() {
    let profile = slow_host(16, "saxpy");
    assert!(profile.findings().iter().all(|finding| finding.severity < Severity::Error));
}

/// Copies of one size, each with the kernel that works on it.
fn row_by_row(rows: Ns, bytes: u64) -> Judged {
    let mut drawn = Drawn::new();
    for row in 0..rows {
        let now = 100_000 + row * 50_000;
        drawn.copy(now..now + 20_000, bytes, now + 5_000..now + 6_000);
        drawn.launch(now + 21_000..now + 24_000, "fill", now + 25_000..now + 45_000);
    }
    let index = drawn.capture().index(&KeyNodeChoice::None).expect("an index");
    index.profile(&RangeChoice::default()).expect("a profile").into()
}

#[test]
fn many_small_copies_of_one_size_are_named_with_their_kernel() {
    let profile = row_by_row(100, 1024);
    let problem = finding(&profile, "many_small_copies").expect("40 % of the time").problem.to_string();
    let expected = "100 HtoD copies of 1024 bytes each move 102400 bytes in all";
    assert!(problem.starts_with(expected) && problem.contains("`fill` is launched 100 times"), "{problem}");
    for few_or_large in [row_by_row(20, 1024), row_by_row(100, 1 << 20)] {
        assert!(finding(&few_or_large, "many_small_copies").is_none());
    }
}

/// Three processes, each of which waits twice in a step; one of them also inside a call of MPI.
#[test]
fn waits_are_counted_per_process_and_not_inside_calls_of_mpi() {
    let mut drawn = Drawn::new();
    let mut threads = vec![drawn.process()];
    threads.extend([drawn.process(), drawn.process()]);
    for step in 0..20 {
        for &thread in &threads {
            let start = 1_000_000 + step * 100_000;
            drawn.on(thread).range("step", start..start + 99_000);
            for launch in 0..4 {
                let call = start + launch * 20_000;
                drawn.launch(call..call + 1_000, "saxpy", call + 2_000..call + 8_000);
                if launch % 2 == 1 {
                    drawn.api_call("cudaDeviceSynchronize", call + 1_500..call + 9_000, NO_CORRELATION);
                }
            }
            drawn.mpi_call("MPI_Send", start + 85_000..start + 95_000);
            drawn.api_call("cudaStreamSynchronize", start + 86_000..start + 90_000, NO_CORRELATION);
        }
    }
    let index = drawn.capture().index(&KeyNodeChoice::Named("step".into())).expect("it ran");
    let profile = Judged::from(index.profile(&RangeChoice::default()).expect("a profile"));
    let problem = finding(&profile, "sync_in_step").expect("it idles GPUs").problem.to_string();
    let said = "Each of 3 processes waits for the GPU once per iteration inside the step, not counting ";
    assert!(problem.starts_with(said) && problem.contains(" in exchange and "), "{problem}");
}

/// Kernels of 8 µs that follow each other every 10 µs compute four fifths of the time.
#[test]
fn pauses_between_kernels_are_no_computing() {
    let mut drawn = Drawn::new();
    for launch in 0..1000 {
        let at = launch * 10_000;
        drawn.launch(at / 10..at / 10 + 500, "gather_rows", 2_000_000 + at..2_000_000 + at + 8_000);
    }
    let index = drawn.capture().index(&KeyNodeChoice::None).expect("an index");
    let profile = Judged::from(index.profile(&RangeChoice::default()).expect("a profile"));
    let verdict = verdict_detail(&profile).to_string();
    assert!(
        verdict.starts_with("GPU-bound: GPU compute takes 100.0% of the time with pauses between queued kernels, which take 20.0%"),
        "{verdict}"
    );
}

#[test]
fn a_hotspot_is_counted_as_in_the_list_of_kernels() {
    let profile = slow_host(16, "saxpy");
    let problem = finding(&profile, "kernel_hotspot").expect("one kernel").problem.to_string();
    assert!(problem.ends_with("(launches per iteration: 16)"), "{problem}");
}

/// Forty convolutions, each with some kernels before it; a kernel may check them.
fn convolutions(before: &[&str], check: Option<&str>) -> Judged {
    let mut drawn = Drawn::new();
    let mut now = 100_000;
    for _ in 0..40 {
        for name in before.iter().chain(&["implicit_convolve_sgemm"]).chain(&check) {
            drawn.launch(now..now + 3_000, name, now + 4_000..now + 40_000);
            now += 45_000;
        }
    }
    let index = drawn.capture().index(&KeyNodeChoice::None).expect("an index");
    index.profile(&RangeChoice::default()).expect("a profile").into()
}

#[test]
fn layouts_of_algorithms_that_are_tried_are_not_the_programs_own() {
    const LAYOUT: &str = "transpose_readWrite_alignment_kernel";
    let own = convolutions(&[LAYOUT], None);
    let problem = finding(&own, "layout_transposes").expect("half of the time").problem.to_string();
    assert!(problem.starts_with("40 kernels only change the layout of tensors, 50.0%"), "{problem}");

    let tried = convolutions(&[LAYOUT], Some("redzone_checker"));
    let tries = finding(&tried, "autotuning_in_range").expect("checks").problem.to_string();
    assert!(
        tries.starts_with("98.3% of the kernel time tries algorithms for convolutions, 33.3% in"),
        "{tries}"
    );
    // What comes before the first check is not known to be tried: one kernel, which is one of one convolution.
    let found = finding(&tried, "layout_transposes").expect("one is left");
    let problem = found.problem.to_string();
    assert!(
        problem.starts_with("1 kernels only change")
            && problem.contains(". 39 more, ")
            && problem.ends_with("belong to algorithms that are tried"),
        "{problem}"
    );
    let saved = |found: &Finding| found.saving.as_ref().and_then(|saving| saving.upper_ns).expect("a saving");
    // The kernel, and what the host takes up to it.
    assert!((36_000..=36_000 + 45_000).contains(&saved(found)), "{}", saved(found));
    let own = finding(&own, "layout_transposes").map(saved).expect("a saving");
    assert!(own >= 40 * 36_000, "{own}");
}

/// TensorFlow turns filters into the layout of cuDNN whatever the layout of the tensors is.
#[test]
fn filters_are_no_tensors_that_could_keep_their_layout() {
    let advice = |order: &str| {
        let name = format!("void tensorflow::functor::ShuffleInTensor3Simple<float, {order}, false>(int)");
        let found = convolutions(&[&name], None);
        let found = finding(&found, "layout_transposes").expect("half of the time");
        let saving = found.saving.as_ref().and_then(|saving| saving.upper_ns);
        (found.problem.to_string(), found.recommendation.to_string(), saving, found.severity)
    };
    let (problem, filters, saving, severity) = advice("2, 1, 0");
    // No layout of tensors removes them.
    assert_eq!((saving, severity), (None, Severity::Note));
    assert!(problem.contains("50.0% of the kernel time (50.0% that of filters), beside 40"), "{problem}");
    assert!(filters.starts_with("Most of this time turns filters"), "{filters}");
    let (problem, tensors, saving, _) = advice("0, 2, 1");
    assert!(saving.is_some_and(|saving| saving >= 40 * 36_000), "{saving:?}");
    assert!(!problem.contains("filters") && tensors.starts_with("Keep tensors"), "{problem}: {tensors}");
}

/// Work before `cudaProfilerStart` need not be captured.
#[test]
fn a_capture_range_is_named_where_the_program_starts_the_profiler_later() {
    let advice = |starts: Option<Ns>, stops: Option<Ns>| {
        let mut drawn = Drawn::new();
        drawn.launch(100_000..103_000, "first", 110_000..200_000);
        drawn.api_call("cuModuleLoadDataEx", 300_000..9_000_000, NO_CORRELATION);
        if let Some(start) = starts {
            drawn.api_call("cudaProfilerStart", start..start + 1_000, NO_CORRELATION);
        }
        drawn.launch(9_200_000..9_203_000, "second", 9_210_000..9_900_000);
        if let Some(stop) = stops {
            drawn.api_call("cudaProfilerStop_v4000", stop..stop + 1_000, NO_CORRELATION);
        }
        drawn.launch(9_950_000..9_953_000, "third", 9_960_000..9_970_000);
        let index = drawn.capture().index(&KeyNodeChoice::None).expect("an index");
        let judged: Judged = index.profile(&RangeChoice::default()).expect("a profile").into();
        finding(&judged, "warm_up_in_range").expect("most of the time").recommendation.to_string()
    };
    let later = advice(Some(9_100_000), None);
    assert!(later.contains("--capture-range=cudaProfilerApi` captures only what follows"), "{later}");
    let ended = advice(Some(9_100_000), Some(9_920_000));
    assert!(ended.contains("only what lies between, 1 of 3 kernels, and not the 1 after"), "{ended}");
    let none = advice(None, None);
    assert!(none.starts_with("Profile several passes"), "{none}");
}

/// Twenty layers: a convolution for which two algorithms are tried, each checked, then what the layer computes.
#[test]
fn what_a_layer_computes_between_checks_is_not_tried() {
    const TRIALS: [&str; 4] =
        ["fft2d_r2c_32x32", "redzone_checker", "volta_gcgemm_32x32_nt", "redzone_checker"];
    const LAYER: [&str; 4] = [
        "implicit_convolve_sgemm",
        "BiasNCHWKernel",
        "bn_fw_inf_1C11_kernel_NCHW",
        "SwapDimension1And2InTensor3",
    ];
    let mut drawn = Drawn::new();
    let mut now = 100_000;
    for _ in 0..20 {
        for name in TRIALS.iter().chain(&LAYER) {
            drawn.launch(now..now + 3_000, name, now + 4_000..now + 40_000);
            now += 45_000;
        }
    }
    let index = drawn.capture().index(&KeyNodeChoice::None).expect("an index");
    let profile: Judged = index.profile(&RangeChoice::default()).expect("a profile").into();
    // All trials but the first, before which nothing was checked.
    let found = finding(&profile, "autotuning_in_range").expect("algorithms are tried");
    assert!(found.problem.to_string().starts_with("49.4% of the kernel time tries"), "{}", found.problem);
    assert_eq!(found.saving, None, "a longer run does not try them again");
}

/// A softmax in single operations, among products.
#[test]
fn a_softmax_of_the_programs_own_is_a_lower_bound() {
    let names = ["sgemm", "where_kernel_impl", "reduce_kernel<MaxOps>", "exp_kernel_cuda", "sum_functor"];
    let mut drawn = Drawn::new();
    for launch in 0..100 {
        for (at, name) in (0..).zip(names) {
            let now = 100_000 + launch * 250_000 + at * 50_000;
            drawn.launch(now..now + 3_000, name, now + 4_000..now + 49_000);
        }
    }
    let index = drawn.capture().index(&KeyNodeChoice::None).expect("an index");
    let profile = Judged::from(index.profile(&RangeChoice::default()).expect("a profile"));
    let found = finding(&profile, "unfused_attention").expect("four fifths");
    // A fused kernel computes the softmax as well: 400 kernels of 45 µs, half of whose time is likely saved, and the gaps of 5 µs
    // before them, but for the turnaround that is left of those before the products.
    let saving = found.saving.as_ref().expect("a saving");
    let (expected, most) = (saving.expected_ns.unwrap_or(0), saving.upper_ns.unwrap_or(0));
    assert_eq!(expected, 400 * 45_000 / 2 + 400 * 5_000 + 99 * 4_000);
    assert!((20_000_000..=20_500_000).contains(&most), "{most}");
    let problem = found.problem.to_string();
    assert!(problem.contains("takes at least 80.0% of the kernel time"), "{problem}");
    // The products are of FP32.
    let advice = found.recommendation.to_string();
    assert!(
        advice.contains("FlashAttention needs FP16 or BF16, so that mixed precision comes first"),
        "{advice}"
    );
}

/// A first pass that tries algorithms, and a second one: what stays is measured, in the second pass.
#[test]
fn launches_to_measure_are_those_of_the_pass_that_tries_nothing() {
    let mut drawn = Drawn::new();
    let mut now = 100_000;
    let mut launch = |drawn: &mut Drawn, name: &str, length: Ns| {
        drawn.launch(now..now + 3_000, name, now + 4_000..now + 4_000 + length);
        now += 5_000 + length;
        now
    };
    let mut passes = Vec::new();
    for is_first in [true, false] {
        let start = launch(&mut drawn, "fill", 1_000);
        for _ in 0..10 {
            launch(&mut drawn, "relu", 9_000);
            for algorithm in ["fft2d_r2c_32x32", "winogradForward4x4"].iter().filter(|_| is_first) {
                launch(&mut drawn, algorithm, 400_000);
                launch(&mut drawn, "redzone_checker", 300_000);
            }
            launch(&mut drawn, "implicit_convolve_sgemm", 90_000);
        }
        passes.push(start..launch(&mut drawn, "fill", 1_000));
    }
    let judged = |passes: Vec<std::ops::Range<Ns>>, mut drawn: Drawn| -> Judged {
        passes.into_iter().for_each(|pass| _ = drawn.range("Model", pass));
        let index = drawn.capture().index(&KeyNodeChoice::None).expect("an index");
        index.profile(&RangeChoice::default()).expect("a profile").into()
    };
    let found = judged(passes, drawn).launches_to_measure().expect("kernels");
    assert_eq!(
        (found.names, found.second_run_of.as_deref()),
        (vec!["implicit_convolve_sgemm".into()], Some("Model"))
    );
    assert_eq!((found.skip, found.count, found.without_tried), (10, 10, true));
}

/// The first algorithm of the first convolution, after what the program does before, is tried as all others are.
#[test]
fn what_runs_right_before_the_first_check_is_tried() {
    let tried = |before: &[&str]| {
        let mut drawn = Drawn::new();
        let checked = ["implicit_convolve_sgemm", "redzone_checker", "fft2d_r2c_32x32", "redzone_checker"];
        for (at, name) in (0..).zip(before.iter().chain(&checked).chain(&["BiasNCHWKernel"; 60])) {
            let now = 100_000 + at * 45_000;
            drawn.launch(now..now + 3_000, name, now + 4_000..now + 40_000);
        }
        let index = drawn.capture().index(&KeyNodeChoice::None).expect("an index");
        let judged = Judged::from(index.profile(&RangeChoice::default()).expect("a profile"));
        super::scene::Scene::new(&judged).tried().all().launches
    };
    assert_eq!(tried(&["FillPhiloxRandomKernelLaunch"]), 2);
    // Nothing tells whether all before the check is its algorithm.
    assert_eq!(tried(&[]), 1);
}
