//! Table `findings`: what the expert system found.

use super::table::{Column, RowTable};
use crate::aggregate::Profile;
use crate::findings::Finding;
use std::borrow::Cow;

/// Columns of table `findings`.
pub static COLUMNS: &[Column<Finding>] = &[
    Column::text("finding_id", "Detector", "Stable name of the detector.", |_, row| row.id.into()),
    Column::text("problem", "Problem", "What was found.", |_, row| row.problem.as_str().into()),
    Column::text("recommendation", "Recommendation", "What to change.", |_, row| {
        row.recommendation.as_str().into()
    }),
];

/// Table `findings`.
#[must_use]
pub fn build<'a>(profile: &'a Profile<'a>) -> RowTable<'a, Finding> {
    let rows = Cow::Borrowed(profile.findings.as_slice());
    RowTable { key: "findings", title: "Expert Systems", columns: COLUMNS, profile, rows }
}
