//! What was profiled: file, mode, iterations.

use super::{COLUMNS, TITLE};
use crate::origin;
use crate::text::{shorten, width, wrap};
use dlprof_core::iterate::DelimiterKind;
use dlprof_core::profile::Profile;

pub(super) fn header(profile: &Profile, profile_name: Option<&str>) -> Vec<String> {
    let name = profile_name.map_or_else(String::new, |name| format!("{name} · "));
    let title = shorten(&format!("{name}{}", origin::file_name(profile)), COLUMNS);
    let mut lines = vec![format!("{TITLE}{title}{TITLE:#}"), range_line(profile)];
    lines.extend(iteration_lines(profile));
    lines.extend(other_candidates(profile).map(|others| format!("  {others}")));
    lines.extend(origin::clock(profile).map(str::to_owned));
    lines.extend(origin::gpus_used(profile));
    if !profile.has_kernel_records() {
        let ranked = "ops are ranked by CPU time";
        lines.push(format!("The capture has no kernel records, so GPU figures are unavailable; {ranked}."));
    }
    lines.push(format!("Mode: {}", origin::mode(profile)));
    let mut fitting = vec![lines.remove(0)];
    lines.iter().for_each(|line| fitting.extend(fitted(line)));
    fitting
}

/// A line, wrapped where it is too long; what follows is indented further.
fn fitted(line: &str) -> Vec<String> {
    if width(line) <= COLUMNS {
        return vec![line.to_owned()];
    }
    let indent = &line[..line.len() - line.trim_start().len()];
    let wrapped = wrap(line, COLUMNS - indent.len() - 2);
    let indents = [indent.to_owned()].into_iter().chain(std::iter::repeat(format!("{indent}  ")));
    wrapped.iter().zip(indents).map(|(part, indent)| shorten(&format!("{indent}{part}"), COLUMNS)).collect()
}

/// What the figures are of, in one line.
fn range_line(profile: &Profile) -> String {
    let range = origin::iteration_range(profile);
    if profile.iterations.key_node.is_some() { format!("Iterations {range}") } else { range }
}

fn iteration_lines(profile: &Profile) -> Vec<String> {
    let iterations = &profile.iterations;
    let Some(key_node) = &iterations.key_node else {
        return match iterations.candidates.is_empty() {
            true => Vec::new(),
            false => {
                vec!["No repeating training step was found; the whole capture is one iteration.".to_owned()]
            }
        };
    };
    let name = shorten(&key_node.name, 48);
    let thread = match key_node.thread.is_none() {
        true => String::new(),
        false => profile.capture.thread_in_words(key_node.thread),
    };
    let Some(found) = &iterations.found else { return vec![format!("Key node {name} ({thread})")] };
    let score = iterations.candidates.first().map_or(0.0, |best| best.score);
    let what = match found.kind {
        DelimiterKind::Range => format!("range {name}"),
        DelimiterKind::Period { kernels } => format!("a period of {kernels} kernels, from {name}"),
    };
    let mut lines = vec![
        format!("  found by {what}"),
        format!("  {} confidence, score {score:.2}; {thread}", found.confidence.as_str()),
    ];
    if !found.sections.others.is_empty() {
        lines.push(format!("  {}", found.sections));
    }
    lines.extend(found.inner_rhythm.map(|rhythm| format!("  {rhythm}")));
    lines
}

/// What else may delimit iterations, the best two, on one line; none if nothing is worth a word.
fn other_candidates(profile: &Profile) -> Option<String> {
    let iterations = &profile.iterations;
    let best_first = iterations.candidates.iter().skip(usize::from(iterations.key_node.is_some()));
    let others: Vec<_> = best_first.take_while(|other| other.score >= WORTH_NAMING).take(2).collect();
    // Names are cut before figures are.
    let line = |name_columns| {
        let named = others.iter().map(|other| {
            let name = shorten(leaf(&other.name), name_columns);
            format!("{name} ({} runs, score {:.2})", other.executions, other.score)
        });
        format!("Other candidates: {}", named.collect::<Vec<_>>().join(", "))
    };
    let fitting = [24, 14].map(line).into_iter().find(|line| width(line) <= COLUMNS - 2);
    (!others.is_empty()).then(|| fitting.unwrap_or_else(|| line(14)))
}

/// Candidates below this score are not worth a word.
const WORTH_NAMING: f64 = 0.4;

fn leaf(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}
