//! What is said of drawn captures: causes by name, and what to do.

use super::{Finding, Judged, verdict_detail};
use crate::base::time::Ns;
use crate::read::facts::WorkKind;
use crate::steps::iterate::{KeyNodeChoice, RangeChoice};
use crate::tests::drawn::Drawn;
use std::ops::Range;

pub(super) const MS: Ns = 1_000_000;

/// A kernel, 300 ms of something, another kernel: the window is from the first to the last.
pub(super) fn two_kernels(add: impl FnOnce(&mut Drawn, Range<Ns>)) -> Judged {
    kernels_beside(11 * MS, add)
}

/// The same with a first kernel that ends at a time.
pub(super) fn kernels_beside(first_end: Ns, add: impl FnOnce(&mut Drawn, Range<Ns>)) -> Judged {
    let mut drawn = Drawn::new();
    drawn.launch(9 * MS..9 * MS + 10_000, "first", 10 * MS..first_end);
    add(&mut drawn, 12 * MS..310 * MS);
    drawn.launch(311 * MS..311 * MS + 10_000, "second", 311 * MS + 15_000..320 * MS);
    let index = drawn.capture().index(&KeyNodeChoice::None).expect("one iteration");
    index.profile(&RangeChoice::default()).expect("a profile").into()
}

pub(super) fn finding<'a>(judged: &'a Judged, id: &str) -> Option<&'a Finding> {
    judged.findings().iter().find(|finding| finding.id == id)
}

#[test]
fn compiling_is_done_once_and_promises_no_saving() {
    let once = two_kernels(|drawn, time| _ = drawn.range("KernelExecutor::compileFusion", time));
    assert!(finding(&once, "cpu_work_between").is_none());
    let found = finding(&once, "warm_up_in_range").expect("set-up is in the window");
    assert!(
        found.problem.to_string().contains("host range `KernelExecutor::compileFusion`"),
        "{}",
        found.problem
    );
    assert_eq!(found.saving, None);
    let said = verdict_detail(&once).to_string();
    assert!(said.contains("done once") && !said.contains("sav"), "{said}");

    let work = two_kernels(|drawn, time| _ = drawn.range("metrics", time));
    let found = finding(&work, "cpu_work_between").expect("the CPU works");
    assert!(found.problem.to_string().contains("mostly in host range `metrics`"), "{}", found.problem);
    assert!(finding(&work, "warm_up_in_range").is_none());
}

/// A range that is named after work done once holds others, whose names say nothing of it.
#[test]
fn what_lies_inside_a_range_of_work_done_once_is_done_once() {
    let share = |inner: &str| {
        let judged = two_kernels(|drawn, time| {
            drawn.range("KernelExecutor::compileFusion", time.start..time.start + 200 * MS);
            drawn.range(inner, time.start + 50 * MS..time.start + 150 * MS);
        });
        let found = finding(&judged, "warm_up_in_range").expect("set-up is in the window");
        found.problem.to_string().split('%').next().map(str::to_owned)
    };
    // 200 of 310 ms, whatever is inside.
    assert_eq!(share("GpuLower::lower").as_deref(), Some("64.5"));
    assert_eq!(share("Nvrtc::compile").as_deref(), Some("64.5"));
}

#[test]
fn a_known_reason_is_never_called_unknown() {
    let locked = two_kernels(|drawn, time| _ = drawn.os_call("futex", time));
    let said = verdict_detail(&locked).to_string();
    assert!(
        said.starts_with("Waiting: ") && said.contains("`futex`") && !said.contains("no reason"),
        "{said}"
    );
    assert!(finding(&locked, "os_call_waits").is_some());

    let silent = two_kernels(|_, _| ());
    let said = verdict_detail(&silent).to_string();
    assert!(said.starts_with("Unexplained: ") && said.contains("no reason"), "{said}");
}

#[test]
fn an_exchange_of_the_host_is_said_in_words() {
    let exchange = two_kernels(|drawn, time| _ = drawn.mpi_call("MPI_Waitall", time));
    let found = finding(&exchange, "host_communication").expect("the host exchanges data");
    assert!(found.problem.to_string().starts_with("The host is in calls of MPI "), "{}", found.problem);
    let said = verdict_detail(&exchange).to_string();
    assert!(said.starts_with("Communication-bound: ") && said.contains("`MPI_Waitall`"), "{said}");
    // Registering memory inside of the exchange is not an exchange.
    let registers = two_kernels(|drawn, time| {
        drawn.mpi_call("MPI_Send", time.clone()).api_call(
            "cuMemHostRegister_v2",
            time.start..time.end - MS,
            77,
        );
    });
    assert!(finding(&registers, "host_communication").is_none());
    assert!(
        verdict_detail(&registers).to_string().starts_with("One cold pass"),
        "{}",
        verdict_detail(&registers)
    );
}

/// Older versions of nsys record calls of MPI as ranges of its domain.
#[test]
fn calls_of_mpi_that_are_ranges_are_named_and_few_of_them_are_not_said_to_be_many() {
    // GPUs work for 59 ms, so that an exchange may overlap with it.
    let sends = |calls: Ns| {
        kernels_beside(60 * MS, |drawn, time| {
            let length = (time.end - time.start) / calls;
            for call in 0..calls {
                let start = time.start + call * length;
                drawn.library_range("MPI", "MPI_Send", start..start + length - 1_000);
            }
        })
    };
    let few = sends(2);
    let found = finding(&few, "host_communication").expect("the host exchanges data");
    let problem = found.problem.to_string();
    assert!(
        problem.starts_with("The host is in calls of MPI ") && problem.contains("mostly `MPI_Send`"),
        "{problem}"
    );
    let advice =
        |judged: &Judged| finding(judged, "host_communication").expect("it").recommendation.to_string();
    assert!(advice(&few).contains("MPI_Isend"), "{}", advice(&few));
    assert!(!advice(&few).contains("fewer, larger"), "{}", advice(&few));
    let many = sends(20);
    assert!(advice(&many).contains("fewer, larger"), "{}", advice(&many));
}

/// The CPU is the first cause, and the saving is that of the second.
#[test]
fn a_saving_in_the_verdict_belongs_to_the_finding_that_it_is_of() {
    let half = |drawn: &mut Drawn, time: Range<Ns>, is_more: bool| {
        let ns = if is_more { 200 * MS } else { 70 * MS };
        let start = time.end - ns;
        drawn.copy(start - 2_000..time.end + 1_000, 1 << 20, start..time.end);
    };
    let second = verdict_detail(&two_kernels(|drawn, time| half(drawn, time, false))).to_string();
    assert!(second.starts_with("Unexplained: "), "{second}");
    let (before, saved) = second.split_once(". Changing that saves at most ").expect("a saving");
    // What was said last is about copies.
    assert!(
        before.contains(" of the time for no reason that the capture shows. Copies and memsets "),
        "{second}"
    );
    assert!(saved.starts_with('2'), "{second}");
    let only = verdict_detail(&two_kernels(|drawn, time| half(drawn, time, true))).to_string();
    assert!(only.starts_with("Copy-bound: ") && only.contains("A change saves at most 6"), "{only}");
}

/// Every verdict whose class no finding is about says what to do, and no saving exceeds the window.
#[test]
fn savings_lie_in_the_window_and_verdicts_say_what_to_do() {
    let idle = two_kernels(|drawn, time| _ = drawn.api_call("cudaEventQuery", time, 77));
    let said = verdict_detail(&idle).to_string();
    assert!(said.starts_with("One cold pass: "), "{said}");
    let length = 310 * MS;
    for finding in idle.findings() {
        let saving = finding.saving.as_ref().and_then(|saving| saving.upper_ns).unwrap_or(0);
        assert!(saving <= length, "{}", finding.id);
    }
}

/// Twelve steps, each with five short and then five long launches of one kernel. A tenth of the launches are twelve: of the first
/// ones most are short, of the last ones most are long.
fn short_and_long(slower_percent: impl Fn(Ns) -> Ns) -> Judged {
    let mut drawn = Drawn::new();
    for step in 0..12 {
        let start = 5 * MS + step * 11 * MS;
        drawn.range("step", start..start + 10 * MS);
        for launch in 0..10 {
            let at = start + launch * MS;
            let length = if launch < 5 { 100_000 } else { 700_000 };
            let length = length + length * slower_percent(step) / 100;
            drawn.launch(at..at + 5_000, "gemm", at + 10_000..at + 10_000 + length);
        }
    }
    let index = drawn.capture().index(&KeyNodeChoice::Named("step".into())).expect("it ran");
    let choice = RangeChoice { iter_start: Some(1), iter_stop: Some(12), ..RangeChoice::default() };
    index.profile(&choice).expect("a profile").into()
}

#[test]
fn kernels_are_slower_at_the_end_only_at_the_same_place() {
    let steady = short_and_long(|_| 0);
    assert!(finding(&steady, "clocks").is_none(), "{:?}", finding(&steady, "clocks"));
    let slower = short_and_long(|step| 3 * step);
    let found = finding(&slower, "clocks").expect("it becomes slower");
    assert!(found.problem.to_string().contains("at the same places of the iteration"), "{}", found.problem);
}

/// A kernel, then 60 copies without a call of their own, 4 ms apart, while the program does something else.
fn copies_without_calls(name: &str) -> Judged {
    let mut drawn = Drawn::new();
    drawn.launch(9 * MS..9 * MS + 10_000, "add", 10 * MS..20 * MS);
    for copy in 0..60 {
        let at = 24 * MS + copy * 4 * MS;
        drawn.loose(WorkKind::Copy, name, at..at + 50_000);
    }
    let index = drawn.capture().index(&KeyNodeChoice::None).expect("one iteration");
    index.profile(&RangeChoice::default()).expect("a profile").into()
}

#[test]
fn a_host_that_uses_unified_memory_explains_idle_time() {
    let used = copies_without_calls("UM_DtoH");
    let said = verdict_detail(&used).to_string();
    assert!(said.starts_with("Waiting: ") && said.contains("unified memory migrates to the host"), "{said}");
    let meaning = super::verdict_meaning(&used).expect("GPUs wait");
    assert!(meaning.contains("migrates to the host, which uses it"), "{meaning}");
    let all = used.findings().iter().map(|found| format!("{} {}\n", found.problem, found.recommendation));
    let all: String = all.collect();
    assert!(all.contains("idle time before unified memory migrates to the host"), "{all}");
    assert!(!all.contains("nothing explains"), "{all}");

    // Copies to the GPU say nothing about the host.
    let others = copies_without_calls("HtoD");
    let said = verdict_detail(&others).to_string();
    assert!(said.starts_with("Unexplained: ") && !said.contains("to the host"), "{said}");
}

#[test]
fn what_was_recorded_is_not_asked_for() {
    let asks = |profile: &Judged| {
        let found = finding(profile, "unexplained_idle").expect("nothing tells");
        found.recommendation.to_string().contains("osrt")
    };
    assert!(asks(&two_kernels(|_, _| ())));
    assert!(!asks(&two_kernels(|drawn, time| _ = drawn.os_call("open64", time.start..time.start + 1000))));
}
