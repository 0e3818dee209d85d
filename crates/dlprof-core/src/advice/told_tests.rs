//! What readers found false or misleading, each on a small drawn capture: which finding comes first, whose calls exchange data,
//! what copies move, and what savings of several GPUs are bounded by.

use super::idle_tests::{MS, finding, two_kernels};
use super::{Finding, Judged, verdict_detail};
use crate::base::time::Ns;
use crate::read::facts::NO_CORRELATION;
use crate::steps::iterate::{KeyNodeChoice, RangeChoice};
use crate::tests::drawn::Drawn;

fn profile_of(drawn: Drawn) -> Judged {
    let index = drawn.capture().index(&KeyNodeChoice::None).expect("an index");
    index.profile(&RangeChoice::default()).expect("a profile").into()
}

fn found<'a>(judged: &'a Judged, id: &str) -> &'a Finding {
    finding(judged, id).unwrap_or_else(|| panic!("{id} is found"))
}

fn ids(judged: &Judged) -> Vec<&str> {
    judged.findings().iter().map(|finding| finding.id.as_ref()).collect()
}

/// The program computes on the CPU for most of the time, and copies for less: the verdict says the first, and so does the first
/// finding, though the other one states a saving.
#[test]
fn the_first_finding_says_what_the_verdict_says() {
    let judged = two_kernels(|drawn, _| {
        for time in 3..22 {
            drawn.sample("step", "/home/me/train", time * 10 * MS);
        }
        drawn.copy(220 * MS..310 * MS, 1 << 30, 221 * MS..310 * MS);
    });
    assert!(found(&judged, "exposed_copies").saving.is_some());
    let said = verdict_detail(&judged).to_string();
    assert!(said.starts_with("CPU-bound: GPUs idle ") && said.contains("computes on the CPU"), "{said}");
    assert_eq!(ids(&judged)[..2], ["unexplained_idle", "exposed_copies"], "{:?}", ids(&judged));
    let first = &judged.findings()[0];
    assert_eq!(first.title, Some("The program computes on the CPU while GPUs idle"));

    // Work that is done once heads the list where the verdict says so.
    let once = two_kernels(|drawn, time| {
        drawn.range("KernelExecutor::compileFusion", time.start..time.end - 90 * MS);
        drawn.copy(time.end - 89 * MS..time.end, 1 << 30, time.end - 88 * MS..time.end);
    });
    assert!(
        verdict_detail(&once).to_string().contains("work that is done once keeps GPUs idle"),
        "{}",
        verdict_detail(&once)
    );
    assert_eq!(ids(&once)[0], "warm_up_in_range");
}

/// The first call takes a part of the time in calls of MPI, a second the rest.
fn exchange(first_ns: Ns) -> String {
    let judged = two_kernels(|drawn, time| {
        drawn.mpi_call("MPI_Send", time.start..time.start + first_ns);
        drawn.mpi_call("MPI_Recv", time.start + first_ns..time.end);
    });
    found(&judged, "host_communication").problem.to_string()
}

#[test]
fn two_calls_that_exchange_data_about_equally_long_are_both_named() {
    // Of 298 ms.
    let both = exchange(155 * MS);
    assert!(both.contains("mostly `MPI_Send` and `MPI_Recv`, not counting"), "{both}");
    let one = exchange(250 * MS);
    assert!(one.contains("mostly `MPI_Send`, not counting"), "{one}");
}

/// Copies that come once, from pageable memory, with a wait after each: a model and a batch look alike.
#[test]
fn copies_that_come_once_are_not_said_to_be_a_model() {
    let mut drawn = Drawn::new();
    let mut now = MS;
    for _ in 0..12 {
        drawn.range("cuda", now..now + 200_000);
        drawn.copy(now..now + 10_000, 1 << 16, now + 11_000..now + 31_000);
        drawn.api_call("cudaStreamSynchronize", now + 12_000..now + 35_000, NO_CORRELATION);
        now += 300_000;
    }
    drawn.pageable_copies();
    drawn.launch(
        now..now + 5_000,
        "void at::native::vectorized_elementwise_kernel<4>(int)",
        now + 10_000..now + 40_000,
    );
    let judged = profile_of(drawn);
    let advice = found(&judged, "sync_in_step").recommendation.to_string();
    assert!(advice.contains("cannot be told from a batch of input"), "{advice}");
}

/// Twelve steps of two processes with a GPU each; launches come late, and each process waits for its GPU for a while per step.
fn two_gpus(wait: Ns) -> Judged {
    let mut drawn = Drawn::new();
    drawn.multiprocessors(108);
    let threads = [crate::base::ids::ThreadId::new(0), drawn.process()];
    for step in 0..12 {
        let start = MS + step * (MS + wait);
        for (gpu, thread) in threads.into_iter().enumerate() {
            drawn.on(thread).on_gpu(gpu);
            drawn.range("step", start..start + MS + wait);
            for launch in 0..20 {
                let call = start + launch * 50_000;
                drawn.launch(call..call + 3_000, "gather_rows", call + 4_000..call + 34_000);
            }
            if wait > 0 {
                let behind = start + MS..start + MS + wait;
                drawn.api_call("cudaDeviceSynchronize", behind, NO_CORRELATION);
            }
        }
    }
    let index = drawn.capture().index(&KeyNodeChoice::Named("step".into())).expect("it ran");
    index.profile(&RangeChoice::default()).expect("a profile").into()
}

#[test]
fn waits_bound_savings_of_several_gpus_as_well() {
    let most =
        |judged: &Judged| found(judged, "underfilled").saving.as_ref().and_then(|saving| saving.upper_ns);
    assert_eq!(most(&two_gpus(0)), Some(0));
    // The waits of both.
    assert_eq!(most(&two_gpus(20_000)), Some(2 * 12 * 20_000));
}

/// A program that died before it launched anything needs no longer capture.
#[test]
fn who_failed_before_the_first_kernel_is_told_to_look_for_the_reason() {
    let advice = |fails: bool| {
        let mut drawn = Drawn::new();
        for copy in 0..20 {
            let now = 100_000 + copy * 200_000;
            drawn.copy(now..now + 10_000, 1 << 20, now + 11_000..now + 111_000);
        }
        if fails {
            drawn.printed_at_its_end("process 7, stderr: Error: Unexpected end of file");
        }
        found(&profile_of(drawn), "no_gpu_trace").recommendation.to_string()
    };
    assert!(advice(false).starts_with("Capture the part of the program"), "{}", advice(false));
    assert!(
        advice(true).starts_with("The program ended badly before it launched a kernel"),
        "{}",
        advice(true)
    );
}
