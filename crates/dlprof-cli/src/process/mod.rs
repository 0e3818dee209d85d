//! The process: what happens when a signal ends it, or when the system has no memory left.

pub(crate) mod allocator;
pub(crate) mod interrupted;
