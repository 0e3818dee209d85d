//! `slow_link`: a communicator that takes longer for the same transfers than others like it.

use super::super::arithmetic::{deviation, median, median_without, of_count};
use super::super::causes::LagCause;
use super::super::communicator::{Form, MatchedBy};
use super::super::instances::Instance;
use super::super::replay::Change;
use super::super::steps::RankClass;
use super::{JobFinding, JobRule, Scene};
use crate::advice::Measure;
use crate::base::ratios::to_f64;
use crate::base::time::Ns;
use crate::capture::names::CollectiveKind;
use crate::steps::iterate::Confidence;
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use std::collections::{BTreeMap, BTreeSet};

/// Collectives that should take equally long on all communicators: kind, bytes or, without these, form and place, and size.
type Alike<'a> = (CollectiveKind, Option<u64>, &'a [Form], usize, usize);

/// The transfers of a communicator, and what they would be if they took as long as those of others.
#[derive(Debug, Clone, Copy, Default)]
struct Transfers {
    own_ns: Ns,
    usual_ns: Ns,
    /// How many communicators like it there are, itself included.
    alike: usize,
    /// Whether it is guessed, and wrongly: it takes another time in each step, because it lacks the member that the others wait for,
    /// or it cannot be right beside the others.
    is_guessed_wrongly: bool,
}

pub(super) fn find(
    scene: &Scene<'_>,
    findings: &mut Vec<JobFinding>,
    causes: &mut [Option<LagCause>],
    explained: &mut BTreeSet<usize>,
) {
    let thresholds = scene.thresholds;
    for (communicator, Transfers { own_ns, usual_ns, alike, is_guessed_wrongly }) in transfers(scene) {
        let more_ns = to_f64(own_ns - usual_ns) / of_count(scene.steady.len().max(1));
        let wanted = if alike >= 3 { thresholds.slow_link_ratio } else { thresholds.slow_link_ratio_of_two };
        let ratio = to_f64(own_ns) / to_f64(usual_ns);
        if usual_ns <= 0
            || is_guessed_wrongly
            || ratio < wanted
            || scene.percent_of_step(more_ns) < thresholds.slow_link_percent
        {
            continue;
        }
        let members: Vec<usize> =
            scene.communicators[communicator].members.iter().map(|(rank, _)| *rank).collect();
        let ranks = scene.numbers(members.iter().copied());
        let others = if alike == 2 {
            "the other communicator".into()
        } else {
            format!("the {} communicators", alike - 1)
        };
        let title = format!(
            "{} exchange {ratio:.1} times slower than {others} like theirs",
            scene.words.these(&ranks)
        );
        let transfer = Some((communicator, to_f64(usual_ns) / to_f64(own_ns)));
        let saving = scene.saving(&Change { transfer, ..Change::default() });
        let confidence = if alike >= 3 { Confidence::High } else { Confidence::Low };
        findings.push(
            JobFinding::new(JobRule::SlowLink, confidence, ranks, title)
                .saves(saving, Some(more_ns))
                .advises(&JobRule::SlowLink.advice_for(scene.digests[members[0]].who.recorder.vendor))
                .figure("ratio", Measure::Number(ratio))
                .figure("extra_ns", Measure::Number(more_ns))
                .figure("communicator", Measure::Text(scene.communicators[communicator].name.clone())),
        );
        for rank in members {
            let lag = &scene.lags[rank];
            let more = to_f64(lag.by_class[RankClass::Transfer as usize]);
            if lag.lag_ns > 0 && more >= thresholds.cause_share * to_f64(lag.lag_ns) {
                explained.insert(rank);
                if lag.is_lagging() {
                    causes[rank] = Some(LagCause::SlowLink);
                }
            }
        }
    }
}

/// By communicator that has others like it.
fn transfers(scene: &Scene<'_>) -> BTreeMap<usize, Transfers> {
    let mut classes: IndexMap<Alike<'_>, BTreeMap<usize, Vec<Ns>>, FxBuildHasher> = IndexMap::default();
    // A member that is not there may be the one that the others wait for.
    let says_something = |instance: &&&Instance| instance.missing == 0 || !scene.absent.is_any();
    for instance in scene.instances.iter().filter(says_something) {
        let communicator = &scene.communicators[instance.communicator];
        // Where bytes are not known, the form and the place in the iteration stand for them.
        let (forms, order) = match instance.bytes {
            Some(_) => (&[][..], 0),
            None => (&communicator.forms[..], instance.order),
        };
        let alike = (instance.kind, instance.bytes, forms, order, communicator.size);
        classes
            .entry(alike)
            .or_default()
            .entry(instance.communicator)
            .or_default()
            .push(instance.transfer_ns);
    }
    let mut transfers: BTreeMap<usize, Transfers> = BTreeMap::new();
    for of in classes.into_values().filter(|of| of.len() > 1) {
        for (&communicator, of) in &of {
            let is_guessed = scene.communicators[communicator].matched_by == MatchedBy::StreamAndTime;
            transfers.entry(communicator).or_default().is_guessed_wrongly |=
                scene.doubtful[communicator] || is_guessed && varies(of);
        }
        let usual: BTreeMap<usize, (Ns, Ns)> = of
            .into_iter()
            .map(|(communicator, of)| {
                let count = Ns::try_from(of.len()).unwrap_or(Ns::MAX);
                (communicator, (median(of).unwrap_or(0), count))
            })
            .collect();
        let mut sorted: Vec<Ns> = usual.values().map(|(length, _)| *length).collect();
        sorted.sort_unstable();
        for (communicator, (length, count)) in usual {
            let sums = transfers.entry(communicator).or_default();
            sums.own_ns += length * count;
            sums.usual_ns += median_without(&sorted, length) * count;
            sums.alike = sums.alike.max(sorted.len());
        }
    }
    transfers
}

/// Whether the transfers of a communicator differ from step to step by more than links do.
fn varies(transfers: &[Ns]) -> bool {
    const MUCH: f64 = 0.1;
    let middle = to_f64(median(transfers.iter().copied()).unwrap_or(0));
    deviation(transfers).is_some_and(|deviation| to_f64(deviation) > MUCH * middle)
}
