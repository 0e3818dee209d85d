//! What happens when a signal ends the program, or the system says no: nothing half-written is left.
//!
//! A thread waits for the signals. It removes what was begun, then ends the process by the same signal, so that a shell sees what
//! it would see without all this.

use std::sync::atomic::{AtomicBool, Ordering};

/// Whether Ctrl-C is for another program.
static IS_PAGING: AtomicBool = AtomicBool::new(false);

/// From now on Ctrl-C is for the pager, and does not end this program.
pub(crate) fn leave_interrupts_to_pager() {
    IS_PAGING.store(true, Ordering::Relaxed);
}

/// A file that becomes longer than `ulimit -f` allows is an error of the write, and not the end of the process.
#[cfg(unix)]
pub(crate) fn take_limits_as_errors() {
    use std::sync::Arc;
    // If it cannot be registered, the signal ends the process, as it does by default.
    drop(signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::new(AtomicBool::new(false))));
}

/// A panic that becomes an error is not printed: the error is. Nor is one while the process ends for lack of memory.
pub(crate) fn hide_caught_panics() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        super::allocator::wait_if_ending();
        if !dlprof_export::catches_panics() {
            usual(panic);
        }
    }));
}

/// Waits for signals that end a program, from now on. Those that the caller of this program ignores (`nohup`) stay ignored.
#[cfg(unix)]
pub(crate) fn watch() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;
    use std::sync::mpsc::channel;

    let (ready, registered) = channel();
    let ignored = ignored();
    let wait = move || {
        let wanted = [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
        let signals = Signals::new(wanted);
        let _ = ready.send(());
        let Ok(mut signals) = signals else { return };
        for signal in signals.forever() {
            if signal == SIGINT && IS_PAGING.load(Ordering::Relaxed) {
                continue;
            }
            dlprof_core::remove_begun();
            drop(emulate_default_handler(signal));
        }
    };
    // Without a thread the signals end the process at once, and a later run removes what is left.
    if std::thread::Builder::new().name("signals".into()).stack_size(STACK_BYTES).spawn(wait).is_ok() {
        let _ = registered.recv();
    }
}

/// What the thread needs is little, and address space may be limited.
#[cfg(unix)]
const STACK_BYTES: usize = 256 << 10;

/// The ignored signals, a bit each; none where the system does not say.
#[cfg(unix)]
fn ignored() -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = text.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

#[cfg(not(unix))]
pub(crate) fn take_limits_as_errors() {}

#[cfg(not(unix))]
pub(crate) fn watch() {}
