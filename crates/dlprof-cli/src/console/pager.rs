//! Long texts go to a pager if standard output is a terminal, as git does it.

use super::terminal;
use crate::exit::Failure;
use crate::process::programs;
use std::io::{self, Write};
use std::process::{ExitStatus, Stdio};

/// The pager where nobody chose one: it ends by itself if the text fits, keeps colours and long lines, and leaves the
/// text on the terminal.
const DEFAULT: &str = "less -FRSX";

/// The exit code of a shell that does not find a program.
const NOT_FOUND: i32 = 127;

/// Whether a text that is longer than the terminal goes to a pager.
#[derive(Debug, Clone, Default)]
pub(crate) struct Paging {
    /// The command; `None` for the one that the environment names, or the default.
    pub(crate) pager: Option<String>,
    pub(crate) no_pager: bool,
}

/// Calls `write` to write text to standard output, through a pager if that is a terminal with too few lines.
pub(crate) fn print_paged(
    paging: &Paging,
    write: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
) -> Result<(), Failure> {
    let (Some(height), Some(command)) = (terminal::height(), command(paging)) else {
        return super::print_with(write);
    };
    let mut text = Vec::new();
    write(&mut text).map_err(Failure::Print)?;
    let text = super::spoken::spoken_bytes(&text).into_owned();
    // The line of the prompt also needs room.
    if text.iter().filter(|&&byte| byte == b'\n').count() < height {
        return super::print_with(|out| out.write_all(&text));
    }
    match page(&command, &text) {
        Ok(status) if status.code() != Some(NOT_FOUND) => Ok(()),
        _ => {
            if command != DEFAULT {
                super::print_note(&format!("the pager `{command}` cannot be started"));
            }
            super::print_with(|out| out.write_all(&text))
        }
    }
}

/// The command of the pager; `None` if there is to be none.
fn command(paging: &Paging) -> Option<String> {
    if paging.no_pager {
        return None;
    }
    let variable = |name| std::env::var(name).ok();
    let chosen = paging.pager.clone().or_else(|| variable("DLPROF_AGG_PAGER")).or_else(|| variable("PAGER"));
    let command = chosen.unwrap_or_else(|| DEFAULT.to_owned());
    Some(command).filter(|command| !["", "cat"].contains(&command.trim()))
}

/// Runs the pager until it ends. That it closes its input early is not a failure.
fn page(command: &str, text: &[u8]) -> io::Result<ExitStatus> {
    let (shell, option) = if cfg!(windows) { ("cmd", "/C") } else { ("sh", "-c") };
    let shell = programs::find(shell.as_ref()).ok_or(io::ErrorKind::NotFound)?;
    let mut shell = programs::command(&shell);
    shell.args([option, command]).stdin(Stdio::piped());
    if std::env::var_os("LESS").is_none() {
        shell.env("LESS", "FRSX");
    }
    ignore_interrupts()?;
    let mut pager = shell.spawn()?;
    if let Some(mut input) = pager.stdin.take() {
        match input.write_all(text) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => return Err(error),
            _ => {}
        }
    }
    pager.wait()
}

/// Ctrl-C in a pager is for the pager. A program that ended here would leave the terminal to two readers.
#[cfg(unix)]
fn ignore_interrupts() -> io::Result<()> {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;
    crate::process::interrupted::leave_interrupts_to_pager();
    signal_hook::flag::register(signal_hook::consts::SIGINT, Arc::new(AtomicBool::new(false))).map(drop)
}

#[cfg(not(unix))]
fn ignore_interrupts() -> io::Result<()> {
    Ok(())
}
