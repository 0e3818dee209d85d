//! Where the rows of a table go, whichever reader they come from.

use super::row::{Row, Values};
use crate::base::Error;
use crate::read::progress::Progress;
use std::ops::ControlFlow;
use std::path::Path;

/// Receives the rows of one reader.
pub(super) struct Sink<'a, S, F> {
    pub(super) state: S,
    pub(super) rows: u64,
    pub(super) on_row: &'a F,
    pub(super) table: &'a str,
    pub(super) columns: &'a [&'a str],
    pub(super) progress: Option<&'a Progress<'a>>,
}

impl<S, F: Fn(&mut S, &Row<'_>)> Sink<'_, S, F> {
    /// The maximum number of rows, because rows are counted with 32 bits.
    const MOST_ROWS: u64 = (1 << 32) - Progress::STEP;

    #[inline]
    pub(super) fn push(&mut self, values: Values<'_>) -> ControlFlow<()> {
        self.rows += 1;
        if self.rows.is_multiple_of(Progress::STEP) {
            if let Some(progress) = self.progress {
                progress.step()?;
            }
            if self.rows >= Self::MOST_ROWS {
                return ControlFlow::Break(());
            }
        }
        (self.on_row)(&mut self.state, &Row { values, table: self.table, columns: self.columns });
        ControlFlow::Continue(())
    }

    pub(super) fn finish(self, path: &Path) -> Result<S, Error> {
        if self.progress.is_some_and(Progress::is_stopped) {
            return Err(Error::Stopped { path: path.into() });
        }
        if self.rows < Self::MOST_ROWS {
            return Ok(self.state);
        }
        Err(Error::TooManyRows { path: path.into(), table: self.table.into(), rows: self.rows })
    }
}
