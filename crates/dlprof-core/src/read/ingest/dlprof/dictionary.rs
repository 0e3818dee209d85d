//! Table `dictionary`: the texts of all other tables.

use super::checked::Checked;
use super::source::Source;
use super::table_names::DICTIONARY;
use crate::base::Error;
use rustc_hash::FxHashMap;

/// A text of the dictionary: its position there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) struct TextId(u32);

/// The texts of a database.
#[derive(Default)]
pub(super) struct Dictionary {
    texts: Vec<String>,
    by_id: FxHashMap<i64, TextId>,
}

impl Dictionary {
    pub(super) fn read(source: &Source<'_>) -> Result<Self, Error> {
        let init = <(Self, Checked)>::default;
        let (dictionary, checked) = source.database.fold(
            DICTIONARY,
            &["id", "string"],
            Some(source.progress),
            init,
            |(dictionary, checked), row| {
                checked.next_row();
                let id = checked.int(row, 0);
                let text = TextId(u32::try_from(dictionary.texts.len()).unwrap_or(u32::MAX));
                dictionary.texts.push(row.text_to_take_apart(1).unwrap_or_default().into_owned());
                if dictionary.by_id.insert(id, text).is_some() {
                    checked.note(|| format!("id {id} occurs again"));
                }
            },
        )?;
        checked.finish(source.database, DICTIONARY)?;
        Ok(dictionary)
    }

    /// The text of an id.
    pub(super) fn find(&self, id: i64) -> Option<TextId> {
        self.by_id.get(&id).copied()
    }

    /// A text.
    pub(super) fn text(&self, text: TextId) -> &str {
        self.texts.get(text.0 as usize).map_or("", String::as_str)
    }

    /// Number of texts; positions are below it.
    pub(super) fn len(&self) -> usize {
        self.texts.len()
    }

    /// The position of a text.
    pub(super) fn position(text: TextId) -> usize {
        text.0 as usize
    }
}
