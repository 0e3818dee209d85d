//! Figures of the steps of a lane: by phase, the time between tokens, and what part of it is the prefill of other requests.

use super::idle_part::IdlePart;
use super::step::EngineStep;
use crate::base::ratios::{count_to_f64, median, percent, to_f64};
use crate::base::time::Ns;
use crate::capture::names::Phase;

/// What the steps of a lane sum up to.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LaneFigures {
    /// By phase, of those that have steps with a period.
    pub phases: Vec<PhaseFigures>,
    /// The time between tokens; none where no two successive steps decode.
    pub tokens: Option<TokenTimes>,
    /// How these times are distributed.
    pub token_bins: Option<TokenBins>,
    /// What part of it is other requests' prefill; none where it is not known.
    pub interference: Option<Interference>,
    /// Idle time by cause, over all steps with a period.
    pub by_cause: [Ns; IdlePart::ALL.len()],
    /// Sum of the periods.
    pub length: Ns,
}

/// The steps of a phase that have a period.
#[derive(Debug, Clone, PartialEq)]
pub struct PhaseFigures {
    /// The phase.
    pub phase: Phase,
    /// How many.
    pub steps: u64,
    /// Their periods.
    pub period: Mean,
    /// Time that GPUs worked for them.
    pub busy: Mean,
    /// Time in the periods without work.
    pub idle: Mean,
    /// Idle time by cause, summed.
    pub by_cause: [Ns; IdlePart::ALL.len()],
    /// Prefill tokens, summed; unknown if any step's are.
    pub prefill_tokens: Option<u64>,
    /// Decode tokens, summed; unknown if any step's are.
    pub decode_tokens: Option<u64>,
    /// How many of them a graph launched, for the most part of their kernel time.
    pub graph_steps: u64,
    /// Time in which GPUs exchanged data and did nothing else, summed.
    pub exchange_ns: Ns,
    /// Requests, and the batches to which graphs fill them up, summed over the steps that say both.
    pub padded: (u64, u64),
    /// The steady ones; none without.
    pub steady: Option<SteadyPhase>,
}

/// Steady steps of a phase.
#[derive(Debug, Clone, PartialEq)]
pub struct SteadyPhase {
    /// How many.
    pub steps: u64,
    /// Their periods.
    pub period: Mean,
    /// Mean time that GPUs worked.
    pub busy: Mean,
    /// Idle time.
    pub idle: Mean,
    /// Idle time by cause, summed.
    pub by_cause: [Ns; IdlePart::ALL.len()],
    /// The median number of requests of the phase; unknown if no step says.
    pub requests: Option<u64>,
}

/// Sum and order of times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Mean {
    /// Their sum.
    pub sum: Ns,
    /// How many.
    pub count: u64,
    /// The middle one; of an even number the greater of two.
    pub median: Ns,
    /// The smallest that 99 of 100 do not exceed.
    pub p99: Ns,
}

impl Mean {
    fn of(times: impl Iterator<Item = Ns>) -> Self {
        let samples: Vec<(Ns, u64)> = times.map(|time| (time, 1)).collect();
        let mut sorted = samples.clone();
        sorted.sort_unstable();
        Self {
            sum: samples.iter().map(|(time, _)| time).sum(),
            count: samples.len() as u64,
            median: median(samples.iter().map(|(time, _)| *time).collect()),
            p99: quantile(&sorted, 99),
        }
    }

    /// The mean.
    #[must_use]
    pub fn mean(&self) -> f64 {
        to_f64(self.sum) / count_to_f64(self.count.max(1))
    }
}

impl PhaseFigures {
    /// Tokens per second; unknown if any step's tokens are.
    #[must_use]
    pub fn tokens_per_s(&self) -> Option<f64> {
        let tokens = self.prefill_tokens?.checked_add(self.decode_tokens?)?;
        (self.period.sum > 0).then(|| count_to_f64(tokens) * 1e9 / to_f64(self.period.sum))
    }
}

/// The time between tokens, as requests see it that decode in two successive steps: weighted by how many do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenTimes {
    /// Sum of the weights.
    pub samples: u64,
    /// The mean, rounded.
    pub mean: Ns,
    /// The smallest value that half of the weight does not exceed.
    pub median: Ns,
    /// The smallest value that 99 of 100 do not exceed.
    pub p99: Ns,
    /// The largest.
    pub max: Ns,
    /// Of the slowest hundredth of the weight or what is as slow: how much has a prefill in between.
    pub slow_with_prefill: u64,
    /// The weight of these.
    pub slow: u64,
}

/// How often tokens take how long, in steps of one width; the last one holds all that takes longer as well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenBins {
    /// The width.
    pub width: Ns,
    /// By step: tokens without a prefill in between, and those with one.
    pub counts: Vec<[u64; 2]>,
}

/// What of the time between tokens other requests' prefill takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interference {
    /// The median period of decode steps.
    pub median_decode: Ns,
    /// Tokens with a prefill in between.
    pub delayed: u64,
    /// By how much these are later than a decode step takes, summed over tokens.
    pub excess: i128,
    /// Time between tokens, summed over tokens.
    pub total: i128,
}

impl Interference {
    /// Its share, in percent.
    #[expect(clippy::cast_precision_loss, reason = "shares need no more than 53 bits")]
    #[must_use]
    pub fn percent(&self) -> f64 {
        self.excess as f64 * 100.0 / self.total.max(1) as f64
    }
}

/// A time between tokens.
#[derive(Clone, Copy)]
struct Sample {
    time: Ns,
    weight: u64,
    has_prefill: bool,
}

impl LaneFigures {
    /// Whether prefill of other requests takes as much of the time between tokens as GPUs idle of a decode step, or more.
    pub(crate) fn is_mostly_prefill(&self) -> bool {
        let idle =
            self.phase(Phase::Decode).map_or(0.0, |decode| percent(decode.idle.sum, decode.period.sum));
        self.interference.is_some_and(|found| found.percent() >= idle)
    }

    pub(super) fn of(steps: &[EngineStep]) -> Self {
        let phases = Phase::ALL.into_iter().filter_map(|phase| phase_figures(phase, steps));
        let phases: Vec<PhaseFigures> = phases.collect();
        let samples = samples(steps);
        let decode = phases.iter().find(|figures| figures.phase == Phase::Decode);
        let by_cause = phases.iter().map(|phase| phase.by_cause).fold([0; IdlePart::ALL.len()], sum_causes);
        let tokens = token_times(samples.clone());
        Self {
            tokens,
            token_bins: tokens.map(|times| token_bins(&samples, times.p99)),
            interference: decode.and_then(|decode| interference(&samples, decode.period.median)),
            by_cause,
            length: phases.iter().map(|phase| phase.period.sum).sum(),
            phases,
        }
    }

    /// Figures of a phase.
    #[must_use]
    pub fn phase(&self, phase: Phase) -> Option<&PhaseFigures> {
        self.phases.iter().find(|figures| figures.phase == phase)
    }
}

fn sum_causes(a: [Ns; IdlePart::ALL.len()], b: [Ns; IdlePart::ALL.len()]) -> [Ns; IdlePart::ALL.len()] {
    std::array::from_fn(|at| a[at] + b[at])
}

fn causes_of<'a>(steps: impl Iterator<Item = &'a EngineStep>) -> [Ns; IdlePart::ALL.len()] {
    steps
        .filter_map(|step| step.period)
        .map(|period| period.by_cause)
        .fold([0; IdlePart::ALL.len()], sum_causes)
}

/// Period, busy time and idle time of steps.
fn means<'a>(steps: impl Iterator<Item = &'a EngineStep> + Clone) -> [Mean; 3] {
    let periods = || steps.clone().filter_map(|step| step.period);
    [
        Mean::of(periods().map(|period| period.length)),
        Mean::of(steps.clone().filter_map(|step| step.work).map(|work| work.busy_ns)),
        Mean::of(periods().map(|period| period.idle_ns)),
    ]
}

fn phase_figures(phase: Phase, steps: &[EngineStep]) -> Option<PhaseFigures> {
    let own = || steps.iter().filter(move |step| step.mark.phase == phase && step.period.is_some());
    let [period, busy, idle] = means(own());
    if period.count == 0 {
        return None;
    }
    let graph = |step: &&EngineStep| step.work.is_some_and(|work| 2 * work.graph_ns > work.kernel_ns);
    Some(PhaseFigures {
        phase,
        steps: period.count,
        period,
        busy,
        idle,
        by_cause: causes_of(own()),
        prefill_tokens: own().map(|step| step.mark.prefill_tokens).sum(),
        decode_tokens: own().map(|step| step.mark.decode_tokens).sum(),
        graph_steps: own().filter(graph).count() as u64,
        exchange_ns: own().filter_map(|step| step.work).map(|work| work.exchange_ns).sum(),
        padded: padded(own()),
        steady: steady_phase(own),
    })
}

fn padded<'a>(steps: impl Iterator<Item = &'a EngineStep>) -> (u64, u64) {
    let both = steps.filter_map(|step| step.mark.requests().zip(step.mark.padded_batch));
    both.fold((0, 0), |(requests, filled), (own, batch)| {
        (requests.saturating_add(own), filled.saturating_add(batch))
    })
}

fn steady_phase<'a, I: Iterator<Item = &'a EngineStep> + Clone>(own: impl Fn() -> I) -> Option<SteadyPhase> {
    let steady = own().filter(|step| step.is_steady);
    let [period, busy, idle] = means(steady.clone());
    let requests = middle(own().filter_map(|step| step.mark.requests()));
    (period.count > 0).then(|| SteadyPhase {
        steps: period.count,
        period,
        busy,
        idle,
        by_cause: causes_of(steady),
        requests,
    })
}

fn middle(values: impl Iterator<Item = u64>) -> Option<u64> {
    let mut values: Vec<u64> = values.collect();
    values.sort_unstable();
    values.get(values.len() / 2).copied()
}

/// Says which steps are like most of their phase: tokens within a quarter of the median, requests within a tenth, or one. The first
/// step of a lane, steps after a wait for requests, and those in which graphs are captured are not.
pub(super) fn set_steady(steps: &mut [EngineStep]) {
    for phase in Phase::ALL {
        let is_judged = |step: &EngineStep| {
            step.mark.phase == phase && step.period.is_some() && !step.waited_for_requests() && !step.captures
        };
        let judged = || steps.iter().filter(|step| is_judged(step));
        let tokens = middle(judged().filter_map(|step| step.mark.tokens())).filter(|&tokens| tokens > 0);
        let requests = middle(judged().filter_map(|step| step.mark.requests()));
        for step in steps.iter_mut().filter(|step| is_judged(step)) {
            let is_near = |value: Option<u64>, middle: Option<u64>, allowed: fn(u64, u64) -> bool| {
                value.zip(middle).is_none_or(|(value, middle)| allowed(value.abs_diff(middle), middle))
            };
            step.is_steady =
                is_near(step.mark.tokens(), tokens, |off, middle| off.saturating_mul(4) <= middle)
                    && is_near(step.mark.requests(), requests, |off, middle| {
                        off <= 1 || off.saturating_mul(10) <= middle
                    });
        }
    }
}

fn samples(steps: &[EngineStep]) -> Vec<Sample> {
    let mut samples = Vec::new();
    let (mut last, mut has_prefill) = (None, false);
    for step in steps {
        if step.work.is_none() || step.waited_for_requests() {
            last = None;
        }
        let Some(work) = step.work else { continue };
        has_prefill |= step.mark.prefill_requests.is_some_and(|requests| requests > 0);
        let Some(decodes) = step.decodes() else { continue };
        if let Some((out, before)) = last {
            samples.push(Sample { time: work.out - out, weight: decodes.min(before), has_prefill });
        }
        last = Some((work.out, decodes)).filter(|_| !step.then_trains);
        has_prefill = false;
    }
    samples
}

/// The smallest value that a percentage of the weight does not exceed; 0 of none. Samples are in order.
fn quantile(sorted: &[(Ns, u64)], percent: u64) -> Ns {
    let total: u128 = sorted.iter().map(|(_, weight)| u128::from(*weight)).sum();
    let mut below = 0;
    let reaches = |(_, weight): &&(Ns, u64)| {
        below += u128::from(*weight);
        below * 100 >= total * u128::from(percent)
    };
    sorted.iter().find(reaches).map_or(0, |(value, _)| *value)
}

fn token_times(mut samples: Vec<Sample>) -> Option<TokenTimes> {
    samples.sort_by_key(|sample| (sample.time, sample.weight));
    let weighted: Vec<(Ns, u64)> = samples.iter().map(|sample| (sample.time, sample.weight)).collect();
    let total: u64 = weighted.iter().map(|(_, weight)| weight).sum();
    let max = weighted.last()?.0;
    let sum: i128 = weighted.iter().map(|(time, weight)| i128::from(*time) * i128::from(*weight)).sum();
    // Half goes to the even number.
    let (twice, of) = (2 * sum + i128::from(total), 2 * i128::from(total));
    let mean = twice.checked_div(of)?;
    let mean = if twice % of == 0 { mean & !1 } else { mean };
    let p99 = quantile(&weighted, 99);
    let slow = || samples.iter().filter(|sample| sample.time >= p99);
    Some(TokenTimes {
        samples: total,
        mean: Ns::try_from(mean).unwrap_or(Ns::MAX),
        median: quantile(&weighted, 50),
        p99,
        max,
        slow_with_prefill: slow().filter(|sample| sample.has_prefill).map(|sample| sample.weight).sum(),
        slow: slow().map(|sample| sample.weight).sum(),
    })
}

/// The steps reach a quarter beyond the 99th percentile.
fn token_bins(samples: &[Sample], p99: Ns) -> TokenBins {
    const STEPS: usize = 40;
    let width = (p99 / 4 * 5 / 40).max(1);
    let mut counts = vec![[0; 2]; STEPS];
    for sample in samples {
        let step = usize::try_from(sample.time / width).unwrap_or(0).min(STEPS - 1);
        counts[step][usize::from(sample.has_prefill)] += sample.weight;
    }
    TokenBins { width, counts }
}

fn interference(samples: &[Sample], median_decode: Ns) -> Option<Interference> {
    let mut found = Interference { median_decode, delayed: 0, excess: 0, total: 0 };
    for sample in samples {
        let weight = i128::from(sample.weight);
        found.total += weight * i128::from(sample.time);
        if sample.has_prefill {
            found.delayed += sample.weight;
            found.excess += weight * i128::from((sample.time - median_decode).max(0));
        }
    }
    (found.total > 0).then_some(found)
}
