//! Waits of the host that no record says: a thread seems to run until the GPU work that it launched has ended.
//!
//! ```text
//! thread   ├launch┤ · query · query · query · ├launch┤
//! GPU          ├──────── kernel ────────────┤
//! ```

use super::host::Place;
use super::window::Window;
use crate::base::time::Ns;
use crate::capture::names::ApiClass;

/// A thread that does this long nothing with the GPU may wait for it.
const SHORTEST: Ns = 50_000;

/// A wait ends so soon after the work, or after a tenth of its own time.
const SOON: Ns = 50_000;

/// The clock of a GPU may be ahead by this much.
const AHEAD: Ns = 5_000;

/// A thread since it last launched, copied, took memory or waited.
struct Since {
    end: Ns,
    /// When all that it has launched has ended.
    work_end: Ns,
    /// Its other calls since then, such as those that ask whether work has ended.
    calls: Vec<usize>,
}

/// By call: whether the time of its thread before it may be a wait for GPU work that the thread launched. Polling and reading memory that
/// a kernel writes leave no other trace than that the thread goes on when all of this work has ended.
pub(super) fn may_wait_before(window: &Window, places: &[Place]) -> Vec<bool> {
    let threads = window.os_waits.len();
    let mut work_end = vec![Ns::MIN; threads];
    let mut since: Vec<Option<Since>> = (0..threads).map(|_| None).collect();
    let mut may_wait = vec![false; window.calls.len()];
    for (at, call) in window.calls.iter().enumerate() {
        let (thread, ends) = (call.thread, window.launched_by(at).map(|work| window.work[work].span.end));
        work_end[thread] = work_end[thread].max(ends.max().unwrap_or(Ns::MIN));
        if places[at].is_inside {
            since[thread].iter_mut().for_each(|since| since.work_end = work_end[thread]);
            continue;
        }
        if call.function.class == ApiClass::Api {
            since[thread].iter_mut().for_each(|since| since.calls.push(at));
            continue;
        }
        let now = Since { end: call.span.end, work_end: work_end[thread], calls: Vec::new() };
        let Some(before) = since[thread].replace(now) else { continue };
        let pause = call.span.start - before.end;
        let behind = call.span.start.saturating_sub(before.work_end);
        let is_soon = (-AHEAD..=SOON.min(pause / 10)).contains(&behind);
        if pause >= SHORTEST && before.work_end > before.end && is_soon {
            before.calls.iter().chain([&at]).for_each(|&call| may_wait[call] = true);
        }
    }
    may_wait
}
