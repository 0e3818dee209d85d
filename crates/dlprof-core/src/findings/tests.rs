//! What rules say, and do not say, of small drawn captures.

use super::{Finding, Severity};
use crate::drawn::Drawn;
use crate::iterate::{DefaultRange, KeyNodeChoice, RangeChoice};
use crate::profile::Profile;
use crate::time::Ns;

/// Sixty steps of 100 µs, each of which launches a kernel so many times, evenly, from a slow host.
fn slow_host(launches: Ns, kernel: &str) -> Profile {
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
    index.profile(&choice).expect("a profile")
}

fn finding<'a>(profile: &'a Profile, id: &str) -> Option<&'a Finding> {
    profile.findings().iter().find(|finding| finding.id == id)
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
fn allocations(all_along: bool) -> Profile {
    let mut drawn = Drawn::new();
    let mut now = 100_000;
    for launch in 0..200 {
        let takes = if all_along { launch % 10 == 9 } else { launch < 20 };
        if takes {
            drawn.api_call("cudaMalloc_v3020", now..now + 300_000, crate::facts::NO_CORRELATION);
            now += 301_000;
        }
        drawn.launch(now..now + 3_000, "saxpy", now + 4_000..now + 40_000);
        now += 41_000;
    }
    let index = drawn.capture().index(&KeyNodeChoice::None).expect("an index");
    index.profile(&RangeChoice::default()).expect("a profile")
}

#[test]
fn memory_that_is_taken_at_the_start_is_not_taken_in_steps() {
    assert!(finding(&allocations(true), "allocation_in_step").is_some());
    assert!(finding(&allocations(false), "allocation_in_step").is_none());
}

#[test]
fn only_a_rule_that_says_so_is_an_error() {
    let profile = slow_host(16, "saxpy");
    assert!(profile.findings().iter().all(|finding| finding.severity < Severity::Error));
}
