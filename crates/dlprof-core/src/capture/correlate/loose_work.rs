//! Work that a thread without ranges launched while another thread of its process waited inside a range.
//!
//! ```text
//! main thread       ├─ backward ───────────────────┤     no API call: it waits
//! autograd thread      │k1  │k2     │k3     │k4          no ranges
//! ```
//!
//! Such work belongs to the innermost op call of the thread that waits: `k1` to `k4` to `backward`. The rule is that of
//! [`crate::capture::classified::attributions`]; here it only changes on which thread an API call is looked for.

use super::Mode;
use super::launches::{ApiKind, Joined};
use crate::base::ids::{self, ApiCallId, Maybe, ThreadId};
use crate::base::time::Ns;
use crate::capture::classified::order::Orders;
use crate::capture::classified::{Activity, Classified, waiting_threads};
use crate::capture::names::{ActivitySettings, Thresholds};
use crate::columns::{Buffer, Texts};
use crate::read::facts::Facts;
use serde::{Deserialize, Serialize};

/// To which op work belongs that a thread without ranges launched while another thread waited inside a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum LooseWork {
    /// It joins the op call of the range, unless the ranges are DLProf's markers or TensorFlow's nodes.
    ByTime {
        /// A thread without an API call this long before and after waits for another one.
        waiting_ns: Ns,
    },
    /// It belongs to no op, as DLProf has it.
    Unassociated,
}

impl Default for LooseWork {
    fn default() -> Self {
        Self::ByTime { waiting_ns: Thresholds::default().waiting_ns }
    }
}

impl LooseWork {
    /// Where work joins ranges by time in a mode: how long before and after a waiting thread makes no API call.
    pub(super) fn waiting_ns(self, mode: Mode) -> Option<Ns> {
        match self {
            Self::ByTime { waiting_ns } if matches!(mode, Mode::Nvtx | Mode::PytorchEmitNvtx | Mode::Jax) => {
                Some(waiting_ns)
            }
            _ => None,
        }
    }
}

/// By API call: the thread whose op calls may own it. That is its own, but for loose work the one that waits for it.
pub(super) fn owning_threads(
    facts: &Facts,
    strings: &Texts,
    joined: &Joined,
    waiting_ns: Ns,
) -> Buffer<Maybe<ThreadId>> {
    let mut threads = facts.memory.collect(facts.api_calls.thread.iter().copied());
    let launching: Vec<ApiCallId> = launching_calls(facts, joined).collect();
    if !may_be_loose(facts, &launching) {
        return threads;
    }
    let thresholds = Thresholds { waiting_ns, ..Thresholds::default() };
    let settings = ActivitySettings { thresholds, ..ActivitySettings::default() };
    let (memory, recorded, launches) = (&facts.memory, &facts.recorded, &joined.launches);
    let orders = &Orders::default();
    let activity = Activity { strings, memory, recorded, launches, orders, zones: None, idle_from: None };
    let classified = Classified::new(activity, &settings);
    let found =
        waiting_threads(&classified, launching.iter().map(|&call| facts.repeated_calls.counted(call)));
    for (call, thread) in launching.into_iter().zip(found) {
        if let Some(thread) = thread {
            threads[call.index()] = thread.into();
        }
    }
    threads
}

/// API calls that launched, copied or filled.
fn launching_calls(facts: &Facts, joined: &Joined) -> impl Iterator<Item = ApiCallId> {
    let calls = ids::all::<ApiCallId>(facts.api_calls.span.len());
    calls.filter(|&call| {
        matches!(joined.api_kind[call.index()], ApiKind::Kernel | ApiKind::Copy | ApiKind::Memset)
    })
}

/// Whether any of the calls may be loose: another thread than its own has ranges.
fn may_be_loose(facts: &Facts, launching: &[ApiCallId]) -> bool {
    let ranges = &facts.ranges;
    let has_ranges = |thread: usize| !ranges.by_thread[thread].span.is_empty();
    let with_ranges = (0..ranges.by_thread.len()).filter(|&thread| has_ranges(thread)).count();
    let is_other = |call: &ApiCallId| {
        let thread = facts.api_calls.thread[*call].some().map(ThreadId::index);
        thread.is_some_and(|thread| {
            with_ranges > usize::from(thread < ranges.by_thread.len() && has_ranges(thread))
        })
    };
    launching.iter().any(is_other)
}
