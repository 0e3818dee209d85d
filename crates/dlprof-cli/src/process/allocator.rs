//! The end of memory is said in a sentence, and nothing half-written stays.
//!
//! Without this, Rust ends the process with a signal. `ulimit -v`, a container without overcommitting, or a machine without
//! swap can refuse memory; a container that is killed by its system cannot be helped.

#![expect(unsafe_code, reason = "an allocator that passes every call on to that of the system")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::Write;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::time::Duration;

/// What saying it and cleaning up need.
const RESERVE: Layout = match Layout::from_size_align(256 << 10, 16) {
    Ok(layout) => layout,
    Err(_) => Layout::new::<u128>(),
};

/// Memory that is given back when there is no other left; null if it was.
static RESERVED: AtomicPtr<u8> = AtomicPtr::new(null_mut());

/// Whether the process is the program's. Where it is another's, as when Python has loaded this library, a lack of memory is left to
/// that.
static IS_OURS: AtomicBool = AtomicBool::new(false);

/// Whether a thread is ending the process.
static IS_ENDING: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// Whether it is this thread.
    static ENDS: Cell<bool> = const { Cell::new(false) };
}

#[global_allocator]
static ALLOCATOR: Saying = Saying;

/// The system's allocator, which ends the program with a sentence.
struct Saying;

// SAFETY: every call is passed on to the system's allocator as it came; where that returns null, the program ends.
unsafe impl GlobalAlloc for Saying {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the promises of this function, which are those of the system's.
        or_end(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        or_end(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, start: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: as above.
        or_end(unsafe { System.realloc(start, layout, bytes) }, bytes)
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(start, layout) }
    }
}

/// The process is the program's from here on. Sets memory aside for its end.
pub(crate) fn reserve() {
    IS_OURS.store(true, Ordering::Relaxed);
    // SAFETY: the layout has a size.
    let start = unsafe { System.alloc(RESERVE) };
    RESERVED.store(start, Ordering::Relaxed);
}

fn or_end(start: *mut u8, bytes: usize) -> *mut u8 {
    if start.is_null() && IS_OURS.load(Ordering::Relaxed) {
        end(bytes);
    }
    start
}

/// Says what happened, removes what was begun, and ends the process.
#[cold]
fn end(bytes: usize) -> ! {
    if ENDS.replace(true) {
        exit();
    }
    if IS_ENDING.swap(true, Ordering::Relaxed) {
        wait_for_end();
    }
    let reserved = RESERVED.swap(null_mut(), Ordering::Relaxed);
    if !reserved.is_null() {
        // SAFETY: it was allocated with this layout, and the swap gives it to this thread alone.
        unsafe { System.dealloc(reserved, RESERVE) };
    }
    // Written piece by piece, because a text would need memory. If it cannot be written, nothing can be said.
    let _ = writeln!(
        std::io::stderr(),
        "error: out of memory: the system refused {bytes} more bytes\n\
         hint: allow the process more (`ulimit -v`, limits of the container), or give a smaller `--memory` and fewer `--threads`"
    );
    dlprof_core::try_remove_begun();
    exit()
}

/// Where a thread is ending the process, another one panics without memory, perhaps because it could not start a thread: it
/// waits.
pub(crate) fn wait_if_ending() {
    if IS_ENDING.load(Ordering::Relaxed) && !ENDS.get() {
        wait_for_end();
    }
}

fn wait_for_end() -> ! {
    loop {
        std::thread::sleep(Duration::from_secs(1));
    }
}

#[cfg(unix)]
fn exit() -> ! {
    signal_hook::low_level::exit(crate::exit::OUTPUT.into())
}

#[cfg(not(unix))]
fn exit() -> ! {
    std::process::abort()
}
