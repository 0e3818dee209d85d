//! Submitted work that waits for other work.

use super::stalls::of_cause;
use crate::advice::finding::{Confidence, Finding, Severity};
use crate::advice::rule::{Limits, Need, Rule, Subject, Threshold, TimeOf};
use crate::advice::scene::Scene;
use crate::advice::sentence::{Figure, Sentence};
use crate::base::time::{Ns, total};
use crate::capture::classified::Cause;
use crate::figures::activity::LongGap;

const DEPENDENCY: Threshold = Threshold {
    name: "dependency_percent",
    default: 5.0,
    doc: "Least share of the time in which submitted work waits for another stream or the host.",
};

pub(super) const STREAM_DEPENDENCY: Rule = Rule {
    id: "stream_dependency",
    title: "Submitted work waits for another stream or the host",
    how: "The share of the time, averaged over the used GPUs, in which submitted work waits for another stream, the host, or its \
          place in a graph (cause `dependency`). Where half of it or more lies in gaps of 100 µs and more before work of a graph, the \
          advice is about the graph. The saving is at most all of this time.",
    severity: Severity::Note,
    confidence: Confidence::Medium,
    thresholds: &[DEPENDENCY],
    needs: &[Need::Streams, Need::Kernels, Need::GpuTime],
    subject: Subject::Cause(Cause::Dependency),
    saves_from: &[TimeOf::Dependency],
    check: stream_dependency,
    ..Rule::SILENT
};

fn stream_dependency(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    let waiting_ns = scene.idle(&[Cause::Dependency]);
    let share = scene.share(waiting_ns);
    if share < limits.of(&DEPENDENCY) {
        return None;
    }
    let in_graphs_ns = waiting_in_graphs_ns(scene);
    let finding = match 2 * in_graphs_ns >= waiting_ns {
        true => Finding::new(
            Sentence::new(
                "GPUs idle {} of the time while submitted work waits, mostly before work inside graphs ({} of the time)",
                vec![Figure::Percent(share, 1), Figure::Percent(scene.share(in_graphs_ns), 1)],
            ),
            "Find out what the graphs do there: nodes of theirs may be missing from the recording, or wait for each other or for \
             other streams. A run without graphs shows every kernel and copy, and how long each takes",
        ),
        false => Finding::new(
            Sentence::new(
                "GPUs idle {} of the time while submitted work waits for another stream, the host, or its place in a graph",
                vec![Figure::Percent(share, 1)],
            ),
            "Remove waits between streams that are not needed (`wait_stream`, events), or use one stream less",
        ),
    };
    let finding = finding
        .percent(DEPENDENCY.name, share)
        .time("before_work_of_graphs_ns", scene.per_gpu(in_graphs_ns))
        .saves_at_most(scene.per_gpu(waiting_ns), "All idle time of the cause dependency");
    Some(of_cause(finding, Cause::Dependency))
}

/// Idle time of the cause `dependency` in long gaps that end in work of a graph.
fn waiting_in_graphs_ns(scene: &Scene<'_>) -> Ns {
    let facts = scene.facts().activity();
    let gaps = scene.figures().gpus.gaps.reaching_into(scene.span);
    let is_before_graph =
        |gap: &&LongGap| gap.cause == Cause::Dependency && facts.is_in_graph(gap.ended_by.index());
    total(gaps.iter().filter(is_before_graph).map(|gap| gap.span.clip(scene.span).length()))
}
