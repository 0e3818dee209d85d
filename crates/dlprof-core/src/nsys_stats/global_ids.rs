//! The parts of the numbers that nsys gives to threads.

/// The process part of a global thread id.
pub(super) fn process_of(global_tid: i64) -> i64 {
    global_tid & !0xFF_FFFF
}

/// What people call the process of a global thread id.
pub(super) fn pid(global_tid: i64) -> i64 {
    (global_tid >> 24) & 0xFF_FFFF
}

/// What people call the thread of a global thread id.
pub(super) fn tid(global_tid: i64) -> i64 {
    global_tid & 0xFF_FFFF
}
