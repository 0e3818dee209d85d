//! Which calls, or which GPU work, an edit is about.

use super::model::Model;
use super::window::{HostCall, Launched, LaunchedKind};
use crate::base::ids::{OpId, RangeTextId, StrId, ThreadId, WorkId};
use crate::base::intervals::{holds, union};
use crate::base::time::{Ns, Span};
use crate::capture::classified::Cause;
use crate::capture::names::{ApiClass, without_version};
use crate::figures::activity::{CopyKind, HostMemory};
use crate::figures::profile::ProfileContents;
use crate::read::facts::ThreadRangeFacts;
use regex::Regex;
use rustc_hash::FxHashSet;

/// What calls and GPU work are chosen by.
#[derive(Debug, Clone)]
pub(super) enum Chosen {
    /// By nothing: all of them.
    All,
    /// By their names.
    Like(Regex),
    /// By what is known of kernels.
    Kernels(KernelsOf),
    /// By what is known of copies.
    Copies(CopiesOf),
    /// By what a call does.
    Class(ApiClass),
    /// By when a thread makes them.
    During(ThreadTimes),
    /// By the ranges that load data.
    Loading,
}

/// Kernels of which a rule speaks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct KernelsOf {
    /// Their demangled names; any where there is none.
    pub(crate) names: FxHashSet<StrId>,
    /// The ops that launch them; any where there is none.
    pub(crate) ops: FxHashSet<OpId>,
    /// What some ops launch under some names; anything where there is none.
    pub(crate) groups: FxHashSet<(OpId, StrId)>,
    /// Ops whose kernels are left out.
    pub(crate) but_of: FxHashSet<OpId>,
    /// Only these; any where there is none.
    pub(crate) only: FxHashSet<WorkId>,
    /// Kernels that are left out.
    pub(crate) but: FxHashSet<WorkId>,
    /// Only those that take less.
    pub(crate) shorter_than: Option<Ns>,
}

/// When a thread does what a rule speaks of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ThreadTimes {
    pub(crate) thread: ThreadId,
    /// In order, without overlaps.
    pub(crate) spans: Vec<Span>,
}

/// Copies of which a rule speaks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct CopiesOf {
    /// From where to where; any where there is none.
    pub(crate) kinds: Vec<CopyKind>,
    /// Only those from or to such memory of the host.
    pub(crate) memory: Option<HostMemory>,
    /// Only those of so many bytes.
    pub(crate) bytes: Option<u64>,
}

impl PartialEq for Chosen {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::All, Self::All) | (Self::Loading, Self::Loading) => true,
            (Self::Like(one), Self::Like(other)) => one.as_str() == other.as_str(),
            (Self::Kernels(one), Self::Kernels(other)) => one == other,
            (Self::Copies(one), Self::Copies(other)) => one == other,
            (Self::Class(one), Self::Class(other)) => one == other,
            (Self::During(one), Self::During(other)) => one == other,
            _ => false,
        }
    }
}

impl Chosen {
    /// Whether a piece of work is chosen.
    pub(super) fn has_work(&self, model: &Model, work: &Launched) -> bool {
        let capture = &model.profile.capture;
        match self {
            Self::All => true,
            Self::Like(name) => {
                let long = capture.kernels.long_name.get(work.id.index());
                name.is_match(capture.work_name(work.id))
                    || long.is_some_and(|&long| name.is_match(capture.strings.get(long)))
            }
            Self::Kernels(of) => {
                let is_kernel = matches!(work.kind, LaunchedKind::Kernel | LaunchedKind::Graph);
                is_kernel && of.has(&model.profile, work)
            }
            Self::Copies(of) => work.kind == LaunchedKind::Copy && of.has(&model.profile, work),
            Self::Class(_) | Self::During(_) | Self::Loading => false,
        }
    }

    /// Whether a call is chosen.
    pub(super) fn has_call(&self, model: &Model, call: &HostCall) -> bool {
        match self {
            Self::All => true,
            Self::Like(name) => call.name.is_some_and(|called| {
                name.is_match(without_version(model.profile.capture.strings.get(called)))
            }),
            Self::Class(class) => call.function.class == *class,
            Self::During(times) => times.has(call),
            Self::Kernels(_) | Self::Copies(_) | Self::Loading => false,
        }
    }

    /// By thread: the times that are chosen, in order and without overlaps.
    pub(super) fn times(&self, model: &Model) -> Vec<Vec<Span>> {
        let capture = &model.profile.capture;
        let text_of = |text: RangeTextId| capture.strings.get(capture.ranges.texts[text.index()].text);
        match self {
            Self::During(times) => {
                let mut by_thread = vec![Vec::new(); times.thread.index() + 1];
                by_thread[times.thread.index()] = times.spans.clone();
                by_thread
            }
            Self::Like(name) => open_ranges(model, |text| name.is_match(text_of(text))),
            Self::Loading => model.profile.look(|facts| {
                open_ranges(model, |text| facts.range_class(text).opens == Some(Cause::DataLoading))
            }),
            Self::All | Self::Kernels(_) | Self::Copies(_) | Self::Class(_) => Vec::new(),
        }
    }
}

/// By thread: when ranges with some texts are open.
fn open_ranges(model: &Model, is_meant: impl Fn(RangeTextId) -> bool) -> Vec<Vec<Span>> {
    let of_thread = |ranges: &ThreadRangeFacts| {
        let rows = ranges.span.iter().zip(ranges.text.iter());
        union(rows.filter(|(_, text)| is_meant(**text)).map(|(span, _)| *span).collect())
    };
    model.profile.capture.ranges.by_thread.iter().map(of_thread).collect()
}

impl ThreadTimes {
    /// Whether the thread makes a call then.
    fn has(&self, call: &HostCall) -> bool {
        call.thread == self.thread.index() && holds(&self.spans, call.span.start)
    }
}

impl KernelsOf {
    fn has(&self, profile: &ProfileContents, work: &Launched) -> bool {
        let name = profile.capture.kernels.long_name[work.id];
        let is_short = self.shorter_than.is_none_or(|most| work.span.length() < most);
        let is_named = self.names.is_empty() || self.names.contains(&name);
        let is_meant = self.only.is_empty() || self.only.contains(&work.id);
        if !is_short || !is_named || !is_meant || self.but.contains(&work.id) {
            return false;
        }
        if self.ops.is_empty() && self.groups.is_empty() && self.but_of.is_empty() {
            return true;
        }
        let op = op_of(profile, work.id);
        let is_in = |ops: &FxHashSet<OpId>| op.is_some_and(|op| ops.contains(&op));
        let is_of_groups = || op.is_some_and(|op| self.groups.contains(&(op, name)));
        (self.ops.is_empty() || is_in(&self.ops))
            && (self.groups.is_empty() || is_of_groups())
            && !is_in(&self.but_of)
    }
}

impl CopiesOf {
    fn has(&self, profile: &ProfileContents, work: &Launched) -> bool {
        let Some(copy) = work.id.index().checked_sub(profile.capture.kernels.len()) else {
            return false;
        };
        let (copies, transfers) = (&profile.capture.copies, &profile.capture.transfers);
        let kind = copies.kind.get(copy).map_or(CopyKind::Unknown, |&kind| CopyKind::of(kind));
        let is_of_memory = |memory: HostMemory| {
            let sides = [copies.source_memory.get(copy), copies.target_memory.get(copy)];
            sides.into_iter().flatten().any(|&side| HostMemory::of(side) == memory)
        };
        (self.kinds.is_empty() || self.kinds.contains(&kind))
            && self.memory.is_none_or(is_of_memory)
            && self.bytes.is_none_or(|bytes| transfers.bytes.get(copy) == Some(&bytes))
    }
}

/// The op that launches a kernel.
fn op_of(profile: &ProfileContents, kernel: WorkId) -> Option<OpId> {
    let capture = &profile.capture;
    let api = capture.launches.api[kernel].some()?;
    let call = capture.call_roles.op_call[api].some()?;
    Some(profile.index.calls.op[call])
}
