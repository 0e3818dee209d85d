//! The range in the questions that list the evidence of findings: what is listed is what the finding counted.

use super::finding::Finding;
use super::scene::Scene;
use crate::steps::iterate::{DefaultRange, Found};

/// Lets the questions of findings cut the capture as the user did, and aggregate the iterations that the findings are about,
/// where a question without a range would not.
pub(super) fn with_range(scene: &Scene<'_>, findings: &mut [Finding]) {
    with_iterations(scene, findings);
    if let Some(counters) = &scene.profile.capture.counters {
        for question in findings.iter_mut().filter_map(|finding| finding.show.as_mut()) {
            question.ncu.clone_from(&counters.paths);
        }
    }
    if let Some(named) = &scene.profile.capture.graph_captures.named {
        for question in findings.iter_mut().filter_map(|finding| finding.show.as_mut()) {
            question.capture_trace = Some(named.clone());
        }
    }
    let Some(cut) = &scene.profile.capture.description.cut else { return };
    for question in findings.iter_mut().filter_map(|finding| finding.show.as_mut()) {
        question.cut = cut.asked.clone();
    }
}

fn with_iterations(scene: &Scene<'_>, findings: &mut [Finding]) {
    let iterations = &scene.profile.iterations;
    let Some(key_node) = iterations.key_node.as_ref().filter(|_| !scene.places.is_empty()) else { return };
    let choice = &iterations.choice;
    let is_part = scene.places != (0..iterations.range().len());
    let is_chosen =
        choice.iter_start.is_some() || choice.iter_stop.is_some() || choice.otherwise == DefaultRange::All;
    let is_named = key_node.found == Found::ByUser;
    let (first, last) = (scene.iteration(scene.places.start), scene.iteration(scene.places.end - 1));
    for question in findings.iter_mut().filter_map(|finding| finding.show.as_mut()) {
        // The figures of kernels are those of the finding's own iterations, all others those of the aggregated ones.
        let is_of_kernels = question.table == "kernel_names";
        if is_chosen || is_part && is_of_kernels {
            let own = if is_of_kernels { first..=last } else { iterations.start..=iterations.stop };
            question.iterations = Some(own);
        }
        if is_named {
            question.key_node = Some(key_node.name.clone());
        }
    }
}
