//! The dashboard as text of at most 100 columns.

use crate::args::TimeUnit;
use crate::text::{fraction_of_time, pad, pad_left, percentage, shorten, time, width, wrap};
use anstyle::{AnsiColor, Style};
use comfy_table::{CellAlignment, ContentArrangement, Table as TextTable};
use dlprof_core::aggregate::{IterationStats, Profile};
use dlprof_core::diagnostics::Severity;
use dlprof_core::iterate::{Found, IterationState, thread_name};
use dlprof_core::ratios::{percent, to_f64};
use dlprof_core::tables::{self, Kind, Table, Unit, Value};
use dlprof_core::time::Ns;

/// Width of the dashboard.
const COLUMNS: usize = 100;

/// Width of the left one of two blocks.
const LEFT: usize = 46;

const TITLE: Style = Style::new().bold();

/// One colour per class everywhere, after the DLProf Viewer's.
const TC: Style = AnsiColor::Green.on_default().bold();
const NON_TC: Style = AnsiColor::Green.on_default();
const MEMORY: Style = AnsiColor::Blue.on_default();
const DATALOADER: Style = AnsiColor::BrightYellow.on_default();
const IO: Style = AnsiColor::Yellow.on_default();
const CPU: Style = AnsiColor::Red.on_default();
const OTHER: Style = AnsiColor::Magenta.on_default();

/// Renders the dashboard.
pub(crate) fn render(profile: &Profile<'_>, profile_name: Option<&str>, unit: TimeUnit) -> String {
    let blocks = [
        header(profile, profile_name),
        side_by_side(&performance(profile, unit), &resources(profile, unit)),
        side_by_side(&kernel_totals(profile, unit), &op_categories(profile, unit)),
        top_ops(profile, unit),
        iterations(profile, unit),
        gpus(profile),
        system(profile),
        findings(profile),
        notes(profile),
    ];
    let shown: Vec<String> =
        blocks.into_iter().filter(|lines| !lines.is_empty()).map(|lines| lines.join("\n")).collect();
    format!("{}\n", shown.join("\n\n"))
}

fn header(profile: &Profile<'_>, profile_name: Option<&str>) -> Vec<String> {
    let source = &profile.trace.source;
    let file = source.path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let name = profile_name.map_or_else(String::new, |name| format!("{name} · "));
    let correlation = profile.correlation;
    let mode = format!("Mode: {}, {}", correlation.mode.as_str(), correlation.mode_reason);
    vec![format!("{TITLE}{}{TITLE:#}", shorten(&format!("{name}{file}"), COLUMNS)), shorten(&mode, COLUMNS)]
        .into_iter()
        .chain(iteration_lines(profile).iter().map(|line| shorten(line, COLUMNS)))
        .collect()
}

fn iteration_lines(profile: &Profile<'_>) -> Vec<String> {
    let iterations = &profile.iterations;
    let runners_up: Vec<String> = iterations
        .candidates
        .iter()
        .skip(usize::from(iterations.key_node.is_some()))
        .take_while(|candidate| candidate.score >= WORTH_NAMING)
        .take(2)
        .map(|candidate| {
            let name = shorten(leaf(&candidate.name), 24);
            format!("{} × {name} ({:.2})", candidate.executions, candidate.score)
        })
        .collect();
    let next = format!("next: {}", runners_up.join(", "));
    let next = (!runners_up.is_empty()).then_some(next);
    let Some(key_node) = &iterations.key_node else {
        let why = if iterations.candidates.is_empty() { "" } else { "; nothing recurs clearly enough" };
        let whole = format!("Iterations: 0 is the whole capture{why}");
        return [whole].into_iter().chain(next.map(|next| format!("  {next}"))).collect();
    };
    let range =
        format!("Iterations: {} to {} of 0 to {}", iterations.start, iterations.stop, iterations.total() - 1);
    let name = shorten(&key_node.name, 48);
    let thread = thread_name(profile.trace, key_node.thread);
    match (key_node.found, iterations.candidates.first()) {
        (Found::ByFinder, Some(best)) => {
            let confidence = best.confidence().as_str();
            let sure = format!("{confidence} confidence, score {:.2}; {thread}", best.score);
            let first = format!("{range}, found by {} {name}", best.kind.as_str());
            [first, format!("  {sure}")].into_iter().chain(next.map(|next| format!("  {next}"))).collect()
        }
        _ => vec![format!("{range}, key node {name} ({thread})")],
    }
}

/// Candidates below this score are not worth a word.
const WORTH_NAMING: f64 = 0.4;

fn leaf(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// A block: a title and lines.
fn titled(title: &str, lines: impl IntoIterator<Item = String>) -> Vec<String> {
    let title = format!("{TITLE}{title}{TITLE:#}");
    [title].into_iter().chain(lines).collect()
}

fn pair(key: &str, value: &str) -> String {
    format!("  {}{}", pad(key, 26), pad_left(value, LEFT - 30))
}

fn side_by_side(left: &[String], right: &[String]) -> Vec<String> {
    let empty = String::new();
    let lines = (0..left.len().max(right.len())).map(|at| {
        let (left, right) = (left.get(at).unwrap_or(&empty), right.get(at).unwrap_or(&empty));
        let shown = width(&anstream::adapter::strip_str(left).to_string());
        format!("{left}{}{right}", " ".repeat(LEFT.saturating_sub(shown)))
    });
    lines.map(|line| line.trim_end().to_owned()).collect()
}

fn performance(profile: &Profile<'_>, unit: TimeUnit) -> Vec<String> {
    let summary = &profile.summary;
    let iterations = &profile.iterations;
    let mut lines = vec![pair("Wall clock time", &time(summary.wall_clock_ns, unit))];
    if summary.is_late() {
        lines.push(pair("  covered by events", &time(summary.covered.length(), unit)));
    }
    lines.extend([
        pair("GPU utilization", &percentage(summary.gpu_utilization_percent)),
        pair("Tensor Core efficiency", &percentage(summary.tc_utilization_percent)),
        pair("Total iterations", &iterations.total().to_string()),
        pair("Profiled iterations", &iterations.aggregated().to_string()),
        pair("Average iteration time", &fraction_of_time(summary.average_iteration_ns, unit)),
        pair("  standard deviation", &fraction_of_time(summary.iteration_deviation_ns, unit)),
    ]);
    titled("Performance summary", lines)
}

/// Shares of the wall clock, or of the covered span where that is under half of it.
fn resources(profile: &Profile<'_>, unit: TimeUnit) -> Vec<String> {
    const BAR: usize = 18;
    let summary = &profile.summary;
    let covered = summary.covered_resources();
    let split = covered.unwrap_or(summary.resources);
    let mut title = match summary.gpus {
        1 => "Resource usage".to_owned(),
        gpus => format!("Resource usage, average of {gpus} GPUs"),
    };
    if covered.is_some() {
        title.push_str(", of the covered span");
    }
    let total = split.total();
    let styles = [TC, NON_TC, MEMORY, DATALOADER, IO, CPU, OTHER];
    let line = |((class, ns), style): ((&str, Ns), Style)| {
        let share = percent(ns, total);
        format!(
            "  {}{}{}  {style}{}{style:#}",
            pad(class, 14),
            pad_left(&time(ns, unit), 11),
            pad_left(&percentage(share), 9),
            bar(share / 100.0, BAR)
        )
    };
    titled(&title, split.by_class().into_iter().zip(styles).map(line))
}

/// A bar of up to `columns` for a share from 0 to 1, in eighths of a column.
fn bar(share: f64, columns: usize) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "the share is between 0 and 1 and the columns are few"
    )]
    let eighths = (share.clamp(0.0, 1.0) * (columns * 8) as f64).round() as usize;
    format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8])
}

fn kernel_totals(profile: &Profile<'_>, unit: TimeUnit) -> Vec<String> {
    let totals = &profile.kernel_totals;
    let rows = [
        ("Using Tensor Cores", totals.tc),
        ("All other kernels", totals.non_tc),
        ("Memory", totals.memory),
        ("All", totals.all()),
    ];
    let line = |(class, total): (&str, dlprof_core::aggregate::KernelTotal)| {
        format!(
            "  {}{}{}",
            pad(class, 20),
            pad_left(&time(total.gpu_ns, unit), 12),
            pad_left(&total.launches.to_string(), 9)
        )
    };
    titled("Kernel GPU time, launches", rows.map(line))
}

fn op_categories(profile: &Profile<'_>, unit: TimeUnit) -> Vec<String> {
    let categories = &profile.categories;
    let rows = [
        ("Using Tensor Cores", categories.using_tc),
        ("Eligible, not using", categories.eligible),
        ("All other ops", categories.other),
        ("All", categories.all),
    ];
    let line = |(class, total): (&str, dlprof_core::aggregate::CategoryTotal)| {
        format!(
            "  {}{}{}",
            pad(class, 20),
            pad_left(&time(total.gpu_ns, unit), 12),
            pad_left(&total.ops.to_string(), 9)
        )
    };
    titled("Op GPU time, ops", rows.map(line))
}

fn top_ops(profile: &Profile<'_>, unit: TimeUnit) -> Vec<String> {
    let table = tables::top_ops::build(profile);
    if table.rows() == 0 {
        return Vec::new();
    }
    titled(table.title(), table_lines(&table, Some(&TOP_OPS_COLUMNS), table.rows(), unit))
}

/// What of table `top_ops` fits on a terminal; an op ID begins with the op type.
const TOP_OPS_COLUMNS: [&str; 7] =
    ["gpu_time_ns", "op_name", "direction", "op_id", "calls", "tc_eligible", "using_tc"];

/// A table with all its columns; wider than a terminal if it has to be.
pub(crate) fn whole_table(table: &dyn Table, unit: TimeUnit) -> Vec<String> {
    table_lines(table, None, table.rows(), unit)
}

/// Columns of a table as text. With chosen columns, the widest one is shortened so that they fit.
fn table_lines(table: &dyn Table, keys: Option<&[&str]>, rows: usize, unit: TimeUnit) -> Vec<String> {
    let is_wanted = |key: &str| keys.is_none_or(|keys| keys.contains(&key));
    let columns: Vec<usize> = (0..table.columns()).filter(|&at| is_wanted(table.header(at).key)).collect();
    let mut shown = TextTable::new();
    shown.load_style(comfy_table::presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    let headers: Vec<&str> = columns.iter().map(|&column| table.header(column).title).collect();
    let mut cells: Vec<Vec<String>> = (0..rows)
        .map(|row| {
            let cell = |&column: &usize| cell(&table.value(row, column), table.header(column).unit, unit);
            columns.iter().map(cell).collect()
        })
        .collect();
    if keys.is_some() {
        shorten_widest(&headers, &mut cells);
    }
    shown.set_header(headers);
    for row in cells {
        shown.add_row(row);
    }
    for (at, column) in shown.column_iter_mut().enumerate() {
        let is_number = matches!(table.header(columns[at]).kind, Kind::Int | Kind::Float);
        column.set_padding((u16::from(at == 0) * 2, 1));
        column.set_cell_alignment(if is_number { CellAlignment::Right } else { CellAlignment::Left });
    }
    shown.lines().map(|line| line.trim_end().to_owned()).collect()
}

/// Most columns of a text beside the widest one.
const NARROW: usize = 22;

/// Shortens the texts of the widest column, and the others to [`NARROW`], so that the table fits.
fn shorten_widest(headers: &[&str], cells: &mut [Vec<String>]) {
    let widths: Vec<usize> = headers
        .iter()
        .enumerate()
        .map(|(at, header)| cells.iter().map(|row| width(&row[at])).max().unwrap_or(0).max(width(header)))
        .collect();
    let Some(widest) = (0..widths.len()).max_by_key(|&at| widths[at]) else { return };
    let others =
        widths.iter().enumerate().filter(|(at, _)| *at != widest).map(|(_, &width)| width.min(NARROW));
    // Two spaces before the first column and one behind each.
    let taken: usize = others.sum::<usize>() + 2 + widths.len();
    let room = COLUMNS.saturating_sub(taken).max(12);
    for row in cells {
        for (at, cell) in row.iter_mut().enumerate() {
            *cell = shorten(cell, if at == widest { room } else { NARROW });
        }
    }
}

/// Longer texts are shortened: one range text of a megabyte must not pad every row to its width.
const LONGEST_CELL: usize = 300;

fn cell(value: &Value<'_>, unit: Unit, time_unit: TimeUnit) -> String {
    match (value, unit) {
        (Value::Null, _) => String::new(),
        (Value::Int(ns), Unit::Nanoseconds) => time(*ns, time_unit),
        (Value::Float(ns), Unit::Nanoseconds) => fraction_of_time(*ns, time_unit),
        (Value::Float(share), Unit::Percent) => percentage(*share),
        (Value::Int(bytes), Unit::Bytes) => format!("{:.1} GB", to_f64(*bytes) / 1e9),
        (Value::Int(number), _) => number.to_string(),
        (Value::Float(number), _) => format!("{number:.1}"),
        (Value::Flag(flag), _) => if *flag { "yes" } else { "no" }.into(),
        (Value::Text(text), _) => shorten(text, LONGEST_CELL),
    }
}

fn iterations(profile: &Profile<'_>, unit: TimeUnit) -> Vec<String> {
    let stats = &profile.iteration_stats;
    if stats.len() < 2 {
        return Vec::new();
    }
    let aggregated: Vec<&IterationStats> = stats.iter().filter(|row| row.is_aggregated).collect();
    let mut durations: Vec<Ns> = aggregated.iter().map(|row| row.span.length()).collect();
    durations.sort_unstable();
    let [shortest, median, longest] =
        [0, durations.len() / 2, durations.len() - 1].map(|at| time(durations[at], unit));
    let mut lines = vec![format!("  Profiled: shortest {shortest}, median {median}, longest {longest}")];
    lines.extend(sparkline(stats, unit));
    lines.push(format!("  {}", state_counts(&profile.iterations.states)));
    titled("Iterations", lines)
}

/// How many iterations are in which state, and a steady range if they are not all steady.
fn state_counts(states: &[IterationState]) -> String {
    let mut counts: std::collections::BTreeMap<IterationState, usize> = std::collections::BTreeMap::new();
    for &state in states {
        *counts.entry(state).or_default() += 1;
    }
    let counts: Vec<String> =
        counts.iter().map(|(state, count)| format!("{count} {}", state.as_str())).collect();
    counts.join(", ")
}

/// A bar per iteration (or per few, of which the longest counts), and a line under those aggregated. Bars end at
/// twice the median, so that a long warm-up does not flatten the rest.
fn sparkline(stats: &[IterationStats], unit: TimeUnit) -> Vec<String> {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let per_bar = stats.len().div_ceil(COLUMNS - 4);
    let mut lengths: Vec<Ns> = stats.iter().map(|row| row.span.length()).collect();
    lengths.sort_unstable();
    let full = lengths[lengths.len() - 1].min(2 * lengths[lengths.len() / 2]).max(1);
    let chunks = || stats.chunks(per_bar);
    let bars: String = chunks()
        .map(|rows| {
            let length = rows.iter().map(|row| row.span.length()).max().unwrap_or(0);
            let eighth = usize::try_from(i128::from(length) * 7 / i128::from(full)).unwrap_or(0);
            BARS[eighth.min(7)]
        })
        .collect();
    let marks: String =
        chunks().map(|rows| if rows.iter().any(|row| row.is_aggregated) { '‾' } else { ' ' }).collect();
    let mut lines = vec![format!("  {bars}"), format!("  {}", marks.trim_end())];
    let beyond = lengths.iter().filter(|&&length| length > full).count();
    if beyond > 0 {
        let longest = time(lengths[lengths.len() - 1], unit);
        lines.push(format!("  Bars end at twice the median: {beyond} beyond, up to {longest}"));
    }
    lines
}

/// Only with more than one GPU; one GPU's figures are those of the summary.
fn gpus(profile: &Profile<'_>) -> Vec<String> {
    if profile.devices.len() < 2 {
        return Vec::new();
    }
    let table = tables::gpus::build(profile);
    let lines = (0..table.rows()).map(|row| {
        let shown = |column: usize, unit| cell(&table.value(row, column), unit, TimeUnit::Auto);
        let utilization = profile.devices[row].utilization_percent;
        format!(
            "  {}{}{}  {NON_TC}{}{NON_TC:#}",
            pad_left(&shown(0, Unit::None), 3),
            pad(&format!("  {}", shown(1, Unit::None)), 40),
            pad_left(&percentage(utilization), 9),
            bar(utilization / 100.0, 30)
        )
    });
    titled("GPUs: utilization", lines)
}

fn system(profile: &Profile<'_>) -> Vec<String> {
    let system = &profile.trace.system;
    let gpus = system.gpus_in_words();
    let known = [
        ("GPUs", Some(gpus.as_str())),
        ("CPU", system.cpu_model.as_deref()),
        ("Driver", system.driver_version.as_deref()),
        ("CUDA", system.cuda_version.as_deref()),
        ("cuDNN", system.cudnn_version.as_deref()),
        ("Framework", system.framework.as_deref()),
        ("nsys", system.nsys_version.as_deref()),
    ];
    let parts: Vec<String> =
        known.into_iter().filter_map(|(key, value)| Some(format!("{key}: {}", value?))).collect();
    let lines = wrap(&parts.join(" · "), COLUMNS - 2);
    titled("System", lines.into_iter().map(|line| format!("  {line}")))
}

fn findings(profile: &Profile<'_>) -> Vec<String> {
    if profile.findings.is_empty() {
        return titled("Findings: none", []);
    }
    let mut lines = Vec::new();
    for (number, finding) in (1..).zip(&profile.findings) {
        let start = format!("  {number}. ");
        let indent = " ".repeat(start.len());
        let problem = wrap(&finding.problem, COLUMNS - start.len());
        for (at, line) in problem.into_iter().enumerate() {
            lines.push(format!("{}{line}", if at == 0 { &start } else { &indent }));
        }
        let advice = wrap(&finding.recommendation, COLUMNS - start.len() - 2);
        for (at, line) in advice.into_iter().enumerate() {
            lines.push(format!("{indent}{} {line}", if at == 0 { "→" } else { " " }));
        }
    }
    titled("Findings", lines)
}

/// How many notes `-v` would show.
fn notes(profile: &Profile<'_>) -> Vec<String> {
    let is_note =
        |diagnostic: &&dlprof_core::diagnostics::Diagnostic| diagnostic.code.severity() == Severity::Note;
    match profile.diagnostics.iter().filter(is_note).count() {
        0 => Vec::new(),
        1 => vec!["1 note about the capture; `-v` shows it".into()],
        count => vec![format!("{count} notes about the capture; `-v` shows them")],
    }
}
