//! Figures and savings of findings on small drawn captures: what they count and what they leave out.

use super::idle_tests::{MS, finding, two_kernels};
use super::rule_setting::{RuleChanges, RuleSetting};
use super::{Finding, Judged, Measure, RuleSettings, judge, verdict_detail};
use crate::base::time::Ns;
use crate::read::facts::{NO_CORRELATION, WorkKind};
use crate::steps::iterate::{KeyNodeChoice, RangeChoice};
use crate::tests::drawn::Drawn;

fn judged_with(drawn: Drawn, changes: RuleChanges) -> Judged {
    let index = drawn.capture().index(&KeyNodeChoice::None).expect("an index");
    let profile = index.profile(&RangeChoice::default()).expect("a profile");
    judge(&profile, &RuleSettings { changes, ..RuleSettings::default() })
}

fn judged(drawn: Drawn) -> Judged {
    judged_with(drawn, RuleChanges::new())
}

/// A rule with another limit, or silenced.
fn changed(rule: &str, setting: RuleSetting) -> RuleChanges {
    RuleChanges::from([(rule.to_owned(), setting)])
}

fn limit(name: &str, value: f64) -> RuleSetting {
    RuleSetting { thresholds: [(name.to_owned(), value)].into(), ..RuleSetting::default() }
}

fn off() -> RuleSetting {
    RuleSetting { enabled: Some(false), ..RuleSetting::default() }
}

fn found<'a>(judged: &'a Judged, id: &str) -> &'a Finding {
    finding(judged, id).unwrap_or_else(|| panic!("{id} is found"))
}

fn saving(finding: &Finding) -> (Option<Ns>, Option<Ns>) {
    finding.saving.as_ref().map_or((None, None), |saving| (saving.expected_ns, saving.upper_ns))
}

/// One block on 80 multiprocessors, for 8 ms; unified memory migrates for 3 of them, and for 1 ms after them. For how long the
/// kernel waits for that memory is not recorded.
#[test]
fn what_kernels_take_while_unified_memory_migrates_is_not_lost_to_small_grids() {
    let migrating = |migrates: bool| {
        let mut drawn = Drawn::new();
        drawn.multiprocessors(80);
        drawn.launch(0..10_000, "gather_rows", MS..9 * MS);
        if migrates {
            drawn.loose(WorkKind::Copy, "UM_DtoH", 2 * MS..5 * MS);
        }
        drawn.loose(WorkKind::Copy, "UM_DtoH", 9 * MS..10 * MS);
        judged(drawn)
    };
    assert_eq!(saving(found(&migrating(false), "underfilled")).1, Some(8 * MS * 79 / 80));
    let migrates = migrating(true);
    assert_eq!(saving(found(&migrates, "underfilled")), (None, None));
    // The kernel up to the end of the migration while it runs, and the migration after it: between them it waits for no memory.
    let moved = found(&migrates, "managed_memory");
    assert_eq!(saving(moved), (None, Some(5 * MS)));
    let words = "and kernels during which memory migrates 88.9%, what they wait for it included";
    assert!(moved.problem.to_string().ends_with(words), "{}", moved.problem);
    // A kernel that runs while nothing migrates waits for no memory.
    assert_eq!(saving(found(&migrating(false), "managed_memory")), (None, Some(MS)));
}

/// 24 MB migrate in 3 ms, at 8 GB/s, while a kernel runs; moved ahead they take 2 ms on PCIe 3, which another kernel can hide.
#[test]
fn moving_memory_ahead_takes_time_where_no_kernel_hides_it() {
    let bound = |has_another: bool| {
        let mut drawn = Drawn::new();
        drawn.launch(0..10_000, "gather_rows", MS..9 * MS);
        drawn.loose(WorkKind::Copy, "UM_DtoH", 2 * MS..5 * MS).copied_bytes(24_000_000);
        if has_another {
            drawn.launch(20_000..30_000, "scatter_rows", 9 * MS..19 * MS);
        }
        saving(found(&judged(drawn), "managed_memory")).1
    };
    assert_eq!((bound(false), bound(true)), (Some(2 * MS), Some(4 * MS)));
}

/// Memory that migrates to the host at 14 GB/s shows a bus that is faster than PCIe 3, on which that to the GPU can be moved as well.
/// Page faults of GPUs are not known without their table.
#[test]
fn moving_memory_ahead_is_no_slower_than_a_migration_was() {
    let mut drawn = Drawn::new();
    drawn.launch(0..10_000, "gather_rows", MS..9 * MS);
    drawn.loose(WorkKind::Copy, "UM_HtoD", 2 * MS..5 * MS).copied_bytes(24_500_000);
    drawn.loose(WorkKind::Copy, "UM_DtoH", 6 * MS..7_750_000);
    let judged = judged(drawn);
    let moved = found(&judged, "managed_memory");
    assert_eq!(saving(moved).1, Some(6_750_000 - 49_000_000 / 25));
    assert!(moved.figures.iter().all(|(name, _)| name != "gpu_page_faults"), "{:?}", moved.figures);
}

/// Three convolutions that are tried, then one that runs, after a tensor.
#[test]
fn algorithms_that_are_tried_are_no_matrix_math_of_the_program_and_no_small_grids() {
    const ALGORITHMS: [&str; 3] = ["implicit_convolve_sgemm", "volta_scudnn_128x64", "fft2d_r2c_32x32"];
    let mut drawn = Drawn::new();
    drawn.multiprocessors(80).range("conv", 0..7 * MS);
    for (number, kernel) in (0..).zip(ALGORITHMS) {
        let start = MS + number * MS;
        drawn.api_call("cudaEventRecord", start..start + 1_000, NO_CORRELATION);
        drawn.launch(start + 2_000..start + 8_000, kernel, start + 10_000..start + 110_000);
        drawn.api_call("cudaEventRecord", start + 9_000..start + 9_500, NO_CORRELATION);
        drawn.api_call("cudaEventSynchronize", start + 11_000..start + 300_000, NO_CORRELATION);
    }
    drawn.launch(5 * MS..5 * MS + 5_000, ALGORITHMS[0], 5 * MS + 10_000..5 * MS + 110_000);
    drawn.launch(6 * MS..6 * MS + 5_000, "relu", 6 * MS + 10_000..6 * MS + 310_000);
    let judged = judged(drawn);
    // 100 of 400 µs; with what is tried it would be 300 of 700 µs.
    let words = found(&judged, "fp32_matrix").problem.to_string();
    assert!(
        words.starts_with("25.0% of the kernel time without algorithms that are tried is FP32 matrix math"),
        "{words}"
    );
    let small = found(&judged, "underfilled");
    assert!(
        small.problem.to_string().starts_with("While kernels other than algorithms that are tried run, "),
        "{}",
        small.problem
    );
    // A cold pass promises nothing.
    assert_eq!(small.saving, None);
    // From the start of the window to the end of the last wait; a longer run does not repeat it.
    let tried = found(&judged, "autotuning_in_range");
    assert!(tried.figures.contains(&("trying_ns".into(), Measure::Time(2 * MS + 290_000))), "{tried:?}");
    assert_eq!(tried.saving, None);
}

/// A convolution that is tried with a change of the layout, which take most of the time of all, then kernels that run.
fn trials_with_layouts() -> Drawn {
    const ALGORITHMS: [&str; 3] = ["implicit_convolve_sgemm", "volta_scudnn_128x64", "fft2d_r2c_32x32"];
    let mut drawn = Drawn::new();
    drawn.range("conv", 0..7 * MS);
    for (number, kernel) in (0..).zip(ALGORITHMS) {
        let start = MS + number * MS;
        drawn.api_call("cudaEventRecord", start..start + 1_000, NO_CORRELATION);
        drawn.launch(start + 2_000..start + 4_000, "nchwToNhwcKernel", start + 5_000..start + 55_000);
        drawn.launch(start + 5_000..start + 8_000, kernel, start + 60_000..start + 560_000);
        drawn.api_call("cudaEventRecord", start + 9_000..start + 9_500, NO_CORRELATION);
        drawn.api_call("cudaEventSynchronize", start + 11_000..start + 600_000, NO_CORRELATION);
    }
    for number in 0..60 {
        let start = 5 * MS + number * 20_000;
        let kernel = if number < 45 { "relu" } else { "nchwToNhwcKernel" };
        drawn.launch(start..start + 2_000, kernel, start + 4_000..start + 10_000);
    }
    drawn
}

fn percent_of(finding: &Finding, figure: &str) -> f64 {
    let share = finding.figures.iter().find_map(|(name, measure)| match measure {
        Measure::Number(share) if name == figure => Some(*share),
        _ => None,
    });
    share.unwrap_or_else(|| panic!("{figure} is among the figures"))
}

/// 1.65 ms of 2.01 ms are tried; of 360 µs that are not, 90 µs change a layout.
#[test]
fn the_figure_of_a_limit_is_the_share_that_is_compared_with_it() {
    let judged = judged(trials_with_layouts());
    let tried = percent_of(found(&judged, "autotuning_in_range"), "autotuning_percent");
    assert!((75.0..85.0).contains(&tried), "{tried}");
    let layouts = found(&judged, "layout_transposes");
    let (own, all) = (percent_of(layouts, "layout_percent"), percent_of(layouts, "with_tried_percent"));
    assert!((4.4..4.6).contains(&own) && all > 10.0, "{own} {all}");
}

#[test]
fn kernels_that_are_tried_are_not_the_hottest_of_the_program() {
    let judged = judged(trials_with_layouts());
    let hottest = found(&judged, "kernel_hotspot").problem.to_string();
    assert!(
        hottest.starts_with("`relu` takes 75.0% of the kernel time without algorithms that are tried"),
        "{hottest}"
    );
}

/// Parameters of equal sizes are copied, kernels run, and something else is copied.
#[test]
fn moving_a_model_is_no_reason_to_pin_memory() {
    let copies = |again: bool| {
        let mut drawn = Drawn::new();
        let mut now = MS;
        let mut copy = |drawn: &mut Drawn| {
            drawn.copy(now..now + 10_000, 100 << 10, now + 2_000..now + 9_000);
            drawn.api_call("cudaStreamSynchronize", now + 10_500..now + 80_000, NO_CORRELATION);
            now += 100_000;
        };
        (0..10).for_each(|_| copy(&mut drawn));
        if again {
            drawn.launch(2 * MS..2 * MS + 5_000, "relu", 2 * MS + 10_000..2 * MS + 900_000);
            now = 3 * MS;
            let again = now..now + 10_000;
            drawn.copy(again, 100 << 10, now + 2_000..now + 9_000);
        }
        drawn.launch(4 * MS..4 * MS + 5_000, "at::native::relu", 4 * MS + 10_000..4 * MS + 900_000);
        drawn.pageable_copies();
        judged(drawn)
    };
    let says_pin = |judged: &Judged| found(judged, "sync_in_step").recommendation.to_string().contains("pin");
    assert!(!says_pin(&copies(false)), "{}", found(&copies(false), "sync_in_step").recommendation);
    assert!(says_pin(&copies(true)));
}

/// Launches with gaps of 60 µs between them, and set-up in a gap under 1 ms.
#[test]
fn what_is_done_once_is_said_beside_the_share_that_leaves_it_out() {
    let mut drawn = Drawn::new();
    for number in 0..60 {
        let start = MS + number * 100_000;
        drawn.launch(start..start + 10_000, "kernel", start + 12_000..start + 50_000);
    }
    drawn.library_range("NCCL", "ncclCommInitRank", MS + 21_000..MS + 1_000_000);
    let judged = judged(drawn);
    let words = found(&judged, "launch_bound").problem.to_string();
    assert!(words.contains("% more for work done once). These are 59 launches"), "{words}");
}

/// A wait after every launch.
fn waits_after_launches() -> Drawn {
    let mut drawn = Drawn::new();
    for number in 0..100 {
        let start = MS + number * 100_000;
        drawn.launch(start..start + 5_000, "kernel", start + 10_000..start + 60_000);
        drawn.api_call("cudaDeviceSynchronize", start + 6_000..start + 61_000, NO_CORRELATION);
    }
    drawn
}

#[test]
fn a_rule_that_gives_way_to_another_follows_the_settings_of_that_one() {
    let usual = judged(waits_after_launches());
    assert!(finding(&usual, "serialised_launches").is_some() && finding(&usual, "sync_in_step").is_none());
    for setting in [limit("serialised_percent", 101.0), off()] {
        let judged = judged_with(waits_after_launches(), changed("serialised_launches", setting));
        assert!(finding(&judged, "serialised_launches").is_none());
        assert!(finding(&judged, "sync_in_step").is_some(), "no other rule speaks of these waits");
    }
}

/// 0.9 % of the time, of which the start of the program takes a part.
#[test]
fn small_limits_of_allocations_leave_out_what_is_done_once_too() {
    let mut drawn = Drawn::new();
    drawn.launch(0..5_000, "kernel", 10_000..100 * MS);
    drawn.library_range("NCCL", "ncclCommInitRank", 100 * MS..101 * MS);
    drawn.api_call("cudaMalloc", 100 * MS + 100_000..100 * MS + 800_000, NO_CORRELATION);
    for number in 0..12 {
        let start = 101 * MS + number * 100_000;
        drawn.launch(start..start + 5_000, "kernel", start + 10_000..start + 60_000);
        drawn.api_call("cudaFree", start + 62_000..start + 80_000, NO_CORRELATION);
    }
    let judged = judged_with(drawn, changed("allocation_in_step", limit("allocation_percent", 0.05)));
    let finding = found(&judged, "allocation_in_step");
    // 11 times 18 µs of 102 ms, not the 700 µs of the first allocation; so little promises nothing.
    let share = percent_of(finding, "allocation_percent");
    assert!((0.19..0.2).contains(&share), "{share}");
    assert_eq!(saving(finding).0, Some(0));
}

/// The host works for 290 ms, and unified memory migrates to it at the end.
#[test]
fn fetching_pages_earlier_saves_no_more_than_the_migration() {
    let judged = two_kernels(|drawn, time| {
        drawn.loose(WorkKind::Copy, "UM_DtoH", time.end - MS..time.end);
    });
    let advice = found(&judged, "unexplained_idle").recommendation.to_string();
    assert!(advice.ends_with("only the migrations and the page faults before them"), "{advice}");
    assert!(verdict_detail(&judged).to_string().starts_with("Waiting: "), "{}", verdict_detail(&judged));
}

/// A communicator is made during twenty of a hundred waits.
#[test]
fn waits_that_are_not_counted_are_not_taken_off_again() {
    let cost = |communicator: bool| {
        let mut drawn = waits_after_launches();
        if communicator {
            drawn.library_range("NCCL", "ncclCommInitRank", 3 * MS..5 * MS);
        }
        let judged = judged_with(drawn, changed("serialised_launches", off()));
        percent_of(found(&judged, "sync_in_step"), "sync_cost_percent")
    };
    let part = cost(true) / cost(false);
    assert!((part - 0.8).abs() < 0.03, "{part}");
}

/// Short waits of one thread after every launch on either GPU.
#[test]
fn a_thread_waits_as_long_however_many_gpus_it_waits_for() {
    let mut drawn = Drawn::new();
    for number in 0..200 {
        let start = MS + number * 100_000;
        drawn.on_gpu(if number % 2 == 0 { 0 } else { 1 });
        drawn.launch(start..start + 5_000, "kernel", start + 10_000..start + 20_000);
        drawn.api_call("cudaDeviceSynchronize", start + 6_000..start + 21_000, NO_CORRELATION);
    }
    let likely = saving(found(&judged(drawn), "serialised_launches")).0.expect("a likely saving");
    // 200 calls of 15 µs, without which the next launch comes as much sooner.
    assert!((198 * 15_000..=200 * 15_000).contains(&likely), "{likely}");
}

/// Calls of 20 µs that copy little, for kernels of two GPUs.
#[test]
fn a_thread_copies_as_long_however_many_gpus_it_copies_for() {
    let mut drawn = Drawn::new();
    for number in 0..100 {
        let start = MS + number * 100_000;
        drawn.on_gpu(if number % 2 == 0 { 0 } else { 1 });
        drawn.copy(start..start + 20_000, 256, start + 10_000..start + 11_000);
        drawn.launch(start + 30_000..start + 35_000, "kernel", start + 36_000..start + 90_000);
    }
    let most = saving(found(&judged(drawn), "many_small_copies")).1.expect("a saving");
    assert!((99 * 20_000..=100 * 20_000).contains(&most), "{most}");
}

/// In every millisecond a wait of 42 µs, and after it launches that GPUs wait for.
#[test]
fn a_wait_costs_time_on_every_gpu_that_waits_for_the_thread() {
    let mut drawn = Drawn::new();
    let on_both = |call: Ns, kernel: Ns, length: Ns, drawn: &mut Drawn| {
        for (gpu, call) in [call, call + 2_000].into_iter().enumerate() {
            drawn.on_gpu(gpu).launch(call..call + 2_000, "kernel", kernel..kernel + length);
        }
    };
    for step in 1..21 {
        let start = step * MS;
        on_both(start, start + 10_000, 36_000, &mut drawn);
        drawn.api_call("cudaDeviceSynchronize", start + 5_000..start + 47_000, NO_CORRELATION);
        for launch in 0..31 {
            let at = start + 48_000 + launch * 30_000;
            on_both(at, at + 5_000, 24_000, &mut drawn);
        }
    }
    let judged = judged(drawn);
    // On both GPUs no more than 42 µs of every millisecond; of one GPU alone it would be under the limit of 3 %.
    let share = percent_of(found(&judged, "sync_in_step"), "sync_cost_percent");
    assert!((3.5..=4.3).contains(&share), "{share}");
}

/// The thread waits for a lock for 80 ms, and 150 ms are silent, of which 100 ms are inside the making of a communicator.
#[test]
fn what_is_done_once_is_no_silence_that_outweighs_a_known_reason() {
    let waits = |made_once: bool| {
        two_kernels(|drawn, time| {
            drawn.launch(
                time.start + 80 * MS..time.start + 80 * MS + 5_000,
                "middle",
                time.start + 81 * MS..time.start + 82 * MS,
            );
            drawn.os_call("futex", time.start..time.start + 80 * MS - 10_000);
            if made_once {
                drawn.library_range("NCCL", "ncclCommInitRank", time.start + 90 * MS..time.end);
            }
        })
    };
    let silent = verdict_detail(&waits(false)).to_string();
    assert!(silent.starts_with("Unexplained: "), "{silent}");
    let locked = verdict_detail(&waits(true)).to_string();
    assert!(locked.contains("`futex`"), "{locked}");
}

/// Two kernels that compute element by element take most of the time, beside one that uses Tensor Cores.
#[test]
fn a_limit_of_the_rule_that_speaks_instead_counts_where_it_does() {
    const GEMM: &str = "ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_nn";
    let drawn = || {
        let mut drawn = Drawn::new();
        drawn.ampere();
        let kernels = ["vectorized_elementwise_kernel<add>", "vectorized_elementwise_kernel<mul>", GEMM];
        for (number, kernel) in (0..60).zip(kernels.iter().cycle()) {
            let start = MS + number * 100_000;
            drawn.launch(start..start + 5_000, kernel, start + 10_000..start + 90_000);
        }
        drawn
    };
    let usual = judged(drawn());
    assert!(
        finding(&usual, "memory_bound_ops").is_some() && finding(&usual, "elementwise_kernels").is_none()
    );
    for setting in [limit("memory_bound_percent", 101.0), off()] {
        let judged = judged_with(drawn(), changed("memory_bound_ops", setting));
        assert!(finding(&judged, "memory_bound_ops").is_none());
        assert!(finding(&judged, "elementwise_kernels").is_some(), "no other rule speaks of these kernels");
    }
}

/// The host makes a communicator for 50 ms, and then a library ready, as CPU samples tell.
#[test]
fn a_finding_speaks_of_another_one_only_where_that_is_found() {
    let drawn = || {
        let mut drawn = Drawn::new();
        drawn.launch(9 * MS..9 * MS + 10_000, "first", 10 * MS..11 * MS);
        drawn.library_range("NCCL", "ncclCommInitRank", 12 * MS..62 * MS);
        drawn.launch(62 * MS..62 * MS + 10_000, "second", 62 * MS + 15_000..63 * MS);
        for time in 7..30 {
            drawn.sample("cublasLtCreate", "/usr/lib/libcublasLt.so.12", time * 10 * MS);
        }
        drawn.launch(311 * MS..311 * MS + 10_000, "third", 311 * MS + 15_000..320 * MS);
        drawn
    };
    let names = |judged: &Judged| {
        found(judged, "warm_up_in_range").problem.to_string().contains("is of work done once as well")
    };
    assert!(names(&judged(drawn())), "{}", found(&judged(drawn()), "warm_up_in_range").problem);
    for setting in [limit("unexplained_percent", 101.0), off()] {
        assert!(!names(&judged_with(drawn(), changed("unexplained_idle", setting))));
    }
}
