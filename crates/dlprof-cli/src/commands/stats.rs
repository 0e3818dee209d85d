//! `stats`: the reports of `nsys stats`.
//!
//! ```text
//! arguments ──► orders: report, format, output ──► capture with records ──► each order: make, write, or say why not
//! ```

mod orders;
mod right;

use crate::exit::{self, Failure};
use crate::settings::Settings;
use crate::stats_args::Stats;
use crate::{console, inputs};
use dlprof_core::Capture;
use dlprof_core::nsys_stats::{Form, REPORTS, Refusal, make};
use dlprof_export::nsys_text::{Layout, StatsFormat, write_report};
use orders::{Order, Output};
use std::io::Write;
use std::process::{Command, Stdio};

/// Prints reports. The code tells whether one of those that were asked for was skipped.
pub(crate) fn run(args: &Stats) -> Result<u8, Failure> {
    let form = Form::from(args.like);
    if args.help_reports {
        return list(form).map(|()| exit::DONE);
    }
    if args.help_formats {
        return list_formats().map(|()| exit::DONE);
    }
    if args.report_dir.is_some() {
        return Err(Failure::Usage {
            message: "`--report-dir` names scripts of nsys, which this program does not run".into(),
            hint: Some("its reports are built in; `dlprof-agg query` answers SQL about a capture".into()),
        });
    }
    if args.analysis.options.from.is_some() || args.analysis.options.to.is_some() {
        return Err(Failure::Usage {
            message: "`stats` prints the reports of `nsys stats`, which know no `--from` and `--to`".into(),
            hint: Some(
                "`--filter-time` chooses a time; `show` and `export` have tables of a part of a capture"
                    .into(),
            ),
        });
    }
    let settings = Settings::new(&args.analysis)?;
    let read = args.analysis.file.iter().chain(&args.analysis.database);
    let mut inputs = inputs::of(read, &args.analysis.options.general);
    if let Some(file) = &args.sqlite {
        settings.use_export(file, args.force_export == Some(true), &inputs)?;
        inputs.add(file);
    }
    let (orders, refused) = orders::of(args, form, &settings, &inputs)?;
    for message in &refused {
        console::print_stats_error(message);
    }
    let capture = settings.records()?;
    let mut skipped = 0;
    let mut failed = refused.len();
    for order in &orders {
        match print(&capture, order, form, args)? {
            None => {}
            Some(Refusal::Skipped(_)) => skipped += 1,
            Some(Refusal::Failed(_)) => failed += 1,
        }
    }
    // The default list has reports about much that few programs use.
    let is_missing = if args.reports.is_empty() { skipped == orders.len() } else { skipped > 0 };
    Ok(match (failed > 0, is_missing) {
        (true, _) if !refused.is_empty() => exit::USAGE,
        (true, _) | (false, true) => exit::REQUEST,
        (false, false) => exit::DONE,
    })
}

/// Lists the reports of a version.
fn list(form: Form) -> Result<(), Failure> {
    let mut text = String::new();
    for entry in REPORTS {
        if let Some(name) = entry.name_in(form) {
            text.push_str(&format!("  {name:26} {}\n", entry.title));
        }
    }
    console::print(&text)
}

/// Lists the formats, and what may follow their names.
fn list_formats() -> Result<(), Failure> {
    let line = |(_, format): (&str, StatsFormat)| {
        let (usage, doc) = format.usage();
        format!("  {usage:44} {doc}\n")
    };
    console::print(&StatsFormat::ALL.into_iter().map(line).collect::<String>())
}

/// Makes and writes a report; says why if it cannot be made.
fn print(capture: &Capture, order: &Order, form: Form, args: &Stats) -> Result<Option<Refusal>, Failure> {
    let is_quiet = args.analysis.options.general.is_quiet();
    if !is_quiet {
        console::print(&order.processing())?;
    }
    let report = match make(capture, &order.request, form, &order.file) {
        Ok(report) => report,
        Err(refusal) => {
            say(&refusal, is_quiet)?;
            order.leave_empty(form)?;
            return Ok(Some(refusal));
        }
    };
    let layout = Layout {
        form,
        time_unit: args.timeunit,
        title: order.request.entry.title,
        name: &order.name,
        arguments: &order.arguments,
    };
    let write = |out: &mut dyn Write| write_report(&report, order.format, &layout, out);
    let note = (form == Form::Right).then(|| right::note(capture, order, &report)).flatten();
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
fn say(refusal: &Refusal, is_quiet: bool) -> Result<(), Failure> {
    match refusal {
        Refusal::Skipped(_) if is_quiet => Ok(()),
        Refusal::Skipped(message) => console::print(&format!("SKIPPED: {message}\n\n")),
        Refusal::Failed(message) => {
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
    let mut child = Command::new(program)
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
