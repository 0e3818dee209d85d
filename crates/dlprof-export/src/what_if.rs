//! What a change of the program would do, as text and as JSON.

use crate::comparison::json::text as document;
use crate::display::{TimeUnit, percentage, plain, short_time};
use crate::text::{pad, pad_left, shorten_name, width};
use dlprof_core::{CriticalPath, MOST_UNEXPLAINED_PERCENT, Ns, PathPart, WhatIf, percent, to_f64};
use serde_json::{Value, json};

/// How many parts of a path are shown to people.
const SHOWN_PARTS: usize = 6;

/// Columns of a name.
const LONGEST_NAME: usize = 60;

/// Whether the path explains enough for figures.
fn is_explained(what_if: &WhatIf) -> bool {
    what_if.before.unexplained_percent() <= MOST_UNEXPLAINED_PERCENT
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
    push_path(&mut text, &what_if.before, unit);
    if !is_explained(what_if) {
        let unexplained = percentage(what_if.before.unexplained_percent());
        return format!(
            "{text}\nNo figures: the capture does not explain {unexplained} of the critical path.\n"
        );
    }
    let bounds = [("GPU work", what_if.bounds.without_gpu_ns), ("the host", what_if.bounds.without_host_ns)];
    for (what, ns) in bounds {
        text.push_str(&format!("If {what} took no time: {}\n", time(ns)));
    }
    if what_if.edits.is_empty() {
        return text;
    }
    text.push('\n');
    let widest = what_if.edits.iter().map(|edit| width(&edit.edit)).max().unwrap_or(0);
    text.push_str(&format!("{}{:>12}{:>12}{:>12}\n", pad("", widest), "Matches", "Alone", "Then"));
    for edit in &what_if.edits {
        let (words, matches) = (pad(&edit.edit, widest), edit.matches);
        let (alone, together) = (change(edit.alone_ns, unit), time(edit.step_ns));
        text.push_str(&format!("{words}{matches:>12}{}{}\n", pad_left(&alone, 12), pad_left(&together, 12)));
    }
    let (before, after) = (what_if.step_ns, what_if.step_after_ns);
    let share = percent(after - before, before);
    text.push_str(&format!("\nAll of it: {} → {} ({share:+.1} %). Then:\n", time(before), time(after)));
    push_path(&mut text, &what_if.after, unit);
    text
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

fn push_path(text: &mut String, path: &CriticalPath, unit: TimeUnit) {
    for part in path.parts.iter().take(SHOWN_PARTS) {
        let share = percentage(percent(part.time_ns, path.length_ns));
        let time = short_time(to_f64(part.time_ns / path.passes), unit);
        let class = part.class.as_str().replace('_', " ");
        let name = shorten_name(&plain(&part.name), LONGEST_NAME);
        let line = format!("{}{}  {}{}", pad_left(&share, 9), pad_left(&time, 12), pad(&class, 12), name);
        text.push_str(&format!("{}\n", line.trim_end()));
    }
}

/// For programs: times per iteration. Where the critical path is not explained, there are no figures of changes.
#[must_use]
pub fn what_if_json(what_if: &WhatIf) -> String {
    let figure = |ns: Ns| if is_explained(what_if) { json!(ns) } else { Value::Null };
    let edits = what_if.edits.iter().map(|edit| {
        json!({
            "edit": edit.edit,
            "matches": edit.matches,
            "alone_saving_ns": figure(edit.alone_ns),
            "iteration_ns": figure(edit.step_ns),
        })
    });
    let content = json!({
        "iterations": what_if.iterations,
        "passes": what_if.passes,
        "iteration_ns": what_if.step_ns,
        "iteration_after_ns": figure(what_if.step_after_ns),
        "without_gpu_ns": figure(what_if.bounds.without_gpu_ns),
        "without_host_ns": figure(what_if.bounds.without_host_ns),
        "unexplained_percent": what_if.before.unexplained_percent(),
        "contradictions": what_if.contradictions,
        "edits": edits.collect::<Vec<_>>(),
        "critical_path": path_json(&what_if.before),
        "critical_path_after": if is_explained(what_if) { path_json(&what_if.after) } else { Value::Null },
    });
    document("what_if", &content)
}

fn path_json(path: &CriticalPath) -> Value {
    let part = |part: &PathPart| {
        json!({
            "class": part.class.as_str(),
            "name": part.name,
            "iteration_ns": part.time_ns / path.passes,
            "percent": percent(part.time_ns, path.length_ns),
        })
    };
    path.parts.iter().map(part).collect()
}
