//! Interned texts.

use super::StrId;
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

/// A pool of distinct texts; equal texts have equal ids.
#[derive(Debug, Default, Clone)]
pub struct StringPool {
    texts: IndexSet<Box<str>, FxBuildHasher>,
}

impl StringPool {
    /// The id of `text`, which is added if it is new.
    pub fn intern(&mut self, text: &str) -> StrId {
        match self.texts.get_index_of(text) {
            Some(position) => StrId::new(position),
            None => StrId::new(self.texts.insert_full(text.into()).0),
        }
    }

    /// The id of `text`, if it is in the pool.
    #[must_use]
    pub fn find(&self, text: &str) -> Option<StrId> {
        self.texts.get_index_of(text).map(StrId::new)
    }

    /// The text of an id of this pool; the empty text for [`StrId::NONE`].
    #[must_use]
    pub fn get(&self, id: StrId) -> &str {
        id.position().and_then(|position| self.texts.get_index(position)).map_or("", |text| text)
    }

    /// Number of distinct texts; ids run from 0 to this number.
    #[must_use]
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether no text was added yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }
}
