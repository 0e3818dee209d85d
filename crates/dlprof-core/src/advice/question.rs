//! What lists the evidence of a finding: a question to the capture. How a program words it is not known here.

use crate::read::time_cut::TimeCut;
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// Rows of a table that list the evidence of a finding, of the iterations and of the part of the capture that it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// Key of the table.
    pub table: &'static str,
    /// The condition that the rows meet; `None` for all rows.
    pub condition: Option<String>,
    /// Keys of columns, in this order; empty for the usual ones.
    pub columns: Vec<&'static str>,
    /// Keys of columns to sort by; a `-` before a key puts the largest first. Empty for the usual order.
    pub sort: Vec<&'static str>,
    /// Only so many rows.
    pub top: Option<usize>,
    /// The iterations to aggregate; `None` for those that are aggregated if nobody asks for others.
    pub iterations: Option<RangeInclusive<u32>>,
    /// The key node, if the user named it.
    pub key_node: Option<String>,
    /// Where the capture is cut.
    pub cut: TimeCut,
    /// Logs of Nsight Compute beside it.
    pub ncu: Vec<PathBuf>,
    /// The capture trace that was named.
    pub capture_trace: Option<PathBuf>,
}

/// How a program asks a question of a file, such as a command for a shell.
pub type Wording = fn(question: &Question, file: &str) -> String;

impl Question {
    /// All rows of a table.
    #[must_use]
    pub fn of(table: &'static str) -> Self {
        Self {
            table,
            condition: None,
            columns: Vec::new(),
            sort: Vec::new(),
            top: None,
            iterations: None,
            key_node: None,
            cut: TimeCut::default(),
            ncu: Vec::new(),
            capture_trace: None,
        }
    }

    /// Only rows that meet a condition.
    pub(super) fn rows_where(self, condition: impl Into<String>) -> Self {
        Self { condition: Some(condition.into()), ..self }
    }

    pub(super) fn columns(self, keys: impl Into<Vec<&'static str>>) -> Self {
        Self { columns: keys.into(), ..self }
    }

    pub(super) fn sorted_by(self, keys: impl Into<Vec<&'static str>>) -> Self {
        Self { sort: keys.into(), ..self }
    }

    pub(super) fn top(self, rows: usize) -> Self {
        Self { top: Some(rows), ..self }
    }
}
