//! Launches that wait, or that are waited for.

use crate::base::ids::ApiCallId;
use crate::base::time::Span;
use crate::capture::classified::classified::Classified;
use crate::capture::names::ApiClass;

/// How many of some launches are so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct LaunchCount {
    /// Launches that are so.
    pub found: u64,
    /// All that were looked at.
    pub of: u64,
}

impl LaunchCount {
    /// The share in percent; 0 of none.
    #[must_use]
    pub(crate) fn percent(self) -> f64 {
        100.0 * crate::base::ratios::count_to_f64(self.found)
            / crate::base::ratios::count_to_f64(self.of.max(1))
    }
}

/// Launch calls that are followed by a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct AwaitedLaunches {
    /// Of all launch calls those that are followed, as the next launch or wait of their thread, by a wait for the GPU.
    pub launches: LaunchCount,
    /// Of these, those that copy or fill memory before they wait.
    pub behind_copies: u64,
}

/// Launch calls that start in a span and are followed by a wait.
#[must_use]
pub(crate) fn launches_followed_by_wait(classified: &Classified<'_>, span: Span) -> AwaitedLaunches {
    let calls = &classified.activity.api_calls;
    let by_thread = classified.calls_by_thread();
    let mut awaited = AwaitedLaunches::default();
    for thread in 0..by_thread.len() {
        let (mut is_after_launch, mut has_copied) = (false, false);
        for &row in by_thread.get(thread) {
            let start = calls.span[row as usize].start;
            match classified.function(ApiCallId::new(row as usize)).class {
                ApiClass::Launch => {
                    is_after_launch = (span.start..span.end).contains(&start);
                    has_copied = false;
                    awaited.launches.of += u64::from(is_after_launch);
                }
                ApiClass::Copy => has_copied = true,
                ApiClass::Sync => {
                    awaited.launches.found += u64::from(is_after_launch);
                    awaited.behind_copies += u64::from(is_after_launch && has_copied);
                    is_after_launch = false;
                }
                _ => {}
            }
        }
    }
    awaited
}

/// Kernels with a call that end before their call returns, as if every launch waited. Where one of sixty-four does so in less
/// than half of the cases, the others are not looked at.
#[must_use]
pub(crate) fn blocking_launches(classified: &Classified<'_>) -> LaunchCount {
    const EVERY: usize = 64;
    let sample = count_blocking(classified, EVERY);
    let is_small = classified.activity.kernels.len() < EVERY * EVERY;
    if is_small || sample.percent() >= 50.0 { count_blocking(classified, 1) } else { sample }
}

fn count_blocking(classified: &Classified<'_>, every: usize) -> LaunchCount {
    let activity = &classified.activity;
    let mut count = LaunchCount::default();
    for kernel in (0..activity.kernels.len()).step_by(every) {
        if let Some(call) = classified.call_of(kernel) {
            count.of += 1;
            count.found += u64::from(activity.work.span[kernel].end <= call.span.end);
        }
    }
    count
}
