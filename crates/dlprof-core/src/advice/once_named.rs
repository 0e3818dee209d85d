//! Which range or call has most of the work that is done once.
//!
//! ```text
//! thread  ├─ cudaStreamCreateWithFlags ───────────────────────┤  ├ cudaLaunchKernel ──────┤
//! GPU  ███                                                                                 ███
//!         1.959 s of 3.3 s for work that is done once: this call is named
//! ```

use super::scene::Scene;
use crate::base::ids::StrId;
use crate::base::intervals::covered_ns;
use crate::base::time::Ns;
use crate::capture::classified::Cause;
use crate::capture::names::{range_in_words, without_version};
use crate::figures::activity::waiting_times;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;

impl Scene<'_> {
    /// The range of the host, or else the function of CUDA, that has half or more of a time per GPU in which GPUs idle for work
    /// that is done once, with its own time per GPU.
    pub(super) fn most_done_once(&self, all_ns: Ns) -> Option<(String, Ns)> {
        let is_most = |ns: Ns| ns > 0 && 2 * ns >= all_ns;
        let strings = &self.profile.capture.strings;
        let range = self.once().ranges.first().map(|range| (range.text, self.per_gpu(range.time_ns)));
        if let Some((text, ns)) = range.filter(|&(_, ns)| is_most(ns)) {
            return Some((range_in_words(strings.get(text)).to_owned(), ns));
        }
        let (name, ns) = self.longest_set_up_call()?;
        is_most(ns).then(|| (without_version(strings.get(name)).to_owned(), ns))
    }

    /// The function whose calls set something up, or launch far longer than launching takes, for most of the time in which GPUs wait
    /// for the threads that make them; with this time per GPU.
    fn longest_set_up_call(&self) -> Option<(StrId, Ns)> {
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
        functions.into_iter().max_by_key(|&(name, ns)| (ns, Reverse(strings.get(name))))
    }
}
