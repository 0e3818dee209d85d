//! Ranks of a job: a bar each, and their lag in each step as shades.

use super::super::scale::Scale;
use super::charts::{Frame, heading, right_text, whole};
use super::document::Size;
use super::drawing::Drawing;
use super::layout::{Flow, GREY, INK, SMALL, SPACE, shorten, style};
use super::step;
use crate::display::{TimeUnit, percentage};
use crate::job::{JobFacts, Telling};
use crate::palette;
use dlprof_core::{Job, JobRank, RankClass, to_f64};
use std::collections::{BTreeMap, BTreeSet};

/// Height of a line with a bar.
const LINE: f32 = 20.0;

/// Lags are drawn to this share of a step, and nothing below the least one.
const MOST_LAG: f64 = 0.1;
const LEAST_LAG: f64 = 0.006;

/// Ranks of which each has a row; more are a column per node and a row per GPU.
const MOST_ROWS: usize = 128;

/// The classes of the mean step of each rank, or of those that tell most.
pub(super) fn rows(flow: &mut Flow, job: &Job, facts: &JobFacts, unit: TimeUnit) {
    let title = match facts.telling.len() == facts.ranks {
        true => format!("All {}", facts.many),
        false => format!("The slowest {}, the median and the fastest", facts.many),
    };
    flow.keep(18.0 + LINE * (facts.telling.len().min(20) as f32));
    flow.drawing.bookmark(&title);
    let scale = Scale::of(facts.length_ns, unit);
    let place = whole(flow);
    let remark = format!("{}; own time, waiting and lag in {}", facts.mean_of, scale.symbol());
    heading(&mut flow.drawing, place, &title, &remark);
    flow.space(20.0);
    for telling in &facts.telling {
        let Some(rank) = job.ranks.iter().find(|rank| rank.rank == telling.rank) else { continue };
        flow.keep(LINE);
        let place = whole(flow);
        row(&mut flow.drawing, place, (job, facts), (rank, telling), scale);
        flow.space(LINE);
    }
    flow.space(SPACE);
}

fn row(
    drawing: &mut Drawing,
    place: Frame,
    (job, facts): (&Job, &JobFacts),
    (rank, telling): (&JobRank, &Telling),
    scale: Scale,
) {
    /// Widths of the name of a rank, of its figures and of its cause.
    const NAME: f32 = 108.0;
    const FIGURES: f32 = 108.0;
    const CAUSE: f32 = 62.0;
    let mean = &rank.steps.mean;
    let base = place.y + 11.5;
    let late = if rank.lag.is_lagging() { "▲ " } else { "" };
    let name = format!("{late}{} · {}, GPU {}", rank.rank, rank.who.node, rank.who.device_id);
    let name = shorten(drawing, &name, style(8.0, INK), NAME - 6.0);
    drawing.text(place.x, base, style(8.0, INK), &name);
    let bar = Frame { x: place.x + NAME, y: place.y, width: place.width - NAME - FIGURES - CAUSE };
    let of = |key: &str| match RankClass::ALL.into_iter().find(|class| class.key() == key) {
        Some(class) => mean.of(class),
        None => mean.wait_ns,
    };
    let parts: Vec<_> =
        facts.parts.iter().map(|part| step::part_of_job(part, of(part.key).max(0.0))).collect();
    step::bar(drawing, bar, &parts, mean.length_ns, |_| String::new());
    let waits = if job.has_waiting() { scale.number(mean.wait_ns) } else { "–".into() };
    let lag = to_f64(rank.lag.lag_ns);
    let lag = match scale.number(lag.abs()) {
        zero if !zero.contains(|c: char| ('1'..='9').contains(&c)) => zero,
        size if lag > 0.0 => format!("+{size}"),
        size => format!("−{size}"),
    };
    let figures = [scale.number(to_f64(rank.steps.own_ns)), waits, lag];
    for (number, figure) in (1_u8..).zip(&figures) {
        let x = bar.x + bar.width + FIGURES / 3.0 * f32::from(number);
        right_text(drawing, x, base, style(8.0, INK), figure);
    }
    let why = rank.cause.map_or(telling.why, |cause| cause.as_str());
    let why = match why {
        "slow" => "",
        "fast" => "fastest",
        why => why,
    };
    right_text(drawing, place.x + place.width, base, style(8.0, GREY), why);
}

/// The lag of each rank in each step, or of each GPU of each node.
pub(super) fn heat_map(flow: &mut Flow, job: &Job, facts: &JobFacts, unit: TimeUnit) {
    if job.steady.len() < 2 {
        return;
    }
    let step_ns = to_f64(job.step_ns);
    let most = Scale::of(MOST_LAG * step_ns, unit).text(MOST_LAG * step_ns);
    let what = if job.ranks.len() <= MOST_ROWS {
        format!("a row per {}, a column per iteration", facts.one)
    } else {
        "median of the iterations; a column per node, a row per GPU".to_owned()
    };
    let remark = format!("{what}; full at +{most} ({}), grey: no capture", percentage(100.0 * MOST_LAG));
    let cells =
        if job.ranks.len() <= MOST_ROWS { of_ranks(job, flow.width()) } else { of_nodes(job, flow.width()) };
    flow.keep(24.0 + cells.height);
    flow.drawing.bookmark("Lag");
    let place = whole(flow);
    heading(&mut flow.drawing, place, "Lag", &remark);
    flow.space(20.0);
    let (x, y) = (place.x, flow.y);
    for (text, at) in &cells.labels {
        right_text(&mut flow.drawing, x + LABELS - 5.0, y + at, SMALL, text);
    }
    for cell in &cells.all {
        let size = Size { width: cell.wide - 0.5, height: cell.high - 0.5 };
        let color = cell.lag_ns.map_or(palette::OUTSIDE, |lag| shade(to_f64(lag) / step_ns));
        flow.drawing.rectangle(x + LABELS + cell.x, y + cell.y, size, color);
    }
    for (text, at) in &cells.below {
        flow.drawing.text(x + LABELS + at, y + cells.height - 3.0, style(6.5, GREY), text);
    }
    flow.space(cells.height + SPACE);
}

/// Width of the labels.
const LABELS: f32 = 46.0;
/// Height of the labels below.
const BELOW: f32 = 12.0;

/// A cell, from the corner of the picture.
struct Cell {
    x: f32,
    y: f32,
    wide: f32,
    high: f32,
    /// None without a capture.
    lag_ns: Option<i64>,
}

struct Cells {
    all: Vec<Cell>,
    /// Labels at the left with their base lines.
    labels: Vec<(String, f32)>,
    /// Labels below with where they begin.
    below: Vec<(String, f32)>,
    height: f32,
}

/// Labels with room: every first, second, fifth or tenth and so on.
fn every(size: f32, least: f32) -> usize {
    [1, 2, 5, 10, 20, 50, 100, 200, 500]
        .into_iter()
        .find(|&step| size * (step as f32) >= least)
        .unwrap_or(1000)
}

fn of_ranks(job: &Job, width: f32) -> Cells {
    let columns = job.steady.len().max(1) as f32;
    let wide = ((width - LABELS) / columns).min(30.0);
    let high = (420.0 / (job.ranks.len().max(1) as f32)).clamp(3.0, 12.0);
    let mut all = Vec::new();
    let mut labels = Vec::new();
    for (row, rank) in job.ranks.iter().enumerate() {
        let y = (row as f32) * high;
        if row % every(high, 8.0) == 0 || rank.lag.is_lagging() {
            let late = if rank.lag.is_lagging() { "▲ " } else { "" };
            labels.push((format!("{late}{}", rank.rank), y + high / 2.0 + 2.6));
        }
        for (column, number) in job.steady.iter().enumerate() {
            let lag_ns = rank.lag.of.get(number).copied();
            all.push(Cell { x: (column as f32) * wide, y, wide, high, lag_ns });
        }
    }
    // The label of a rank that lags stands alone.
    let late: Vec<f32> = labels.iter().filter(|(text, _)| text.starts_with('▲')).map(|(_, at)| *at).collect();
    labels.retain(|(text, at)| text.starts_with('▲') || late.iter().all(|other| (other - at).abs() > 7.0));
    let shown = every(wide, 18.0);
    let numbers = job.steady.iter().enumerate().filter(|(at, _)| at % shown == 0);
    let below = numbers.map(|(at, number)| (number.to_string(), (at as f32) * wide + 1.0)).collect();
    Cells { all, labels, below, height: high * (job.ranks.len() as f32) + BELOW }
}

fn of_nodes(job: &Job, width: f32) -> Cells {
    const HIGH: f32 = 9.0;
    let mut nodes: Vec<(&str, BTreeMap<i64, &JobRank>)> = Vec::new();
    let mut at_name: BTreeMap<&str, usize> = BTreeMap::new();
    for rank in &job.ranks {
        let name = rank.who.node.as_str();
        let at = *at_name.entry(name).or_insert(nodes.len());
        if at == nodes.len() {
            nodes.push((name, BTreeMap::new()));
        }
        nodes[at].1.insert(rank.who.device_id, rank);
    }
    let gpus: BTreeSet<i64> = nodes.iter().flat_map(|(_, gpus)| gpus.keys().copied()).collect();
    const PER_BLOCK: usize = 90;
    let wide = ((width - LABELS) / (nodes.len().clamp(1, PER_BLOCK) as f32)).min(14.0);
    let tall = HIGH * (gpus.len() as f32) + 18.0;
    let (mut all, mut labels) = (Vec::new(), Vec::new());
    for (block, part) in nodes.chunks(PER_BLOCK).enumerate() {
        let top = (block as f32) * tall + 8.0;
        let first = part.first().map_or("", |(name, _)| *name);
        labels.push((first.to_owned(), top - 1.0));
        for (row, gpu) in gpus.iter().enumerate() {
            let y = top + HIGH * (row as f32) + 2.0;
            labels.push((format!("GPU {gpu}"), y + HIGH - 2.0));
            for (column, (_, own)) in part.iter().enumerate() {
                let lag_ns = own.get(gpu).map(|rank| rank.lag.lag_ns);
                all.push(Cell { x: (column as f32) * wide, y, wide, high: HIGH, lag_ns });
            }
        }
    }
    let blocks = nodes.len().div_ceil(PER_BLOCK) as f32;
    Cells { all, labels, below: Vec::new(), height: blocks * tall }
}

/// From what is empty to the colour of what is bad, for who is late; to that of a note, for who is early.
fn shade(share: f64) -> u32 {
    if share.abs() < LEAST_LAG {
        return palette::SUNKEN;
    }
    let full = if share > 0.0 { palette::BAD } else { palette::NOTE };
    palette::between(palette::SUNKEN, full, (share.abs() / MOST_LAG).min(1.0))
}
