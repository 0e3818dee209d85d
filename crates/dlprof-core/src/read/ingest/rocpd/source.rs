//! The tables of one process of a database.

use super::super::database::Database;
use super::super::row::Row;
use crate::base::Error;
use crate::read::draft::Draft;
use crate::read::progress::Progress;
use std::cell::RefCell;

/// A database, and the uuid of one of its processes.
pub(super) struct Source<'a> {
    pub(super) database: &'a Database,
    pub(super) progress: &'a Progress<'a>,
    pub(super) suffix: &'a str,
}

impl Source<'_> {
    pub(super) fn table(&self, base: &str) -> String {
        format!("rocpd_{base}{}", self.suffix)
    }

    /// Calls `on_row` for every row of a small table.
    pub(super) fn each(
        &self,
        base: &str,
        columns: &[&str],
        on_row: impl FnMut(&Row<'_>),
    ) -> Result<(), Error> {
        self.database.read(&self.table(base), columns, on_row)
    }

    /// Fills a draft with the rows of a large table.
    pub(super) fn fill(
        &self,
        base: &str,
        columns: &[&str],
        draft: &mut Draft<'_>,
        on_row: impl Fn(&mut Draft<'_>, &Row<'_>),
    ) -> Result<(), Error> {
        let mark = draft.mark();
        let draft = RefCell::new(draft);
        let init = || draft.borrow_mut().rewind(&mark);
        self.database.fold(&self.table(base), columns, Some(self.progress), init, |(), row| {
            on_row(&mut draft.borrow_mut(), row);
        })
    }

    pub(super) fn schema_version(&self) -> Result<Option<String>, Error> {
        let mut version = None;
        self.each("metadata", &["tag", "value"], |row| {
            if row.text(0).is_some_and(|tag| tag == "schema_version") {
                version = row.text(1);
            }
        })?;
        Ok(version)
    }

    /// Values of counters of whole kernels: while these are read, kernels run one after another.
    pub(super) fn counters(&self) -> Result<u64, Error> {
        let mut found = 0;
        self.each("pmc_event", &["event_id", "sample_id"], |row| {
            found += u64::from(row.plain_int(1) == Some(None));
        })?;
        Ok(found)
    }
}
