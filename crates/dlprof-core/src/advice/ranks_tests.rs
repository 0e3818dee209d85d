//! What is said of drawn captures in which one process sends and others receive.

use super::Judged;
use super::idle_tests::{MS, finding};
use crate::base::ids::ThreadId;
use crate::base::time::Ns;
use crate::read::facts::NO_CORRELATION;
use crate::steps::iterate::{KeyNodeChoice, RangeChoice};
use crate::tests::drawn::Drawn;

/// Five steps of 12 ms of four processes, each with a kernel on a GPU of its own and two waits after it. Then the first
/// process sends to some others in turn, for 3 ms each, 1 ms of that in a wait of its library.
fn ranks(receivers: usize, last_kernel_ns: Ns) -> Judged {
    let mut drawn = Drawn::new();
    let first = ThreadId::new(0);
    let threads: Vec<_> = [first].into_iter().chain((0..3).map(|_| drawn.process())).collect();
    for step in 0..5 {
        let start = MS + step * 12 * MS;
        for (rank, &thread) in threads.iter().enumerate() {
            let kernel_ns = if rank == 3 { last_kernel_ns } else { MS };
            drawn.on(thread).on_gpu(rank);
            drawn.launch(start + 1_000..start + 3_000, "step", start + 10_000..start + 10_000 + kernel_ns);
            for wait in 0..2 {
                let now = start + 2 * MS + wait * 100_000;
                drawn.api_call("cudaStreamSynchronize", now..now + 50_000, NO_CORRELATION);
            }
            if rank > 0 && rank <= receivers {
                drawn.mpi_call("MPI_Recv", start + 2_500_000..start + 9 * MS);
            }
        }
        drawn.on(first).on_gpu(0);
        drawn.range("step", start..start + 12 * MS - 1_000);
        for turn in 0..3 {
            let now = start + 2_500_000 + turn * 3 * MS;
            drawn.mpi_call("MPI_Send", now..now + 3 * MS - 1_000);
            drawn.api_call("cuStreamSynchronize", now + MS..now + 2 * MS, NO_CORRELATION);
        }
    }
    let index = drawn.capture().index(&KeyNodeChoice::Named("step".into())).expect("it ran");
    let choice = RangeChoice { iter_start: Some(1), iter_stop: Some(4), ..RangeChoice::default() };
    index.profile(&choice).expect("a profile").into()
}

fn exchange(judged: &Judged) -> (String, String) {
    let found = finding(judged, "host_communication").expect("the host exchanges data");
    (found.problem.to_string(), found.recommendation.to_string())
}

#[test]
fn who_sends_in_turn_should_send_at_once_and_equal_work_is_not_asked_for_again() {
    let (problem, advice) = exchange(&ranks(3, MS));
    // Three times 3 ms of 12 ms, each without 1 ms in a CUDA call.
    let sends = "Process 1 is in `MPI_Send` 50.0% of the time. CUDA calls inside are not counted";
    assert!(problem.contains("mostly `MPI_Recv`") && problem.ends_with(sends), "{problem}");
    assert!(advice.contains("one message after the other") && advice.contains("MPI_Isend"), "{advice}");
    assert!(!advice.contains("the same work"), "{advice}");
}

#[test]
fn one_receiver_has_no_turn_and_unequal_kernels_are_said() {
    let (_, advice) = exchange(&ranks(1, MS));
    assert!(!advice.contains("one message after the other"), "{advice}");
    let (_, advice) = exchange(&ranks(3, 3 * MS / 2));
    assert!(advice.contains("Kernels of some ranks take longer than those of others"), "{advice}");
}
