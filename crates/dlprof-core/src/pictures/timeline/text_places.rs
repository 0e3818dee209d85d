//! The texts of a timeline, each once.

use indexmap::IndexSet;

/// Texts in order of their first use.
#[derive(Debug, Default)]
pub(in crate::pictures) struct Names {
    texts: IndexSet<String>,
}

impl Names {
    /// The place of a text.
    pub(in crate::pictures) fn place(&mut self, text: &str) -> u32 {
        let place = match self.texts.get_index_of(text) {
            Some(place) => place,
            None => self.texts.insert_full(text.to_owned()).0,
        };
        u32::try_from(place).unwrap_or(u32::MAX)
    }

    pub(in crate::pictures) fn into_texts(self) -> Vec<String> {
        self.texts.into_iter().collect()
    }
}
