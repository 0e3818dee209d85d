//! The lag of many ranks as shades: a column per rank and a row per step, or a column per node and a row per GPU.

use super::blocks::{Times, float, shade};
use super::rank_rows;
use dlprof_core::{Job, JobRank};
use std::collections::{BTreeMap, BTreeSet};

/// What is less than this share of a step is blank.
const TRIFLE_PERCENT: f64 = 0.6;
/// Columns before the shades.
const MARGIN: usize = 12;
/// Steps that are shown.
const STEPS: usize = 10;

/// A column per rank, the last steady steps, and the slowest ranks.
pub(super) fn by_rank(job: &Job, times: Times, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let trifle = trifle(job);
    let steps = &job.steady[job.steady.len().saturating_sub(STEPS)..];
    let top = largest(job).max(most_lags_of_steps(job));
    lines.push(format!(
        "Lag of each {} in each step (· ≥ {TRIFLE_PERCENT} % of a step to █ ≥ {}), a column per {0}",
        job.words().one,
        times.rough(top)
    ));
    for ranks in job.ranks.chunks(width - MARGIN) {
        let tens: String =
            ranks.iter().map(|rank| if rank.rank % 10 == 0 { digit(rank.rank / 10) } else { ' ' }).collect();
        lines.push(format!("{:>9}  {tens}", job.words().one));
        for number in steps {
            let of = |rank: &JobRank| match rank.lag.of.get(number) {
                Some(&lag) => shade(float(lag), trifle, top),
                None => '?',
            };
            lines.push(format!("step {number:>4}  {}", ranks.iter().map(of).collect::<String>()));
        }
        let median = |rank: &JobRank| shade(float(rank.lag.lag_ns), trifle, top);
        lines.push(format!("{:>9}  {}", "median", ranks.iter().map(median).collect::<String>()));
    }
    lines.push(String::new());
    lines.extend(rank_rows::slowest(job, times));
    lines
}

/// A column per node, a row per GPU, and the slowest ranks.
pub(super) fn by_node(job: &Job, times: Times, width: usize) -> Vec<String> {
    let nodes = nodes(job);
    let gpus: BTreeSet<i64> = nodes.iter().flat_map(|node| node.gpus.keys().copied()).collect();
    let (trifle, top) = (trifle(job), largest(job));
    let mut lines = vec![format!(
        "Lag of each GPU, median of {} steps (· ≥ {TRIFLE_PERCENT} % to █ ≥ {}); a column per node, a row per GPU",
        job.steady.len(),
        times.rough(top)
    )];
    for block in nodes.chunks(width - MARGIN) {
        if let [first, .., last] = block {
            lines.push(format!("{:>8}   {} to {}", "nodes", first.name, last.name));
        }
        for gpu in &gpus {
            let of = |node: &Node<'_>| {
                node.gpus.get(gpu).map_or('?', |rank| shade(float(rank.lag.lag_ns), trifle, top))
            };
            lines.push(format!("{:>8}   {}", format!("GPU {gpu}"), block.iter().map(of).collect::<String>()));
        }
    }
    lines.push(String::new());
    lines.extend(rank_rows::slowest(job, times));
    lines
}

/// The ranks of a node by GPU.
struct Node<'a> {
    name: &'a str,
    gpus: BTreeMap<i64, &'a JobRank>,
}

/// The nodes in the order of their lowest ranks.
fn nodes(job: &Job) -> Vec<Node<'_>> {
    let mut at_name: BTreeMap<&str, usize> = BTreeMap::new();
    let mut nodes: Vec<Node<'_>> = Vec::new();
    // Ranks are in order.
    for rank in &job.ranks {
        let name = rank.who.node.as_str();
        let at = *at_name.entry(name).or_insert(nodes.len());
        if at == nodes.len() {
            nodes.push(Node { name, gpus: BTreeMap::new() });
        }
        nodes[at].gpus.insert(rank.who.device_id, rank);
    }
    nodes
}

fn trifle(job: &Job) -> f64 {
    TRIFLE_PERCENT / 100.0 * float(job.step_ns)
}

fn largest(job: &Job) -> f64 {
    job.ranks.iter().map(|rank| float(rank.lag.lag_ns)).fold(1.0, f64::max)
}

/// The 99 % quantile of the lags of all ranks in all steps.
fn most_lags_of_steps(job: &Job) -> f64 {
    let mut lags: Vec<i64> = job.ranks.iter().flat_map(|rank| rank.lag.of.values().copied()).collect();
    lags.sort_unstable();
    let place = lags.len().saturating_sub(1) * 99 / 100;
    lags.get(place).copied().map_or(0.0, float)
}

/// The last digit of a number.
fn digit(number: i64) -> char {
    number.rem_euclid(10).to_string().chars().next().unwrap_or(' ')
}
