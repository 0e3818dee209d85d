//! From the digests of captures to a job.
//!
//! ```text
//! digests ─identify─► ranks ─number─► common iterations ─► communicators ─► instances ─► clocks
//!                                                                              │
//!               findings ◄─ causes ◄─ lags ◄─ groups ◄─ steps ◄─ waiting ◄─ windows
//! ```

use super::absent::Absent;
use super::arithmetic::of_count;
use super::causes::{self, LagCause, RankWork};
use super::clocks::{self, Clocks, CommonEnd};
use super::common_iterations::{self, IterationSource};
use super::communicator::Communicator;
use super::communicators;
use super::digest::RankDigest;
use super::dimensions::{self, DimensionOfJob};
use super::error::RanksError;
use super::findings::{self, JobFinding, Scene};
use super::groups;
use super::identity::{self, Identified, RankSource};
use super::instances::{self, Instance, Matched};
use super::job::{CaptureOfJob, Job, JobFile, JobRank, JobRequest, JobSession, OpOfRank};
use super::lag::{self, Compared, Exchange, RankLag, Slower};
use super::leaving;
use super::means::{JobMeans, means};
use super::parts::{self, OneRun};
use super::replay::{self, Change, JobReplay};
use super::settings::RankThresholds;
use super::steps::{self, RankSteps};
use super::windows::{self, RankWindows};
use super::words::RankWords;
use super::work::{self, WorkOfRanks};
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
        worker_threads(request.threads)?.install(|| {
            let mut runs = parts::of_one_run(captures, request)?;
            Self::assembled(runs.swap_remove(0), request)
        })
    }

    /// The jobs that some captures are, each judged by itself: first the one that [`Job::new`] takes, then the others in order of time.
    ///
    /// # Errors
    /// As [`Job::new`], if no job can be told; in place of a job, why it cannot be judged.
    pub fn each(
        captures: Vec<CaptureOfJob>,
        request: &JobRequest,
    ) -> Result<Vec<Result<Self, RanksError>>, RanksError> {
        worker_threads(request.threads)?.install(|| {
            let runs = parts::of_one_run(captures, request)?;
            Ok(runs.into_iter().map(|run| Self::assembled(run, request)).collect())
        })
    }

    fn assembled(run: OneRun, request: &JobRequest) -> Result<Self, RanksError> {
        let OneRun { files, digests, session } = run;
        let mut aligned = Aligned::new(digests, request)?;
        let waits = std::mem::take(&mut aligned.waits);
        let measured = Measured::new(&aligned, waits, &request.thresholds);
        let judged = Judged::new(&aligned, &measured, &request.thresholds);
        Ok(Self::of((session, files), aligned, measured, judged, request))
    }

    fn of(
        (session, files): (JobSession, Vec<JobFile>),
        aligned: Aligned,
        measured: Measured,
        judged: Judged,
        request: &JobRequest,
    ) -> Self {
        let means = measured.means;
        let groups = measured.groups.iter().max().map_or(0, |last| last + 1);
        let step_ns = measured.step_ns;
        let absent = measured.absent.clone();
        let ranks = job_ranks(&aligned, measured, judged.of_ranks);
        // Instances are about to be there twice.
        drop((aligned.digests, aligned.windows));
        let items = request.items_per_step.filter(|_| means.mean.length_ns > 0.0);
        let with_ends = aligned.instances.into_iter().zip(aligned.clocks.ends);
        let steady = aligned.steady;
        let is_steady =
            |(instance, _): &(Instance, CommonEnd)| steady.binary_search(&instance.iteration).is_ok();
        let instances = with_ends.filter(is_steady).collect();
        Self {
            session,
            files,
            rank_source: aligned.source,
            world: aligned.world,
            absent,
            iteration_source: aligned.iteration_source,
            has_steps: aligned.has_steps,
            ranks,
            communicators: aligned.communicators,
            instances,
            steady,
            step_ns,
            means,
            replay_ns: judged.replay_ns,
            saving_ns: judged.saving_ns,
            findings: judged.findings,
            items_per_s: items.map(|items| count_to_f64(items) * 1e9 / means.mean.length_ns),
            dimensions: judged.dimensions,
            groups,
        }
    }
}

/// Who is which rank, which collectives belong together, and when steps begin and end.
struct Aligned {
    digests: Vec<RankDigest>,
    /// By digest: its rank.
    ranks: Vec<i64>,
    source: RankSource,
    world: i64,
    iteration_source: IterationSource,
    has_steps: bool,
    communicators: Vec<Communicator>,
    /// By communicator: whether it is guessed, and cannot be right.
    doubtful: Vec<bool>,
    instances: Vec<Instance>,
    /// By rank: how many of its collectives differ from those of the others.
    unmatched: Vec<usize>,
    /// By rank and collective: how long it waited.
    waits: Vec<Vec<Ns>>,
    clocks: Clocks,
    windows: Vec<RankWindows>,
    steady: Vec<i64>,
}

impl Aligned {
    fn new(digests: Vec<RankDigest>, request: &JobRequest) -> Result<Self, RanksError> {
        let Identified { mut ranks, source, world } =
            identity::identify(&digests, request.rank_from.as_ref())?;
        let digests = in_order(digests, &mut ranks);
        let (numbers, iteration_source) = common_iterations::number(&digests);
        let has_steps = !digests.iter().all(common_iterations::is_whole);
        let communicators = communicators::find(&digests, &numbers, &request.thresholds);
        let Matched { instances, unmatched, waits } = instances::matched(&digests, &numbers, &communicators);
        let clocks = clocks::aligned(&digests, &communicators, &instances, &request.thresholds);
        let windows = windows::windows(&digests, &numbers, &communicators);
        let steady = steady(&windows, request)?;
        Ok(Self {
            digests,
            ranks,
            source,
            world,
            iteration_source,
            has_steps,
            doubtful: communicators::doubtful(&communicators),
            communicators,
            instances,
            unmatched,
            waits,
            clocks,
            windows,
            steady,
        })
    }

    /// The collectives of steady iterations.
    fn instances_of_steady(&self) -> Vec<&Instance> {
        let is_steady = |instance: &&Instance| self.steady.binary_search(&instance.iteration).is_ok();
        self.instances.iter().filter(is_steady).collect()
    }

    /// How its work is divided.
    fn dimensions(&self, of_steady: &[&Instance]) -> Vec<DimensionOfJob> {
        let Self { digests, ranks, communicators, windows, steady, .. } = self;
        dimensions::dimensions(digests, ranks, communicators, of_steady, windows, steady)
    }

    /// What its steps are replayed from.
    fn replay<'a>(&'a self, steps: &[RankSteps], thresholds: &'a RankThresholds) -> JobReplay<'a> {
        let mut order: Vec<usize> = (0..self.instances.len()).collect();
        order.sort_by_key(|&at| self.clocks.ends[at].time_ns);
        let steady = |steps: &RankSteps| {
            let first = *steps.of.first_key_value()?.0;
            let last = *steps.of.last_key_value()?.0;
            Some((first, last, steps.of.len()))
        };
        JobReplay {
            digests: &self.digests,
            instances: order.into_iter().map(|at| &self.instances[at]).collect(),
            windows: &self.windows,
            steady: steps.iter().map(steady).collect(),
            thresholds,
        }
    }
}

/// What each rank did in its steps.
struct Measured {
    steps: Vec<RankSteps>,
    work: WorkOfRanks,
    /// By rank: the group of those that do the same work.
    groups: Vec<usize>,
    step_ns: Ns,
    means: JobMeans,
    absent: Absent,
}

impl Measured {
    fn new(aligned: &Aligned, waits: Vec<Vec<Ns>>, thresholds: &RankThresholds) -> Self {
        let Aligned { digests, ranks, communicators, windows, steady, .. } = aligned;
        let of_rank = |(digest, (windows, waits)): (&RankDigest, (&RankWindows, &Vec<Ns>))| {
            let waiting = replay::waiting(digest, waits, thresholds);
            steps::measure(digest, windows, &waiting, steady)
        };
        let steps: Vec<RankSteps> =
            digests.par_iter().zip(windows.par_iter().zip(&waits)).map(of_rank).collect();
        drop(waits);
        let work = work::of_ranks(digests, windows, &steps);
        let mut collectives = digests.iter().flat_map(|digest| &digest.collectives);
        let has_p2p = collectives.any(|one| one.kind == CollectiveKind::SendRecv);
        Self {
            groups: groups::groups(&work.names, &steps, communicators, has_p2p, thresholds),
            step_ns: lag::step_ns(&steps),
            means: means(&steps),
            absent: Absent::new(digests, ranks, missing(ranks, aligned.world), &steps, steady),
            work,
            steps,
        }
    }
}

/// Who lags, why, and what it costs.
struct Judged {
    of_ranks: Vec<JudgedRank>,
    /// Mean length of a step, replayed as it was.
    replay_ns: Option<f64>,
    saving_ns: Option<f64>,
    findings: Vec<JobFinding>,
    dimensions: Vec<DimensionOfJob>,
}

/// What is said of a rank.
struct JudgedRank {
    lag: RankLag,
    work: RankWork,
    cause: Option<LagCause>,
    arrivals: Arrivals,
}

impl Judged {
    fn new(aligned: &Aligned, measured: &Measured, thresholds: &RankThresholds) -> Self {
        let Measured { steps, groups, step_ns, .. } = measured;
        let replay = aligned.replay(steps, thresholds);
        let exchange = match measured.absent.is_any() || aligned.doubtful.contains(&true) {
            true => Exchange::SaysNothing,
            false => Exchange::Counts,
        };
        let compare = || {
            let compared = Compared::new(steps, groups, &aligned.steady, exchange);
            let work = causes::work(&compared, &measured.work.kernels);
            let slower: Vec<Slower> = work.iter().map(RankWork::slower).collect();
            let lags = lag::lags(&compared, &slower, *step_ns, thresholds);
            (compared, work, lags)
        };
        let (now, (compared, work, lags)) = rayon::join(|| replay.what_if(&Change::default()), compare);
        let of_steady = aligned.instances_of_steady();
        let lagging: Vec<usize> = (0..lags.len()).filter(|&rank| lags[rank].is_lagging()).collect();
        let early_ns = match lagging.len() {
            0 | 1 => 0,
            _ => leaving::early_ns(
                &aligned.digests,
                &of_steady,
                &aligned.clocks.ranks,
                thresholds.clock_bias_ns,
            ),
        };
        let scene = Scene {
            thresholds,
            words: RankWords::of(aligned.source),
            ranks: &aligned.ranks,
            digests: &aligned.digests,
            communicators: &aligned.communicators,
            doubtful: &aligned.doubtful,
            instances: &of_steady,
            steady: &aligned.steady,
            step_ns: *step_ns,
            compared: &compared,
            lags: &lags,
            work: &work,
            means: &measured.means,
            clocks: &aligned.clocks.ranks,
            unmatched: &aligned.unmatched,
            absent: &measured.absent,
            world: aligned.world,
            replay: &replay,
            now,
            early_ns,
        };
        let (findings::Judged { findings, causes }, saving_ns) =
            rayon::join(|| findings::judge(&scene), || scene.saving_of(&lagging));
        // Mended ranks are as fast as the others, but differ by chance as before: without one of them a step may be shorter still.
        let is_of_one = |finding: &&JobFinding| {
            let [number] = finding.ranks.as_slice() else { return false };
            lagging.iter().any(|&rank| aligned.ranks[rank] == *number)
        };
        let of_one = findings.iter().filter(is_of_one).filter_map(|finding| finding.saving_ns);
        let saving_ns = saving_ns.map(|ns| of_one.fold(ns, f64::max));
        let dimensions = aligned.dimensions(&of_steady);
        let arrivals = arrivals(&of_steady, aligned.ranks.len());
        drop(compared);
        let parts = lags.into_iter().zip(work).zip(causes.into_iter().zip(arrivals));
        let of_ranks =
            parts.map(|((lag, work), (cause, arrivals))| JudgedRank { lag, work, cause, arrivals }).collect();
        Self { of_ranks, replay_ns: now, saving_ns, findings, dimensions }
    }
}

fn job_ranks(aligned: &Aligned, measured: Measured, judged: Vec<JudgedRank>) -> Vec<JobRank> {
    let ops = ops_of_ranks(&measured.work);
    let of_ranks = measured.steps.into_iter().zip(ops).zip(judged).enumerate();
    let rank = |(at, ((steps, ops), judged)): (usize, ((RankSteps, Vec<OpOfRank>), JudgedRank))| JobRank {
        rank: aligned.ranks[at],
        who: aligned.digests[at].who.clone(),
        group: measured.groups[at],
        steps,
        lag: judged.lag,
        work: judged.work,
        cause: judged.cause,
        clock: aligned.clocks.ranks[at],
        last_percent: judged.arrivals.last_percent(),
        caused_wait_ns: judged.arrivals.caused_wait_ns,
        ops,
    };
    of_ranks.map(rank).collect()
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
