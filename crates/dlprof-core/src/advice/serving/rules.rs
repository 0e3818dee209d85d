//! Rules of inference servers. They speak where other rules, which look for what delays training, are silent.

use super::words::NAMED_PERCENT;
use crate::advice::edits::Edits;
use crate::advice::finding::{Confidence, EvidenceKind, Finding, Severity};
use crate::advice::question::Question;
use crate::advice::rule::{Limits, Need, Rule, Threshold};
use crate::advice::scene::Scene;
use crate::advice::sentence::{Figure, Sentence};
use crate::base::ratios::{count_to_f64, percent, to_f64};
use crate::base::time::Ns;
use crate::capture::names::{ApiClass, ByName, MarkForm, Phase};
use crate::replay::{Edit, KernelsOf, ThreadTimes};
use crate::serving::{EngineLane, EngineStep, IdlePart, Serving, StepWork};

/// Rules whose sentences and remedies are about training loops: of servers they say nothing.
const NOT_OF_SERVERS: [&str; 21] = [
    "allocation_in_step",
    "between_iterations",
    "buffer_broadcasts",
    "cpu_work_between",
    "exposed_communication",
    "exposed_copies",
    "host_communication",
    "host_pause",
    "input_bound",
    "iteration_range_detector",
    "launch_bound",
    "os_call_waits",
    "pageable_copies",
    "per_parameter_optimizer",
    "serialised_launches",
    "sync_in_step",
    "unexplained_idle",
    "unsteady_iterations",
    "underutilized_gpu_detector",
    "dataloader_detector",
    "warm_up_in_range",
];

/// The rule of launches of any program.
const LAUNCHES: &str = "launch_bound";

/// Whether a rule is silent in captures of a server. That of launches speaks where no decode step can be timed, of which our own does.
pub(in crate::advice) fn is_not_of_servers(id: &str, serving: &Serving) -> bool {
    let is_timed = || serving.main().is_some_and(|lane| lane.figures.phase(Phase::Decode).is_some());
    NOT_OF_SERVERS.contains(&id) && (id != LAUNCHES || is_timed())
}

const CAUSE: Threshold = Threshold {
    name: "decode_percent",
    default: NAMED_PERCENT,
    doc: "Least share of the periods of decode steps.",
};

const PREFILL: Threshold = Threshold {
    name: "prefill_percent",
    default: 10.0,
    doc: "Least share of the time between tokens that other requests' prefill takes.",
};

const EXCHANGE: Threshold =
    Threshold { name: "exchange_percent", default: 10.0, doc: "Least share of the periods of decode steps." };

const PADDING: Threshold = Threshold {
    name: "padding_percent",
    default: 10.0,
    doc: "Least share of the batches of graphs that no request needs.",
};

const SLOW_STEPS: Threshold = Threshold {
    name: "steps_percent",
    default: 90.0,
    doc: "Least share of the steady steps in which the layer takes 1.5 times the median of the layers or more.",
};

/// What the rules of one cause of idle time share.
const GAP: Rule = Rule {
    severity: Severity::Warning,
    confidence: Confidence::High,
    thresholds: &[CAUSE],
    needs: &[Need::Server],
    is_replayed: true,
    ..Rule::SILENT
};

const HOW: &str = "Idle time of this cause over the periods of decode steps, from the tokens of one step to those of the next: what \
                   the thread of the step marks did before it launched the next work. The saving is replayed with a thread that does \
                   this in no time; of launches, with those between two waits as one.";

/// The rules of servers.
pub(in crate::advice) const RULES: &[Rule] = &[
    Rule {
        id: "engine_scheduling",
        title: "GPUs wait while the server schedules the next step",
        how: HOW,
        check: |scene, limits| gap(scene, limits, IdlePart::Schedule),
        ..GAP
    },
    Rule {
        id: "engine_inputs",
        title: "GPUs wait while the server prepares the inputs of the next step",
        how: HOW,
        check: |scene, limits| gap(scene, limits, IdlePart::Prepare),
        ..GAP
    },
    Rule {
        id: "engine_output",
        title: "GPUs wait while the server hands tokens on",
        how: HOW,
        check: |scene, limits| gap(scene, limits, IdlePart::Output),
        ..GAP
    },
    Rule {
        id: "engine_sampling",
        title: "GPUs wait while the server samples tokens",
        how: HOW,
        check: |scene, limits| gap(scene, limits, IdlePart::Sample),
        ..GAP
    },
    Rule {
        id: "engine_launches",
        title: "GPUs wait for launches of decode steps",
        how: HOW,
        check: |scene, limits| gap(scene, limits, IdlePart::Launch),
        ..GAP
    },
    Rule {
        id: "engine_host",
        title: "GPUs wait for the host of the server, and nothing names what it does",
        how: HOW,
        check: |scene, limits| gap(scene, limits, IdlePart::HostUnnamed),
        ..GAP
    },
    Rule {
        id: "engine_prefill",
        title: "Prefill of other requests delays tokens",
        how: "Time by which tokens with a prefill or mixed step in between are later than the median decode step, over all time \
              between tokens. The saving is at most the time by which these steps exceed the median decode step, as far as GPUs \
              idle in them: work is moved, not removed.",
        thresholds: &[PREFILL],
        check: prefill,
        is_replayed: false,
        ..GAP
    },
    Rule {
        id: "engine_graph_misses",
        title: "Decode steps run without a CUDA graph while others have one",
        how: "Decode steps whose kernels are launched one by one, where graphs launch others. The saving is replayed \
              with the launches of these steps between two waits as one.",
        thresholds: &[],
        check: graph_misses,
        ..GAP
    },
    Rule {
        id: "engine_exchange",
        title: "Exchange between GPUs is not hidden in decode steps",
        how: "Time in which kernels that exchange data run and nothing else of the step, over the periods of decode steps. What of it is \
              waiting for other GPUs, a capture of one cannot tell; the saving is at most what exchange in no time saves.",
        thresholds: &[EXCHANGE],
        check: exchange,
        ..GAP
    },
    Rule {
        id: "engine_padding",
        title: "Decode steps are filled up to larger batches",
        severity: Severity::Note,
        how: "Batches of the graphs of decode steps against their requests, as the marks of the steps say both. What it costs depends on \
              the kernels, so that no saving is said.",
        thresholds: &[PADDING],
        check: padding,
        is_replayed: false,
        ..GAP
    },
    Rule {
        id: "engine_slow_layer",
        title: "A layer takes much longer than the others",
        how: "Kernel time of the slowest layer of a module against the median of its layers, in steady steps. Silent with fewer than \
              three layers. The saving is replayed with kernels of this layer that take what those of the median layer do.",
        thresholds: &[SLOW_STEPS],
        check: slow_layer,
        ..GAP
    },
];

/// The lane that rules speak of.
fn lane<'a>(scene: &Scene<'a>) -> Option<&'a EngineLane> {
    scene.profile.serving().main()
}

/// The steps of a phase that begin in the iterations that findings are about.
fn steps_in<'a>(
    scene: &Scene<'_>,
    lane: &'a EngineLane,
    phase: Phase,
) -> impl Iterator<Item = &'a EngineStep> + Clone {
    let span = scene.span;
    let is_in = move |step: &&EngineStep| {
        step.mark.phase == phase && (span.start..span.end).contains(&step.span.start)
    };
    lane.steps.iter().filter(is_in)
}

/// Time of the period of a step in which GPUs idle, and the server had requests.
fn idle_of(step: &EngineStep) -> Ns {
    step.period.map_or(0, |period| period.idle_ns - period.of(IdlePart::NoRequest))
}

fn question(condition: &str) -> Question {
    Question::of("engine_steps").rows_where(condition).sorted_by(["step"])
}

/// A cause of idle time in decode steps.
fn gap(scene: &Scene<'_>, limits: &Limits<'_>, part: IdlePart) -> Option<Finding> {
    let lane = lane(scene)?;
    let decode = lane.figures.phase(Phase::Decode)?;
    let ns = decode.by_cause[part as usize];
    let share = percent(ns, decode.period.sum);
    if share < limits.of(&CAUSE) {
        return None;
    }
    let form = lane.steps.first()?.mark.form;
    let saved: Ns = steps_in(scene, lane, Phase::Decode)
        .filter_map(|step| step.period)
        .map(|period| period.of(part))
        .sum();
    let each = to_f64(ns) / count_to_f64(decode.steps);
    let problem = Sentence::new(
        "{} of {} of a decode step the GPU waits for {} ({})",
        vec![
            Figure::Time(each),
            Figure::Time(decode.period.mean()),
            Figure::Text(waited_for(part).to_owned()),
            Figure::Percent(share, 1),
        ],
    );
    let by_graphs = 2 * decode.graph_steps > decode.steps;
    let traced = scene.profile.capture.recorder.is_torch_profiler();
    let finding = Finding::new(problem, advice(part, form, by_graphs, traced))
        .percent(CAUSE.name, share)
        .time("waiting_ns", ns)
        .count("steps", decode.steps)
        .saves_at_most(saved.min(scene.span.length()), "Idle time of this cause in decode steps")
        .replayed(without(scene, lane, part, by_graphs))
        .about(EvidenceKind::EnginePhase, [Phase::Decode.as_str()])
        .show(question("phase = 'decode'"));
    Some(finding)
}

/// A server whose host does a part of its loop in no time, as one that does it while the GPU works.
fn without(scene: &Scene<'_>, lane: &EngineLane, part: IdlePart, by_graphs: bool) -> Edits {
    if part == IdlePart::Launch {
        return launched_as_one(by_graphs);
    }
    let spans = lane.times_of(&scene.profile.capture, part, scene.span);
    let edits = vec![Edit::without_host_work(ThreadTimes { thread: lane.thread, spans })];
    let basis = "The host does this in no time";
    match part {
        // What it is decides whether it can be done at another time.
        IdlePart::HostUnnamed => Edits::most(edits, basis),
        _ => Edits::likely_all(edits, basis),
    }
}

/// Steps that a graph launches already gain from faster launches at most.
fn launched_as_one(by_graphs: bool) -> Edits {
    match by_graphs {
        false => Edits::launches_as_one(),
        true => Edits::most(
            vec![Edit::launches_as_one_at_most(), Edit::calls_in_no_time(ApiClass::Launch)],
            "Launches around graphs as one, and calls that launch in no time",
        ),
    }
}

fn waited_for(part: IdlePart) -> &'static str {
    match part {
        IdlePart::Schedule => "the scheduler",
        IdlePart::Prepare => "the host to prepare inputs",
        IdlePart::Output => "the host to hand tokens on",
        IdlePart::Sample => "sampling on the host",
        IdlePart::Launch => "launches",
        _ => "work of the host that no range names",
    }
}

/// What removes a cause, in the words of the server.
fn advice(part: IdlePart, form: MarkForm, by_graphs: bool, is_trace: bool) -> &'static str {
    match (part, form.server()) {
        (IdlePart::Schedule, "vLLM") => "Schedule while the GPU works: `--async-scheduling`",
        (IdlePart::Schedule, "SGLang") => {
            "Schedule while the GPU works: do not pass `--disable-overlap-schedule`"
        }
        (IdlePart::Schedule, "TensorRT-LLM") => {
            "Schedule while the GPU works: the overlap scheduler (`disable_overlap_scheduler: false`)"
        }
        (IdlePart::Schedule, _) => "Schedule the next step while the GPU works on this one",
        (IdlePart::Prepare, _) => {
            "Keep the batch on the GPU from step to step, and copy only what changes; a scheduler that overlaps with the GPU hides \
             the rest"
        }
        (IdlePart::Output, "TensorRT-LLM") => {
            "Hand tokens on while the GPU works (the overlap scheduler, `disable_overlap_scheduler: false`), or several at a time \
             (`stream_interval`)"
        }
        (IdlePart::Output, _) => {
            "Turn tokens into text and send them in another process, or several at a time (`stream_interval`)"
        }
        (IdlePart::Sample, _) => {
            "Sample on the GPU: neither copy logits to the host nor wait for them before the next token is chosen"
        }
        (IdlePart::Launch, _) if by_graphs => {
            "A graph launches the step already: fewer copies and kernels around it, and pieces that are one graph, not several"
        }
        (IdlePart::Launch, "vLLM") => {
            "Capture graphs for these batch sizes: no `--enforce-eager`, `--cuda-graph-sizes`"
        }
        (IdlePart::Launch, "SGLang") => {
            "Capture graphs for these batch sizes: no `--disable-cuda-graph`, `--cuda-graph-bs`"
        }
        (IdlePart::Launch, _) => "Capture graphs for these batch sizes",
        (_, "vLLM") if is_trace => "Let the server name what it does: `VLLM_CUSTOM_SCOPES_FOR_PROFILING=1`",
        (_, "vLLM") => "Let the server name what it does: `VLLM_NVTX_SCOPES_FOR_PROFILING=1`",
        (_, _) if is_trace => {
            "Record Python functions (`with_stack=True`), which name what the loop of the server does"
        }
        (_, _) => {
            "Record what the host does: `--python-sampling=true`, or torch.profiler with `with_stack=True`"
        }
    }
}

fn prefill(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    let lane = lane(scene)?;
    let found = lane.figures.interference?;
    if found.percent() < limits.of(&PREFILL) {
        return None;
    }
    let mixed = steps_in(scene, lane, Phase::Mixed).chain(steps_in(scene, lane, Phase::Prefill));
    let beyond = |step: &EngineStep| {
        step.period.map_or(0, |period| (period.length - found.median_decode).clamp(0, idle_of(step)))
    };
    let saved: Ns = mixed.map(beyond).sum();
    let tokens = lane.figures.tokens?;
    let problem = Sentence::new(
        "Prefill of other requests makes {} of the time between tokens: {} of {} tokens had one in between; a decode step takes {}, \
         and p99 is {}",
        vec![
            Figure::Percent(found.percent(), 0),
            Figure::Count(found.delayed),
            Figure::Count(tokens.samples),
            Figure::Time(to_f64(found.median_decode)),
            Figure::Time(to_f64(tokens.p99)),
        ],
    );
    let advice = match lane.steps.first()?.mark.form.server() {
        "vLLM" => {
            "Let a step compute fewer prompt tokens (`--max-num-batched-tokens`): it is shorter, and prompts take more steps"
        }
        "SGLang" => {
            "Let a step compute fewer prompt tokens (`--chunked-prefill-size`, `--enable-mixed-chunk`), or compute prompts elsewhere"
        }
        "TensorRT-LLM" => {
            "Let a step compute fewer prompt tokens (`enable_chunked_prefill`, `max_num_tokens`), or compute prompts elsewhere"
        }
        _ => "Let a step compute fewer prompt tokens, or compute prompts on other GPUs",
    };
    let finding = Finding::new(problem, advice)
        .percent(PREFILL.name, found.percent())
        .count("delayed_tokens", found.delayed)
        .time("median_decode_ns", found.median_decode)
        .time("p99_interval_ns", tokens.p99)
        .saves_at_most(
            saved,
            "Time by which steps with a prefill exceed the median decode step, as far as GPUs idle in them: their work is moved, not \
             removed",
        )
        .about(EvidenceKind::EnginePhase, [Phase::Mixed.as_str(), Phase::Prefill.as_str()])
        .show(question("prefill_requests > 0"));
    Some(finding)
}

fn graph_misses(scene: &Scene<'_>, _: &Limits<'_>) -> Option<Finding> {
    let lane = lane(scene)?;
    let is_graph = |work: StepWork| 2 * work.graph_ns > work.kernel_ns;
    let decode =
        || lane.steps.iter().filter(|step| step.mark.phase == Phase::Decode && step.mark.gives_tokens);
    let timed = || decode().filter_map(|step| Some((step, step.work?, step.period?.length)));
    let eager: Vec<(&EngineStep, Ns)> =
        timed().filter(|(_, work, _)| !is_graph(*work)).map(|(step, _, ns)| (step, ns)).collect();
    let by_graph: Vec<Ns> = timed().filter(|(_, work, _)| is_graph(*work)).map(|(_, _, ns)| ns).collect();
    if eager.is_empty() || by_graph.len() <= eager.len() {
        return None;
    }
    let count = eager.len() as u64;
    let usual = crate::base::ratios::median(by_graph);
    let slow = crate::base::ratios::median(eager.iter().map(|(_, ns)| *ns).collect());
    let requests: Vec<u64> = eager.iter().filter_map(|(step, _)| step.mark.requests()).collect();
    let of_requests = match (requests.iter().min(), requests.iter().max()) {
        (Some(least), Some(most)) if least == most => format!(" of {least} requests"),
        (Some(least), Some(most)) => format!(" of {least} to {most} requests"),
        _ => String::new(),
    };
    let inside = |step: &&EngineStep| (scene.span.start..scene.span.end).contains(&step.span.start);
    // A graph takes away launches, for which GPUs wait, and no work.
    let saving = |(step, ns): &(&EngineStep, Ns)| (ns - usual).clamp(0, idle_of(step));
    let saved: Ns = eager.iter().filter(|(step, _)| inside(step)).map(saving).sum();
    let spans = eager.iter().map(|(step, _)| step.span).collect();
    let [likely, most] = Edit::launches_as_one_during(ThreadTimes { thread: lane.thread, spans });
    let problem = Sentence::new(
        "{} decode steps{} ran without a CUDA graph and took {} in the middle; those of graphs take {}",
        vec![
            Figure::Count(count),
            Figure::Text(of_requests),
            Figure::Time(to_f64(slow)),
            Figure::Time(to_f64(usual)),
        ],
    );
    let advice = match lane.steps.first()?.mark.form.server() {
        "vLLM" => "Capture graphs for these batch sizes: `--cuda-graph-sizes`",
        "SGLang" => "Capture graphs for these batch sizes: `--cuda-graph-bs`, `--cuda-graph-max-bs`",
        _ => "Capture graphs for these batch sizes",
    };
    let finding = Finding::new(problem, advice)
        .count("steps", count)
        .time("eager_ns", slow)
        .time("graph_ns", usual)
        .saves_at_most(
            saved,
            "Time by which these steps exceed the median of those that graphs launch, as far as GPUs idle in them",
        )
        .replayed(Edits {
            expected: vec![likely],
            ..Edits::most(
                vec![most],
                "The launches of these steps between two waits as one, with gaps under 1 ms between them; at most with all gaps",
            )
        })
        .about(EvidenceKind::EnginePhase, [Phase::Decode.as_str()])
        .show(question("phase = 'decode' and launched_by = 'eager'"));
    Some(finding)
}

fn exchange(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    let lane = lane(scene)?;
    let decode = lane.figures.phase(Phase::Decode)?;
    let share = percent(decode.exchange_ns, decode.period.sum);
    if share < limits.of(&EXCHANGE) {
        return None;
    }
    let problem = Sentence::new(
        "GPUs exchange data for {} of {} of a decode step and do nothing else ({})",
        vec![
            Figure::Time(to_f64(decode.exchange_ns) / count_to_f64(decode.steps)),
            Figure::Time(decode.period.mean()),
            Figure::Percent(share, 1),
        ],
    );
    let capture = &scene.profile.capture;
    let is_nccl = ByName::new(&capture.strings, |name| name.starts_with("nccl"));
    let advice = match capture.kernels.long_name.iter().any(|name| is_nccl.get(*name)) {
        true => {
            "NCCL exchanges small messages slowly: let the server use its own all-reduce (no `--disable-custom-all-reduce`), which \
             needs peer access between the GPUs, or spread the model over fewer GPUs"
        }
        false => {
            "Spread the model over fewer GPUs, or fuse the exchange with the kernels around it; `ranks` tells waiting for a slow GPU apart"
        }
    };
    let finding = Finding::new(problem, advice)
        .percent(EXCHANGE.name, share)
        .time("exchange_ns", decode.exchange_ns)
        .count("steps", decode.steps)
        .saves_at_most(
            decode.exchange_ns.min(scene.span.length()),
            "Exchange of decode steps that nothing hides",
        )
        .replayed(Edits::most(
            vec![Edit::exchange_in_no_time()],
            "Exchange takes no time once all GPUs have begun",
        ))
        .about(EvidenceKind::EnginePhase, [Phase::Decode.as_str()])
        .show(question("phase = 'decode'"));
    Some(finding)
}

fn padding(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    let decode = lane(scene)?.figures.phase(Phase::Decode)?;
    let (requests, filled) = decode.padded;
    let share = 100.0 * count_to_f64(filled.saturating_sub(requests)) / count_to_f64(filled.max(1));
    if filled == 0 || share < limits.of(&PADDING) {
        return None;
    }
    let problem = Sentence::new(
        "Graphs of decode steps compute {} rows for {} requests: {} are filling",
        vec![Figure::Count(filled), Figure::Count(requests), Figure::Percent(share, 0)],
    );
    let finding =
        Finding::new(problem, "Capture graphs for more sizes of batches between those that are filled up")
            .percent(PADDING.name, share)
            .count("requests", requests)
            .count("rows", filled)
            .about(EvidenceKind::EnginePhase, [Phase::Decode.as_str()])
            .show(question("phase = 'decode' and padded_batch > decode_requests"));
    Some(finding)
}

fn slow_layer(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    const FEWEST_LAYERS: u64 = 3;
    let lane = lane(scene)?;
    let is_slow = |module: &&crate::serving::ModuleTime| {
        let (slow, of) = module.slow_steps;
        let share = percent(slow.try_into().unwrap_or(Ns::MAX), of.try_into().unwrap_or(Ns::MAX));
        module.layers >= FEWEST_LAYERS && of > 0 && share >= limits.of(&SLOW_STEPS)
    };
    let beyond = |module: &crate::serving::ModuleTime| {
        module.largest.map_or(0, |layer| layer.total_ns - module.median_ns)
    };
    let module = lane.modules.rows.iter().filter(is_slow).max_by_key(|module| beyond(module))?;
    let largest = module.largest?;
    let times = to_f64(largest.total_ns) / to_f64(module.median_ns.max(1));
    let only = module.kernels_of_largest.iter().copied().collect();
    let edits = vec![Edit::kernels(KernelsOf { only, ..KernelsOf::default() }, 1.0 / times.max(1.0))];
    let problem = Sentence::new(
        "`{}` takes {} times as long in layer {} as in the other {} layers, in {} of {} steady steps",
        vec![
            Figure::Text(module.name.clone()),
            Figure::Text(format!("{times:.1}")),
            Figure::Count(largest.layer),
            Figure::Count(module.layers - 1),
            Figure::Count(module.slow_steps.0),
            Figure::Count(module.slow_steps.1),
        ],
    );
    let finding = Finding::new(
        problem,
        "Look at what this layer does otherwise: its shapes, its number format, or the algorithm that was chosen for it",
    )
    .count("layer", largest.layer)
    .time("layer_ns", largest.total_ns)
    .time("median_layer_ns", module.median_ns)
    .saves_at_most(beyond(module).min(scene.span.length()), "What the layer takes beyond the median of the layers")
    .replayed(Edits::likely_all(edits, "Kernels of this layer take as long as those of the median layer"))
    .about(EvidenceKind::EngineModule, [module.name.clone()])
    .show(Question::of("engine_modules").sorted_by(["-largest_layer_ns"]));
    Some(finding)
}
