//! What a range of iterations decides: times, causes of idle time, occupancy, work, memory, counters.
//!
//! `activity` says why GPUs wait, `profile` has a file per view of a range, the others are figures of their own. Tables and
//! findings are not known here. What is handed on is a [`profile::Profile`].

pub mod activity;
pub mod by_name;
pub mod folded_ops;
pub mod gpu;
pub mod gpu_memory;
pub mod gpu_metrics;
pub mod kernel_kinds;
pub mod op_work;
pub mod profile;
