//! Why the GPU waits.
//!
//! [`Activity`] borrows the facts as columns, [`Classified`] decides what each name means, and each function of this module
//! turns that into one table of figures. All times are integer nanoseconds, spans are half-open. Nothing here reads a file or
//! knows what an iteration is: windows are given.
//!
//! | function | figures |
//! |---|---|
//! | [`gpu_times()`] | busy, exposed and idle time of each GPU in each window, and the cause of every idle nanosecond |
//! | [`idle_ranges()`] | in which ranges of the host the launching threads were meanwhile |
//! | [`StepClasses::of`] | the seven classes of a step and its verdict |
//! | [`calls_by_window`], [`calls_by_function`], [`launches_by_thread`] | API calls |
//! | [`syncs_by_window`] | waits inside steps, and the copies of single values that cause many of them |
//! | [`reader_cost`], [`os_read_time`] | what input cost |
//! | [`copies()`] | copies and memsets by kind |
//! | [`launches()`], [`launch_stats`] | latency, queue and start delay of kernels |
//! | [`attributions`], [`attribution_totals`] | which range a GPU item belongs to |
//! | [`waiting_times`], [`idle_host()`] | what the host did while GPUs waited for it |

mod api_class;
mod attribution;
mod cause;
mod cause_definitions;
mod classified;
mod copies;
mod cursors;
mod gaps;
mod gpu_time;
mod gpu_times;
mod host_calls;
mod host_spans;
mod idle;
mod idle_host;
mod idle_ranges;
mod idle_time;
mod innermost;
mod input;
mod input_time;
mod items_near;
mod launch_faults;
mod launches;
mod long_gaps;
mod names;
mod near;
mod near_items;
mod of_capture;
mod order;
mod parts_of_time;
mod range_times;
mod settings;
mod silent_ranges;
mod step_class;
mod steps;
mod syncs;
#[cfg(test)]
mod tests;
mod waiting;
mod waiting_ranges;
mod windows;

pub use crate::facts::OverheadKind;
pub use api_class::{ApiClass, ApiFunction};
pub use attribution::{
    Attribution, AttributionTotal, Attributions, RangeRow, attribution_totals, attributions, waiting_threads,
};
pub(crate) use attribution::{is_own, joins_none};
pub use cause::Cause;
pub use cause_definitions::{CAUSES, CauseDefinition};
pub use classified::Classified;
pub use copies::{CopyGroup, CopyKind, CopyMode, EqualCopies, HostMemory, copies, equal_copies};
pub use gpu_time::{GpuTime, GpuTimeRows};
pub use gpu_times::{GpuTimes, gpu_times, gpu_times_and_gaps};
pub use host_calls::{
    CallSum, FunctionCalls, LISTED_CLASSES, ThreadLaunches, WindowCallRows, WindowCalls, calls_by_function,
    calls_by_window, launches_by_thread,
};
pub use idle_host::{IdleFunction, IdleHost, IdleOsCall, IdleThread, SampleRole, idle_host};
pub use idle_ranges::{IdleRange, idle_ranges};
pub use idle_time::IdleTime;
pub use input::{
    Activity, ApiCallColumns, GpuItems, HostSamples, MpiCalls, OsCalls, Overheads, RangeColumns,
    UNKNOWN_MEMORY,
};
pub use input_time::{ReaderCost, os_read_time, reader_cost};
pub use launch_faults::{LaunchCount, blocking_launches, launches_followed_by_wait, launches_without_work};
pub use launches::{
    Distribution, Launch, LaunchStats, launch_stats, launches, median_start_delay, start_delay, start_delays,
};
pub use long_gaps::{LONG_GAP_NS, LongGap, LongGaps};
pub(crate) use names::ByName;
pub use names::{
    OsCallKind, is_communication_domain, is_communication_kernel, is_communicator_setup, is_data_loading,
    is_enclosing, is_one_time, range_in_words,
};
pub(crate) use near::{gpu_times_near, idle_ranges_near};
pub use of_capture::{activity_of, host_samples_of};
pub use parts_of_time::{exposed_pageable_ns, idle_around_boundaries_ns};
pub(crate) use settings::SHORT_KERNEL_NS;
pub use settings::{ActivitySettings, NamePattern, Thresholds};
pub use silent_ranges::silent_range;
pub use step_class::{STEP_CLASSES, StepClass, StepClassDefinition};
pub use steps::{StepClasses, Verdict, per_second};
pub use syncs::{WindowSyncs, syncs_by_window};
pub use waiting::{WaitingTimes, waiting_times};
pub use windows::whole_range;
