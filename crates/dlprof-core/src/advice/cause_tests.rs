//! Findings of one cause on small drawn captures: one of them says it, the others stand below.

use super::idle_tests::{MS, finding};
use super::{Finding, Judged, Severity, verdict_detail};
use crate::base::time::Ns;
use crate::read::facts::NO_CORRELATION;
use crate::steps::iterate::{KeyNodeChoice, RangeChoice};
use crate::tests::drawn::Drawn;

fn judged(drawn: Drawn) -> Judged {
    let index = drawn.capture().index(&KeyNodeChoice::None).expect("an index");
    index.profile(&RangeChoice::default()).expect("a profile").into()
}

fn found<'a>(judged: &'a Judged, id: &str) -> &'a Finding {
    finding(judged, id).unwrap_or_else(|| panic!("{id} is found"))
}

/// Two hundred rows, each taken, copied, waited for and filled.
fn rows_one_by_one() -> Drawn {
    let mut drawn = Drawn::new();
    let mut now = MS;
    for _ in 0..200 {
        drawn.api_call("cuMemAlloc_v2", now..now + 10_000, NO_CORRELATION);
        drawn.copy(now + 12_000..now + 20_000, 1024, now + 19_000..now + 20_500);
        drawn.api_call("cuStreamSynchronize", now + 21_000..now + 26_000, NO_CORRELATION);
        drawn.launch(now + 28_000..now + 38_000, "__pgi_uacc_cuda_fill_42_gpu", now + 39_000..now + 43_000);
        now += 44_000;
    }
    drawn
}

#[test]
fn what_comes_with_many_small_copies_stands_below_them() {
    let judged = judged(rows_one_by_one());
    let ids: Vec<&str> = judged.findings().iter().map(|finding| finding.id.as_ref()).collect();
    assert_eq!(ids[0], "many_small_copies");
    for rule in ["launch_bound", "tiny_kernels", "allocation_in_step"] {
        let below = found(&judged, rule);
        assert_eq!((below.same_cause_as, &below.saving), (Some("many_small_copies"), &None), "{rule}");
        assert!(ids[1..5].contains(&rule), "{ids:?}");
    }
}

/// What ran before the program failed is no part of anything whose length is known.
#[test]
fn no_share_of_a_failed_program_is_promised() {
    let words = |fails: bool| {
        let mut drawn = rows_one_by_one();
        if fails {
            drawn.printed_at_its_end("process 7, stderr: FATAL ERROR: no data");
        }
        let judged = judged(drawn);
        (verdict_detail(&judged).to_string(), found(&judged, "many_small_copies").problem.to_string())
    };
    let (whole, failed) = (words(false), words(true));
    assert!(whole.0.contains("of the window") && whole.1.contains("of the time."), "{whole:?}");
    assert!(!failed.0.contains("saves"), "{}", failed.0);
    assert!(failed.1.contains("of the GPU span before the program failed."), "{}", failed.1);
}

/// Sixty calls of `relu`, each in a marker that is open for 60 µs before the op inside it launches a kernel.
fn marked(inner: &str) -> Judged {
    let mut drawn = Drawn::new();
    for call in 0..60 {
        let start = MS + call * 100_000;
        let marker = "{'traceMarker': ['net.py:42'], 'funcStack': '/<module>/net::forward/relu'}";
        drawn.range(marker, start..start + 95_000);
        let op = "{'mod': 'torch', 'op': 'relu', 'args': [{'name': '', 'type': 'tensor', 'shape': (32, 6), 'dtype': 'float32'}]}";
        drawn.range(op, start + 2_000..start + 94_000);
        if !inner.is_empty() {
            drawn.range(inner, start + 60_000..start + 90_000);
        }
        drawn.launch(start + 70_000..start + 75_000, "relu_kernel", start + 76_000..start + 80_000);
    }
    judged(drawn)
}

#[test]
fn time_in_markers_but_in_no_op_is_that_of_the_markers() {
    let judged = marked("aten::relu");
    let markers = found(&judged, "marker_overhead");
    assert!(markers.problem.to_string().contains("At least 65.0% of the time"), "{}", markers.problem);
    let below = found(&judged, "launch_bound");
    assert_eq!(below.same_cause_as, Some("marker_overhead"));
    assert!(!below.recommendation.to_string().contains("graphs"), "{}", below.recommendation);
    // The op itself may run in a marker that holds no other range: only what lies before that is its own.
    assert!(finding(&marked(""), "marker_overhead").is_none());
}

/// Products in FP32 for 40 ms of a second on a GPU with TF32, the op of which has Tensor Cores.
#[test]
fn ops_without_tensor_cores_stand_below_their_kernels() {
    let judged = {
        let mut drawn = Drawn::new();
        drawn.ampere();
        for call in 0..10 {
            let start = MS + call * 10 * MS;
            let op = "{'mod': 'torch.nn.functional', 'op': 'linear', 'args': [{'name': '', 'type': 'tensor', 'shape': (64, 64), \
                      'dtype': 'float32'}, {'name': '', 'type': 'tensor', 'shape': (64, 64), 'dtype': 'float32'}]}";
            drawn.range(op, start..start + MS);
            drawn.launch(start + 10_000..start + 20_000, "ampere_sgemm_64x64_tn", start + MS..start + 5 * MS);
        }
        judged(drawn)
    };
    let amp = found(&judged, "amp_detector");
    assert_eq!(amp.same_cause_as, Some("fp32_matrix"));
    assert!(amp.severity <= Severity::Warning);
}

/// Convolutions in 16 bits, and before them algorithms that are tried where no range tells of an op: the last one transforms every
/// image of a batch by itself.
#[test]
fn algorithms_that_take_many_launches_are_tried_as_well() {
    let advice = |kernel_of_many: &str| {
        let mut drawn = Drawn::new();
        drawn.multiprocessors(80);
        let launches: [(&str, Ns); 3] =
            [("implicit_convolve_sgemm", 1), ("volta_scudnn_128x64", 2), (kernel_of_many, 40)];
        for (number, (kernel, count)) in (0..).zip(launches) {
            let start = MS + number * MS;
            drawn.api_call("cudaEventRecord", start..start + 1_000, NO_CORRELATION);
            for launch in 0..count {
                let at = start + 2_000 + launch * 10_000;
                drawn.launch(at..at + 2_000, kernel, at + 3_000..at + 9_000);
            }
            drawn.api_call("cudaEventRecord", start + 500_000..start + 501_000, NO_CORRELATION);
            drawn.api_call("cudaEventSynchronize", start + 502_000..start + 600_000, NO_CORRELATION);
        }
        let judged = judged(drawn);
        finding(&judged, "autotuning_in_range").map(|found| found.problem.to_string())
    };
    assert!(advice("fft2d_r2c_32x32").is_some());
    assert_eq!(advice("relu"), None, "a program that times its own steps");
}

#[test]
fn samples_that_are_few_are_counted() {
    let few = super::unexplained::PartOfSamples { part: 12, all: 13 };
    let many = super::unexplained::PartOfSamples { part: 920, all: 1000 };
    assert_eq!((few.in_words(), many.in_words()), ("12 of the 13".to_owned(), "92% of the 1000".to_owned()));
}
