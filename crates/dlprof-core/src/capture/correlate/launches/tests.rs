//! Work and the API calls that launched it, drawn.

use super::*;
use crate::tests::drawn::Drawn;

const KERNEL: WorkKind = WorkKind::Kernel;
const COPY: WorkKind = WorkKind::Copy;

/// By piece of work in order of kind: the position of its API call. Then what API calls did, and what was odd.
fn joined(drawn: Drawn) -> (Vec<Option<usize>>, Vec<ApiKind>, Diagnostics) {
    let mut diagnostics = Diagnostics::default();
    let joined = join(&drawn.facts(), &mut diagnostics);
    let apis = joined.launches.api.iter().map(|api| api.some().map(ApiCallId::index));
    (apis.collect(), joined.api_kind.to_vec(), diagnostics)
}

/// `7` in two processes means two things.
#[test]
fn a_correlation_id_belongs_to_its_process() {
    let mut drawn = Drawn::new();
    let first = drawn.current_process();
    drawn.api_call("cudaLaunchKernel", 0..5, 7);
    drawn.process();
    let second = drawn.current_process();
    drawn.api_call("cudaLaunchKernel", 1..6, 7);
    drawn.work(KERNEL, "gemm", 10..20, (second, 7)).work(KERNEL, "relu", 20..30, (first, 7));
    let (apis, kinds, diagnostics) = joined(drawn);
    assert_eq!(apis, [Some(1), Some(0)]);
    assert_eq!(kinds, [ApiKind::Kernel; 2]);
    assert!(diagnostics.to_vec().is_empty());
}

#[test]
fn work_without_a_process_belongs_to_the_only_one() {
    let draw = |processes: usize| {
        let mut drawn = Drawn::new();
        drawn.api_call("cudaLaunchKernel", 0..5, 7);
        for _ in 1..processes {
            drawn.process();
            drawn.api_call("cudaLaunchKernel", 0..5, 8);
        }
        drawn.work(KERNEL, "gemm", 10..20, (Maybe::<ProcessId>::NONE, 7));
        joined(drawn)
    };
    assert_eq!(draw(1).0, [Some(0)]);
    let (apis, kinds, diagnostics) = draw(2);
    assert_eq!(apis, [None], "which of two it is cannot be known");
    assert_eq!(kinds, [ApiKind::Plain; 2]);
    assert_eq!(diagnostics.counted(DiagnosticCode::ProcessUnknown), 1);
    assert_eq!(diagnostics.counted(DiagnosticCode::UnlaunchedWork), 1);
}

#[test]
fn where_no_process_makes_calls_nobody_says_that_there_are_several() {
    let mut drawn = Drawn::new();
    drawn.work(KERNEL, "gemm", 10..20, (Maybe::<ProcessId>::NONE, 7));
    let (apis, _, diagnostics) = joined(drawn);
    assert_eq!(apis, [None]);
    assert_eq!(diagnostics.counted(DiagnosticCode::ProcessUnknown), 0);
    assert_eq!(diagnostics.counted(DiagnosticCode::UnlaunchedWork), 1);
}

/// A process without any API call is no other process.
#[test]
fn processes_without_api_calls_do_not_count() {
    let mut drawn = Drawn::new();
    let caller = drawn.api_call("cudaLaunchKernel", 0..5, 7).current_process();
    drawn.process();
    drawn.work(KERNEL, "gemm", 10..20, (Maybe::<ProcessId>::NONE, 7)).work(
        KERNEL,
        "gemm",
        20..30,
        (caller, 7),
    );
    assert_eq!(joined(drawn).0, [Some(0), Some(0)]);
}

#[test]
fn of_api_calls_with_one_id_the_earliest_launched_the_work() {
    let mut drawn = Drawn::new();
    let process = drawn.current_process();
    drawn.api_call("late", 50..55, 7).api_call("early", 5..9, 7).api_call("later", 60..61, 7);
    drawn.work(KERNEL, "gemm", 70..80, (process, 7));
    let (apis, kinds, diagnostics) = joined(drawn);
    assert_eq!(apis, [Some(1)]);
    assert_eq!(kinds, [ApiKind::Plain, ApiKind::Kernel, ApiKind::Plain]);
    assert_eq!(diagnostics.counted(DiagnosticCode::DuplicateCorrelation), 2);
}

/// `cudaMalloc` with its backtrace, and `cudaMalloc_v3020` inside of it, are one call.
#[test]
fn a_row_that_holds_the_backtrace_of_a_call_is_no_other_call() {
    let mut drawn = Drawn::new();
    drawn.api_call("cudaMalloc", 0..9, 7).api_call("cudaMalloc_v3020", 1..8, 7);
    let mut facts = drawn.facts();
    facts.recorded.repeated_calls.repeat = vec![ApiCallId::new(0)].into();
    facts.recorded.repeated_calls.call = vec![ApiCallId::new(1)].into();
    let mut diagnostics = Diagnostics::default();
    join(&facts, &mut diagnostics);
    assert!(diagnostics.to_vec().is_empty());
}

/// A copy that waits has a record of both; a graph launch has kernels and copies.
#[test]
fn an_api_call_did_the_greatest_of_what_it_did() {
    let mut drawn = Drawn::new();
    let process = drawn.current_process();
    drawn.api_call("cudaMemcpy", 0..9, 1).api_call("cudaGraphLaunch", 10..12, 2);
    drawn.api_call("cudaMemset", 13..14, 3).api_call("cudaStreamSynchronize", 15..19, 4);
    drawn.api_call("cudaMalloc", 20..21, 5);
    drawn.work(COPY, "", 2..8, (process, 1)).work(COPY, "", 12..13, (process, 2));
    drawn.work(KERNEL, "gemm", 13..15, (process, 2)).work(WorkKind::Memset, "", 16..17, (process, 3));
    let mut facts = drawn.facts();
    facts.keys.syncs.process = vec![process.into(), Maybe::NONE, process.into()].into();
    facts.keys.syncs.correlation = vec![1, 4, NO_CORRELATION].into();
    let mut diagnostics = Diagnostics::default();
    let kinds = join(&facts, &mut diagnostics).api_kind.to_vec();
    assert_eq!(kinds, [ApiKind::Copy, ApiKind::Kernel, ApiKind::Memset, ApiKind::Sync, ApiKind::Plain]);
    assert!(diagnostics.to_vec().is_empty());
}

#[test]
fn work_without_an_api_call_is_counted() {
    let mut drawn = Drawn::new();
    let process = drawn.current_process();
    drawn.api_call("cudaLaunchKernel", 0..5, 7).api_call("cudaLaunchKernel", 5..6, NO_CORRELATION);
    drawn.loose(KERNEL, "gemm", 10..20).work(COPY, "", 20..30, (process, 8));
    let (apis, _, diagnostics) = joined(drawn);
    assert_eq!(apis, [None, None]);
    assert_eq!(diagnostics.counted(DiagnosticCode::UnlaunchedWork), 2);
    assert_eq!(diagnostics.counted(DiagnosticCode::ProcessUnknown), 0);
    let examples = &diagnostics.to_vec()[0].examples;
    assert_eq!(examples[0], "Kernel on device 0 at 10 ns");
}

#[test]
fn migrations_never_have_a_call_and_lack_none() {
    let mut drawn = Drawn::new();
    drawn.loose(KERNEL, "gemm", 10..20).loose(COPY, "UM_DtoH", 12..14).loose(COPY, "UM_HtoD", 14..16);
    let (apis, _, diagnostics) = joined(drawn);
    assert_eq!(apis, [None, None, None]);
    assert_eq!(diagnostics.counted(DiagnosticCode::UnlaunchedWork), 1);
}

#[test]
fn a_call_without_a_thread_launches_nothing_and_that_is_said() {
    let mut drawn = Drawn::new();
    let process = drawn.current_process();
    drawn.api_call("cudaLaunchKernel", 0..5, 7).api_call("cudaLaunchKernel", 6..9, 8);
    drawn.work(KERNEL, "gemm", 10..20, (process, 7)).work(KERNEL, "relu", 20..30, (process, 8));
    let mut facts = drawn.facts();
    let thread = facts.api_calls.thread[ApiCallId::new(0)];
    facts.recorded.api_calls.thread = vec![thread, Maybe::NONE].into();
    let mut diagnostics = Diagnostics::default();
    let apis: Vec<_> = join(&facts, &mut diagnostics).launches.api.iter().map(|api| api.some()).collect();
    assert_eq!(apis, [Some(ApiCallId::new(0)), None]);
    let counted = [DiagnosticCode::ThreadUnknown, DiagnosticCode::UnlaunchedWork];
    assert_eq!(counted.map(|code| diagnostics.counted(code)), [1, 1]);
}
