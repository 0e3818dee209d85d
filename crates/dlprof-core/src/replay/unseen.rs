//! Waits of the host that no record says: a thread seems to run until the GPU work that it launched has ended.
//!
//! ```text
//! thread   ├launch┤ · query · query · query · ├launch┤
//! GPU          ├──────── kernel ────────────┤
//! ```

use super::host::Place;
use super::window::Window;
use crate::base::time::{Ns, Span};
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
/// a kernel writes leave no other trace than that the thread goes on when all of this work has ended: with its next call, with the last of
/// those that ask, or out of a wait of the operating system, after which it may have other things to do. A function of Python that waits
/// for the GPU says it itself.
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
        if call.function.class == ApiClass::Api && window.end != Some(at) {
            since[thread].iter_mut().for_each(|since| since.calls.push(at));
            continue;
        }
        let now = Since { end: call.span.end, work_end: work_end[thread], calls: Vec::new() };
        let Some(before) = since[thread].replace(now) else { continue };
        let pause = Span::new(before.end, call.span.start);
        let calls = before.calls.iter().map(|&call| window.calls[call].span.end);
        let soon = |time: Ns| {
            let behind = time.saturating_sub(before.work_end);
            (-AHEAD..=SOON.min((time - pause.start) / 10)).contains(&behind)
        };
        let goes_on = || {
            let of_python = resumed(&window.python_waits[thread], pause);
            of_python.into_iter().any(|time| time >= before.work_end - AHEAD)
                || calls.chain(resumed(&window.os_waits[thread], pause)).chain([pause.end]).any(soon)
        };
        if pause.length() >= SHORTEST && before.work_end > before.end && goes_on() {
            before.calls.iter().chain([&at]).for_each(|&call| may_wait[call] = true);
        }
    }
    may_wait
}

/// When a thread came back from waits of the operating system in a pause.
fn resumed(waits: &[Span], pause: Span) -> impl Iterator<Item = Ns> {
    let first = waits.partition_point(|wait| wait.end <= pause.start);
    waits[first..].iter().map(|wait| wait.end).take_while(move |&end| end < pause.end)
}
