//! Which columns of a table have room, and how wide each is.

use super::Choice;
use super::cells::Cells;
use crate::text::{shorten_name, width, wrap};
use dlprof_core::Importance;
use std::collections::HashMap;

/// Spaces between columns.
pub(super) const GAP: usize = 2;

/// A text column is not made narrower than this.
const NARROWEST: usize = 12;

/// The first text column, which has the name, is not made narrower than this while others can be left out.
const NARROWEST_NAME: usize = 28;

/// Sentences are not made narrower than this.
const NARROWEST_SENTENCE: usize = 20;

/// A whole column is not padded beyond this; longer texts push the rest of their line to the right.
const WIDEST: usize = 200;

/// The columns that are shown.
pub(super) struct Shown {
    pub(super) columns: Vec<ShownColumn>,
    /// The columns without room.
    pub(super) hidden: Vec<usize>,
    /// Whether texts are cut, and titles and sentences wrapped.
    pub(super) is_cut: bool,
}

/// A column that is shown.
#[derive(Debug, Clone, Copy)]
pub(super) struct ShownColumn {
    pub(super) column: usize,
    pub(super) width: usize,
}

impl Shown {
    /// All columns, as wide as they need.
    pub(super) fn whole(cells: &Cells<'_>) -> Self {
        let shown = |column| {
            let widest: usize = cells.widths[column];
            let needed = widest.min(WIDEST).max(width(&cells.title(column)));
            ShownColumn { column, width: needed }
        };
        Self { columns: (0..cells.columns()).map(shown).collect(), hidden: Vec::new(), is_cut: false }
    }

    /// The columns that fit a width, by importance.
    pub(super) fn fitting(cells: &Cells<'_>, room: usize, choice: Choice) -> Self {
        let needs: Vec<Need> = (0..cells.columns()).map(|column| Need::new(cells, column, room)).collect();
        let mut count = needs.len();
        if choice == Choice::Important {
            let always = in_front(cells, Importance::Always);
            let medium = in_front(cells, Importance::Medium).min(cells.filled).max(always);
            let fits = |count: &usize| match *count > medium {
                // The least important columns do not take room from names.
                true => full(&needs[..*count]) <= room,
                false => least(&needs[..*count]) <= room,
            };
            count = (always..=cells.filled.max(always)).rev().find(fits).unwrap_or(always);
            // Rows that look alike say less than a column less.
            let distinct =
                (always..=count).rev().find(|&count| !look_alike(cells, &widths(&needs[..count], room)));
            // If they look alike in any case, names have at least the most room.
            count = distinct.unwrap_or(always.min(count));
        }
        let widths = widths(&needs[..count], room);
        let columns = widths.into_iter().enumerate().map(|(column, width)| ShownColumn { column, width });
        Self { columns: columns.collect(), hidden: (count..needs.len()).collect(), is_cut: true }
    }
}

/// How many columns, from the first on, are at least this important.
fn in_front(cells: &Cells<'_>, least: Importance) -> usize {
    (0..cells.columns()).take_while(|&column| cells.importance(column) <= least).count()
}

/// What a column needs.
struct Need {
    least: usize,
    wanted: usize,
}

impl Need {
    fn new(cells: &Cells<'_>, column: usize, room: usize) -> Self {
        let title = title_lines(&cells.title(column), cells.widths[column]);
        let title = title.iter().map(|line| width(line)).max().unwrap_or(0);
        let wanted = cells.widths[column].max(title);
        let narrowest = match () {
            () if cells.is_sentence(column) => NARROWEST_SENTENCE.max(room * 3 / 10),
            () if cells.is_text(column) && column == 0 => NARROWEST_NAME.max(room * 2 / 5),
            () if cells.is_text(column) => NARROWEST,
            () => wanted,
        };
        Self { least: wanted.min(narrowest.max(title)), wanted }
    }
}

/// A title in at most two lines that are as little wider than the cells below it as possible.
pub(super) fn title_lines(title: &str, cells: usize) -> Vec<String> {
    let longest_word = title.split_whitespace().map(width).max().unwrap_or(0);
    let widths = cells.max(longest_word)..=width(title);
    let in_two = widths.map(|columns| wrap(title, columns)).find(|lines| lines.len() <= 2);
    in_two.unwrap_or_else(|| vec![title.to_owned()])
}

/// The width of columns whose texts are not cut, but for very long ones.
fn full(needs: &[Need]) -> usize {
    /// More of a text is not waited for.
    const MOST: usize = 80;
    needs.iter().map(|need| need.wanted.min(MOST).max(need.least)).sum::<usize>()
        + GAP * needs.len().saturating_sub(1)
}

fn least(needs: &[Need]) -> usize {
    needs.iter().map(|need| need.least).sum::<usize>() + GAP * needs.len().saturating_sub(1)
}

/// The widths of columns: what they need at least, and the rest of the room from the first column on.
fn widths(needs: &[Need], room: usize) -> Vec<usize> {
    let mut left = room.saturating_sub(least(needs));
    let mut widths: Vec<usize> = needs.iter().map(|need| need.least).collect();
    for (width, need) in widths.iter_mut().zip(needs) {
        let more = (need.wanted - need.least).min(left);
        *width += more;
        left -= more;
    }
    // Columns that are always shown may still be too wide for a very narrow terminal: the first one gives way.
    let taken = widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1);
    if let (Some(first), true) = (widths.first_mut(), taken > room) {
        *first = first.saturating_sub(taken - room).max(NARROWEST.min(*first));
    }
    widths
}

/// Whether two rows with different names look alike because the names are cut.
fn look_alike(cells: &Cells<'_>, widths: &[usize]) -> bool {
    /// Further rows are not compared.
    const ROWS: usize = 500;
    let Some(&room) = widths.first() else { return false };
    if !cells.is_text(0) || cells.is_sentence(0) || cells.widths[0] <= room {
        return false;
    }
    let mut names: HashMap<String, String> = HashMap::new();
    (0..cells.table.rows().min(ROWS)).any(|row| {
        let name = cells.cell(row, 0);
        let other = names.entry(shorten_name(&name, room)).or_insert_with(|| name.clone());
        *other != name
    })
}
