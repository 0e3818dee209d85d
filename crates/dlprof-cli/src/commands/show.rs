//! `show`: a table, or part of it, on standard output.

use super::per_iteration;
use super::row_choice::{self, Rows};
use crate::console::pager::{Paging, print_paged};
use crate::console::{self, Verbosity, terminal};
use crate::exit::Failure;
use crate::opening::CaptureFile;
use dlprof_core::{
    Definition, Layout, MeansNamedIn, Selection, SelectionError, TABLES, Table, View, definition,
    marked_mistake, name_means, near_names, why_empty, why_no_row,
};
use dlprof_export::{
    Format, ShownChoice, ShownLook, ShownWidth, TimeUnit, write_shown_table, write_table, write_table_list,
};
use std::sync::Arc;

/// What to show of a table, and how.
pub(crate) struct Show {
    pub(crate) file: CaptureFile,
    pub(crate) table: &'static Definition,
    pub(crate) shown: ColumnsAndOrder,
    /// Which rows.
    pub(crate) rows: Rows,
    /// All of these are true.
    pub(crate) conditions: Vec<String>,
    /// Whether sums are divided by the number of iterations.
    pub(crate) per_iteration: bool,
    /// Whether the width of the terminal does not matter.
    pub(crate) is_wide: bool,
    pub(crate) format: Printed,
    pub(crate) paging: Paging,
}

/// Which columns are shown, and in which order rows come.
#[derive(Default)]
pub(crate) struct ColumnsAndOrder {
    /// Keys or titles, in this order; empty for the important ones, `all` for all.
    pub(crate) columns: Vec<String>,
    /// Columns to sort by; empty for the usual order.
    pub(crate) sort: Vec<String>,
    /// Only so many rows.
    pub(crate) top: Option<usize>,
}

/// The form in which a table is written to standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Printed {
    /// Text for people.
    Table,
    /// A format of text.
    As(Format),
}

/// Describes a table, or all tables, and their columns.
pub(crate) fn list(table: Option<&'static Definition>, paging: &Paging) -> Result<(), Failure> {
    print_paged(paging, |out| write_table_list(table, out))
}

pub(crate) fn run(asked: &Show) -> Result<(), Failure> {
    let Show { file, table: definition, .. } = asked;
    asked.rows.check(definition)?;
    if asked.per_iteration {
        per_iteration::check(definition)?;
    }
    let selection = Chosen::new(&asked.shown, definition.layout, asked.format);
    let unusable = |error: SelectionError| unusable(&error, definition.key);
    let columns = definition.columns(!file.settings.asked.read.ncu.logs.is_empty());
    selection.as_selection(&asked.conditions).check(&columns).map_err(unusable)?;
    let profile = file.open()?;
    let table: Arc<dyn Table> = (definition.build)(&profile).into();
    let table = if asked.per_iteration { per_iteration::means(table, &profile)? } else { table };
    let mut conditions = asked.conditions.clone();
    conditions.extend(asked.rows.conditions(&profile, table.as_ref())?);
    let usual = definition.layout.usual;
    let is_usual = !usual.is_empty() && asked.conditions.is_empty() && matches!(asked.format, Printed::Table);
    if is_usual {
        conditions.push(usual.to_owned());
    }
    let view = View::new(table.as_ref(), &selection.as_selection(&conditions)).map_err(unusable)?;
    if view.rows() == 0 && table.rows() > 0 && file.settings.verbosity != Verbosity::Quiet {
        why_no_row(table.as_ref(), &conditions, &profile).iter().for_each(|why| console::print_note(why));
    }
    if let Some(why) = why_empty(table.as_ref(), &profile)
        && file.settings.verbosity != Verbosity::Quiet
    {
        console::print_note(&why);
    }
    let look = Look { choice: selection.choice, ..Look::new(file.settings.time_unit) };
    let look = if asked.is_wide { Look { width: ShownWidth::Whole, ..look } } else { look };
    match asked.format {
        Printed::Table => {
            print(&name_means(view.clone(), MeansNamedIn::Titles), asked.format, &look, &asked.paging)?
        }
        Printed::As(_) => {
            print(&name_means(view.clone(), MeansNamedIn::Keys), asked.format, &look, &asked.paging)?
        }
    }
    if let Some(sums) = per_iteration::about_sums(&view, &profile)
        && file.settings.verbosity != Verbosity::Quiet
    {
        console::print_step(&sums);
    }
    file.finish(&profile);
    Ok(())
}

/// Columns and rows of a table, in the order in which files have them, as a table of its own.
pub(crate) fn selected(
    table: Arc<dyn Table>,
    shown: &ColumnsAndOrder,
    conditions: &[String],
) -> Result<View<'static>, Failure> {
    let chosen = Chosen::new(shown, table.layout(), Printed::As(Format::Csv));
    let key = table.key().to_owned();
    View::shared(table).select(&chosen.as_selection(conditions)).map_err(|error| unusable(&error, &key))
}

/// Why columns, order or conditions do not fit a table.
pub(super) fn unusable(error: &SelectionError, table: &str) -> Failure {
    let (message, hint) = match error {
        SelectionError::Condition { text, mistake } => {
            (format!("{error}\n{}", marked_mistake(text, mistake.character(text))), mistake.hint())
        }
        _ => (error.to_string(), None),
    };
    let describe = || format!("`dlprof-agg show --list {table}` describes the columns");
    Failure::Usage { message, hint: Some(hint.unwrap_or_else(describe)) }
}

/// How a table is printed for people.
#[derive(Clone, Copy)]
pub(super) struct Look {
    pub(super) width: ShownWidth,
    pub(super) choice: ShownChoice,
    pub(super) time_unit: TimeUnit,
}

impl Look {
    /// As wide as the terminal, whole elsewhere.
    pub(super) fn new(time_unit: TimeUnit) -> Self {
        let width = terminal::width().map_or(ShownWidth::Whole, ShownWidth::Columns);
        Self { width, choice: ShownChoice::Important, time_unit }
    }
}

/// Prints a table.
pub(super) fn print(table: &dyn Table, format: Printed, look: &Look, paging: &Paging) -> Result<(), Failure> {
    let Look { width, choice, time_unit } = *look;
    let look = ShownLook { width, choice, time_unit };
    match format {
        Printed::Table => print_paged(paging, |out| write_shown_table(table, &look, out)),
        Printed::As(format) => console::print_with(|out| write_table(table, format, out)),
    }
}

/// Columns, order and number of rows.
pub(super) struct Chosen {
    columns: Vec<String>,
    sort: Vec<String>,
    top: Option<usize>,
    pub(super) choice: ShownChoice,
}

impl Chosen {
    pub(super) fn new(asked: &ColumnsAndOrder, layout: &Layout, format: Printed) -> Self {
        let is_all = matches!(&asked.columns[..], [one] if one.eq_ignore_ascii_case("all"));
        let choice = match (is_all, asked.columns.is_empty()) {
            (true, _) => ShownChoice::All,
            (false, true) => ShownChoice::Important,
            (false, false) => ShownChoice::Given,
        };
        // Data keeps the order of the table, but its first rows are those that people see first.
        let is_sorted = !asked.sort.is_empty();
        let sort = match format {
            _ if is_sorted => asked.sort.clone(),
            Printed::As(_) if asked.top.is_none() => Vec::new(),
            _ => layout.sort(),
        };
        let columns = if choice == ShownChoice::Given { asked.columns.clone() } else { Vec::new() };
        Self { columns, sort, top: asked.top, choice }
    }

    pub(super) fn as_selection<'a>(&'a self, conditions: &'a [String]) -> Selection<'a> {
        Selection { columns: &self.columns, sort: &self.sort, conditions, top: self.top }
    }
}

/// The definition of a table.
pub(crate) fn find(name: &str) -> Result<&'static Definition, Failure> {
    definition(name).ok_or_else(|| {
        let keys = || TABLES.iter().map(|definition| definition.key);
        let near = near_names(name, keys());
        let hint = match row_choice::alternatives(&near) {
            Some(tables) => format!("did you mean {tables}? `dlprof-agg show --help` lists all tables"),
            None => format!("tables are {}", keys().collect::<Vec<_>>().join(", ")),
        };
        Failure::Usage { message: format!("there is no table `{name}`"), hint: Some(hint) }
    })
}
