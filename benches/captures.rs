//! The captures that benchmarks read.

use crate::generator::{generate, options::Options};
use clap::Parser;
use std::error::Error;
use std::path::{Path, PathBuf};

/// Cargo's folder for temporary files.
pub(crate) fn folder() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

/// A capture of DLProf markers, two processes and two GPUs; made once.
pub(crate) fn capture(kernels: usize) -> Result<PathBuf, Box<dyn Error>> {
    let file = folder().join(format!("markers-{kernels}.sqlite"));
    if !file.exists() {
        let kernels = kernels.to_string();
        let path = file.to_str().ok_or("the target folder has a UTF-8 path")?;
        let arguments =
            ["--style", "markers", "--processes", "2", "--gpus", "2", "--backward", "--kernels", &kernels];
        generate(Options::parse_from(["generate", path].into_iter().chain(arguments)))?;
    }
    Ok(file)
}
