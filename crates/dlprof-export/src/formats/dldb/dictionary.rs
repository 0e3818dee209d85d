//! Tables `dictionary` and `read_only_grid_block`: each text and each size once, in the order in which rows refer to them.

use super::insert::Insert;
use dlprof_core::{Capture, StrId};
use rusqlite::Connection;
use std::collections::HashMap;

/// The texts of all tables.
pub(super) struct Dictionary<'c> {
    insert: Insert<'c>,
    ids: HashMap<Box<str>, i64>,
}

impl<'c> Dictionary<'c> {
    pub(super) fn new(connection: &'c Connection) -> rusqlite::Result<Self> {
        Ok(Self { insert: Insert::into(connection, "dictionary", &["string"])?, ids: HashMap::new() })
    }

    /// The id of a text, which is added if it is new.
    pub(super) fn id(&mut self, text: &str) -> rusqlite::Result<i64> {
        if let Some(&id) = self.ids.get(text) {
            return Ok(id);
        }
        let id = self.insert.add([text])?;
        self.ids.insert(text.into(), id);
        Ok(id)
    }
}

/// Texts of a capture by id, so that each is looked up once.
pub(super) struct Names {
    /// By text: its row, or 0.
    ids: Vec<i64>,
}

impl Names {
    pub(super) fn new(capture: &Capture) -> Self {
        Self { ids: vec![0; capture.strings.len()] }
    }

    pub(super) fn id(
        &mut self,
        capture: &Capture,
        text: StrId,
        dictionary: &mut Dictionary<'_>,
    ) -> rusqlite::Result<i64> {
        let Some(position) = text.position() else { return dictionary.id("") };
        let id = &mut self.ids[position];
        if *id == 0 {
            *id = dictionary.id(capture.strings.get(text))?;
        }
        Ok(*id)
    }
}

/// Grids and blocks.
pub(super) struct Sizes<'c> {
    insert: Insert<'c>,
    ids: HashMap<[i64; 3], i64>,
}

impl<'c> Sizes<'c> {
    pub(super) fn new(connection: &'c Connection) -> rusqlite::Result<Self> {
        let insert = Insert::into(connection, "read_only_grid_block", &["x", "y", "z"])?;
        Ok(Self { insert, ids: HashMap::new() })
    }

    /// The id of a size, which is added if it is new.
    pub(super) fn id(&mut self, size: [i64; 3]) -> rusqlite::Result<i64> {
        if let Some(&id) = self.ids.get(&size) {
            return Ok(id);
        }
        let id = self.insert.add(size)?;
        self.ids.insert(size, id);
        Ok(id)
    }
}
