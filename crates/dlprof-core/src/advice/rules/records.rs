//! Records that are missing, as the ledger of the capture says.

use super::with_command;
use crate::advice::finding::{EvidenceKind, Finding, Severity};
use crate::advice::of_torch::FEWER_RECORDS;
use crate::advice::question::Question;
use crate::advice::rule::{Limits, Need, Rule, Threshold};
use crate::advice::scene::Scene;
use crate::advice::sentence::{Figure, Sentence};
use crate::base::diagnostics::DiagnosticCode;
use crate::base::ids::{Maybe, ProcessId};
use crate::base::ratios::{percent, to_f64};
use crate::capture::ledger::{Ledger, Loss, LossOf, Place};
use crate::read::facts::{Process, Shows};

const LOST: Threshold = Threshold {
    name: "launches_without_work_percent",
    default: 1.0,
    doc: "Least share of launch calls whose work is missing for no known reason.",
};

const WAITS: Threshold = Threshold {
    name: "waits_percent",
    default: 10.0,
    doc: "Least share of the time in which waits go on after the last recorded GPU work.",
};

pub(super) const DROPPED_RECORDS: Rule = Rule {
    id: "dropped_records",
    title: "Records are missing",
    how: "Messages of nsys that say `dropped`, `lost`, `not all` or `incomplete`, without those that say `might`, which nsys \
        writes about complete captures, too; or that it produced events of which less than half arrived, where nsys says that some \
        might be missing. Or launch calls without work (table `records`): all of a process, where others have work; all launches \
        of CUDA graphs; or 20 and more that ran, because a later launch of their thread has work, their thread waited for the \
        device, or more than twice the time passed that launches before them took until their work was done. Launches into a \
        graph that is being captured and of host functions are left out.",
    severity: Severity::Error,
    needs: &[Need::Messages],
    thresholds: &[LOST],
    check: dropped_records,
    ..HIGH
};

/// What the rules here have in common.
const HIGH: Rule = Rule { confidence: crate::advice::finding::Confidence::High, ..Rule::SILENT };

fn dropped_records(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    let ledger = scene.profile.ledger();
    let loss = ledger.loss(limits.of(&LOST));
    let finding = match (&ledger.said.missing, loss, ledger.said.shortfall()) {
        (Some(text), _, _) => Finding::new(
            Sentence::new(
                "{} says that records are missing: {}",
                vec![recorder(scene), Figure::Text(text.clone())],
            ),
            shorter(scene),
        ),
        (None, Some(loss), _) => of_launches(scene, ledger, loss),
        (None, None, Some((produced, arrived))) => of_events(scene, produced, arrived),
        (None, None, None) => return None,
    };
    let total = ledger.total();
    let percent = Loss {
        of: LossOf::Launches,
        lost: total.lost,
        launches: total.launches - total.captured,
        place: None,
    };
    let finding = finding.percent(LOST.name, percent.percent()).count("launches", percent.launches);
    let finding = finding.about_recording(&scene.profile.capture);
    Some(match loss {
        Some(_) => finding.show(Question::of("records").rows_where("missing > 0")),
        None => finding.show(Question::of("diagnostics")),
    })
}

/// What recorded the capture, as the first word of a sentence.
fn recorder(scene: &Scene<'_>) -> Figure {
    Figure::Text(scene.profile.capture.recorder.words("nsys", "The profiler").into())
}

fn shorter(scene: &Scene<'_>) -> &'static str {
    scene.profile.capture.recorder.words(SHORTER, FEWER_RECORDS)
}

fn end_well(scene: &Scene<'_>) -> &'static str {
    scene.profile.capture.recorder.words(END_WELL, FEWER_RECORDS)
}

fn trace_graphs(scene: &Scene<'_>) -> &'static str {
    scene.profile.capture.recorder.words(TRACE_GRAPHS, FEWER_RECORDS)
}

const SHORTER: &str = "Figures of this capture are too low. Profile for a shorter time (`--duration`, a capture range) or with larger \
                       buffers (`--cuda-flush-interval`)";

const END_WELL: &str = "Records reach nsys when its buffers are full or the program ends well: let all processes end by themselves, \
                        or end the capture before they are stopped (`--capture-range=cudaProfilerApi`, `--duration`, \
                        `--cuda-flush-interval`)";

const TRACE_GRAPHS: &str = "Profile with `--cuda-graph-trace=node`, which records each kernel of a graph, or with \
                            `--cuda-graph-trace=graph`, which records a graph as one piece; where it was given, a newer nsys or \
                            driver may be needed";

/// What is missing of what was launched.
fn of_launches(scene: &Scene<'_>, ledger: &Ledger, loss: Loss) -> Finding {
    let launches = Figure::Count(loss.launches);
    match loss.of {
        LossOf::Processes => {
            let without = ledger.processes_without_records();
            let pids = pids(scene, &without);
            let problem = Sentence::new(
                match without.len() {
                    1 => {
                        "No kernel of process {} was recorded, though it launched {}: what GPUs did for it is not known"
                    }
                    _ => {
                        "No kernel of {} was recorded, though they launched {}: what GPUs did for them is not known"
                    }
                },
                vec![
                    match without.len() {
                        1 => Figure::Text(pids.join(", ")),
                        count if count <= MOST_NAMED => {
                            Figure::Text(format!("processes {}", pids.join(", ")))
                        }
                        count => {
                            Figure::Text(format!("{count} of {} processes", ledger.launching_processes()))
                        }
                    },
                    launches,
                ],
            );
            Finding::new(problem, end_well(scene)).about(EvidenceKind::Process, pids)
        }
        LossOf::Graphs => Finding::new(
            Sentence::new(
                "None of the {} launches of {}graphs has a record: what graphs do is missing",
                vec![launches, of_cuda(scene)],
            ),
            trace_graphs(scene),
        ),
        LossOf::Launches => {
            let share = Figure::Percent(loss.percent(), 1);
            match loss.place {
                Some(Place::End | Place::All) => Finding::new(
                    Sentence::new(
                        "{} of the launches have no kernel, and nothing after them has, though they had the time to run: records \
                         are missing",
                        vec![share],
                    ),
                    end_well(scene),
                ),
                _ => Finding::new(
                    Sentence::new(
                        "{} of the launches have no kernel, though later ones of their thread do: records are missing",
                        vec![share],
                    ),
                    shorter(scene),
                ),
            }
        }
    }
}

/// What stands before the word `graphs` where they are those of CUDA.
fn of_cuda(scene: &Scene<'_>) -> Figure {
    Figure::Text(if scene.profile.capture.is_of_nvidia() { "CUDA " } else { "" }.into())
}

/// How many processes are named by their numbers.
const MOST_NAMED: usize = 4;

fn pids(scene: &Scene<'_>, processes: &[Maybe<ProcessId>]) -> Vec<String> {
    let known = processes.iter().filter_map(|process| process.some());
    let known = known.map(|process| &scene.profile.capture.processes[process.index()]);
    known.map(Process::pid).map(|pid| pid.to_string()).collect()
}

/// What nsys says of the events that it produced.
fn of_events(scene: &Scene<'_>, produced: u64, arrived: u64) -> Finding {
    let mut figures = vec![Figure::Count(produced), Figure::Count(arrived)];
    match &scene.profile.ledger().said.unknown_driver {
        Some((driver, known)) => {
            figures.push(Figure::Text(driver.clone()));
            let newest = if known.is_empty() { String::new() } else { format!(", only up to {known}") };
            figures.push(Figure::Text(newest));
            let problem = Sentence::new(
                "nsys says that {} events were produced, and {} arrived: it does not know the driver ({}{}), so that records are \
                 missing",
                figures,
            );
            Finding::new(problem, "Profile with a newer nsys, which knows this driver")
        }
        None => Finding::new(
            Sentence::new(
                "nsys says that {} events were produced, and {} arrived: records are missing",
                figures,
            ),
            end_well(scene),
        ),
    }
}

pub(super) const WAITS_WITHOUT_WORK: Rule = Rule {
    id: "waits_without_work",
    title: "Waits go on without recorded work",
    how: "The share of the time in which calls that wait for a GPU go on for 1 ms and more after the end of all work of their \
        process that is recorded, where 20 of them do, and more than half of those that last 1 ms. Processes whose streams wait \
        for the host or for memory are left out. Either work is missing from the capture, such as that of a library that starts \
        it in another way, or something else holds the GPU; then GPU time and causes of idle time are not known, and waiting is \
        not what to remove.",
    severity: Severity::Error,
    thresholds: &[WAITS],
    needs: &[Need::Messages],
    check: waits_without_work,
    ..HIGH
};

fn waits_without_work(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    let ledger = scene.profile.ledger();
    if !ledger.has_endless_waits(limits.of(&WAITS)) {
        return None;
    }
    let waits = ledger.waits;
    let share = percent(waits.time_ns, waits.of_ns);
    let mean = to_f64(waits.behind_ns) / crate::base::ratios::count_to_f64(waits.waits.max(1));
    let problem = Sentence::new(
        "{} waits for the GPU end {} on average after the last recorded GPU work, and go on {} of the time: work is missing from the \
         capture, or something else holds the GPU",
        vec![Figure::Count(waits.waits), Figure::Time(mean), Figure::Percent(share, 1)],
    );
    let finding = Finding::new(
        problem,
        with_command(
            scene.profile.capture.recorder.words(
                "Find out what runs there before removing waits: look whether another program uses the GPU{}, and profile with a \
                 newer nsys and `--cuda-graph-trace=node`, because libraries may start work in ways that it does not record",
                "Find out what runs there before removing waits: look whether another program uses the GPU{}, and whether a \
                 library starts work that the profiler does not record",
            ),
            scene,
            Shows::Programs,
        ),
    );
    let finding =
        finding.percent(WAITS.name, share).count("waits", waits.waits).time("waits_ns", waits.time_ns);
    Some(finding.show(Question::of("api_calls").rows_where("call_class = sync")))
}

pub(super) const CAPTURED_LAUNCHES: Rule = Rule {
    id: "captured_launches",
    title: "Launches were recorded into graphs and did not run",
    how: "More than half of the launch calls, and 20 or more, lie between the begin and the end of a stream capture and have no work, \
        and no graph is launched. Such launches are written down as a graph, which runs elsewhere: the capture says nothing of how \
        long their work takes.",
    severity: Severity::Error,
    check: captured_launches,
    ..HIGH
};

fn captured_launches(scene: &Scene<'_>, _: &Limits<'_>) -> Option<Finding> {
    let ledger = scene.profile.ledger();
    if !ledger.only_captures() {
        return None;
    }
    let total = ledger.total();
    let problem = Sentence::new(
        "{} of {} launches were recorded into {}graphs and did not run here: what their work takes is not known",
        vec![Figure::Count(total.captured), Figure::Count(total.launches), of_cuda(scene)],
    );
    let finding = Finding::new(
        problem,
        "Profile the part of the program that launches these graphs, after the one that captures them",
    );
    Some(
        finding
            .count("captured", total.captured)
            .count("launches", total.launches)
            .show(Question::of("records")),
    )
}

pub(super) const THINNED_TRACE: Rule = Rule {
    id: "thinned_trace",
    title: "Most of what was recorded was left out",
    how: "torch.profiler counts the operators and annotations that it records. Of 1,000 numbers or more between the lowest and the \
          highest, fewer than a tenth are in the trace: a tool left the others out, and what they launched. Then GPUs may work where \
          they seem to idle.",
    severity: Severity::Error,
    check: thinned_trace,
    ..HIGH
};

fn thinned_trace(scene: &Scene<'_>, _: &Limits<'_>) -> Option<Finding> {
    if !scene.profile.capture.is_thinned() {
        return None;
    }
    let left_out = scene.profile.capture.diagnostics.counted(DiagnosticCode::ThinnedTrace);
    let problem = Sentence::new(
        "{} operators that the profiler numbered are not in the trace: a tool left them out, and what they launched",
        vec![Figure::Count(left_out)],
    );
    let finding = Finding::new(problem, "Take the trace as the profiler wrote it");
    Some(finding.count("left_out", left_out).show(Question::of("diagnostics")))
}
