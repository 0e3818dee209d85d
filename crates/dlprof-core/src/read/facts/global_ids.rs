//! The parts of the numbers that nsys gives to processes and threads: hardware and VM id, 24 bits of the process id, 24 bits of
//! the thread id. That of a process has zeros in place of the last. Only here is it known how they are put together.

/// Bits of a process id, and of a thread id.
const BITS: u32 = 24;
const MASK: i64 = (1 << BITS) - 1;

/// The global id of the process of a thread.
pub(crate) fn process_of(global_tid: i64) -> i64 {
    global_tid & !MASK
}

/// The operating system's number of a process, given its global id or that of one of its threads.
pub(crate) fn pid(global_id: i64) -> i64 {
    (global_id >> BITS) & MASK
}

/// The operating system's number of a thread, given its global id.
pub(crate) fn tid(global_tid: i64) -> i64 {
    global_tid & MASK
}

/// The global id of a thread of a machine without hardware and VM id; of a process, whose thread is 0.
pub(crate) fn global_id(pid: i64, tid: i64) -> i64 {
    pid << BITS | tid
}
