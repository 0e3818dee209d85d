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
use crate::base::ids::{DeviceId, StreamId};
use crate::base::intervals::union;
use crate::base::ratios::percent;
use crate::base::time::{Ns, Span};

/// Exposed time of the kernels that exchange data, of all GPUs, by what keeps other work from running beside them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct ExposedBy {
    /// The next work was launched before the exchange ended, into the same stream.
    same_stream_ns: Ns,
    /// The next work was launched before the exchange ended, into another stream, and started after it.
    waiting_ns: Ns,
    /// The next work was launched after the exchange, or there is none.
    nothing_ns: Ns,
    /// The launch of the next work is not recorded.
    unknown_ns: Ns,
}

/// What most of the exposed time has in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WhyExposed {
    /// What comes next is queued after the exchange in its own stream.
    SameStream,
    /// What comes next waits for the exchange.
    Waiting,
    /// Nothing else is launched in time.
    Nothing,
}

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
        let all_ns = self.same_stream_ns + self.waiting_ns + self.nothing_ns + self.unknown_ns;
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
        let activity = facts.activity();
        let calls = &activity.api_calls;
        let of_device = activity.starting_in(0..activity.work.len(), scene.span);
        let of_device = of_device.filter(|&work| activity.work.device[work] == device);
        let (exchange, other): (Vec<usize>, Vec<usize>) =
            of_device.partition(|&work| facts.is_communication(work));
        let is_kernel = |work: &&usize| **work < activity.kernels.len();
        let computing = union(other.iter().filter(is_kernel).map(|&work| activity.work.span[work]).collect());
        // In order of start: when each was launched, and its stream. Copies are work as well.
        let mut launched: Vec<(Ns, Option<Ns>, StreamId)> = other
            .iter()
            .map(|&work| {
                let call =
                    activity.launches.api[work].some().map(|call| activity.repeated_calls.counted(call));
                let launched = call.map(|call| calls.span[call.index()].end);
                (activity.work.span[work].start, launched, activity.work.stream[work])
            })
            .collect();
        launched.sort_unstable();
        for kernel in exchange {
            let span = activity.work.span[kernel];
            let exposed_ns = span.length() - covered_ns(&computing, span);
            let next = launched.get(launched.partition_point(|(start, ..)| *start < span.end));
            let sum = match next {
                Some((_, None, _)) => &mut self.unknown_ns,
                Some((_, Some(launched), _)) if *launched >= span.end => &mut self.nothing_ns,
                Some((.., stream)) if *stream == activity.work.stream[kernel] => &mut self.same_stream_ns,
                Some(_) => &mut self.waiting_ns,
                None => &mut self.nothing_ns,
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
        let exposed = ExposedBy { same_stream_ns: 30, waiting_ns: 60, nothing_ns: 10, unknown_ns: 0 };
        assert_eq!(exposed.most(), Some((WhyExposed::Waiting, 60.0)));
        assert_eq!(
            ExposedBy { same_stream_ns: 50, waiting_ns: 50, nothing_ns: 0, unknown_ns: 0 }.most(),
            None
        );
        let unknown = ExposedBy { same_stream_ns: 0, waiting_ns: 0, nothing_ns: 40, unknown_ns: 60 };
        assert_eq!(unknown.most(), None, "nobody knows when the next work was launched");
        assert_eq!(ExposedBy::default().most(), None);
    }
}
