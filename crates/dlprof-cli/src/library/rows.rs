//! Which columns and rows of a table.

use super::refusal::Refusal;
use crate::commands::per_iteration;
use crate::commands::show::{ColumnsAndOrder, selected};
use dlprof_core::{Definition, Judged, MeansNamedIn, Table, View, name_means};
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
    /// At most this many rows; those that people see first if nothing says how to sort.
    pub top: Option<usize>,
    /// Whether sums over the aggregated iterations are divided by their number.
    pub per_iteration: bool,
}

impl RowsAsked {
    /// These of a table.
    pub(super) fn of(self, table: Arc<dyn Table>) -> Result<View<'static>, Refusal> {
        let Self { columns, conditions, sort, top, per_iteration: _ } = self;
        Ok(selected(table, &ColumnsAndOrder { columns, sort, top }, &conditions)?)
    }

    /// These of a table of a capture.
    pub(super) fn of_capture(
        self,
        definition: &'static Definition,
        judged: &Judged,
    ) -> Result<View<'static>, Refusal> {
        let table: Arc<dyn Table> = (definition.build)(judged).into();
        if !self.per_iteration {
            return self.of(table);
        }
        per_iteration::check(definition)?;
        let view = self.of(per_iteration::means(table, judged)?)?;
        Ok(View::shared(Arc::new(name_means(view, MeansNamedIn::Keys))))
    }
}
