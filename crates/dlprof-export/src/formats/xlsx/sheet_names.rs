//! Names of sheets in words.

use super::arranged::Arranged;
use crate::display::changes_others;
use dlprof_core::Table;
use std::collections::BTreeSet;

/// The first sheet, and the last ones.
pub(super) const FRONT: &str = "Dashboard";
pub(super) const MEANINGS: &str = "Columns";
pub(super) const FIGURES: &str = "Chart figures";

/// Characters that a name may have; room is left for ` 12 of 12`.
const MOST_CHARS: usize = 31;
const PART_CHARS: usize = 9;

/// A name for the sheet of each table: its title, without what Excel refuses; different for each, in any capitals.
pub(super) fn sheet_names(tables: &[Arranged<'_>]) -> Vec<String> {
    let mut taken: BTreeSet<String> = [FRONT, MEANINGS, FIGURES].map(str::to_lowercase).into();
    let mut name = |table: &dyn Table| {
        let is_wrong =
            |c: char| matches!(c, '[' | ']' | ':' | '*' | '?' | '/' | '\\' | '\'') || changes_others(c);
        let title: String = table.title().chars().map(|c| if is_wrong(c) { ' ' } else { c }).collect();
        let room = if table.rows() > super::cells::MOST_ROWS { PART_CHARS } else { 0 };
        let cut = |text: &str, room: usize| -> String {
            text.trim().chars().take(MOST_CHARS - room).collect::<String>().trim_end().to_owned()
        };
        let numbered = (2..).map(|number| {
            let number = format!(" {number}");
            cut(&title, room + number.chars().count()) + &number
        });
        let names = std::iter::once(cut(&title, room)).chain(numbered);
        let mut free = names.filter(|name| !name.is_empty() && taken.insert(name.to_lowercase()));
        free.next().unwrap_or_default()
    };
    tables.iter().map(|table| name(&table.view)).collect()
}

/// The name of a part of a table that needs several sheets.
pub(super) fn part(name: &str, part: usize, parts: usize) -> String {
    if parts == 1 { name.to_owned() } else { format!("{name} {} of {parts}", part + 1) }
}
