//! The native module of the Python package `dlprof_agg`. It turns values of the libraries into objects of Python and back; no
//! figure is computed here.
//!
//! | file | what it does |
//! |---|---|
//! | `asked` | what is asked of a capture, from arguments of Python |
//! | `errors` | refusals as exceptions |
//! | `figures` | what rules measured |
//! | `process` | long work beside Python's thread, which Ctrl-C ends; what must not happen after `fork` |
//! | `profile` | an open capture |
//! | `tables` | what an open capture and a job have in common: tables, and files of them |
//! | `table` | columns and rows of a table, and the Arrow capsules |
//! | `runs` | baselines, comparisons, the gate |
//! | `job` | many ranks of one job |

mod asked;
mod errors;
mod figures;
mod job;
mod process;
mod profile;
mod runs;
mod table;
mod tables;

use pyo3::prelude::*;
use std::ffi::OsString;

/// The program and the readers, for `dlprof_agg`.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::job::{Job, open_job};
    #[pymodule_export]
    use super::process::leave;
    #[pymodule_export]
    use super::profile::{Profile, open};
    #[pymodule_export]
    use super::run_program;
    #[pymodule_export]
    use super::runs::{Comparison, Document, Gate, compare, gate, pool};
    #[pymodule_export]
    use super::table::Table;
    #[pymodule_export]
    use super::tables::Tables;

    /// The version of the package.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");

    /// The most worker threads.
    #[pymodule_export]
    const MOST_THREADS: usize = dlprof_core::MOST_THREADS;
}

/// Runs the program with a command line, of which the first word is its name, and returns the exit code. The process is the
/// program's from then on.
#[pyfunction]
fn run_program(py: Python<'_>, words: Vec<OsString>) -> u8 {
    py.detach(|| dlprof_cli::main_with(&words))
}
