//! The dashboard as a piece of HTML, drawn from an [`Overview`] and the timeline of one iteration.

use super::timeline::drawing;
use super::{css, escaped, fill, framed, heading, push, quiet};
use crate::display::{TimeUnit, grouped, percentage, short_time};
use crate::overview::{FindingRow, Overview, Step, overview};
use crate::palette;
use crate::text::shorten_name;
use dlprof_core::Judged;

/// How many findings, causes and kernels are listed.
const FINDINGS: usize = 6;
const CAUSES: usize = 6;
const KERNELS: usize = 8;

/// A longer name of a kernel loses its middle; the whole stands where the mouse points.
const LONGEST: usize = 90;

/// The dashboard: verdict, figures, where the time of an iteration goes, what to change, the kernels with most time, and what ran
/// when in the iteration of median duration.
#[must_use]
pub fn dashboard(judged: &Judged, unit: TimeUnit) -> String {
    let overview = overview(judged, unit);
    let mut out = String::new();
    push(
        &mut out,
        format_args!("<div style=\"font-size:16px;font-weight:600\">{}</div>", escaped(&overview.verdict)),
    );
    if let Some(detail) = &overview.verdict_detail {
        push(&mut out, format_args!("<div>{}</div>", escaped(detail)));
    }
    let about: Vec<&str> = overview.window.parts.iter().map(String::as_str).collect();
    push(&mut out, format_args!("<div>{}</div>", quiet(&about.join(" · "))));
    tiles(&overview, unit, &mut out);
    if let Some(step) = &overview.step {
        classes(&overview, step, unit, &mut out);
    }
    findings(&overview, unit, &mut out);
    if let Some(after) = &overview.after_changes {
        push(&mut out, format_args!("<div>{}</div>", escaped(after)));
    }
    kernels(&overview, unit, &mut out);
    if overview.window.first.is_some() {
        let (median, _) = judged.median_and_slowest_iteration();
        if let Some(drawing) = drawing(judged, median) {
            out.push_str(&heading(&format!("Iteration {median}, of median duration")));
            out.push_str(&drawing);
        }
    }
    framed(&out)
}

fn tiles(overview: &Overview, unit: TimeUnit, out: &mut String) {
    let (tiles, labels) = (&overview.tiles, &overview.labels);
    let figures = [
        Some((
            short_time(tiles.iteration_ns, unit) + &tiles.deviation_in_words(unit),
            labels.iteration_ns.as_str(),
        )),
        tiles.gpu_busy_percent.map(|share| (percentage(share), labels.gpu_busy_percent.as_str())),
        tiles.tensor_cores_in_words().map(|share| (share, labels.tensor_core_percent)),
        tiles.kernels.map(|count| (grouped(&format!("{count:.0}")), labels.kernels.as_str())),
        tiles.items_per_s.map(|items| (grouped(&format!("{items:.1}")), labels.items_per_s)),
    ];
    out.push_str("<div style=\"display:flex;flex-wrap:wrap;gap:10px 28px;margin-top:10px\">");
    for (figure, label) in figures.into_iter().flatten() {
        push(
            out,
            format_args!(
                "<div><div style=\"font-size:19px;font-weight:600\">{}</div><div>{}</div></div>",
                escaped(&figure),
                quiet(label)
            ),
        );
    }
    out.push_str("</div>");
}

/// The bar of an iteration by class, its legend, and the causes of idle time.
fn classes(overview: &Overview, step: &Step, unit: TimeUnit, out: &mut String) {
    out.push_str(&heading(&format!(
        "{}, {}",
        overview.basis.where_it_goes(),
        overview.basis.mean_in_words()
    )));
    push(
        out,
        format_args!(
            "<div style=\"display:flex;height:18px;border-radius:3px;overflow:hidden;background:{}\">",
            css(palette::SUNKEN)
        ),
    );
    for part in step.classes.iter().filter(|part| part.percent > 0.0) {
        let color = palette::of_class(part.class);
        let working = if part.ns > 0.0 { (part.working_ns / part.ns).clamp(0.0, 1.0) } else { 0.0 };
        for (share, is_waiting) in [(working, false), (1.0 - working, true)] {
            let percent = part.percent * share;
            if percent < 0.05 {
                continue;
            }
            let state = if is_waiting { "the GPU waits" } else { "the GPU works" };
            push(
                out,
                format_args!(
                    "<div title=\"{}: {state}, {}\" style=\"width:{percent:.2}%;background:{}\"></div>",
                    escaped(part.words),
                    percentage(percent),
                    fill(color, is_waiting)
                ),
            );
        }
    }
    out.push_str("</div><div style=\"display:flex;flex-wrap:wrap;gap:2px 16px;margin-top:4px\">");
    for part in step.classes.iter().filter(|part| part.ns > 0.0) {
        let is_waiting = part.working_ns < part.ns / 2.0;
        push(
            out,
            format_args!(
                "<span><span style=\"display:inline-block;width:10px;height:10px;margin-right:5px;background:{}\"></span>{} {} \
                 {}</span>",
                fill(palette::of_class(part.class), is_waiting),
                escaped(part.words),
                escaped(&short_time(part.ns, unit)),
                quiet(&percentage(part.percent))
            ),
        );
    }
    out.push_str("</div>");
    if !step.idle.is_empty() {
        let causes = step.idle.iter().take(CAUSES);
        let causes: Vec<String> =
            causes.map(|row| format!("{} {}", row.with_range(), short_time(row.ns, unit))).collect();
        let text = format!("GPU idle {}: {}", short_time(step.idle_ns, unit), causes.join(" · "));
        push(out, format_args!("<div style=\"margin-top:4px\">{}</div>", escaped(&text)));
    }
}

fn findings(overview: &Overview, unit: TimeUnit, out: &mut String) {
    if overview.findings.is_empty() {
        return;
    }
    out.push_str(&heading("What to change"));
    out.push_str("<ol style=\"margin:0;padding-left:20px\">");
    for row in overview.findings.iter().take(FINDINGS) {
        finding(row, unit, out);
    }
    out.push_str("</ol>");
    if let Some(more) = overview.findings.len().checked_sub(FINDINGS).filter(|&more| more > 0) {
        out.push_str(&quiet(&format!("and {more} more: `profile.findings` has all of them")));
    }
}

fn finding(row: &FindingRow, unit: TimeUnit, out: &mut String) {
    let saving = match &row.saving {
        Some(saving) if saving.expected_ns.is_some() => format!("−{}", short_time(saving.ns(), unit)),
        Some(saving) => format!("at most −{}", short_time(saving.ns(), unit)),
        None => row.without_saving("").to_owned(),
    };
    push(
        out,
        format_args!(
            "<li style=\"margin-bottom:4px\"><b>{}</b> <span style=\"color:{}\">{}</span><br>{} {}</li>",
            escaped(&row.title),
            css(palette::TC),
            escaped(&saving),
            escaped(&row.problem),
            quiet(&row.advice)
        ),
    );
}

fn kernels(overview: &Overview, unit: TimeUnit, out: &mut String) {
    let Some(kernels) = overview.kernels.as_ref().filter(|kernels| !kernels.rows.is_empty()) else { return };
    out.push_str(&heading(&format!("Kernels{}", kernels.sum_in_words())));
    out.push_str("<table style=\"border-collapse:collapse;font-size:12px;white-space:nowrap\">");
    for row in kernels.rows.iter().take(KERNELS) {
        push(
            out,
            format_args!(
                "<tr><td style=\"text-align:right;padding:1px 10px 1px 0\">{}</td><td style=\"text-align:right;padding:1px 10px\">\
                 {}</td><td style=\"text-align:left;padding:1px 0;font-family:ui-monospace,monospace\" title=\"{}\">{}</td></tr>",
                escaped(&short_time(row.ns, unit)),
                escaped(&percentage(row.percent)),
                escaped(&row.long_name),
                escaped(&shorten_name(&row.label, LONGEST))
            ),
        );
    }
    out.push_str("</table>");
}
