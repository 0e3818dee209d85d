//! What all ranks together lose: waiting for other stages, and exchange that nothing hides.

use super::super::steps::RankClass;
use super::{JobFinding, JobRule, Scene};
use crate::steps::iterate::Confidence;

/// The advice on exposed exchange where nobody knows how much of it is waiting.
const WITH_MISSING_RANKS: &str =
    "Capture all ranks first: waiting for a rank without a capture cannot be told from exchange.";

pub(super) fn find(scene: &Scene<'_>) -> Vec<JobFinding> {
    let mean = &scene.means.mean;
    let mut findings = Vec::new();
    let bubbles = scene.means.percent_of_step(mean.wait_p2p_ns);
    if bubbles >= scene.thresholds.bubbles_percent {
        let title =
            format!("{} wait {bubbles:.0} % of the time for another stage of the pipeline", scene.words.many);
        findings.push(
            JobFinding::new(JobRule::PipelineBubbles, Confidence::High, Vec::new(), title)
                .note()
                .saves(None, Some(mean.wait_p2p_ns)),
        );
    }
    let transfer_ns = mean.of(RankClass::Transfer);
    let transfer = scene.means.percent_of_step(transfer_ns);
    if transfer >= scene.thresholds.transfer_percent && transfer_ns >= mean.wait_ns {
        let title = format!("data is exchanged {transfer:.0} % of the time while nothing else runs");
        let found = |confidence, title| {
            JobFinding::new(JobRule::ExposedTransfer, confidence, Vec::new(), title)
                .saves(None, Some(transfer_ns))
        };
        findings.push(match scene.absent.missing.len() {
            0 => found(Confidence::High, title),
            missing => {
                let ranks = if missing == 1 { "the rank" } else { "the ranks" };
                found(
                    Confidence::Low,
                    format!("{title}, which may be waiting for {ranks} without a capture ({missing})"),
                )
                .advises(WITH_MISSING_RANKS)
            }
        });
    }
    findings
}
