//! Which range or call has most of the work that is done once.
//!
//! ```text
//! thread  ├─ cudaStreamCreateWithFlags ───────────────────────┤  ├ cudaLaunchKernel ──────┤
//! GPU  ███                                                                                 ███
//!         1.959 s of 3.3 s for work that is done once, and 1.284 s: both calls are named
//! ```

use super::scene::Scene;
use crate::base::ids::StrId;
use crate::base::intervals::covered_ns;
use crate::base::time::{Ns, total};
use crate::capture::classified::Cause;
use crate::capture::names::{range_in_words, without_version};
use crate::figures::activity::waiting_times;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;

impl Scene<'_> {
    /// The range of the host that has half or more of a time per GPU in which GPUs idle for work that is done once, with its own
    /// time per GPU; or else the functions of CUDA that have three quarters of it, at most two, or the one that has half of it.
    pub(super) fn most_done_once(&self, all_ns: Ns) -> Vec<(String, Ns)> {
        let is_most = |ns: Ns| ns > 0 && 2 * ns >= all_ns;
        let strings = &self.profile.capture.strings;
        let range = self.once().ranges.first().map(|range| (range.text, self.per_gpu(range.time_ns)));
        if let Some((text, ns)) = range.filter(|&(_, ns)| is_most(ns)) {
            return vec![(range_in_words(strings.get(text)).to_owned(), ns)];
        }
        let mut calls = self.set_up_calls();
        let of = |calls: &[(StrId, Ns)]| total(calls.iter().map(|&(_, ns)| ns));
        let is_told = |calls: &[(StrId, Ns)]| 4 * of(calls) >= 3 * all_ns;
        calls.truncate(if is_told(&calls[..calls.len().min(1)]) { 1 } else { 2 });
        // A second one is named where both say more than half.
        if !is_told(&calls) {
            calls.truncate(1);
            calls.retain(|&(_, ns)| is_most(ns));
        }
        calls.into_iter().map(|(name, ns)| (without_version(strings.get(name)).to_owned(), ns)).collect()
    }

    /// The functions whose calls set something up, or launch far longer than launching takes, while GPUs wait for the threads that
    /// make them; with this time per GPU, most first.
    fn set_up_calls(&self) -> Vec<(StrId, Ns)> {
        let facts = self.facts();
        let activity = facts.activity();
        let waiting = waiting_times(facts, &self.profile.windows()[self.places.clone()]);
        let mut functions: FxHashMap<StrId, Ns> = FxHashMap::default();
        for thread in waiting.threads() {
            for &row in facts.calls_by_thread().get(thread.index()) {
                let call = row as usize;
                if matches!(facts.call_class(call), Cause::Setup | Cause::SlowLaunch) {
                    let ns = covered_ns(waiting.of(thread), activity.api_calls.span[..][call]);
                    *functions.entry(activity.api_calls.name[..][call]).or_default() += ns;
                }
            }
        }
        let strings = &self.profile.capture.strings;
        let mut calls: Vec<(StrId, Ns)> = functions
            .into_iter()
            .map(|(name, ns)| (name, self.per_gpu(ns)))
            .filter(|&(_, ns)| ns > 0)
            .collect();
        calls.sort_by_key(|&(name, ns)| (Reverse(ns), strings.get(name)));
        calls
    }
}
