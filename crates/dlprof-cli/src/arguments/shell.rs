//! Completions and the manual page, made from the definition of the command line.

use super::command_line::command;
use crate::console;
use crate::exit::Failure;

pub(crate) fn completions(shell: clap_complete::Shell) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command(), "dlprof-agg", &mut script);
    console::print(&String::from_utf8_lossy(&script))
}

/// Prints the manual page of the program, or of one of its commands.
pub(crate) fn man(of: Option<&str>) -> Result<(), Failure> {
    let mut whole = command();
    // Pages of commands are named and refer to each other by the names that building gives.
    whole.build();
    let shown = match of {
        None => whole,
        Some(name) => whole.find_subcommand(name).cloned().ok_or_else(|| Failure::Usage {
            message: format!("there is no command `{name}`"),
            hint: Some("`dlprof-agg -h` lists the commands".into()),
        })?,
    };
    let mut page = Vec::new();
    clap_mangen::Man::new(shown).render(&mut page).map_err(Failure::Print)?;
    console::print(&String::from_utf8_lossy(&page))
}
