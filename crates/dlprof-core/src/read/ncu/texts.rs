//! Texts that stand on every row, kept once.

use rustc_hash::FxHashSet;
use std::sync::Arc;

/// Texts that were seen.
#[derive(Debug, Default)]
pub(super) struct Texts {
    known: FxHashSet<Arc<str>>,
}

impl Texts {
    /// A text, shared with those that are equal.
    pub(super) fn shared(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.known.get(text) {
            return known.clone();
        }
        let made: Arc<str> = text.into();
        self.known.insert(made.clone());
        made
    }
}
