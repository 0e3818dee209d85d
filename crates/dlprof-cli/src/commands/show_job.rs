//! `show` of a table of a job of many ranks.

use super::ranks::JobOfCaptures;
use super::show::{Chosen, ColumnsAndOrder, Look, Printed, print, unusable};
use crate::console::pager::{Paging, print_paged};
use crate::exit::Failure;
use dlprof_core::{Columns, JobTableDefinition, SelectionError, View};
use dlprof_export::{ShownWidth, write_job_table};

/// What to show of a table of a job, and how.
pub(crate) struct ShowOfJob {
    pub(crate) job: JobOfCaptures,
    pub(crate) table: &'static JobTableDefinition,
    pub(crate) shown: ColumnsAndOrder,
    /// All of these are true.
    pub(crate) conditions: Vec<String>,
    /// Whether the width of the terminal does not matter.
    pub(crate) is_wide: bool,
    pub(crate) format: Printed,
    pub(crate) paging: Paging,
}

/// Describes a table and its columns.
pub(crate) fn list(table: &JobTableDefinition, paging: &Paging) -> Result<(), Failure> {
    print_paged(paging, |out| write_job_table(table, out))
}

pub(crate) fn run(asked: &ShowOfJob) -> Result<(), Failure> {
    let ShowOfJob { job, table: definition, .. } = asked;
    let chosen = Chosen::new(&asked.shown, definition.layout, asked.format);
    let selection = chosen.as_selection(&asked.conditions);
    let unusable = |error: SelectionError| unusable(&error, definition.key);
    selection.check(&Columns::from(*definition)).map_err(unusable)?;
    let table = (definition.build)(&job.open()?);
    let view = View::new(table.as_ref(), &selection).map_err(unusable)?;
    let look = Look { choice: chosen.choice, ..Look::new(job.settings.time_unit) };
    let look = if asked.is_wide { Look { width: ShownWidth::Whole, ..look } } else { look };
    print(&view, asked.format, &look, &asked.paging)
}
