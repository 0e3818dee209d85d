//! Why the GPU waits.
//!
//! [`Activity`](crate::capture::classified::Activity) borrows the tables of a capture,
//! [`Classified`](crate::capture::classified::Classified) decides what each name means, and each function of this module turns
//! that into one table of figures. All times are integer nanoseconds, spans are half-open. Nothing here reads a file or knows
//! what an iteration is: windows are given.
//!
//! | function | figures |
//! |---|---|
//! | [`gpu_figures()`] | busy, exposed and idle time of each GPU in each window, the cause of every idle nanosecond, and in which
//!   ranges of the host the launching threads were meanwhile |
//! | `done_once()`, `slow_first_calls()`, `stalled_before()` | idle time of work that is done once, and before kernels whose code is loaded |
//! | [`StepClasses::of`] | the seven classes of a step and its verdict |
//! | [`calls_by_window`], [`calls_by_function`], [`launches_by_thread`] | API calls |
//! | `host_before_launches()` | what the host takes up to each launch |
//! | `late_launches()` | what GPUs idle because some launches are made |
//! | [`syncs_by_window`] | waits inside steps, and the copies of single values that cause many of them |
//! | [`reader_cost`], [`os_read_time`] | what input cost |
//! | [`cpu_communication()`] | what processes exchange on threads of the CPU |
//! | [`copies()`] | copies and memsets by kind |
//! | `copy_rounds()` | what a program does from one of many equal copies to the next |
//! | `launches`, [`launch_stats`] | latency, queue and start delay of kernels |
//! | [`waiting_times`], `unexplained_times`, [`idle_host()`] | what the host did while GPUs waited for it |
//! | `longest_gaps()`, `host_during()` | the longest gaps, and what the host did in each |

mod cause_definitions;
mod copies;
mod copy_rounds;
mod cpu_communication;
mod cursors;
mod done_once;
mod gap_items;
mod gaps;
mod gpu_in_window;
mod gpu_times;
mod hideable_copies;
mod host_before;
mod host_calls;
mod host_spans;
mod idle_attribution;
mod idle_frames;
mod idle_host;
mod idle_ranges;
mod idle_time;
mod input_time;
mod late_launches;
mod launch_faults;
mod launch_timing;
mod library_set_up;
mod long_gaps;
mod longest_gaps;
mod parts_of_time;
mod range_at;
mod range_times;
mod silent_ranges;
mod slow_first_calls;
mod span_facts;
mod span_items;
mod step_class;
mod steps;
mod syncs;
#[cfg(test)]
mod tests;
mod unexplained;
mod wait_costs;
mod wait_places;
mod waiting;
mod windows;

pub use cause_definitions::{CAUSES, CauseDefinition};
pub use copies::{CopyGroup, CopyKind, CopyMode, HostMemory, copies};
pub(crate) use copies::{EqualCopies, PageableUse, copies_by_range, equal_copies, pageable_use};
pub(crate) use copies::{Transfer, transfers};
pub(crate) use copy_rounds::{CopyRounds, copy_rounds};
pub(crate) use cpu_communication::cpu_communication;
pub(crate) use done_once::{done_once, idle_inside, set_up_sync_cost_ns, stalled_before};
pub(crate) use gaps::is_small_part;
pub use gpu_in_window::GpuTime;
pub(crate) use gpu_in_window::{GpuTimeRows, GpuWindowRows};
pub use gpu_times::{GpuFigures, GpuTimes, gpu_figures, gpu_times};
pub(crate) use hideable_copies::hideable_copies_ns;
pub(crate) use host_before::host_before_launches;
pub use host_calls::{
    CallSum, FunctionCalls, LISTED_CLASSES, ThreadLaunches, WindowCalls, calls_by_function, calls_by_window,
    launches_by_thread,
};
pub(crate) use host_calls::{WindowCallRows, median_call_within};
pub(crate) use idle_frames::IdleFrame;
pub(crate) use idle_frames::idle_frames;
pub use idle_host::{IdleFunction, IdleHost, IdleOsCall, IdleThread, SampleRole, SampledCode, idle_host};
pub(crate) use idle_host::{code_of_most, sleeps};
pub(crate) use idle_ranges::idle_inside_ranges;
pub use idle_ranges::{IdleRange, IdleRanges};
pub use idle_time::IdleTime;
pub use input_time::{ReaderCost, os_read_time, reader_cost};
pub(crate) use late_launches::late_launches;
pub(crate) use launch_faults::{AwaitedLaunches, LaunchCount};
pub(crate) use launch_faults::{blocking_launches, launches_followed_by_wait};
#[cfg(test)]
pub(crate) use launch_timing::launches;
pub(crate) use launch_timing::start_delay;
pub use launch_timing::{Distribution, Launch, LaunchStats, launch_stats};
pub(crate) use launch_timing::{median_start_delay, start_delays};
pub(crate) use library_set_up::library_set_up;
pub use long_gaps::{LONG_GAP_NS, LongGap, LongGaps};
pub use longest_gaps::{DuringGap, HostGap};
pub(crate) use longest_gaps::{host_during, longest_gaps};
pub(crate) use parts_of_time::{exposed_pageable_ns, idle_around_boundaries_ns, pageable_waits_ns};
pub(crate) use silent_ranges::silent_range;
pub(crate) use slow_first_calls::slow_first_calls;
pub(crate) use span_facts::{gpu_figures_near, look_near};
pub use step_class::{STEP_CLASSES, StepClass, StepClassDefinition};
pub(crate) use steps::per_second;
pub use steps::{StepClasses, Verdict};
pub use syncs::{WindowSyncs, syncs_by_window};
pub(crate) use unexplained::unexplained_times;
pub(crate) use unexplained::{OsCallSum, UnexplainedHost};
pub(crate) use wait_costs::{WaitCosts, wait_costs};
pub(crate) use wait_places::wait_places;
pub(crate) use wait_places::{WaitPlace, WaitedFor};
pub use waiting::{WaitingTimes, waiting_times};
pub(crate) use windows::WindowFinder;
pub use windows::whole_range;
