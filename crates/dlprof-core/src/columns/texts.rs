//! Texts by id, never changed.

use super::cell::{CellType, Number};
use super::table::{ColumnDeclaration, FactTable, TableDeclaration};
use super::{StrId, StringPool};
use crate::columns::long_text::cut;
use arrow_array::{Array, ArrayRef, LargeStringArray};
use std::sync::Arc;

/// Distinct texts by id. A clone is cheap and shares the texts.
#[derive(Debug, Clone)]
pub struct Texts {
    texts: LargeStringArray,
}

impl Default for Texts {
    fn default() -> Self {
        Self { texts: LargeStringArray::new_null(0) }
    }
}

/// Long texts are cut.
impl From<&StringPool> for Texts {
    fn from(pool: &StringPool) -> Self {
        let texts = (0..pool.len()).map(|at| cut(pool.get(StrId::new(at))));
        Self { texts: LargeStringArray::from_iter_values(texts) }
    }
}

impl<'a> FromIterator<&'a str> for Texts {
    fn from_iter<I: IntoIterator<Item = &'a str>>(texts: I) -> Self {
        Self { texts: LargeStringArray::from_iter_values(texts) }
    }
}

impl Texts {
    /// The text of an id; the empty text for [`StrId::NONE`].
    #[must_use]
    #[inline]
    pub fn get(&self, id: StrId) -> &str {
        id.position().filter(|&at| at < self.texts.len()).map_or("", |at| self.texts.value(at))
    }

    /// Number of texts. Ids are from 0 to this number, exclusive.
    #[must_use]
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// All texts in order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = &str> + Clone {
        (0..self.len()).map(|at| self.texts.value(at))
    }

    /// The id of a text. It is searched from the first text to the last.
    #[must_use]
    pub fn find(&self, text: &str) -> Option<StrId> {
        self.iter().position(|known| known == text).map(StrId::new)
    }
}

impl FactTable for Texts {
    const DECLARATION: TableDeclaration = TableDeclaration {
        name: "texts",
        doc: "Distinct texts; the number of the row is the id.",
        columns: &[ColumnDeclaration {
            name: "text",
            doc: "The text.",
            unit: "",
            cell: CellType { number: Number::Text, parts: super::cell::SINGLE },
        }],
    };

    fn to_arrays(&self) -> Vec<ArrayRef> {
        vec![Arc::new(self.texts.clone())]
    }

    fn from_arrays(arrays: &[ArrayRef]) -> Option<Self> {
        let [array] = arrays else { return None };
        let texts = array.as_any().downcast_ref::<LargeStringArray>()?;
        (texts.null_count() == 0).then(|| Self { texts: texts.clone() })
    }
}
