//! The first page: verdict, tiles, where a step goes, what to change, iterations, top kernels; window and system in the foot.

use super::super::bars::{self, Bar};
use super::super::scale::count;
use super::charts::{self, Frame, Tile, heading, right_text};
use super::document::Size;
use super::findings::FindingLines;
use super::layout::{Flow, INK, MARGIN, RULE, SMALL, SPACE, bold, line_height, shorten, style, wrap};
use super::ranked::{self, Ranked};
use super::rich::Lines;
use super::step;
use crate::display::{TimeUnit, percentage, short_time};
use crate::origin::UNKNOWN;
use crate::overview::{OutlookBar, Overview, Per};
use crate::palette;
use dlprof_core::Profile;

/// How many kernels are on the page, and the least height of the charts at its end.
const MOST_KERNELS: usize = 8;
const LAST_ROW: f32 = 150.0;

/// Draws the page. Returns how many findings are on it.
pub(super) fn add(
    flow: &mut Flow,
    profile: &Profile,
    overview: &Overview,
    name: &str,
    unit: TimeUnit,
) -> usize {
    flow.drawing.bookmark("Dashboard");
    head(flow, name, overview);
    verdict(flow, overview, unit);
    let place = charts::whole(flow);
    charts::tiles(&mut flow.drawing, place, &tiles(overview, unit));
    flow.space(charts::TILES + SPACE);
    serving(flow, overview);
    step_or_reason(flow, overview, unit);
    let bars = bars::of_iterations(profile, overview, charts::MOST_BARS);
    let last = last_row(overview, &bars, unit);
    let shown = findings(flow, overview, unit, &last);
    draw_last(flow, &last, unit);
    shown
}

fn head(flow: &mut Flow, name: &str, overview: &Overview) {
    let Frame { x, y, width } = charts::whole(flow);
    let captured = overview.captured_at.as_ref().map_or_else(String::new, |at| format!("captured {at} · "));
    let said = format!("{captured}profile by dlprof-agg");
    let room = width - flow.drawing.width(&said, SMALL) - 12.0;
    let name = shorten(&flow.drawing, name, bold(9.0, INK), room);
    flow.drawing.text(x, y, bold(9.0, INK), &name);
    right_text(&mut flow.drawing, x + width, y, SMALL, &said);
    flow.drawing.line((x, y + 6.0), (x + width, y + 6.0), 0.6, RULE);
    flow.space(14.0);
}

/// The verdict, what it means, and beside them what changes would make of the time.
fn verdict(flow: &mut Flow, overview: &Overview, unit: TimeUnit) {
    let place = charts::whole(flow);
    let outlook = &overview.outlook;
    let room = if outlook.is_empty() { place.width } else { place.width * 0.62 };
    let lines = Lines::new(&flow.drawing, &overview.verdict, bold(15.0, INK), room, 3);
    lines.draw(&mut flow.drawing, place.x, place.y);
    let mut height = lines.height();
    for said in overview.said_below() {
        let below = Lines::new(&flow.drawing, said, style(9.5, palette::TEXT_2), room, 8);
        below.draw(&mut flow.drawing, place.x, place.y + height + 3.0);
        height += 3.0 + below.height();
    }
    let x = place.x + place.width * 0.66;
    let mut y = place.y + (height - OUTLOOK * (outlook.len() as f32)).max(0.0) / 2.0;
    for (at, OutlookBar { words, ns }) in outlook.iter().enumerate() {
        let color = if at == 0 { palette::KERNEL } else { palette::TC };
        let base = y + 9.0;
        let right = place.x + place.width;
        flow.drawing.text(x, base, SMALL, words);
        let (from, to) = (x + 88.0, right - 44.0);
        let bar = |width| Size { width, height: 8.0 };
        flow.drawing.rectangle(from, y + 2.0, bar(to - from), palette::SUNKEN);
        let whole = outlook[0].ns.max(1.0);
        flow.drawing.rectangle(from, y + 2.0, bar(charts::length(ns / whole, to - from)), color);
        right_text(&mut flow.drawing, right, base, bold(8.5, INK), &short_time(*ns, unit));
        y += OUTLOOK;
    }
    flow.space(height.max(OUTLOOK * (outlook.len() as f32)) + SPACE);
}

/// Height of a bar of the outlook.
const OUTLOOK: f32 = 15.0;

fn tiles(overview: &Overview, unit: TimeUnit) -> Vec<Tile> {
    let tiles = &overview.tiles;
    let time = short_time(tiles.iteration_ns, unit);
    let (figure, symbol) = time.split_once(' ').unwrap_or((&time, ""));
    let share = |share: Option<f64>| share.map_or_else(|| UNKNOWN.to_owned(), percentage);
    let labels = overview.labels.clone();
    let deviation = tiles.deviation_in_words(unit);
    let tile = |figure: String, name: String| Tile { figure, after: String::new(), name };
    let mut all = vec![
        Tile { figure: figure.to_owned(), after: format!("{symbol}{deviation}"), name: labels.iteration_ns },
        tile(share(tiles.gpu_busy_percent), labels.gpu_busy_percent),
        tile(share(tiles.tensor_core_percent), labels.tensor_core_percent.to_owned()),
        tile(tiles.kernels.map_or_else(|| UNKNOWN.to_owned(), count), labels.kernels),
    ];
    if let Some(items) = tiles.items_per_s {
        all.push(tile(count(items), labels.items_per_s.to_owned()));
    }
    all
}

/// What is said of an inference server.
fn serving(flow: &mut Flow, overview: &Overview) {
    if overview.serving.is_empty() {
        return;
    }
    let place = charts::whole(flow);
    heading(&mut flow.drawing, place, "Server: steps and tokens, over the whole capture", "");
    flow.space(16.0);
    for said in &overview.serving {
        let place = charts::whole(flow);
        let lines = Lines::new(&flow.drawing, said, style(9.0, INK), place.width, 3);
        lines.draw(&mut flow.drawing, place.x, place.y);
        flow.space(lines.height() + 2.0);
    }
    flow.space(SPACE);
}

/// Where a step goes, or why that is not known.
fn step_or_reason(flow: &mut Flow, overview: &Overview, unit: TimeUnit) {
    let of = match overview.basis.per {
        Per::Iteration => "mean iteration",
        Per::Window => "whole window",
    };
    let place = charts::whole(flow);
    if let Some(known) = &overview.step {
        step::draw(&mut flow.drawing, place, (known, overview), unit, of);
        flow.space(step::height(known, overview) + SPACE);
        return;
    }
    heading(&mut flow.drawing, place, overview.basis.where_it_goes(), "not known");
    flow.space(16.0);
    for missing in &overview.missing {
        let said = match missing.option.as_ref() {
            "" => format!("{}.", missing.reason),
            option => format!("{}: `{option}` would show it.", missing.reason),
        };
        let lines = Lines::new(&flow.drawing, &said, style(8.5, palette::TEXT_2), flow.width(), 3);
        lines.draw(&mut flow.drawing, MARGIN, flow.y);
        flow.space(lines.height());
    }
    flow.space(SPACE);
}

/// Draws as many findings as leave room for what follows; at least one. Returns how many.
fn findings(flow: &mut Flow, overview: &Overview, unit: TimeUnit, last: &LastRow<'_>) -> usize {
    let remark = match overview.findings.is_empty() {
        true => "no rule found a problem".to_owned(),
        false => overview.about_savings(&overview.findings),
    };
    let place = charts::whole(flow);
    heading(&mut flow.drawing, place, "What to change", &remark);
    flow.space(16.0);
    let width = flow.width();
    let mut shown = 0;
    for (number, finding) in (1..).zip(&overview.findings) {
        let lines = FindingLines::new(&flow.drawing, number, finding, width);
        let is_last = number == overview.findings.len();
        let more = if is_last { 0.0 } else { line_height(SMALL) + 4.0 };
        // What the verdict counts comes before all else. Lists that have no room are on the next page, and leave theirs to others.
        let has_lists = flow.room() - SPACE >= least_height(last);
        let after = if number <= FIRST_CHANGES || !has_lists { 0.0 } else { last_height(last) };
        if shown > 0 && flow.room() - lines.height() - more - SPACE < after {
            break;
        }
        let place = charts::whole(flow);
        lines.draw(&mut flow.drawing, place, unit);
        flow.space(lines.height());
        shown = number;
    }
    let left = overview.findings.len() - shown;
    if left > 0 {
        let said = format!("{left} more on the next page");
        flow.drawing.text(MARGIN, flow.y + 9.0, SMALL, &said);
        flow.space(line_height(SMALL) + 4.0);
    }
    flow.space(SPACE);
    shown
}

/// What stands side by side at the end of the page.
struct LastRow<'a> {
    bars: &'a [Bar],
    /// Lists with their titles, most important first.
    lists: Vec<([String; 2], Vec<Ranked>)>,
}

fn last_row<'a>(overview: &Overview, bars: &'a [Bar], unit: TimeUnit) -> LastRow<'a> {
    let bars = if bars.len() > 1 { bars } else { &[] };
    let titles = |title: &str, remark: String| [title.to_owned(), remark];
    let mut lists = Vec::new();
    let per = overview.basis.words();
    if let Some(kernels) = &overview.kernels {
        let rows = Ranked::kernels(&kernels.rows[..kernels.rows.len().min(MOST_KERNELS)], unit);
        let of = format!("{per}{}", kernels.sum_in_words());
        lists.push((titles("Top kernels", format!("{of}, of kernel time")), rows));
        let kinds = kernels.kinds.iter().take(MOST_KERNELS).map(Ranked::kind);
        lists.push((titles("Kernel time by kind", of), kinds.collect()));
    }
    let of = overview.ops.ranked_by.words();
    let ops = overview.ops.rows.iter().take(MOST_KERNELS).map(Ranked::op);
    lists.push((titles("Top ops", format!("of {of} {per}")), ops.collect()));
    let types = overview.ops.types.iter().take(MOST_KERNELS).map(Ranked::op_type);
    lists.push((titles("Top op types", format!("of {of} {per}")), types.collect()));
    lists.retain(|(_, rows): &([String; 2], Vec<Ranked>)| !rows.is_empty());
    LastRow { bars, lists }
}

/// How many changes come before what is below them.
const FIRST_CHANGES: usize = 3;

/// A shorter list is not worth its heading.
const LEAST_ROWS: usize = 3;

/// The height below which the last row does not fall; lists are made shorter rather than put on a page of their own.
fn least_height(last: &LastRow<'_>) -> f32 {
    if last.bars.is_empty() { ranked::short_height(LEAST_ROWS) } else { LAST_ROW }
}

fn last_height(last: &LastRow<'_>) -> f32 {
    let most = if last.bars.is_empty() { 2 } else { 1 };
    let lists = last.lists.iter().take(most).map(|(_, rows)| ranked::short_height(rows.len()));
    lists.fold(if last.bars.is_empty() { 0.0 } else { LAST_ROW }, f32::max)
}

/// Draws the end of the page in two columns: the iterations, then the lists, each in the column with more room while there is
/// any.
fn draw_last(flow: &mut Flow, last: &LastRow<'_>, unit: TimeUnit) {
    const MOST_HEIGHT: f32 = 320.0;
    const LEAST_GAP: f32 = 12.0;
    if !(last.bars.is_empty() && last.lists.is_empty()) {
        flow.keep(least_height(last));
    }
    let width = (flow.width() - 28.0) / 2.0;
    let bottom = flow.y + flow.room();
    let left = Frame { width, ..charts::whole(flow) };
    let mut columns = [left, Frame { x: left.x + width + 28.0, ..left }];
    if !last.bars.is_empty() {
        let height = (bottom - left.y).clamp(LAST_ROW, MOST_HEIGHT);
        charts::iterations(&mut flow.drawing, left, height, last.bars, unit);
        columns[0].y += height + LEAST_GAP;
    }
    for ([title, remark], rows) in &last.lists {
        let at = usize::from(columns[1].y < columns[0].y);
        let fitting = ranked::fitting(bottom - columns[at].y).min(rows.len());
        if fitting < LEAST_ROWS.min(rows.len()) {
            break;
        }
        let rows = &rows[..fitting];
        let height = ranked::short_height(rows.len());
        ranked::short(&mut flow.drawing, columns[at], [title, remark], rows, unit);
        columns[at].y += height + LEAST_GAP;
    }
    flow.y = columns[0].y.max(columns[1].y);
}

/// What the figures are about, and the machine: the lines of the foot, none wider than `room`.
pub(super) fn foot_lines(flow: &Flow, overview: &Overview, room: f32) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for parts in [&overview.window.parts, &overview.system] {
        let mut line = String::new();
        for part in parts.iter().map(|part| part.replace('`', "")) {
            let longer = if line.is_empty() { part.clone() } else { format!("{line} · {part}") };
            if line.is_empty() || flow.drawing.width(&longer, SMALL) <= room {
                line = longer;
            } else {
                lines.push(std::mem::replace(&mut line, part));
            }
        }
        lines.push(line);
    }
    lines.iter().flat_map(|line| wrap(&flow.drawing, line, SMALL, room, 2)).collect()
}
