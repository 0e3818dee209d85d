//! Sentences that readers found false when they checked them with SQL, on small drawn captures of the same kind.

use super::idle_tests::{MS, finding, two_kernels};
use super::{Judged, Severity, tables, verdict_detail};
use crate::base::time::Ns;
use crate::read::facts::NO_CORRELATION;
use crate::steps::iterate::{DefaultRange, KeyNodeChoice, RangeChoice};
use crate::tables::Value;
use crate::tests::drawn::Drawn;

fn by_default(drawn: Drawn, key_node: KeyNodeChoice) -> Judged {
    let index = drawn.capture().index(&key_node).expect("an index");
    let choice = RangeChoice { otherwise: DefaultRange::Auto, ..RangeChoice::default() };
    index.profile(&choice).expect("a profile").into()
}

/// Steps of some lengths, each of which runs one kernel for most of its time.
fn steps(lengths: &[Ns]) -> Judged {
    let mut drawn = Drawn::new();
    let mut now = MS;
    for &length in lengths {
        drawn.range("step", now..now + length - 1_000);
        drawn.launch(now + 1_000..now + 3_000, "saxpy", now + 4_000..now + length - 2_000);
        now += length;
    }
    by_default(drawn, KeyNodeChoice::Named("step".into()))
}

#[test]
fn where_sizes_are_tried_the_finding_says_so_and_speaks_of_no_outliers() {
    let sizes: Vec<Ns> = (0..14).map(|size| 100_000 << size).collect();
    let judged = steps(&sizes);
    // The two longest lie beyond Tukey's fences.
    assert_eq!((judged.iterations.start, judged.iterations.stop), (1, 12));
    assert_eq!(judged.iterations.going_one_way(), (1..=14).collect::<Vec<u32>>());
    let found = finding(&judged, "unsteady_iterations").expect("no length is usual");
    let words = found.problem.to_string();
    assert!(
        words.starts_with("Iterations take longer from one to the next, 100.000 µs in iteration 1 and "),
        "{words}"
    );
    assert!(!words.contains("outlier"), "{words}");
}

#[test]
fn the_command_lists_the_slowest_of_the_iterations_that_the_sentence_counts() {
    let mut lengths: Vec<Ns> = (0..30).map(|at| if at % 2 == 0 { MS } else { 8 * MS / 5 }).collect();
    lengths.extend([MS; 4].map(|length| 40 * length));
    let judged = steps(&lengths);
    let found = finding(&judged, "unsteady_iterations").expect("lengths alternate");
    let words = found.problem.to_string();
    assert!(
        words.starts_with("Iterations 1 to 30 take ")
            && words.contains("Most of that is GPU compute, without which"),
        "{words}"
    );
    assert!(words.contains(" more outliers are not among these iterations"), "{words}");
    let condition =
        found.show.as_ref().and_then(|question| question.condition.as_ref()).expect("a condition");
    assert!(condition.contains("iteration between 1 and 30 and state != outside"), "{condition}");
}

#[test]
fn little_use_of_a_gpu_is_said_beside_gpus_that_are_not_used() {
    let judged = two_kernels(|drawn, time| _ = drawn.range("metrics", time).unused_gpu());
    let found = finding(&judged, "underutilized_gpu_detector").expect("two kernels in 310 ms");
    let words = found.problem.to_string();
    assert!(
        words.starts_with("GPU kernels run for only 3.2% of the time. ") && words.ends_with(": GPU 1"),
        "{words}"
    );
    assert_eq!(found.severity, Severity::Warning);
}

#[test]
fn the_table_of_causes_adds_up_to_the_share_of_work_done_once() {
    let once = two_kernels(|drawn, _| {
        drawn.api_call("cuModuleLoadData", 20 * MS..60 * MS, 70);
        drawn.api_call("cuModuleLoadData", 100 * MS..180 * MS, 71);
    });
    let words = finding(&once, "warm_up_in_range").expect("code is loaded").problem.to_string();
    let table = (tables::definition("idle_totals").expect("it is a table").build)(&once);
    let column = |key: &str| (0..table.columns()).find(|&at| table.header(at).key == key).expect("a column");
    let (share, all) = (column("once_percent"), column("percent"));
    let sum = |column: usize| -> f64 {
        let cells = (0..table.rows()).map(|row| match table.value(row, column) {
            Value::Float(share) => share,
            _ => 0.0,
        });
        cells.sum()
    };
    assert!(
        words.starts_with(&format!("{:.1}% of the aggregated time", sum(share))),
        "{words}, {}",
        sum(share)
    );
    assert!(sum(share) < sum(all));
}

#[test]
fn the_words_of_a_cause_stand_beside_its_own_share() {
    let judged = two_kernels(|drawn, time| _ = drawn.os_call("futex", time.start..time.start + 200 * MS));
    let found = finding(&judged, "underutilized_gpu_detector").expect("two kernels in 310 ms");
    let words = found.recommendation.to_string();
    assert!(words.contains("idle time that no other class names, 96."), "{words}");
    assert!(
        words.contains("The largest part of it is idle time of the cause `os_call`, 64.5% of the time"),
        "{words}"
    );
}

#[test]
fn a_window_under_a_millisecond_is_not_judged() {
    let mut drawn = Drawn::new();
    drawn.launch(0..5_000, "map", 10_000..200_000).launch(6_000..11_000, "reduce", 200_000..350_000);
    let judged = by_default(drawn, KeyNodeChoice::None);
    assert_eq!(
        verdict_detail(&judged).to_string(),
        "Too short to judge: kernels ran 2 times in 340.000 µs, 100% of that time"
    );
    assert!(finding(&judged, "no_nvtx").is_some(), "it has no ranges, however short it is");
}

#[test]
fn kernels_that_take_equally_long_are_named_together() {
    let mut drawn = Drawn::new();
    for step in 0..20 {
        let now = MS + step * 2 * MS;
        drawn.launch(now..now + 5_000, "map", now + 10_000..now + 900_000);
        drawn.launch(now + 6_000..now + 11_000, "reduce", now + 900_000..now + 1_790_000);
    }
    let judged = by_default(drawn, KeyNodeChoice::None);
    let words = finding(&judged, "kernel_hotspot").expect("half of the time each").problem.to_string();
    assert!(words.contains("`map` and `reduce` take 50.0% of the kernel time each"), "{words}");
}

/// Steps of 10 ms in which the host computes for 8 ms and then waits for the GPU.
#[test]
fn faster_kernels_save_no_more_than_the_host_waits_for() {
    let mut drawn = Drawn::new();
    for step in 0..12 {
        let now = MS + step * 10 * MS;
        drawn.range("step", now..now + 10 * MS - 1_000);
        drawn.launch(now..now + 5_000, "elementwise_add", now + 10_000..now + 5 * MS);
        drawn.launch(now + 6_000..now + 11_000, "elementwise_mul", now + 5 * MS + 1_000..now + 9_900_000);
        drawn.api_call("cudaDeviceSynchronize_v3020", now + 8 * MS..now + 9_950_000, NO_CORRELATION);
    }
    let judged = by_default(drawn, KeyNodeChoice::Named("step".into()));
    let found = finding(&judged, "elementwise_kernels").expect("all kernels are elementwise");
    let saving = found.saving.as_ref().expect("kernels can be fused");
    let each = saving.upper_ns.expect("a bound") / 12;
    assert!((1_900_000..=1_960_000).contains(&each), "{each} of 1.95 ms in which it waits");
    assert!(saving.basis.ends_with("in a replay"), "{}", saving.basis);
}

/// Kernel, 20 ms of the host, copy to the GPU, kernel: the host may make in its time what is copied.
#[test]
fn copies_behind_work_of_the_host_promise_no_likely_saving() {
    let mut drawn = Drawn::new();
    for step in 0..6 {
        let now = MS + step * 40 * MS;
        drawn.copy(now..now + 5_000, 1 << 20, now + 10_000..now + 10 * MS);
        drawn.launch(now + 6_000..now + 11_000, "saxpy", now + 10 * MS..now + 20 * MS);
    }
    let judged = by_default(drawn, KeyNodeChoice::None);
    let saving = finding(&judged, "exposed_copies").expect("a quarter of the time").saving.as_ref();
    assert_eq!(saving.map(|saving| saving.expected_ns), Some(None));
}

/// Sixty times: memory for an algorithm is taken, the algorithm tried, its result checked and read, all of which the host waits
/// for; between the calls of a step of the program's own. `check` is the kernel that checks.
fn trials(check: &str) -> Judged {
    let mut drawn = Drawn::new();
    drawn.pageable_copies();
    let mut launch = |now: Ns, name: &str| {
        drawn.launch(now..now + 5_000, name, now + 10_000..now + 40_000);
        drawn.api_call("cuMemAlloc_v2", now + 50_000..now + 150_000, NO_CORRELATION);
        drawn.launch(now + 160_000..now + 165_000, "volta_gcgemm_32x32_nt", now + 170_000..now + 190_000);
        drawn.api_call("cuStreamSynchronize", now + 166_000..now + 255_000, NO_CORRELATION);
        drawn.launch(now + 260_000..now + 265_000, check, now + 270_000..now + 1_400_000);
        drawn.copy(now + 270_000..now + 1_402_000, 8, now + 1_400_100..now + 1_401_000);
        drawn.api_call("cuStreamSynchronize", now + 1_403_000..now + 1_404_000, NO_CORRELATION);
    };
    (0..60).for_each(|trial| launch(MS + trial * 1_406_000, "relu"));
    by_default(drawn, KeyNodeChoice::None)
}

#[test]
fn calls_that_try_algorithms_are_not_the_steps_own() {
    const OF_CALLS: [&str; 4] =
        ["many_small_copies", "allocation_in_step", "pageable_copies", "sync_in_step"];
    let program = trials("dropout");
    OF_CALLS.iter().for_each(|id| assert!(finding(&program, id).is_some(), "{id}"));
    let tried = trials("redzone_checker");
    OF_CALLS.iter().for_each(|id| assert!(finding(&tried, id).is_none(), "{id}"));
    assert!(
        finding(&tried, "autotuning_in_range").is_some() && finding(&tried, "warm_up_in_range").is_some()
    );
}

/// Copies to the GPU that nothing hides, in ranges of a framework whose names differ in numbers, and one outside of them.
#[test]
fn the_range_in_which_copies_are_made_is_named() {
    let mut drawn = Drawn::new();
    for layer in 0..6 {
        let now = MS + layer * 20 * MS;
        drawn.range(&format!("FSDP::pre_forward (block.{layer})"), now - 5_000..now + 10_000);
        drawn.range("aten::copy_", now - 1_000..now + 6_000);
        drawn.copy(now..now + 5_000, 1 << 20, now + 10_000..now + 10 * MS);
        drawn.launch(now + 11_000..now + 16_000, "saxpy", now + 10 * MS..now + 20 * MS - 10_000);
    }
    drawn.copy(122 * MS..122 * MS + 5_000, 1 << 20, 123 * MS..133 * MS);
    let judged = by_default(drawn, KeyNodeChoice::None);
    let words = finding(&judged, "exposed_copies").expect("half of the time").problem.to_string();
    // Six of 9.99 ms, of 69.94 ms.
    assert!(
        words.ends_with(", 85.7% of whose time is of calls in ranges `FSDP::pre_forward (block.#)`"),
        "{words}"
    );
}

#[test]
fn what_cuda_graphs_and_the_compiler_need_is_said() {
    let mut drawn = Drawn::new();
    for launch in 0..60 {
        let now = MS + launch * 100_000;
        let name = "void at::native::vectorized_elementwise_kernel<4>(int)";
        drawn.launch(now..now + 5_000, name, now + 6_000..now + 20_000);
    }
    let judged = by_default(drawn, KeyNodeChoice::None);
    let found = finding(&judged, "launch_bound").expect("GPUs wait for launches");
    let advice = found.recommendation.to_string();
    assert!(
        advice.contains("CUDA graphs need PyTorch 1.10 or later, `torch.compile` needs PyTorch 2 or later)"),
        "{advice}"
    );
    let question = found.show.as_ref().expect("a table has the figure");
    assert!(
        question.table == "gpu_time" && question.columns.contains(&"cpu_in_short_gaps_ns"),
        "{question:?}"
    );
}
