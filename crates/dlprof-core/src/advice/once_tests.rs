//! What is said of drawn captures about work that is done once, and about time that no call and no range explains.

use super::idle_tests::{MS, finding, two_kernels};
use super::scene::Scene;
use super::{Judged, cause_in_words, computing_percent, verdict_detail, what_would_tell};
use crate::base::time::Ns;
use crate::capture::classified::Cause;
use crate::figures::activity::syncs_by_window;
use crate::read::facts::OverheadKind;
use crate::steps::iterate::{KeyNodeChoice, RangeChoice};
use crate::tests::drawn::Drawn;

/// The share of the window that is said to be for work done once; the window of two kernels is 310 ms.
fn done_once(judged: &Judged) -> Option<String> {
    finding(judged, "warm_up_in_range")
        .and_then(|found| found.problem.to_string().split('%').next().map(str::to_owned))
}

/// A library reads files and prepares tables between the calls that load its code.
#[test]
fn what_lies_beside_calls_that_load_code_is_done_once() {
    let loads = |drawn: &mut Drawn, every: Ns| {
        drawn.range("attention", 12 * MS..310 * MS);
        for (number, start) in (20..300).step_by(usize::try_from(every).expect("few")).enumerate() {
            let correlation = 70 + u32::try_from(number).expect("few");
            drawn.api_call("cuLibraryLoadData", start * MS..(start + 10) * MS, correlation);
        }
    };
    // Ten calls of 10 ms, from 20 to 300 ms, and the pauses from 11 to 311 ms.
    let once = two_kernels(|drawn, _| loads(drawn, 30));
    assert_eq!(done_once(&once).as_deref(), Some("96.8"));
    assert!(finding(&once, "cpu_work_between").is_none());
    // The range is not named after it.
    let words = finding(&once, "warm_up_in_range").expect("it is said").problem.to_string();
    assert!(words.contains("in ranges of the program"), "{words}");
    assert!(!words.contains("named after") && !words.contains("not recorded"), "{words}");
    // Two calls far apart: what is between is the program's.
    let apart = two_kernels(|drawn, _| loads(drawn, 270));
    assert_eq!(done_once(&apart).as_deref(), Some("6.5"));
    assert!(finding(&apart, "cpu_work_between").is_some());
    // One call that takes much of its gap.
    let load =
        |start: Ns| two_kernels(|drawn, _| _ = drawn.api_call("cuModuleLoadData", start * MS..280 * MS, 70));
    assert_eq!(done_once(&load(200)).as_deref(), Some("96.8"));
    assert_eq!(done_once(&load(260)).as_deref(), Some("6.5"));
}

#[test]
fn the_first_call_that_needs_a_context_makes_it() {
    let frees = |initialises: bool| {
        two_kernels(|drawn, _| {
            if initialises {
                drawn.api_call("cuInit", 20 * MS..21 * MS, 70);
            }
            drawn.api_call("cudaFree_v3020", 122 * MS..222 * MS, 71);
            drawn.api_call("cudaMalloc_v3020", 230 * MS..300 * MS, 72);
        })
    };
    // From 20 to 222 ms, with the pause in which the library that initialises is loaded; not the one after.
    assert_eq!(done_once(&frees(true)).as_deref(), Some("65.2"));
    assert_eq!(done_once(&frees(false)), None);
    let nested = two_kernels(|drawn, _| {
        drawn.api_call("cudaFree_v3020", 22 * MS..222 * MS, 70);
        drawn.api_call("cuDevicePrimaryCtxRetain", 30 * MS..40 * MS, 71);
    });
    assert_eq!(done_once(&nested).as_deref(), Some("64.5"));
    // Making the context is inside the call that needs it.
    let words = finding(&nested, "warm_up_in_range").expect("it is said").problem.to_string();
    assert!(
        words.ends_with("done once. 64.5% in calls that take or give back memory, such as `cudaFree`"),
        "{words}"
    );
}

#[test]
fn what_makes_communicators_is_done_once_whatever_it_calls() {
    let made = |text: &str| {
        two_kernels(|drawn, time| {
            drawn.library_range("NCCL", text, time);
            drawn.api_call("cudaHostAlloc", 20 * MS..120 * MS, 70);
            drawn.api_call("cudaStreamSynchronize", 130 * MS..200 * MS, 71);
        })
    };
    let waits = |profile: &Judged| {
        let scene = Scene::new(profile);
        syncs_by_window(scene.facts(), &scene.call_windows(), &[])[0].syncs
    };
    let communicator = made("ncclCommInitRank");
    assert_eq!(done_once(&communicator).as_deref(), Some("96.1"));
    assert_eq!(waits(&communicator), 0);
    let other = two_kernels(|drawn, _| _ = drawn.api_call("cudaStreamSynchronize", 130 * MS..200 * MS, 71));
    assert_eq!((done_once(&other), waits(&other)), (None, 1));
}

/// A call that gives back memory, inside the function that makes a library's handle or inside one of the program.
#[test]
fn a_call_inside_the_making_of_a_library_is_done_once() {
    let frees = |function: &str, module: &str| {
        let judged = two_kernels(|drawn, _| {
            drawn.api_call("cudaFree_v3020", 110 * MS..210 * MS, 71);
            (12..20).for_each(|time| _ = drawn.sample(function, module, time * 10 * MS));
        });
        let found = finding(&judged, "warm_up_in_range").map(|found| found.problem.to_string());
        (done_once(&judged), found.unwrap_or_default())
    };
    let (share, words) = frees("cublasLtCreate", "/usr/lib/libcublasLt.so.12");
    assert_eq!(share.as_deref(), Some("32.3"));
    assert!(
        words.contains("while a library gets ready, as in `cudaFree` inside `cublasLtCreate`"),
        "{words}"
    );
    assert!(!words.contains("memory"), "{words}");
    assert_eq!(frees("cublasLtMatmul", "/usr/lib/libcublasLt.so.12"), (None, String::new()));
}

#[test]
fn samples_tell_that_the_program_computes() {
    let sampled = |module: &str| {
        two_kernels(|drawn, _| {
            for time in 3..30 {
                drawn.sample("step", module, time * 10 * MS);
            }
        })
    };
    let computes = sampled("/home/me/train");
    let said = verdict_detail(&computes).to_string();
    assert!(
        said.starts_with("CPU-bound: GPUs idle ")
            && said.contains("So say 27 of the 27 samples of its threads"),
        "{said}"
    );
    let found = finding(&computes, "unexplained_idle").expect("no call and no range says why");
    assert!(found.recommendation.to_string().starts_with("Take this work off the path"), "{found:?}");
    assert_eq!(cause_in_words(&computes, Cause::Unknown), "unknown (CPU samples: computing)");
    assert_eq!(cause_in_words(&sampled("/usr/lib/libmpi.so.12"), Cause::Unknown), "unknown");
    assert_eq!(computing_percent(&sampled("/usr/lib/libmpi.so.12")), None);
    let waits = verdict_detail(&sampled("/usr/lib/libmpi.so.12")).to_string();
    assert!(waits.starts_with("Unexplained: ") && waits.contains("`step`"), "{waits}");
}

/// No call, range or sample says what the thread does in 298 ms of 310, but its scheduling says that it has a processor in all but
/// 100 ms of them. The class `other` keeps the time, and words, verdict and findings say what is known of it.
#[test]
fn scheduling_tells_that_the_program_computes() {
    let scheduled = |sleep: std::ops::Range<Ns>| {
        two_kernels(|drawn, _| {
            drawn.sleeps(5 * MS..6 * MS);
            drawn.sleeps(sleep.clone());
            drawn.sleeps(308 * MS..309 * MS);
        })
    };
    let runs = scheduled(100 * MS..200 * MS);
    let said = verdict_detail(&runs).to_string();
    assert!(
        said.starts_with("CPU-bound: GPUs idle 96.8% of the time") && said.contains("For 66% of it"),
        "{said}"
    );
    assert_eq!(cause_in_words(&runs, Cause::Unknown), "unknown (scheduling: on the CPU)");
    let share = computing_percent(&runs).expect("it runs");
    assert!((63.0..65.0).contains(&share), "{share}");
    let little = finding(&runs, "underutilized_gpu_detector").expect("GPUs are little used");
    assert!(little.recommendation.to_string().contains("while the program runs on the CPU"), "{little:?}");
    let saving = finding(&runs, "unexplained_idle").and_then(|found| found.saving.as_ref()?.upper_ns);
    assert!(saving.is_some_and(|ns| (195 * MS..201 * MS).contains(&ns)), "{saving:?}");
    // What it computes is still not known.
    assert!(what_would_tell(&runs).is_some());

    let asleep = scheduled(20 * MS..300 * MS);
    assert_eq!(computing_percent(&asleep), None);
    assert_eq!(cause_in_words(&asleep, Cause::Unknown), "unknown");
}

/// A call and a range share the rest of the gap with such time: line 1 adds both up.
#[test]
fn time_without_a_call_counts_to_the_cpu_where_it_is_known_to_compute() {
    let said = |schedules: bool| {
        let judged = two_kernels(|drawn, _| {
            drawn.range("work", 12 * MS..200 * MS);
            if schedules {
                drawn.sleeps(5 * MS..6 * MS);
                drawn.sleeps(308 * MS..309 * MS);
            }
        });
        verdict_detail(&judged).to_string()
    };
    assert!(said(true).contains("95.8%"), "{}", said(true));
    assert!(!said(false).contains("95.8%"), "{}", said(false));
}

/// The GPU stalls before a kernel: its code is loaded before its first launch; other work may run before later ones.
#[test]
fn a_stall_before_the_first_launch_of_a_kernel_is_done_once() {
    let stalls = |kernel: &str| {
        let mut drawn = Drawn::new();
        drawn.launch(9 * MS..9 * MS + 10_000, "gemm", 10 * MS..11 * MS);
        drawn.launch(12 * MS..12 * MS + 10_000, kernel, 40 * MS..41 * MS);
        let index = drawn.capture().index(&KeyNodeChoice::None).expect("one iteration");
        Judged::from(index.profile(&RangeChoice::default()).expect("a profile"))
    };
    let first = stalls("softmax");
    assert!(finding(&first, "device_stall").is_none());
    // The 28 ms after the call, without the 100 µs that submitting takes, of 31 ms.
    assert_eq!(done_once(&first).as_deref(), Some("90.0"));
    assert!(
        verdict_detail(&first).to_string().contains("work that is done once keeps GPUs idle"),
        "{}",
        verdict_detail(&first)
    );
    let later = stalls("gemm");
    assert!(finding(&later, "device_stall").is_some());
    assert_eq!(done_once(&later), None);
}

#[test]
fn samples_tell_that_a_library_gets_ready() {
    let sampled = |function: &str| {
        two_kernels(|drawn, _| {
            for time in 3..30 {
                drawn.sample(function, "/usr/lib/libcublasLt.so.12", time * 10 * MS);
            }
        })
    };
    let creates = sampled("cublasLtCreate");
    let said = verdict_detail(&creates).to_string();
    assert!(
        said.starts_with("Mostly set-up: ")
            && said.contains(
                "27 of the 27 CPU samples of launching threads there are in calls of `libcublasLt.so.12`, such as \
                 `cublasLtCreate`"
            ),
        "{said}"
    );
    let found = finding(&creates, "unexplained_idle").expect("no call and no range says why");
    assert!(found.recommendation.to_string().starts_with("Profile a longer run"), "{found:?}");
    let computes = verdict_detail(&sampled("cublasLtMatmul")).to_string();
    assert!(computes.contains("computes on the CPU"), "{computes}");
}

#[test]
fn files_that_are_read_beside_code_that_is_loaded_are_a_reason() {
    let reads = |every: usize, loads: Ns| {
        two_kernels(|drawn, time| {
            for load in 0..loads {
                let start = (20 + 60 * load) * MS;
                drawn.overhead(OverheadKind::Setup, start..start + 300_000);
            }
            for (number, start) in (12..310).step_by(every).enumerate() {
                let name = if number % 3 == 0 { "open64" } else { "read" };
                drawn.os_call(name, start * MS..start * MS + 10_000);
            }
            drawn.os_call("munmap", time.start..time.start + 5_000);
        })
    };
    let imports = verdict_detail(&reads(2, 4)).to_string();
    assert!(
        imports.starts_with("Mostly set-up: ")
            && imports.contains("loads code, which is done once")
            && imports.contains("modules 4 times, and call `read` 99 times and `open64` 50 times"),
        "{imports}"
    );
    // Files that are read for another reason take 1.49 ms, which explains nothing.
    let said = verdict_detail(&reads(2, 0)).to_string();
    assert!(
        said.starts_with("Unexplained: ") && said.contains("`open64` 50 times, which takes 1.490 ms in all"),
        "{said}"
    );
    let few = verdict_detail(&reads(20, 4)).to_string();
    assert!(few.starts_with("Unexplained: ") && !few.contains("`read`"), "{few}");
}

/// Four pieces of work of one op, each between two events; then the op itself, and another kernel.
fn tries(kernel: impl Fn(usize) -> &'static str) -> Judged {
    let mut drawn = Drawn::new();
    drawn.range("conv", 0..9 * MS);
    let mut correlation = 10;
    let mut call = |drawn: &mut Drawn, name: &str, start: Ns| {
        correlation += 1;
        drawn.api_call(name, start..start + 1_000, correlation);
    };
    for number in 0..4 {
        let start = MS + MS * Ns::try_from(number).expect("few");
        call(&mut drawn, "cudaEventRecord", start);
        drawn.launch(start + 2_000..start + 8_000, kernel(number), start + 10_000..start + 110_000);
        call(&mut drawn, "cudaEventRecord", start + 9_000);
        call(&mut drawn, "cudaEventSynchronize", start + 11_000);
    }
    drawn.launch(6 * MS..6 * MS + 5_000, kernel(0), 6 * MS + 10_000..6 * MS + 110_000);
    drawn.launch(7 * MS..7 * MS + 5_000, "relu", 7 * MS + 10_000..7 * MS + 110_000);
    let index = drawn.capture().index(&KeyNodeChoice::None).expect("one iteration");
    index.profile(&RangeChoice::default()).expect("a profile").into()
}

#[test]
fn different_convolutions_between_events_are_tried() {
    const ALGORITHMS: [&str; 4] =
        ["implicit_convolve_sgemm", "volta_scudnn_128x64", "winograd_fwd", "fft2d_r2c_32x32"];
    let tried = tries(|number| ALGORITHMS[number]);
    let found = finding(&tried, "autotuning_in_range").expect("algorithms are tried");
    assert!(
        found.problem.to_string().starts_with("66.7% of the kernel time, in 4 launches, tries algorithms"),
        "{}",
        found.problem
    );
    // A program that measures one piece of work again and again.
    assert!(finding(&tries(|_| ALGORITHMS[0]), "autotuning_in_range").is_none());
    // Or several that are not convolutions.
    const OTHERS: [&str; 4] = ["sgemm", "add", "softmax", "relu"];
    assert!(finding(&tries(|number| OTHERS[number]), "autotuning_in_range").is_none());
}

#[test]
fn a_first_pass_promises_no_saving_of_launches() {
    let launches = |name: fn(Ns) -> String| {
        let mut drawn = Drawn::new();
        for number in 0..60 {
            let start = MS + number * 100_000;
            let kernel = start + 12_000..start + 20_000;
            drawn.launch(start..start + 10_000, &name(number), kernel);
        }
        let index = drawn.capture().index(&KeyNodeChoice::None).expect("one iteration");
        Judged::from(index.profile(&RangeChoice::default()).expect("a profile"))
    };
    let first = launches(|number| format!("kernel{number}"));
    let found = finding(&first, "launch_bound").expect("GPUs wait for launches");
    assert_eq!(found.saving, None);
    assert!(found.recommendation.to_string().contains("No saving is stated"), "{}", found.recommendation);
    let words = verdict_detail(&first).to_string();
    assert!(
        !words.contains("save") && words.contains("One cold pass") && !words.contains("-bound"),
        "{words}"
    );
    let later = launches(|_| "kernel".to_owned());
    assert!(finding(&later, "launch_bound").expect("GPUs wait for launches").saving.is_some());
}

/// A launch takes 2 ms in each step, or in the first one alone: what comes again is no work that is done once.
#[test]
fn calls_that_take_long_in_every_step_are_not_done_once() {
    let once_ns = |is_slow: fn(Ns) -> bool| {
        let mut drawn = Drawn::new();
        for step in 0..10 {
            let start = MS + step * 10 * MS;
            drawn.range("step", start..start + 10 * MS - 1_000);
            drawn.launch(start + 1_000..start + 5_000, "gemm", start + 6_000..start + 5 * MS);
            let end = start + 6 * MS + if is_slow(step) { 2 * MS } else { 10_000 };
            drawn.launch(start + 6 * MS..end, "gemm", end + 1_000..end + MS);
        }
        let index = drawn.capture().index(&KeyNodeChoice::Named("step".into())).expect("it ran");
        let choice = RangeChoice { iter_start: Some(1), iter_stop: Some(10), ..RangeChoice::default() };
        let judged: Judged = index.profile(&choice).expect("a profile").into();
        let scene = Scene::new(&judged);
        (scene.idle(&[Cause::SlowLaunch]), scene.once().of(Cause::SlowLaunch))
    };
    let (idle, once) = once_ns(|_| true);
    assert!(idle >= 20 * MS && once == 0, "{idle} {once}");
    let (idle, once) = once_ns(|step| step == 0);
    assert!(idle >= 2 * MS && once == idle, "{idle} {once}");
}
