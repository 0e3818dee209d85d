//! Which launches Nsight Compute should measure: the kernels with most time, in the first steady iteration. Where no iterations are
//! found and a range of the program runs twice, its second run stands for one. Algorithms that are tried are left out: they are gone
//! once the fastest is chosen.
//!
//! `ncu` filters by the bare name of the function, and `--launch-skip` and `--launch-count` count only launches that pass this
//! filter, in order of their API calls, in each process for itself:
//!
//! ```text
//! launches by API call   a x b a b │ a x b a b │ a x b a b       x is filtered out
//!                        iteration 0    1           2
//! of iteration 1         skip 4     , count 4
//! ```
//!
//! It runs the whole program, so launches before a cut count too. Kernels that exchange data between GPUs are left out: `ncu`
//! runs one kernel at a time, and they wait for each other. So are kernels of which logs beside the capture have counters of all
//! launches.

use super::profile::{Profile, RunTwice};
use crate::base::ids::{Maybe, ProcessId, StrId, WorkId};
use crate::base::ratios::percent;
use crate::base::time::Ns;
use crate::columns::PerText;
use crate::read::facts::{GraphOrigin, WorkKind};
use crate::steps::iterate::IterationState;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::BTreeMap;

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
    /// Their share of the kernel time of the aggregated iterations, without kernels that exchange data between GPUs and those in
    /// CUDA graphs that were recorded as a whole.
    pub share_percent: f64,
    /// Share of the kernel time of the aggregated iterations that is left out, because it is of kernels that exchange data.
    pub left_out_percent: f64,
    /// Share of the same time as `share_percent` that is left out, because logs have counters of all launches of these kernels.
    pub measured_percent: f64,
    /// The same of kernels in CUDA graphs that were recorded as a whole, so that nothing is known of them.
    pub in_graphs_percent: f64,
    /// The range whose second run is measured, and of which shares are; none with iterations.
    pub second_run_of: Option<String>,
    /// Whether the shares leave out algorithms that are tried.
    pub without_tried: bool,
    /// The iteration whose launches are measured; none without iterations.
    pub iteration: Option<u32>,
    /// The process whose launches are counted: of several, that with most of them in the iteration; none if the capture does not say.
    pub process: Maybe<ProcessId>,
    /// Launches of these names by the process before the iteration, those before a cut included.
    pub skip: u64,
    /// Launches of these names by the process to measure: from the first to the last of the iteration, at most 200.
    pub count: u64,
    /// Launches of these names by the process in the iteration.
    pub in_iteration: u64,
    /// Number of processes that launch these names.
    pub processes: usize,
}

/// Why Nsight Compute cannot measure anything of a capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NothingToMeasure {
    /// The GPUs are not NVIDIA's.
    OtherGpus,
    /// All kernels exchange data between GPUs.
    OnlyExchanges,
    /// Logs have counters of all launches of all kernels.
    AllMeasured,
    /// CUDA graphs that were recorded as a whole have half of the kernel time or more.
    WholeGraphs,
    /// No kernel has a name and takes time. Whole graphs recorded as one are not kernels.
    NoKernels,
}

/// When a launch is counted by `ncu`: the start of the API call, then that on the GPU.
type Order = (Ns, Ns);

/// Launches of a process in the iteration.
struct InIteration {
    first: Order,
    last: Order,
    launches: u64,
}

/// The names with most time.
struct Names<'a> {
    bare: Vec<&'a str>,
    share_percent: f64,
    left_out_percent: f64,
    measured_percent: f64,
    in_graphs_percent: f64,
}

/// Which launches are worth measuring: none of algorithms that are tried, and of a range that runs twice those of its second run.
struct Wanted<'a> {
    tried: &'a FxHashSet<WorkId>,
    run: Option<RunTwice>,
}

impl Wanted<'_> {
    fn has(&self, kernel: WorkId, launched: Ns) -> bool {
        let in_run = |run: &RunTwice| (run.second.start..run.second.end).contains(&launched);
        !self.tried.contains(&kernel) && self.run.as_ref().is_none_or(in_run)
    }

    fn are_all(&self) -> bool {
        self.tried.is_empty() && self.run.is_none()
    }
}

impl Profile {
    /// Which launches Nsight Compute should measure, of all but those of algorithms that are tried. Where nothing else is launched,
    /// these are measured.
    ///
    /// # Errors
    /// If it cannot measure any.
    pub(crate) fn launches_to_measure_without(
        &self,
        tried: &FxHashSet<WorkId>,
    ) -> Result<LaunchesToMeasure, NothingToMeasure> {
        if !self.capture.is_of_nvidia() {
            return Err(NothingToMeasure::OtherGpus);
        }
        let wanted = Wanted { tried, run: self.run_twice() };
        let found = self.launches_of(&wanted);
        match found {
            Err(NothingToMeasure::NoKernels) if !wanted.are_all() => {
                self.launches_of(&Wanted { tried: &FxHashSet::default(), run: None })
            }
            found => found,
        }
    }

    fn launches_of(&self, wanted: &Wanted<'_>) -> Result<LaunchesToMeasure, NothingToMeasure> {
        let Names { bare: names, share_percent, left_out_percent, measured_percent, in_graphs_percent } =
            self.names_with_most_time(wanted);
        if in_graphs_percent >= 50.0 {
            return Err(NothingToMeasure::WholeGraphs);
        }
        if names.is_empty() {
            return Err(match (measured_percent > 0.0, left_out_percent > 0.0) {
                (true, _) => NothingToMeasure::AllMeasured,
                (false, true) => NothingToMeasure::OnlyExchanges,
                (false, false) => NothingToMeasure::NoKernels,
            });
        }
        let iteration = self.iteration_to_measure(&names);
        let is_chosen = |number: u32| iteration.is_none_or(|chosen| chosen == number);
        let mut processes = FxHashSet::default();
        let mut in_iteration: BTreeMap<Maybe<ProcessId>, InIteration> = BTreeMap::new();
        self.each_launch_of(&names, |kernel, number| {
            let process = self.capture.work.process[kernel];
            processes.insert(process);
            let at = self.order_of(kernel);
            if is_chosen(number) && wanted.has(kernel, at.0) {
                let of_process =
                    in_iteration.entry(process).or_insert(InIteration { first: at, last: at, launches: 0 });
                of_process.first = of_process.first.min(at);
                of_process.last = of_process.last.max(at);
                of_process.launches += 1;
            }
        });
        let most = in_iteration.iter().max_by_key(|(process, of)| (of.launches, Reverse(**process)));
        let Some((&process, &InIteration { first, last, launches })) = most else {
            return Err(NothingToMeasure::NoKernels);
        };
        let (mut skip, mut between) = (self.launched_before_cut(&names, process), 0);
        self.each_launch_of(&names, |kernel, _| {
            if self.capture.work.process[kernel] == process {
                match self.order_of(kernel) {
                    at if at < first => skip += 1,
                    at if at <= last => between += 1,
                    _ => {}
                }
            }
        });
        Ok(LaunchesToMeasure {
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            share_percent,
            left_out_percent,
            measured_percent,
            in_graphs_percent,
            second_run_of: wanted.run.as_ref().map(|run| run.name.clone()),
            without_tried: !wanted.tried.is_empty(),
            iteration,
            process,
            skip,
            count: between.min(MOST_LAUNCHES),
            in_iteration: launches,
            // Of work that was launched before the trace the process is not known.
            processes: processes.iter().filter(|process| !process.is_none()).count().max(1),
        })
    }

    /// The bare names with most time in the aggregated iterations, and the share of it that they have.
    fn names_with_most_time(&self, wanted: &Wanted<'_>) -> Names<'_> {
        let mut by_name: FxHashMap<&str, Ns> = FxHashMap::default();
        let kernels = &self.capture.kernels;
        let lacking = self.names_without_counters();
        let is_measured = |kernel: WorkId| {
            lacking.as_ref().is_some_and(|lacking| !lacking.contains(&kernels.long_name[kernel]))
        };
        let (mut exchanges, mut measured, mut in_graphs) = (0_i128, 0_i128, 0_i128);
        let mut add = |kernel: WorkId, ns: Ns| {
            if kernels.graph[kernel] == GraphOrigin::WholeGraph {
                in_graphs += i128::from(ns);
            } else if self.judge_kernel(kernel).is_communication() {
                exchanges += i128::from(ns);
            } else if is_measured(kernel) {
                measured += i128::from(ns);
            } else {
                let time = by_name.entry(self.bare_name(kernel)).or_default();
                *time = time.saturating_add(ns);
            }
        };
        if wanted.are_all() {
            self.kernel_names().iter().for_each(|row| add(row.example, row.gpu_time_ns));
        } else {
            self.for_each_kernel(0..self.iterations.range().len(), |_, kernel| {
                if wanted.has(kernel, self.order_of(kernel).0) {
                    add(kernel, self.capture.work.span[kernel].length());
                }
            });
        }
        let total: i128 = by_name.values().map(|&time| i128::from(time)).sum();
        let mut sorted: Vec<(&str, Ns)> = by_name.into_iter().filter(|(name, _)| !name.is_empty()).collect();
        sorted.sort_unstable_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        let (mut bare, mut sum) = (Vec::new(), 0_i128);
        for (name, time) in sorted {
            if bare.len() == MOST_NAMES || sum * 100 >= SHARE_PERCENT * total {
                break;
            }
            bare.push(name);
            sum += i128::from(time);
        }
        let whole = |sum: i128| i64::try_from(sum).unwrap_or(i64::MAX);
        Names {
            bare,
            share_percent: percent(whole(sum), whole(total + measured)),
            left_out_percent: percent(whole(exchanges), whole(total + measured + exchanges + in_graphs)),
            measured_percent: percent(whole(measured), whole(total + measured)),
            in_graphs_percent: percent(whole(in_graphs), whole(total + measured + exchanges + in_graphs)),
        }
    }

    /// Demangled names of kernels of which a launch lacks counters; none without logs.
    fn names_without_counters(&self) -> Option<FxHashSet<StrId>> {
        let counters = self.capture.counters.as_ref()?;
        let is_measured = |kernel: &WorkId| {
            counters.of(*kernel).is_some_and(|measured| measured.level.has_counts() && !measured.is_other_gpu)
        };
        let kernels = crate::base::ids::all::<WorkId>(self.capture.kernels.len());
        let lacking = kernels.filter(|kernel| !is_measured(kernel));
        Some(lacking.map(|kernel| self.capture.kernels.long_name[kernel]).collect())
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

    /// Launches of kernels of these names that were over where the capture was cut.
    fn launched_before_cut(&self, names: &[&str], process: Maybe<ProcessId>) -> u64 {
        let cut = self.capture.description.cut.iter().flat_map(|cut| &cut.launched_before);
        let is_of = |name: &str| names.contains(&name);
        let of_names = cut
            .filter(|before| before.process == process && is_of(self.capture.strings.get(before.short_name)));
        of_names.map(|before| before.launches).sum()
    }

    /// Calls `each` with every launch of kernels of these names in the whole capture, and its iteration.
    fn each_launch_of(&self, names: &[&str], mut each: impl FnMut(WorkId, u32)) {
        let capture = &self.capture;
        let launching = self.index.launching();
        let mut is_named: PerText<Option<bool>> = PerText::new(capture.strings.len(), None);
        for call in capture.op_calls.ids() {
            for &work in capture.work_by_call.get(call.index()) {
                if capture.work_kind(work) != WorkKind::Kernel
                    || capture.kernels.graph[work] == GraphOrigin::WholeGraph
                {
                    continue;
                }
                let known = &mut is_named[capture.kernels.short_name[work]];
                if *known.get_or_insert_with(|| names.contains(&self.bare_name(work))) {
                    each(work, launching.iteration_of(call, work));
                }
            }
        }
    }

    /// A launch whose call is not there was made before a cut, if there is one: the calls before it are gone.
    fn order_of(&self, kernel: WorkId) -> Order {
        let launch = self.capture.launch(kernel);
        let is_cut = self.capture.description.cut.is_some();
        if is_cut && self.capture.launches.api[kernel].is_none() {
            return (self.capture.begin(), launch.span.start);
        }
        (launch.start, launch.span.start)
    }

    /// What `ncu` calls a kernel: its function, without return type, namespaces, template arguments and parameters.
    fn bare_name(&self, kernel: WorkId) -> &str {
        self.capture.strings.get(self.capture.kernels.short_name[kernel])
    }
}

#[cfg(test)]
mod tests {
    use super::{LaunchesToMeasure, NothingToMeasure};
    use crate::base::ids::ProcessId;
    use crate::figures::profile::Profile;
    use crate::read::facts::{Vendor, WorkKind};
    use crate::read::time_cut::TimeCut;
    use crate::steps::iterate::{KeyNodeChoice, RangeChoice};
    use crate::tests::drawn::Drawn;
    use rustc_hash::FxHashSet;

    fn profile(drawn: Drawn, key_node: &KeyNodeChoice, range: &RangeChoice) -> Profile {
        drawn.capture().index(key_node).expect("it ran").profile(range).expect("a profile")
    }

    fn measured(profile: &Profile) -> Result<LaunchesToMeasure, NothingToMeasure> {
        profile.launches_to_measure_without(&FxHashSet::default())
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
        let found = measured(&profile).expect("kernels");
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
        let found = measured(&profile).expect("kernels");
        assert_eq!((found.iteration, found.skip, found.count), (None, 0, 13));
    }

    #[test]
    fn a_capture_without_kernels_has_nothing_to_measure() {
        let mut drawn = Drawn::new();
        drawn.range("step", 0..100);
        let profile = profile(drawn, &KeyNodeChoice::None, &RangeChoice::default());
        assert_eq!(measured(&profile), Err(NothingToMeasure::NoKernels));
    }

    #[test]
    fn what_logs_have_measured_is_left_out() {
        let log = |names: &[&str]| {
            let rows = names
                .iter()
                .map(|name| format!("\"0\",\"{name}\",\"(32, 1, 1)\",\"(1, 1, 1)\",\"0\",\"5\"\n"));
            let head = "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"Device\",\"dram__bytes_read.sum\"\n\"\",\"\",\"\",\"\",\"\",\"byte\"\n";
            format!("{head}{}", rows.collect::<String>())
        };
        let of = |log: &str| {
            let capture = steps().capture_counted(log);
            let index = capture.index(&KeyNodeChoice::Named("step".into())).expect("it ran");
            measured(&index.profile(&RangeChoice::from(2..=4)).expect("a profile"))
        };
        // Of 710 ns, 600 are `gemm`.
        let found = of(&log(&["gemm"])).expect("kernels");
        assert_eq!(found.names, ["add"]);
        assert!((found.measured_percent - 60_000.0 / 710.0).abs() < 1e-9, "{}", found.measured_percent);
        assert!((found.share_percent - 10_000.0 / 710.0).abs() < 1e-9, "{}", found.share_percent);
        assert_eq!(of(&log(&["gemm", "add", "tiny"])), Err(NothingToMeasure::AllMeasured));
        let found = of(&log(&["other"])).expect("kernels");
        assert_eq!((found.names, found.measured_percent), (vec!["gemm".to_owned()], 0.0));
    }

    /// The step that begins at 5000 is measured alike, wherever the capture is cut before it.
    #[test]
    fn launches_before_a_cut_are_counted_as_ncu_counts_them() {
        // The first kernel of the step before runs from 4030 to 4330, its call was at 4010; the last one runs from 4440 on.
        for from in ["0ns", "3900ns", "4025ns", "4035ns", "4400ns", "4900ns"] {
            let cut = TimeCut::parse(Some(from), None).expect("a time");
            let capture = steps().capture_cut(&cut);
            let index = capture.index(&KeyNodeChoice::Named("step".into())).expect("it ran");
            let of_iteration = |number| index.profile(&RangeChoice::from(number..=number)).ok();
            let profile = (0..7).filter_map(of_iteration).find(|profile| profile.window().start == 5000);
            let found = measured(&profile.expect("the step")).expect("kernels");
            // One launch before the steps, and two in each of four steps.
            assert_eq!((found.skip, found.count), (9, 2), "{from}");
        }
    }

    #[test]
    fn kernels_that_exchange_data_are_never_measured() {
        let mut drawn = Drawn::new();
        drawn.launch(0..1, "ncclDevKernel_AllReduce_Sum_f16_RING_LL", 10..610).launch(2..3, "gemm", 610..910);
        drawn.launch(4..5, "tiny", 910..1010).launch(6..7, "multimem_all_reduce_kernel", 1010..1210);
        let found = measured(&profile(drawn, &KeyNodeChoice::None, &RangeChoice::default()));
        let found = found.expect("kernels");
        // 300 of 400 ns are `gemm`; 800 of 1200 ns are exchanges.
        assert_eq!(found.names, ["gemm", "tiny"]);
        assert!((found.share_percent - 100.0).abs() < 1e-9, "{}", found.share_percent);
        assert!((found.left_out_percent - 80_000.0 / 1200.0).abs() < 1e-9, "{}", found.left_out_percent);
        let mut drawn = Drawn::new();
        drawn.launch(0..1, "ncclKernel_AllReduce", 10..610);
        let profile = profile(drawn, &KeyNodeChoice::None, &RangeChoice::default());
        assert_eq!(measured(&profile), Err(NothingToMeasure::OnlyExchanges));
    }

    #[test]
    fn graphs_that_were_recorded_as_a_whole_are_said_or_refused() {
        let with_graph_of = |graph_ns: crate::base::time::Ns| {
            let mut drawn = Drawn::new();
            drawn.launch(0..1, "gemm", 10..310).graph(2..3, 310..310 + graph_ns);
            measured(&profile(drawn, &KeyNodeChoice::None, &RangeChoice::default()))
        };
        let found = with_graph_of(100).expect("kernels");
        assert_eq!(found.names, ["gemm"]);
        assert!((found.in_graphs_percent - 25.0).abs() < 1e-9 && found.share_percent > 99.9, "{found:?}");
        assert_eq!(with_graph_of(300), Err(NothingToMeasure::WholeGraphs));
    }

    #[test]
    fn launches_are_counted_in_one_process() {
        let mut drawn = Drawn::new();
        drawn.launch(0..1, "gemm", 10..20);
        drawn.process();
        drawn.launch(2..3, "gemm", 20..30).launch(4..5, "gemm", 30..40).launch(6..7, "gemm", 40..50);
        let found = measured(&profile(drawn, &KeyNodeChoice::None, &RangeChoice::default()));
        let found = found.expect("kernels");
        assert_eq!((found.processes, found.process), (2, ProcessId::new(1).into()));
        assert_eq!((found.skip, found.count, found.in_iteration), (0, 3, 3));
    }

    #[test]
    fn gpus_of_others_are_not_measured() {
        for (vendor, call, kernel) in [
            (Vendor::Amd, "hipLaunchKernel", "Cijk_Alik"),
            (Vendor::Intel, "urEnqueueKernelLaunch", "gemm_kernel"),
            (Vendor::Other, "launch", "gemm_kernel"),
        ] {
            let mut drawn = Drawn::new();
            drawn.of_torch_profiler().of_vendor(vendor);
            let process = drawn.current_process();
            drawn.api_call(call, 0..5, 7).work(WorkKind::Kernel, kernel, 10..20, (process, 7));
            let profile = profile(drawn, &KeyNodeChoice::None, &RangeChoice::default());
            assert_eq!(measured(&profile), Err(NothingToMeasure::OtherGpus), "{call}");
        }
    }
}
