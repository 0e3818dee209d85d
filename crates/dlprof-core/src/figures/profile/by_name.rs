//! Sums by name: kernels and ranges over the aggregated iterations, API functions over the capture.

use super::ProfileContents;
use crate::base::ids::{self, ApiCallId, LaunchConfigId, OpCallId, OpId, ProcessId, WorkId};
use crate::base::time::Span;
use crate::capture::correlate::UNASSOCIATED;
use crate::figures::by_name::{
    ApiCallFact, ApiFunctionSums, DurationsByName, KernelName, Names, RangeSums, ThreadClass, api_functions,
    kernel_names, range_sums,
};
use crate::read::facts::WorkKind;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::ops::Range;

impl ProfileContents {
    /// Kernels of the aggregated iterations by demangled name, most time first.
    #[must_use]
    pub fn kernel_names(&self) -> &[KernelName] {
        self.kernel_names.get_or_init(|| {
            let capture = &self.capture;
            let names = Names {
                text_of: |name| capture.strings.get(name),
                fill_of: |config: LaunchConfigId, device| {
                    self.fill_of(&capture.launch_configs[config.index()], device)
                },
                is_named: |op| !self.op_name(op).starts_with(UNASSOCIATED),
            };
            kernel_names(self.launch_groups(), &self.durations_by_name(), &names)
        })
    }

    /// The durations of the kernels of the aggregated iterations by demangled name: medians do not follow from sums.
    fn durations_by_name(&self) -> DurationsByName {
        let parts: Vec<Range<u32>> = self.index.blocks.parts(self.iterations.range()).collect();
        let add = |durations, part: &Range<u32>| self.with_durations_of_part(durations, part);
        // Blocks share most durations, so they are added to one list per thread in place of a list each.
        let all =
            || parts.par_iter().fold(Default::default, add).reduce(Default::default, DurationsByName::with);
        self.capture.pool.install(all)
    }

    /// Adds the durations of the kernels of some iterations, which are in one block.
    fn with_durations_of_part(&self, mut durations: DurationsByName, part: &Range<u32>) -> DurationsByName {
        let capture = &self.capture;
        let mut add = |kernel: WorkId| {
            durations.push(capture.kernels.long_name[kernel], capture.work.span[kernel].length());
        };
        let kernels = |work: &WorkId| capture.work_kind(*work) == WorkKind::Kernel;
        // A loop would ask each part of the chain for every op call.
        self.work_of_part(part.clone())
            .for_each(|(_, work)| work.iter().copied().filter(kernels).for_each(&mut add));
        durations
    }

    /// The GPU work of the aggregated iterations, with the op of each part of it.
    pub(super) fn work_of_range(&self) -> impl Iterator<Item = (OpId, Cow<'_, [WorkId]>)> + '_ {
        let parts = self.index.blocks.parts(self.iterations.range());
        parts.flat_map(move |part| self.work_of_part(part))
    }

    /// The GPU work of some iterations, which are in one block.
    fn work_of_part(&self, part: Range<u32>) -> impl Iterator<Item = (OpId, Cow<'_, [WorkId]>)> + '_ {
        let launching = self.index.launching();
        let own = self.calls_of_part(&part).map(move |(call, op)| (op, launching.own(call)));
        let spilled = part.flat_map(move |iteration| launching.spilled(iteration));
        own.chain(spilled.map(|(call, work)| (self.index.calls.op[call], Cow::Borrowed(work))))
    }

    /// The op calls of the aggregated iterations.
    pub(super) fn calls_of_range(&self) -> impl Iterator<Item = (OpCallId, OpId)> + '_ {
        let parts = self.index.blocks.parts(self.iterations.range());
        parts.flat_map(move |part| self.calls_of_part(&part))
    }

    /// The op calls of some iterations, which are in one block.
    fn calls_of_part(&self, part: &Range<u32>) -> impl Iterator<Item = (OpCallId, OpId)> + use<'_> {
        let index = &self.index;
        let calls = index.blocks.calls(part.clone(), &index.calls.iteration);
        // In order of iterations.
        let calls = (0..calls.items().len()).map(move |at| calls.items()[..][at]);
        calls.map(|call| (call, index.calls.op[call]))
    }

    /// API calls of the whole capture by function and by what their threads do, most time first.
    #[must_use]
    pub fn api_functions(&self) -> Vec<ApiFunctionSums> {
        let (capture, classes) = (&self.capture, self.thread_classes());
        let fact = |call: ApiCallId| ApiCallFact {
            function: capture.api_calls.name[call],
            span: capture.api_calls.span[call],
            thread: capture.api_calls.thread[call]
                .some()
                .map_or(ThreadClass::Other, |thread| classes[thread.index()]),
        };
        let calls = ids::all::<ApiCallId>(capture.api_calls.len())
            .filter(|&call| capture.repeated_calls.counts(call));
        api_functions(calls.map(fact), &self.call_windows(), |name| capture.strings.get(name))
    }

    /// Ranges that start in the aggregated iterations by their text, most time first.
    #[must_use]
    pub fn range_sums(&self) -> Vec<RangeSums> {
        let windows = self.call_windows();
        let (Some(first), Some(last)) = (windows.first(), windows.last()) else { return Vec::new() };
        let window = Span::new(first.start, last.end);
        range_sums(&self.capture.ranges, window, |text| self.capture.strings.get(text))
    }

    /// By thread: what it does.
    fn thread_classes(&self) -> Vec<ThreadClass> {
        let launches = self.thread_launches();
        let mut most: FxHashMap<ProcessId, u64> = FxHashMap::default();
        for (thread, launches) in &launches {
            let most = most.entry(self.capture.process_of(*thread)).or_default();
            *most = launches.sum.calls.max(*most);
        }
        let mut classes = vec![ThreadClass::Other; self.capture.threads.len()];
        for (thread, launches) in &launches {
            let most = most.get(&self.capture.process_of(*thread)).copied().unwrap_or(0);
            classes[thread.index()] = ThreadClass::of_launches(launches.sum.calls, most);
        }
        classes
    }
}
