//! One value of a row, whichever reader it comes from.

/// Most columns that any table is asked for.
pub(super) const MOST_COLUMNS: usize = 24;

/// One cell, as stored.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Cell<'a> {
    Null,
    Int(i64),
    Real(f64),
    /// Not checked to be UTF-8.
    Text(&'a [u8]),
    Blob(&'a [u8]),
}

impl Cell<'_> {
    /// The integer or NULL, if it is one of these.
    #[inline]
    pub(super) fn int(&self) -> Option<Option<i64>> {
        match *self {
            Cell::Int(value) => Some(Some(value)),
            Cell::Null => Some(None),
            _ => None,
        }
    }

    /// The bytes of a text or a blob.
    #[inline]
    pub(super) fn text_bytes(&self) -> usize {
        match *self {
            Cell::Text(bytes) | Cell::Blob(bytes) => bytes.len(),
            _ => 0,
        }
    }
}
