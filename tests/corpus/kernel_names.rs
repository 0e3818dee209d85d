//! Captures whose figures hang on what names of kernels say, against what plain SQL and plain reading of the JSON count.

use dlprof_core::{
    Capture, Judged, KernelKind, KeyNodeChoice, Profile, RangeChoice, ReadOptions, TensorCores,
    verdict_detail,
};
use std::path::Path;

/// The judged profile of a case; none where the cases are not beside the project.
fn judged(case: &str) -> Option<Judged> {
    let path = dlprof_generate::corpus::folder()?.join("cases").join(case);
    assert!(path.is_file(), "the corpus has the case {}", path.display());
    let capture = Capture::read(Path::new(&path), &ReadOptions::default()).expect("a capture");
    let index = capture.index(&KeyNodeChoice::Find).expect("an index");
    Some(index.profile(&RangeChoice::default()).expect("a profile").into())
}

/// The share of the kernel time of the kernels that fit, in percent.
fn share(profile: &Profile, fits: impl Fn(&dlprof_core::KernelName) -> bool) -> f64 {
    let rows = profile.kernel_names();
    let all: i64 = rows.iter().map(|row| row.gpu_time_ns).sum();
    let some: i64 = rows.iter().filter(|row| fits(row)).map(|row| row.gpu_time_ns).sum();
    dlprof_core::percent(some, all)
}

#[test]
fn main_loops_of_hopper_and_blackwell_use_tensor_cores() {
    let Some(judged) = judged("nsys/tc_real.sqlite") else { return };
    let used = share(&judged, |row| row.tensor_cores == TensorCores::Used);
    assert!((used - 100.0).abs() < 0.05, "{used}");
    let said = verdict_detail(&judged).to_string();
    assert!(!said.contains("without Tensor Cores"), "{said}");
}

#[test]
fn dispatch_and_combine_of_experts_are_exchange_that_nothing_hides() {
    let Some(judged) = judged("nsys/ep_decode.sqlite") else { return };
    let exchange = share(&judged, |row| judged.kernel_kind(row) == KernelKind::Communication);
    assert!((exchange - 78.8).abs() < 0.05, "{exchange}");
    let said = verdict_detail(&judged).to_string();
    assert!(said.starts_with("Communication-bound"), "{said}");
}

#[test]
fn traces_of_experts_spend_their_time_in_exchange() {
    for (case, least, most) in
        [("traces/05-deepep-dispatch.json", 68.0, 70.0), ("traces/ep-dispatch.json", 74.0, 76.0)]
    {
        let Some(judged) = judged(case) else { return };
        let exchange = share(&judged, |row| judged.kernel_kind(row) == KernelKind::Communication);
        assert!((least..most).contains(&exchange), "{case}: {exchange}");
        let said = verdict_detail(&judged).to_string();
        assert!(!said.starts_with("GPU-bound: GPU compute"), "{case}: {said}");
    }
}
