//! How much of the exposed time of copies kernels could hide.
//!
//! ```text
//! copies      ├ to GPU ┤             ├ to GPU ┤            ├ to host ┤
//! kernels               ├─ A ───────┤          ├─ B ──────┤
//! hidden by   none, it is the first    A: earlier            none, it is the last
//! ```
//!
//! What a kernel needs is copied before it, and what it made behind it. So a copy to the GPU can only be made earlier, beside
//! kernels that run before it, and a copy to the host later, beside kernels that run behind it.

use super::copies::{CopyKind, kind_and_memory};
use crate::base::intervals::{difference, union};
use crate::base::time::{Ns, Span};
use crate::capture::classified::classified::Classified;

/// The exposed time of copies and memsets that start in a span, as far as kernels of the same GPU that start there could hide it,
/// summed over GPUs. Each kernel hides once in each direction.
#[must_use]
pub(crate) fn hideable_copies_ns(classified: &Classified<'_>, span: Span) -> Ns {
    let items = &classified.activity().items;
    let mut by_gpu: Vec<Work> = vec![Work::default(); classified.activity().devices];
    for item in items.starting_in(0..items.len(), span) {
        let of_gpu = &mut by_gpu[items.device[item].index()];
        let list = match items.is_kernel(item) {
            true => &mut of_gpu.kernels,
            false if kind_and_memory(classified, item).0 == CopyKind::DtoH => &mut of_gpu.to_host,
            false => &mut of_gpu.other,
        };
        list.push(items.span[item]);
    }
    by_gpu.into_iter().map(Work::hideable_ns).sum()
}

/// What a GPU does.
#[derive(Debug, Clone, Default)]
struct Work {
    kernels: Vec<Span>,
    to_host: Vec<Span>,
    other: Vec<Span>,
}

impl Work {
    fn hideable_ns(self) -> Ns {
        let kernels = union(self.kernels);
        let turned = |spans: Vec<Span>| {
            let spans = spans.into_iter().map(|span| Span::new(-span.end, -span.start));
            union(spans.collect())
        };
        // Seen from the end, kernels behind a copy are those before it.
        let behind = hidden_by_earlier(&turned(kernels.clone()), &turned(self.to_host));
        hidden_by_earlier(&kernels, &union(self.other)) + behind
    }
}

/// How much of the exposed time of copies kernels could hide that run before it and hide nothing else. Both lists are sorted and
/// disjoint.
fn hidden_by_earlier(kernels: &[Span], copies: &[Span]) -> Ns {
    let mut free = difference(kernels, copies.iter().copied()).into_iter().peekable();
    let (mut free_ns, mut hidden_ns) = (0, 0);
    for exposed in difference(copies, kernels.iter().copied()) {
        while let Some(kernel) = free.next_if(|kernel| kernel.end <= exposed.start) {
            free_ns += kernel.length();
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
        Work { kernels, to_host, other }.hideable_ns()
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
