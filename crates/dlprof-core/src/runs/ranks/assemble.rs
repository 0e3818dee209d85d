//! From the digests of captures to a job.
//!
//! ```text
//! digests ─identify─► ranks ─number─► common iterations ─► communicators ─► instances ─► clocks
//!                                                                              │
//!               findings ◄─ causes ◄─ lags ◄─ groups ◄─ steps ◄─ waiting ◄─ windows
//! ```

use super::absent::Absent;
use super::arithmetic::of_count;
use super::causes;
use super::clocks::{self, CommonEnd};
use super::common_iterations;
use super::communicators;
use super::digest::RankDigest;
use super::dimensions;
use super::error::RanksError;
use super::findings::{self, Scene};
use super::groups;
use super::identity::{self, Identified};
use super::instances::{self, Instance, Matched};
use super::job::{CaptureOfJob, Job, JobRank, JobRequest, OpOfRank};
use super::lag::{self, Compared, Exchange};
use super::means::means;
use super::parts::{self, OneRun};
use super::replay::{self, Change, JobReplay};
use super::settings::RankThresholds;
use super::steps::{self, RankSteps};
use super::windows::{self, RankWindows};
use super::words::RankWords;
use super::work;
use crate::base::ratios::count_to_f64;
use crate::base::threads::worker_threads;
use crate::base::time::Ns;
use crate::capture::names::CollectiveKind;
use rayon::prelude::*;
use std::collections::BTreeSet;

impl Job {
    /// The job that some captures are.
    ///
    /// # Errors
    /// If there are fewer than two ranks, if captures are of different runs, if the pattern of the user does not number ranks, or if
    /// the ranks have none of the iterations that are asked for; or if the system starts no threads.
    pub fn new(captures: Vec<CaptureOfJob>, request: &JobRequest) -> Result<Self, RanksError> {
        worker_threads(request.threads)?.install(|| Self::assembled(captures, request))
    }

    fn assembled(captures: Vec<CaptureOfJob>, request: &JobRequest) -> Result<Self, RanksError> {
        let OneRun { files, digests, session } = parts::of_one_run(captures, request)?;
        let Identified { mut ranks, source, world } =
            identity::identify(&digests, request.rank_from.as_ref())?;
        let digests = in_order(digests, &mut ranks);
        let thresholds = &request.thresholds;
        let (numbers, iteration_source) = common_iterations::number(&digests);
        let has_steps = !digests.iter().all(common_iterations::is_whole);
        let communicators = communicators::find(&digests, &numbers, thresholds);
        let Matched { instances, unmatched, waits } = instances::matched(&digests, &numbers, &communicators);
        let clocks = clocks::aligned(&digests, &communicators, &instances, thresholds);
        let windows = windows::windows(&digests, &numbers, &communicators);
        let steady = steady(&windows, request)?;
        let steps: Vec<RankSteps> = digests
            .par_iter()
            .zip(windows.par_iter().zip(&waits))
            .map(|(digest, (windows, waits))| {
                let waiting = replay::waiting(digest, waits, thresholds);
                steps::measure(digest, windows, &waiting, &steady)
            })
            .collect();
        drop(waits);
        let work = work::of_ranks(&digests, &windows, &steps);
        let has_p2p = digests
            .iter()
            .flat_map(|digest| &digest.collectives)
            .any(|one| one.kind == CollectiveKind::SendRecv);
        let groups = groups::groups(&work.names, &steps, &communicators, has_p2p, thresholds);
        let step_ns = lag::step_ns(&steps);
        let replay = job_replay(&digests, &instances, &clocks.ends, &windows, &steps, thresholds);
        let absent = Absent::new(&digests, &ranks, missing(&ranks, world), &steps, &steady);
        let exchange = if absent.is_any() { Exchange::SaysNothing } else { Exchange::Counts };
        let compare = || {
            let compared = Compared::new(&steps, &groups, &steady, exchange);
            let lags = lag::lags(&compared, step_ns, thresholds);
            (compared, lags)
        };
        let (now, (compared, lags)) = rayon::join(|| replay.what_if(&Change::default()), compare);
        let kernels = causes::work(&compared, &work.kernels);
        let means = means(&steps);
        let is_steady: BTreeSet<i64> = steady.iter().copied().collect();
        let of_steady: Vec<&Instance> =
            instances.iter().filter(|instance| is_steady.contains(&instance.iteration)).collect();
        let scene = Scene {
            thresholds,
            words: RankWords::of(source),
            ranks: &ranks,
            digests: &digests,
            communicators: &communicators,
            instances: &of_steady,
            steady: &steady,
            step_ns,
            compared: &compared,
            lags: &lags,
            work: &kernels,
            means: &means,
            clocks: &clocks.ranks,
            unmatched: &unmatched,
            absent: &absent,
            world,
            replay: &replay,
            now,
        };
        let lagging: Vec<usize> = (0..ranks.len()).filter(|&rank| lags[rank].is_lagging()).collect();
        let saving = || if lagging.is_empty() { Some(0.0) } else { scene.saving_without(&lagging) };
        let (findings::Judged { findings, causes }, saving_ns) =
            rayon::join(|| findings::judge(&scene), saving);
        let dimensions =
            dimensions::dimensions(&digests, &ranks, &communicators, &of_steady, &windows, &steady);
        let arrivals = arrivals(&of_steady, ranks.len());
        let ops = ops_of_ranks(&work);
        let group_count = compared.members.len();
        drop(compared);
        let parts = (steps.into_iter().zip(lags)).zip(kernels.into_iter().zip(causes));
        let parts = parts.zip(clocks.ranks.iter().zip(arrivals)).zip(ops);
        let job_ranks = digests.iter().zip(ranks.iter().zip(&groups)).zip(parts).map(
            |((digest, (&rank, &group)), ((((steps, lag), (work, cause)), (clock, arrivals)), ops))| {
                JobRank {
                    rank,
                    who: digest.who.clone(),
                    group,
                    steps,
                    lag,
                    work,
                    cause,
                    clock: *clock,
                    last_percent: arrivals.last_percent(),
                    caused_wait_ns: arrivals.caused_wait_ns,
                    ops,
                }
            },
        );
        let ranks: Vec<JobRank> = job_ranks.collect();
        // Instances are about to be there twice.
        drop((of_steady, digests, windows));
        let items = request.items_per_step.filter(|_| means.mean.length_ns > 0.0);
        let items_per_s = items.map(|items| count_to_f64(items) * 1e9 / means.mean.length_ns);
        let ends = clocks.ends;
        let with_ends = instances.into_iter().zip(ends);
        let instances = with_ends.filter(|(instance, _)| is_steady.contains(&instance.iteration)).collect();
        Ok(Self {
            session,
            files,
            rank_source: source,
            world,
            absent,
            iteration_source,
            has_steps,
            ranks,
            communicators,
            instances,
            steady,
            step_ns,
            means,
            replay_ns: now,
            saving_ns,
            findings,
            items_per_s,
            dimensions,
            groups: group_count,
        })
    }
}

/// The common iterations that count.
fn steady(windows: &[RankWindows], request: &JobRequest) -> Result<Vec<i64>, RanksError> {
    let (first, last) = (request.first_iteration, request.last_iteration);
    let steady = windows::steady(windows, first, last);
    if !steady.is_empty() || first.is_none() && last.is_none() {
        return Ok(steady);
    }
    match windows::common(windows).as_slice() {
        // Nothing that is asked for changes that.
        [] => Ok(steady),
        all @ [lowest, ..] => {
            Err(RanksError::NoIterations { first, last, there: (*lowest, all[all.len() - 1]) })
        }
    }
}

/// Sorts digests by the ranks that they are.
fn in_order(digests: Vec<RankDigest>, ranks: &mut Vec<i64>) -> Vec<RankDigest> {
    let mut pairs: Vec<(i64, RankDigest)> = ranks.drain(..).zip(digests).collect();
    pairs.sort_by_key(|(rank, _)| *rank);
    pairs
        .into_iter()
        .map(|(rank, digest)| {
            ranks.push(rank);
            digest
        })
        .collect()
}

fn missing(ranks: &[i64], world: i64) -> Vec<i64> {
    /// A world that is larger is not believed: nobody reads so many numbers.
    const LARGEST: i64 = 1_000_000;
    let known: BTreeSet<i64> = ranks.iter().copied().collect();
    (0..world.min(LARGEST)).filter(|rank| !known.contains(rank)).collect()
}

fn job_replay<'a>(
    digests: &'a [RankDigest],
    instances: &'a [Instance],
    ends: &[CommonEnd],
    windows: &'a [RankWindows],
    steps: &[RankSteps],
    thresholds: &'a RankThresholds,
) -> JobReplay<'a> {
    let mut order: Vec<usize> = (0..instances.len()).collect();
    order.sort_by_key(|&at| ends[at].time_ns);
    let steady = |steps: &RankSteps| {
        let first = *steps.of.first_key_value()?.0;
        let last = *steps.of.last_key_value()?.0;
        Some((first, last, steps.of.len()))
    };
    JobReplay {
        digests,
        instances: order.into_iter().map(|at| &instances[at]).collect(),
        windows,
        steady: steps.iter().map(steady).collect(),
        thresholds,
    }
}

/// How often a rank arrived last, and what that cost the others.
#[derive(Debug, Clone, Copy, Default)]
struct Arrivals {
    collectives: usize,
    last: usize,
    caused_wait_ns: Ns,
}

impl Arrivals {
    fn last_percent(&self) -> Option<f64> {
        (self.collectives > 0).then(|| 100.0 * of_count(self.last) / of_count(self.collectives))
    }
}

fn arrivals(instances: &[&Instance], ranks: usize) -> Vec<Arrivals> {
    let mut arrivals = vec![Arrivals::default(); ranks];
    for instance in instances {
        instance.members.iter().for_each(|&(rank, _)| arrivals[rank as usize].collectives += 1);
        let others = Ns::try_from(instance.members.len() - 1).unwrap_or(Ns::MAX);
        arrivals[instance.last].last += usize::from(instance.only_last().is_some());
        arrivals[instance.last].caused_wait_ns += instance.gap_ns.saturating_mul(others);
    }
    arrivals
}

fn ops_of_ranks(work: &work::WorkOfRanks) -> Vec<Vec<OpOfRank>> {
    let of_rank = |totals: &work::Totals| {
        let ops = totals.iter();
        ops.map(|(&op, total)| OpOfRank {
            op: work.ops[op].clone(),
            kernels: total.count,
            time_ns: total.time_ns,
        })
        .collect()
    };
    work.by_op.iter().map(of_rank).collect()
}
