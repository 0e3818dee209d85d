//! What is said of drawn traces of torch.profiler.

use super::idle_tests::{MS, finding};
use super::{Finding, Judged, verdict};
use crate::base::time::Ns;
use crate::read::facts::WorkKind;
use crate::steps::iterate::{KeyNodeChoice, RangeChoice};
use crate::tests::drawn::Drawn;

fn trace() -> Drawn {
    let mut drawn = Drawn::new();
    drawn.of_torch_profiler();
    drawn
}

fn judged(drawn: Drawn) -> Judged {
    let index = drawn.capture().index(&KeyNodeChoice::Find).expect("an index");
    index.profile(&RangeChoice::default()).expect("a profile").into()
}

fn found<'a>(judged: &'a Judged, id: &str) -> &'a Finding {
    finding(judged, id).unwrap_or_else(|| panic!("{id} is found"))
}

/// Steps of 100 ms that begin at `ProfilerStep#N`; each adds what it does from its start on.
fn steps(mut drawn: Drawn, add: impl Fn(&mut Drawn, Ns)) -> Judged {
    for step in 0..4 {
        let start = 100 * step * MS;
        drawn.range(&format!("ProfilerStep#{step}"), start..start + 100 * MS);
        add(&mut drawn, start);
    }
    judged(drawn)
}

/// A kernel of 10 ms, launched at a time.
fn kernel(drawn: &mut Drawn, at: Ns) {
    drawn.launch(at..at + 10_000, "gemm", at + 12_000..at + 10 * MS);
}

/// The first step waits for input as the others do, though nothing ran on the GPU before.
#[test]
fn the_first_step_waits_for_input_before_its_first_kernel() {
    let input = steps(trace(), |drawn, start| {
        let loader = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__";
        drawn.range(loader, start..start + 80 * MS);
        drawn.frame("train.py(9): step", start..start + 90 * MS);
        drawn.frame("<built-in function zoom_shift>", start + MS..start + 79 * MS);
        kernel(drawn, start + 80 * MS);
    });
    let words = found(&input, "input_bound").problem.to_string();
    assert!(words.starts_with("GPUs wait for input 80.0%"), "{words}");
    assert!(words.ends_with("these are in `zoom_shift`"), "{words}");
    let advice = found(&input, "input_bound").recommendation.to_string();
    assert!(advice.contains("`num_workers` of the `DataLoader` is 0"), "{advice}");
}

/// The thread is long in `log` in short gaps, and in `save` in the long one, which the finding is about.
#[test]
fn ranges_of_long_gaps_are_those_of_these_gaps() {
    let work = steps(trace(), |drawn, start| {
        drawn.range("save", start..start + 20 * MS);
        for part in 0..35 {
            let at = start + 20 * MS + part * 2 * MS;
            drawn.range("log", at..at + 900_000);
            drawn.launch(at + 900_000..at + 910_000, "gemm", at + 912_000..at + 2 * MS);
        }
        kernel(drawn, start + 90 * MS);
    });
    let words = found(&work, "cpu_work_between").problem.to_string();
    assert!(words.contains("mostly in host range `save`"), "{words}");
}

/// The first kernel of a GPU starts long after its launch, while another GPU works.
#[test]
fn what_streams_wait_for_before_their_first_work_is_not_known() {
    let mut drawn = trace();
    drawn.range("decode", 0..400 * MS).launch(MS..MS + 10_000, "gemm", 300 * MS..310 * MS);
    drawn.on_gpu(1).launch(2 * MS..2 * MS + 10_000, "gemm", 2 * MS + 12_000..310 * MS);
    let waits = judged(drawn);
    assert!(verdict(&waits).to_string().contains("wait for work that was started before the recording"));
    let found = found(&waits, "unexplained_idle");
    assert!(
        found.recommendation.to_string().contains("torch.cuda.synchronize()"),
        "{}",
        found.recommendation
    );
}

#[test]
fn work_without_a_launch_was_launched_before_the_recording() {
    let mut drawn = trace();
    for at in 0..5 {
        drawn.loose(WorkKind::Kernel, "gemm", at * 50 * MS..at * 50 * MS + MS);
    }
    kernel(&mut drawn, 260 * MS);
    let waits = judged(drawn);
    let found = found(&waits, "unexplained_idle");
    let words = found.problem.to_string();
    assert!(words.contains("launched before the recording began"), "{words}");
    assert!(found.recommendation.to_string().contains("--iter-start 2"), "{}", found.recommendation);
    assert!(verdict(&waits).to_string().contains("launched before the recording began"));
}

/// Graphs that are queued, with gaps before them.
#[test]
fn waits_inside_graphs_are_no_waits_between_streams() {
    let waits = steps(trace(), |drawn, start| {
        for part in 0..2 {
            let (call, at) = (start + part * 1000, start + 40 * MS * part);
            drawn.graph(call..call + 500, at + MS..at + 10 * MS);
        }
        drawn.api_call("cudaStreamWaitEvent", start + 2000..start + 2100, 0);
    });
    let found = found(&waits, "stream_dependency");
    let words = found.problem.to_string();
    assert!(words.contains("mostly before work inside graphs"), "{words}");
    assert!(found.recommendation.to_string().contains("without graphs"), "{}", found.recommendation);
}
