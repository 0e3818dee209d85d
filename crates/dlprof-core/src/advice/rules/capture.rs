//! Whether the capture shows what happened.

use crate::advice::finding::{Confidence, EvidenceKind, Finding, Measure, NO_KERNELS, Severity};
use crate::advice::framework::Framework;
use crate::advice::no_ranges::{lacks_openacc, no_ranges};
use crate::advice::of_torch::{self, CALLS_MISSING, LAUNCHED_BEFORE, started_before};
use crate::advice::question::Question;
use crate::advice::rule::{Limits, Need, Rule, Subject, Threshold, TimeOf};
use crate::advice::scene::Scene;
use crate::advice::sentence::{Figure, Sentence};
use crate::advice::unexplained::Unexplained;
use crate::advice::untold::untold_time;
use crate::base::diagnostics::DiagnosticCode;
use crate::base::ids::{self, WorkId};
use crate::base::ratios::count_to_f64;
use crate::base::shell_word::shell_word;
use crate::base::time::{Ns, total};
use crate::capture::classified::Cause;
use crate::capture::names::ApiClass;
use crate::figures::activity::Verdict;
use crate::read::facts::{GraphOrigin, RangeText};

const UNEXPLAINED: Threshold = Threshold {
    name: "unexplained_percent",
    default: 20.0,
    doc: "Least share of the time in which GPUs idle and nothing tells why.",
};

pub(in crate::advice) const GRAPHS: Threshold = Threshold {
    name: "whole_graphs_percent",
    default: 10.0,
    doc: "Least share of the kernel time of graphs that were recorded as one piece each.",
};

pub(super) const NO_GPU_TRACE: Rule = Rule {
    id: NO_KERNELS,
    title: "The capture has no kernels",
    how: "There is no record of a kernel or graph, and launch calls are recorded, or copies and memsets on a GPU. A warning \
        where API calls are recorded and none of them launches a kernel: then GPUs ran none, and no record is missing.",
    severity: Severity::Error,
    confidence: Confidence::High,
    check: no_gpu_trace,
    ..Rule::SILENT
};

fn no_gpu_trace(scene: &Scene<'_>, _: &Limits<'_>) -> Option<Finding> {
    let launches = launches_without_kernels(scene)?;
    let capture = &scene.profile.capture;
    if capture.diagnostics.counted(DiagnosticCode::OtherDevice) > 0 {
        return None;
    }
    let (counts, threads) = (capture.counts(), scene.profile.thread_launches());
    let calls = (capture.api_calls.span.len() - capture.repeated_calls.repeat.len()) as u64;
    let of_nvidia = if capture.is_of_nvidia() { "CUDA " } else { "" };
    let finding = Finding::new(
        match launches {
            0 if calls > 0 => Sentence::new(
                "No kernel was launched: none of the {} {}API calls that were recorded launches one",
                vec![Figure::Count(calls), Figure::Text(of_nvidia.into())],
            ),
            0 => "No kernel was recorded, though GPUs copied or set memory: what else they did is not known".into(),
            _ => Sentence::new(
                "No kernel was recorded, though {} calls launched some: what GPUs did is not known",
                vec![Figure::Count(launches)],
            ),
        },
        match launches {
            _ if capture.diagnostics.counted(DiagnosticCode::CutTrace) > 0 => WHOLE_TRACE.into(),
            0 if scene.has_failed() => {
                "The program ended badly before it launched a kernel: find out why (`dlprof-agg check` quotes what it printed), and \
                 profile a run that ends well"
                    .into()
            }
            0 if calls > 0 => {
                "Capture the part of the program that launches kernels: longer, or with the range in which it computes".into()
            }
            _ => how_to_record_gpus(scene, launches),
        },
    )
    .about_recording(capture)
    .count("launch_calls", launches)
    .count("copies", (counts.copies + counts.memsets) as u64);
    let names: Vec<String> =
        threads.iter().take(3).map(|(thread, _)| capture.threads[thread.index()].tid().to_string()).collect();
    Some(match launches {
        // What was recorded is complete.
        0 if calls > 0 => finding.at_most(Severity::Warning).show(Question::of("api_calls")),
        0 => finding.show(Question::of("copies")),
        _ => finding
            .about(EvidenceKind::Thread, names)
            .show(Question::of("threads").sorted_by(["-launch_calls"])),
    })
}

/// What to do where the end of a trace is missing, and kernels with it.
const WHOLE_TRACE: &str = "Record again, and wait until the program has written the whole trace: kernels may stand after the place where this one ends";

/// How to record the kernels of a program that launches some.
fn how_to_record_gpus(scene: &Scene<'_>, launches: u64) -> Sentence {
    let capture = &scene.profile.capture;
    if capture.recorder.is_torch_profiler() {
        let vendor = capture.recorder.vendor;
        return Sentence::new(
            "Record the GPU as well: `profile({})`; in a container check that {} may trace it (rights, driver, no other profiler)",
            vec![Figure::Text(vendor.activities().into()), Figure::Text(vendor.tracer().into())],
        );
    }
    let option = vec![Figure::Text(capture.trace_option(false))];
    match launches {
        0 => Sentence::new(
            "If the program launches kernels only later, capture that part. Else kernels were not traced: check \
             `{}`, and in a container or a virtual machine that the profiler may trace the GPU (rights, \
             driver, other profilers)",
            option,
        ),
        _ => Sentence::new(
            "Profile again with `{}`; in a container or a virtual machine check that the profiler may trace \
             the GPU (rights, driver, other profilers), and read nsys's messages",
            option,
        ),
    }
}

/// The number of launch calls of a capture that has no kernels, without those into graphs; none of other captures, and where calls are
/// missing themselves.
pub(super) fn launches_without_kernels(scene: &Scene<'_>) -> Option<u64> {
    let ledger = scene.profile.ledger();
    if scene.profile.capture.counts().kernels > 0
        || ledger.said.shortfall().is_some()
        || ledger.only_captures()
    {
        return None;
    }
    let threads = scene.profile.thread_launches();
    let launches: u64 = threads.iter().map(|(_, launches)| launches.sum.calls).sum();
    let launches = launches.saturating_sub(ledger.total().captured);
    (launches > 0 || scene.profile.has_gpu_work()).then_some(launches)
}

/// What to do where the program starts the profiler after what is done once: what a capture from there on holds, and what it does
/// not.
pub(super) fn capture_range(scene: &Scene<'_>, start: Ns) -> Sentence {
    let capture = &scene.profile.capture;
    if capture.recorder.is_torch_profiler() {
        return of_torch::LATER_STEPS.into();
    }
    let Some(stop) = capture.profiler_stop_behind(start) else {
        return "The program calls `cudaProfilerStart` later on: `nsys profile --capture-range=cudaProfilerApi` captures only what \
                follows, and the time up to there is left out (`--from` leaves it out of this capture)"
            .into();
    };
    let kernels = capture.counts().kernels;
    let begins = |inside: std::ops::Range<Ns>| {
        let starts = capture.work.span.iter().take(kernels).map(|span| span.start);
        Figure::Count(starts.filter(|time| inside.contains(time)).count() as u64)
    };
    Sentence::new(
        "The program calls `cudaProfilerStart` later on, and `cudaProfilerStop` after it. `nsys profile \
         --capture-range=cudaProfilerApi` captures only what lies between, {} of {} kernels, and not the {} after. (`--from` and \
         `--to` cut this capture)",
        vec![begins(start..stop), Figure::Count(kernels as u64), begins(stop..Ns::MAX)],
    )
}

pub(super) const NO_NVTX: Rule = Rule {
    id: "no_nvtx",
    title: "There are no ranges",
    how: "GPUs worked, and the program marked nothing: there is no range in the default NVTX domain. If it has ranges in a \
        domain of its own, the finding names the domain and the range that runs most often, because such a range delimits \
        iterations only where `--key-node` names it.",
    severity: Severity::Note,
    confidence: Confidence::High,
    link: "https://pytorch.org/docs/stable/autograd.html#torch.autograd.profiler.emit_nvtx",
    needs: &[Need::Ranges],
    check: no_nvtx,
    ..Rule::SILENT
};

fn no_nvtx(scene: &Scene<'_>, _: &Limits<'_>) -> Option<Finding> {
    let capture = &scene.profile.capture;
    let is_user = |text: &crate::read::facts::RangeText| text.domain.some().is_none();
    if !scene.profile.has_gpu_work() || capture.ranges.texts.iter().any(is_user) {
        return None;
    }
    if let Some(own) = own_domain(scene) {
        let problem = Sentence::new(
            "The NVTX ranges of the program are in the domain `{}`, most often `{}` (runs: {}). None is in the default \
             domain, where iterations are looked for",
            vec![Figure::Text(own.domain), Figure::Text(own.text.clone()), Figure::Count(own.count)],
        );
        let key_node = scene.profile.iterations.key_node.as_ref();
        let delimiter = xla_program(scene).unwrap_or(own.text);
        let advice = match key_node.is_some_and(|key_node| key_node.name.trim_start_matches('/') == delimiter)
        {
            true => "Mark each step with a range of the default domain, which needs no `--key-node`".into(),
            false => Sentence::new(
                "Split the capture by these ranges with `--key-node {}`; ranges of the default domain around each step \
                 need no option",
                vec![Figure::Text(shell_word(&delimiter).into_owned())],
            ),
        };
        let finding = Finding::new(problem, advice).count("kernels", capture.counts().kernels as u64);
        return Some(finding.count("range_executions", own.count).show(Question::of("attribution")));
    }
    let advice = how_to_name_ops(scene);
    let by = if scene.iterations > 0 { "op" } else { "op or step" };
    let problem = Sentence::new(
        "{}, so that kernels cannot be told by {}",
        vec![Figure::Clause(Box::new(Sentence::beginning(no_ranges(capture)))), Figure::Text(by.to_owned())],
    );
    let finding = Finding::new(problem, advice).about_recording(capture);
    let finding = match capture.notes.ranges_left_out {
        Some(_) => finding.titled("The export lacks ranges that nsys collected"),
        None => finding,
    };
    Some(finding.count("kernels", capture.counts().kernels as u64).show(Question::of("attribution")))
}

/// How to record, or mark, what kernels are launched by.
fn how_to_name_ops(scene: &Scene<'_>) -> Sentence {
    let capture = &scene.profile.capture;
    if capture.recorder.is_torch_profiler() {
        return Sentence::new(
            "Record operators as well: `profile({})`, call `prof.step()` after each step, and mark its parts with \
             `torch.profiler.record_function`",
            vec![Figure::Text(capture.recorder.vendor.activities().into())],
        );
    }
    if capture.notes.ranges_left_out.is_some() {
        return "Export the report again without `--tables`: nsys collected NVTX ranges, which this export lacks".into();
    }
    let calls = scene.calls();
    // A graph launches many kernels, so a quarter of the launches is most of the work.
    let was_traced = capture.notes.nvtx_traced == Some(true);
    let advice = if lacks_openacc(scene) {
        "Mark each step and its parts with NVTX ranges; `{},openacc` needs no change of the program and records each \
         region with its file and line, which `dlprof-agg stats -r openacc_sum` lists"
    } else if capture.notes.nvtx_traced == Some(false) {
        "Profile with `{}`; if the program marks nothing yet, mark each step and its parts with NVTX ranges"
    } else if 4 * calls.graph_launches >= calls.of(ApiClass::Launch).calls.max(1) {
        match was_traced {
            true => {
                "Mark steps with NVTX ranges. Ranges around ops say nothing here, because CUDA graphs launch the kernels: to \
                 tell kernels by op, profile once without graphs"
            }
            false => {
                "Mark steps with NVTX ranges. Ranges around ops say nothing here, because CUDA graphs launch the kernels: to \
                 tell kernels by op, profile once without graphs, with `{}`"
            }
        }
    } else if scene.is_pytorch() && was_traced {
        "Mark steps with `torch.cuda.nvtx.range`, and ops with `torch.autograd.profiler.emit_nvtx()`, inside the part that is \
         captured"
    } else if was_traced {
        "Mark each step and its parts with NVTX ranges inside the part that is captured, so that time has names"
    } else if scene.is_pytorch() {
        "Mark steps with `torch.cuda.nvtx.range`, and ops with `torch.autograd.profiler.emit_nvtx()`; profile with \
         `{}`"
    } else {
        "Mark each step and its parts with NVTX ranges, so that time has names, and profile with `{}`"
    };
    with_option(advice, capture.trace_option(false))
}

/// A sentence with at most one place, for an option of nsys.
fn with_option(words: &'static str, option: String) -> Sentence {
    let figures = if words.contains("{}") { vec![Figure::Text(option)] } else { Vec::new() };
    Sentence::new(words, figures)
}

/// The range of the program that runs most often in a domain that is not a library's.
pub(super) struct OwnDomain {
    domain: String,
    text: String,
    count: u64,
}

pub(super) fn own_domain(scene: &Scene<'_>) -> Option<OwnDomain> {
    let capture = &scene.profile.capture;
    let (ranges, strings) = (&capture.ranges, &capture.strings);
    let mut counts = vec![0_u64; ranges.texts.len()];
    for list in ranges.by_thread.iter().chain([&ranges.without_thread]) {
        list.text.iter().for_each(|text| counts[text.index()] += 1);
    }
    let is_own = |says: &RangeText| {
        says.domain
            .some()
            .is_some_and(|domain| !crate::capture::correlate::is_library_domain(strings.get(domain)))
    };
    let own = ranges.texts.iter().zip(counts).filter(|(says, count)| *count > 0 && is_own(says));
    let (says, count) = own.max_by(|a, b| {
        let text = |says: &RangeText| strings.get(says.text);
        a.1.cmp(&b.1).then_with(|| text(b.0).cmp(text(a.0)))
    })?;
    let text = strings.get(says.text).to_owned();
    Some(OwnDomain { domain: strings.get(says.domain).to_owned(), text, count })
}

/// The program of XLA whose ops run most often: ops have its name before their own, and not the texts of ranges.
fn xla_program(scene: &Scene<'_>) -> Option<String> {
    let profile = scene.profile;
    let of_xla = profile.op_stats.iter().filter(|_| scene.framework() == Framework::Xla);
    let named = of_xla.filter_map(|op| Some((profile.op_name(op.op).strip_prefix('/')?, op.times.cpu.count)));
    let most = named.rev().max_by_key(|&(_, count)| count)?;
    most.0.split('/').next().map(str::to_owned)
}

pub(super) const UNEXPLAINED_IDLE: Rule = Rule {
    id: "unexplained_idle",
    title: "GPUs idle without a range or call that says why",
    how: "The share of the time, averaged over the used GPUs, of idle time with the causes `unknown` and `no_api_call`, without \
        what belongs to work done once (`warm_up_in_range` has it). Where half of the CPU samples that the threads that launch \
        have in idle time of the cause `unknown`, ten or more, are in calls of one library, and the function that their stacks \
        name is mostly the one that makes its handle, such as `cublasLtCreate`, this library gets ready. Else, where half of \
        them are in code of the program, it computes there. Else, where these threads call functions that read files 50 times or \
          more there, and every 2 ms on average, and the profiler recorded that they load code (`dlopen` and the like) three \
          times or more, and every 200 ms on average, it loads code. Else, without samples, where its scheduling says that it has a \
          processor in half of this time or more, it runs on the CPU. Else the finding names the function that calls the driver in half of these \
          samples, or the binary that does, or the function with most of them; without samples, that files are read so often, or \
          the two calls between which most of this time lies. What is said of `unknown` is said where it is no less than \
          `no_api_call`, and is its share alone. Where the program computes, the saving is at most this time of the cause \
          `unknown`, and where it runs on the CPU the part in which it does; else none is stated, and the finding is a note.",
    severity: Severity::Warning,
    confidence: Confidence::High,
    thresholds: &[UNEXPLAINED],
    needs: &[Need::HostCalls, Need::GpuTime],
    subject: Subject::Part(Verdict::Unexplained),
    saves_from: &[TimeOf::Unexplained],
    check: unexplained_idle,
    ..Rule::SILENT
};

/// The share of idle time that `unexplained_idle` says to be of work done once, beside what `warm_up_in_range` has.
pub(super) fn further_done_once(scene: &Scene<'_>) -> Option<f64> {
    let [no_call, unknown] = [Cause::NoApiCall, Cause::Unknown].map(|cause| scene.lasting_idle(cause));
    let share = scene.share(unknown + no_call);
    let limit = UNEXPLAINED_IDLE.limits_in(scene)?.of(&UNEXPLAINED);
    (share >= limit && unknown >= no_call && scene.unexplained().is_done_once()).then_some(share)
}

fn unexplained_idle(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    let capture = &scene.profile.capture;
    if scene.share(scene.idle(&[Cause::NoApiCall, Cause::Unknown])) < limits.of(&UNEXPLAINED) {
        return None;
    }
    let [no_call, unknown] = [Cause::NoApiCall, Cause::Unknown].map(|cause| scene.lasting_idle(cause));
    let share = scene.share(unknown + no_call);
    if share < limits.of(&UNEXPLAINED) {
        return None;
    }
    let told = if unknown >= no_call { scene.unexplained() } else { Unexplained::Nothing };
    let is_host_memory = no_call > unknown && scene.waits_for_host_memory();
    let advice = match no_call > unknown {
        true if is_host_memory => {
            "Look at what the host does there before it reads or writes unified memory (CPU samples, ranges). Do that work on \
             the GPU or while GPUs work; `cudaMemPrefetchAsync` to the host saves only the migrations and the page faults before them"
        }
        true if capture.recorder.is_torch_profiler() && capture.begins_with_earlier_work() => LAUNCHED_BEFORE,
        true if capture.recorder.is_torch_profiler() => CALLS_MISSING,
        false if told == Unexplained::EarlierWork => started_before(&scene.profile.capture),
        true if !capture.api_calls.is_empty() => {
            "Look at what runs before and after these gaps. They end in work without an API call of its own, such as a migration of \
             unified memory, so that the host says nothing about them"
        }
        true => {
            "Record the calls of CUDA as well (`{}`): GPU work without its call says nothing about the host"
        }
        false if matches!(told, Unexplained::Computes(..)) => {
            "Take this work off the path to the next launch: do it on the GPU, on another thread, less often, or faster; \
             `dlprof-agg show idle-functions` lists the functions that were sampled"
        }
        false if matches!(told, Unexplained::Runs(..)) && !capture.recorder.is_torch_profiler() => {
            "Take this work off the path to the next launch: do it on the GPU, on another thread, less often, or faster; CPU samples \
             (`--sample=process-tree`) would say what it is"
        }
        false if capture.recorder.is_torch_profiler() && !told.is_done_once() => untold_time(scene),
        false if told.is_done_once() => {
            "Profile a longer run, or later steps: a longer run does not repeat it. Import and make ready what the program \
             needs before it begins to time"
        }
        false if matches!(told, Unexplained::Sampled(..)) => {
            "Look at the functions in which the threads that launch were sampled meanwhile (`dlprof-agg show idle-functions`), \
             and put ranges around the parts of a step"
        }
        false if scene.is_python() && capture.host.os_calls.is_some() => {
            "Record more of what the host does: CPU samples (`--sample=process-tree --python-sampling=true`), and ranges around \
             the parts of a step"
        }
        false if capture.host.os_calls.is_some() => {
            "Record more of what the host does: CPU samples (`--sample=process-tree`), and ranges around the parts of a step"
        }
        false if scene.is_python() => {
            "Record what the host does: `{}`, CPU samples (`--sample=process-tree --python-sampling=true`), \
             and ranges around the parts of a step"
        }
        false => {
            "Record what the host does: `{}`, CPU samples (`--sample=process-tree`), and ranges around the \
             parts of a step"
        }
    };
    let starts = capture.profiler_start_in(scene.call_span());
    let advice = match starts.filter(|_| no_call <= unknown && told.is_done_once()) {
        Some(start) => capture_range(scene, start),
        None => with_option(advice, capture.trace_option(true)),
    };
    let idle = &scene.gpu_time().idle;
    let causes = [(Cause::NoApiCall, no_call), (Cause::Unknown, unknown)].into_iter();
    let causes: Vec<&str> = causes.filter(|(_, ns)| *ns > 0).map(|(cause, _)| cause.as_str()).collect();
    let problem = match causes.as_slice() {
        [only] if *only == Cause::NoApiCall.as_str() && is_host_memory => {
            "GPUs idle {} of the time before work that no API call started, most of it before unified memory migrates to the host"
        }
        _ if no_call > unknown && capture.recorder.is_torch_profiler() => {
            "GPUs idle {} of the time, most of it before work that was launched before the recording began"
        }
        [only] if *only == Cause::NoApiCall.as_str() => {
            "GPUs idle {} of the time before work that no API call started, such as a migration of unified memory"
        }
        _ => "GPUs idle {} of the time, and the capture does not tell why",
    };
    let told_of_unknown = told.said(scene, Figure::Percent(scene.share(unknown), 1));
    let problem = told_of_unknown.unwrap_or_else(|| Sentence::new(problem, vec![Figure::Percent(share, 1)]));
    let finding = Finding::new(problem, advice)
        .about_recording(capture)
        .percent(UNEXPLAINED.name, share)
        .time("longest_gap_ns", idle.longest_gap_ns)
        .about(EvidenceKind::Cause, causes)
        .show(Question::of("idle_totals").rows_where("cause = unknown or cause = no_api_call"));
    let finding = match told {
        Unexplained::Computes(..) => finding.saves_at_most(
            scene.per_gpu(unknown),
            "All idle time of the cause unknown that is not done once, in which the program computes",
        ),
        Unexplained::Runs(..) => finding.saves_at_most(
            scene.per_gpu(unknown.min(scene.computing_ns())),
            "All idle time of the cause unknown that is not done once and in which the program runs on the CPU",
        ),
        // Nothing that was recorded says that this time is lost.
        _ => finding.at_most(Severity::Note),
    };
    Some(match told.title() {
        Some(title) => finding.titled(title),
        None => finding,
    })
}

pub(super) const GRAPH_GRANULARITY: Rule = Rule {
    id: "graph_granularity",
    title: "Graphs hide their kernels",
    how: "The share of the kernel time of CUDA graphs that were recorded as one piece each.",
    severity: Severity::Note,
    confidence: Confidence::High,
    thresholds: &[GRAPHS],
    needs: &[Need::Graphs],
    check: graph_granularity,
    ..Rule::SILENT
};

fn graph_granularity(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    let capture = &scene.profile.capture;
    if capture.whole_graphs == 0 {
        return None;
    }
    let times = scene.kernels();
    let graphs: Vec<_> = times.kernels.iter().filter(|kernel| kernel.is_graph).collect();
    let time_ns = total(graphs.iter().map(|kernel| kernel.time_ns));
    let launches: u64 = graphs.iter().map(|kernel| kernel.launches).sum();
    let share = times.share(time_ns);
    if share < limits.of(&GRAPHS) {
        return None;
    }
    let names: Vec<String> = graphs.iter().take(3).map(|kernel| super::name_of(scene, kernel)).collect();
    let first = ids::all::<WorkId>(capture.counts().kernels)
        .find(|&kernel| capture.kernels.graph[kernel] == GraphOrigin::WholeGraph);
    let finding = Finding::new(
        Sentence::new(
            "{} of the kernel time lies in {} launches of whole graphs, whose kernels the capture does not show",
            vec![Figure::Percent(share, 1), Figure::Count(launches)],
        ),
        "Profile with `--cuda-graph-trace=node` to see the kernels; each of them then costs some more",
    )
    .percent(GRAPHS.name, share)
    .count("graph_launches", scene.calls().graph_launches)
    .measure("example", Measure::Text(first.map_or(String::new(), |kernel| {
        capture.strings.get(capture.kernels.long_name[kernel]).to_owned()
    })))
    .about(EvidenceKind::Kernel, names)
    .show(whole_graphs());
    let calls = scene.calls().of(ApiClass::Launch).calls;
    let graph_share = 100.0 * count_to_f64(scene.calls().graph_launches) / count_to_f64(calls.max(1));
    Some(finding.percent("graph_launches_percent", graph_share))
}

/// Lists the graphs that were recorded as a whole, with their time.
pub(super) fn whole_graphs() -> Question {
    Question::of("kernel_names").rows_where("long_kernel_name ~ '^CUDA graph'").sorted_by(["-gpu_time_ns"])
}
