//! Runs a program to its end and forwards the signals that reach this process to it.

use std::io;
use std::process::{Command, ExitStatus};

/// Runs a command to its end, with our standard streams. Signals that others send to this process reach the command; those of the
/// terminal (Ctrl-C) reach it anyhow.
///
/// # Errors
/// If it cannot be started.
#[cfg(unix)]
pub(super) fn run_forwarding(command: &mut Command) -> io::Result<ExitStatus> {
    use rustix::process::{Pid, Signal, kill_process};
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
    use signal_hook::iterator::SignalsInfo;
    use signal_hook::iterator::exfiltrator::origin::WithOrigin;

    let mut signals = SignalsInfo::<WithOrigin>::new([SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2])?;
    let handle = signals.handle();
    let mut child = command.spawn()?;
    let process = Pid::from_child(&child);
    std::thread::scope(|scope| {
        let forward = move || {
            for origin in &mut signals {
                // A signal of the terminal has no sender.
                if let (Some(_), Some(signal)) = (origin.process, Signal::from_named_raw(origin.signal)) {
                    // The command may have ended in the meantime.
                    let _ = kill_process(process, signal);
                }
            }
        };
        // Without a thread only the signals of the terminal reach the command.
        drop(std::thread::Builder::new().spawn_scoped(scope, forward));
        let ended = child.wait();
        handle.close();
        ended
    })
}

/// As on Unix, without signals.
///
/// # Errors
/// If it cannot be started.
#[cfg(not(unix))]
pub(super) fn run_forwarding(command: &mut Command) -> io::Result<ExitStatus> {
    command.status()
}

/// The exit code of a program, as shells say it: 128 and the number of the signal that ended it.
pub(crate) fn exit_code(status: ExitStatus) -> u8 {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return u8::try_from(128 + signal).unwrap_or(u8::MAX);
    }
    status.code().map_or(u8::MAX, |code| u8::try_from(code & 0xff).unwrap_or(u8::MAX))
}
