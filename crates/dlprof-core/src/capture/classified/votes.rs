//! Kernels whose names do not tell whether they exchange data. Collectives mark what they launch, and that tells.
//!
//! ```text
//! ranges     ├ c10d::allreduce_ ─────────────────┤
//!              ├ nccl:all_reduce ──────────────┤
//! API calls          launch of `opaque_kernel`
//! ```

use super::Activity;
use crate::base::ids::{StrId, ThreadId};
use crate::base::intervals::union;
use crate::base::time::{Ns, Span};
use crate::capture::correlate::is_collective;
use crate::capture::names::{ActivitySettings, Exchange};
use crate::columns::PerText;
use rustc_hash::{FxHashMap, FxHashSet};

/// By thread: when launches of kernels are made whose names do not tell, and these names.
type Launched = FxHashMap<ThreadId, Vec<(Ns, StrId)>>;

/// Long names that do not tell, of kernels of which collectives make half of the launches or more.
pub(crate) fn exchanging_names(activity: &Activity<'_>, settings: &ActivitySettings) -> FxHashSet<StrId> {
    let texts = activity.ranges.texts.iter();
    let are_collectives: Vec<bool> =
        texts.map(|says| is_collective(activity.strings.get(says.text))).collect();
    if !are_collectives.contains(&true) {
        return FxHashSet::default();
    }
    let mut launches: FxHashMap<StrId, [u64; 2]> = FxHashMap::default();
    for (thread, calls) in untold_launches(activity, settings) {
        let ranges = &activity.ranges.by_thread[thread.index()];
        let rows = ranges.span.iter().zip(&ranges.text);
        let spans =
            union(rows.filter(|(_, text)| are_collectives[text.index()]).map(|(span, _)| *span).collect());
        for (start, name) in calls {
            launches.entry(name).or_default()[usize::from(is_inside(&spans, start))] += 1;
        }
    }
    launches.into_iter().filter(|(_, [outside, inside])| inside >= outside).map(|(name, _)| name).collect()
}

fn untold_launches(activity: &Activity<'_>, settings: &ActivitySettings) -> Launched {
    let kernels = &activity.kernels;
    let mut untold: PerText<Option<bool>> = PerText::new(activity.strings.len(), None);
    let mut launched = Launched::default();
    for (kernel, (&long, &short)) in kernels.long_name.iter().zip(&kernels.short_name).enumerate() {
        let text = |name| activity.strings.get(name);
        let is_untold = || settings.exchange_of(text(long), text(short)) == Exchange::Unknown;
        if !*untold[long].get_or_insert_with(is_untold) {
            continue;
        }
        let Some(call) = activity.launches.api[kernel].some() else { continue };
        if let Some(thread) = activity.api_calls.thread[call.index()].some() {
            launched.entry(thread).or_default().push((activity.api_calls.span[call.index()].start, long));
        }
    }
    launched
}

/// Whether a time lies in one of some spans that lie one after the other.
fn is_inside(spans: &[Span], time: Ns) -> bool {
    let behind = spans.partition_point(|span| span.start <= time);
    behind.checked_sub(1).is_some_and(|at| time < spans[at].end)
}
