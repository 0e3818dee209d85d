//! The end of memory is said in a sentence, and nothing half-written stays.
//!
//! Without this, Rust ends the process with a signal. `ulimit -v`, a container without overcommitting, or a machine without
//! swap can refuse memory; a container that is killed by its system cannot be helped.

#![expect(unsafe_code, reason = "an allocator that passes every call on to that of the system")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::fmt::{self, Display, Formatter};
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
        end(Refused::Bytes(bytes));
    }
    start
}

/// Where memory is limited, a library of the system that is refused memory, or Rust's own panics, abort the process: from now on that is
/// said as well.
#[cfg(unix)]
pub(crate) fn take_aborts_for_lack_of_memory() {
    use rustix::process::{Resource, getrlimit};
    let is_limited =
        [Resource::As, Resource::Data].into_iter().any(|memory| getrlimit(memory).current.is_some());
    if is_limited {
        // SAFETY: for a library, what is called neither takes nor gives back memory and waits for no lock; it ends the process, or
        // waits for the thread that does.
        // If it cannot be registered, the signal ends the process, as it does by default.
        drop(unsafe {
            signal_hook::low_level::register(signal_hook::consts::SIGABRT, || end(Refused::Library))
        });
    }
}

#[cfg(not(unix))]
pub(crate) fn take_aborts_for_lack_of_memory() {}

/// What the system refused.
enum Refused {
    Bytes(usize),
    /// Memory that another library asked for, which does not say how much.
    Library,
}

impl Display for Refused {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes(bytes) => write!(f, "the system refused {bytes} more bytes"),
            Self::Library => f.write_str("the system refused memory to one of its libraries"),
        }
    }
}

/// Says what happened, removes what was begun, and ends the process.
#[cold]
fn end(refused: Refused) -> ! {
    if ENDS.replace(true) {
        exit();
    }
    if IS_ENDING.swap(true, Ordering::Relaxed) {
        wait_for_end();
    }
    if matches!(refused, Refused::Bytes(_)) {
        let reserved = RESERVED.swap(null_mut(), Ordering::Relaxed);
        if !reserved.is_null() {
            // SAFETY: it was allocated with this layout, and the swap gives it to this thread alone.
            unsafe { System.dealloc(reserved, RESERVE) };
        }
    }
    // A text on the heap would need memory.
    let mut text = [0; MOST_TEXT];
    let mut rest = text.as_mut_slice();
    let _ = writeln!(
        rest,
        "error: out of memory: {refused}\n\
         hint: allow the process more (`ulimit -v`, limits of the container), or give a smaller `--memory` and fewer `--threads`"
    );
    let written = MOST_TEXT - rest.len();
    say(&text[..written]);
    dlprof_core::try_remove_begun();
    exit()
}

/// The longest text that is said.
const MOST_TEXT: usize = 400;

/// Writes to standard error without its lock, which an aborting thread may hold. If it cannot be written, nothing can be said.
#[cfg(unix)]
fn say(text: &[u8]) {
    let _ = rustix::io::write(std::io::stderr(), text);
}

#[cfg(not(unix))]
fn say(text: &[u8]) {
    let _ = std::io::stderr().write_all(text);
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
