//! The tool as a whole process, and what it used.

use crate::Result;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;
use wait4::Wait4;

/// What a process used.
pub(crate) struct Usage {
    /// User and system time.
    pub(crate) cpu_s: f64,
    pub(crate) wall_s: f64,
    /// Largest resident memory.
    pub(crate) peak_mb: f64,
}

/// Runs the tool's dashboard of a file, with a folder for captures kept.
pub(crate) fn run(file: &Path, cache: &Path, arguments: &[&str]) -> Result<Usage> {
    let started = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_dlprof-agg"))
        .env("XDG_CACHE_HOME", cache)
        .args(arguments)
        .arg("-q")
        .arg(file)
        .stdout(Stdio::null())
        .spawn()?;
    let ended = child.wait4()?;
    if !ended.status.success() {
        return Err(format!("{arguments:?}: {}", ended.status).into());
    }
    let used = ended.rusage;
    Ok(Usage {
        cpu_s: (used.utime + used.stime).as_secs_f64(),
        wall_s: started.elapsed().as_secs_f64(),
        peak_mb: used.maxrss as f64 / 1e6,
    })
}
