//! `dlprof-agg`: where the training time went. See the library of this package, which is the whole program.

use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    ExitCode::from(dlprof_cli::main_with(&words))
}
