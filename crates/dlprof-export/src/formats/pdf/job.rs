//! A job of many ranks: verdict, tiles, where a step goes, what to change, ranks, their lag in each step, collectives.

use super::super::bars::BarPart;
use super::super::scale::Scale;
use super::charts::{self, Frame, Tile, heading, right_text};
use super::drawing::Drawing;
use super::findings::FindingLines;
use super::job_ranks;
use super::layout::{Flow, INK, LANDSCAPE, PORTRAIT, RULE, SMALL, SPACE, bold, shorten, style};
use super::rich::Lines;
use super::{Font, step, table};
use crate::display::{TimeUnit, grouped, percentage, plain, short_time};
use crate::error::Error;
use crate::job::{JobFacts, Part};
use crate::origin::UNKNOWN;
use crate::palette;
use dlprof_core::{Job, Selection, Table, View, job_table};
use std::io;
use std::path::Path;
use std::sync::Arc;

/// Maximum number of rows of a table, if the user sets no other number.
const MOST_ROWS: usize = 200;

/// How a job is printed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct JobOptions<'a> {
    /// Maximum number of rows of a table; 0 means all, `None` means what is usual.
    pub(crate) most_rows: Option<usize>,
    /// Unit of times.
    pub(crate) time_unit: TimeUnit,
    /// For characters that the built-in font lacks.
    pub(crate) font: Option<&'a Font>,
}

/// Writes a job to a new file. Returns the characters, in order, that no font has.
///
/// # Errors
/// If the file exists, or the system refuses to write.
pub(crate) fn write(
    job: &Arc<Job>,
    title: &str,
    options: JobOptions<'_>,
    path: &Path,
) -> Result<Vec<char>, Error> {
    let mut missing = Vec::new();
    crate::target::create_with(path, |out| {
        let title = plain(title);
        let mut flow = Flow::new(Drawing::new(options.font), &title);
        let facts = JobFacts::new(job, options.time_unit);
        let unit = options.time_unit.fitting(facts.length_ns);
        first_page(&mut flow, &facts, &title, unit);
        job_ranks::rows(&mut flow, job, &facts, unit);
        // A short table fills the page where the next picture needs one of its own.
        table_of(&mut flow, job, ("collective_kinds", &[]), options)?;
        job_ranks::heat_map(&mut flow, job, &facts, unit);
        table_of(&mut flow, job, ("ranks", &["-lag_ns"]), options)?;
        let drawing = flow.finish();
        missing = drawing.missing().iter().copied().collect();
        drawing.write(&title, None, out)
    })?;
    Ok(missing)
}

fn first_page(flow: &mut Flow, facts: &JobFacts, name: &str, unit: TimeUnit) {
    flow.drawing.bookmark("Job");
    let Frame { x, y, width } = charts::whole(flow);
    let said = "a job of many ranks, by dlprof-agg";
    let room = width - flow.drawing.width(said, SMALL) - 12.0;
    let name = shorten(&flow.drawing, name, bold(9.0, INK), room);
    flow.drawing.text(x, y, bold(9.0, INK), &name);
    right_text(&mut flow.drawing, x + width, y, SMALL, said);
    flow.drawing.line((x, y + 6.0), (x + width, y + 6.0), 0.6, RULE);
    flow.space(14.0);
    let verdict = Lines::new(&flow.drawing, &facts.verdict, bold(15.0, INK), width, 6);
    verdict.draw(&mut flow.drawing, x, flow.y);
    flow.space(verdict.height() + 3.0);
    flow.paragraph(&facts.rests_on.join(" · "), style(8.5, palette::TEXT_2), 0.0);
    for problem in &facts.problems {
        flow.paragraph(&format!("! {problem}"), style(8.5, INK), 0.0);
    }
    flow.space(SPACE);
    let place = charts::whole(flow);
    charts::tiles(&mut flow.drawing, place, &tiles(facts, unit));
    flow.space(charts::TILES + SPACE);
    step_bar(flow, facts, unit);
    findings(flow, facts, unit);
}

fn tiles(facts: &JobFacts, unit: TimeUnit) -> Vec<Tile> {
    let known = facts.tiles.iter().filter(|tile| tile.unit != "/s" || tile.value.is_some());
    known
        .map(|tile| {
            let text = match (tile.value, tile.unit) {
                (None, _) => UNKNOWN.to_owned(),
                (Some(ns), "ns") => short_time(ns, unit),
                (Some(share), "%") => percentage(share),
                (Some(number), unit) => format!("{number:.0} {unit}"),
            };
            let (figure, after) = text.split_once(' ').unwrap_or((&text, ""));
            Tile { figure: figure.to_owned(), after: after.to_owned(), name: tile.label.replace('`', "") }
        })
        .collect()
}

fn step_bar(flow: &mut Flow, facts: &JobFacts, unit: TimeUnit) {
    let scale = Scale::of(facts.length_ns, unit);
    let said = format!(
        "mean of {} {}, {}; solid: the GPU works, hatched: it waits",
        grouped(&facts.ranks.to_string()),
        facts.many,
        scale.text(facts.length_ns)
    );
    let place = charts::whole(flow);
    heading(&mut flow.drawing, place, facts.where_it_goes, &said);
    let shown: Vec<&Part> = facts.parts.iter().filter(|part| part.ns > 0.0).collect();
    let parts: Vec<BarPart> = shown.iter().map(|part| step::part_of_job(part, part.ns)).collect();
    let mut names = shown.iter();
    let below = Frame { y: place.y + 18.0, ..place };
    step::bar(&mut flow.drawing, below, &parts, facts.length_ns, |part| {
        let name = names.next().map_or("", |part| part.name);
        format!("{name} {}", scale.text(part.ns))
    });
    flow.space(18.0 + step::BAR + 6.0);
    let half = shown.len().div_ceil(2);
    let width = (place.width - 24.0) / 2.0;
    for (at, part) in shown.iter().enumerate() {
        let (column, row) = (at / half.max(1), at % half.max(1));
        let x = if column == 0 { place.x } else { place.x + width + 24.0 };
        let line = Frame { x, y: flow.y + step::LINE * (row as f32), width };
        let figures = [scale.number(part.ns), percentage(part.percent)];
        let figures = figures.each_ref().map(String::as_str);
        step::line(&mut flow.drawing, line, (part.class, !part.works), part.name, figures);
    }
    flow.space(step::LINE * (half as f32) + SPACE);
}

fn findings(flow: &mut Flow, facts: &JobFacts, unit: TimeUnit) {
    let remark = match facts.findings.is_empty() {
        true => "no rule found a problem",
        false => &facts.about_savings,
    };
    flow.keep(60.0);
    let place = charts::whole(flow);
    heading(&mut flow.drawing, place, "What to change", remark);
    flow.space(16.0);
    for (number, finding) in (1..).zip(&facts.findings) {
        let lines = FindingLines::new(&flow.drawing, number, &finding.row, flow.width());
        flow.keep(lines.height());
        let place = charts::whole(flow);
        lines.draw(&mut flow.drawing, place, unit);
        flow.space(lines.height());
    }
    flow.space(SPACE);
}

/// Which rows an order puts first.
fn which(order: &[&str]) -> &'static str {
    if order == ["-lag_ns"] { ", those that lag most" } else { "" }
}

/// The main columns of a table; where there are too many rows, the first ones in an order.
fn table_of(
    flow: &mut Flow,
    job: &Arc<Job>,
    (key, order): (&str, &[&str]),
    options: JobOptions<'_>,
) -> io::Result<()> {
    let most = options.most_rows.unwrap_or(MOST_ROWS);
    let Some(definition) = job_table(key) else { return Ok(()) };
    let table: Box<dyn Table> = (definition.build)(job);
    if table.rows() == 0 {
        return Ok(());
    }
    let owned = |keys: &[&str]| -> Vec<String> { keys.iter().map(|&key| key.to_owned()).collect() };
    let columns = [owned(definition.layout.first), owned(definition.layout.second)].concat();
    let is_cut = most > 0 && table.rows() > most;
    let sort = if is_cut { owned(order) } else { Vec::new() };
    let top = is_cut.then_some(most);
    let selection = Selection { columns: &columns, sort: &sort, conditions: &[], top };
    let view = View::new(table.as_ref(), &selection).map_err(io::Error::other)?;
    let notes = if is_cut {
        vec![format!(
            "{} of {} rows are shown{}.",
            grouped(&most.to_string()),
            grouped(&table.rows().to_string()),
            which(order)
        )]
    } else {
        Vec::new()
    };
    let is_wide = table::is_wide(&flow.drawing, &view, options.time_unit);
    let size = if is_wide { LANDSCAPE } else { PORTRAIT };
    table::add(flow, &view, options.time_unit, &notes, size);
    flow.space(SPACE);
    Ok(())
}
