//! What is promised of exchanges, and what is said of a host without GPU work.

use super::idle_tests::{MS, two_kernels};
use super::worth_tests::{found, saving};
use super::{Judged, verdict_detail};
use crate::base::time::Ns;
use crate::steps::iterate::{KeyNodeChoice, RangeChoice};
use crate::tests::drawn::Drawn;
use std::ops::Range;

fn judged(drawn: Drawn, key_node: &KeyNodeChoice) -> Judged {
    let index = drawn.capture().index(key_node).expect("an index");
    index.profile(&RangeChoice::default()).expect("a profile").into()
}

/// An exchange of 298 ms, of which 50 ms are a copy that it makes and 100 ms memory that it registers once.
#[test]
fn a_bound_of_an_exchange_has_the_copies_that_it_makes() {
    let most = |calls: &[(&str, Range<Ns>)]| {
        let exchange = two_kernels(|drawn, time| {
            drawn.mpi_call("MPI_Send", time.clone());
            for (correlation, (name, part)) in (70..).zip(calls) {
                drawn.api_call(name, time.start + part.start..time.start + part.end, correlation);
            }
        });
        saving(found(&exchange, "host_communication")).1.expect("a bound")
    };
    let copy = ("cuMemcpyDtoH_v2", 20 * MS..70 * MS);
    let register = ("cuMemHostRegister_v2", 100 * MS..200 * MS);
    let whole = most(&[]);
    assert_eq!(most(std::slice::from_ref(&copy)), whole);
    assert_eq!(most(&[copy, register]), whole - 100 * MS);
}

/// One GPU computes for 10 ms, exchanges data, and computes until 90 of 100 ms: overlap hides no more than the work that follows on the
/// stream, and where none does, no more than what comes before.
#[test]
fn overlap_hides_no_more_than_the_work_that_follows() {
    let steps = |after_ms: Ns| {
        let mut drawn = Drawn::new();
        for step in 0..6 {
            let start = MS + step * 100 * MS;
            drawn.range("train_step", start - 5_000..start + 99 * MS);
            let exchanged = start + (90 - after_ms) * MS;
            drawn.launch(start..start + 3_000, "gemm", start + 5_000..start + 10 * MS);
            drawn.launch(start + 4_000..start + 7_000, "ncclDevKernel_AllReduce", start + 10 * MS..exchanged);
            if after_ms > 0 {
                drawn.launch(start + 8_000..start + 11_000, "gemm", exchanged..start + 90 * MS);
            }
            let waits = start + 12_000..start + 90 * MS + 2_000;
            drawn.api_call("cudaDeviceSynchronize", waits, crate::read::facts::NO_CORRELATION);
        }
        judged(drawn, &KeyNodeChoice::Named("train_step".into()))
    };
    let expected = |judged: &Judged| saving(found(judged, "exposed_communication"));
    // In six iterations.
    for (after_ms, hidden_ms, exchange_ms) in [(0, 10, 80), (10, 10, 70), (60, 20, 20)] {
        let (likely, most) = expected(&steps(after_ms));
        let is_about = |ns: Option<Ns>, ms: Ns| ns.is_some_and(|ns| (ns - 6 * ms * MS).abs() < MS);
        assert!(
            is_about(likely, hidden_ms) && is_about(most, exchange_ms),
            "{after_ms}: {likely:?} {most:?}"
        );
    }
}

/// Two ranges in each step, and nothing of CUDA: the longer one is named.
#[test]
fn without_gpu_work_the_longest_range_is_named() {
    let mut drawn = Drawn::new();
    for step in 0..6 {
        let start = MS + step * 100 * MS;
        drawn.range("find_centers", start..start + 60 * MS);
        drawn.range("post_processing", start + 60 * MS..start + 90 * MS);
    }
    let said = verdict_detail(&judged(drawn, &KeyNodeChoice::None)).to_string();
    assert!(
        said.ends_with(". `find_centers` takes 66.7% of the time in ranges, whatever it waits for included"),
        "{said}"
    );
}

/// A kernel whose name tells nothing; collectives launch so many of six, the program the others.
fn opaque_exchange(in_collectives: i64) -> Judged {
    let mut drawn = Drawn::new();
    drawn.of_torch_profiler();
    for step in 0..6 {
        let start = step * 100 * MS;
        drawn.range(&format!("ProfilerStep#{step}"), start..start + 100 * MS);
        drawn.launch(start..start + 3_000, "ampere_sgemm_128x64_tn", start + 5_000..start + 10 * MS);
        if step < in_collectives {
            drawn.operator("c10d::allreduce_", None, false, start + 10_000..start + 60_000);
        }
        drawn.launch(start + 20_000..start + 30_000, "opaque_kernel", start + 10 * MS..start + 90 * MS);
    }
    judged(drawn, &KeyNodeChoice::Find)
}

#[test]
fn what_collectives_launch_exchanges_data_where_its_name_does_not_tell() {
    for (in_collectives, is_exchange) in [(0, false), (2, false), (3, true), (6, true)] {
        let judged = opaque_exchange(in_collectives);
        let opaque = crate::base::ids::WorkId::new(1);
        assert_eq!(judged.judge_kernel(opaque).is_communication(), is_exchange, "{in_collectives}");
        let exchanged = judged
            .steps()
            .iter()
            .any(|step| step.classes.as_ref().is_some_and(|classes| classes.communication_ns > 50 * MS));
        assert_eq!(exchanged, is_exchange, "{in_collectives} of six launches");
    }
}

/// A copy that was launched before the exchange ends, and waits for it, is work as well.
#[test]
fn copies_are_work_that_is_launched_in_time() {
    let why = |is_in_time: bool| {
        let mut drawn = Drawn::new();
        for step in 0..6 {
            let start = MS + step * 100 * MS;
            drawn.range("train_step", start - 5_000..start + 99 * MS);
            drawn.launch(start..start + 3_000, "gemm", start + 5_000..start + 10 * MS);
            drawn.launch(
                start + 4_000..start + 7_000,
                "ncclDevKernel_AllReduce",
                start + 10 * MS..start + 80 * MS,
            );
            let call = if is_in_time { start + 8_000 } else { start + 81 * MS };
            drawn.copy(call..call + 3_000, 8, start + 82 * MS..start + 84 * MS);
        }
        let judged = judged(drawn, &KeyNodeChoice::Named("train_step".into()));
        found(&judged, "exposed_communication").problem.to_string()
    };
    assert!(why(true).contains("was queued on the same stream"), "{}", why(true));
    assert!(why(false).contains("no other work was launched in time"), "{}", why(false));
}
