//! Which launches Nsight Compute should measure: the kernels with most time, in the first steady iteration.
//!
//! `ncu` filters by the bare name of the function, and `--launch-skip` and `--launch-count` count only launches that pass this
//! filter, in order of their API calls:
//!
//! ```text
//! launches by API call   a x b a b │ a x b a b │ a x b a b       x is filtered out
//!                        iteration 0    1           2
//! of iteration 1         skip 4     , count 4
//! ```

use super::profile::Profile;
use crate::base::ids::WorkId;
use crate::base::ratios::percent;
use crate::base::time::Ns;
use crate::read::facts::{GraphOrigin, WorkKind};
use crate::steps::iterate::IterationState;
use rustc_hash::{FxHashMap, FxHashSet};

/// Names are taken until they have so much of the kernel time.
const SHARE_PERCENT: i128 = 80;
/// No more names than these are taken.
const MOST_NAMES: usize = 5;
/// No more launches than these are measured.
const MOST_LAUNCHES: u64 = 200;

/// Which launches Nsight Compute should measure.
#[derive(Debug, Clone, PartialEq)]
pub struct LaunchesToMeasure {
    /// Bare names of functions, those with most time first.
    pub names: Vec<String>,
    /// Their share of the kernel time of the aggregated iterations.
    pub share_percent: f64,
    /// The iteration whose launches are measured; none without iterations.
    pub iteration: Option<u32>,
    /// Launches of these names before it in the whole capture.
    pub skip: u64,
    /// Launches of these names to measure: from the first to the last of the iteration, at most 200.
    pub count: u64,
    /// Launches of these names in the iteration.
    pub in_iteration: u64,
    /// Number of processes that launch these names.
    pub processes: usize,
}

/// When a launch is counted by `ncu`: the start of the API call, then that on the GPU.
type Order = (Ns, Ns);

impl Profile {
    /// Which launches Nsight Compute should measure; `None` without kernels that have a name and take time. Whole graphs recorded
    /// as one are not kernels.
    #[must_use]
    pub fn launches_to_measure(&self) -> Option<LaunchesToMeasure> {
        let (names, share_percent) = self.names_with_most_time();
        if names.is_empty() {
            return None;
        }
        let iteration = self.iteration_to_measure(&names);
        let is_chosen = |number: u32| iteration.is_none_or(|chosen| chosen == number);
        let (mut first, mut last, mut in_iteration): (Option<Order>, Option<Order>, u64) = (None, None, 0);
        let mut processes = FxHashSet::default();
        self.each_launch_of(&names, |kernel, number| {
            processes.insert(self.capture.work.process[kernel]);
            if is_chosen(number) {
                let at = self.order_of(kernel);
                first = Some(first.map_or(at, |first| first.min(at)));
                last = last.max(Some(at));
                in_iteration += 1;
            }
        });
        let (first, last) = first.zip(last)?;
        let (mut skip, mut between) = (0, 0);
        self.each_launch_of(&names, |kernel, _| match self.order_of(kernel) {
            at if at < first => skip += 1,
            at if at <= last => between += 1,
            _ => {}
        });
        Some(LaunchesToMeasure {
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            share_percent,
            iteration,
            skip,
            count: between.min(MOST_LAUNCHES),
            in_iteration,
            processes: processes.len(),
        })
    }

    /// The bare names with most time in the aggregated iterations, and the share of it that they have.
    fn names_with_most_time(&self) -> (Vec<&str>, f64) {
        let mut by_name: FxHashMap<&str, Ns> = FxHashMap::default();
        let kernels = &self.capture.kernels;
        for row in self.kernel_names() {
            if kernels.graph[row.example] != GraphOrigin::WholeGraph {
                let time = by_name.entry(self.bare_name(row.example)).or_default();
                *time = time.saturating_add(row.gpu_time_ns);
            }
        }
        let total: i128 = by_name.values().map(|&time| i128::from(time)).sum();
        let mut sorted: Vec<(&str, Ns)> = by_name.into_iter().filter(|(name, _)| !name.is_empty()).collect();
        sorted.sort_unstable_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        let (mut names, mut sum) = (Vec::new(), 0_i128);
        for (name, time) in sorted {
            if names.len() == MOST_NAMES || sum * 100 >= SHARE_PERCENT * total {
                break;
            }
            names.push(name);
            sum += i128::from(time);
        }
        let whole = |sum: i128| i64::try_from(sum).unwrap_or(i64::MAX);
        (names, percent(whole(sum), whole(total)))
    }

    /// The first steady iteration in which the names are launched: of the aggregated ones, if one of them is steady. Without
    /// steady ones the first that is aggregated; none without iterations.
    fn iteration_to_measure(&self, names: &[&str]) -> Option<u32> {
        self.iterations.key_node.as_ref()?;
        let mut launching = FxHashSet::default();
        self.each_launch_of(names, |_, number| {
            launching.insert(number);
        });
        let rank = |&number: &u32| {
            let is_steady = self.iterations.states.get(number as usize) == Some(&IterationState::Steady);
            (!is_steady, !self.iterations.is_aggregated(number), number)
        };
        launching.into_iter().min_by_key(rank)
    }

    /// Calls `each` with every launch of kernels of these names in the whole capture, and its iteration.
    fn each_launch_of(&self, names: &[&str], mut each: impl FnMut(WorkId, u32)) {
        let capture = &self.capture;
        let launching = self.index.launching();
        let mut is_named: Vec<Option<bool>> = vec![None; capture.strings.len()];
        for call in capture.op_calls.ids() {
            for &work in capture.work_by_call.get(call.index()) {
                if capture.work_kind(work) != WorkKind::Kernel
                    || capture.kernels.graph[work] == GraphOrigin::WholeGraph
                {
                    continue;
                }
                let known = &mut is_named[capture.kernels.short_name[work].index()];
                if *known.get_or_insert_with(|| names.contains(&self.bare_name(work))) {
                    each(work, launching.iteration_of(call, work));
                }
            }
        }
    }

    fn order_of(&self, kernel: WorkId) -> Order {
        let launch = self.capture.launch(kernel);
        (launch.start, launch.span.start)
    }

    /// What `ncu` calls a kernel: its function, without return type, namespaces, template arguments and parameters.
    fn bare_name(&self, kernel: WorkId) -> &str {
        self.capture.strings.get(self.capture.kernels.short_name[kernel])
    }
}

#[cfg(test)]
mod tests {
    use crate::figures::profile::Profile;
    use crate::steps::iterate::{KeyNodeChoice, RangeChoice};
    use crate::tests::drawn::Drawn;

    fn profile(drawn: Drawn, key_node: &KeyNodeChoice, range: &RangeChoice) -> Profile {
        drawn.capture().index(key_node).expect("it ran").profile(range).expect("a profile")
    }

    /// Steps of 10 from 100 on: two launches of `gemm`, one of `add` between them, one of `tiny`.
    fn steps() -> Drawn {
        let mut drawn = Drawn::new();
        drawn.launch(10..11, "gemm", 20..30);
        for step in 0..6 {
            let start = 1000 + step * 1000;
            drawn.range("step", start..start + 900);
            drawn.launch(start + 10..start + 20, "gemm", start + 30..start + 330);
            drawn.launch(start + 40..start + 50, "add", start + 330..start + 430);
            drawn.launch(start + 60..start + 70, "tiny", start + 430..start + 440);
            drawn.launch(start + 80..start + 90, "gemm", start + 440..start + 740);
        }
        drawn
    }

    #[test]
    fn the_names_with_most_time_are_measured_in_a_steady_iteration() {
        let profile = profile(steps(), &KeyNodeChoice::Named("step".into()), &RangeChoice::from(2..=4));
        let found = profile.launches_to_measure().expect("kernels");
        // `gemm` alone has 600 of 710 ns.
        assert_eq!(found.names, ["gemm"]);
        assert!((found.share_percent - 60_000.0 / 710.0).abs() < 1e-9, "{}", found.share_percent);
        assert_eq!(found.iteration, Some(2));
        // One before the first step, two in step 1.
        assert_eq!((found.skip, found.count, found.in_iteration, found.processes), (3, 2, 2, 1));
    }

    #[test]
    fn without_iterations_all_launches_are_measured() {
        let profile = profile(steps(), &KeyNodeChoice::None, &RangeChoice::default());
        let found = profile.launches_to_measure().expect("kernels");
        assert_eq!((found.iteration, found.skip, found.count), (None, 0, 13));
    }

    #[test]
    fn a_capture_without_kernels_has_nothing_to_measure() {
        let mut drawn = Drawn::new();
        drawn.range("step", 0..100);
        let profile = profile(drawn, &KeyNodeChoice::None, &RangeChoice::default());
        assert_eq!(profile.launches_to_measure(), None);
    }
}
