//! What a range of iterations decides: times, causes of idle time, occupancy, work, memory, counters.
//!
//! `activity` says why GPUs wait, `profile` has a file per view of a range, the others are figures of their own. Tables and
//! findings are not known here. What is handed on is a [`profile::Profile`].

pub(crate) mod activity;
pub(crate) mod annotations;
pub(crate) mod by_name;
pub(crate) mod collectives;
pub(crate) mod folded_ops;
pub(crate) mod gpu;
pub(crate) mod gpu_memory;
pub(crate) mod gpu_metrics;
pub(crate) mod kernel_kinds;
pub(crate) mod launches_to_measure;
pub(crate) mod measured;
pub(crate) mod op_work;
pub(crate) mod operators;
pub(crate) mod profile;
