//! What the tables of a job have in common: their columns are read from the job.

use super::super::job::Job;
use crate::base::time::Ns;
use crate::tables::{Column, Columns, Declaration, Header, Layout, Source, Table};
use std::sync::Arc;

impl Source for Arc<Job> {
    /// Ranks have clocks of their own.
    fn origin_ns(&self) -> Ns {
        0
    }
}

/// A column of a table of a job.
pub(super) type JobColumn<R> = Column<R, Arc<Job>>;
/// A table of a job as it is declared.
pub(super) type JobDeclaration<R> = Declaration<R, Arc<Job>>;

/// What is known of a table of a job.
#[derive(Debug, Clone, Copy)]
pub struct JobTableDefinition {
    /// Stable name, as in `show NAME`.
    pub key: &'static str,
    /// Title for people.
    pub title: &'static str,
    /// What its rows are.
    pub doc: &'static str,
    /// Builds it. The table holds its job.
    pub build: fn(&Arc<Job>) -> Box<dyn Table>,
    /// How people see it.
    pub layout: &'static Layout,
    pub(super) headers: fn() -> Vec<&'static Header<'static>>,
}

impl JobTableDefinition {
    /// The columns.
    #[must_use]
    pub fn headers(&self) -> Vec<&'static Header<'static>> {
        (self.headers)()
    }
}

impl From<&JobTableDefinition> for Columns<'static> {
    fn from(definition: &JobTableDefinition) -> Self {
        Self::new(definition.key, definition.headers().into_iter().copied().collect())
    }
}
