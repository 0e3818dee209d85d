//! What the host calls, what it waits for and what it copies, in the iterations that findings are about.

use super::Scene;
use crate::advice::step_waits::StepWaits;
use crate::base::ids::{DeviceId, ThreadId, all};
use crate::base::time::{Ns, Span};
use crate::capture::classified::Classified;
use crate::capture::names::ApiClass;
use crate::figures::activity::{
    CopyGroup, FunctionCalls, PageableUse, WaitCosts, WindowCalls, calls_by_function, copies, is_small_part,
    look_near, pageable_use, syncs_by_window, wait_costs, wait_places, whole_range,
};
use std::borrow::Cow;
use std::collections::BTreeSet;

impl Scene<'_> {
    /// The waits of the iterations.
    pub(in crate::advice) fn step_waits(&self) -> &StepWaits {
        self.seen.step_waits.get_or_init(|| {
            let (facts, windows, trials) = (self.facts(), self.call_windows(), &self.tried().spans);
            let by_window = syncs_by_window(facts, &windows, trials);
            let places = wait_places(facts, &windows, &by_window, trials);
            StepWaits { by_window, places }
        })
    }

    /// What the waits of the iterations cost, those that end a step included.
    pub(in crate::advice) fn wait_costs(&self) -> WaitCosts {
        let (windows, trials) = (self.call_windows(), &self.tried().spans);
        let costs = |facts: &Classified<'_>| wait_costs(facts, &windows, trials, self.span);
        // Calls belong to the iterations by the clock of the CPU, idle time by that of GPUs.
        let reach = whole_range(&windows);
        let reach = Span::new(reach.start.min(self.span.start), reach.end.max(self.span.end));
        if !is_small_part(self.facts(), reach) {
            return costs(self.facts());
        }
        let used = |device: &DeviceId| self.gpu_times().is_used(device.index());
        let devices: Vec<DeviceId> = all(self.profile.capture.devices.len()).filter(used).collect();
        look_near(self.facts(), self.profile.capture.host_zones(), &devices, reach, costs)
    }

    /// Copies and memsets by kind, memory and mode.
    pub(in crate::advice) fn copies(&self) -> &[CopyGroup] {
        self.seen.copies.get_or_init(|| copies(self.facts(), self.span, |_| true))
    }

    /// The same without those that belong to trying algorithms.
    pub(in crate::advice) fn own_copies(&self) -> Cow<'_, [CopyGroup]> {
        match self.tried().spans.iter().all(Vec::is_empty) {
            true => self.copies().into(),
            false => copies(self.facts(), self.span, |copy| !self.is_trial(copy)).into(),
        }
    }

    /// The calls of the iterations.
    pub(in crate::advice) fn calls(&self) -> &WindowCalls {
        self.seen.calls.get_or_init(|| {
            let mut sum = WindowCalls::default();
            self.calls_by_iteration().iter().for_each(|calls| sum.merge(calls));
            sum
        })
    }

    /// The calls of each of the iterations.
    pub(in crate::advice) fn calls_by_iteration(&self) -> &[WindowCalls] {
        self.figures();
        &self.profile.window_calls()[self.places.clone()]
    }

    /// The iterations on the clock of the CPU, by which calls belong to them.
    pub(in crate::advice) fn call_windows(&self) -> Vec<Span> {
        let mut windows = self.profile.call_windows();
        windows.truncate(self.places.end);
        windows.split_off(self.places.start)
    }

    /// Number of threads that wait for the GPU; 1 without any.
    pub(in crate::advice) fn waiting_threads(&self) -> Ns {
        let (facts, inside) = (self.facts(), self.call_span());
        let waits = facts.activity().counted_calls().filter(|&(call, span)| {
            inside.start <= span.start
                && span.start < inside.end
                && facts.function(call).class == ApiClass::Sync
        });
        let threads: BTreeSet<ThreadId> =
            waits.filter_map(|(call, _)| facts.activity().api_calls.thread[call].some()).collect();
        Ns::try_from(threads.len().max(1)).unwrap_or(1)
    }

    /// Whether most bytes from or to pageable memory are of copies that are made once, as those that move a model to a GPU:
    /// no step repeats, and no copy of the same kind and size comes again once kernels have run.
    pub(in crate::advice) fn copies_once(&self, used: &PageableUse) -> bool {
        let is_new = !self.profile.capture.begins_in_mid_run();
        self.iterations == 0 && is_new && 2 * used.repeated_bytes < used.bytes
    }

    /// How copies use pageable memory, without those that belong to trying algorithms.
    pub(in crate::advice) fn pageable_use(&self) -> PageableUse {
        pageable_use(self.facts(), self.span, |copy| !self.is_trial(copy))
    }

    /// Their time on the clock of the CPU.
    pub(in crate::advice) fn call_span(&self) -> Span {
        whole_range(&self.call_windows())
    }

    /// The calls of the iterations by function.
    pub(in crate::advice) fn functions(&self) -> &[FunctionCalls] {
        self.seen.functions.get_or_init(|| calls_by_function(self.facts(), self.call_span(), &ApiClass::ALL))
    }

    /// API functions of a class that the iterations call, those with most time first.
    pub(in crate::advice) fn functions_of(&self, class: ApiClass) -> Vec<String> {
        const MOST: usize = 5;
        let mut calls: Vec<&FunctionCalls> =
            self.functions().iter().filter(|calls| calls.class == class).collect();
        let name = |calls: &&FunctionCalls| self.profile.capture.strings.get(calls.function);
        calls.sort_by(|a, b| b.sum.time_ns.cmp(&a.sum.time_ns).then_with(|| name(a).cmp(name(b))));
        calls.iter().take(MOST).map(|calls| name(calls).to_owned()).collect()
    }
}
