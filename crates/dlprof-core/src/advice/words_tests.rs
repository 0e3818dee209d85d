//! What findings say of small drawn captures, word by word where a word was false once.

use super::{Finding, Judged, RuleState, Severity, verdict_detail};
use crate::base::time::Ns;
use crate::read::facts::NO_CORRELATION;
use crate::steps::iterate::{KeyNodeChoice, RangeChoice};
use crate::tests::drawn::Drawn;

fn profile_of(drawn: Drawn) -> Judged {
    let index = drawn.capture().index(&KeyNodeChoice::None).expect("an index");
    index.profile(&RangeChoice::default()).expect("a profile").into()
}

fn finding<'a>(judged: &'a Judged, id: &str) -> &'a Finding {
    judged.findings().iter().find(|finding| finding.id == id).unwrap_or_else(|| panic!("{id} is found"))
}

fn says(finding: &Finding, parts: &[&str]) {
    let text = format!("{}. {}", finding.problem, finding.recommendation);
    for part in parts {
        assert!(text.contains(part), "`{part}`: {text}");
    }
}

/// Sixty launches from a slow host, the first before the window, and some copies between them.
fn slow_host(copies: Ns) -> Judged {
    let mut drawn = Drawn::new();
    for launch in 0..60 {
        let now = 100_000 + launch * 20_000;
        drawn.launch(now..now + 3_000, "saxpy", now + 4_000..now + 6_000);
        if launch < copies {
            drawn.copy(now + 8_000..now + 10_000, 1 << 10, now + 11_000..now + 12_000);
        }
    }
    profile_of(drawn)
}

#[test]
fn gaps_that_end_in_copies_are_not_said_to_wait_for_launches() {
    let words = |copies| finding(&slow_host(copies), "launch_bound").problem.to_string();
    assert!(
        words(0).starts_with("GPUs wait for the next launch ")
            && words(0).ends_with(". These are 59 launches"),
        "{}",
        words(0)
    );
    assert!(words(1).starts_with("GPUs wait for the next launch or copy "), "{}", words(1));
    assert!(words(1).ends_with(". These are 59 launches and 1 copy"), "{}", words(1));
    assert!(words(7).ends_with(". These are 59 launches and 7 copies"), "{}", words(7));
}

/// The same number of copies as on the GPU, though the call of the first began before its copy, with which the window begins.
#[test]
fn copies_are_those_that_the_gpu_makes() {
    let mut drawn = Drawn::new();
    drawn.copy(0..5_000, 1 << 10, 10_000..12_000);
    for launch in 0..60 {
        let now = 100_000 + launch * 200_000;
        drawn.launch(now..now + 5_000, "saxpy", now + 10_000..now + 20_000);
        drawn.copy(now + 30_000..now + 35_000, 1 << 10, now + 40_000..now + 50_000);
        let wait = 1 + u32::try_from(launch).expect("few");
        drawn.api_call("cudaStreamSynchronize", now + 36_000..now + 52_000, wait);
    }
    let judged = profile_of(drawn);
    says(finding(&judged, "launch_bound"), &["60 launches and 61 copies"]);
    let waits = finding(&judged, "serialised_launches");
    says(
        waits,
        &["waits for the GPU after 100.0% of the launches, after 100.0% of them after a copy or memset"],
    );
}

/// Fourteen steps of four kernels, which the host waits for; it pauses in the third, sixth and ninth, each time one kernel later,
/// and after the twelfth, with which the range ends. Each pause lies between two calls.
fn pauses(calls: Option<[&str; 2]>, kernel: &str) -> Judged {
    const MS: Ns = 1_000_000;
    let mut drawn = Drawn::new();
    let mut now = MS;
    let mut correlation = 0;
    let mut call = |drawn: &mut Drawn, name: &str, start: Ns, end: Ns| {
        correlation += 1;
        drawn.api_call(name, start..end, correlation);
    };
    for step in 0..14 {
        let start = now;
        for layer in 0..4 {
            let pause_ns = match (step, layer) {
                (3, 0) | (6, 1) | (9, 2) => 15 * MS,
                (11, 3) => 40 * MS,
                _ => 150_000,
            };
            drawn.launch(now..now + 5_000, kernel, now + 10_000..now + MS);
            call(&mut drawn, "cudaStreamSynchronize", now + 6_000, now + MS + 1_000);
            now += MS + 10_000;
            if let Some([before, behind]) = calls.filter(|_| pause_ns > MS) {
                call(&mut drawn, before, now, now + 2_000);
                call(&mut drawn, behind, now + pause_ns - 4_000, now + pause_ns - 2_000);
            }
            now += pause_ns;
        }
        drawn.range("step", start..now - 1_000);
    }
    let index = drawn.capture().index(&KeyNodeChoice::Named("step".into())).expect("it ran");
    let choice = RangeChoice { iter_start: Some(1), iter_stop: Some(12), ..RangeChoice::default() };
    index.profile(&choice).expect("a profile").into()
}

#[test]
fn pauses_are_placed_by_the_calls_around_them() {
    let same = pauses(Some(["cuMemFree_v2", "cuMemAlloc_v2"]), "axpy");
    says(
        finding(&same, "host_pause"),
        &["pauses 4 times, up to 40.", "each time between the calls `cuMemFree_v2` and `cuMemAlloc_v2`"],
    );
    let said = verdict_detail(&same).to_string();
    assert!(!said.contains("for no reason"), "{said}");
    let other = finding(&pauses(None, "axpy"), "host_pause").clone();
    says(
        &other,
        &["pauses 4 times at changing places of the step, up to 40.", "another process on the core"],
    );
    assert!(!other.recommendation.to_string().contains("gc."), "{}", other.recommendation);
    let python =
        finding(&pauses(None, "void at::native::vectorized_elementwise_kernel<4>(int)"), "host_pause")
            .clone();
    assert!(python.recommendation.to_string().contains("`gc.freeze()`"), "{}", python.recommendation);
}

/// Kernels, with a wait of some function after every fourth, in a range. The last wait ends the window.
fn waits(function: &str, range: &str, copies: bool) -> Judged {
    let mut drawn = Drawn::new();
    drawn.pageable_copies();
    for launch in 0..80 {
        let now = 100_000 + launch * 30_000;
        drawn.launch(
            now..now + 1_000,
            "void at::native::vectorized_elementwise_kernel<4>(int)",
            now + 2_000..now + 8_000,
        );
        if launch % 4 == 3 {
            drawn.range(range, now + 1_500..now + 20_000);
            if copies {
                drawn.copy(now + 9_000..now + 10_000, 1 << 20, now + 11_000..now + 13_000);
            }
            drawn.api_call(function, now + 10_500..now + 19_000, NO_CORRELATION);
        }
    }
    profile_of(drawn)
}

#[test]
fn waits_name_their_calls_and_ranges_and_advice_follows_from_what_they_are() {
    let conv = waits("cudaEventSynchronize_v3020", "aten::cudnn_convolution", false);
    let parts = [
        "19 times in the window. These are 19 × `cudaEventSynchronize` in range `aten::cudnn_convolution`.",
        "which algorithm is fastest",
    ];
    says(finding(&conv, "sync_in_step"), &parts);
    assert!(!finding(&conv, "sync_in_step").recommendation.to_string().contains("value"));

    let copies = waits("cudaStreamSynchronize_v3020", "Tensor.to", true);
    says(
        finding(&copies, "sync_in_step"),
        &["19 × `cudaStreamSynchronize` in range `Tensor.to`", "`pin_memory=True`"],
    );

    let item = waits("cudaStreamSynchronize_v3020", "aten::item", false);
    says(finding(&item, "sync_in_step"), &["in range `aten::item`", "Read no values per step"]);

    let device = waits("cudaDeviceSynchronize_v3020", "forward", false);
    says(
        finding(&device, "sync_in_step"),
        &["19 × `cudaDeviceSynchronize` in range `forward`", "`torch.cuda.synchronize()`"],
    );
}

/// Two copies to the GPU, a kernel, and a copy to the host: none of them can run beside the kernel.
#[test]
fn copies_that_kernels_cannot_hide_promise_no_saving_of_a_second_stream() {
    let mut drawn = Drawn::new();
    drawn.copy(0..1_000, 1 << 20, 2_000_000..6_000_000);
    drawn.copy(1_000..2_000, 1 << 20, 6_000_000..9_000_000);
    drawn.launch(3_000..4_000, "gemm", 9_000_000..15_000_000);
    let first = profile_of(drawn);
    let copies = finding(&first, "exposed_copies");
    let saving = copies.saving.as_ref().expect("the exposed time");
    assert_eq!((saving.expected_ns, saving.upper_ns), (None, Some(7_000_000)));
    says(copies, &["A second stream could hide little: kernels before copies"]);
}

#[test]
fn a_program_that_launches_nothing_is_not_said_to_lack_records() {
    let mut drawn = Drawn::new();
    for copy in 0..20 {
        let now = 100_000 + copy * 200_000;
        drawn.copy(now..now + 10_000, 1 << 20, now + 11_000..now + 111_000);
        drawn.os_call("read", now + 112_000..now + 190_000);
    }
    let profile = profile_of(drawn);
    assert!(profile.profile().knows_gpu_work());
    let input = finding(&profile, "input_bound");
    let words = format!("{} {}", input.problem, input.recommendation);
    assert!(words.starts_with("GPUs wait for input ") && !words.contains("Capture the kernels"), "{words}");
    let found = finding(&profile, "no_gpu_trace");
    assert!(!found.misleads && found.severity == Severity::Warning);
    says(
        found,
        &["none of the 20 CUDA API calls that were recorded launches one", "Capture the part of the program"],
    );
    assert!(super::verdict_detail(&profile).to_string().starts_with("No kernel was launched"));
}

/// Code is loaded between copies: without kernels nobody knows when GPUs worked.
#[test]
fn without_kernels_nothing_is_said_of_what_gpus_idle_for() {
    let loading = |kernels: bool| {
        let mut drawn = Drawn::new();
        for copy in 0..20 {
            let now = 100_000 + copy * 1_000_000;
            drawn.copy(now..now + 10_000, 1 << 20, now + 11_000..now + 111_000);
            let call = 100 + u32::try_from(copy).expect("few");
            drawn.api_call("cuLibraryLoadData", now + 150_000..now + 950_000, call);
        }
        match kernels {
            true => drawn.launch(20_200_000..20_210_000, "saxpy", 20_220_000..20_300_000),
            // It launches, and no kernel was recorded.
            false => drawn.api_call("cudaLaunchKernel", 20_200_000..20_210_000, 99),
        };
        profile_of(drawn)
    };
    let is_said = |judged: &Judged| judged.findings().iter().any(|found| found.id == "warm_up_in_range");
    assert!(is_said(&loading(true)));
    let without = loading(false);
    assert!(!is_said(&without));
    let state = without.rule_state("warm_up_in_range");
    assert!(
        matches!(&state, RuleState::NotJudged(why) if why == "the capture has no records of kernels"),
        "{state:?}"
    );
}

/// What GPUs seem to wait for may be kernels that were not recorded.
#[test]
fn without_kernels_no_gap_is_a_stall_or_a_launch_that_is_awaited() {
    let mut drawn = Drawn::new();
    for copy in 0..60 {
        let now = 100_000 + copy * 1_000_000;
        drawn.copy(now..now + 10_000, 1 << 20, now + 600_000..now + 700_000);
        drawn.api_call("cudaLaunchKernel", now + 20_000..now + 30_000, 0);
    }
    let judged = profile_of(drawn);
    for rule in ["device_stall", "launch_bound", "cpu_work_between", "sync_in_step", "stream_dependency"] {
        assert!(
            matches!(judged.rule_state(rule), RuleState::NotJudged(_)),
            "{rule}: {:?}",
            judged.rule_state(rule)
        );
    }
}

/// A model is loaded between copies: without kernels nobody knows whether GPUs wait for it.
#[test]
fn without_kernels_no_gpu_is_said_to_wait_for_input() {
    let loading = |kernels: bool| {
        let mut drawn = Drawn::new();
        for copy in 0..20 {
            let now = 100_000 + copy * 1_000_000;
            drawn.copy(now..now + 10_000, 1 << 20, now + 11_000..now + 111_000);
            drawn.range("load_batch", now + 150_000..now + 950_000);
        }
        match kernels {
            true => drawn.launch(20_200_000..20_210_000, "saxpy", 20_220_000..20_300_000),
            // It launches, and no kernel was recorded.
            false => drawn.api_call("cudaLaunchKernel", 20_200_000..20_210_000, 99),
        };
        profile_of(drawn)
    };
    let of = |judged: &Judged| {
        let found =
            judged.findings().iter().find(|found| found.id == "input_bound").expect("ranges that load");
        (found.problem.to_string(), found.severity)
    };
    assert!(of(&loading(true)).0.starts_with("GPUs wait for input "));
    let (problem, severity) = of(&loading(false));
    assert!(problem.contains("of the time lies between copies or memsets"), "{problem}");
    assert_eq!(severity, Severity::Note);
}

/// A thread that is named after a rank of MPI.
#[test]
fn a_capture_of_one_rank_is_of_this_rank_alone() {
    let ranks = |ranks: &[&str]| {
        let mut drawn = Drawn::new();
        drawn.launch(0..1_000, "saxpy", 2_000..3_000_000);
        ranks.iter().for_each(|name| _ = drawn.named_process(name));
        drawn.capture().only_mpi_rank()
    };
    assert_eq!(ranks(&["MPI Rank 3", "cuda-EvtHandlr"]), Some(3));
    assert_eq!(ranks(&["MPI Rank 0", "MPI Rank 1"]), None);
    assert_eq!(ranks(&["main"]), None);
}

/// PyTorch warns that TF32 is off, and most kernels run inside graphs that were recorded as a whole.
#[test]
fn what_the_program_printed_about_tf32_is_quoted() {
    const WARNING: &str =
        "TensorFloat32 tensor cores for float32 matrix multiplication available but not enabled";
    let judged = |kernel: &str, graph: bool| {
        let mut drawn = Drawn::new();
        drawn.ampere().printed_about_tf32(WARNING);
        drawn.launch(0..1_000, kernel, 2_000..3_000_000);
        if graph {
            drawn.graph(10_000..11_000, 3_100_000..90_000_000);
        }
        profile_of(drawn)
    };
    let unseen = judged("relu", true);
    says(finding(&unseen, "fp32_matrix"), &[WARNING, "is not known, because whole CUDA graphs hold 9"]);
    // The title of the rule would say that there is such math.
    assert_eq!(finding(&unseen, "fp32_matrix").title, Some("PyTorch warned that TF32 is not enabled"));
    let seen = judged("ampere_sgemm_128x64_tn", false);
    says(finding(&seen, "fp32_matrix"), &["of the kernel time is FP32 matrix math", WARNING]);
    assert!(!judged("relu", false).findings().iter().any(|finding| finding.id == "fp32_matrix"));
}

#[test]
fn ranges_that_were_not_traced_are_not_said_to_be_missing_in_the_program() {
    let with = |traced: Option<bool>| {
        let mut drawn = Drawn::new();
        drawn.launch(0..1_000, "saxpy", 2_000..3_000_000).nvtx_traced(traced);
        finding(&profile_of(drawn), "no_nvtx").problem.to_string()
    };
    assert!(with(Some(false)).starts_with("NVTX ranges were not traced, so that"), "{}", with(Some(false)));
    assert!(
        with(None).starts_with("The capture has no NVTX ranges: they were not traced, or"),
        "{}",
        with(None)
    );
    let mut drawn = Drawn::new();
    drawn.api_call("cuProfilerStart", 0..10, NO_CORRELATION).launch(100..1_000, "saxpy", 2_000..3_000_000);
    drawn.nvtx_traced(Some(true));
    let begun = profile_of(drawn);
    says(finding(&begun, "no_nvtx"), &["The capture begins at `cudaProfilerStart` and holds no NVTX ranges"]);
    assert!(!finding(&begun, "no_nvtx").recommendation.to_string().contains("--trace"), "it was on");
    assert!(
        with(Some(true)).starts_with("The program has no NVTX ranges of its own"),
        "{}",
        with(Some(true))
    );
}
