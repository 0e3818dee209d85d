//! `show`: a table, or part of it, on standard output.

use crate::args::{Show, ShowFormat, TimeUnit};
use crate::exit::Failure;
use crate::settings::{Settings, Verbosity};
use crate::text::{pad, wrap};
use crate::{console, dashboard};
use dlprof_core::tables::filter::FilterError;
use dlprof_core::tables::{Columns, Definition, Selection, TABLES, Table, View, definition};
use dlprof_export::formats::{Format, write_table};

pub(crate) fn run(args: &Show) -> Result<(), Failure> {
    let wanted = args.table.as_deref().map(find).transpose()?;
    let Some(wanted) = wanted.filter(|_| !args.list) else {
        return console::print(&describe(wanted));
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
    let source = settings.read(wanted.rows)?;
    let profile = source.profile()?;
    let table = (wanted.build)(&profile);
    let view = View::new(table.as_ref(), &selection).map_err(unusable)?;
    if view.rows() == 0 && table.rows() > 0 && settings.verbosity != Verbosity::Quiet {
        console::print_note("no row fulfils the conditions; texts are case-sensitive");
    }
    print(&view, args.format, settings.time_unit)?;
    console::print_diagnostics(settings.verbosity, &profile.diagnostics);
    Ok(())
}

/// Prints a table.
pub(super) fn print(table: &dyn Table, format: ShowFormat, unit: TimeUnit) -> Result<(), Failure> {
    let format = match format {
        ShowFormat::Table => {
            let lines = dashboard::whole_table(table, unit);
            return console::print(&lines.iter().map(|line| format!("{line}\n")).collect::<String>());
        }
        ShowFormat::Csv => Format::Csv,
        ShowFormat::Tsv => Format::Tsv,
        ShowFormat::Json => Format::Json,
        ShowFormat::Ndjson => Format::Ndjson,
        ShowFormat::Markdown => Format::Markdown,
    };
    console::print_with(|out| write_table(table, format, out))
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
            message: format!("`{op}` is no op ID"),
            hint: Some("`dlprof-agg show ops FILE` lists them".into()),
        });
    }
    Ok(format!("op_id = '{op}'"))
}

/// Tables with their columns; only one if it is named.
fn describe(only: Option<&Definition>) -> String {
    let mut text = String::new();
    for definition in TABLES.iter().filter(|one| only.is_none_or(|only| only.key == one.key)) {
        text.push_str(&format!("{}: {}\n", definition.key, definition.doc));
        for header in definition.headers() {
            let start = format!("  {}{}", pad(header.key, 32), pad(header.unit.symbol(), 6));
            let lines = wrap(header.doc, 100 - start.len());
            let indent = " ".repeat(start.len());
            for (at, line) in lines.iter().enumerate() {
                text.push_str(&format!("{}{line}\n", if at == 0 { &start } else { &indent }));
            }
        }
    }
    text
}
