//! The process: what happens when a signal ends it, or when the system has no memory left; and other programs that it starts.

pub(crate) mod allocator;
pub(crate) mod interrupted;
pub(crate) mod programs;
