//! What processes exchange on threads of the CPU: collectives of gloo and MPI, as torch.profiler annotates them.
//!
//! ```text
//! thread 1   ├ gloo:all_reduce ──────┤
//! thread 2        ├ gloo:all_reduce ──────┤
//! counted    ├────────────────────────────┤   once, however many threads exchange
//! ```

use super::input_time::covered;
use crate::base::time::{Ns, Span};
use crate::capture::classified::classified::Classified;
use crate::capture::names::is_cpu_collective;
use crate::read::facts::ThreadRangeFacts;

/// By window: time that collectives on the CPU cover, on all threads together. `None` if the capture has none.
#[must_use]
pub(crate) fn cpu_communication(classified: &Classified<'_>, windows: &[Span]) -> Option<Vec<Ns>> {
    let activity = classified.activity();
    activity.recorded.kineto.as_ref()?;
    let texts = activity.ranges.texts.iter();
    let exchanges: Vec<bool> = texts.map(|says| is_cpu_collective(activity.strings.get(says.text))).collect();
    let of_thread = |ranges: &ThreadRangeFacts| -> Vec<Span> {
        let rows = ranges.span.iter().zip(&ranges.text);
        rows.filter(|(_, text)| exchanges[text.index()]).map(|(&span, _)| span).collect()
    };
    if !exchanges.contains(&true) {
        return None;
    }
    let spans = activity.ranges.lists().flat_map(of_thread).collect();
    let mut by_window = vec![0; windows.len()];
    covered(spans, windows, |window, ns| by_window[window] += ns);
    Some(by_window)
}
