//! What findings say of small drawn captures, word by word where a word was false once.

use super::{Finding, Judged, Severity};
use crate::base::time::Ns;
use crate::drawn::Drawn;
use crate::read::facts::NO_CORRELATION;
use crate::steps::iterate::{KeyNodeChoice, RangeChoice};

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
        words(0).starts_with("GPUs wait for the next launch ") && words(0).ends_with(": 59 launches"),
        "{}",
        words(0)
    );
    assert!(words(1).starts_with("GPUs wait for the next launch, copy or memset "), "{}", words(1));
    assert!(words(1).ends_with(": 59 launches and 1 copy or memset"), "{}", words(1));
    assert!(words(7).ends_with(": 59 launches and 7 copies or memsets"), "{}", words(7));
}

/// Kernels, with a wait of some function behind every fourth, in a range. The last wait ends the window.
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
        "19 times in the window: 19 × `cudaEventSynchronize` in range `aten::cudnn_convolution`;",
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
    assert_eq!((saving.expected_ns, saving.upper_ns), (Some(0), Some(7_000_000)));
    says(copies, &["a second stream could hide little of them"]);
}

#[test]
fn a_program_that_launches_nothing_is_not_said_to_lack_records() {
    let mut drawn = Drawn::new();
    for copy in 0..20 {
        let now = 100_000 + copy * 200_000;
        drawn.copy(now..now + 10_000, 1 << 20, now + 11_000..now + 111_000);
    }
    let profile = profile_of(drawn);
    let found = finding(&profile, "no_gpu_trace");
    assert!(!found.misleads && found.severity == Severity::Warning);
    says(
        found,
        &["none of the 20 CUDA API calls that were recorded launches one", "Capture the part of the program"],
    );
    assert!(super::verdict(&profile).to_string().starts_with("No kernel was launched"));
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
        with(None).starts_with("The capture has no NVTX ranges, because they were not traced or"),
        "{}",
        with(None)
    );
    assert!(
        with(Some(true)).starts_with("The program has no NVTX ranges of its own"),
        "{}",
        with(Some(true))
    );
}
