//! How much of the exposed time of copies kernels could hide.
//!
//! ```text
//! copies      ├ to GPU ┤             ├ to GPU ┤            ├ to host ┤
//! kernels               ├─ A ───────┤          ├─ B ──────┤
//! hidden by   none, it is the first    A: earlier            none, it is the last
//! ```
//!
//! What a kernel needs is copied before it, and what it made after it. So a copy to the GPU can only be made earlier, beside
//! kernels that run before it, and a copy to the host later, beside kernels that run after it. Where the GPU idles for long
//! between the two, the host may be what they wait for.

use super::copies::{CopyKind, kind_and_memory};
use crate::base::intervals::{difference, union};
use crate::base::time::{Ns, Span};
use crate::capture::classified::classified::Classified;

/// The exposed time of copies and memsets that start in a span, as far as kernels of the same GPU that start there could hide it,
/// summed over GPUs. Each kernel hides once in each direction.
#[must_use]
pub(crate) fn hideable_copies_ns(classified: &Classified<'_>, span: Span) -> HideableCopies {
    let activity = classified.activity();
    let mut by_gpu: Vec<Work> = vec![Work::default(); classified.activity().devices.len()];
    for item in activity.starting_in(0..activity.work.len(), span) {
        let of_gpu = &mut by_gpu[activity.work.device[item].index()];
        let list = match activity.is_kernel(item) {
            true => &mut of_gpu.kernels,
            false if kind_and_memory(classified, item).0 == CopyKind::DtoH => &mut of_gpu.to_host,
            false => &mut of_gpu.other,
        };
        list.push(activity.work.span[item]);
    }
    let of_gpu = by_gpu.into_iter().map(Work::hideable);
    of_gpu.fold(HideableCopies::default(), |sum, one| HideableCopies {
        most_ns: sum.most_ns + one.most_ns,
        likely_ns: sum.likely_ns + one.likely_ns,
    })
}

/// Exposed time of copies that kernels could hide.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct HideableCopies {
    /// By the order of kernels and copies alone.
    pub(crate) most_ns: Ns,
    /// The part of it where the GPU does not idle for long between the kernel and the copy: in such a pause the host may make
    /// what is copied, or use what was copied.
    pub(crate) likely_ns: Ns,
}

/// What a GPU does.
#[derive(Debug, Clone, Default)]
struct Work {
    kernels: Vec<Span>,
    to_host: Vec<Span>,
    other: Vec<Span>,
}

impl Work {
    fn hideable(self) -> HideableCopies {
        let busy = [&self.kernels, &self.to_host, &self.other].into_iter().flatten().copied();
        let busy = union(busy.collect());
        let kernels = union(self.kernels);
        let turned = |spans: Vec<Span>| {
            let spans = spans.into_iter().map(|span| Span::new(-span.end, -span.start));
            union(spans.collect())
        };
        // Seen from the end, kernels after a copy are those before it.
        let (other, to_host) = (union(self.other), turned(self.to_host));
        let (turned_kernels, turned_busy) = (turned(kernels.clone()), turned(busy.clone()));
        let hidden = |breaks: [&[Ns]; 2]| {
            hidden_by_earlier(&kernels, &other, breaks[0])
                + hidden_by_earlier(&turned_kernels, &to_host, breaks[1])
        };
        HideableCopies {
            most_ns: hidden([&[], &[]]),
            likely_ns: hidden([&behind_long_pauses(&busy), &behind_long_pauses(&turned_busy)]),
        }
    }
}

/// In a pause of this length the host may work on what is copied.
const LONG_PAUSE_NS: Ns = 1_000_000;

/// Where work begins again after a long pause.
fn behind_long_pauses(busy: &[Span]) -> Vec<Ns> {
    let is_long = |pair: &&[Span]| pair[1].start - pair[0].end >= LONG_PAUSE_NS;
    busy.windows(2).filter(is_long).map(|pair| pair[1].start).collect()
}

/// How much of the exposed time of copies kernels could hide that run before it, behind the last break, and hide nothing else.
/// All lists are sorted, and those of spans disjoint.
fn hidden_by_earlier(kernels: &[Span], copies: &[Span], breaks: &[Ns]) -> Ns {
    let mut breaks = breaks.iter().copied().peekable();
    let mut free = difference(kernels, copies.iter().copied()).into_iter().peekable();
    let (mut free_ns, mut hidden_ns) = (0, 0);
    for exposed in difference(copies, kernels.iter().copied()) {
        let mut last_break = None;
        while let Some(at) = breaks.next_if(|&at| at <= exposed.start) {
            last_break = Some(at);
        }
        if last_break.is_some() {
            free_ns = 0;
        }
        while let Some(kernel) = free.next_if(|kernel| kernel.end <= exposed.start) {
            if last_break.is_none_or(|at| kernel.start >= at) {
                free_ns += kernel.length();
            }
        }
        let hides_ns = exposed.length().min(free_ns);
        (free_ns, hidden_ns) = (free_ns - hides_ns, hidden_ns + hides_ns);
    }
    hidden_ns
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans(list: &[(Ns, Ns)]) -> Vec<Span> {
        list.iter().map(|&(start, end)| Span::new(start, end)).collect()
    }

    fn hideable(kernels: &[(Ns, Ns)], to_gpu: &[(Ns, Ns)], to_host: &[(Ns, Ns)]) -> Ns {
        let [kernels, other, to_host] = [kernels, to_gpu, to_host].map(spans);
        Work { kernels, to_host, other }.hideable().most_ns
    }

    /// Kernel, pause, copy, kernel, copy: the host may make in the pause what is copied after it.
    #[test]
    fn kernels_before_a_long_pause_are_not_likely_to_hide_what_is_copied_behind_it() {
        let ms = 1_000_000;
        let hideable = |pause: Ns| {
            let copy = 10 * ms + pause;
            let kernels = spans(&[(0, 10 * ms), (copy + 4 * ms, copy + 5 * ms)]);
            let other = spans(&[(copy, copy + 4 * ms), (copy + 5 * ms, copy + 7 * ms)]);
            Work { kernels, to_host: Vec::new(), other }.hideable()
        };
        assert_eq!(hideable(ms / 2), HideableCopies { most_ns: 6 * ms, likely_ns: 6 * ms });
        assert_eq!(hideable(20 * ms), HideableCopies { most_ns: 6 * ms, likely_ns: ms });
        // A copy to the host and the kernels after a pause, in which the host may use it.
        let to_host = spans(&[(0, 2 * ms)]);
        let work = Work { kernels: spans(&[(22 * ms, 30 * ms)]), to_host, other: Vec::new() };
        assert_eq!(work.hideable(), HideableCopies { most_ns: 2 * ms, likely_ns: 0 });
    }

    #[test]
    fn the_first_copy_to_the_gpu_and_the_last_to_the_host_cannot_be_hidden() {
        assert_eq!(hideable(&[(20, 30)], &[(0, 20)], &[(30, 80)]), 0);
        assert_eq!(hideable(&[(20, 30)], &[(30, 80)], &[(0, 20)]), 20);
    }

    #[test]
    fn a_kernel_hides_one_copy_and_only_what_is_exposed() {
        // Two batches: the second copy fits beside the first kernel.
        assert_eq!(hideable(&[(10, 30), (40, 60)], &[(0, 10), (30, 40)], &[]), 10);
        // Both copies together are longer than the kernel before them.
        assert_eq!(hideable(&[(0, 10)], &[(10, 18), (20, 28)], &[]), 10);
        // Half of the copy runs beside a kernel already.
        assert_eq!(hideable(&[(0, 30)], &[(25, 35)], &[]), 5);
    }
}
