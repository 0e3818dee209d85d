//! Where the time of a step goes: a bar, its classes, and the causes of idle time.

use super::Look;
use super::line::{Line, flow_lines, heading, wrap_hard};
use super::numbers::TimeForm;
use super::paper::{Paper, count, rounded};
use crate::display::percentage;
use crate::overview::{IdleRow, Missing, Overview, RangeRow, Step, StepClass, StepPart};
use crate::text::{pad_left, shorten, width};
use anstyle::{AnsiColor, Style};

/// The step as a bar; without kernel records, what would make it known.
pub(super) fn step(overview: &Overview, look: &Look<'_>, paper: Paper) -> Vec<Line> {
    match &overview.step {
        Some(step) => known(overview, step, look, paper),
        None => unknown(overview, paper),
    }
}

fn known(overview: &Overview, step: &Step, look: &Look<'_>, paper: Paper) -> Vec<Line> {
    let form = TimeForm::of(step.length_ns, look.time_unit, 1);
    let of = overview.basis.mean_in_words();
    let of = match overview.window.gpus_used {
        0 | 1 => of,
        gpus => format!("{of}, average of {gpus} GPUs"),
    };
    let left = format!("{}, {}", overview.basis.where_it_goes(), paper.text(form.symbol()));
    let mut lines = vec![heading(&left, &format!("{} = {of}", form.number(step.length_ns)), paper.columns)];
    lines.push(bar(step, paper));
    lines.extend(classes(overview, step, form, paper));
    lines.extend(idle(step, form, paper));
    lines
}

/// One colour per class everywhere.
pub(super) fn style_of(class: StepClass) -> Style {
    let colour = match class {
        StepClass::Gpu => AnsiColor::Green,
        StepClass::Communication => AnsiColor::Magenta,
        StepClass::Copy => AnsiColor::Blue,
        StepClass::Input => AnsiColor::Yellow,
        StepClass::Cpu => AnsiColor::Red,
        StepClass::Sync => AnsiColor::BrightBlack,
        StepClass::Other => AnsiColor::BrightMagenta,
    };
    colour.on_default()
}

/// What the GPU works at, then what it waits for, each to its length.
fn bar(step: &Step, paper: Paper) -> Line {
    let columns = paper.columns.saturating_sub(2);
    let working = step.classes.iter().map(|part| (part.class, part.working_ns, paper.working()));
    let waiting = step.classes.iter().map(|part| (part.class, part.waits_ns(), paper.waiting()));
    let mut line = Line::of("  ");
    let (mut so_far, mut drawn) = (0.0, 0);
    for (class, ns, fill) in working.chain(waiting) {
        so_far += ns;
        let until = rounded(so_far / step.length_ns * count(columns)).min(columns);
        line.push_styled(&fill.repeat(until.saturating_sub(drawn)), style_of(class));
        drawn = until.max(drawn);
    }
    line
}

/// What stands after a class: how much of it the GPU idles, where it works too; of the class `other`, how much of it the program is
/// known to compute. `None` where it is not known or would be written as 0.
pub(super) fn of_it(step: &Step, part: &StepPart, form: TimeForm) -> Option<String> {
    let (words, ns) = match part.class {
        StepClass::Other => ("computing on the CPU", step.computing_ns),
        _ if part.working_ns > 0.0 => ("idle", part.waits_ns()),
        _ => return None,
    };
    (!form.is_zero(ns)).then(|| format!("of it {words} {}", form.number(ns)))
}

/// The classes that took time, most first; a line for each where there is little room.
fn classes(overview: &Overview, step: &Step, form: TimeForm, paper: Paper) -> Vec<Line> {
    let mut shown: Vec<&StepPart> = step.classes.iter().filter(|part| !form.is_zero(part.ns)).collect();
    shown.sort_by(|a, b| b.ns.total_cmp(&a.ns));
    if paper.columns < 80 {
        let widest = shown.iter().map(|part| form.number(part.ns).len()).max().unwrap_or(0);
        let line = |part: &&StepPart| {
            let mut line = Line::of("  ");
            line.push_styled(part.words, style_of(part.class));
            line.pad_to(24);
            line.push(pad_left(&form.number(part.ns), widest.max(8)));
            line.push(pad_left(&percentage(part.percent), 9));
            line
        };
        let with_part = |part: &&StepPart| {
            let of_it = of_it(step, part, form).map(|words| Line::of(format!("    {words}")));
            [Some(line(part)), of_it].into_iter().flatten()
        };
        return shown.iter().flat_map(with_part).collect();
    }
    // The colour of the words is that of the class in the bar.
    let words = |part: &&StepPart| {
        let mut line = Line::default();
        line.push_styled(part.words, style_of(part.class));
        line.push(format!(" {}", form.number(part.ns)));
        // A share that would be written as 0 says nothing.
        if part.percent >= 0.05 {
            line.push(format!(" ({})", percentage(part.percent)));
        }
        if let Some(of_it) = of_it(step, part, form) {
            line.push(format!(", {of_it}"));
        }
        line
    };
    let mut parts: Vec<Line> = shown.iter().map(words).collect();
    let is_absent = |class: StepClass| shown.iter().all(|part| part.class != class);
    let input = match overview.missing.iter().any(|missing| missing.figure == "input") {
        true => "waiting for input not recorded",
        false => "no waiting for input",
    };
    let is_missing = |figure: &str| overview.missing.iter().any(|missing| missing.figure == figure);
    // Neither calls of the host nor ranges: only kernels could be looked at.
    let sees_kernels_alone = is_missing("input") && is_missing("ops");
    let communication = match (is_missing("graphs"), is_missing("kernel_kinds")) {
        (true, _) => "communication inside graphs not recorded",
        (false, true) => "communication not known",
        (false, false) if sees_kernels_alone => "no GPU communication",
        (false, false) => "no communication",
    };
    let absent = [(StepClass::Communication, communication), (StepClass::Input, input)];
    let absent = absent.into_iter().filter(|(class, _)| is_absent(*class)).map(|(_, words)| words);
    let absent = absent.collect::<Vec<_>>().join(", ");
    let lines = flow_lines(&parts, "   ", paper.columns - 2);
    if lines.len() == 1 && !absent.is_empty() && lines[0].columns() + 3 + absent.len() <= paper.columns - 2 {
        parts.push(Line::of(absent));
    }
    let indented = |line: Line| {
        let mut indented = Line::of("  ");
        indented.join(&line);
        indented
    };
    flow_lines(&parts, "   ", paper.columns - 2).into_iter().map(indented).collect()
}

/// The causes of idle time in one line, as many as there is room for, and in further ones those with 15 % of it, with their shares where these fit; the ranges of the host in
/// a line of their own.
fn idle(step: &Step, form: TimeForm, paper: Paper) -> Vec<Line> {
    const SHOWN_WITH_SHARE: f64 = 10.0;
    const NEVER_HIDDEN: f64 = 15.0;
    if form.is_zero(step.idle_ns) {
        return Vec::new();
    }
    let fill = paper.waiting().repeat(2);
    let mut line = Line::of(format!("  {fill} idle {}, of it", form.number(step.idle_ns)));
    let mut lines = Vec::new();
    let shown = step.idle.iter().filter(|row| !form.is_zero(row.ns)).count();
    for (at, row) in step.idle.iter().take(shown).enumerate() {
        let share = match row.percent {
            percent if percent >= SHOWN_WITH_SHARE => format!(" ({})", percentage(percent)),
            _ => String::new(),
        };
        let mut words = format!("{} {}{share}", paper.text(row.words), form.number(row.ns));
        let start = if at == 0 { " " } else { "   " };
        let more = if at + 1 < shown { "   99 more".len() } else { 0 };
        // The first cause is always named, and others rather without their share than not at all.
        if line.columns() + start.len() + width(&words) + more > paper.columns {
            words = format!("{} {}", paper.text(row.words), form.number(row.ns));
        }
        if line.columns() + start.len() + width(&words) + more > paper.columns {
            // A large one is not hidden.
            if row.percent < NEVER_HIDDEN {
                line.push(format!("{start}{} more", shown - at));
                break;
            }
            lines.push(std::mem::replace(&mut line, Line::of("    ")));
        }
        line.push(format!("{start}{words}"));
    }
    lines.push(line);
    let of_ranges = step.idle.iter().take(shown).filter_map(|row| in_ranges(row, form, paper));
    lines.into_iter().chain(of_ranges).collect()
}

/// The ranges of the host that a cause is owed to, each with its own time and share, as many as there is room for; the first is
/// always named.
fn in_ranges(row: &IdleRow, form: TimeForm, paper: Paper) -> Option<Line> {
    let first = row.ranges.first()?;
    let figures = |range: &RangeRow| format!("{} ({})", form.number(range.ns), percentage(range.percent));
    let words = |range: &RangeRow, room: usize| {
        // The sign of what is left out may take two columns.
        let room = room.saturating_sub(width(&figures(range)) + "`` ".len() + 1);
        format!("`{}` {}", paper.text(&shorten(&range.name, room.max(FEWEST_LETTERS))), figures(range))
    };
    let mut line = Line::of("     in ranges: ");
    line.push(words(first, paper.columns.saturating_sub(line.columns())));
    for range in &row.ranges[1..] {
        let words = words(range, usize::MAX);
        if line.columns() + "   ".len() + width(&words) > paper.columns {
            break;
        }
        line.push(format!("   {words}"));
    }
    Some(line)
}

/// Names of ranges are not cut below this.
const FEWEST_LETTERS: usize = 20;

/// What is said in the place of the bar.
fn unknown(overview: &Overview, paper: Paper) -> Vec<Line> {
    let of = |missing: &Missing| match missing.option.as_ref() {
        "" => missing.reason.to_string(),
        option => format!("{}; to record it: {option}", missing.reason),
    };
    let missing = overview.missing.iter().find(|missing| missing.figure == "gpu");
    let why = missing.map_or_else(|| "no GPU worked in these iterations".to_owned(), of);
    let words = paper.text(&format!("GPU figures are not known: {why}"));
    let mut lines = vec![heading("Where the time goes", "", paper.columns)];
    lines.extend(wrap_hard(&words, paper.columns - 2).into_iter().map(|line| Line::of(format!("  {line}"))));
    lines
}
