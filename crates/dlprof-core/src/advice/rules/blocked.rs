//! The thread that launches waits for something besides the GPU.

use super::stalls::of_cause;
use crate::advice::finding::{Confidence, EvidenceKind, Finding, Severity};
use crate::advice::idle_scene::Exchange;
use crate::advice::ranks::Sender;
use crate::advice::rule::{Limits, Need, Rule, Subject, Threshold, TimeOf};
use crate::advice::scene::Scene;
use crate::advice::sentence::{Figure, Sentence};
use crate::capture::classified::Cause;
use crate::figures::activity::Verdict;

const EXCHANGE: Threshold = Threshold {
    name: "host_communication_percent",
    default: 10.0,
    doc: "Least share of the time in which GPUs idle while the thread that launches is in a call that exchanges data.",
};

pub(super) const HOST_COMMUNICATION: Rule = Rule {
    id: "host_communication",
    title: "GPUs wait while the host exchanges data",
    how: "The share of the time, averaged over the used GPUs, in which a GPU idles while the thread that launches next is in a \
        call of MPI, NCCL, UCX, NVSHMEM or UCC, and in no CUDA call inside of it (cause `communication`). The functions named are \
        the call of MPI with most time, and the second where that has less than two thirds of it. Where it waits for messages, the process that sends longest is named, and the share of the \
        time that it does so outside CUDA calls; where it sends twice per iteration or more and several others receive, the \
        advice is to send at once. That ranks should have the same work is said where their kernels take a quarter longer than \
        those of another. The saving is at most \
        all of this time, with that of the copies and waits inside, which the exchange makes; how much of it overlaps follows from what the program needs the data for, which nothing tells.",
    severity: Severity::Warning,
    confidence: Confidence::Medium,
    thresholds: &[EXCHANGE],
    needs: &[Need::GpuTime],
    subject: Subject::All(Verdict::Communication),
    // Calls that are made inside the exchange have causes of their own.
    saves_from: &[
        TimeOf::HostExchange,
        TimeOf::CopyCalls,
        TimeOf::Allocation,
        TimeOf::OsCalls,
        TimeOf::Launching,
        TimeOf::Between,
    ],
    check: host_communication,
    ..Rule::SILENT
};

/// From so many calls per iteration on, fewer of them may be faster.
const MANY_MESSAGES: f64 = 10.0;

fn host_communication(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    let host_ns = scene.idle(&[Cause::Communication]);
    let share = scene.share(host_ns);
    if share < limits.of(&EXCHANGE) {
        return None;
    }
    let exchange = scene.exchanging_calls();
    // Few calls move much each, or wait for other ranks.
    let are_many =
        exchange.as_ref().is_some_and(|exchange| scene.per_iteration(exchange.calls) >= MANY_MESSAGES);
    let sender = exchange.as_ref().and_then(|exchange| scene.sender(&exchange.function));
    let problem = match &exchange {
        Some(Exchange { library, function, named, .. }) => Sentence::new(
            "The host is in calls of {} {} of the time while GPUs idle, mostly {}{}",
            vec![
                Figure::Text(library.clone()),
                Figure::Percent(share, 1),
                // What is said of a wait for messages is about that call alone.
                Figure::Text(if sender.is_some() { format!("`{function}`") } else { named.clone() }),
                Figure::Clause(Box::new(match &sender {
                    Some(Sender { pid, function, percent, .. }) => Sentence::new(
                        ", which waits for messages; process {} is in `{}` {} of the time; CUDA calls inside are not counted",
                        vec![
                            Figure::Text(pid.to_string()),
                            Figure::Text(function.clone()),
                            Figure::Percent(*percent, 1),
                        ],
                    ),
                    None => ", not counting CUDA calls inside".into(),
                })),
            ],
        ),
        None => Sentence::new(
            "The host exchanges data {} of the time while GPUs idle",
            vec![Figure::Percent(share, 1)],
        ),
    };
    let (host_ns, busy_ns) = (scene.per_gpu(host_ns), scene.per_gpu(scene.gpu_time().busy_ns));
    let all_ns = scene.per_gpu(scene.idle_in_exchange());
    // An exchange overlaps with no more than what GPUs do.
    let is_bare = 10 * busy_ns < host_ns;
    let one_by_one = sender.is_some_and(|sender| sender.in_turn);
    let exchanges = match (is_bare, one_by_one, are_many) {
        (true, true, _) => {
            "That process sends one message after the other, so that the last rank waits for all. Send with one collective call \
             (`MPI_Bcast`, `MPI_Scatter`), or with `MPI_Isend` to each rank and one wait, and less often; GPUs work for less than \
             a tenth of the time of the exchange, so that little of it can overlap with their work"
        }
        (true, false, _) => {
            "Exchange less often: GPUs work for less than a tenth of the time of the exchange, so that little of it can overlap \
             with their work"
        }
        (false, true, _) => {
            "That process sends one message after the other, so that the last rank waits for all. Send with one collective call \
             (`MPI_Bcast`, `MPI_Scatter`), or with `MPI_Isend` to each rank and one wait; launches before the wait let the \
             exchange overlap with the work of GPUs"
        }
        (false, false, true) => {
            "Let the exchange overlap with the work of GPUs: non-blocking calls such as `MPI_Isend` and `MPI_Irecv`, and \
             launches between them and their wait; then fewer, larger messages"
        }
        (false, false, false) => {
            "Let the exchange overlap with the work of GPUs: non-blocking calls such as `MPI_Isend` and `MPI_Irecv`, and \
             launches between them and their wait; then less data, or memory that the library can send without copies (pinned, \
             or of the GPU)"
        }
    };
    // Whoever has more to do lets the others wait.
    let shares = match scene.ranks_are_even() {
        Some(true) => "",
        Some(false) => "; kernels of some ranks take longer than those of others: give all the same work",
        None => "; see whether all ranks have the same work",
    };
    let advice = Sentence::joined(&[exchanges, shares], Vec::new());
    let finding = Finding::new(problem, advice)
        .percent(EXCHANGE.name, share)
        .time("host_communication_ns", host_ns)
        .time("with_calls_inside_ns", all_ns)
        .time("busy_ns", busy_ns);
    // How much of it can overlap follows from what the program needs the data for, which nothing tells.
    let finding = finding.saves_at_most(
        all_ns,
        match busy_ns < all_ns {
            true => {
                "All idle time in which GPUs wait for a thread in a call of MPI, or of the cause communication; overlap alone \
                 hides no more than GPUs work"
            }
            false => "All idle time in which GPUs wait for a thread in a call of MPI, or of the cause communication",
        },
    );
    Some(of_cause(finding, Cause::Communication))
}

const OS_CALLS: Threshold = Threshold {
    name: "os_call_percent",
    default: 10.0,
    doc: "Least share of the time in which GPUs idle while the thread that launches is in a call of the operating system.",
};

pub(super) const OS_CALL_WAITS: Rule = Rule {
    id: "os_call_waits",
    title: "The thread that launches waits in the operating system",
    how: "The share of the time, averaged over the used GPUs, in which a GPU idles while the thread that launches next is in a \
        call of the operating system that sleeps, waits or writes (cause `os_call`). The function named is the one with most of \
        the waiting time in table `idle_os_calls`. The saving is at most all of this time.",
    severity: Severity::Warning,
    confidence: Confidence::Medium,
    thresholds: &[OS_CALLS],
    needs: &[Need::GpuTime, Need::OsCalls],
    subject: Subject::Cause(Cause::OsCall),
    saves_from: &[TimeOf::OsCalls],
    check: os_call_waits,
    ..Rule::SILENT
};

/// How the names of functions that write begin.
const WRITING: [&str; 5] = ["write", "pwrite", "fwrite", "fput", "put"];

/// How the names of functions that sleep begin.
const SLEEPING: [&str; 4] = ["sleep", "usleep", "nanosleep", "clock_nanosleep"];

fn begins(function: &str, names: &[&str]) -> bool {
    names.iter().any(|name| function.starts_with(name))
}

fn os_call_waits(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    let waiting_ns = scene.idle(&[Cause::OsCall]);
    let share = scene.share(waiting_ns);
    if share < limits.of(&OS_CALLS) {
        return None;
    }
    let function = scene.awaited_os_call();
    let mostly = function.as_ref().map_or_else(String::new, |function| format!(", mostly `{function}`"));
    let finding = Finding::new(
        Sentence::new(
            "GPUs idle {} of the time while the thread that launches is in calls of the operating system{}",
            vec![Figure::Percent(share, 1), Figure::Text(mostly)],
        ),
        match function.as_deref() {
            Some(function) if begins(function, &WRITING) => {
                "Let another thread write: the thread that launches only hands over what is to be written, such as checkpoints or \
                 logs, and goes on; or write less often"
            }
            Some(function) if begins(function, &SLEEPING) => {
                "The thread sleeps by itself: look for `sleep`, polling or a delay inside a step, and wait for what it polls instead"
            }
            _ => {
                "Find out whom the thread waits for: a lock, a queue between threads, a worker, logging; `dlprof-agg show \
                 idle-functions` says who works meanwhile. Let the thread that launches wait for nothing inside a step"
            }
        },
    )
    .percent(OS_CALLS.name, share)
    .time("os_call_ns", scene.per_gpu(waiting_ns))
    .about(EvidenceKind::OsCall, function)
    .saves_at_most(scene.per_gpu(waiting_ns), "All idle time of the cause os_call");
    Some(of_cause(finding, Cause::OsCall))
}
