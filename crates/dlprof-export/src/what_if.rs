//! What a change of the program would do, as text and as JSON.

use crate::comparison::json::text as document;
use crate::display::{TimeUnit, percentage, plain, short_time};
use crate::text::{pad, pad_left, shorten_name, width};
use dlprof_core::{
    CriticalPath, EditOutcome, MOST_UNEXPLAINED_PERCENT, Ns, PathPart, WhatIf, percent, to_f64,
};
use serde_json::{Value, json};

/// How many parts of a path are shown to people.
const SHOWN_PARTS: usize = 6;

/// Columns of a name.
const LONGEST_NAME: usize = 60;

/// Why there are no figures, as far as that is so: the capture misleads, or the path does not explain enough.
fn without_figures(what_if: &WhatIf) -> Option<String> {
    let unexplained = what_if.before.unexplained_percent();
    match &what_if.misleads {
        Some(misleads) => Some(format!("this capture misleads. {misleads}")),
        None => (unexplained > MOST_UNEXPLAINED_PERCENT).then(|| {
            format!("the capture does not explain {} of the critical path", percentage(unexplained))
        }),
    }
}

/// For people.
#[must_use]
pub fn what_if_text(what_if: &WhatIf, unit: TimeUnit) -> String {
    let time = |ns: Ns| short_time(to_f64(ns), unit);
    let whole = time(what_if.step_ns);
    let whole = match what_if.iterations {
        Some(_) if what_if.passes == 1 => format!("An iteration takes {whole}"),
        Some(count) => {
            let passes = if count == what_if.passes { "" } else { " passes" };
            format!("An iteration takes {whole}, mean of {}{passes}", what_if.passes)
        }
        None => format!("From the first GPU API call to the end of all work it takes {whole}"),
    };
    let mut text = format!("{whole}. The critical path:\n");
    push_path(&mut text, &what_if.before, what_if.step_ns, unit);
    if let Some(why) = without_figures(what_if) {
        return format!("{text}\nNo figures: {why}.\n");
    }
    let bounds = [("GPU work", what_if.bounds.without_gpu_ns), ("the host", what_if.bounds.without_host_ns)];
    for (what, ns) in bounds {
        text.push_str(&format!("If {what} took no time: {}\n", time(ns)));
    }
    if what_if.bounds.without_input_ns < what_if.step_ns {
        text.push_str(&format!("If its input came at once: {}\n", time(what_if.bounds.without_input_ns)));
    }
    if what_if.edits.is_empty() {
        if !what_if.advised.is_empty() {
            text.push_str(
                "\nWhat findings advise, each alone; `what-if FILE NAME NAME …` makes several together:\n",
            );
            push_changes(&mut text, &what_if.advised, unit);
        }
        return text;
    }
    text.push('\n');
    push_changes(&mut text, &what_if.edits, unit);
    for edit in &what_if.edits {
        if let Some(basis) = &edit.basis {
            text.push_str(&format!("{}: {basis}.\n", edit.edit));
        }
    }
    let (before, after) = (what_if.step_ns, what_if.step_after_ns);
    let share = percent(after - before, before);
    let at_most = if what_if.edits.iter().any(|edit| edit.is_at_most) { ", at most" } else { "" };
    text.push_str(&format!(
        "\nAll of it{at_most}: {} → {} ({share:+.1} %). Then:\n",
        time(before),
        time(after)
    ));
    push_path(&mut text, &what_if.after, after, unit);
    text
}

fn push_changes(text: &mut String, changes: &[EditOutcome], unit: TimeUnit) {
    let words = |edit: &EditOutcome| {
        let at_most = if edit.is_at_most { ", at most" } else { "" };
        format!("{}{at_most}", edit.edit)
    };
    let widest = changes.iter().map(|edit| width(&words(edit))).max().unwrap_or(0);
    text.push_str(&format!("{}{:>12}{:>12}{:>12}\n", pad("", widest), "Matches", "Alone", "Then"));
    for edit in changes {
        let (words, matches) = (pad(&words(edit), widest), edit.matches);
        let (alone, then) = (change(edit.alone_ns, unit), short_time(to_f64(edit.step_ns), unit));
        text.push_str(&format!("{words}{matches:>12}{}{}\n", pad_left(&alone, 12), pad_left(&then, 12)));
    }
}

/// A time saved, as a change.
fn change(saved: Ns, unit: TimeUnit) -> String {
    let sign = match saved.signum() {
        1 => "-",
        0 => "",
        _ => "+",
    };
    format!("{sign}{}", short_time(to_f64(saved.abs()), unit))
}

/// The parts of a path as shares of an iteration of this length.
fn push_path(text: &mut String, path: &CriticalPath, iteration_ns: Ns, unit: TimeUnit) {
    for part in path.parts.iter().take(SHOWN_PARTS) {
        let share = percentage(percent(part.time_ns, path.length_ns));
        let time = short_time(to_f64(path.time_in(part, iteration_ns)), unit);
        let class = part.class.words();
        let name = shorten_name(&plain(&part.name), LONGEST_NAME);
        let line = format!("{}{}  {}{}", pad_left(&share, 9), pad_left(&time, 12), pad(&class, 12), name);
        text.push_str(&format!("{}\n", line.trim_end()));
    }
}

/// For programs: times per iteration. Where the critical path is not explained, there are no figures of changes.
#[must_use]
pub fn what_if_json(what_if: &WhatIf) -> String {
    let has_figures = without_figures(what_if).is_none();
    let figure = |ns: Ns| if has_figures { json!(ns) } else { Value::Null };
    let changes = |changes: &[EditOutcome]| -> Value {
        let change = |edit: &EditOutcome| {
            json!({
                "edit": edit.edit,
                "basis": edit.basis,
                "is_at_most": edit.is_at_most,
                "matches": edit.matches,
                "alone_saving_ns": figure(edit.alone_ns),
                "iteration_ns": figure(edit.step_ns),
            })
        };
        changes.iter().map(change).collect()
    };
    let content = json!({
        "misleads": what_if.misleads,
        "iterations": what_if.iterations,
        "passes": what_if.passes,
        "iteration_ns": what_if.step_ns,
        "iteration_after_ns": figure(what_if.step_after_ns),
        "without_gpu_ns": figure(what_if.bounds.without_gpu_ns),
        "without_host_ns": figure(what_if.bounds.without_host_ns),
        "without_input_ns": figure(what_if.bounds.without_input_ns),
        "unexplained_percent": what_if.before.unexplained_percent(),
        "contradictions": what_if.contradictions,
        "edits": changes(&what_if.edits),
        "advised": changes(&what_if.advised),
        "critical_path": path_json(&what_if.before, what_if.step_ns),
        "critical_path_after": if has_figures { path_json(&what_if.after, what_if.step_after_ns) } else { Value::Null },
    });
    document("what_if", &content)
}

fn path_json(path: &CriticalPath, iteration_ns: Ns) -> Value {
    let part = |part: &PathPart| {
        json!({
            "class": part.class.as_str(),
            "name": part.name,
            "iteration_ns": path.time_in(part, iteration_ns),
            "percent": percent(part.time_ns, path.length_ns),
        })
    };
    path.parts.iter().map(part).collect()
}
