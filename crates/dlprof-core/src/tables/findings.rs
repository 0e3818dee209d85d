//! Table `findings`: what the expert system found.

use super::table::{Column, RowTable};
use crate::findings::{self, Finding};
use crate::profile::Profile;
use std::borrow::Cow;

/// Columns of table `findings`.
pub static COLUMNS: &[Column<Finding>] = &[
    Column::text("finding_id", "Detector", "Stable name of the detector.", |_, row| row.id.into()),
    Column::text("problem", "Problem", "What was found.", |_, row| row.problem.to_string().into()),
    Column::text("recommendation", "Recommendation", "What to change.", |_, row| {
        row.recommendation.to_string().into()
    }),
];

/// Table `findings`.
#[must_use]
pub fn build<'a>(profile: &'a Profile) -> RowTable<'a, Finding> {
    let rows = Cow::Owned(findings::detect(profile));
    RowTable { key: "findings", title: "Expert Systems", columns: COLUMNS, profile, rows }
}
