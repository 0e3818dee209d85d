//! What the run would save if kernels took less time, or fewer were launched.

use super::scene::{Scene, part};
use crate::base::ids::StrId;
use crate::base::ratios::{count_to_f64, to_f64};
use crate::base::time::Ns;
use crate::capture::names::ApiClass;
use crate::figures::activity::{calls_by_function, median_start_delay, pageable_waits_ns};
use crate::figures::profile::Clock;
use std::borrow::Cow;

/// What the basis of a saving says where it is bounded by the waits of the host.
const NO_MORE_THAN_WAITS: &str = "; no more than the time in which the host waits for the GPU";

/// So many kernels are enough for a median.
const MOST_DELAYS: usize = 50_000;

/// From this share on, in which GPUs wait for launches, the host alone decides how long iterations last.
const HOST_BOUND_PERCENT: f64 = 50.0;

/// From this share on, in which GPUs wait for launches, the program is launch-bound.
const LAUNCH_BOUND_PERCENT: f64 = 10.0;

/// GPUs that idle less than this do not wait for launches.
const LEAST_IDLE_PERCENT: f64 = 1.0;

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
    /// on its own clock, for one GPU, where launches do not wait as well, as they do once their queue is full; and where it waits
    /// half of the time, or the GPU waits for it half of the time, so that the GPU is not what the iterations last for.
    fn host_waits_ns(&self) -> Option<Ns> {
        *self.host_waits.get_or_init(|| self.find_host_waits())
    }

    fn find_host_waits(&self) -> Option<Ns> {
        const MOST_PER_LAUNCH_NS: Ns = 20_000;
        let launch = self.calls().of(ApiClass::Launch);
        let launches = Ns::try_from(launch.calls).unwrap_or(Ns::MAX);
        let is_known = self.iterations > 0
            && self.used_gpus() == 1
            && self.profile.summary.clock == Clock::Cpu
            && launch.time_ns <= launches.saturating_mul(MOST_PER_LAUNCH_NS);
        if !is_known {
            return None;
        }
        let waits = self.calls().of(ApiClass::Sync).time_ns.saturating_add(self.waiting_copies_ns());
        let gpu_waits = self.share(self.gpu_time().idle.cpu_in_short_gaps_ns) >= HOST_BOUND_PERCENT;
        (gpu_waits || waits.saturating_mul(2) >= self.span.length()).then_some(waits)
    }

    /// How long the host is in calls that copy or fill and wait meanwhile: of asynchronous ones, those of pageable memory wait for
    /// the kernels before them.
    fn waiting_copies_ns(&self) -> Ns {
        let text = |name: StrId| self.profile.capture.strings.get(name);
        let calls = calls_by_function(self.facts(), self.call_span(), &[ApiClass::Copy]);
        let waiting = calls.iter().filter(|calls| !text(calls.function).contains("Async"));
        let is_async = |copy: usize| {
            let row = self.facts().call_row(copy);
            row.and_then(|call| self.facts().activity().api_calls.name[call.index()].some())
                .is_some_and(|name| text(name).contains("Async"))
        };
        waiting.fold(pageable_waits_ns(self.facts(), self.span, is_async), |sum, calls| {
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

    /// What the run saves without some launches, whose kernels take a time: these kernels, and what launching each costs, but no
    /// more than GPUs idle; at most all of the time.
    pub(super) fn saving_without(&self, launches: u64, ns: Ns) -> Ns {
        let starting_ns = part(self.median_start_delay_ns(), count_to_f64(launches));
        let idle_ns = self.per_gpu(self.gpu_time().idle_ns());
        (self.kernel_saving(ns) + self.per_gpu(starting_ns).min(idle_ns)).min(self.span.length())
    }

    /// Whether GPUs idle so little that launching less makes nothing faster.
    pub(super) fn hides_launches(&self) -> bool {
        self.share(self.gpu_time().idle_ns()) < LEAST_IDLE_PERCENT
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
            let percent = 100.0 * self.felt();
            let more = format!("; {percent:.0}% of that is expected, because GPUs wait for launches");
            basis.to_mut().push_str(&more);
        }
        if self.host_waits_ns().is_some() {
            basis.to_mut().push_str(NO_MORE_THAN_WAITS);
        }
        basis
    }

    /// What a bound by [`Self::kernel_saving`] or [`Self::gpu_saving`] comes from, in a sentence.
    pub(super) fn basis_of_most(&self, basis: &'static str) -> Cow<'static, str> {
        match self.host_waits_ns() {
            Some(_) => format!("{basis}{NO_MORE_THAN_WAITS}").into(),
            None => basis.into(),
        }
    }

    /// What launching a kernel costs, in the middle of the first kernels; 0 where none has a call.
    pub(super) fn median_start_delay_ns(&self) -> Ns {
        median_start_delay(self.facts(), self.span, MOST_DELAYS).unwrap_or(0)
    }
}
