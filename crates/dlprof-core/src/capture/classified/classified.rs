//! A capture's activity with the class of every name, and its rows in the orders that the figures need.

use super::order::{ItemOrder, Row, StoppingCalls, row, rows_by_thread};
use super::{Activity, Cause, exchanging_names};
use crate::base::groups::Grouped;
use crate::base::ids::{ApiCallId, Maybe, ProcessId, RangeTextId, StrId, ThreadId};
use crate::base::intervals::union_in_order;
use crate::base::time::{Ns, Span};
use crate::capture::names::{self, ActivitySettings, ApiClass, ApiFunction, ByName, Exchange, OsCallKind};
use crate::read::facts::UNNAMED_DOMAIN;
use rustc_hash::FxHashSet;
use std::sync::OnceLock;

/// What a range says about the thread it is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RangeClass {
    /// What is open on the thread while the range is; `None` for ranges of libraries that exchange no data.
    pub(crate) opens: Option<Cause>,
    /// Whether the program made it, in the default domain.
    pub(crate) is_user: bool,
    /// Whether it is an op: a user range that is not a whole loop.
    pub(crate) is_op: bool,
}

/// Activity with the class of every name. Each order of rows is computed once, at its first use.
#[derive(Debug)]
pub struct Classified<'a> {
    pub(crate) activity: Activity<'a>,
    pub(crate) settings: &'a ActivitySettings,
    functions: ByName<'a, ApiFunction>,
    /// By long name.
    is_communication: Vec<OnceLock<bool>>,
    /// Names of kernels that do not tell, and that collectives launch.
    exchanging: OnceLock<FxHashSet<StrId>>,
    range_classes: Vec<RangeClass>,
    os_calls: ByName<'a, OsCallKind>,
    is_communicator_setup: ByName<'a, bool>,
}

impl<'a> Classified<'a> {
    /// Names are looked at when rows with them are.
    #[must_use]
    pub fn new(activity: Activity<'a>, settings: &'a ActivitySettings) -> Self {
        let strings = activity.strings;
        Self {
            functions: ByName::new(strings, ApiFunction::of),
            is_communication: std::iter::repeat_with(OnceLock::new).take(strings.len()).collect(),
            exchanging: OnceLock::new(),
            range_classes: range_classes(&activity, settings),
            os_calls: ByName::new(strings, OsCallKind::of),
            is_communicator_setup: ByName::new(strings, names::is_communicator_setup),
            activity,
            settings,
        }
    }

    /// The facts.
    #[must_use]
    pub fn activity(&self) -> &Activity<'a> {
        &self.activity
    }

    /// What the name of an API call says.
    #[must_use]
    #[inline]
    pub fn function(&self, call: ApiCallId) -> ApiFunction {
        self.functions.get(self.activity.api_calls.name[call.index()])
    }

    /// Whether an item is a kernel that exchanges data between GPUs.
    #[must_use]
    #[inline]
    pub(crate) fn is_communication(&self, item: usize) -> bool {
        let kernels = &self.activity.kernels;
        kernels.long_name.get(item).is_some_and(|&long| {
            let judge = || {
                let texts = self.activity.strings;
                let short = texts.get(kernels.short_name[..][item]);
                match self.settings.exchange_of(texts.get(long), short) {
                    Exchange::Unknown => {
                        let find = || exchanging_names(&self.activity, self.settings);
                        self.exchanging.get_or_init(find).contains(&long)
                    }
                    told => told.is_yes(),
                }
            };
            long.position()
                .and_then(|place| self.is_communication.get(place))
                .is_some_and(|known| *known.get_or_init(judge))
        })
    }

    /// The row of the call of an item.
    #[inline]
    pub(crate) fn call_row(&self, item: usize) -> Option<ApiCallId> {
        self.activity.launches.api[item].some().map(|call| self.activity.repeated_calls.counted(call))
    }

    /// The call of an item: its span and thread.
    #[inline]
    pub(crate) fn call_of(&self, item: usize) -> Option<Call> {
        let id = self.call_row(item)?;
        let calls = &self.activity.api_calls;
        Some(Call { span: calls.span[id.index()], thread: calls.thread[id.index()] })
    }

    pub(crate) fn threads(&self) -> usize {
        self.activity.threads.len()
    }

    /// The place of a thread; none of no thread.
    fn known(&self, thread: Maybe<ThreadId>) -> Option<usize> {
        thread.some().map(ThreadId::index).filter(|&thread| thread < self.threads())
    }

    /// The process of a thread; none of no thread.
    pub(crate) fn process(&self, thread: Maybe<ThreadId>) -> Option<ProcessId> {
        Some(self.activity.threads[thread.some()?.index()].process)
    }

    #[inline]
    pub(crate) fn range_class(&self, label: RangeTextId) -> RangeClass {
        self.range_classes[label.index()]
    }

    /// By process: its threads.
    pub(crate) fn threads_by_process(&self) -> Grouped<ThreadId> {
        let threads = (0..self.threads()).map(ThreadId::new);
        let process_of = |thread: ThreadId| Some(self.activity.threads[thread.index()].process.index());
        Grouped::new(self.activity.memory, self.activity.processes.len(), threads, process_of)
    }

    /// When a thread has a user range open; the nanosecond at the end of a range counts.
    pub(crate) fn in_user_ranges(&self, thread: ThreadId) -> Vec<Span> {
        let ranges = &self.activity.ranges.by_thread[thread.index()];
        let rows = ranges.span.iter().zip(&ranges.text);
        let user = rows.filter(|(_, label)| self.range_class(**label).is_user);
        union_in_order(user.map(|(span, _)| Span::new(span.start, span.end.saturating_add(1))))
    }

    #[inline]
    pub(crate) fn os_call_kind(&self, function: StrId) -> OsCallKind {
        self.os_calls.get(function)
    }

    /// What a row of the MPI tables opens on its thread.
    pub(crate) fn mpi_class(&self, function: StrId) -> Cause {
        if self.is_communicator_setup.get(function) { Cause::Setup } else { Cause::Communication }
    }

    /// What an API call opens on its thread.
    #[inline]
    pub(crate) fn call_class(&self, call: usize) -> Cause {
        match self.functions.get(self.activity.api_calls.name[call]).class {
            ApiClass::Sync => Cause::Sync,
            ApiClass::Launch if self.is_slow(self.activity.api_calls.span[call]) => Cause::SlowLaunch,
            ApiClass::Launch => Cause::Launch,
            ApiClass::Copy => Cause::Copy,
            ApiClass::Allocation => Cause::Allocation,
            ApiClass::Setup => Cause::Setup,
            ApiClass::Api => Cause::Api,
        }
    }

    /// Whether a call takes longer than launching does.
    #[inline]
    pub(crate) fn is_slow(&self, call: Span) -> bool {
        call.length() > self.settings.thresholds.slow_call_ns
    }

    /// Rows of GPU items in order.
    pub(crate) fn items_in_order(&self) -> impl Iterator<Item = usize> + '_ {
        let activity = &self.activity;
        activity.orders.items.get_or_init(|| ItemOrder::new(activity)).iter(&activity.work.span)
    }

    /// By thread: its API calls by start.
    pub(crate) fn calls_by_thread(&self) -> &'a Grouped<Row> {
        let calls = &self.activity.api_calls;
        self.activity.orders.calls_by_thread.get_or_init(|| {
            rows_by_thread(self.activity.memory, self.threads(), &calls.thread, &calls.span, |call| {
                self.activity.repeated_calls.counts(ApiCallId::new(call))
            })
        })
    }

    /// The calls that stop their thread or a stream: one pass over all calls for all who ask for few of them.
    fn stopping_calls(&self) -> &'a StoppingCalls {
        self.activity.orders.stopping.get_or_init(|| {
            let mut found = StoppingCalls::default();
            for (call, _) in self.activity.counted_calls() {
                let function = self.function(call);
                if function.class == ApiClass::Sync || function.class == ApiClass::Copy && !function.is_async
                {
                    found.thread.push(row(call.index()));
                }
                if function.is_ordering {
                    found.stream.push(row(call.index()));
                }
            }
            found
        })
    }

    /// The calls that keep their thread until GPUs are done, with their spans: waits, and copies that wait.
    pub(crate) fn keeping_calls(&self) -> impl Iterator<Item = (ApiCallId, Span)> + Clone + 'a {
        let spans = &self.activity.recorded.api_calls.span;
        self.stopping_calls()
            .thread
            .iter()
            .map(|&row| (ApiCallId::new(row as usize), spans[..][row as usize]))
    }

    /// The calls that do nothing but wait, with their spans.
    pub(crate) fn waits(&self) -> impl Iterator<Item = (ApiCallId, Span)> + Clone + '_ {
        self.keeping_calls().filter(|(call, _)| self.function(*call).class == ApiClass::Sync)
    }

    /// By thread: spans of its waits, in order of end, then start.
    pub(crate) fn waits_by_end(&self) -> &'a Grouped<Span> {
        self.activity.orders.waits_by_end.get_or_init(|| {
            let (memory, threads) = (self.activity.memory, &self.activity.api_calls.thread);
            let thread = |(call, _)| self.known(threads[call]);
            let by_end = |(_, span): &(ApiCallId, Span)| (span.end, span.start);
            Grouped::sorted(memory, self.threads(), self.waits(), thread, by_end)
                .map(memory, |(_, span)| span)
        })
    }

    /// By thread: starts of the calls that make a stream wait for something besides its own work.
    pub(crate) fn ordering_starts(&self) -> &'a Grouped<Ns> {
        self.activity.orders.ordering_starts.get_or_init(|| {
            let (memory, calls) = (self.activity.memory, &self.activity.api_calls);
            let thread = |row: Row| self.known(calls.thread[row as usize]);
            let rows = self.stopping_calls().stream.iter().copied();
            Grouped::sorted(memory, self.threads(), rows, thread, |&row| calls.span[row as usize])
                .map(memory, |row| calls.span[row as usize].start)
        })
    }
}

/// The API call of an item.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Call {
    pub(crate) span: Span,
    pub(crate) thread: Maybe<ThreadId>,
}

fn range_classes(activity: &Activity<'_>, settings: &ActivitySettings) -> Vec<RangeClass> {
    let strings = activity.strings;
    activity
        .ranges
        .texts
        .iter()
        .map(|&label| {
            let domain = label.domain.some().map(|domain| strings.get(domain));
            range_class(strings.get(label.text), domain, settings)
        })
        .collect()
}

fn range_class(text: &str, domain: Option<&str>, settings: &ActivitySettings) -> RangeClass {
    let Some(domain) = domain else {
        let loads_data = names::is_data_loading(text)
            || settings.data_loading.iter().any(|pattern| pattern.is_match(text));
        let opens = if loads_data { Cause::DataLoading } else { Cause::HostRange };
        return RangeClass { opens: Some(opens), is_user: true, is_op: !names::is_enclosing(text) };
    };
    let exchanges =
        names::is_communication_domain(domain) || domain == UNNAMED_DOMAIN && names::is_nccl_text(text);
    let class = if names::is_communicator_setup(text) { Cause::Setup } else { Cause::Communication };
    RangeClass { opens: exchanges.then_some(class), is_user: false, is_op: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn domains_and_texts_decide_what_ranges_open() {
        let settings = ActivitySettings::default();
        let class = |text, domain| range_class(text, domain, &settings);
        let opened = |text, domain| class(text, domain).opens;
        assert_eq!(opened("forward", None), Some(Cause::HostRange));
        assert_eq!(opened("get_batch", None), Some(Cause::DataLoading));
        assert_eq!(opened("ncclAllReduce", Some("NCCL")), Some(Cause::Communication));
        assert_eq!(opened("ncclCommInitRank", Some("NCCL")), Some(Cause::Setup));
        assert_eq!(opened("ncclAllReduce", Some(UNNAMED_DOMAIN)), Some(Cause::Communication));
        assert_eq!(opened("forward", Some(UNNAMED_DOMAIN)), None);
        assert_eq!(opened("gemm", Some("cuBLAS")), None);
        assert!(
            class("get_batch", None).is_op && !class("step 3", None).is_op && class("step 3", None).is_user
        );
    }
}
