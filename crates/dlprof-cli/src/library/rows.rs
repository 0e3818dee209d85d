//! Which columns and rows of a table.

use super::refusal::Refusal;
use crate::commands::show::{ColumnsAndOrder, selected};
use dlprof_core::{Table, View};
use std::sync::Arc;

/// Which columns and rows of a table, as options of `show` say it.
#[derive(Debug, Clone, Default)]
pub struct RowsAsked {
    /// Keys or titles, in this order; all if empty.
    pub columns: Vec<String>,
    /// Conditions, of which all are true.
    pub conditions: Vec<String>,
    /// Columns to sort by; `-` in front for the largest first. The order of the table if empty.
    pub sort: Vec<String>,
    /// At most so many rows; those that people see first if nothing says how to sort.
    pub top: Option<usize>,
}

impl RowsAsked {
    /// These of a table.
    pub(super) fn of(self, table: Arc<dyn Table>) -> Result<View<'static>, Refusal> {
        let Self { columns, conditions, sort, top } = self;
        Ok(selected(table, &ColumnsAndOrder { columns, sort, top }, &conditions)?)
    }
}
