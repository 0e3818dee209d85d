//! The texts of a profile, each once.

use std::collections::HashMap;

/// Texts in order of their first use.
#[derive(Debug, Default)]
pub(super) struct TextList {
    places: HashMap<String, usize>,
    texts: Vec<String>,
}

impl TextList {
    /// The place of a text.
    pub(super) fn place(&mut self, text: &str) -> usize {
        if let Some(&place) = self.places.get(text) {
            return place;
        }
        let place = self.texts.len();
        self.texts.push(text.to_owned());
        self.places.insert(text.to_owned(), place);
        place
    }

    pub(super) fn list(&self) -> &[String] {
        &self.texts
    }
}
