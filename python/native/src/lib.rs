//! The native module of the Python package `dlprof_agg`. It turns values of the libraries into objects of Python and back; no
//! figure is computed here.

use pyo3::prelude::*;
use std::ffi::OsString;

/// The program and the readers, for `dlprof_agg`.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::run_program;

    /// The version of the package.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}

/// Runs the program with a command line, of which the first word is its name, and returns the exit code. The process is the
/// program's from then on.
#[pyfunction]
fn run_program(py: Python<'_>, words: Vec<OsString>) -> u8 {
    py.detach(|| dlprof_cli::main_with(&words))
}
