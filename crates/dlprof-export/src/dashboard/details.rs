//! What `--details` adds: DLProf's figures, members of folded ops, all kernels of the list, GPUs, candidates for key nodes.

use super::Look;
use super::line::{Line, flow, heading, wrap_hard};
use super::numbers::TimeForm;
use super::paper::Paper;
use super::ranked_rows::{Column, Importance, Listing, ListingRow};
use crate::display::{counted, percentage, short_time};
use crate::origin::UNKNOWN;
use crate::overview::{ClassCount, DlprofFigures, GpuRow, OpRow, Overview, period_in_words};
use crate::text::{pad, pad_left};
use dlprof_core::{IterationState, Ns, UNNAMED_GPU, count_to_f64, to_f64};
use std::collections::BTreeMap;

/// A line with the main figures of DLProf's summary, which the first screen has. They are about the window and the GPUs of the
/// page; DLProf's own are about the whole capture and all GPUs.
pub(super) fn dlprof_in_words(overview: &Overview, look: &Look<'_>) -> Vec<String> {
    let figures = &overview.dlprof;
    let share = |share: Option<f64>| share.map_or_else(|| UNKNOWN.to_owned(), percentage);
    vec![
        format!(
            "DLProf's, this window: wall clock {}",
            short_time(to_f64(figures.wall_clock_ns), look.time_unit)
        ),
        format!("GPU utilization {}", share(figures.gpu_utilization_percent)),
        format!("{} {}", efficiency(overview), efficiency_in_words(figures)),
    ]
}

/// DLProf's efficiency of Tensor Cores, what it is of where there are no ops, and how much it says nothing of.
fn efficiency_in_words(figures: &DlprofFigures) -> String {
    let Some(share) = figures.tc_efficiency_percent else { return UNKNOWN.to_owned() };
    let all = figures.tc_of_all_kernels.then(|| "all kernels".to_owned());
    let unknown =
        figures.tc_unknown_percent.map(|unknown| format!("{} of kernel time unknown", percentage(unknown)));
    let words: Vec<String> = all.into_iter().chain(unknown).collect();
    match words.is_empty() {
        true => percentage(share),
        false => format!("{} ({})", percentage(share), words.join(", ")),
    }
}

/// All blocks of details.
pub(super) fn blocks(overview: &Overview, look: &Look<'_>, paper: Paper) -> Vec<Vec<Line>> {
    vec![
        members(overview, look, paper),
        dlprof(overview, look, paper),
        class_counts(
            "Kernel GPU time by DLProf's classes",
            "sum of durations, launches",
            &overview.dlprof.kernel_totals,
            overview,
            look,
            paper,
        ),
        class_counts(
            &format!("Op GPU time by use of {}", overview.matrix_units),
            "time in which any works, ops",
            &overview.dlprof.op_categories,
            overview,
            look,
            paper,
        ),
        gpus(overview, paper),
        states(overview, paper),
        key_nodes(overview, paper),
        missing(overview, paper),
        ncu(look, paper),
    ]
}

/// How many copies of a folded op are listed, those with most time.
const MOST_MEMBERS: usize = 5;

/// The copies of folded ops, the longest of each, and what lists the others.
fn members(overview: &Overview, look: &Look<'_>, paper: Paper) -> Vec<Line> {
    let folded: Vec<&OpRow> = overview.ops.rows.iter().filter(|row| row.members.len() > 1).collect();
    if folded.is_empty() {
        return Vec::new();
    }
    let longest = folded.iter().flat_map(|row| &row.members).map(|member| member.ns).fold(0.0, f64::max);
    let form = TimeForm::of(longest, look.time_unit, 0);
    let mut left_out = 0;
    let mut shown = Vec::new();
    for row in &folded {
        let mut members: Vec<_> = row.members.iter().collect();
        // Of equal ones the first.
        members.sort_by(|a, b| b.ns.total_cmp(&a.ns));
        left_out += members.len().saturating_sub(MOST_MEMBERS);
        shown.extend(members.into_iter().take(MOST_MEMBERS));
    }
    let rows = shown.into_iter().map(|member| ListingRow {
        name: member.name.clone(),
        suffix: format!("  {}", member.op_id),
        cells: vec![form.number(member.ns)],
        share: 0.0,
    });
    let listing = Listing {
        titles: vec![
            format!("Members of folded ops, {}", overview.basis.words()),
            "Members of folded ops".to_owned(),
        ],
        rows: rows.collect(),
        columns: vec![Column { title: form.symbol(), importance: Importance::Main }],
        bar_behind: None,
        below: None,
    };
    let mut lines = listing.lines(usize::MAX, paper);
    if left_out > 0 {
        let more = format!("{left_out} more: `show ops` lists all");
        lines.push(Line::of(format!("  {}", paper.text(&more))));
    }
    lines
}

/// A figure with its name.
fn pair(name: &str, value: &str, paper: Paper) -> Line {
    Line::of(format!("  {}{}", pad(name, 34), pad_left(&paper.text(value), 14)))
}

/// What DLProf's efficiency of Tensor Cores is called.
fn efficiency(overview: &Overview) -> String {
    format!("{} efficiency", overview.matrix_units.trim_end_matches('s'))
}

/// What the share of Tensor Core kernels is of: without ops DLProf takes all kernels.
fn of_tensor_cores(overview: &Overview) -> String {
    let of = if overview.dlprof.tc_of_all_kernels { "all kernels" } else { "eligible" };
    format!("{} ({of})", efficiency(overview))
}

/// The figures of DLProf's summary, over the whole window.
fn dlprof(overview: &Overview, look: &Look<'_>, paper: Paper) -> Vec<Line> {
    let figures = &overview.dlprof;
    let time = |ns: Ns| short_time(to_f64(ns), look.time_unit);
    let share = |share: Option<f64>| share.map_or_else(|| UNKNOWN.to_owned(), percentage);
    let mut lines = vec![
        heading("In DLProf's terms", "this window, used GPUs; DLProf's own: reports", paper.columns),
        pair("Wall clock time", &time(figures.wall_clock_ns), paper),
    ];
    lines.extend(figures.covered_ns.map(|ns| pair("  covered by events", &time(ns), paper)));
    lines.push(pair("GPU utilization (kernels)", &share(figures.gpu_utilization_percent), paper));
    lines.push(pair(&of_tensor_cores(overview), &share(figures.tc_efficiency_percent), paper));
    if let Some(unknown) = figures.tc_unknown_percent {
        lines.push(pair("  of kernel time unknown by name", &percentage(unknown), paper));
    }
    lines.extend(
        figures
            .tensor_active_percent
            .map(|active| pair("  Tensor Active, sampled", &percentage(active), paper)),
    );
    lines.extend(iterations(overview, look, paper));
    for class in &figures.resources {
        let known = class.ns.zip(class.percent);
        let value = known.map_or_else(|| UNKNOWN.to_owned(), |(ns, _)| time(ns));
        // The class `CPU` of a step is another time.
        // Without ranges it is that of API calls.
        let name = match (class.class, overview.window.mode.as_str()) {
            ("CPU", "simple") => "CPU in API calls",
            ("CPU", _) => "CPU in ops",
            (class, _) => class,
        };
        let mut line = pair(&format!("Resources: {name}"), &value, paper);
        line.push(pad_left(&known.map_or_else(String::new, |(_, percent)| percentage(percent)), 10));
        lines.push(line);
    }
    lines
}

/// How many iterations there are, and how long they take on average. DLProf takes a window without any for one.
fn iterations(overview: &Overview, look: &Look<'_>, paper: Paper) -> Vec<Line> {
    let figures = &overview.dlprof;
    let [total, profiled] = [figures.iterations, figures.profiled_iterations].map(|count| count.to_string());
    if overview.window.key_node.is_none() {
        return vec![pair("Iterations found", "none", paper), pair("  the window counts as", &total, paper)];
    }
    let title = match overview.window.first {
        Some(_) => "Total iterations, with iteration 0",
        None => "Total iterations",
    };
    let tiles = &overview.tiles;
    let mean = match overview.basis.divisor == overview.basis.iterations {
        true => "Mean iteration time".to_owned(),
        false => format!("Mean of {} passes", overview.basis.divisor),
    };
    let mut lines = vec![
        pair(title, &total, paper),
        pair("Profiled iterations", &profiled, paper),
        pair(&mean, &short_time(tiles.iteration_ns, look.time_unit), paper),
    ];
    lines.extend(
        tiles.deviation_ns.map(|ns| pair("  standard deviation", &short_time(ns, look.time_unit), paper)),
    );
    lines
}

/// Classes with GPU time and a count.
fn class_counts(
    title: &str,
    of: &str,
    rows: &[ClassCount],
    overview: &Overview,
    look: &Look<'_>,
    paper: Paper,
) -> Vec<Line> {
    let line = |row: &ClassCount| {
        let unknown = || UNKNOWN.to_owned();
        let time = row.gpu_ns.map_or_else(unknown, |ns| short_time(to_f64(ns), look.time_unit));
        let mut line = pair(row.class, &time, paper);
        let count = row.count.map_or_else(unknown, |count| counted(count_to_f64(count)));
        line.push(pad_left(&paper.text(&count), 12));
        line
    };
    let right = format!("whole window{}; {of}", overview.gpus_of_ops());
    std::iter::once(heading(title, &right, paper.columns)).chain(rows.iter().map(line)).collect()
}

/// One line for each GPU of the machine.
pub(super) fn gpus(overview: &Overview, paper: Paper) -> Vec<Line> {
    if overview.gpus.is_empty() {
        return Vec::new();
    }
    // Where no work of any GPU was recorded, nobody knows which were used.
    let knows_use = overview.gpus.iter().any(|gpu| gpu.is_used);
    let row = |gpu: &GpuRow| ListingRow {
        name: format!("{}  {}", gpu.number, gpu.name.as_deref().unwrap_or(UNNAMED_GPU)),
        suffix: String::new(),
        cells: vec![match (gpu.is_used, gpu.busy_percent) {
            (false, _) if knows_use => "not used".to_owned(),
            (_, None) => UNKNOWN.to_owned(),
            (_, Some(percent)) => format!("{percent:.1}"),
        }],
        share: gpu.busy_percent.unwrap_or(0.0) / 100.0,
    };
    let listing = Listing {
        titles: vec!["GPUs".to_owned()],
        rows: overview.gpus.iter().map(row).collect(),
        columns: vec![Column { title: "busy %", importance: Importance::Main }],
        bar_behind: Some(1),
        below: None,
    };
    listing.lines(usize::MAX, paper)
}

/// How many iterations are in which state.
fn states(overview: &Overview, paper: Paper) -> Vec<Line> {
    let Some(iterations) = &overview.iterations else { return Vec::new() };
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for row in &iterations.rows {
        *counts.entry(row.state).or_default() += 1;
    }
    let word = |state: &str| {
        if state == IterationState::Cut.as_str() {
            "cut (the last, shorter or launching less work)"
        } else {
            state
        }
        .to_owned()
    };
    let parts: Vec<String> = counts.iter().map(|(state, count)| format!("{count} {}", word(state))).collect();
    let lines = flow(&parts, ", ", paper.columns - 2);
    let lines = lines.into_iter().map(|line| Line::of(format!("  {line}")));
    std::iter::once(heading("States of iterations", "", paper.columns)).chain(lines).collect()
}

/// What delimits iterations, how it was found, and what else may.
fn key_nodes(overview: &Overview, paper: Paper) -> Vec<Line> {
    let window = &overview.window;
    let mut words = vec![format!("mode {}: {}", window.mode, window.mode_reason)];
    if let Some(node) = &window.key_node {
        let how = match (node.is_named, node.period_kernels) {
            (true, _) => "named by the user".to_owned(),
            (false, Some(kernels)) => format!("found by a {}", period_in_words(kernels)),
            (false, None) => "found by its range".to_owned(),
        };
        words.push(format!("key node {}: {how}", node.name));
        let sure = node.confidence.zip(node.score);
        words.extend(sure.map(|(confidence, score)| format!("{confidence} confidence, score {score:.2}")));
        words.extend(node.thread.clone());
    }
    words.extend(window.remarks.iter().cloned());
    for other in &window.other_candidates {
        words.push(format!(
            "other candidate: {} ({} iterations, score {:.2})",
            other.name, other.runs, other.score
        ));
    }
    let lines = words.iter().flat_map(|words| wrap_hard(&paper.text(words), paper.columns - 2));
    let lines = lines.map(|line| Line::of(format!("  {line}")));
    std::iter::once(heading("Iterations and ops: how they were found", "", paper.columns))
        .chain(lines)
        .collect()
}

/// What is not known, and what would make it known.
fn missing(overview: &Overview, paper: Paper) -> Vec<Line> {
    if overview.missing.is_empty() {
        return Vec::new();
    }
    let words = overview.missing.iter().map(|one| match one.option.as_ref() {
        "" => format!("{}: {}", one.figure, one.reason),
        option => format!("{}: {}; {option}", one.figure, one.reason),
    });
    let lines = words.flat_map(|words| wrap_hard(&paper.text(&words), paper.columns - 2));
    let lines = lines.map(|line| Line::of(format!("  {line}"))).collect::<Vec<_>>();
    std::iter::once(heading("Not known, and what would tell", "", paper.columns)).chain(lines).collect()
}

/// The command that measures the kernels with most time with Nsight Compute. A word of it is never cut.
fn ncu(look: &Look<'_>, paper: Paper) -> Vec<Line> {
    let Some(command) = look.ncu else { return Vec::new() };
    let words = |words: &str| wrap_hard(&paper.text(words), paper.columns - 2);
    let lines = words(&command.measures)
        .into_iter()
        .chain(command.lines(paper.columns - 2).into_iter().map(|line| paper.text(&line)))
        .chain(command.remarks.iter().flat_map(|remark| words(remark)));
    let lines = lines.map(|line| Line::of(format!("  {line}")));
    std::iter::once(heading("To measure kernels with Nsight Compute", "", paper.columns))
        .chain(lines)
        .collect()
}
