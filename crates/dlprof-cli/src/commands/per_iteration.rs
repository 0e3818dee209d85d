//! Whether times of a table are sums over the aggregated iterations, or means per iteration.

use crate::exit::Failure;
use dlprof_core::{Definition, Layout, PerIteration, Profile, TABLES, Table};
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
    let keys = (0..table.columns()).map(|column| table.header(column).key);
    let sums: Vec<&str> = keys.filter(|key| table.layout().sums.contains(key)).collect();
    let over = over(profile).filter(|_| !sums.is_empty() && table.rows() > 0)?;
    let gpus = and_gpus(table.layout(), profile);
    Some(format!("{}: sums over {over}{gpus}", named(&sums)))
}

/// The same with the option that divides them, if there are iterations.
pub(crate) fn about_sums(table: &dyn Table, profile: &Profile) -> Option<String> {
    Some(sums_in_words(table, profile)? + divided(profile))
}

/// The same of the files of several tables.
pub(crate) fn about_sums_of(tables: &[&Definition], profile: &Profile) -> Option<String> {
    let over = over(profile)?;
    let with_sums: Vec<&&Definition> = tables.iter().filter(|table| !table.layout.sums.is_empty()).collect();
    let said = match with_sums.as_slice() {
        [] => return None,
        [table] => {
            let gpus = and_gpus(table.layout, profile);
            format!("{}: sums over {over}{gpus}", named(table.layout.sums))
        }
        several => format!(
            "{} tables have sums over {over}; `sums` in the manifest names their columns",
            several.len()
        ),
    };
    Some(said + divided(profile))
}

/// Over what sums are; `None` if they are of one iteration.
fn over(profile: &Profile) -> Option<String> {
    let basis = Basis::of(profile);
    (basis.per == Per::Window || basis.divisor > 1).then(|| basis.sum_in_words())
}

/// Where sums of a table are over several GPUs as well, over how many.
fn and_gpus(layout: &Layout, profile: &Profile) -> String {
    let gpus = profile.iterations.windows.used.len();
    if layout.over_gpus && gpus > 1 { format!(" and {gpus} GPUs") } else { String::new() }
}

fn divided(profile: &Profile) -> &'static str {
    match Basis::of(profile).per {
        Per::Iteration => "; `--per-iteration` divides them",
        Per::Window => "",
    }
}

/// The first columns, and how many more there are.
fn named(columns: &[&str]) -> String {
    /// More are counted, not named.
    const MOST_NAMES: usize = 3;
    let names = columns[..columns.len().min(MOST_NAMES)].join(", ");
    match columns.len().saturating_sub(MOST_NAMES) {
        0 => names,
        more => format!("{names} and {more} more"),
    }
}
