//! A row per rank, and the slowest of many.

use super::blocks::{Times, bar, count, float};
use crate::text::{pad, shorten_name};
use dlprof_core::{Job, JobRank, group_name};
use std::cmp::Reverse;

/// A row per rank.
pub(super) fn all(job: &Job, times: Times, width: usize) -> Vec<String> {
    let has_groups = job.groups > 1;
    let (first, other) = (8 + times.wider(), 7 + times.wider());
    let room = width.saturating_sub(if has_groups { 73 } else { 67 } + 3 * times.wider()).max(8);
    let group = if has_groups { " group" } else { "" };
    let has_lag = job.has_lag();
    let number = if job.words().one == "rank" { "  Rank  " } else { "Capture " };
    let legend = if job.has_waiting() { "█ own  ░ waiting for others" } else { "█ own" };
    let mut lines = vec![format!(
        "{number}{:<9}{:>3}{group}   {}{:>first$}{:>other$}{:>other$}{:>7}  cause",
        "node",
        "GPU",
        pad(&shorten_name(legend, room), room),
        format!("own {}", times.symbol()),
        "wait",
        "lag",
        "last %"
    )];
    let longest = job.ranks.iter().map(|rank| rank.steps.mean.length_ns).fold(0.0, f64::max);
    for rank in &job.ranks {
        let mean = &rank.steps.mean;
        let own_ns = mean.length_ns - mean.wait_ns;
        let group = if has_groups { format!("  {:<4}", group_name(rank.group)) } else { String::new() };
        lines.push(format!(
            "{}{:>5}  {:<9}{:>3}{group}   {}{:>first$}{:>other$}{:>other$}{:>7}  {}",
            mark(rank),
            rank.rank,
            node(rank, 8),
            rank.who.device_id,
            bar([(own_ns, '█'), (mean.wait_ns, '░')], longest, room),
            times.text(own_ns),
            if job.has_waiting() { times.text(mean.wait_ns) } else { "–".into() },
            if has_lag { times.signed(lag_ns(rank)) } else { "–".into() },
            last(rank),
            cause(rank)
        ));
    }
    lines
}

/// The ranks that lag most, and a line about the others.
pub(super) fn slowest(job: &Job, times: Times) -> Vec<String> {
    let lagging = job.ranks.iter().filter(|rank| rank.lag.is_lagging()).count();
    let mut ranks: Vec<&JobRank> = job.ranks.iter().collect();
    ranks.sort_by_key(|rank| Reverse(rank.lag.lag_ns));
    let lag = |text: String| if job.has_lag() { text } else { "–".into() };
    let (shown, others) = ranks.split_at(lagging.clamp(3, 5).min(ranks.len()));
    let (first, other) = (9 + times.wider(), 8 + times.wider());
    let own = format!("own {}", times.symbol());
    let mut lines = vec![format!(
        "{:<15}{:<10}{:>3}{own:>first$}{:>other$}{:>other$}{:>7}{:>7}{:>7}  {:<9}cause",
        "Slowest ranks", "node", "GPU", "wait", "lag", "lag %", "steps", "last %", "certain"
    )];
    for rank in shown {
        let mean = &rank.steps.mean;
        let cause = rank.cause.map_or("–", |cause| cause.as_str());
        lines.push(format!(
            "{}{:>6}        {:<10}{:>3}{:>first$}{:>other$}{:>other$}{:>7}{:>7}{:>7}  {:<9}{cause}",
            mark(rank),
            rank.rank,
            node(rank, 9),
            rank.who.device_id,
            times.text(mean.length_ns - mean.wait_ns),
            times.text(mean.wait_ns),
            lag(times.signed(lag_ns(rank))),
            lag(format!("{:.1}", rank.lag.lag_percent)),
            lag(format!("{:.0}%", 100.0 * rank.lag.share)),
            last(rank),
            rank.lag.confidence.map_or("–", |confidence| confidence.as_str())
        ));
    }
    let own = || others.iter().map(|rank| float(rank.steps.own_ns));
    let lags = || others.iter().map(|rank| lag_ns(rank));
    if !others.is_empty() {
        lines.push(format!(
            "  {} others: own {} to {}, lag {} to {} {}",
            count(others.len()),
            times.text(own().fold(f64::INFINITY, f64::min)),
            times.text(own().fold(0.0, f64::max)),
            times.signed(lags().fold(f64::INFINITY, f64::min)),
            times.signed(lags().fold(f64::NEG_INFINITY, f64::max)),
            times.symbol()
        ));
    }
    lines
}

fn mark(rank: &JobRank) -> char {
    if rank.lag.is_lagging() { '▲' } else { ' ' }
}

fn node(rank: &JobRank, columns: usize) -> String {
    shorten_name(&rank.who.node, columns)
}

fn lag_ns(rank: &JobRank) -> f64 {
    float(rank.lag.lag_ns)
}

fn last(rank: &JobRank) -> String {
    rank.last_percent.map_or_else(|| "–".into(), |percent| format!("{percent:.0}"))
}

fn cause(rank: &JobRank) -> &'static str {
    rank.cause.map_or("", |cause| cause.as_str())
}
