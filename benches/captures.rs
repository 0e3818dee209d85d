//! The captures that benchmarks read.

use dlprof_generate::write_export;
use std::error::Error;
use std::path::{Path, PathBuf};

/// Cargo's folder for temporary files.
pub(crate) fn folder() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

/// What ranges a capture has, in which order its rows stand, and who works.
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    pub(crate) arguments: &'static str,
    pub(crate) machine: &'static str,
}

/// Two processes and two GPUs.
pub(crate) const TWO: &str = "--processes 2 --gpus 2";

/// DLProf's markers, in order of time.
pub(crate) const MARKERS: Kind =
    Kind { name: "markers", arguments: "--style markers --backward", machine: TWO };

impl Kind {
    /// A capture; made once.
    pub(crate) fn capture(&self, kernels: usize) -> Result<PathBuf, Box<dyn Error>> {
        let arguments = format!("{} {} --kernels {kernels}", self.arguments, self.machine);
        made(&format!("{}-{kernels}", self.name), &arguments)
    }
}

/// A capture of the generator; made once.
pub(crate) fn made(name: &str, arguments: &str) -> Result<PathBuf, Box<dyn Error>> {
    let file = folder().join(name).with_extension("sqlite");
    if !file.exists() {
        write_export(&file, arguments)?;
    }
    Ok(file)
}
