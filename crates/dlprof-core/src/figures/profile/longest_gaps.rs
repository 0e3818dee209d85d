//! The longest gaps of the aggregated iterations, why the GPU idled in each, and what the host did meanwhile.

use super::ProfileContents;
use crate::base::time::{Ns, Span};
use crate::capture::classified::Cause;
use crate::figures::activity::{
    DuringGap, GpuTime, GpuTimes, HostGap, WindowFinder, gpu_times, host_during, longest_gaps,
};
use std::cmp::Reverse;

/// How many gaps are listed.
const MOST_GAPS: usize = 100;

/// A gap of a GPU: a row of table `longest_gaps`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LongestGap {
    /// The gap, as far as it lies in the aggregated iterations.
    pub gap: HostGap,
    /// The place of the iteration in which it begins among the aggregated ones.
    pub window: usize,
    /// The cause of the greatest part of it; of equal ones the first.
    pub cause: Cause,
    /// That part.
    pub cause_ns: Ns,
    /// What the thread did that ended it.
    pub host: DuringGap,
}

impl ProfileContents {
    /// The longest gaps of the aggregated iterations, longest first.
    #[must_use]
    pub fn longest_gaps(&self) -> Vec<LongestGap> {
        let (windows, host) = (self.windows(), &self.capture.host);
        let mut finder = WindowFinder::new(&windows);
        self.look(|facts| {
            let gaps = longest_gaps(facts, self.window(), MOST_GAPS);
            let pieces = pieces(&gaps);
            let times = gpu_times(facts, &pieces);
            let row = |(gap, host): (HostGap, DuringGap)| {
                let idle = idle_in(&gap, &times, &pieces).idle;
                let (cause, cause_ns) = idle.causes().max_by_key(|&(cause, ns)| (ns, Reverse(cause)))?;
                Some(LongestGap { window: finder.find(gap.span.start)?, gap, cause, cause_ns, host })
            };
            let during = host_during(facts, host, &gaps);
            gaps.into_iter().zip(during).filter_map(row).collect()
        })
    }
}

/// Gaps of different GPUs overlap, so the time is cut where any of them begins or ends.
fn pieces(gaps: &[HostGap]) -> Vec<Span> {
    let mut cuts: Vec<Ns> = gaps.iter().flat_map(|gap| [gap.span.start, gap.span.end]).collect();
    cuts.sort_unstable();
    cuts.dedup();
    cuts.windows(2).map(|ends| Span::new(ends[0], ends[1])).collect()
}

/// What the GPU of a gap did in the pieces that the gap consists of.
fn idle_in(gap: &HostGap, times: &GpuTimes, pieces: &[Span]) -> GpuTime {
    let first = pieces.partition_point(|piece| piece.start < gap.span.start);
    let end = pieces.partition_point(|piece| piece.start < gap.span.end);
    let mut sum = GpuTime::default();
    (first..end).for_each(|piece| sum.merge(&times.at(gap.device.index(), piece)));
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steps::iterate::{KeyNodeChoice, RangeChoice};
    use crate::tests::drawn::Drawn;

    /// ```text
    /// main     ├─ step ──────────────────────────────────────┤
    ///              ├─ load ────────────────┤
    ///               ├ read ┤├ read ┤├ open ┤ ├ launch c ┤
    /// GPU      ├ a ┤                               ├ c ┤ ├ d ┤
    /// ```
    fn drawn() -> Drawn {
        let mut drawn = Drawn::new();
        let main = drawn.thread();
        drawn.range("step", 0..1000).range("load", 100..600);
        drawn.launch(0..5, "a", 10..90).launch(700..710, "c", 720..800).launch(790..795, "d", 820..900);
        drawn.mpi_call("MPI_Send", 600..690);
        drawn.os_call("read", 120..200).os_call("read", 210..330).os_call("open64", 340..500);
        drawn.os_call("poll", 900..990);
        drawn.sample("decode", "/usr/lib/libjpeg.so", 150).sample("decode", "/usr/lib/libjpeg.so", 250);
        drawn.sample("main", "/bin/train", 650);
        // What another thread does is not told.
        drawn.thread();
        drawn.range("other", 90..720).os_call("sem_wait", 90..720).sample("wait", "/bin/train", 400);
        drawn.on(main);
        drawn
    }

    #[test]
    fn gaps_say_what_the_launching_thread_did_in_them() {
        let capture = drawn().capture();
        let index = capture.index(&KeyNodeChoice::None).expect("an index");
        let profile = index.profile(&RangeChoice::default()).expect("a profile");
        let gaps = profile.longest_gaps();
        let spans: Vec<Span> = gaps.iter().map(|row| row.gap.span).collect();
        assert_eq!(spans, [Span::new(90, 720), Span::new(800, 820)]);
        let strings = &profile.capture.strings;
        let words = |of: Option<(crate::base::ids::StrId, Ns)>| of.map(|(name, ns)| (strings.get(name), ns));
        let host = &gaps[0].host;
        assert_eq!(words(host.range), Some(("load", 501)));
        assert_eq!(words(host.os_call), Some(("read", 200)));
        assert_eq!(words(host.mpi_call), Some(("MPI_Send", 90)));
        assert_eq!(words(host.api_call).map(|(_, ns)| ns), Some(10));
        assert_eq!(host.function, Some(("decode".to_owned(), 2)));
        assert_eq!(profile.capture.work_name(gaps[0].gap.ended_by), "c");
        assert!(gaps[1].host.os_call.is_none() && gaps[1].host.function.is_none());
        assert_eq!(words(gaps[1].host.range), Some(("step", 20)));
    }
}
