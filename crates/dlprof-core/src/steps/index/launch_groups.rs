//! Launches that are alike: the one sum from which every figure of kernels is made.
//!
//! ```text
//! launch groups of a range: op × kernel × grid × GPU ──► kernels by op and short name, by demangled name, by op and demangled
//!                                                        name; by grid and GPU (findings); by op and GPU (work of ops)
//! ```
//!
//! A kernel belongs to the op call that launched it, and with it to the iteration in which this op call starts.

use super::metric::Metric;
use crate::base::ids::{DeviceId, LaunchConfigId, OpId, StrId, WorkId};
use crate::base::time::{Ns, Span};
use crate::capture::CaptureContents;
use crate::columns::{Texts, table};

table! {
    /// A row per block, op, kernel, grid and GPU.
    "block_kernels" BlockKernels built by BlockKernelsBuilder, by () {
        /// The op.
        op: OpId, "";
        /// Short name of the kernel.
        name: StrId, "";
        /// Long name of the kernel.
        long_name: StrId, "";
        /// Grid and block.
        config: LaunchConfigId, "";
        /// The GPU.
        device: DeviceId, "";
        /// The first of the launches in the file.
        example: WorkId, "";
        /// The classes of the launches, a bit each.
        classes: u8, "";
        /// When the last of them was launched.
        last_launch: Ns, "ns";
        /// When that one ran.
        last_span: Span, "ns";
        /// Start of the longest, of equally long ones the earliest.
        longest_start: Ns, "ns";
        /// One sample per launch.
        gpu: Metric, "ns";
        /// One sample per API call.
        api: Metric, "ns";
        /// Launches shorter than a short kernel.
        short_launches: u64, "";
        /// Plain sum of their durations.
        short_ns: Ns, "ns";
    }
}

/// What the launches of a group have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct LaunchKey {
    /// The op.
    pub(crate) op: OpId,
    /// Short name of the kernel.
    pub(crate) name: StrId,
    /// Long name of the kernel.
    pub(crate) long_name: StrId,
    /// Grid and block.
    pub(crate) config: LaunchConfigId,
    /// The GPU.
    pub(crate) device: DeviceId,
}

/// Launches of a kernel by an op, with one grid on one GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LaunchGroup {
    /// What they have in common.
    pub(crate) key: LaunchKey,
    /// The first of them in the file.
    pub(crate) example: WorkId,
    /// The classes that they are in, a bit each.
    pub(crate) classes: u8,
    /// The last of them.
    pub(crate) last: LastLaunch,
    /// Start of the longest, of equally long ones the earliest.
    pub(crate) longest_start: Ns,
    /// One sample per launch.
    pub(crate) gpu: Metric,
    /// One sample per API call.
    pub(crate) api: Metric,
    /// Launches shorter than a short kernel.
    pub(crate) short_launches: u64,
    /// Plain sum of their durations.
    pub(crate) short_ns: Ns,
}

/// One launch, to be added to its group.
#[derive(Debug, Clone, Copy)]
pub(super) struct OneLaunch {
    /// The kernel.
    pub(super) kernel: WorkId,
    /// When it ran, and when it was launched.
    pub(super) launch: LastLaunch,
    /// The class of the kernel as bits.
    pub(super) classes: u8,
    /// Length of its API call, if it is the first kernel of the call.
    pub(super) api_ns: Option<Ns>,
    /// Whether it is short.
    pub(super) is_short: bool,
}

impl LaunchKey {
    /// The group of a kernel of an op.
    pub(super) fn of(capture: &CaptureContents, op: OpId, kernel: WorkId) -> Self {
        Self {
            op,
            name: capture.kernels.short_name[kernel],
            long_name: capture.kernels.long_name[kernel],
            config: capture.kernels.config[kernel],
            device: capture.work.device[kernel],
        }
    }
}

impl LaunchGroup {
    /// A group without launches, to which one will be added.
    pub(super) fn new(key: LaunchKey, first: &OneLaunch) -> Self {
        Self {
            key,
            example: first.kernel,
            classes: 0,
            last: first.launch,
            longest_start: first.launch.span.start,
            gpu: Metric::default(),
            api: Metric::default(),
            short_launches: 0,
            short_ns: 0,
        }
    }

    #[inline]
    pub(super) fn push(&mut self, one: &OneLaunch, texts: &Texts) {
        let span = one.launch.span;
        let length = span.length();
        self.example = self.example.min(one.kernel);
        self.classes |= one.classes;
        self.last.or_later(one.launch, texts);
        self.take_longest(length, span.start);
        self.gpu.push(length);
        if let Some(api_ns) = one.api_ns {
            self.api.push(api_ns);
        }
        self.short_launches += u64::from(one.is_short);
        self.short_ns += if one.is_short { length } else { 0 };
    }

    /// Adds other launches of the group.
    pub(super) fn merge(&mut self, other: &Self, texts: &Texts) {
        self.example = self.example.min(other.example);
        self.classes |= other.classes;
        self.last.or_later(other.last, texts);
        self.take_longest(other.gpu.max, other.longest_start);
        self.gpu.merge(other.gpu);
        self.api.merge(other.api);
        self.short_launches += other.short_launches;
        self.short_ns = self.short_ns.saturating_add(other.short_ns);
    }

    fn take_longest(&mut self, length: Ns, start: Ns) {
        if self.gpu.count == 0 || length > self.gpu.max {
            self.longest_start = start;
        } else if length == self.gpu.max {
            self.longest_start = self.longest_start.min(start);
        }
    }
}

impl BlockKernelsBuilder {
    pub(super) fn push(&mut self, group: &LaunchGroup) {
        self.op.push(group.key.op);
        self.name.push(group.key.name);
        self.long_name.push(group.key.long_name);
        self.config.push(group.key.config);
        self.device.push(group.key.device);
        self.example.push(group.example);
        self.classes.push(group.classes);
        self.last_launch.push(group.last.start);
        self.last_span.push(group.last.span);
        self.longest_start.push(group.longest_start);
        self.gpu.push(group.gpu);
        self.api.push(group.api);
        self.short_launches.push(group.short_launches);
        self.short_ns.push(group.short_ns);
    }
}

impl BlockKernels {
    pub(super) fn get(&self, row: usize) -> LaunchGroup {
        let key = LaunchKey {
            op: self.op[..][row],
            name: self.name[..][row],
            long_name: self.long_name[..][row],
            config: self.config[..][row],
            device: self.device[..][row],
        };
        let last = LastLaunch {
            start: self.last_launch[..][row],
            span: self.last_span[..][row],
            long_name: key.long_name,
        };
        LaunchGroup {
            key,
            example: self.example[..][row],
            classes: self.classes[..][row],
            last,
            longest_start: self.longest_start[..][row],
            gpu: self.gpu[..][row],
            api: self.api[..][row],
            short_launches: self.short_launches[..][row],
            short_ns: self.short_ns[..][row],
        }
    }

    /// Whether what rows refer to is in a capture.
    pub(super) fn fits(&self, capture: &CaptureContents) -> bool {
        let (kernels, configs) = (capture.kernels.long_name.len(), capture.launch_configs.len());
        self.example.iter().all(|example| example.index() < kernels)
            && self.config.iter().all(|config| config.index() < configs)
            && self.device.iter().all(|device| device.index() < capture.devices.len())
    }
}

/// The launch that gives the long name: the last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LastLaunch {
    /// Start of the API call; of the kernel where there is none.
    pub(crate) start: Ns,
    /// When the kernel ran.
    pub(crate) span: Span,
    pub(crate) long_name: StrId,
}

impl LastLaunch {
    /// The launch of a kernel, given its API call, when it ran, and its long name.
    pub(crate) fn new(api: Option<Span>, span: Span, long_name: StrId) -> Self {
        Self { start: api.map_or(span.start, |api| api.start), span, long_name }
    }

    /// Takes another launch in its place, if that came later.
    pub(crate) fn or_later(&mut self, other: Self, texts: &Texts) {
        let time = |launch: &Self| (launch.start, launch.span);
        let is_later = time(&other).cmp(&time(self)).then_with(|| {
            // Only here do texts count, so they are not looked up before.
            let text = |launch: &Self| texts.get(launch.long_name);
            if other.long_name == self.long_name {
                std::cmp::Ordering::Equal
            } else {
                text(&other).cmp(text(self))
            }
        });
        if is_later.is_gt() {
            *self = other;
        }
    }
}
