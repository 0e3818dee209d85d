//! How to read the report: what its words mean. The meanings come from [`dlprof_core::explain`].

use super::layout::{Flow, INK, bold, style};
use super::rich::Lines;
use super::{charts::Frame, layout::MARGIN};
use crate::overview::Overview;
use crate::palette;
use dlprof_core::explain::{Answer, Explanation, Topic, explain};

/// What the pictures and figures of the first page mean.
const PICTURES: [(&str, &str); 5] = [
    (
        "Bars",
        "A colour is a class of time. Solid: the GPU works. Hatched: it waits. The second bar shows the waiting part of \
         the first one over the whole width.",
    ),
    (
        "Times",
        "Times are of one iteration: sums over the aggregated iterations, divided by their number. Where no repeating step was \
         found, they are of the whole window.",
    ),
    (
        "Savings",
        "`expected` is what a change is likely to save of an iteration, `at most` what it cannot exceed. Two findings \
         may save the same time, so savings must not be added.",
    ),
    (
        "Cut columns",
        "A column with a zigzag is cut; its time stands above it. The line below the columns marks the iterations that are \
         aggregated; the others are grey.",
    ),
    ("–", "The figure is not known. It is not zero."),
];

/// Words of the report that are explained, and the topic to which each belongs.
const WORDS: [(&str, Topic); 8] = [
    ("iteration", Topic::Term),
    ("key_node", Topic::Term),
    ("op", Topic::Term),
    ("kernel", Topic::Term),
    ("gpu_time", Topic::Term),
    ("tensor_cores", Topic::Term),
    ("occupancy", Topic::Term),
    ("unassociated", Topic::Term),
];

/// Adds the page.
pub(super) fn add(flow: &mut Flow, overview: &Overview) {
    flow.heading("How to read this", 120.0);
    for (name, meaning) in PICTURES {
        add_entry(flow, name, meaning);
    }
    let words = WORDS.iter().filter_map(|&(name, topic)| find(name, topic));
    add_all(flow, "Words", words);
    let Some(step) = &overview.step else { return };
    let classes = ["gpu", "communication", "copy", "input", "cpu", "sync", "other"];
    add_all(flow, "Where a step goes", classes.iter().filter_map(|name| find(name, Topic::StepClass)));
    let causes = step.idle.iter().filter_map(|row| find(row.cause, Topic::IdleCause));
    add_all(flow, "Why the GPU waits, in this capture", causes);
}

fn find(name: &str, topic: Topic) -> Option<Explanation> {
    match explain(name) {
        Answer::Found(found) => found.into_iter().find(|one| one.topic == topic),
        Answer::Unknown(_) => None,
    }
}

fn add_all(flow: &mut Flow, title: &str, entries: impl Iterator<Item = Explanation>) {
    flow.keep(50.0);
    flow.space(6.0);
    flow.paragraph(title, bold(10.0, INK), 0.0);
    flow.space(2.0);
    for entry in entries {
        let meaning = match entry.reading {
            Some(reading) => format!("{} {reading}", entry.definition),
            None => entry.definition.to_owned(),
        };
        add_entry(flow, &entry.name.replace('_', " "), &meaning);
    }
}

/// A word at the left, its meaning at the right.
fn add_entry(flow: &mut Flow, name: &str, meaning: &str) {
    const NAMES: f32 = 96.0;
    let room = flow.width() - NAMES;
    let lines = Lines::new(&flow.drawing, meaning, style(8.5, palette::TEXT_2), room, 8);
    let names = Lines::new(&flow.drawing, name, bold(8.5, INK), NAMES - 8.0, 3);
    let height = lines.height().max(names.height());
    flow.keep(height + 3.0);
    let frame = Frame { x: MARGIN, y: flow.y, width: flow.width() };
    names.draw(&mut flow.drawing, frame.x, frame.y);
    lines.draw(&mut flow.drawing, frame.x + NAMES, frame.y);
    flow.y += height + 3.0;
}
