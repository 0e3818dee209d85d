//! Texts: table `StringIds`, and texts that stand inline in other tables.

use super::cell::Cell;
use super::database::Database;
use super::row::Row;
use crate::base::Error;
use crate::base::diagnostics::{DiagnosticCode, Diagnostics};
use crate::base::ids::StrId;
use crate::columns::StringPool;
use crate::columns::long_text::as_read;
use crate::read::recent::{Recent, quick_hash};
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};

/// Table `StringIds`: its texts, and which text an id of the export means.
#[derive(Default)]
pub(super) struct Names {
    pool: StringPool,
    /// By the export's id where ids are small, which they are in real exports.
    dense: Vec<StrId>,
    sparse: FxHashMap<i64, StrId>,
}

impl Names {
    /// Reads table `StringIds`.
    pub(super) fn read(database: &Database, diagnostics: &mut Diagnostics) -> Result<Self, Error> {
        let rows = usize::try_from(database.row_estimate("StringIds")?).unwrap_or(0);
        let init = || (Self::default(), Diagnostics::default());
        let push = |(names, diagnostics): &mut (Self, Diagnostics), row: &Row<'_>| {
            names.push(row, rows, diagnostics);
        };
        let (names, found) = database.fold("StringIds", &["id", "value"], None, init, push)?;
        diagnostics.merge(found);
        Ok(names)
    }

    fn push(&mut self, row: &Row<'_>, rows: usize, diagnostics: &mut Diagnostics) {
        let Some(id) = row.int(0, diagnostics) else { return };
        let text = match row.value(1) {
            Cell::Text(bytes) => self.pool.intern(&String::from_utf8_lossy(&as_read(bytes))),
            _ => match row.text(1) {
                Some(text) => self.pool.intern(&text),
                None => return,
            },
        };
        match usize::try_from(id) {
            Ok(position) if position <= rows * 2 => {
                if self.dense.len() <= position {
                    self.dense.resize(position + 1, StrId::NONE);
                }
                self.dense[position] = text;
            }
            _ => drop(self.sparse.insert(id, text)),
        }
    }

    /// The text itself of an id of the export.
    pub(super) fn text_of(&self, id: i64) -> Option<&str> {
        self.by_id(id).map(|name| self.pool.get(name))
    }

    /// Whether it has a text.
    pub(super) fn has(&self, text: &str) -> bool {
        self.pool.find(text).is_some()
    }

    /// All texts.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        (0..self.pool.len()).map(|position| self.pool.get(StrId::new(position)))
    }

    /// The text of an id of the export.
    pub(super) fn by_id(&self, id: i64) -> Option<StrId> {
        let dense = usize::try_from(id).ok().and_then(|position| self.dense.get(position)?.some());
        dense.or_else(|| self.sparse.get(&id).copied())
    }
}

/// Resolves the texts of one table. Texts that [`Names`] lacks are kept aside, so that several tables
/// can be read at the same time; [`merge`] puts them together.
pub(super) struct NameReader<'a> {
    names: &'a Names,
    extra: StringPool,
    /// Inline texts by their bytes, so that each is checked and looked up in the pools only once.
    by_bytes: IndexMap<Box<[u8]>, StrId, FxBuildHasher>,
    /// Positions in it of those met recently.
    recent: Recent<2048>,
}

impl<'a> NameReader<'a> {
    /// A reader on top of table `StringIds`.
    pub(super) fn new(names: &'a Names) -> Self {
        Self { names, extra: StringPool::default(), by_bytes: IndexMap::default(), recent: Recent::new() }
    }

    /// The text of a cell that holds an id of `StringIds` or the text itself. NULL is `None`.
    #[inline]
    pub(super) fn cell(
        &mut self,
        row: &Row<'_>,
        column: usize,
        diagnostics: &mut Diagnostics,
    ) -> Option<StrId> {
        match row.plain_int(column) {
            Some(Some(id)) => {
                let name = self.names.by_id(id);
                if name.is_none() {
                    diagnostics.count(DiagnosticCode::UnknownName, || format!("id {id}"));
                }
                name
            }
            Some(None) => None,
            None => self.inline_cell(row, column, diagnostics),
        }
    }

    /// The text of a cell that holds an id of `StringIds`; `None` for all others.
    #[inline]
    pub(super) fn known_cell(&self, row: &Row<'_>, column: usize) -> Option<StrId> {
        self.names.by_id(row.plain_int(column)??)
    }

    fn inline_cell(&mut self, row: &Row<'_>, column: usize, diagnostics: &mut Diagnostics) -> Option<StrId> {
        let Cell::Text(bytes) = row.value(column) else {
            row.count_bad_value(column, diagnostics);
            return None;
        };
        Some(self.intern_bytes(bytes))
    }

    /// The id of an inline text; replacement characters stand where it is not UTF-8.
    #[inline]
    pub(super) fn intern_bytes(&mut self, bytes: &[u8]) -> StrId {
        let bytes = &*as_read(bytes);
        let hash = quick_hash(bytes);
        let text_at = |position| self.by_bytes.get_index(position).map(|(text, _)| &**text);
        match self.recent.find(hash, |position| text_at(position) == Some(bytes)) {
            Some(position) => self.by_bytes[position as usize],
            None => self.find_bytes(bytes, hash),
        }
    }

    fn find_bytes(&mut self, bytes: &[u8], hash: u64) -> StrId {
        let position = match self.by_bytes.get_index_of(bytes) {
            Some(position) => position,
            None => {
                let id = self.intern(&String::from_utf8_lossy(bytes));
                self.by_bytes.insert_full(bytes.into(), id).0
            }
        };
        if let Ok(position) = u32::try_from(position) {
            self.recent.remember(hash, position);
        }
        self.by_bytes[position]
    }

    /// The id of an inline text that was met before, or that table `StringIds` has.
    pub(super) fn known(&self, bytes: &[u8]) -> Option<StrId> {
        let bytes = &*as_read(bytes);
        let met = self.by_bytes.get(bytes).copied();
        met.or_else(|| self.names.pool.find(&String::from_utf8_lossy(bytes)))
    }

    /// The id of a text.
    pub(super) fn intern(&mut self, text: &str) -> StrId {
        let known = self.names.pool.find(text);
        known.unwrap_or_else(|| self.extra.intern(text).behind(self.names.pool.len()))
    }

    /// The text of an id this reader gave out.
    pub(super) fn text(&self, id: StrId) -> &str {
        match id.position().and_then(|position| position.checked_sub(self.names.pool.len())) {
            Some(position) => self.extra.get(StrId::new(position)),
            None => self.names.pool.get(id),
        }
    }

    /// The texts kept aside.
    pub(super) fn into_extra(self) -> StringPool {
        self.extra
    }
}

/// Adds the texts that one table kept aside to `pool` and corrects that table's ids.
/// `base` is the number of texts in table `StringIds`.
pub(super) fn merge<'a>(
    pool: &mut StringPool,
    base: usize,
    extra: &StringPool,
    ids: impl IntoIterator<Item = &'a mut StrId>,
) {
    let moved: Vec<StrId> =
        (0..extra.len()).map(|position| pool.intern(extra.get(StrId::new(position)))).collect();
    // Where texts stand only here, their ids are right already.
    if moved.iter().enumerate().all(|(position, id)| id.position() == Some(base + position)) {
        return;
    }
    for id in ids {
        if let Some(position) = id.position().and_then(|position| position.checked_sub(base)) {
            *id = moved[position];
        }
    }
}

impl Names {
    /// The pool of all texts, once no table is read any more.
    pub(super) fn into_pool(self) -> StringPool {
        self.pool
    }

    /// Number of texts in table `StringIds`.
    pub(super) fn len(&self) -> usize {
        self.pool.len()
    }
}
