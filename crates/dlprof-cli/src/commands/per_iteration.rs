//! Whether times of a table are sums over the aggregated iterations, or means per iteration.

use crate::exit::Failure;
use dlprof_core::{Definition, PerIteration, Profile, TABLES, Table};
use dlprof_export::{Basis, Per};
use std::sync::Arc;

/// Refuses tables without sums.
pub(crate) fn check(definition: &Definition) -> Result<(), Failure> {
    if !definition.layout.sums.is_empty() {
        return Ok(());
    }
    let others = TABLES.iter().filter(|table| !table.layout.sums.is_empty()).map(|table| table.key);
    Err(Failure::Usage {
        message: format!(
            "`--per-iteration` does not fit table `{}`: no column of it is a sum over the aggregated iterations",
            definition.key
        ),
        hint: Some(format!("tables with sums: {}", others.collect::<Vec<_>>().join(", "))),
    })
}

/// Refuses captures without iterations.
pub(crate) fn check_iterations(profile: &Profile) -> Result<(), Failure> {
    match Basis::of(profile).per {
        Per::Iteration => Ok(()),
        Per::Window => Err(Failure::Request {
            message: "`--per-iteration` needs iterations, and no repeating step was found".into(),
            hint: Some(
                "`--key-node NAME` names an op or range that runs once per iteration; without `--per-iteration` times are sums \
                 over the window"
                    .into(),
            ),
        }),
    }
}

/// The table with means per iteration in the place of its sums.
pub(crate) fn means(table: Arc<dyn Table>, profile: &Profile) -> Result<Arc<dyn Table>, Failure> {
    check_iterations(profile)?;
    Ok(Arc::new(PerIteration::of(table, profile.iterations.passes())))
}

/// Which columns of a table are sums, and over how many iterations; `None` if none is, or all are of one iteration.
pub(crate) fn sums_in_words(table: &dyn Table, profile: &Profile) -> Option<String> {
    /// More are counted, not named.
    const MOST_NAMES: usize = 3;
    let basis = Basis::of(profile);
    let keys = (0..table.columns()).map(|column| table.header(column).key);
    let sums: Vec<&str> = keys.filter(|key| table.layout().sums.contains(key)).collect();
    let is_of_one = basis.per == Per::Iteration && basis.divisor == 1;
    if sums.is_empty() || table.rows() == 0 || is_of_one {
        return None;
    }
    let names = sums[..sums.len().min(MOST_NAMES)].join(", ");
    let more = match sums.len().saturating_sub(MOST_NAMES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Some(format!("{names}{more}: sums over {}", basis.sum_in_words()))
}

/// The same with the option that divides them, if there are iterations.
pub(crate) fn about_sums(table: &dyn Table, profile: &Profile) -> Option<String> {
    let sums = sums_in_words(table, profile)?;
    Some(match Basis::of(profile).per {
        Per::Iteration => format!("{sums}; `--per-iteration` divides them"),
        Per::Window => sums,
    })
}
