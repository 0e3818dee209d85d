//! `stats`: the reports of `nsys stats`.
//!
//! ```text
//! arguments ──► orders: report, format, output ──► capture with records ──► each order: make, write, or say why not
//! ```

mod orders;
mod right;

use crate::console::{self, Verbosity};
use crate::exit::{self, Failure};
use crate::opening::CaptureFile;
use crate::process::programs;
use dlprof_core::{Capture, NSYS_REPORTS, NsysForm, NsysRefusal, make_nsys_report};
use dlprof_export::{Inputs, NsysLayout, Overwrite, StatsFormat, StatsTimeUnit, write_nsys_report};
use orders::{Order, Output};
use std::io::Write;
use std::process::Stdio;

/// Which reports to print, in whose form, and where.
pub(crate) struct Stats {
    pub(crate) file: CaptureFile,
    pub(crate) form: NsysForm,
    /// Names with arguments; empty for those of nsys.
    pub(crate) reports: Vec<String>,
    /// For the first, second … report; the last one for the rest. So are the outputs.
    pub(crate) formats: Vec<String>,
    pub(crate) outputs: Vec<String>,
    pub(crate) time_unit: StatsTimeUnit,
    pub(crate) filter: RowFilter,
    pub(crate) overwrite: Overwrite,
    /// What must not be written over.
    pub(crate) inputs: Inputs,
}

/// Which rows are printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RowFilter {
    /// All.
    None,
    /// Those that touch a time.
    Time(TimeWindow),
    /// Those of an NVTX range, as the user wrote it.
    Range(String),
}

/// A window of time in nanoseconds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TimeWindow {
    /// The first nanosecond, and how the user wrote it.
    pub(crate) start: (i64, String),
    /// The nanosecond after the last, and how the user wrote it.
    pub(crate) end: (i64, String),
}

/// Prints reports. The code tells whether one of those that were asked for was skipped.
pub(crate) fn run(asked: &Stats) -> Result<u8, Failure> {
    let (orders, refused) = orders::of(asked)?;
    for message in &refused {
        console::print_stats_error(message);
    }
    let capture = asked.file.records()?;
    let mut skipped = 0;
    let mut failed = refused.len();
    for order in &orders {
        match print(&capture, order, asked)? {
            None => {}
            Some(NsysRefusal::Skipped(_)) => skipped += 1,
            Some(NsysRefusal::Failed(_)) => failed += 1,
        }
    }
    // The default list has reports about much that few programs use.
    let is_missing = if asked.reports.is_empty() { skipped == orders.len() } else { skipped > 0 };
    Ok(match (failed > 0, is_missing) {
        (true, _) if !refused.is_empty() => exit::USAGE,
        (true, _) | (false, true) => exit::REQUEST,
        (false, false) => exit::DONE,
    })
}

/// Lists the reports of a version.
pub(crate) fn list(form: NsysForm) -> Result<(), Failure> {
    let mut text = String::new();
    for entry in NSYS_REPORTS {
        if let Some(name) = entry.name_in(form) {
            text.push_str(&format!("  {name:26} {}\n", entry.title));
        }
    }
    console::print(&text)
}

/// Lists the formats, and what may follow their names.
pub(crate) fn list_formats() -> Result<(), Failure> {
    let line = |(_, format): (&str, StatsFormat)| {
        let (usage, doc) = format.usage();
        format!("  {usage:44} {doc}\n")
    };
    console::print(&StatsFormat::ALL.into_iter().map(line).collect::<String>())
}

/// Makes and writes a report; says why if it cannot be made.
fn print(capture: &Capture, order: &Order, asked: &Stats) -> Result<Option<NsysRefusal>, Failure> {
    let (form, is_quiet) = (asked.form, asked.file.settings.verbosity == Verbosity::Quiet);
    if !is_quiet {
        console::print(&order.processing())?;
    }
    let report = match make_nsys_report(capture, &order.request, form, &order.file) {
        Ok(report) => report,
        Err(refusal) => {
            say(&refusal, is_quiet)?;
            order.leave_empty(form)?;
            return Ok(Some(refusal));
        }
    };
    let layout = NsysLayout {
        form,
        time_unit: asked.time_unit,
        title: order.request.entry.title,
        name: &order.name,
        arguments: &order.arguments,
    };
    let write = |out: &mut dyn Write| write_nsys_report(&report, order.format, &layout, out);
    let note = (form == NsysForm::Right).then(|| right::note(capture, order, &report)).flatten();
    match &order.output {
        Output::Console => console::print_with(|out| {
            write(out)?;
            if let Some(note) = note.as_ref().filter(|_| is_for_people(order.format)) {
                writeln!(out, "\n{note}")?;
            }
            writeln!(out)
        })?,
        Output::File(target) => {
            target.write(|out| write(out))?;
            if !is_quiet {
                console::print("\n")?;
            }
        }
        Output::Command(words) => {
            let mut text = Vec::new();
            write(&mut text).map_err(Failure::Print)?;
            pass_on(words, &text)?;
        }
    }
    let is_apart = order.output != Output::Console || !is_for_people(order.format);
    if let Some(note) = note.filter(|_| is_apart && !is_quiet) {
        console::print_stats_note(&format!("{}: {note}", order.name));
    }
    Ok(None)
}

fn is_for_people(format: StatsFormat) -> bool {
    matches!(format, StatsFormat::Column | StatsFormat::Table)
}

/// Says why a report is not printed.
fn say(refusal: &NsysRefusal, is_quiet: bool) -> Result<(), Failure> {
    match refusal {
        NsysRefusal::Skipped(_) if is_quiet => Ok(()),
        NsysRefusal::Skipped(message) => console::print(&format!("SKIPPED: {message}\n\n")),
        NsysRefusal::Failed(message) => {
            console::print_stats_error(message);
            Ok(())
        }
    }
}

/// Passes a text to the standard input of a command.
fn pass_on(words: &[String], text: &[u8]) -> Result<(), Failure> {
    let failed = |cause: String| Failure::Input {
        message: format!("cannot pass the report to `{}`", words.join(" ")),
        cause: Some(cause),
        hint: Some("give a command that reads its standard input, such as `@less`".into()),
    };
    let (program, arguments) = words.split_first().ok_or_else(|| failed("the command is empty".into()))?;
    let found = programs::find(program.as_ref()).ok_or_else(|| failed("there is no such program".into()))?;
    let mut child = programs::command(&found)
        .args(arguments)
        .stdin(Stdio::piped())
        .spawn()
        .map_err(|error| failed(error.to_string()))?;
    if let Some(mut input) = child.stdin.take() {
        // A command may end without reading all.
        drop(input.write_all(text));
    }
    let status = child.wait().map_err(|error| failed(error.to_string()))?;
    if status.success() { Ok(()) } else { Err(failed(status.to_string())) }
}
