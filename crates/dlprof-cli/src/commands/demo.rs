//! `demo`: shows what the program does, on a machine that has no capture.

use crate::console::{self, locale, terminal};
use crate::exit::Failure;
use dlprof_core::{BegunFolder, Capture, KeyNodeChoice, RangeChoice, ReadOptions};
use dlprof_export::{
    Colour, DASHBOARD_COLUMNS, DashboardDetails, DashboardLook, Target, TimeUnit, overview, write_dashboard,
};
use std::path::Path;

/// A capture made by `testdata/generate`; `testdata/README.md` has the command.
const SAMPLE: &[u8] = include_bytes!("../../../../testdata/sample.sqlite");

/// Writes the sample to a file, and prints what to do with it.
pub(crate) fn write(target: &Target) -> Result<(), Failure> {
    target.write(|out| out.write_all(SAMPLE))?;
    if target.is_stream() {
        return Ok(());
    }
    console::print(&format!("{}\n", command_line(target.path())))
}

/// Shows the dashboard of the sample.
pub(crate) fn show() -> Result<(), Failure> {
    let folder = BegunFolder::temporary().map_err(Failure::Temporary)?;
    let sample = folder.path().join("sample.sqlite");
    std::fs::write(&sample, SAMPLE).map_err(Failure::Temporary)?;
    let capture = Capture::read(&sample, &ReadOptions::default())?;
    let profile = capture.index(&KeyNodeChoice::Find)?.profile(&RangeChoice::from(15..=58))?;
    let look = DashboardLook {
        profile_name: Some("demo"),
        time_unit: TimeUnit::Auto,
        colour: Colour::Ansi,
        details: DashboardDetails::Best,
        columns: terminal::width().unwrap_or(DASHBOARD_COLUMNS),
        letters: locale::letters(),
        ncu: None,
    };
    let overview = overview(&profile.into(), look.time_unit);
    console::print_styled(|out| {
        write_dashboard(&overview, &look, out)?;
        writeln!(out, "\nThis is a generated sample. To try it yourself:")?;
        writeln!(out, "  dlprof-agg demo -o sample.sqlite")?;
        writeln!(out, "  {}", command_line(Path::new("sample.sqlite")))
    })
}

fn command_line(path: &Path) -> String {
    format!("dlprof-agg --iter-start 15 --iter-stop 58 {}", path.display())
}
