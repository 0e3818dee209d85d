//! `show`: a table, or part of it, on standard output.

use crate::analysis_args::TimeUnit;
use crate::args::Show;
use crate::console;
use crate::console::Verbosity;
use crate::exit::Failure;
use crate::formats::Printed;
use crate::settings::Settings;
use dlprof_core::tables::filter::FilterError;
use dlprof_core::tables::{Columns, Definition, Selection, TABLES, Table, View, definition};
use dlprof_export::formats::write_table;
use dlprof_export::text_table::{write_table_list, write_text_table};

pub(crate) fn run(args: &Show) -> Result<(), Failure> {
    let wanted = args.table.as_deref().map(find).transpose()?;
    let Some(wanted) = wanted.filter(|_| !args.list) else {
        return console::print_with(|out| write_table_list(wanted, out));
    };
    let settings = Settings::new(&args.analysis)?;
    let mut conditions = args.conditions.clone();
    conditions.extend(args.iteration.map(|number| format!("iteration = {number}")));
    if let Some(op) = &args.op {
        conditions.push(op_condition(op)?);
    }
    let selection =
        Selection { columns: &args.columns, sort: &args.sort, conditions: &conditions, top: args.top };
    let unusable = |error: FilterError| Failure::Usage {
        message: error.to_string(),
        hint: Some(format!("`dlprof-agg show --list {}` describes the columns", wanted.key)),
    };
    selection.check(&Columns::from(wanted)).map_err(unusable)?;
    let profile = settings.profile()?;
    let table = (wanted.build)(&profile);
    let view = View::new(table.as_ref(), &selection).map_err(unusable)?;
    if view.rows() == 0 && table.rows() > 0 && settings.verbosity != Verbosity::Quiet {
        console::print_note("the conditions are true for no row; texts are case-sensitive");
    }
    print(&view, args.format, settings.time_unit)?;
    console::print_diagnostics(settings.verbosity, &profile.diagnostics);
    Ok(())
}

/// Prints a table.
pub(super) fn print(table: &dyn Table, format: Printed, unit: TimeUnit) -> Result<(), Failure> {
    match format {
        Printed::Table => console::print_with(|out| write_text_table(table, unit.into(), out)),
        Printed::As(format) => console::print_with(|out| write_table(table, format, out)),
    }
}

pub(super) fn find(name: &str) -> Result<&'static Definition, Failure> {
    definition(name).ok_or_else(|| {
        let known: Vec<&str> = TABLES.iter().map(|definition| definition.key).collect();
        Failure::Usage {
            message: format!("there is no table `{name}`"),
            hint: Some(format!("tables are {}", known.join(", "))),
        }
    })
}

fn op_condition(op: &str) -> Result<String, Failure> {
    if op.contains('\'') {
        return Err(Failure::Usage {
            message: format!("`{op}` is not an op ID of this capture"),
            hint: Some("`dlprof-agg show ops FILE` lists the op IDs".into()),
        });
    }
    Ok(format!("op_id = '{op}'"))
}
