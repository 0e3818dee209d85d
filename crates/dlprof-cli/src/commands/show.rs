//! `show`: a table as text.

use crate::args::Show;
use crate::exit::Failure;
use crate::settings::Settings;
use crate::{console, dashboard};
use dlprof_core::tables::TABLES;

pub(crate) fn run(args: &Show) -> Result<(), Failure> {
    let wanted = args.table.replace('-', "_");
    let Some((_, build)) = TABLES.iter().find(|(key, _)| *key == wanted) else {
        let known: Vec<&str> = TABLES.iter().map(|(key, _)| *key).collect();
        return Err(Failure::Usage {
            message: format!("there is no table `{}`", args.table),
            hint: Some(format!("tables are {}", known.join(", "))),
        });
    };
    let settings = Settings::new(&args.analysis)?;
    let capture = settings.read()?;
    let profile = capture.profile(&settings.iterations)?;
    let table = build(&profile);
    let lines = dashboard::whole_table(table.as_ref(), args.top, settings.time_unit);
    console::print(&lines.iter().map(|line| format!("{line}\n")).collect::<String>())?;
    console::print_diagnostics(settings.verbosity, &profile.diagnostics);
    Ok(())
}
