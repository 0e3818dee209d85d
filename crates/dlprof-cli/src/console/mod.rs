//! The only place that prints: results to standard output, everything else to standard error. What is known of the terminal,
//! progress and the pager are here too.

pub(crate) mod hints;
pub(crate) mod locale;
mod missing_file;
pub(crate) mod pager;
pub(crate) mod progress;
pub(crate) mod said;
pub(crate) mod spoken;
mod streams;
pub(crate) mod terminal;

#[cfg(test)]
pub(crate) use streams::recorded;

use crate::exit::Failure;
use anstyle::{AnsiColor, Style};
use dlprof_core::{CaptureContents, Diagnostic, Severity, hint_in};
use dlprof_export::{PlainLines, Written, brief, plain_lines, plain_text};
use said::Said;
use std::collections::BTreeSet;
use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

/// How much is said on standard error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verbosity {
    /// Errors.
    Quiet,
    /// Errors and warnings.
    Normal,
    /// Notes, and which settings files were read, as well.
    Notes,
    /// Stage times and the size of scratch files as well.
    Stages,
}

/// Says when colours are used, in help texts as well.
pub(crate) fn set_color(color: anstream::ColorChoice) {
    color.write_global();
}

/// Prints a result. A reader that went away is not a failure.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    print_with(|out| out.write_all(text.as_bytes()))
}

/// Prints a line for programs: no word of it is changed, because names and SQL in it are proofs.
pub(crate) fn print_json(line: &str) -> Result<(), Failure> {
    let mut out = streams::out();
    ended(writeln!(out, "{line}").and_then(|()| out.flush()))
}

/// Calls `write` to write text with styles to standard output. Styles are left out if the output shows no colours.
pub(crate) fn print_styled(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
    let mut text = Vec::new();
    let mut out = streams::styled_out();
    let printed = write(&mut text).and_then(|()| out.write_all(&spoken::spoken_bytes(&text)));
    ended(printed.and_then(|()| out.flush()))
}

/// Calls `write` to write bytes to standard output: unchanged, unless that is a terminal, which would obey the control
/// characters in names.
pub(crate) fn print_with(
    write: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
) -> Result<(), Failure> {
    let mut out = io::BufWriter::with_capacity(1 << 16, streams::out());
    if spoken::speaker().is_some() {
        let mut text = Vec::new();
        let written = write(&mut text);
        let text = spoken::spoken_bytes(&text);
        let printed = match streams::is_terminal() {
            true => {
                let mut out = PlainLines::new(out);
                out.write_all(&text).and_then(|()| out.flush())
            }
            false => out.write_all(&text).and_then(|()| out.flush()),
        };
        return ended(written.and(printed));
    }
    if !streams::is_terminal() {
        return ended(write(&mut out).and_then(|()| out.flush()));
    }
    let mut out = PlainLines::new(out);
    ended(write(&mut out).and_then(|()| out.flush()))
}

pub(crate) fn ended(written: io::Result<()>) -> Result<(), Failure> {
    match written {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(Failure::Print(error)),
        _ => Ok(()),
    }
}

/// Prints a line to standard error. What others wrote is shortened, and cannot change how the terminal shows the rest.
fn print_aside(text: impl Display) {
    streams::write_aside(format_args!("{}", spoken::spoken(&plain_lines(&brief(&text.to_string())))));
}

/// Prints a line that begins with a word in a style.
fn print_labelled(style: Style, label: impl Display, text: impl Display) {
    let text = plain_lines(&brief(&text.to_string()));
    streams::write_aside(format_args!("{style}{label}{style:#}: {}", spoken::spoken(&text)));
}

/// Prints what is being done, beside the result.
pub(crate) fn print_step(text: &str) {
    print_aside(text);
}

/// Prints a note about a result, not about the input.
pub(crate) fn print_note(text: &str) {
    print_labelled(WARNING, "warning", text);
}

/// Prints what the user can do while the program waits.
#[cfg(feature = "view")]
pub(crate) fn print_advice(text: &str) {
    print_aside(text);
}

const ERROR: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();
const QUIET: Style = Style::new().bold();

/// Prints why the program ends early: what was found, its cause, what to do.
pub(crate) fn print_failure(failure: &Failure) {
    let Said { message, causes, hint } = Said::from(failure);
    print_labelled(ERROR, "error", message);
    for cause in causes {
        print_labelled(QUIET, "cause", cause);
    }
    if let Some(hint) = hint {
        print_labelled(QUIET, "hint", hint);
    }
}

/// Prints the name of the capture that the next lines are about, if there are several.
pub(crate) fn print_capture(path: &std::path::Path) {
    let path = brief(&path.display().to_string());
    streams::write_aside(format_args!("{QUIET}`{}`{QUIET:#}:", plain_text(&path)));
}

/// Prints what nsys says about a report that it cannot make.
pub(crate) fn print_stats_error(message: &str) {
    print_labelled(ERROR, "ERROR", message);
}

/// Prints where nsys would print something else.
pub(crate) fn print_stats_note(message: &str) {
    print_labelled(QUIET, "note", message);
}

/// Whether a diagnostic is to be printed.
pub(crate) fn is_shown(verbosity: Verbosity, diagnostic: &Diagnostic) -> bool {
    match verbosity {
        Verbosity::Quiet => false,
        Verbosity::Normal => diagnostic.code.severity() >= Severity::Warning,
        Verbosity::Notes | Verbosity::Stages => true,
    }
}

/// Prints what is wrong with the words of a command line, as clap says it.
pub(crate) fn print_wrong_words(text: &str) {
    print_aside(text.trim_end());
}

/// Prints errors and warnings about a capture, and notes if the user asked for them.
pub(crate) fn print_diagnostics(
    verbosity: Verbosity,
    diagnostics: &[Diagnostic],
    capture: Option<&CaptureContents>,
) {
    for diagnostic in diagnostics.iter().filter(|diagnostic| is_shown(verbosity, diagnostic)) {
        let code = diagnostic.code;
        let severity = code.severity().as_str();
        let counted = if diagnostic.count == 1 { String::new() } else { format!("{} × ", diagnostic.count) };
        let label = format_args!("{severity}[{}]", code.key());
        print_labelled(WARNING, label, format_args!("{counted}{}", code.meaning()));
        for example in &diagnostic.examples {
            print_aside(format_args!("  {example}"));
        }
        if let Some(hint) = hint_in(code, capture) {
            print_labelled(QUIET, "  hint", hint);
        }
    }
}

/// Prints which characters of a file are missing in all fonts.
pub(crate) fn print_missing_characters(file: &Written) {
    let missing = &file.missing_characters;
    if missing.is_empty() {
        return;
    }
    let first: String = missing.iter().take(20).collect();
    let more = if missing.len() > 20 { " …" } else { "" };
    let (path, count) = (file.path.display(), missing.len());
    let found = format_args!("`{path}` shows \u{FFFD} for {count} characters that no font has");
    print_labelled(WARNING, "warning[missing-glyph]", found);
    print_aside(format_args!("  {first}{more}"));
    print_labelled(QUIET, "  hint", "give a font that has them with `--font FILE`");
}

/// Prints how long a stage took, if the user asked for it.
pub(crate) fn print_stage(verbosity: Verbosity, stage: &str, elapsed: Duration) {
    if verbosity >= Verbosity::Stages {
        print_aside(format_args!("{stage}: {:.1} ms", elapsed.as_secs_f64() * 1e3));
    }
}

/// Prints which settings files were read, if the user asked for it.
pub(crate) fn print_settings_files(verbosity: Verbosity, paths: &[std::path::PathBuf]) {
    if verbosity >= Verbosity::Notes && !paths.is_empty() {
        let names: Vec<String> = paths.iter().map(|path| format!("`{}`", path.display())).collect();
        let order = if names.len() > 1 { ", the first has precedence" } else { "" };
        print_aside(format_args!("settings files read: {}{order}", names.join(", ")));
    }
}

/// Prints what the settings file of the working folder does. Nothing silences this: the folder may be somebody else's.
pub(crate) fn print_local_settings(path: &Path, keys: &BTreeSet<String>, replaced: &[String]) {
    const MOST: usize = 8;
    let mut names: Vec<&str> = keys.iter().take(MOST).map(String::as_str).collect();
    let more = format!("{} more", keys.len().saturating_sub(MOST));
    names.extend((keys.len() > MOST).then_some(more.as_str()));
    let replaced: Vec<String> = replaced.iter().map(|id| format!("`{id}`")).collect();
    let instead = match replaced.is_empty() {
        true => String::new(),
        false => format!(", and your own rules {} do not count", replaced.join(", ")),
    };
    print_aside(format_args!(
        "settings of the working folder count: `{}` has {}{instead}; `--no-config` leaves it out",
        path.display(),
        names.join(", ")
    ));
}

/// Prints that a user's rule was not judged on the capture, and why, if the user asked for it.
pub(crate) fn print_rule_not_judged(verbosity: Verbosity, id: &str, reason: &str) {
    if verbosity >= Verbosity::Notes {
        print_aside(format_args!("rule `{id}` was not judged: {reason}"));
    }
}

/// Prints how much of the capture did not fit into memory, if the user asked for it.
pub(crate) fn print_scratch(verbosity: Verbosity, bytes: usize) {
    if verbosity >= Verbosity::Stages && bytes > 0 {
        print_aside(format_args!(
            "put into scratch files because of --memory: {} MB",
            bytes.div_ceil(1_000_000)
        ));
    }
}

#[cfg(test)]
mod tests;
