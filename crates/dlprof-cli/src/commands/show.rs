//! `show`: a table, or part of it, on standard output.

use super::row_choice::{self, Rows};
use crate::analysis_args::TimeUnit;
use crate::console;
use crate::console::Verbosity;
use crate::exit::Failure;
use crate::formats::Printed;
use crate::pager::print_paged;
use crate::settings::Settings;
use crate::show_args::{Paging, Show};
use crate::terminal;
use dlprof_core::advice::tables::{Definition, TABLES, definition};
use dlprof_core::tables::expression::marked;
use dlprof_core::tables::near::near;
use dlprof_core::tables::{Columns, Selection, SelectionError, Table, View};
use dlprof_export::formats::write_table;
use dlprof_export::shown::{self, Choice, Width, write_shown_table};
use dlprof_export::table_list::write_table_list;
use std::path::{Path, PathBuf};

pub(crate) fn run(args: &Show) -> Result<(), Failure> {
    let (table, mut analysis) = (args.table.as_deref(), args.analysis.clone());
    let wanted = match (table, &analysis.file) {
        (Some(file), Some(table)) if definition(file).is_none() => match definition(&table.to_string_lossy())
        {
            // The file came first.
            Some(definition) => {
                analysis.file = Some(PathBuf::from(file));
                Some(definition)
            }
            None => Some(find(file)?),
        },
        // A file alone behind `--list` is not a table: all tables are described.
        (Some(file), None) if args.list && Path::new(file).exists() && definition(file).is_none() => None,
        (table, _) => table.map(find).transpose()?,
    };
    let Some(wanted) = wanted.filter(|_| !args.list) else {
        return print_paged(&args.paging, |out| write_table_list(wanted, out));
    };
    let rows = Rows { iteration: args.iteration, op: args.op.as_deref() };
    rows.check(wanted)?;
    let settings = Settings::new(&analysis)?;
    let selection = Chosen::new(args, wanted);
    let unusable = |error: SelectionError| unusable(&error, wanted);
    selection.as_selection(&args.conditions).check(&Columns::from(wanted)).map_err(unusable)?;
    let profile = settings.profile()?;
    let table = (wanted.build)(&profile);
    let mut conditions = args.conditions.clone();
    conditions.extend(rows.conditions(&profile, table.as_ref())?);
    let usual = wanted.layout.usual;
    let is_usual = !usual.is_empty() && args.conditions.is_empty() && matches!(args.format, Printed::Table);
    if is_usual {
        conditions.push(usual.to_owned());
    }
    let view = View::new(table.as_ref(), &selection.as_selection(&conditions)).map_err(unusable)?;
    if view.rows() == 0 && table.rows() > 0 && settings.verbosity != Verbosity::Quiet {
        console::print_note("the conditions are true for no row; texts are case-sensitive");
    }
    let look = Look { choice: selection.choice, ..Look::new(settings.time_unit) };
    let look = if args.wide { Look { width: Width::Whole, ..look } } else { look };
    print(&view, args.format, &look, &args.paging)?;
    settings.finish(&profile);
    Ok(())
}

/// Why columns, order or conditions do not fit a table.
fn unusable(error: &SelectionError, table: &Definition) -> Failure {
    let (message, hint) = match error {
        SelectionError::Condition { text, mistake } => {
            (format!("{error}\n{}", marked(text, mistake.character(text))), mistake.hint())
        }
        _ => (error.to_string(), None),
    };
    let describe = || format!("`dlprof-agg show --list {}` describes the columns", table.key);
    Failure::Usage { message, hint: Some(hint.unwrap_or_else(describe)) }
}

/// How a table is printed for people.
#[derive(Debug, Clone, Copy)]
pub(super) struct Look {
    pub(super) width: Width,
    pub(super) choice: Choice,
    pub(super) time_unit: TimeUnit,
}

impl Look {
    /// As wide as the terminal, whole elsewhere.
    pub(super) fn new(time_unit: TimeUnit) -> Self {
        let width = terminal::width().map_or(Width::Whole, Width::Columns);
        Self { width, choice: Choice::Important, time_unit }
    }
}

/// Prints a table.
pub(super) fn print(table: &dyn Table, format: Printed, look: &Look, paging: &Paging) -> Result<(), Failure> {
    let Look { width, choice, time_unit } = *look;
    let look = shown::Look { width, choice, time_unit: time_unit.into() };
    match format {
        Printed::Table => print_paged(paging, |out| write_shown_table(table, &look, out)),
        Printed::As(format) => console::print_with(|out| write_table(table, format, out)),
    }
}

/// Columns, order and number of rows.
struct Chosen {
    columns: Vec<String>,
    sort: Vec<String>,
    top: Option<usize>,
    choice: Choice,
}

impl Chosen {
    fn new(args: &Show, table: &Definition) -> Self {
        let is_all = matches!(&args.columns[..], [one] if one.eq_ignore_ascii_case("all"));
        let choice = match (is_all, args.columns.is_empty()) {
            (true, _) => Choice::All,
            (false, true) => Choice::Important,
            (false, false) => Choice::Given,
        };
        // Data keeps the order of the table, but its first rows are those that people see first.
        let is_sorted = !args.sort.is_empty();
        let sort = match args.format {
            _ if is_sorted => args.sort.clone(),
            Printed::As(_) if args.top.is_none() => Vec::new(),
            _ => table.layout.sort(),
        };
        let columns = if choice == Choice::Given { args.columns.clone() } else { Vec::new() };
        Self { columns, sort, top: args.top, choice }
    }

    fn as_selection<'a>(&'a self, conditions: &'a [String]) -> Selection<'a> {
        Selection { columns: &self.columns, sort: &self.sort, conditions, top: self.top }
    }
}

/// The definition of a table.
pub(super) fn find(name: &str) -> Result<&'static Definition, Failure> {
    definition(name).ok_or_else(|| {
        let keys = || TABLES.iter().map(|definition| definition.key);
        let near = near(name, keys());
        let hint = match row_choice::alternatives(&near) {
            Some(tables) => format!("did you mean {tables}? `dlprof-agg show --help` lists all tables"),
            None => format!("tables are {}", keys().collect::<Vec<_>>().join(", ")),
        };
        Failure::Usage { message: format!("there is no table `{name}`"), hint: Some(hint) }
    })
}
