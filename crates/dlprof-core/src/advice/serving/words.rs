//! Sentences to read first about an inference server. Each is said only where the marks of the steps prove it.

use crate::advice::judged::Judged;
use crate::advice::sentence::{Figure, Sentence};
use crate::base::ratios::{percent, to_f64};
use crate::base::time::Ns;
use crate::capture::names::Phase;
use crate::serving::{
    EngineLane, EngineStep, IdlePart, LaneFigures, Mean, PhaseFigures, TokenTimes, Workload,
};

/// A cause with less than this share of a step is not named.
pub(super) const NAMED_PERCENT: f64 = 5.0;

/// What is said of the server that a capture shows, in order; nothing of other captures.
#[must_use]
pub fn serving_in_words(judged: &Judged) -> Vec<Sentence> {
    let serving = judged.serving();
    let Some(lane) = serving.main() else { return Vec::new() };
    let figures = &lane.figures;
    let phases = figures.phases.iter().map(|phase| step_of(lane, phase));
    let sentences = phases.chain([
        figures.phase(Phase::Decode).and_then(waits_of),
        figures.phase(Phase::Decode).and_then(exchange),
        prefill_of_others(lane),
        figures.tokens.map(|tokens| between_tokens(lane, tokens)),
        graphs(lane),
        modules(lane),
        no_requests(figures),
        unknown(judged, lane),
        also_trains(serving.workload),
    ]);
    sentences.flatten().collect()
}

/// The verdict on a server: its decode step, and what that waits for; `None` where no step has a period.
pub(in crate::advice) fn verdict_of_server(judged: &Judged) -> Option<Sentence> {
    let lane = judged.serving().main()?;
    let phases = &lane.figures.phases;
    let phase =
        lane.figures.phase(Phase::Decode).or_else(|| phases.iter().max_by_key(|phase| phase.period.sum))?;
    let step = step_of(lane, phase)?;
    let interference = prefill_of_others(lane).filter(|_| share_of_prefill(lane) >= NAMED_PERCENT);
    let waits = waits_of(phase);
    let [first, second] = match waits.is_some() && !lane.figures.is_mostly_prefill() {
        true => [waits, interference],
        false => [interference, waits],
    };
    Some(joined([Some(step), first, second].into_iter().flatten(), "; "))
}

fn time(ns: Ns) -> Figure {
    Figure::Time(to_f64(ns))
}

fn words(text: impl Into<String>) -> Figure {
    Figure::Text(text.into())
}

fn name_of(phase: Phase) -> &'static str {
    match phase {
        Phase::Prefill => "Prefill step",
        Phase::Decode => "Decode step",
        Phase::Mixed => "Mixed step",
        Phase::None => "Step without requests",
    }
}

/// `32 requests`, or `20 to 31 requests`; nothing where no step says it.
fn requests_of(lane: &EngineLane, phase: Phase) -> String {
    let own = lane.steps.iter().filter(|step| step.mark.phase == phase && step.period.is_some());
    let requests: Vec<u64> = own.filter_map(|step| step.mark.requests()).collect();
    let noun = |count: u64| if count == 1 { "request" } else { "requests" };
    match (requests.iter().min(), requests.iter().max()) {
        (Some(least), Some(most)) if least == most => format!(" for {least} {}", noun(*most)),
        (Some(least), Some(most)) => format!(" for {least} to {most} requests"),
        _ => String::new(),
    }
}

/// How long a step of a phase takes. Where few of them are alike, the mean of them all says little.
fn step_of(lane: &EngineLane, phase: &PhaseFigures) -> Option<Sentence> {
    let steady = phase.steady.as_ref().filter(|steady| 2 * steady.steps >= phase.steps);
    let [period, busy]: [&Mean; 2] = match steady {
        Some(steady) => [&steady.period, &steady.busy],
        None => [&phase.period, &phase.busy],
    };
    let rate = match phase.tokens_per_s() {
        Some(rate) => format!(", {rate:.0} tokens/s"),
        None => String::new(),
    };
    let changing = match (steady, &phase.steady) {
        (None, steady) => {
            format!(
                "; the load was changing: {} of {} steps are alike",
                steady.as_ref().map_or(0, |some| some.steps),
                phase.steps
            )
        }
        (Some(_), _) => String::new(),
    };
    Some(Sentence::new(
        "{}: {}{} (p99 {}){}; the GPU works {} of it{}",
        vec![
            words(name_of(phase.phase)),
            Figure::Time(period.mean()),
            words(requests_of(lane, phase.phase)),
            time(phase.period.p99),
            words(rate),
            Figure::Time(busy.mean()),
            words(changing),
        ],
    ))
}

/// What a step waits for, without time in which nobody waited; nothing where that is little.
fn waits_of(phase: &PhaseFigures) -> Option<Sentence> {
    let of = |ns: Ns| Figure::Time(to_f64(ns) / crate::base::ratios::count_to_f64(phase.steps));
    let faults = IdlePart::ALL.into_iter().filter(|part| *part != IdlePart::NoRequest);
    let mut causes: Vec<(Ns, IdlePart)> = faults.map(|part| (phase.by_cause[part as usize], part)).collect();
    causes.sort_by_key(|(ns, part)| (-ns, *part));
    let idle: Ns = causes.iter().map(|(ns, _)| ns).sum();
    if percent(idle, phase.period.sum) < NAMED_PERCENT {
        return None;
    }
    let named: Vec<&(Ns, IdlePart)> =
        causes.iter().take_while(|(ns, _)| percent(*ns, idle) >= NAMED_PERCENT).take(4).collect();
    let rest = idle - named.iter().map(|(ns, _)| ns).sum::<Ns>();
    let cause = |(ns, part): &(Ns, IdlePart)| Sentence::new("{} {}", vec![words(part.in_words()), of(*ns)]);
    let mut causes: Vec<Sentence> = named.into_iter().map(cause).collect();
    if rest > 0 {
        causes.push(Sentence::new("else {}", vec![of(rest)]));
    }
    Some(Sentence::new(
        "{} of each {} step the GPU waits: {}",
        vec![of(idle), words(phase.phase.as_str()), Figure::Clause(Box::new(joined(causes, ", ")))],
    ))
}

/// What GPUs exchange in a step without other work; nothing where that is little.
fn exchange(phase: &PhaseFigures) -> Option<Sentence> {
    let share = percent(phase.exchange_ns, phase.period.sum);
    (share >= NAMED_PERCENT).then(|| {
        let each = to_f64(phase.exchange_ns) / crate::base::ratios::count_to_f64(phase.steps);
        Sentence::new(
            "{} of each {} step GPUs exchange data and do nothing else ({})",
            vec![Figure::Time(each), words(phase.phase.as_str()), Figure::Percent(share, 0)],
        )
    })
}

/// Sentences one after the other, with something between them.
fn joined(parts: impl IntoIterator<Item = Sentence>, between: &str) -> Sentence {
    let mut figures = Vec::new();
    for part in parts {
        if !figures.is_empty() {
            figures.push(words(between));
        }
        figures.push(Figure::Clause(Box::new(part)));
    }
    Sentence::of_figures(figures)
}

fn share_of_prefill(lane: &EngineLane) -> f64 {
    lane.figures.interference.map_or(0.0, |found| found.percent())
}

fn prefill_of_others(lane: &EngineLane) -> Option<Sentence> {
    let found = lane.figures.interference.filter(|found| found.delayed > 0)?;
    Some(Sentence::new(
        "Prefill of other requests makes {} of the time between tokens: {} of {} tokens had one in between",
        vec![
            Figure::Percent(found.percent(), 0),
            Figure::Count(found.delayed),
            Figure::Count(lane.figures.tokens.map_or(0, |tokens| tokens.samples)),
        ],
    ))
}

fn between_tokens(lane: &EngineLane, tokens: TokenTimes) -> Sentence {
    let slow = match (tokens.slow_with_prefill, tokens.slow) {
        (0, _) => String::new(),
        (with, slow) if with == slow => "; all of the slowest have a prefill in between".to_owned(),
        (with, slow) => format!("; {with} of the slowest {slow} have a prefill in between"),
    };
    let speculates = |step: &EngineStep| {
        !step.mark.gives_tokens
            || step.mark.decode_tokens.zip(step.mark.decode_requests).is_some_and(|(a, b)| a > b)
    };
    let per_step = if lane.steps.iter().any(speculates) { "per step, not per token: " } else { "" };
    Sentence::new(
        "The time between tokens is {}{} in the mean, {} in the median, {} at p99 and {} at most{}",
        vec![
            words(per_step),
            time(tokens.mean),
            time(tokens.median),
            time(tokens.p99),
            time(tokens.max),
            words(slow),
        ],
    )
}

/// Of the decode steps, those that graphs launched; nothing where none did.
fn graphs(lane: &EngineLane) -> Option<Sentence> {
    let decode = lane.figures.phase(Phase::Decode).filter(|decode| decode.graph_steps > 0)?;
    let share =
        percent(decode.graph_steps.try_into().unwrap_or(Ns::MAX), decode.steps.try_into().unwrap_or(Ns::MAX));
    Some(Sentence::new(
        "CUDA graphs launch {} of {} decode steps of which the end is recorded ({})",
        vec![Figure::Count(decode.graph_steps), Figure::Count(decode.steps), Figure::Percent(share, 0)],
    ))
}

/// What part of the kernel time belongs to a module; nothing where no kernel does.
fn modules(lane: &EngineLane) -> Option<Sentence> {
    let modules = Some(&lane.modules).filter(|modules| !modules.rows.is_empty())?;
    let share = Figure::Percent(percent(modules.attributed_ns, modules.kernel_ns), 1);
    let joined = match modules.joined_graphs {
        0 => String::new(),
        joined => {
            format!("; capture traces name the kernels of {joined} of {} graph launches", modules.graphs)
        }
    };
    Some(Sentence::new("{} of the kernel time belongs to modules of the model{}", vec![share, words(joined)]))
}

fn no_requests(figures: &LaneFigures) -> Option<Sentence> {
    let nobody = figures.by_cause[IdlePart::NoRequest as usize];
    (nobody > 0).then(|| {
        Sentence::new(
            "The server had no requests for {} ({} of the time of its steps); this is not counted as waiting above",
            vec![time(nobody), Figure::Percent(percent(nobody, figures.length), 0)],
        )
    })
}

/// What the capture cannot say, and how to record it.
fn unknown(judged: &Judged, lane: &EngineLane) -> Option<Sentence> {
    let no_names = !lane.names_loop && lane.figures.by_cause[IdlePart::HostUnnamed as usize] > 0;
    let server = lane.steps.first().map_or("", |step| step.mark.form.server());
    let names = match (server, judged.capture.recorder.is_torch_profiler()) {
        ("vLLM", true) => "`VLLM_CUSTOM_SCOPES_FOR_PROFILING=1`",
        ("vLLM", false) => "`VLLM_NVTX_SCOPES_FOR_PROFILING=1`",
        (_, true) => "`with_stack=True`",
        (_, false) => "Python samples (`nsys profile --python-sampling=true`)",
    };
    let graphs = judged.capture.whole_graphs > 0;
    let no_modules = (!graphs && lane.modules.graphs > lane.modules.joined_graphs).then(|| {
        match (server, judged.capture.recorder.is_torch_profiler()) {
            (_, true) => "`--capture-trace` with traces of their capture",
            ("vLLM", false) => "record from the start of the server, with `--enable-layerwise-nvtx-tracing`",
            ("SGLang", false) => "record from the start of the server, with `--enable-layerwise-nvtx-marker`",
            (_, false) => "record from the start of the server, with ranges of modules",
        }
    });
    let parts = [
        no_names.then(|| format!("what the host does between steps (start the server with {names})")),
        graphs.then(|| {
            "which kernels and modules run inside CUDA graphs (`--cuda-graph-trace=node`)".to_owned()
        }),
        no_modules.map(|remedy| format!("of which module of the model kernels of graphs are ({remedy})")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty())
        .then(|| Sentence::new("This capture cannot say {}", vec![words(parts.join(", nor "))]))
}

fn also_trains(workload: Workload) -> Option<Sentence> {
    (workload == Workload::Both).then(|| {
        "The capture shows training as well: the figures above are of the steps of the server alone, and `--key-node` with a range of \
         training (`show key-nodes`) gives those of its iterations"
            .into()
    })
}
