//! The contents of the PDF, from the first page to the last.

use super::super::{figures, report};
use super::charts::{self, Frame};
use super::layout::{ACCENT, BODY, Flow, GREY, INK, MARGIN, SMALL, bold, shorten, style, wrap};
use super::table;
use crate::display::{TimeUnit, sentence};
use crate::findings::texts;
use crate::origin;
use dlprof_core::profile::Profile;

/// Maximum number of rows of a table, if the user sets no other number.
const MOST_ROWS: usize = 200;

pub(super) fn most_rows(options: &report::Options<'_>) -> usize {
    options.most_rows.unwrap_or(MOST_ROWS)
}

/// Everything except the footers of the pages.
pub(super) fn add(
    flow: &mut Flow,
    profile: &Profile,
    name: &str,
    sections: &[report::Section<'_>],
    options: &report::Options<'_>,
) {
    cover(flow, profile, name, options);
    dashboard(flow, profile, options);
    findings(flow, profile, options.time_unit);
    for section in sections {
        table::add(flow, &section.view, options.time_unit, &section.notes);
    }
    notes(flow, profile);
}

/// Profile name, system configuration, what was profiled.
fn cover(flow: &mut Flow, profile: &Profile, name: &str, options: &report::Options<'_>) {
    let width = flow.width();
    flow.drawing.bookmark("Dashboard");
    flow.drawing.text(MARGIN, flow.y + 6.0, bold(8.0, ACCENT), "TRAINING PROFILE");
    flow.space(10.0);
    let title_style = bold(20.0, INK);
    for line in wrap(&flow.drawing, name, title_style, width, 2) {
        flow.space(24.0);
        flow.drawing.text(MARGIN, flow.y - 5.0, title_style, &line);
    }
    flow.drawing.line((MARGIN, flow.y + 3.0), (MARGIN + width, flow.y + 3.0), 1.6, ACCENT);
    let verdict = sentence(&dlprof_core::findings::verdict(profile), options.time_unit);
    flow.space(8.0);
    flow.paragraph(&verdict, bold(11.0, INK), 0.0);
    flow.space(8.0);
    let half = (width - 24.0) / 2.0;
    let left = Frame { x: MARGIN, y: flow.y, width: half };
    let right = Frame { x: MARGIN + half + 24.0, ..left };
    let origin =
        charts::pairs(&mut flow.drawing, left, "Profile", &report::origin(profile, options.time_unit));
    let system = charts::pairs(&mut flow.drawing, right, "System", &report::system(profile));
    flow.space(origin.max(system) + 2.0);
}

fn dashboard(flow: &mut Flow, profile: &Profile, options: &report::Options<'_>) {
    let unit = options.time_unit;
    let width = flow.width();
    let tile = (width - 3.0 * 8.0) / 4.0;
    let mut x = MARGIN;
    for (figure, name) in report::figures(profile, unit) {
        charts::tile(&mut flow.drawing, Frame { x, y: flow.y, width: tile }, &figure, &name);
        x += tile + 8.0;
    }
    flow.space(charts::TILE + 14.0);
    let half = (width - 24.0) / 2.0;
    let left = Frame { x: MARGIN, y: flow.y, width: half };
    let right = Frame { x: MARGIN + half + 24.0, ..left };
    let (of_what, parts) = figures::resource_usage(profile);
    charts::doughnut(&mut flow.drawing, left, ["Resource usage", &of_what], &parts, unit);
    let parts = figures::kernel_time(profile);
    charts::doughnut(&mut flow.drawing, right, ["Kernel GPU time", "sum of all launches"], &parts, unit);
    flow.space(charts::DOUGHNUT + 8.0);
    let gpus = figures::gpu_utilization(profile);
    if !gpus.is_empty() {
        flow.keep(charts::utilization_height(gpus.len()));
        charts::utilization(&mut flow.drawing, charts::whole(flow.y, width), &gpus);
        flow.space(charts::utilization_height(gpus.len()) + 8.0);
    }
    let bars = figures::iterations(profile, charts::MOST_BARS);
    if !bars.is_empty() {
        flow.keep(charts::ITERATIONS);
        charts::iterations(&mut flow.drawing, charts::whole(flow.y, width), &bars, unit);
        flow.space(charts::ITERATIONS);
    }
}

fn findings(flow: &mut Flow, profile: &Profile, unit: TimeUnit) {
    flow.heading("Findings", 40.0);
    let findings = texts(profile, &origin::file_name(profile), unit);
    if findings.is_empty() {
        flow.paragraph("There are no findings: the expert system found no problem.", BODY, 0.0);
    }
    for finding in &findings {
        flow.keep(36.0);
        flow.space(3.0);
        flow.paragraph(&format!("{} {}", finding.mark, finding.problem), bold(9.0, INK), 0.0);
        if !finding.saving.is_empty() {
            flow.paragraph(&format!("Saves: {}", finding.saving), BODY, 12.0);
        }
        flow.paragraph(&finding.advice, BODY, 12.0);
    }
}

/// The diagnostics of the capture, and the characters that no font has.
fn notes(flow: &mut Flow, profile: &Profile) {
    let missing = missing_characters(flow);
    if profile.diagnostics.is_empty() && missing.is_none() {
        return;
    }
    flow.turn(super::layout::PORTRAIT);
    flow.heading("Notes", 30.0);
    for diagnostic in &profile.diagnostics {
        flow.space(2.0);
        flow.paragraph(&report::note(diagnostic), style(8.0, INK), 0.0);
        for example in &diagnostic.examples {
            let shown = shorten(&flow.drawing, &crate::display::plain(example), SMALL, flow.width() - 12.0);
            flow.paragraph(&shown, style(7.5, GREY), 12.0);
        }
    }
    if let Some(missing) = missing {
        flow.paragraph(&missing, style(8.0, INK), 0.0);
    }
}

fn missing_characters(flow: &Flow) -> Option<String> {
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
