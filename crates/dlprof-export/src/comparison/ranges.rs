//! Two ranges of one capture side by side, as text, Markdown and JSON.

use super::json;
use super::layout::{Grid, escape};
use crate::overview::{StepClass, kernel_labels};
use crate::text::shorten_name;
use dlprof_core::{
    Cause, ComparedRange, ComparedRangeRow, RangeComparison, RangeDifferences, RangeSubject, RunUnit,
    amount_in_words, change_in_words, signed_percent_in_words,
};
use serde::Serialize;
use std::cmp::Ordering;

/// Width of a name, in characters.
const NAME: usize = 60;

/// A smaller change, in nanoseconds, is rounding.
const ROUNDING_NS: f64 = 0.5;

/// The comparison for a terminal, with the `top` largest changes of each list.
#[must_use]
pub fn range_comparison_text(comparison: &RangeComparison, top: usize) -> String {
    let mut text = String::new();
    for line in sides(comparison) {
        text.push_str(&format!("{line}\n"));
    }
    text.push_str(&format!("\n{}\n", sentence(comparison)));
    for list in &comparison.lists {
        let rows = largest(list, top);
        if rows.is_empty() {
            text.push_str(&format!("\n{}: no difference\n", list.title));
            continue;
        }
        text.push_str(&format!(
            "\n{}\n{}\n{}",
            heading(list, rows.len()),
            list.meaning,
            grid(list, &rows).text()
        ));
    }
    text
}

/// The comparison for a pull request or a job summary.
#[must_use]
pub fn range_comparison_markdown(comparison: &RangeComparison, top: usize) -> String {
    let mut text = "### dlprof-agg compare\n\n".to_owned();
    for line in sides(comparison) {
        text.push_str(&format!("- {}\n", escape(&line)));
    }
    text.push_str(&format!("\n{}\n", escape(&sentence(comparison))));
    for list in &comparison.lists {
        let rows = largest(list, top);
        if !rows.is_empty() {
            let heading = escape(&heading(list, rows.len()));
            text.push_str(&format!(
                "\n**{heading}.** {}\n\n{}",
                escape(list.meaning),
                grid(list, &rows).markdown()
            ));
        }
    }
    text
}

/// The comparison for programs and pages, with all rows and the words of the command line.
#[derive(Debug, Clone, Serialize)]
pub struct RangesCompared {
    capture: String,
    clock: &'static str,
    sentence: String,
    base: ComparedRange,
    new: ComparedRange,
    lists: Vec<ListOfWords>,
}

#[derive(Debug, Clone, Serialize)]
struct ListOfWords {
    subject: RangeSubject,
    title: &'static str,
    meaning: &'static str,
    rows: Vec<RowInWords>,
}

#[derive(Debug, Clone, Serialize)]
struct RowInWords {
    words: String,
    #[serde(flatten)]
    row: ComparedRangeRow,
}

impl RangesCompared {
    /// The words of a comparison.
    #[must_use]
    pub fn new(comparison: &RangeComparison) -> Self {
        let list = |list: &RangeDifferences| {
            let rows = list.rows.iter().zip(words_of_rows(list));
            let rows = rows.map(|(row, words)| RowInWords { words, row: row.clone() });
            ListOfWords {
                subject: list.subject,
                title: list.title,
                meaning: list.meaning,
                rows: rows.collect(),
            }
        };
        Self {
            capture: comparison.capture.clone(),
            clock: comparison.clock,
            sentence: sentence(comparison),
            base: comparison.base.clone(),
            new: comparison.new.clone(),
            lists: comparison.lists.iter().map(list).collect(),
        }
    }
}

/// The comparison for programs.
#[must_use]
pub fn range_comparison_json(comparison: &RangeComparison) -> String {
    json::text("range-comparison", &RangesCompared::new(comparison))
}

/// What the difference is, in one sentence.
fn sentence(comparison: &RangeComparison) -> String {
    let (base, new) = (&comparison.base, &comparison.new);
    let change = comparison.change_ns();
    let subject = capitalized(&named(new));
    let takes = if new.iterations == 1 { "takes" } else { "take on average" };
    if change.abs() < ROUNDING_NS {
        return format!("{subject} {takes} as long as {}: {}.", named(base), time(base.mean_ns));
    }
    let percent = match base.mean_ns > 0.0 {
        true => format!(" ({})", signed_percent_in_words(change / base.mean_ns * 100.0)),
        false => String::new(),
    };
    let longer = if change > 0.0 { "longer" } else { "less" };
    let said = |class: &ComparedRangeRow| {
        (row_words(RangeSubject::Classes, &class.name), change_in_words(class.change_ns, RunUnit::Ns))
    };
    let main = comparison.main_class().map_or_else(String::new, |class| {
        let (name, changed) = said(class);
        // Largest changes come first.
        let against =
            comparison.rows(RangeSubject::Classes).iter().find(|row| row.change_ns * class.change_ns < 0.0);
        match against.filter(|row| 2.0 * row.change_ns.abs() >= class.change_ns.abs()) {
            Some(row) => {
                let (other, back) = said(row);
                let kernels = kernels_in_words(comparison);
                format!(" Classes change in both directions: {name} {changed}, {other} {back}.{kernels}")
            }
            None => format!(
                " The largest part of the difference is class {name}: {changed}.{}",
                work_of_others(comparison, class)
            ),
        }
    });
    let held_up = comparison.main_cause().map_or_else(String::new, |part| {
        format!(
            " On the critical path most of it is {} ({}).",
            part.name,
            change_in_words(part.change_ns, RunUnit::Ns)
        )
    });
    format!("{subject} {takes} {}{percent} {longer} than {}.{main}{held_up}", time(change.abs()), named(base))
}

/// Where GPUs compute for longer, though kernels that the iterations launch do not take as much more: work may run in another iteration than
/// the one that launched it.
fn work_of_others(comparison: &RangeComparison, class: &ComparedRangeRow) -> String {
    match comparison.launched_change_ns() {
        Some(own_ns) if class.name == "gpu" && class.change_ns > 0.0 && 2.0 * own_ns < class.change_ns => {
            let amount = amount_in_words(own_ns.abs(), RunUnit::Ns);
            let changed = match own_ns.total_cmp(&0.0) {
                Ordering::Greater => format!("{amount} longer"),
                Ordering::Less => format!("{amount} less"),
                Ordering::Equal => "as long".to_owned(),
            };
            format!(
                " Kernels that it launches take {changed}: the rest comes from when kernels run, not from how long they take."
            )
        }
        _ => String::new(),
    }
}

/// How long kernels take that the iterations launch, wherever they run: a part of one iteration's time may be work of another.
fn kernels_in_words(comparison: &RangeComparison) -> String {
    let kernels = comparison.rows(RangeSubject::Kernels);
    if kernels.is_empty() {
        return String::new();
    }
    let base_ns: f64 = kernels.iter().map(|row| row.base_ns).sum();
    let new_ns: f64 = kernels.iter().map(|row| row.new_ns).sum();
    format!(" Kernels that they launch take {}, then {}.", time(base_ns), time(new_ns))
}

fn sides(comparison: &RangeComparison) -> [String; 2] {
    let side = |range: &ComparedRange| {
        let states: Vec<String> = match range.states.iter().collect::<Vec<_>>().as_slice() {
            [(state, _)] => vec![(*state).to_string()],
            several => several.iter().map(|(state, count)| format!("{count} {state}")).collect(),
        };
        let mean = if range.iterations == 1 { "" } else { " on average" };
        format!("{} ({}): {}{mean}", named(range), states.join(", "), time(range.mean_ns))
    };
    [
        format!(
            "base: {}, {} clock, {}",
            side(&comparison.base),
            comparison.clock.to_uppercase(),
            comparison.capture
        ),
        format!("new:  {}", side(&comparison.new)),
    ]
}

fn named(range: &ComparedRange) -> String {
    match range.start == range.stop {
        true => format!("iteration {}", range.start),
        false => format!("iterations {} to {}", range.start, range.stop),
    }
}

fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

fn time(ns: f64) -> String {
    amount_in_words(ns, RunUnit::Ns)
}

/// A row's name for people.
fn row_words(subject: RangeSubject, name: &str) -> String {
    let class = || StepClass::ALL.into_iter().find(|class| class.as_str() == name);
    let cause = || Cause::ALL.into_iter().find(|cause| cause.as_str() == name);
    let known = match subject {
        RangeSubject::Classes => class().map(|class| class.words().to_owned()),
        RangeSubject::IdleCauses => cause().map(|cause| cause.words().to_owned()),
        _ => None,
    };
    known.unwrap_or_else(|| name.to_owned())
}

/// The names of all rows of a list for people. Different kernels have different names.
fn words_of_rows(list: &RangeDifferences) -> Vec<String> {
    let names = list.rows.iter().map(|row| row.name.as_str());
    match list.subject {
        RangeSubject::Kernels => kernel_labels::labels(&names.collect::<Vec<_>>()),
        subject => names.map(|name| row_words(subject, name)).collect(),
    }
}

/// The rows that differ with their names, the largest change first. All classes are shown where one differs, because they add up.
fn largest(list: &RangeDifferences, top: usize) -> Vec<(&ComparedRangeRow, String)> {
    let differs =
        |row: &ComparedRangeRow| row.change_ns.abs() >= ROUNDING_NS || row.base_calls != row.new_calls;
    let is_whole = list.subject == RangeSubject::Classes && list.rows.iter().any(differs);
    let rows = list.rows.iter().zip(words_of_rows(list));
    rows.filter(|(row, _)| is_whole || differs(row)).take(if is_whole { usize::MAX } else { top }).collect()
}

fn heading(list: &RangeDifferences, shown: usize) -> String {
    match list.subject {
        RangeSubject::Classes => list.title.to_owned(),
        _ => {
            let all = list.rows.len();
            format!("{}, per iteration, largest changes first: {shown} of {all}", list.title)
        }
    }
}

fn grid(list: &RangeDifferences, rows: &[(&ComparedRangeRow, String)]) -> Grid {
    let is_counted = list.rows.iter().any(|row| row.base_calls.is_some());
    let mut header = vec!["Name", ">Base", ">New", ">Change"];
    if is_counted {
        header.extend([">Calls, base", ">Calls, new"]);
    }
    let mut grid = Grid::new(&header);
    for (row, name) in rows {
        let mut cells = vec![
            shorten_name(name, NAME),
            time(row.base_ns),
            time(row.new_ns),
            change_in_words(row.change_ns, RunUnit::Ns),
        ];
        if is_counted {
            let calls = |calls: Option<f64>| amount_in_words(calls.unwrap_or(0.0), RunUnit::Count);
            cells.extend([calls(row.base_calls), calls(row.new_calls)]);
        }
        grid.push(cells);
    }
    grid
}
