//! Why a comparison may not be fair.

use crate::runs::document::{BaselineEnvironment, BaselineRun, BaselineScope};
use std::collections::BTreeSet;

/// What differs between the sides, or inside one side, besides the speed of the program.
#[must_use]
pub(crate) fn warnings(base: &[BaselineRun], new: &[BaselineRun]) -> Vec<String> {
    let mut found = scopes(base, new);
    found.extend(inputs(base, new));
    type Read = fn(&BaselineEnvironment) -> String;
    let fields: [(&str, Read); 11] = [
        ("GPU", |one| counted(&one.gpus)),
        ("number of GPUs used", |one| one.gpus_used.to_string()),
        ("CPU", |one| one.cpu.clone().unwrap_or_default()),
        ("driver", |one| one.driver.clone().unwrap_or_default()),
        ("CUDA", |one| one.cuda.clone().unwrap_or_default()),
        ("cuDNN", |one| one.cudnn.clone().unwrap_or_default()),
        ("framework", |one| one.framework.clone().unwrap_or_default()),
        ("mode", |one| one.mode.clone()),
        ("clock", |one| one.clock.clone().unwrap_or_default()),
        ("part of the capture", |one| one.cut.clone().unwrap_or_else(|| "all".into())),
        ("key node", |one| one.key_node.clone().unwrap_or_default()),
    ];
    for (what, read) in fields {
        let values = |runs: &[BaselineRun]| -> BTreeSet<String> {
            runs.iter().map(|run| read(&run.environment)).filter(|value| !value.is_empty()).collect()
        };
        let (old, fresh) = (values(base), values(new));
        let list = |values: &BTreeSet<String>| values.iter().cloned().collect::<Vec<_>>().join(" | ");
        if !old.is_empty() && !fresh.is_empty() && old != fresh {
            found.push(format!("{what} differs: {} in the baseline, {} now", list(&old), list(&fresh)));
        }
        if old.len() > 1 {
            found.push(format!("{what} differs between the runs of the baseline: {}", list(&old)));
        }
    }
    let is_repeated =
        |(at, run): (usize, &BaselineRun)| base[..at].iter().any(|other| other.metrics == run.metrics);
    if base.iter().enumerate().any(is_repeated) {
        found.push(
            "the baseline contains a run several times, so equal runs seem to differ less than they do"
                .into(),
        );
    }
    found.extend(iterations(base, new));
    found
}

/// `2 × A, B`.
fn counted(names: &[String]) -> String {
    let parts = names.chunk_by(|a, b| a == b).map(|equal| match equal {
        [one] => one.clone(),
        several => format!("{} × {}", several.len(), several[0]),
    });
    parts.collect::<Vec<_>>().join(", ")
}

/// Whether one side was measured before windows were GPU spans.
fn differ_in_window(base: &[BaselineRun], new: &[BaselineRun]) -> bool {
    let has_window = |run: &BaselineRun| run.environment.window.is_some();
    let runs = || base.iter().chain(new);
    runs().any(has_window) && !runs().all(has_window)
}

fn scopes(base: &[BaselineRun], new: &[BaselineRun]) -> Vec<String> {
    let whole =
        |runs: &[BaselineRun]| runs.iter().filter(|run| run.scope == BaselineScope::WholeCapture).count();
    match (whole(base), whole(new)) {
        (0, 0) => Vec::new(),
        (old, fresh) if old == base.len() && fresh == new.len() && differ_in_window(base, new) => {
            vec!["the baseline holds whole captures, the new run the span of its GPU work: make the baseline again with \
                  this version"
                .to_owned()]
        }
        (old, fresh) if old == base.len() && fresh == new.len() => {
            vec!["no iterations were found, so each whole capture is one value and there are no statistics; choose \
                  a key node with `--key-node`"
                .to_owned()]
        }
        (old, fresh) => vec![format!(
            "no steady iterations were found in {old} of {} runs of the baseline and {fresh} of {} new runs: nothing \
             can be compared; choose a key node with `--key-node`",
            base.len(),
            new.len()
        )],
    }
}

/// Whether some runs are from DLProf databases and others from exports.
pub(super) fn mixes_inputs(base: &[BaselineRun], new: &[BaselineRun]) -> bool {
    let mut inputs = base.iter().chain(new).map(BaselineRun::is_database);
    inputs.next().is_some_and(|first| inputs.any(|other| other != first))
}

/// What differs between a DLProf database and an export of the same run.
fn inputs(base: &[BaselineRun], new: &[BaselineRun]) -> Option<String> {
    if !mixes_inputs(base, new) {
        return None;
    }
    let which = match (base.iter().any(BaselineRun::is_database), new.iter().any(BaselineRun::is_database)) {
        (true, true) => "on both sides some runs are",
        (true, false) => "the baseline is",
        _ => "the new run is",
    };
    Some(format!(
        "{which} from a DLProf database, which has no streams, no API calls outside ops and no calls of the operating \
         system: findings about these, and savings, are not compared; the time behind the last iteration is an iteration \
         there, and work of threads without ranges belongs to no op"
    ))
}

fn iterations(base: &[BaselineRun], new: &[BaselineRun]) -> Vec<String> {
    let range = |runs: &[BaselineRun]| {
        let totals = runs.iter().map(|run| run.iterations.total);
        (totals.clone().min().unwrap_or(0), totals.max().unwrap_or(0))
    };
    let text =
        |(low, high): (u32, u32)| if low == high { low.to_string() } else { format!("{low} to {high}") };
    let (old, fresh) = (range(base), range(new));
    let mut found = Vec::new();
    if fresh.0 < old.0 || fresh.1 > old.1 {
        found.push(format!("iteration count differs: {} in the baseline, {} now", text(old), text(fresh)));
    }
    let outliers = |runs: &[BaselineRun]| {
        let of = |run: &BaselineRun| run.iterations.left_out.get("outlier").copied().unwrap_or(0);
        let all: u32 = runs.iter().map(|run| run.iterations.used + of(run)).sum();
        let outliers: u32 = runs.iter().map(of).sum();
        if all == 0 { 0.0 } else { f64::from(outliers) / f64::from(all) * 100.0 }
    };
    let (old, fresh) = (outliers(base), outliers(new));
    if fresh > old + 5.0 {
        found.push(format!(
            "{fresh:.0} % of the iterations are outliers (more than 25 % from the median), compared with \
             {old:.0} % in the baseline; they are left out"
        ));
    }
    found
}
