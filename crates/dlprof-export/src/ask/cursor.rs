//! Where an answer goes on that was cut.

use crate::query::name_hash;
use std::str::FromStr;

/// Where the rows of a part go on. It is good as long as the capture and the question are the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor {
    /// The part.
    pub part: String,
    /// The first row.
    pub offset: usize,
    /// Of what it is good for.
    check: u32,
}

/// Why a cursor cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CursorError {
    /// It is none.
    Bad,
    /// It is of another question or capture, or of one that has changed.
    Stale,
}

/// What the cursors of an answer are good for.
pub(super) fn seal<'a>(question: &str, about: Option<&str>, ids: impl Iterator<Item = &'a str>) -> u32 {
    let ids: Vec<&str> = ids.collect();
    name_hash(format!("{question}\n{}\n{}", about.unwrap_or_default(), ids.join("\n")))
}

pub(super) fn written(part: &str, offset: usize, seal: u32) -> String {
    format!("{part}.{offset}.{:08x}", check(part, offset, seal))
}

fn check(part: &str, offset: usize, seal: u32) -> u32 {
    name_hash(format!("{seal}\n{part}\n{offset}"))
}

impl FromStr for Cursor {
    type Err = CursorError;

    fn from_str(text: &str) -> Result<Self, CursorError> {
        let mut words = text.split('.');
        let (Some(part), Some(offset), Some(check), None) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            return Err(CursorError::Bad);
        };
        let offset = offset.parse().map_err(|_| CursorError::Bad)?;
        let check = u32::from_str_radix(check, 16).map_err(|_| CursorError::Bad)?;
        Ok(Self { part: part.to_owned(), offset, check })
    }
}

impl Cursor {
    /// Whether it is of this question about these captures.
    ///
    /// # Errors
    /// If it is not.
    pub fn fits<'a>(
        &self,
        question: &str,
        about: Option<&str>,
        ids: impl Iterator<Item = &'a str>,
    ) -> Result<(), CursorError> {
        let is_own = check(&self.part, self.offset, seal(question, about, ids)) == self.check;
        if is_own { Ok(()) } else { Err(CursorError::Stale) }
    }
}
