//! What is said of drawn traces of torch.profiler.

use super::idle_tests::{MS, finding};
use super::{Finding, Judged, RuleState, verdict, verdict_detail};
use crate::base::time::Ns;
use crate::read::facts::{Vendor, WorkKind};
use crate::steps::iterate::{ClockChoice, KeyNodeChoice, RangeChoice};
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
    assert!(
        verdict_detail(&waits).to_string().contains("wait for work that was started before the recording")
    );
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
    assert!(verdict_detail(&waits).to_string().contains("launched before the recording began"));
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

/// Each step begins with a broadcast of buffers, which launches nothing for 20 ms.
#[test]
fn broadcasts_of_buffers_are_named() {
    let broadcasts = |with_broadcast: bool| {
        steps(trace(), |drawn, start| {
            drawn.range("DistributedDataParallel.forward", start..start + 60 * MS);
            if with_broadcast {
                drawn.operator("aten::flatten_dense_tensors", None, false, start + MS..start + 3 * MS);
                drawn.operator("c10d::broadcast_", None, false, start + 3 * MS..start + 4 * MS);
                drawn.operator("aten::unflatten_dense_tensors", None, false, start + 4 * MS..start + 19 * MS);
                drawn.operator("aten::view", None, false, start + 5 * MS..start + 18 * MS);
                drawn.operator("aten::copy_", None, false, start + 19 * MS..start + 20 * MS);
            }
            drawn.operator("aten::conv2d", None, false, start + 20 * MS..start + 50 * MS);
            for part in 0..30 {
                let at = start + 20 * MS + part * 2 * MS;
                drawn.launch(at..at + 10_000, "gemm", at + 12_000..at + 2 * MS);
            }
        })
    };
    let judged = broadcasts(true);
    let found = found(&judged, "buffer_broadcasts");
    let words = found.problem.to_string();
    assert!(words.contains("19.000 ms each time on the host. GPUs idle 19.0% of the time"), "{words}");
    assert!(found.recommendation.to_string().contains("broadcast_buffers=False"));
    let most = found.saving.as_ref().and_then(|saving| saving.upper_ns).expect("a saving");
    assert!(most >= 57 * MS, "three steps of 19 ms: {most}");
    // On the clock of the GPU steps begin with their first work, after the broadcast.
    let range = RangeChoice { clock: ClockChoice::Gpu, ..RangeChoice::default() };
    let on_gpu = Judged::from(judged.index.profile(&range).expect("a profile"));
    let words = finding(&on_gpu, "buffer_broadcasts").expect("found").problem.to_string();
    assert!(words.contains("19.000 ms each time on the host. GPUs idle 1"), "{words}");
    // What an operator calls inside is its own.
    let between = finding(&judged, "cpu_work_between").expect("long gaps").problem.to_string();
    assert!(
        between.contains("`aten::unflatten_dense_tensors`") && !between.contains("aten::view"),
        "{between}"
    );
    assert!(finding(&broadcasts(false), "buffer_broadcasts").is_none());
}

/// Kernels of NCCL leave most of the GPU to others.
#[test]
fn kernels_that_exchange_data_are_no_small_grids() {
    let with = |kernel: &'static str| {
        let mut drawn = trace();
        drawn.multiprocessors(80);
        steps(drawn, |drawn, start| kernel_named(drawn, start, kernel))
    };
    assert!(finding(&with("ncclKernel_AllReduce_RING_LL_Sum_float"), "underfilled").is_none());
    assert!(finding(&with("gemm"), "underfilled").is_some());
}

/// A kernel of 10 ms with a name, launched at a time.
fn kernel_named(drawn: &mut Drawn, at: Ns, name: &str) {
    drawn.launch(at..at + 10_000, name, at + 12_000..at + 10 * MS);
}

/// Counts stand beside savings per iteration.
#[test]
fn changes_of_layout_are_counted_per_iteration() {
    let layouts = steps(trace(), |drawn, start| {
        for part in 0..4 {
            let name = if part < 3 { "nchwToNhwcKernel" } else { "implicit_convolve_sgemm" };
            kernel_named(drawn, start + part * 12 * MS, name);
        }
    });
    let words = found(&layouts, "layout_transposes").problem.to_string();
    assert!(words.starts_with("3 kernels per iteration only change the layout"), "{words}");
    assert!(words.ends_with("beside 1 kernel named after convolutions"), "{words}");
}

/// A step is known by its own name, and GPUs may still work for those before it.
#[test]
fn one_step_is_found_by_its_name_and_says_what_comes_before_it() {
    let drawn = || {
        let mut drawn = trace();
        drawn.range("ProfilerStep#6", 2 * MS..50 * MS);
        drawn.loose(WorkKind::Kernel, "gemm", MS..6 * MS);
        kernel(&mut drawn, 10 * MS);
        drawn
    };
    let judged = judged(drawn());
    assert_eq!(judged.work_before_steps(), Some(("ProfilerStep#6".to_owned(), 5 * MS)));
    let of_step = |wanted: &str| {
        let index = drawn().capture().index(&KeyNodeChoice::Named(wanted.to_owned())).expect("it ran");
        index.iterations.boundaries.clone()
    };
    assert_eq!(of_step("ProfilerStep#6"), of_step("ProfilerStep"));
    assert!(drawn().capture().index(&KeyNodeChoice::Named("ProfilerStep#7".into())).is_err());
}

/// Updates of the parameters run as often as the kernels repeat.
#[test]
fn updates_of_the_optimizer_delimit_iterations_where_steps_are_not_marked() {
    let mut drawn = trace();
    for step in 0..12 {
        let start = step * 100 * MS;
        for part in 0..8 {
            let at = start + part * 10 * MS;
            kernel_named(&mut drawn, at, &format!("kernel_{part}"));
        }
        drawn.range("Optimizer.step#SGD.step", start + 82 * MS..start + 95 * MS);
        kernel_named(&mut drawn, start + 84 * MS, "multi_tensor_apply_kernel");
    }
    let judged = judged(drawn);
    let key_node = judged.index.iterations.key_node.as_ref().expect("iterations");
    assert_eq!(key_node.name, "Optimizer.step#SGD.step");
    assert_eq!(key_node.starts.len(), 12);
}

/// Kernels that a trace has for the first time ran before it where steps came before.
#[test]
fn what_comes_first_in_a_later_step_is_not_done_once() {
    let with = |step: &str| {
        let mut drawn = trace();
        drawn.range(step, 0..400 * MS);
        for part in 0..12 {
            let (call, at) = (MS + part * 1000, MS + part * 30 * MS);
            drawn.launch(call..call + 500, &format!("kernel_{part}"), at + 20 * MS..at + 30 * MS);
        }
        drawn.pageable_copies();
        let profile = drawn.capture().index(&KeyNodeChoice::None).expect("an index");
        Judged::from(profile.profile(&RangeChoice::default()).expect("a profile"))
    };
    let says_first = |judged: &Judged| {
        finding(judged, "warm_up_in_range")
            .is_some_and(|found| found.problem.to_string().contains("first launches"))
    };
    assert!(says_first(&with("ProfilerStep#0")));
    assert!(!says_first(&with("ProfilerStep#551")));
}

/// Old traces do not say which GPU it is: what depends on it is not judged, and so no finding is new beside such a trace.
#[test]
fn without_a_compute_capability_nobody_knows_what_fp32_costs() {
    let judged_with = |is_known: bool| {
        let mut drawn = trace();
        if is_known {
            drawn.ampere();
        }
        steps(drawn, |drawn, start| kernel_named(drawn, start, "volta_sgemm_64x64_nt"))
    };
    let is_not_judged = |judged: &Judged| matches!(judged.rule_state("fp32_matrix"), RuleState::NotJudged(_));
    assert!(is_not_judged(&judged_with(false)));
    assert!(!is_not_judged(&judged_with(true)));
}

/// Each step waits for 80 ms in the host's own code.
#[test]
fn what_made_the_host_slow_is_what_was_recorded() {
    let with = |with_stack: bool, profile_memory: bool| {
        let mut drawn = Drawn::new();
        drawn.asked_for(with_stack, profile_memory);
        let judged = steps(drawn, |drawn, start| {
            drawn.range("save", start..start + 80 * MS);
            kernel(drawn, start + 80 * MS);
        });
        found(&judged, "cpu_work_between").recommendation.to_string()
    };
    assert!(!with(false, false).contains("slower than it is"));
    assert!(with(true, false).contains("recorded Python stacks, which makes the host slower"));
    assert!(with(false, true).ends_with("measure again without `profile_memory`"));
    assert!(with(true, true).contains("Python stacks and memory"));
}

/// Traces of programs that do different things badly.
fn drawn_traces() -> Vec<Drawn> {
    let in_steps = |add: &dyn Fn(&mut Drawn, Ns)| {
        let mut drawn = trace();
        for step in 0..4 {
            let start = 100 * step * MS;
            drawn.range(&format!("ProfilerStep#{step}"), start..start + 100 * MS);
            add(&mut drawn, start);
        }
        drawn
    };
    let mut without_kernels = trace();
    without_kernels.api_call("urEnqueueKernelLaunch", 0..MS, 7).range("decode", 0..10 * MS);
    let mut without_ranges = trace();
    without_ranges.launch(0..MS, "gemm", 2 * MS..9 * MS);
    vec![
        without_kernels,
        without_ranges,
        // Launches that come late, of short kernels.
        in_steps(&|drawn, start| {
            for part in 0..60 {
                let at = start + part * MS;
                drawn.launch(at..at + 10_000, "gemm", at + 12_000..at + 20_000);
            }
        }),
        // Launches that wait for their kernel.
        in_steps(&|drawn, start| {
            for part in 0..60 {
                let at = start + part * MS;
                drawn.launch(at..at + 900_000, "gemm", at + 10_000..at + 800_000);
            }
        }),
        // Long gaps in which nothing is told, and a wait for the device.
        in_steps(&|drawn, start| {
            kernel(drawn, start + 40 * MS);
            drawn.api_call("urQueueFinish", start + 41 * MS..start + 60 * MS, 0);
        }),
        // Kernels that exchange data.
        in_steps(&|drawn, start| {
            drawn.launch(start..start + 10_000, "oneccl_allreduce", start + 12_000..start + 60 * MS);
        }),
    ]
}

#[test]
fn only_traces_of_nvidia_are_spoken_of_in_its_words() {
    let words = |text: &str| -> Vec<String> {
        text.split(|letter: char| !letter.is_alphanumeric() && letter != '_').map(str::to_owned).collect()
    };
    let mut found = 0;
    for vendor in [Vendor::Amd, Vendor::Intel, Vendor::Ascend, Vendor::Other, Vendor::Unknown] {
        for mut drawn in drawn_traces() {
            drawn.of_vendor(vendor);
            let judged = judged(drawn);
            let said = judged.findings().iter().flat_map(|finding| {
                [finding.problem.to_string(), finding.recommendation.to_string(), finding.link.to_string()]
            });
            for text in
                said.chain([verdict(&judged).sentence.to_string(), verdict_detail(&judged).to_string()])
            {
                // PyTorch calls GPUs of AMD so as well.
                let of_amd = ["ProfilerActivity.CUDA", "torch.cuda"];
                let text = match vendor {
                    Vendor::Amd => of_amd.iter().fold(text, |text, name| text.replace(name, "")),
                    _ => text,
                };
                let of_nvidia = ["CUDA", "cuda", "nsys", "NVTX", "Nsight", "nvidia", "DALI", "ncu"];
                let is_wrong = words(&text).iter().any(|word| of_nvidia.contains(&word.as_str()));
                assert!(!is_wrong && !text.contains("Tensor Core"), "{vendor:?}: {text}");
                found += 1;
            }
        }
    }
    assert!(found > 100, "{found} sentences");
}

/// Operators that a tool left out may have launched what fills the gaps.
#[test]
fn nothing_is_concluded_from_gaps_of_a_thinned_trace() {
    let judged = |is_thinned: bool| {
        let mut drawn = trace();
        if is_thinned {
            drawn.thinned();
        }
        steps(drawn, |drawn, start| {
            drawn.range("## save ##", start + 20 * MS..start + 90 * MS);
            kernel(drawn, start);
            kernel(drawn, start + 90 * MS);
        })
    };
    let (whole, thinned) = (judged(false), judged(true));
    assert!(finding(&whole, "cpu_work_between").is_some() && finding(&whole, "thinned_trace").is_none());
    assert!(finding(&thinned, "cpu_work_between").is_none());
    assert!(found(&thinned, "thinned_trace").misleads);
    assert!(
        verdict(&thinned).sentence.to_string().starts_with("This capture misleads: "),
        "{:?}",
        verdict(&thinned)
    );
}

/// The advice to call fewer operators needs operators: a range of the program that is open around them is none.
#[test]
fn operators_are_advised_about_where_they_take_most_of_the_gaps() {
    let advice = |operator_ms: Ns| {
        let judged = steps(trace(), |drawn, start| {
            drawn.range("## backward ##", start + 12 * MS..start + 88 * MS);
            drawn.operator(
                "aten::_foreach_add_",
                None,
                false,
                start + 13 * MS..start + (13 + operator_ms) * MS,
            );
            kernel(drawn, start);
            kernel(drawn, start + 90 * MS);
        });
        found(&judged, "cpu_work_between").recommendation.to_string()
    };
    assert!(advice(60).contains("operators of PyTorch"), "{}", advice(60));
    assert!(!advice(25).contains("operators of PyTorch"), "{}", advice(25));
}

/// Two steps are few, but who names them gets them.
#[test]
fn few_steps_are_a_key_node_that_is_named() {
    let mut drawn = trace();
    for step in 0..2 {
        let start = 100 * step * MS;
        drawn.range(&format!("ProfilerStep#{}", 551 + step), start..start + 100 * MS);
        kernel(&mut drawn, start);
    }
    let index = drawn.capture().index(&KeyNodeChoice::Named("ProfilerStep".into())).expect("they ran");
    let profile = index.profile(&RangeChoice::default()).expect("a profile");
    assert_eq!(profile.iterations.count(), 3, "and what comes before");
}

/// The first call of an operator takes 40 ms, later ones take 10 µs: later steps do not have that.
#[test]
fn slow_first_calls_of_operators_are_done_once() {
    let judged = |first_ms: Ns, later_ms: Ns| {
        let mut drawn = trace();
        drawn.range("ProfilerStep#0", 0..100 * MS);
        kernel(&mut drawn, 0);
        drawn.operator("aten::addmm", None, false, 15 * MS..(15 + first_ms) * MS);
        kernel(&mut drawn, 55 * MS);
        for call in 0..9 {
            let start = (66 + 3 * call) * MS;
            drawn.operator("aten::addmm", None, false, start..start + later_ms * MS + 10_000);
            drawn.launch(
                start + later_ms * MS + 11_000..start + later_ms * MS + 12_000,
                "gemm",
                start + 2_500_000..start + 2_900_000,
            );
        }
        self::judged(drawn)
    };
    let once = |judged: &Judged| finding(judged, "warm_up_in_range").map(|found| found.problem.to_string());
    assert!(
        once(&judged(40, 0)).is_some_and(|problem| problem.contains("done once")),
        "{:?}",
        once(&judged(40, 0))
    );
    assert!(finding(&judged(40, 0), "cpu_work_between").is_none());
    // Calls that all take long are no first calls.
    assert_eq!(once(&judged(9, 2)), None);
}
