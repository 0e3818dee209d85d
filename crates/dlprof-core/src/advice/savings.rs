//! What the run would save if kernels took less time, or fewer were launched.

use super::kernels::Kernel;
use super::scene::{Scene, part};
use super::sentence::{Figure, Sentence};
use crate::base::ids::{ApiCallId, StrId};
use crate::base::ratios::{count_to_f64, to_f64};
use crate::base::time::{Ns, total};
use crate::capture::names::ApiClass;
use crate::figures::activity::{
    host_before_launches, late_launches, median_call_within, median_start_delay, pageable_waits_ns,
};
use crate::figures::profile::Clock;
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;

/// What the basis of a saving says where it is bounded by the waits of the host.
const NO_MORE_THAN_WAITS: &str = "; no more than the time in which the host waits for the GPU";

/// How many kernels are enough for a median.
const MOST_DELAYS: usize = 50_000;

/// From this share on, in which GPUs wait for launches, kernels that take less time are not likely to save anything.
const HOST_BOUND_PERCENT: f64 = 50.0;

/// From this share on, in which GPUs wait for launches, the program is launch-bound: GPUs run dry again and again, so that the host
/// is not ahead of them.
const LAUNCH_BOUND_PERCENT: f64 = 10.0;

/// Launch calls up to this long wait for nothing, nor do those up to the median of the capture.
const USUAL_LAUNCH_NS: Ns = 10_000;

/// Where launch calls take longer on average, they may wait for a full queue.
const MOST_PER_LAUNCH_NS: Ns = 20_000;

/// A time that is likely to go, and what goes at most.
#[derive(Debug, Clone, Copy)]
pub(super) struct LikelyAndMost {
    pub(super) likely_ns: Ns,
    pub(super) most_ns: Ns,
    /// Of the most, the pauses in front of queued kernels.
    pub(super) pauses_ns: Ns,
}

impl Scene<'_> {
    /// What the run saves at most without kernels of a sum of durations: all of it, but no more than kernels cover, nor than the
    /// host waits for GPUs where this is known.
    pub(super) fn kernel_saving(&self, ns: Ns) -> Ns {
        self.gpu_saving(self.per_gpu(ns.min(self.gpu_time().compute_ns + self.gpu_time().communication_ns)))
    }

    /// What the run saves at most without some time of a GPU: where it is known how long the host waits for GPUs, no more than
    /// that.
    pub(super) fn gpu_saving(&self, ns: Ns) -> Ns {
        self.host_waits_ns().map_or(ns, |waits| ns.min(waits))
    }

    /// How long the host waits for the GPU in calls: the rest of the time it works, however fast kernels are. Known of iterations
    /// on its own clock, where launches do not wait as well, as they do once their queue is full; and where it waits half of the
    /// time, or the program is launch-bound, so that the GPU is not what the iterations last for. What launch calls take beyond the
    /// usual counts as waiting. Of several GPUs it is the sum of all waits: the thread that has least of them cannot gain more.
    pub(super) fn host_waits_ns(&self) -> Option<Ns> {
        *self.seen.host_waits.get_or_init(|| self.find_host_waits())
    }

    fn find_host_waits(&self) -> Option<Ns> {
        let launch = self.calls().of(ApiClass::Launch);
        let launches = Ns::try_from(launch.calls).unwrap_or(Ns::MAX);
        let is_known = self.iterations > 0
            && self.profile.summary.clock == Clock::Cpu
            && launch.time_ns <= launches.saturating_mul(MOST_PER_LAUNCH_NS);
        if !is_known {
            return None;
        }
        let usual = USUAL_LAUNCH_NS..=MOST_PER_LAUNCH_NS;
        let median_ns = median_call_within(self.facts(), self.call_span(), ApiClass::Launch, usual);
        let usual_ns = median_ns.unwrap_or(USUAL_LAUNCH_NS);
        let in_launches = (launch.time_ns - launches.saturating_mul(usual_ns)).max(0);
        let waits = self.calls().of(ApiClass::Sync).time_ns.saturating_add(self.waiting_copies_ns());
        let waits = waits.saturating_add(in_launches);
        (self.is_launch_bound() || self.per_gpu(waits).saturating_mul(2) >= self.span.length())
            .then_some(waits)
    }

    /// How long the host is in calls that copy or fill and wait meanwhile: of asynchronous ones, those of pageable memory wait for
    /// the kernels before them.
    fn waiting_copies_ns(&self) -> Ns {
        let text = |name: StrId| self.profile.capture.strings.get(name);
        let calls = self.functions().iter().filter(|calls| calls.class == ApiClass::Copy);
        let waiting = calls.filter(|calls| !text(calls.function).contains("Async"));
        let is_async = |copy: usize| {
            let row = self.facts().call_row(copy);
            row.and_then(|call| self.facts().activity().api_calls.name[call.index()].some())
                .is_some_and(|name| text(name).contains("Async"))
        };
        waiting.fold(pageable_waits_ns(self.facts(), self.span, false, is_async), |sum, calls| {
            sum.saturating_add(calls.sum.time_ns)
        })
    }

    /// What a sum of kernel durations takes of the run: kernels of several streams run at the same time.
    fn covered(&self, ns: Ns) -> Ns {
        let (all, compute) =
            (self.kernels().time_ns, self.gpu_time().compute_ns + self.gpu_time().communication_ns);
        let covered = if all > compute { part(ns, to_f64(compute) / to_f64(all)) } else { ns };
        self.per_gpu(covered)
    }

    /// What the run saves without kernels of a sum of durations and the idle time of GPUs that their launches cause; at most all of
    /// the time.
    pub(super) fn saving_without(&self, ns: Ns, late_ns: Ns) -> Ns {
        (self.kernel_saving(ns) + self.per_gpu(late_ns)).min(self.span.length())
    }

    /// What GPUs idle because kernels of some names are launched. Where the program is launch-bound, the host is what GPUs wait for
    /// again and again, so that idle time up to the next wait is likely to go as well; else only what the work of these launches
    /// ends itself.
    pub(super) fn late_launches_of<'k>(
        &self,
        kernels: impl IntoIterator<Item = &'k Kernel>,
    ) -> LikelyAndMost {
        let facts = self.facts();
        let names: FxHashSet<StrId> = kernels.into_iter().map(|kernel| kernel.long_name).collect();
        let mut before = host_before_launches(facts, self.call_span());
        let mut host_ns: FxHashMap<ApiCallId, Ns> = FxHashMap::default();
        self.profile.for_each_kernel(self.places.clone(), |_, kernel| {
            // A graph launches several kernels at once, of which the first tells.
            if let Some(call) = facts.call_row(kernel.index())
                && let Some(ns) = before.remove(&call)
                && names.contains(&self.profile.capture.kernels.long_name[kernel])
            {
                host_ns.insert(call, ns);
            }
        });
        let late = late_launches(facts, &host_ns, self.span);
        let likely_ns = if self.is_launch_bound() { late.up_to_waits_ns } else { late.own_ns };
        LikelyAndMost {
            likely_ns,
            most_ns: late.up_to_waits_ns + late.turnaround_ns,
            pauses_ns: late.turnaround_ns,
        }
    }

    /// Whether GPUs wait for launches so much that the host is not ahead of them.
    fn is_launch_bound(&self) -> bool {
        self.share(self.gpu_time().idle.cpu_in_short_gaps_ns) >= LAUNCH_BOUND_PERCENT
    }

    /// What the host takes up to the launches of the kernels of each name, waits left out.
    fn host_by_kernel(&self) -> &FxHashMap<StrId, Ns> {
        self.seen.host_by_kernel.get_or_init(|| {
            let facts = self.facts();
            let mut before = host_before_launches(facts, self.call_span());
            let mut by_name: FxHashMap<StrId, Ns> = FxHashMap::default();
            self.profile.for_each_kernel(self.places.clone(), |_, kernel| {
                // Of a graph, which launches several kernels, the first one has the time.
                let host_ns = facts.call_row(kernel.index()).and_then(|call| before.remove(&call));
                *by_name.entry(self.profile.capture.kernels.long_name[kernel]).or_default() +=
                    host_ns.unwrap_or(0);
            });
            by_name
        })
    }

    /// What the host takes up to the launches of some kernels, waits left out.
    pub(super) fn host_ns_before<'k>(&self, kernels: impl IntoIterator<Item = &'k Kernel>) -> Ns {
        let by_name = self.host_by_kernel();
        total(kernels.into_iter().map(|kernel| by_name.get(&kernel.long_name).copied().unwrap_or(0)))
    }

    /// The kernel for whose launches the host takes longest, and how long, of kernels that have a tenth of the time of all
    /// launches and twice their share of it.
    pub(super) fn slowest_to_launch(&self) -> Option<(&Kernel, Ns)> {
        let all = self.kernels();
        let all_ns = to_f64(self.host_ns_before(&all.kernels));
        let is_slow = |(kernel, ns): &(&Kernel, Ns)| {
            let of_time = to_f64(*ns) / all_ns.max(1.0);
            let of_launches = count_to_f64(kernel.launches) / count_to_f64(all.launches.max(1));
            of_time >= 0.1 && of_time >= 2.0 * of_launches
        };
        let with_time = all.kernels.iter().map(|kernel| (kernel, self.host_ns_before([kernel])));
        with_time.filter(is_slow).rev().max_by_key(|&(_, ns)| ns)
    }

    /// What the run likely saves without kernels of a sum of durations, as far as the program waits for kernels: where it is
    /// launch-bound, kernels that take less time make it faster only in part, and not at all where GPUs wait for launches half of
    /// the time.
    pub(super) fn likely_kernel_saving(&self, ns: Ns) -> Ns {
        part(self.covered(ns), self.felt())
    }

    /// The part of a saving of kernel time that makes the program faster.
    fn felt(&self) -> f64 {
        let waiting = self.share(self.gpu_time().idle.cpu_in_short_gaps_ns);
        if waiting < LAUNCH_BOUND_PERCENT { 1.0 } else { (1.0 - waiting / HOST_BOUND_PERCENT).max(0.0) }
    }

    /// What a saving by [`Self::likely_kernel_saving`] comes from, in a sentence.
    pub(super) fn basis(&self, basis: &'static str) -> Cow<'static, str> {
        let mut basis = Cow::Borrowed(basis);
        if self.felt() < 1.0 {
            let felt = Figure::Percent(100.0 * self.felt(), 0);
            let more = Sentence::new("; {} of that is expected, because GPUs wait for launches", vec![felt]);
            basis.to_mut().push_str(&more.to_string());
        }
        if self.host_waits_ns().is_some() {
            basis.to_mut().push_str(NO_MORE_THAN_WAITS);
        }
        basis
    }

    /// What a saving by [`Self::saving_without`] comes from, in a sentence.
    pub(super) fn basis_without(&self, kernels: &'static str, late: LikelyAndMost) -> Cow<'static, str> {
        let most =
            if self.host_waits_ns().is_some() { ", no more than the host waits for the GPU" } else { "" };
        let idle = match (late.likely_ns, late.most_ns - late.pauses_ns) {
            (_, 0) => "",
            (likely_ns, most_ns) if likely_ns == most_ns => {
                ", and what GPUs idle for their launches and after them up to the next wait of the host, no more than the host \
                 takes up to them"
            }
            _ => {
                ", and what GPUs idle for their launches; at most also what they idle after them up to the next wait of the \
                 host, no more than the host takes up to them"
            }
        };
        let pauses =
            if late.pauses_ns > 0 { "; at most also the pause in front of each that was queued" } else { "" };
        format!("Time of {kernels}{most}{idle}{pauses}").into()
    }

    /// What a bound by [`Self::kernel_saving`] or [`Self::gpu_saving`] comes from, in a sentence.
    pub(super) fn basis_of_most(&self, basis: &'static str) -> Cow<'static, str> {
        match self.host_waits_ns() {
            Some(_) => format!("{basis}{NO_MORE_THAN_WAITS}").into(),
            None => basis.into(),
        }
    }

    /// What a bound that holds, beside other time, one by [`Self::kernel_saving`] comes from, in a sentence.
    pub(super) fn basis_with_kernels(&self, basis: &'static str) -> Cow<'static, str> {
        match self.host_waits_ns() {
            Some(_) => {
                format!("{basis}; of the kernels no more than the time in which the host waits for the GPU")
                    .into()
            }
            None => basis.into(),
        }
    }

    /// What launching a kernel costs, in the middle of the first kernels; 0 where none has a call.
    pub(super) fn median_start_delay_ns(&self) -> Ns {
        median_start_delay(self.facts(), self.span, MOST_DELAYS).unwrap_or(0)
    }
}
