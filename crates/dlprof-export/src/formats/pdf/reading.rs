//! How to read the report: what its words mean. The meanings come from [`dlprof_core::explain`].

use super::drawing::Drawing;
use super::layout::{Flow, INK, MARGIN, bold, line_height, style};
use super::rich::Lines;
use crate::overview::Overview;
use crate::palette;
use dlprof_core::{Answer, Explanation, Topic, Vendor, explain};

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

/// Adds what fits: all, or what fills the pages that are begun. A last page with a few words on it is not a page.
pub(super) fn add(flow: &mut Flow, overview: &Overview) {
    let entries = entries(&flow.drawing, overview, flow.width());
    let least = 34.0 + entries.iter().take(LEAST).map(Entry::height).sum::<f32>();
    flow.keep(least);
    let shown = shown(&entries, flow.room() - 34.0, flow.page_height());
    flow.heading("How to read this", 30.0);
    for entry in &entries[..shown] {
        entry.draw(flow);
    }
}

/// How many entries are always shown.
const LEAST: usize = 12;

/// How many entries are shown, given the room on this page and on a whole one.
fn shown(entries: &[Entry], room: f32, page: f32) -> usize {
    let mut used = 0.0;
    let mut left = room;
    // How many are on pages that are full, and how much is on the last page.
    let (mut full, mut on_last) = (0, 0.0);
    for (number, entry) in entries.iter().enumerate() {
        let height = entry.height();
        if used + height > left {
            (full, used, left) = (number, 0.0, page);
        }
        used += height;
        on_last = used;
    }
    let is_on_first = full == 0;
    if is_on_first || on_last >= page / 2.0 || full < LEAST {
        return entries.len();
    }
    // No heading without words below it.
    full - usize::from(matches!(entries[full - 1], Entry::Heading(_)))
}

/// A line of the section: a heading, or a word with its meaning.
enum Entry {
    Heading(&'static str),
    Word { name: Lines, meaning: Lines },
}

/// Width of the words.
const NAMES: f32 = 96.0;

impl Entry {
    fn height(&self) -> f32 {
        match self {
            Self::Heading(_) => 8.0 + line_height(bold(10.0, INK)),
            Self::Word { name, meaning } => name.height().max(meaning.height()) + 3.0,
        }
    }

    fn draw(&self, flow: &mut Flow) {
        match self {
            Self::Heading(title) => {
                flow.keep(self.height() + 24.0);
                flow.space(6.0);
                flow.paragraph(title, bold(10.0, INK), 0.0);
                flow.space(2.0);
            }
            Self::Word { name, meaning } => {
                flow.keep(self.height());
                name.draw(&mut flow.drawing, MARGIN, flow.y);
                meaning.draw(&mut flow.drawing, MARGIN + NAMES, flow.y);
                flow.space(self.height());
            }
        }
    }
}

/// All entries, the most useful first.
fn entries(drawing: &Drawing, overview: &Overview, width: f32) -> Vec<Entry> {
    let word = |name: &str, meaning: &str| Entry::Word {
        name: Lines::new(drawing, name, bold(8.5, INK), NAMES - 8.0, 3),
        meaning: Lines::new(drawing, meaning, style(8.5, palette::TEXT_2), width - NAMES, 8),
    };
    let explained = |entry: Explanation| {
        let meaning = match entry.reading {
            Some(reading) => format!("{} {reading}", entry.definition),
            None => entry.definition.to_owned(),
        };
        let said = |text: &str| overview.recorder.title_in_its_words(text).into_owned();
        let name = match entry.name {
            "tensor_cores" if overview.recorder.vendor != Vendor::Nvidia => overview.matrix_units.into(),
            name => name.replace('_', " "),
        };
        word(&name, &said(&meaning))
    };
    let mut entries: Vec<Entry> = PICTURES.iter().map(|(name, meaning)| word(name, meaning)).collect();
    entries.push(Entry::Heading("Words"));
    entries.extend(WORDS.iter().filter_map(|&(name, topic)| find(name, topic)).map(explained));
    let Some(step) = &overview.step else { return entries };
    entries.push(Entry::Heading("Where a step goes"));
    let classes = ["gpu", "communication", "copy", "input", "cpu", "sync", "other"];
    entries.extend(classes.iter().filter_map(|name| find(name, Topic::StepClass)).map(explained));
    let causes = step.idle.iter().filter_map(|row| find(row.cause, Topic::IdleCause));
    let causes: Vec<Entry> = causes.map(explained).collect();
    if !causes.is_empty() {
        entries.push(Entry::Heading("Why the GPU waits, in this capture"));
        entries.extend(causes);
    }
    entries
}

fn find(name: &str, topic: Topic) -> Option<Explanation> {
    match explain(name) {
        Answer::Found(found) => found.into_iter().find(|one| one.topic == topic),
        Answer::Unknown(_) => None,
    }
}
