//! The captures that benchmarks read.

use dlprof_generate::write_export;
use std::error::Error;
use std::path::{Path, PathBuf};

/// Cargo's folder for temporary files.
pub(crate) fn folder() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

/// A capture of DLProf markers, two processes and two GPUs; made once.
pub(crate) fn capture(kernels: usize) -> Result<PathBuf, Box<dyn Error>> {
    let arguments = format!("--style markers --processes 2 --gpus 2 --backward --kernels {kernels}");
    made(&format!("markers-{kernels}"), &arguments)
}

/// A capture of the generator; made once.
pub(crate) fn made(name: &str, arguments: &str) -> Result<PathBuf, Box<dyn Error>> {
    let file = folder().join(name).with_extension("sqlite");
    if !file.exists() {
        write_export(&file, arguments)?;
    }
    Ok(file)
}
