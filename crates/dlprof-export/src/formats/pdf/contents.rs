//! The contents of the PDF, from the first page to the last.

use super::super::report;
use super::findings::FindingLines;
use super::layout::{Flow, GREY, INK, LANDSCAPE, PORTRAIT, SMALL, shorten, style};
use super::ranked::{self, Ranked};
use super::{charts, first_page, reading, roofline, table};
use crate::counters::rooflines_of;
use crate::display::TimeUnit;
use crate::overview::{Overview, overview};
use crate::roofline::RooflinePicture;
use dlprof_core::{Judged, Profile};

/// Maximum number of rows of a table, if the user sets no other number.
const MOST_ROWS: usize = 200;

pub(super) fn most_rows(options: &report::Options<'_>) -> usize {
    options.most_rows.unwrap_or(MOST_ROWS)
}

/// Everything except the footers of the pages.
pub(super) fn add(
    flow: &mut Flow,
    judged: &Judged,
    name: &str,
    sections: &[report::Section<'_>],
    options: &report::Options<'_>,
) {
    let overview = overview(judged, options.time_unit);
    let unit = unit_of_report(&overview, options.time_unit);
    // The number of the page stands beside the last line.
    let room = flow.width() - 110.0;
    let foot = first_page::foot_lines(flow, &overview, room);
    flow.set_first_foot(foot);
    let shown = first_page::add(flow, judged, &overview, name, unit);
    if flow.room() < WORTH_GOING_ON {
        flow.new_page(PORTRAIT);
    }
    more_findings(flow, &overview, shown, unit);
    lists(flow, &overview, unit, options.time_unit);
    for figure in rooflines_of(judged) {
        roofline::add(flow, &RooflinePicture::new(&figure));
    }
    // Columns of tables that were chosen have units of their own: they hold single launches as well as sums.
    let of_tables = if options.tables == report::Tables::Usual { unit } else { options.time_unit };
    let is_wide = sections.iter().any(|section| table::is_wide(&flow.drawing, &section.view, of_tables));
    let tables = |flow: &mut Flow| {
        let size = if is_wide { LANDSCAPE } else { PORTRAIT };
        sections.iter().for_each(|section| table::add(flow, &section.view, of_tables, &section.notes, size));
    };
    // Pages turn once at most, and what is said to the reader fills the page before they do.
    if !is_wide {
        tables(flow);
    }
    notes(flow, judged);
    reading::add(flow, &overview);
    if is_wide {
        tables(flow);
    }
}

/// Less room than this is left blank after the first page.
const WORTH_GOING_ON: f32 = 240.0;

/// The unit of all times in figures, charts and lists: one for the whole report, so that they can be compared.
fn unit_of_report(overview: &Overview, wanted: TimeUnit) -> TimeUnit {
    match (wanted, overview.tiles.iteration_ns) {
        (TimeUnit::Auto, ns) if ns <= 0.0 => TimeUnit::Auto,
        (TimeUnit::Auto, ns) if ns < 1e6 => TimeUnit::Us,
        (TimeUnit::Auto, ns) if ns < 100e9 => TimeUnit::Ms,
        (TimeUnit::Auto, _) => TimeUnit::S,
        (unit, _) => unit,
    }
}

/// The findings for which the first page had no room.
fn more_findings(flow: &mut Flow, overview: &Overview, shown: usize, unit: TimeUnit) {
    if shown == overview.findings.len() {
        return;
    }
    flow.heading("What to change, continued", 60.0);
    for (number, finding) in (1..).zip(&overview.findings).skip(shown) {
        let lines = FindingLines::new(&flow.drawing, number, finding, flow.width());
        flow.keep(lines.height());
        let frame = charts::whole(flow);
        lines.draw(&mut flow.drawing, frame, unit);
        flow.space(lines.height());
    }
}

/// Kernels, kinds of kernels, ops and op types by time.
fn lists(flow: &mut Flow, overview: &Overview, unit: TimeUnit, of_means: TimeUnit) {
    /// How many are listed.
    const MOST: usize = 20;
    let per = overview.basis.words();
    if let Some(kernels) = overview.kernels.as_ref().filter(|kernels| !kernels.rows.is_empty()) {
        let rows = Ranked::kernels(&kernels.rows[..kernels.rows.len().min(MOST)], of_means);
        let gpus = kernels.sum_in_words();
        let title = format!("Top kernels {per}, {} of {} names{gpus}", rows.len(), kernels.names);
        ranked::long(flow, &title, "kernels %", &rows, unit);
        let kinds: Vec<Ranked> = kernels.kinds.iter().map(Ranked::kind).collect();
        ranked::long(flow, &format!("Kernel time by kind {per}{gpus}"), "kernels %", &kinds, unit);
    }
    let ops = &overview.ops;
    let time = ops.ranked_by.words();
    if let Some(unknown) = &ops.unknown {
        flow.heading("Top ops", 30.0);
        flow.paragraph(unknown, style(8.0, INK), 0.0);
    }
    let rows: Vec<Ranked> = ops.rows.iter().take(MOST).map(Ranked::op).collect();
    if !rows.is_empty() {
        let title = format!("Top ops by {time} {per}, {} of {}, equal ones folded", rows.len(), ops.folded);
        ranked::long(flow, &title, "ops %", &rows, unit);
        if let Some(passes) = &ops.passes_said {
            flow.paragraph(passes, style(8.0, INK), 0.0);
        }
    }
    let rows: Vec<Ranked> = ops.types.iter().take(MOST).map(Ranked::op_type).collect();
    if !rows.is_empty() {
        let title = format!("Top op types by {time} {per}, {} of {}", rows.len(), ops.type_count);
        ranked::long(flow, &title, "ops %", &rows, unit);
    }
}

/// The diagnostics of the capture, and the characters that no font has.
fn notes(flow: &mut Flow, profile: &Profile) {
    let missing = missing_characters(flow);
    if profile.diagnostics.is_empty() && missing.is_none() {
        return;
    }
    flow.heading("Notes", 30.0);
    for diagnostic in &profile.diagnostics {
        flow.space(2.0);
        flow.paragraph(&report::note(diagnostic, Some(&profile.capture)), style(8.0, INK), 0.0);
        for example in &diagnostic.examples {
            let shown = shorten(&flow.drawing, &crate::display::plain(example), SMALL, flow.width() - 12.0);
            flow.paragraph(&shown, style(7.5, GREY), 12.0);
        }
    }
    if let Some(missing) = missing {
        flow.paragraph(&missing, style(8.0, INK), 0.0);
    }
}

pub(super) fn missing_characters(flow: &Flow) -> Option<String> {
    /// How many missing characters are named.
    const NAMED: usize = 12;
    let missing = flow.drawing.missing();
    let named: Vec<String> = missing.iter().take(NAMED).map(|c| format!("U+{:04X}", u32::from(*c))).collect();
    let more =
        if missing.len() > NAMED { format!(" and {} more", missing.len() - NAMED) } else { String::new() };
    let are =
        if missing.len() == 1 { "1 character is" } else { &format!("{} characters are", missing.len()) };
    (!missing.is_empty()).then(|| {
        format!(
            "{are} in none of the fonts and shown as \u{FFFD}: {}{more}. Add a font with `--font FILE`.",
            named.join(", ")
        )
    })
}
