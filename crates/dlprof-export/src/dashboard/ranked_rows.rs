//! A list of names with figures: names get what room there is, columns go by importance, nothing wraps.

use super::line::Line;
use super::line::TITLE;
use super::paper::Paper;
use crate::text::{pad, pad_left, width};
use anstyle::{AnsiColor, Style};
use std::collections::BTreeMap;

/// A list of names with figures.
pub(super) struct Listing {
    /// Headings of the names, longest first; the first that fits is shown.
    pub(super) titles: Vec<String>,
    /// What the figures are of, for each row.
    pub(super) rows: Vec<ListingRow>,
    /// The figures.
    pub(super) columns: Vec<Column>,
    /// Where the bar stands among the columns: after so many of them. Without a bar: `None`.
    pub(super) bar_behind: Option<usize>,
    /// What is said below the rows.
    pub(super) below: Option<String>,
}

/// A name with its figures.
pub(super) struct ListingRow {
    /// The name, which may be cut.
    pub(super) name: String,
    /// What stands after the name and is never cut, such as `×12`.
    pub(super) suffix: String,
    /// A figure for each column.
    pub(super) cells: Vec<String>,
    /// Length of the bar, from 0 to 1.
    pub(super) share: f64,
}

/// A column of figures.
pub(super) struct Column {
    /// The heading.
    pub(super) title: &'static str,
    /// What goes first where there is little room; of the first columns, nothing goes.
    pub(super) importance: Importance,
}

/// How much a column matters. Those that are less go first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Importance {
    /// Mean times.
    Mean,
    /// What is good to know.
    Extra,
    /// Numbers of calls.
    Calls,
    /// The bar.
    Bar,
    /// Cumulative shares.
    Cumulative,
    /// What the list is about; it never goes.
    Main,
}

/// The style of all bars of lists.
const BAR: Style = AnsiColor::Green.on_default();

/// Columns of a bar.
const BAR_AT_LEAST: usize = 5;
const BAR_AT_MOST: usize = 18;

/// Names are not cut to less while a column can go.
const NAME_AT_LEAST: usize = 30;

impl Listing {
    /// The heading and the first rows.
    pub(super) fn lines(&self, most: usize, paper: Paper) -> Vec<Line> {
        let rows = &self.rows[..self.rows.len().min(most)];
        let shape = Shape::of(self, rows, paper);
        let mut lines = vec![self.heading(&shape, paper)];
        let names = shape.names(self, rows, paper);
        lines.extend(rows.iter().zip(names).map(|(row, name)| self.row(row, &name, &shape, paper)));
        let room = paper.columns.saturating_sub(2);
        lines.extend(self.below.iter().map(|words| Line::of(format!("  {}", paper.cut(words, room)))));
        lines
    }

    fn heading(&self, shape: &Shape, paper: Paper) -> Line {
        let mut line = Line::default();
        // Headings of narrow columns do not reach into the first of them.
        let room = shape.name + 2;
        let fitting = self.titles.iter().find(|title| width(title) <= room).or(self.titles.last());
        line.push_styled(&paper.cut(fitting.map_or("", String::as_str), room), TITLE);
        line.pad_to(room);
        self.figures(&mut line, shape, |at| paper.text(self.columns[at].title), |_| {});
        line
    }

    fn row(&self, row: &ListingRow, name: &str, shape: &Shape, paper: Paper) -> Line {
        let mut line = Line::of(pad(&format!("  {name}"), shape.name + 2));
        let bar = |line: &mut Line| line.push_styled(&paper.bar(row.share, shape.bar), BAR);
        self.figures(&mut line, shape, |at| paper.text(&row.cells[at]), bar);
        line
    }

    /// The columns that stay, with the bar in its place.
    fn figures(
        &self,
        line: &mut Line,
        shape: &Shape,
        cell: impl Fn(usize) -> String,
        bar: impl Fn(&mut Line),
    ) {
        for at in 0..=self.columns.len() {
            if self.bar_behind == Some(at) && shape.bar > 0 {
                let start = line.columns() + 1;
                line.push(" ");
                bar(line);
                line.pad_to(start + shape.bar);
            }
            if let Some(Some(columns)) = shape.columns.get(at) {
                line.push(pad_left(&cell(at), columns + 2));
            }
        }
    }
}

/// Which columns stay, and how wide all is.
struct Shape {
    name: usize,
    /// By column: its width; `None` for one that goes.
    columns: Vec<Option<usize>>,
    bar: usize,
}

impl Shape {
    fn of(list: &Listing, rows: &[ListingRow], paper: Paper) -> Self {
        let wanted = |row: &ListingRow| width(&paper.text(&row.name)) + width(&paper.text(&row.suffix));
        let longest = rows.iter().map(wanted).max().unwrap_or(0);
        let shortest_title = list.titles.last().map_or(0, |title| width(title).saturating_sub(2));
        let wanted_name = longest.max(shortest_title);
        let column_width = |at: usize| {
            let cells = rows.iter().map(|row| width(&row.cells[at]));
            cells.chain([width(&paper.text(list.columns[at].title))]).max().unwrap_or(0)
        };
        let mut shape = Self {
            name: 0,
            columns: (0..list.columns.len()).map(column_width).map(Some).collect(),
            bar: if list.bar_behind.is_some() { BAR_AT_LEAST } else { 0 },
        };
        while shape.room_of_name(paper) < wanted_name.min(NAME_AT_LEAST) && shape.drop_one(list) {}
        shape.name = shape.room_of_name(paper);
        if shape.bar > 0 {
            let title = list.titles.first().map_or(0, |title| width(title).saturating_sub(2));
            let spare = shape.name.saturating_sub(wanted_name.max(title).max(NAME_AT_LEAST));
            let more = spare.min(BAR_AT_MOST - BAR_AT_LEAST);
            shape.bar += more;
            shape.name -= more;
        }
        shape
    }

    /// What the figures leave.
    fn room_of_name(&self, paper: Paper) -> usize {
        let figures: usize = self.columns.iter().flatten().map(|columns| columns + 2).sum();
        let bar = if self.bar > 0 { self.bar + 1 } else { 0 };
        (paper.columns.saturating_sub(2)).saturating_sub(figures + bar)
    }

    /// Drops the least important column; false if none can go.
    fn drop_one(&mut self, list: &Listing) -> bool {
        let kept = (0..list.columns.len()).filter(|&at| self.columns[at].is_some());
        let droppable = kept.filter(|&at| list.columns[at].importance != Importance::Main);
        let least = droppable.rev().min_by_key(|&at| list.columns[at].importance);
        let is_bar_next =
            self.bar > 0 && least.is_none_or(|at| list.columns[at].importance > Importance::Bar);
        if is_bar_next {
            self.bar = 0;
            return true;
        }
        let Some(at) = least else { return false };
        self.columns[at] = None;
        true
    }

    /// The names of the first rows as wide as they may be. They are cut so that they differ from those of all rows, so that a name
    /// means the same on a page with more of them.
    fn names(&self, list: &Listing, rows: &[ListingRow], paper: Paper) -> Vec<String> {
        let all: Vec<&str> = list.rows.iter().map(|row| row.name.as_str()).collect();
        let suffixes: Vec<String> = rows.iter().map(|row| paper.text(&row.suffix)).collect();
        // Names with equally wide suffixes are cut alike, so that they stay different.
        let mut of_room: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        let name = |(at, suffix): (usize, &String)| {
            let room = self.name.saturating_sub(width(suffix));
            let names = of_room.entry(room).or_insert_with(|| paper.cut_apart(&all, room));
            format!("{}{suffix}", names[at])
        };
        suffixes.iter().enumerate().map(name).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dashboard::Letters;

    fn listing() -> Listing {
        let column = |title, importance| Column { title, importance };
        let row = |name: &str, share| ListingRow {
            name: name.to_owned(),
            suffix: String::new(),
            cells: vec!["83.3".into(), "18.6".into(), "18.6".into(), "73".into(), "1,142".into()],
            share,
        };
        Listing {
            titles: vec!["Top kernels, 2 of 51 names".into(), "Top kernels".into()],
            rows: vec![row("ampere_sgemm_128x64_tn", 1.0), row("ampere_sgemm_128x32_sliced1x4_nn", 0.5)],
            columns: vec![
                column("ms", Importance::Main),
                column("%", Importance::Main),
                column("cum %", Importance::Cumulative),
                column("calls", Importance::Calls),
                column("mean µs", Importance::Mean),
            ],
            bar_behind: Some(3),
            below: None,
        }
    }

    fn shown(columns: usize) -> Vec<String> {
        let paper = Paper { columns, letters: Letters::Unicode };
        listing().lines(9, paper).iter().map(Line::finished).collect()
    }

    #[test]
    fn columns_go_by_importance() {
        for (columns, kept, gone) in [
            (100, vec!["ms", "%", "cum %", "calls", "mean µs"], vec![]),
            (66, vec!["ms", "%", "cum %", "calls"], vec!["mean"]),
            (56, vec!["ms", "%", "cum %"], vec!["calls", "mean"]),
            (46, vec!["ms", "%"], vec!["cum", "calls"]),
        ] {
            let heading = anstream::adapter::strip_str(&shown(columns)[0]).to_string();
            assert!(kept.iter().all(|title| heading.contains(title)), "{columns}: {heading}");
            assert!(!gone.iter().any(|title| heading.contains(title)), "{columns}: {heading}");
        }
    }

    #[test]
    fn figures_stand_below_their_headings() {
        let lines: Vec<String> =
            shown(100).iter().map(|line| anstream::adapter::strip_str(line).to_string()).collect();
        let end = |line: &str, word: &str| {
            line[..line.find(word).expect("a word")].chars().count() + word.chars().count()
        };
        assert_eq!(end(&lines[0], "ms"), end(&lines[1], "83.3"));
        assert_eq!(end(&lines[0], "mean µs"), end(&lines[1], "1,142"));
    }
}
