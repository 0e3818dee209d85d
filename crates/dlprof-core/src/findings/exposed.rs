//! Why exchange between GPUs runs while nothing else does.
//!
//! ```text
//! one stream    ├ layer ┤├ exchange ┤├ layer ┤      a stream runs one kernel after another
//!
//! computing     ├ layer ┤            ├ layer ┤      launched before the exchange ends, and waits for it: needs the result,
//! exchange               ├ exchange ┤               or waits for an event behind it
//!
//! computing     ├ layer ┤                           nothing else is launched before the exchange ends
//! exchange               ├ exchange ┤
//! ```

use super::scene::Scene;
use crate::ids::DeviceId;
use crate::intervals::union;
use crate::ratios::percent;
use crate::time::{Ns, Span};

/// Exposed time of the kernels that exchange data, of all GPUs, by what keeps other kernels from running beside them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct ExposedBy {
    /// The stream of the exchange also computes.
    same_stream_ns: Ns,
    /// The next kernel was launched before the exchange ended, and started behind it.
    waiting_ns: Ns,
    /// The next kernel was launched behind the exchange, or there is none.
    nothing_ns: Ns,
}

/// What most of the exposed time has in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WhyExposed {
    /// The stream of the exchange also computes.
    SameStream,
    /// What comes next waits for the exchange.
    Waiting,
    /// Nothing else is launched in time.
    Nothing,
}

/// A stream that does this part of a GPU's computing is one that computes.
const COMPUTING_STREAM_PERCENT: f64 = 5.0;

impl ExposedBy {
    /// Of the kernels that start in the time of the scene.
    pub(super) fn of(scene: &Scene<'_>) -> Self {
        let mut sum = Self::default();
        for device in scene.used_devices() {
            sum.add(scene, device);
        }
        sum
    }

    /// The reason that has most of the time, if that is more than half, and its share.
    pub(super) fn most(self) -> Option<(WhyExposed, f64)> {
        let all_ns = self.same_stream_ns + self.waiting_ns + self.nothing_ns;
        [
            (WhyExposed::SameStream, self.same_stream_ns),
            (WhyExposed::Waiting, self.waiting_ns),
            (WhyExposed::Nothing, self.nothing_ns),
        ]
        .into_iter()
        .map(|(why, ns)| (why, percent(ns, all_ns)))
        .find(|(_, share)| *share > 50.0)
    }

    /// Adds what one GPU did.
    fn add(&mut self, scene: &Scene<'_>, device: DeviceId) {
        let facts = scene.facts();
        let (items, calls) = (&facts.activity().items, &facts.activity().calls);
        let of_device = items.starting_in(0..items.kernels, scene.span);
        let of_device = of_device.filter(|&kernel| items.device[kernel] == device);
        let (exchange, compute): (Vec<usize>, Vec<usize>) =
            of_device.partition(|&kernel| facts.is_communication(kernel));
        let computing = union(compute.iter().map(|&kernel| items.span[kernel]).collect());
        // In order of start: when each was launched.
        let mut launched: Vec<(Ns, Option<Ns>)> = compute
            .iter()
            .map(|&kernel| {
                let call = items.call[kernel].some().map(|call| calls.counted(call));
                (items.span[kernel].start, call.map(|call| calls.span[call.index()].end))
            })
            .collect();
        launched.sort_unstable();
        let all_ns: Ns = compute.iter().map(|&kernel| items.span[kernel].length()).sum();
        let mut by_stream = vec![0; facts.activity().streams];
        for &kernel in &compute {
            if let Some(sum) = by_stream.get_mut(items.stream[kernel].index()) {
                *sum += items.span[kernel].length();
            }
        }
        let computes = |kernel: usize| {
            let of_stream = by_stream.get(items.stream[kernel].index()).copied().unwrap_or(0);
            percent(of_stream, all_ns) >= COMPUTING_STREAM_PERCENT
        };
        for kernel in exchange {
            let span = items.span[kernel];
            let exposed_ns = span.length() - covered_ns(&computing, span);
            let next = launched.get(launched.partition_point(|(start, _)| *start < span.start));
            let is_waiting = next.is_some_and(|(start, launched)| {
                *start >= span.end && launched.is_some_and(|launched| launched < span.end)
            });
            let sum = match (computes(kernel), is_waiting) {
                (true, _) => &mut self.same_stream_ns,
                (false, true) => &mut self.waiting_ns,
                (false, false) => &mut self.nothing_ns,
            };
            *sum += exposed_ns;
        }
    }
}

/// How much of a span lies in a sorted list of disjoint ones.
fn covered_ns(disjoint: &[Span], span: Span) -> Ns {
    let from = disjoint.partition_point(|one| one.end <= span.start);
    let near = disjoint[from..].iter().take_while(|one| one.start < span.end);
    near.map(|one| one.end.min(span.end) - one.start.max(span.start)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn covered_time_is_the_overlap() {
        let disjoint = [Span::new(0, 10), Span::new(20, 30), Span::new(40, 50)];
        assert_eq!(covered_ns(&disjoint, Span::new(5, 45)), 5 + 10 + 5);
        assert_eq!(covered_ns(&disjoint, Span::new(10, 20)), 0);
        assert_eq!(covered_ns(&[], Span::new(10, 20)), 0);
    }

    #[test]
    fn the_reason_of_more_than_half_is_told() {
        let exposed = ExposedBy { same_stream_ns: 30, waiting_ns: 60, nothing_ns: 10 };
        assert_eq!(exposed.most(), Some((WhyExposed::Waiting, 60.0)));
        assert_eq!(ExposedBy { same_stream_ns: 50, waiting_ns: 50, nothing_ns: 0 }.most(), None);
        assert_eq!(ExposedBy::default().most(), None);
    }
}
