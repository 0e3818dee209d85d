//! What findings promise on small drawn captures, and what they advise: no more than the capture shows.

use super::idle_tests::{MS, finding, two_kernels};
use super::{Finding, Judged, Measure, verdict_detail};
use crate::base::time::Ns;
use crate::read::facts::WorkKind;
use crate::steps::iterate::{KeyNodeChoice, RangeChoice};
use crate::tests::drawn::Drawn;

fn profile_of(drawn: Drawn) -> Judged {
    let index = drawn.capture().index(&KeyNodeChoice::None).expect("an index");
    index.profile(&RangeChoice::default()).expect("a profile").into()
}

pub(super) fn found<'a>(judged: &'a Judged, id: &str) -> &'a Finding {
    finding(judged, id).unwrap_or_else(|| panic!("{id} is found"))
}

pub(super) fn saving(finding: &Finding) -> (Option<Ns>, Option<Ns>) {
    finding.saving.as_ref().map_or((None, None), |saving| (saving.expected_ns, saving.upper_ns))
}

/// Ranges of one family have less than half of the idle time: the next family is named as well.
#[test]
fn ranges_are_called_most_only_with_those_that_make_them_so() {
    let judged = two_kernels(|drawn, time| {
        for part in 0..10 {
            let name =
                ["read 1", "read 2", "sort", "read 3", "write"][usize::try_from(part % 5).expect("small")];
            let start = time.start + part * 29 * MS;
            drawn.range(name, start..start + 29 * MS);
        }
    });
    let words = found(&judged, "cpu_work_between").problem.to_string();
    assert!(words.contains("mostly in host ranges `read #` and `sort`"), "{words}");
}

/// GPUs work 10 ms and wait 300 ms: what another thread does beside their work hides no more than that.
#[test]
fn work_of_the_host_overlaps_with_no_more_than_gpus_do() {
    let judged = two_kernels(|drawn, time| _ = drawn.range("save", time));
    let advice = found(&judged, "cpu_work_between").recommendation.to_string();
    assert!(advice.contains(". GPUs are busy only ") && advice.contains("the rest has to go"), "{advice}");
    let mut drawn = Drawn::new();
    drawn.launch(9 * MS..9 * MS + 10_000, "first", 10 * MS..60 * MS);
    drawn.range("save", 61 * MS..85 * MS);
    drawn.launch(86 * MS..86 * MS + 10_000, "second", 86 * MS + 15_000..130 * MS);
    let judged = profile_of(drawn);
    let advice = found(&judged, "cpu_work_between").recommendation.to_string();
    assert!(!advice.contains("GPUs are busy only"), "{advice}");
}

/// An exchange of 298 ms beside 10 ms of GPU work: little of it can overlap.
#[test]
fn an_exchange_overlaps_with_no_more_than_gpus_do() {
    let exchange = two_kernels(|drawn, time| _ = drawn.mpi_call("MPI_Waitall", time));
    let finding = found(&exchange, "host_communication");
    assert_eq!(saving(finding).0, None);
    assert!(!finding.recommendation.to_string().contains("MPI_Isend"), "{}", finding.recommendation);
    assert!(verdict_detail(&exchange).to_string().contains("saves at most"), "{}", verdict_detail(&exchange));

    // Where GPUs work longer, their work is what can be saved.
    let mut drawn = Drawn::new();
    drawn.launch(9 * MS..9 * MS + 10_000, "first", 10 * MS..60 * MS);
    drawn.mpi_call("MPI_Waitall", 12 * MS..310 * MS);
    drawn.launch(311 * MS..311 * MS + 10_000, "second", 311 * MS + 15_000..320 * MS);
    let judged = profile_of(drawn);
    let finding = found(&judged, "host_communication");
    let (expected, most) = saving(finding);
    assert!(expected.is_none() && most.is_some_and(|most| most >= 250 * MS), "{most:?}");
    let basis = finding.saving.as_ref().map(|saving| saving.basis.to_string()).unwrap_or_default();
    assert!(basis.ends_with("overlap alone hides no more than GPUs work"), "{basis}");
    assert!(finding.recommendation.to_string().contains("MPI_Isend"), "{}", finding.recommendation);
}

/// Pinning memory for a single copy costs about what it saves.
#[test]
fn a_single_copy_from_pageable_memory_promises_nothing() {
    let copies = |count: Ns| {
        let mut drawn = Drawn::new();
        for copy in 0..count {
            let now = MS + copy * 30 * MS;
            drawn.copy(now..now + 21 * MS, 100 << 20, now + MS..now + 21 * MS);
            drawn.launch(now + 22 * MS..now + 22 * MS + 5_000, "saxpy", now + 23 * MS..now + 29 * MS);
        }
        drawn.pageable_copies();
        profile_of(drawn)
    };
    let once = copies(1);
    let finding = found(&once, "pageable_copies");
    let (expected, most) = saving(finding);
    assert_eq!(expected, None);
    // 100 MiB in 20 ms; pinned memory of PCIe 3 takes 8.7 ms for them, and 2 ms of the host are beside them then.
    assert!(most.is_some_and(|most| (11 * MS..14 * MS).contains(&most)), "{most:?}");
    assert!(finding.recommendation.to_string().contains("For a single copy pinning costs"));
    assert!(saving(found(&copies(4), "pageable_copies")).0.is_some());
}

/// Four copies of 100 MiB, each between two kernels, at so many GB/s.
fn pageable_at(gb_per_s: Ns) -> Judged {
    let mut drawn = Drawn::new();
    let bytes: u64 = 100 << 20;
    let copy_ns = (100 << 20) / gb_per_s;
    for copy in 0..4 {
        let now = MS + copy * 40 * MS;
        drawn.copy(now..now + copy_ns + 10_000, bytes, now + 10_000..now + 10_000 + copy_ns);
        let launch = now + copy_ns + 20_000;
        drawn.launch(launch..launch + 5_000, "saxpy", launch + 10_000..launch + MS);
    }
    drawn.pageable_copies();
    profile_of(drawn)
}

/// Copies that are faster than a bus show that it is a faster one; beside a warning no saving is 0.
#[test]
fn the_rate_of_pinned_memory_follows_from_that_of_pageable_copies() {
    for (gb_per_s, pinned_gb_per_s) in [(5, 12), (14, 25), (30, 50)] {
        let judged = pageable_at(gb_per_s);
        let (expected, most) = saving(found(&judged, "pageable_copies"));
        let copies_ns = |rate: Ns| 4 * (100 << 20) / rate;
        let saved_ns = copies_ns(gb_per_s) - copies_ns(pinned_gb_per_s);
        let expected = expected.expect("pinned memory is faster");
        // Calls that do not wait let the host go on meanwhile.
        assert!(
            (saved_ns..copies_ns(gb_per_s)).contains(&expected),
            "{gb_per_s} GB/s: {expected} of {saved_ns}"
        );
        assert!(most.is_some_and(|most| most >= expected));
    }
    let fastest = pageable_at(60);
    let (expected, most) = saving(found(&fastest, "pageable_copies"));
    assert!(expected.is_none() && most.is_some_and(|most| most > 0), "no bus is faster");
}

/// Copies to the GPU at 14 GB/s show a bus on which those to the host, here at 3, need no more than at 25 from pinned memory.
#[test]
fn a_rate_in_one_direction_is_a_rate_of_the_bus() {
    let mut drawn = Drawn::new();
    drawn.pageable_copies().copied_bytes(84_000_000);
    for step in 0..4_u32 {
        let now = MS + Ns::from(step) * 50 * MS;
        for (kind, number, times) in [("HtoD", 0, 0..6 * MS), ("DtoH", 1, 8 * MS..36 * MS)] {
            let origin = (drawn.current_process(), 10 + 2 * step + number);
            let (start, end) = (now + times.start, now + times.end);
            drawn.api_call("cudaMemcpyAsync", start..end + 1_000, origin.1);
            drawn.work(WorkKind::Copy, kind, start + 1_000..end + 1_000, origin);
        }
        let launch = now + 40 * MS;
        drawn.launch(launch..launch + 5_000, "saxpy", launch + 10_000..launch + MS);
    }
    let judged = profile_of(drawn);
    let figures = &found(&judged, "pageable_copies").figures;
    let from_pinned =
        figures.iter().find(|(name, _)| name == "from_pinned_ns").map(|(_, figure)| figure.clone());
    assert_eq!(from_pinned, Some(Measure::Time(8 * 84_000_000 / 25)));
}

/// Ten long launches of each kernel, one after another.
fn kernels(names: &[&str]) -> Judged {
    let mut drawn = Drawn::new();
    let mut now = MS;
    for name in std::iter::repeat_n(names, 10).flatten() {
        drawn.launch(now..now + 5_000, name, now + 10_000..now + 900_000);
        now += MS;
    }
    profile_of(drawn)
}

#[test]
fn fusing_keeps_copies_and_optimizers_are_named_where_one_runs() {
    const ADD: &str =
        "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>(int)";
    const MUL: &str = "void at::native::vectorized_elementwise_kernel<4, at::native::MulFunctor<float>>(int)";
    const COPY: &str =
        "void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda(at::Tensor)>(int)";
    let says_optimizers = |judged: &Judged| {
        found(judged, "elementwise_kernels").recommendation.to_string().contains("optimizers")
    };
    let (plain, copying) = (kernels(&[ADD, MUL]), kernels(&[ADD, MUL, COPY]));
    let most = |judged: &Judged| saving(found(judged, "elementwise_kernels")).1;
    // What copies lie between is not fused.
    assert!(most(&copying) < most(&plain), "{:?} {:?}", most(&copying), most(&plain));
    assert!(!says_optimizers(&plain));
    assert!(says_optimizers(&kernels(&[
        ADD,
        MUL,
        "void multi_tensor_apply_kernel<Lists<4>, AdamFunctor<float>>(int)"
    ])));
}

/// Ten blocks of twenty launches, each after a wait of 8 ms for a copy of 8 bytes: GPUs run dry after the wait, and idle between
/// the launches that follow, because the thread has nothing in store.
fn waits_behind_copies(wait: Ns) -> Judged {
    let mut drawn = Drawn::new();
    let mut now = MS;
    for block in 0..10 {
        let copy = now + 3_000;
        drawn.range("aten::to", now..now + wait + 20_000);
        drawn.launch(now..now + 2_000, "long", now + 5_000..now + wait);
        drawn.copy(copy..copy + 3_000, 8, now + wait + 1_000..now + wait + 2_000);
        let number = 1 + u32::try_from(block).expect("few");
        drawn.api_call("cudaStreamSynchronize", copy + 4_000..now + wait + 3_000, number);
        now += wait + 5_000;
        for _ in 0..20 {
            drawn.launch(now..now + 2_000, "short", now + 5_000..now + 25_000);
            now += 60_000;
        }
    }
    drawn.pageable_copies();
    profile_of(drawn)
}

/// What a wait costs is not the gap in which it ends alone: the thread would have been earlier by all of it.
#[test]
fn a_wait_costs_what_gpus_idle_until_the_next_one() {
    let judged = waits_behind_copies(8 * MS);
    let waits = found(&judged, "sync_in_step");
    let words = waits.problem.to_string();
    let place =
        "`cudaStreamSynchronize` in range `aten::to`, after copies of at most 8 bytes from pageable memory";
    assert!(words.contains(place), "{words}");
    // In each block 20 gaps of about 40 µs, of which the kernels in between are the rest.
    let (Some(expected_ns), Some(most_ns)) = saving(waits) else { panic!("a saving") };
    assert!((7 * MS..=9 * MS).contains(&expected_ns) && most_ns >= expected_ns, "{expected_ns} {most_ns}");
    let copies = found(&judged, "pageable_copies").problem.to_string();
    assert!(copies.contains("and waits after them"), "{copies}");
    // The host waits for the kernel before the copy, not for the copy.
    assert!(copies.contains(". For 100% of it kernels run before them"), "{copies}");

    // No wait saves more than it is long.
    let short = waits_behind_copies(MS / 10);
    let (expected_ns, _) = saving(found(&short, "sync_in_step"));
    assert!(expected_ns.is_some_and(|ns| ns <= MS), "{expected_ns:?}");
}

/// Twelve steps of 1 ms, each with 20 launches of 300 µs of work in all; `wait` is how long the host waits for the GPU in each.
fn steps_that_wait(wait: Ns, copies: bool) -> Judged {
    steps_of(["gather_rows"; 19], 15_000, wait, copies)
}

/// The same with kernels of these names and this length.
fn steps_of(kernels: [&str; 19], kernel_ns: Ns, wait: Ns, copies: bool) -> Judged {
    let mut drawn = Drawn::new();
    drawn.multiprocessors(108);
    for step in 0..12 {
        let start = MS + step * (MS + wait);
        drawn.range("step", start..start + MS + wait);
        for launch in 0..20 {
            let call = start + launch * 50_000;
            match copies && launch == 19 {
                true => drawn.copy(call..call + 40_000, 1 << 20, call + 1_000..call + 41_000),
                false => {
                    let kernel = kernels[usize::try_from(launch).expect("small") % kernels.len()];
                    drawn.launch(call..call + 3_000, kernel, call + 4_000..call + 4_000 + kernel_ns)
                }
            };
        }
        if wait > 0 {
            drawn.api_call(
                "cudaDeviceSynchronize",
                start + MS..start + MS + wait,
                crate::read::facts::NO_CORRELATION,
            );
        }
    }
    let index = drawn.capture().index(&KeyNodeChoice::Named("step".into())).expect("it ran");
    index.profile(&RangeChoice::default()).expect("a profile").into()
}

/// Where the GPU waits for the host most of the time and the host never for the GPU, kernels that take less time save nothing.
#[test]
fn gpu_time_that_the_host_never_waits_for_saves_nothing() {
    let judged = steps_that_wait(0, false);
    let underfilled = found(&judged, "underfilled");
    assert_eq!(saving(underfilled).1, Some(0));
    let basis = underfilled.saving.as_ref().map(|saving| saving.basis.to_string()).unwrap_or_default();
    assert!(basis.ends_with("no more than the time in which the host waits for the GPU"), "{basis}");
    assert!(found(&judged, "launch_bound").saving.is_some());
}

/// GPUs wait for launches two fifths of the time: here, too, the host decides how long steps last.
#[test]
fn launches_that_come_late_bound_savings_of_gpu_time() {
    let underfilled =
        |wait| saving(found(&steps_of(["gather_rows"; 19], 30_000, wait, false), "underfilled")).1;
    assert_eq!(underfilled(0), Some(0));
    assert_eq!(underfilled(20_000), Some(12 * 20_000));
}

/// Of 20 launches per step 5 belong to softmax: without them the host has less to do, whatever their kernels take.
#[test]
fn fused_attention_saves_what_the_host_takes_for_its_launches() {
    let mut kernels = ["ampere_sgemm_128x64_tn"; 19];
    kernels[..5].fill("void softmax_warp_forward<float>(float*)");
    let judged = steps_of(kernels, 30_000, 0, false);
    let attention = found(&judged, "unfused_attention");
    // From launch to launch 50 µs; the twentieth launch has the name of the first. In the first step its own 3 µs.
    let each_step = 6 * 50_000;
    let (expected, _) = saving(attention);
    // What the host takes up to the first launch of all is left.
    let all = 12 * each_step;
    assert!(expected.is_some_and(|ns| (all - 100_000..all).contains(&ns)), "{attention:?}");
    let words = found(&judged, "launch_bound").problem.to_string();
    assert!(words.ends_with("20 launches per iteration"), "all launches take the host equally long: {words}");
}

/// Calls that only queue a copy are no waits.
#[test]
fn asynchronous_copies_are_no_waits() {
    let judged = steps_that_wait(50_000, true);
    assert_eq!(saving(found(&judged, "underfilled")).1, Some(12 * 50_000));
}

/// Two hundred rows, each taken, copied, waited for and filled by the runtime.
#[test]
fn what_comes_with_each_small_copy_counts_to_the_copies() {
    let mut drawn = Drawn::new();
    drawn.multiprocessors(68);
    let none = crate::read::facts::NO_CORRELATION;
    let mut now = MS;
    for _ in 0..200 {
        drawn.api_call("cuMemAlloc_v2", now..now + 10_000, none);
        drawn.copy(now + 12_000..now + 20_000, 1024, now + 19_000..now + 20_500);
        drawn.api_call("cuStreamSynchronize", now + 21_000..now + 26_000, none);
        drawn.launch(now + 28_000..now + 38_000, "__pgi_uacc_cuda_fill_42_gpu", now + 39_000..now + 43_000);
        now += 44_000;
    }
    let judged = profile_of(drawn);
    let copies = found(&judged, "many_small_copies");
    assert_eq!(saving(copies).1, Some(199 * 44_000 + 8_000));
    assert_eq!(judged.findings()[0].id, "many_small_copies");
    let words = copies.problem.to_string();
    assert!(words.contains(". With them come 200 launches of `__pgi_uacc_cuda_fill_42_gpu`, "), "{words}");
    for rule in ["launch_bound", "allocation_in_step"] {
        let advice = found(&judged, rule).recommendation.to_string();
        assert!(advice.contains("small cop") && !advice.contains("region"), "{advice}");
    }
    assert!(finding(&judged, "underfilled").is_none(), "the runtime's kernel is not the program's");
    assert!(
        found(&judged, "kernel_hotspot")
            .recommendation
            .to_string()
            .starts_with("The runtime of the compiler")
    );
}

/// A program that died is the first thing that the verdict says.
#[test]
fn the_verdict_begins_with_the_end_of_the_program() {
    let plain = verdict_detail(&profile_of_failed(None)).to_string();
    assert!(!plain.contains("ended badly"), "{plain}");
    let died =
        verdict_detail(&profile_of_failed(Some("process 7, stderr: FATAL ERROR: no data / file: main.c")))
            .to_string();
    let start = "The program ended badly: “process 7, stderr: FATAL ERROR: no data”. The capture may show only a part";
    assert!(died.starts_with(start) && died.contains("GPU-bound"), "{died}");
    let long = verdict_detail(&profile_of_failed(Some(&"ü".repeat(900)))).to_string();
    assert!(long.contains("ü…”"), "{long}");
}

/// A kernel, and what the program printed at its end.
fn profile_of_failed(printed: Option<&str>) -> Judged {
    let mut drawn = Drawn::new();
    drawn.launch(MS..MS + 5_000, "saxpy", MS + 10_000..9 * MS);
    if let Some(line) = printed {
        drawn.printed_at_its_end(line);
    }
    profile_of(drawn)
}

/// Steps of 20 launches, of which every tenth takes the host 500 µs, and six memsets.
#[test]
fn launches_that_take_the_host_longest_and_memsets_are_named() {
    let mut drawn = Drawn::new();
    let mut now = MS;
    for _ in 0..6 {
        let start = now;
        for launch in 0..20 {
            let kernel = if launch % 10 == 9 { "index_elementwise_kernel" } else { "saxpy" };
            now += if launch % 10 == 9 { 500_000 } else { 50_000 };
            drawn.launch(now..now + 3_000, kernel, now + 4_000..now + 34_000);
        }
        drawn.api_call("cudaMemsetAsync", now + 5_000..now + 6_000, 7);
        drawn.work(WorkKind::Memset, "memset", now + 36_000..now + 37_000, (drawn.current_process(), 7));
        now += 50_000;
        drawn.range("step", start..now - 1_000);
    }
    let index = drawn.capture().index(&KeyNodeChoice::Named("step".into())).expect("it ran");
    let judged: Judged = index.profile(&RangeChoice::default()).expect("a profile").into();
    let words = found(&judged, "launch_bound").problem.to_string();
    assert!(words.starts_with("GPUs wait for the next launch or memset "), "{words}");
    assert!(words.contains(". These are 20 launches and 1 memset per iteration. The host takes "), "{words}");
    // 500 µs and the 3 µs of the call, each twice.
    assert!(
        words.contains(
            "The host takes 500.000 µs up to each of 2 launches of `index_elementwise_kernel`, and "
        ),
        "{words}"
    );
}
