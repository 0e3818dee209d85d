//! Rules, tables and columns of jobs of many ranks. The texts are those of their declarations.

use super::{Explanation, Topic, defined, of_columns};
use crate::runs::ranks::{JOB_TABLES, JobRule};

/// Rules, tables and columns.
pub(super) fn all() -> impl Iterator<Item = Explanation> {
    rules().chain(tables()).chain(columns())
}

fn rules() -> impl Iterator<Item = Explanation> {
    JobRule::ALL.into_iter().map(|rule| Explanation {
        name: rule.key(),
        topic: Topic::JobRule,
        tables: Vec::new(),
        definition: rule.meaning(),
        formula: None,
        unit: None,
        reading: Some(rule.advice()),
        details: Vec::new(),
    })
}

fn tables() -> impl Iterator<Item = Explanation> {
    JOB_TABLES.iter().map(|table| defined(Topic::JobTable, table.key, table.doc))
}

pub(super) fn columns() -> impl Iterator<Item = Explanation> {
    of_columns(Topic::JobColumn, JOB_TABLES.iter().map(|table| (table.key, table.headers())))
}
