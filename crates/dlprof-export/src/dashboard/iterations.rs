//! The iterations: how long they take, in figures and as a line of bars.

use super::{COLUMNS, titled};
use crate::display::{TimeUnit, time};
use crate::text::bar_of;
use dlprof_core::iterate::IterationState;
use dlprof_core::profile::{IterationStats, Profile};
use dlprof_core::ratios::to_f64;
use dlprof_core::time::Ns;
use std::collections::BTreeMap;

pub(super) fn iterations(profile: &Profile, unit: TimeUnit) -> Vec<String> {
    let stats = &profile.iteration_stats;
    if stats.len() < 2 {
        return Vec::new();
    }
    let aggregated: Vec<&IterationStats> = stats.iter().filter(|row| row.is_aggregated).collect();
    let counted = |row: &&&IterationStats| !profile.iterations.is_outside(row.iteration);
    let mut durations: Vec<Ns> = aggregated.iter().filter(counted).map(|row| row.span.length()).collect();
    if durations.is_empty() {
        return Vec::new();
    }
    durations.sort_unstable();
    let [shortest, median, longest] =
        [0, durations.len() / 2, durations.len() - 1].map(|at| time(to_f64(durations[at]), unit));
    let mut lines = vec![format!("  Profiled: shortest {shortest}, median {median}, longest {longest}")];
    lines.extend(sparkline(stats, unit));
    lines.push(format!("  {}", state_counts(&profile.iterations.states)));
    titled("Iterations", lines)
}

/// How many iterations are in which state.
fn state_counts(states: &[IterationState]) -> String {
    let mut counts: BTreeMap<IterationState, usize> = BTreeMap::new();
    for &state in states {
        *counts.entry(state).or_default() += 1;
    }
    let counts: Vec<String> =
        counts.iter().map(|(state, count)| format!("{count} {}", state.as_str())).collect();
    counts.join(", ")
}

/// A bar per iteration (or per few, of which the longest counts), and a line under those aggregated. Bars are cut at
/// twice the median, so that a long warm-up does not flatten the rest.
fn sparkline(stats: &[IterationStats], unit: TimeUnit) -> Vec<String> {
    let per_bar = stats.len().div_ceil(COLUMNS - 4);
    let mut lengths: Vec<Ns> = stats.iter().map(|row| row.span.length()).collect();
    lengths.sort_unstable();
    let full = lengths[lengths.len() - 1].min(2 * lengths[lengths.len() / 2]).max(1);
    let chunks = || stats.chunks(per_bar);
    let bars: String = chunks()
        .map(|rows| {
            let length = rows.iter().map(|row| row.span.length()).max().unwrap_or(0);
            bar_of(to_f64(length) / to_f64(full))
        })
        .collect();
    let marks: String =
        chunks().map(|rows| if rows.iter().any(|row| row.is_aggregated) { '‾' } else { ' ' }).collect();
    let mut lines = vec![format!("  {bars}"), format!("  {}", marks.trim_end())];
    let longer = lengths.iter().filter(|&&length| length > full).count();
    if longer > 0 {
        let longest = time(to_f64(lengths[lengths.len() - 1]), unit);
        let bars = if longer == 1 { "bar" } else { "bars" };
        lines.push(format!("  Chart cut at twice the median; {longer} longer {bars}, the longest {longest}"));
    }
    lines
}
