//! Texts by their bytes, so that each distinct one is unescaped and kept once.

use super::text::{unescaped, unescaped_inside};
use crate::base::diagnostics::{DiagnosticCode, Diagnostics};
use crate::base::ids::StrId;
use crate::columns::StringPool;
use crate::columns::long_text::as_read;
use crate::read::most_names::{MOST_KERNEL_NAMES, OTHER_NAMES};
use rustc_hash::FxHashMap;

/// Texts are told apart as long as they have no more bytes together.
const MOST_BYTES: usize = 256 << 20;

/// Looks texts up by their tokens.
pub(super) struct Names {
    pub(super) pool: StringPool,
    by_bytes: FxHashMap<Box<[u8]>, StrId>,
    bytes: usize,
}

impl Names {
    pub(super) fn new() -> Self {
        Self { pool: StringPool::default(), by_bytes: FxHashMap::default(), bytes: 0 }
    }

    /// The text of a token. Where too many were met, those that are new are one text.
    #[inline]
    pub(super) fn id(&mut self, token: &[u8], diagnostics: &mut Diagnostics) -> StrId {
        match self.by_bytes.get(token) {
            Some(&id) => id,
            None => self.add(token).unwrap_or_else(|| {
                let example = || unescaped(&as_read(token)).chars().take(200).collect();
                diagnostics.count(DiagnosticCode::TooManyNames, example);
                self.pool.intern(OTHER_NAMES)
            }),
        }
    }

    /// The text of a token that is a detail: none where too many were met.
    #[inline]
    pub(super) fn detail(&mut self, token: &[u8]) -> StrId {
        match self.by_bytes.get(token) {
            Some(&id) => id,
            None => self.add(token).unwrap_or(StrId::NONE),
        }
    }

    fn add(&mut self, token: &[u8]) -> Option<StrId> {
        let read = as_read(token);
        if read.len() < token.len() {
            // Its closing quote is cut off; a long text is looked up by its beginning.
            let text = match read.strip_prefix(b"\"") {
                Some(inside) => unescaped_inside(inside),
                None => String::from_utf8_lossy(&read),
            };
            return self.insert(token.get(..64).unwrap_or(token).into(), &text, false);
        }
        self.insert(token.into(), &unescaped(token), true)
    }

    /// Whether all texts of a block can be told apart even if none of them is known.
    pub(super) fn has_room_for(&self, block: &Self) -> bool {
        self.pool.len() + block.pool.len() <= MOST_KERNEL_NAMES && self.bytes + block.bytes <= MOST_BYTES
    }

    /// Adds the texts of a block for which there is room. Returns which each is.
    pub(super) fn add_all(&mut self, block: &Self) -> Vec<StrId> {
        let add = |text| {
            let known = self.pool.len();
            let id = self.pool.intern(text);
            if self.pool.len() > known {
                self.bytes += text.len() * 2;
            }
            id
        };
        (0..block.pool.len()).map(|at| block.pool.get(StrId::new(at))).map(add).collect()
    }

    fn insert(&mut self, token: Box<[u8]>, text: &str, is_kept: bool) -> Option<StrId> {
        if self.pool.len() >= MOST_KERNEL_NAMES || self.bytes + text.len() > MOST_BYTES {
            return None;
        }
        self.bytes += text.len() + token.len();
        let id = self.pool.intern(text);
        if is_kept {
            self.by_bytes.insert(token, id);
        }
        Some(id)
    }
}
