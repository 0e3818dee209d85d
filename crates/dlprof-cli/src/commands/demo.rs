//! `demo`: works on a fresh machine with nothing at hand.

use crate::args::{Demo, TimeUnit};
use crate::exit::Failure;
use crate::{console, dashboard};
use dlprof_core::{Capture, IterationOptions, ReadOptions};
use dlprof_export::{Overwrite, check_target, write_file};
use std::path::Path;

/// A capture made by `examples/generate` of `dlprof-core`; `testdata/README.md` has the command.
const SAMPLE: &[u8] = include_bytes!("../../../../testdata/sample.sqlite");

pub(crate) fn run(args: Demo) -> Result<(), Failure> {
    match args.output {
        Some(path) => {
            check_target(&path, if args.force { Overwrite::Replace } else { Overwrite::Refuse })?;
            write_file(&path, SAMPLE)?;
            console::print(&format!("{}\n", command_line(&path)))
        }
        None => show(),
    }
}

fn show() -> Result<(), Failure> {
    let folder = tempfile::tempdir().map_err(Failure::Temporary)?;
    let sample = folder.path().join("sample.sqlite");
    write_file(&sample, SAMPLE)?;
    let capture = Capture::read(&sample, ReadOptions::default())?;
    let options =
        IterationOptions { iter_start: Some(15), iter_stop: Some(58), ..IterationOptions::default() };
    let profile = capture.profile(&options)?;
    let shown = dashboard::render(&profile, Some("demo"), TimeUnit::Auto);
    let next = command_line(Path::new("sample.sqlite"));
    console::print(&format!(
        "{shown}\nThis is a generated sample. To try it yourself:\n  dlprof-agg demo -o sample.sqlite\n  {next}\n"
    ))
}

fn command_line(path: &Path) -> String {
    format!("dlprof-agg --iter-start 15 --iter-stop 58 {}", path.display())
}
