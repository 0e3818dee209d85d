//! How items of columns are stored as numbers.

use super::columns::Stored;
use crate::aggregate::{
    GroupSums, KernelNameSums, KernelSums, KernelTotal, KernelTotals, LastLaunch, Metric, OpSums, OpTimes,
    Resources, Run,
};
use crate::correlate::{ApiKind, CallTimes, TensorCores};
use crate::ids::{
    ApiCallId, DeviceId, GroupId, LabelId, LaunchConfigId, OpCallId, OpId, ProcessId, StrId, ThreadId, WorkId,
};
use crate::iterate::IterationState;
use crate::time::Span;
use crate::trace::GraphOrigin;
use arrow::datatypes::{Int64Type, UInt8Type, UInt32Type};

macro_rules! stored_numbers {
    ($($type:ty: $raw:ty;)*) => {$(
        impl Stored for $type {
            type Raw = $raw;
            const WIDTH: usize = 1;
            fn put(self, raw: &mut Vec<Self>) {
                raw.push(self);
            }
            fn are_valid(_: &[Self]) -> bool {
                true
            }
            fn take(raw: &[Self]) -> Self {
                raw[0]
            }
        }
    )*};
}

stored_numbers! {
    u8: UInt8Type;
    u32: UInt32Type;
    i64: Int64Type;
}

macro_rules! stored_ids {
    ($($id:ident)*) => {$(
        impl Stored for $id {
            type Raw = UInt32Type;
            const WIDTH: usize = 1;
            fn put(self, raw: &mut Vec<u32>) {
                raw.push(u32::try_from(self.index()).unwrap_or(u32::MAX));
            }
            fn are_valid(_: &[u32]) -> bool {
                true
            }
            fn take(raw: &[u32]) -> Self {
                if raw[0] == u32::MAX { Self::NONE } else { Self::new(raw[0] as usize) }
            }
        }
    )*};
}

stored_ids! { ApiCallId DeviceId GroupId LabelId LaunchConfigId OpCallId OpId ProcessId StrId ThreadId WorkId }

macro_rules! stored_words {
    ($($word:ident: $($variant:ident)*;)*) => {$(
        impl Stored for $word {
            type Raw = UInt8Type;
            const WIDTH: usize = 1;
            fn put(self, raw: &mut Vec<u8>) {
                raw.push(self as u8);
            }
            fn are_valid(raw: &[u8]) -> bool {
                raw.iter().all(|&raw| usize::from(raw) < [$(Self::$variant),*].len())
            }
            fn take(raw: &[u8]) -> Self {
                const WORDS: &[$word] = &[$($word::$variant),*];
                WORDS[usize::from(raw[0])]
            }
        }
    )*};
}

stored_words! {
    ApiKind: Plain Sync Memset Copy Kernel;
    GraphOrigin: None Node WholeGraph;
    TensorCores: Used NotUsed Unknown;
    IterationState: Before WarmUp Steady Outlier Empty Cut;
}

impl Stored for Run {
    type Raw = UInt32Type;
    const WIDTH: usize = 2;
    fn put(self, raw: &mut Vec<u32>) {
        raw.extend([self.first, self.end]);
    }
    fn are_valid(raw: &[u32]) -> bool {
        raw.chunks_exact(2).all(|run| run[0] <= run[1])
    }
    fn take(raw: &[u32]) -> Self {
        Self { first: raw[0], end: raw[1] }
    }
}

/// Something that several numbers of 64 bits make, one after the other.
trait Numbers: Copy {
    const WIDTH: usize;
    fn put(self, raw: &mut Vec<i64>);
    fn take(raw: &mut &[i64]) -> Self;
}

/// The first of some numbers, which is taken away; there is one, because pieces hold whole items.
fn next(raw: &mut &[i64]) -> i64 {
    raw.split_off_first().copied().unwrap_or_default()
}

impl Numbers for i64 {
    const WIDTH: usize = 1;
    fn put(self, raw: &mut Vec<i64>) {
        raw.push(self);
    }
    fn take(raw: &mut &[i64]) -> Self {
        next(raw)
    }
}

impl Numbers for u64 {
    const WIDTH: usize = 1;
    fn put(self, raw: &mut Vec<i64>) {
        raw.push(self.cast_signed());
    }
    fn take(raw: &mut &[i64]) -> Self {
        next(raw).cast_unsigned()
    }
}

impl Numbers for u8 {
    const WIDTH: usize = 1;
    fn put(self, raw: &mut Vec<i64>) {
        raw.push(self.into());
    }
    fn take(raw: &mut &[i64]) -> Self {
        Self::try_from(next(raw)).unwrap_or_default()
    }
}

macro_rules! id_numbers {
    ($($id:ident)*) => {$(
        impl Numbers for $id {
            const WIDTH: usize = 1;
            fn put(self, raw: &mut Vec<i64>) {
                raw.push(i64::try_from(self.index()).unwrap_or(i64::MAX));
            }
            fn take(raw: &mut &[i64]) -> Self {
                let position = u32::try_from(next(raw)).ok().filter(|&position| position != u32::MAX);
                position.map_or(Self::NONE, |position| Self::new(position as usize))
            }
        }
    )*};
}

id_numbers! { GroupId OpId StrId }

macro_rules! struct_numbers {
    ($($type:ident: $($field:ident: $of:ty),*;)*) => {$(
        impl Numbers for $type {
            const WIDTH: usize = 0 $(+ <$of as Numbers>::WIDTH)*;
            fn put(self, raw: &mut Vec<i64>) {
                $(Numbers::put(self.$field, raw);)*
            }
            fn take(raw: &mut &[i64]) -> Self {
                $(let $field = <$of as Numbers>::take(raw);)*
                Self { $($field),* }
            }
        }
    )*};
}

macro_rules! stored_structs {
    ($($type:ident)*) => {$(
        impl Stored for $type {
            type Raw = Int64Type;
            const WIDTH: usize = <Self as Numbers>::WIDTH;
            fn put(self, raw: &mut Vec<i64>) {
                Numbers::put(self, raw);
            }
            fn are_valid(_: &[i64]) -> bool {
                true
            }
            fn take(mut raw: &[i64]) -> Self {
                Numbers::take(&mut raw)
            }
        }
    )*};
}

struct_numbers! {
    Metric: count: u64, sum: i64, min: i64, max: i64;
    OpTimes: cpu: Metric, gpu: Metric, cpu_overhead: Metric, gpu_idle: Metric;
    KernelSums: launches: u64, gpu_ns: i64, tc_launches: u64, tc_gpu_ns: i64, tc_unknown_gpu_ns: i64;
    KernelTotal: gpu_ns: i64, api_ns: i64, names: u64, launches: u64;
    KernelTotals: tc: KernelTotal, non_tc: KernelTotal, memory: KernelTotal, tc_unknown: KernelTotal;
    Span: start: i64, end: i64;
    LastLaunch: start: i64, span: Span, long_name: StrId;
    OpSums: op: OpId, times: OpTimes, kernels: KernelSums;
    GroupSums: group: GroupId, times: OpTimes;
    KernelNameSums: op: OpId, name: StrId, classes: u8, last: LastLaunch, gpu: Metric, api: Metric;
    CallTimes: cpu_ns: i64, gpu_ns: i64, api_ns: i64, cpu_overhead_ns: i64, gpu_idle_ns: i64;
    Resources: tc_kernel_ns: i64, non_tc_kernel_ns: i64, memory_ns: i64, dataloader_ns: i64, io_ns: i64,
        cpu_ns: i64, other_ns: i64;
}

stored_structs! { CallTimes KernelSums KernelTotals OpSums GroupSums KernelNameSums Resources }

impl Stored for Span {
    type Raw = Int64Type;
    const WIDTH: usize = 2;
    fn put(self, raw: &mut Vec<i64>) {
        raw.extend([self.start, self.end]);
    }
    fn are_valid(raw: &[i64]) -> bool {
        raw.chunks_exact(2).all(|span| span[0] <= span[1])
    }
    fn take(raw: &[i64]) -> Self {
        Self { start: raw[0], end: raw[1] }
    }
}
