//! The range in the commands that list the evidence of findings: what is listed is what the finding counted.

use super::finding::Finding;
use super::scene::Scene;
use crate::steps::iterate::{DefaultRange, Found};

/// Lets the commands of findings cut the capture as the user did, and aggregate the iterations that the findings are about, where
/// a command without options would not.
pub(super) fn with_range(scene: &Scene<'_>, findings: &mut [Finding]) {
    with_iterations(scene, findings);
    let cut = scene.profile.capture.description.cut.as_ref().map(|cut| cut.asked.arguments());
    for finding in findings.iter_mut().filter(|finding| !finding.show.arguments.is_empty()) {
        finding.show.arguments.extend(cut.iter().flatten().cloned());
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
    for finding in findings.iter_mut() {
        let words = &mut finding.show.arguments;
        let Some(table) = words.first() else { continue };
        let has_range = words.iter().any(|word| word.starts_with("--iter-"));
        // The figures of kernels are those of the finding's own iterations, all others those of the aggregated ones.
        let (first, last) = match table.as_str() {
            "kernel-names" => (first, last),
            _ => (iterations.start, iterations.stop),
        };
        let is_other = is_chosen || is_part && table == "kernel-names";
        if is_other && !has_range {
            let range = ["--iter-start", &first.to_string(), "--iter-stop", &last.to_string()];
            words.extend(range.map(str::to_owned));
        }
        if is_named {
            words.extend(["--key-node".to_owned(), key_node.name.clone()]);
        }
    }
}
