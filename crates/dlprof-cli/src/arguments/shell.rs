//! Completions and the manual page, made from the definition of the command line.

use super::command_line::command;
use crate::console;
use crate::exit::Failure;

pub(crate) fn completions(shell: clap_complete::Shell) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command(), "dlprof-agg", &mut script);
    console::print(&String::from_utf8_lossy(&script))
}

pub(crate) fn man() -> Result<(), Failure> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command()).render(&mut page).map_err(Failure::Print)?;
    console::print(&String::from_utf8_lossy(&page))
}
