//! A table that is borrowed, or owned together with others.

use super::table::Table;
use std::ops::Deref;
use std::sync::Arc;

/// A table that is borrowed, or owned together with others.
#[derive(Clone)]
pub(super) enum Held<'a> {
    Borrowed(&'a dyn Table),
    Shared(Arc<dyn Table>),
}

impl<'a> Deref for Held<'a> {
    type Target = dyn Table + 'a;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::Borrowed(table) => *table,
            Self::Shared(table) => table.as_ref(),
        }
    }
}
