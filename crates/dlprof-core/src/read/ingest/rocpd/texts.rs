//! Texts by id, and rows by id.

use super::source::Source;
use crate::base::Error;
use crate::base::ordered::partition_near;
use std::cell::Cell;

/// The row with an id, among rows by ascending id. Mostly ids have no gaps; else rows are asked for near the place where one was found
/// before.
pub(super) fn by_id<'r, T>(
    rows: &'r [T],
    id: i64,
    near: &Cell<usize>,
    id_of: impl Fn(&T) -> i64,
) -> Option<&'r T> {
    let first = id_of(rows.first()?);
    let guess = id.checked_sub(first).and_then(|at| rows.get(usize::try_from(at).ok()?));
    guess.filter(|row| id_of(row) == id).or_else(|| {
        near.set(partition_near(rows, near.get(), |row| id_of(row) < id));
        rows.get(near.get()).filter(|row| id_of(row) == id)
    })
}

/// The texts of a table.
#[derive(Default)]
pub(super) struct Texts {
    /// By ascending id: where a text begins and ends.
    places: Vec<(i64, usize, usize)>,
    all: String,
    near: Cell<usize>,
}

impl Texts {
    pub(super) fn read(source: &Source<'_>, base: &str, column: &str) -> Result<Self, Error> {
        let mut texts: Self = source.database.fold(
            &source.table(base),
            &["id", column],
            None,
            Self::default,
            |texts: &mut Self, row| {
                let (Some(Some(id)), Some(text)) = (row.plain_int(0), row.text(1)) else { return };
                let from = texts.all.len();
                texts.all.push_str(&text);
                texts.places.push((id, from, texts.all.len()));
            },
        )?;
        texts.places.sort_by_key(|&(id, ..)| id);
        Ok(texts)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The text with an id, as it is; empty if there is none.
    pub(super) fn get(&self, id: i64) -> &str {
        by_id(&self.places, id, &self.near, |&(id, ..)| id).map_or("", |&(_, from, to)| &self.all[from..to])
    }
}
