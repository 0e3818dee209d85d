//! Whether the iterations of a candidate hold the work of its process. A range that only runs beside it delimits nothing.
//!
//! ```text
//! loader thread  ├l┤├l┤├l┤├l┤                               its iterations hold no launch: no candidate
//! main thread                 ├step┤├step┤├step┤├step┤
//! launches                     x x x  x x x  x x x
//! ```

use super::gpu_load::{Asked, GpuLoad, Totals};
use super::sections::Section;
use super::words::KeyNodeHint;
use crate::base::ids::ProcessId;
use crate::base::ratios::median;
use crate::base::time::{Ns, Span};

/// Mean over median of the launches of iterations from which on the launches are not spread over them. First steps that try
/// algorithms launch many times what others do.
const MOST_UNEVEN: Ns = 20;

/// One in so many launches is nearly none.
const NEARLY_NONE: Ns = 20;

/// Whether a candidate holds the work of its process, as far as the capture says.
pub(super) fn holds_work(section: &Section, iterations: &[Span], load: &GpuLoad, totals: &Totals) -> bool {
    match totals.launches_of(section.process) {
        Some(0) => false,
        Some(_) => has_its_share(section, iterations, load, totals),
        None => true,
    }
}

/// Whether at least half of the work from its first to its last execution is in its iterations, and spread over them.
fn has_its_share(section: &Section, iterations: &[Span], load: &GpuLoad, totals: &Totals) -> bool {
    let (Some(first), Some(last)) = (iterations.first(), iterations.last()) else { return false };
    let whole = load.in_spans(&[Span::new(first.start, last.end)])[0];
    let held = load.in_spans(iterations);
    let weight = |asked: &Asked| if whole.gpu_ns > 0 { asked.gpu_ns } else { asked.kernels };
    let inside: Ns = held.iter().map(weight).sum();
    inside > 0
        && inside * 2 >= weight(&whole)
        && is_spread(&held)
        && is_beside_none(section, &whole, load, totals)
}

fn is_spread(held: &[Asked]) -> bool {
    let has_kernels = held.iter().any(|asked| asked.kernels > 0);
    let launched: Vec<Ns> =
        held.iter().map(|asked| if has_kernels { asked.kernels } else { asked.gpu_ns }).collect();
    let (sum, count) = (launched.iter().sum::<Ns>(), Ns::try_from(launched.len()).unwrap_or(Ns::MAX));
    sum <= median(launched).saturating_mul(MOST_UNEVEN).saturating_mul(count)
}

/// Whether its thread launches, or others launch while its ranges are open. Of what is called a step only time counts:
/// executors launch what the thread of the step hands over.
fn is_beside_none(section: &Section, whole: &Asked, load: &GpuLoad, totals: &Totals) -> bool {
    if section.hint == KeyNodeHint::Step || totals.launches_on(section.thread) {
        return true;
    }
    let open: Vec<Span> = section.executions.iter().map(|execution| execution.span).collect();
    let held = load.in_spans(&open).into_iter();
    let (kernels, gpu_ns) =
        held.fold((0, 0), |(kernels, gpu_ns), held| (kernels + held.kernels, gpu_ns + held.gpu_ns));
    kernels * NEARLY_NONE > whole.kernels || (whole.kernels == 0 && gpu_ns * NEARLY_NONE > whole.gpu_ns)
}

impl Totals {
    /// Launches of a process; none where the capture cannot say: without any in the capture, or where the work of the process
    /// has no calls.
    fn launches_of(&self, process: ProcessId) -> Option<u64> {
        let of = |counts: &[u64]| counts.get(process.index()).copied().unwrap_or(0);
        match of(&self.asked).max(of(&self.launch_calls)) {
            0 if of(&self.items) > 0 || !self.has_launches() => None,
            launches => Some(launches),
        }
    }

    fn has_launches(&self) -> bool {
        self.asked.iter().chain(&self.launch_calls).any(|&launches| launches > 0)
    }
}
