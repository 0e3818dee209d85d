//! Table `event`: what kind a row of another table is of, and the call that it belongs to.

use super::super::columns::columns;
use super::super::row::Row;
use super::source::Source;
use crate::base::Error;
use crate::base::diagnostics::Diagnostics;
use crate::columns::Buffer;
use crate::read::draft::{Draft, NO_KEY, NOBODY};
use crate::read::facts::{NO_SEQUENCE, SequenceNumber};
use rustc_hash::FxHashMap;
use serde::Deserialize;
use std::cell::RefCell;

/// What the name of a category says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Category {
    /// A range of the program.
    Marker,
    /// A function of HSA, which HIP calls.
    Hsa,
    /// Anything else.
    Other,
}

impl Category {
    pub(super) fn of(name: &str) -> Self {
        if ["MARKER", "marker", "roctx"].iter().any(|part| name.contains(part)) {
            Self::Marker
        } else if name.starts_with("HSA_") || name == "rocm_hsa_api" {
            Self::Hsa
        } else {
            Self::Other
        }
    }
}

/// An event.
#[derive(Debug, Clone, Copy)]
pub(super) struct Event {
    pub(super) id: i64,
    pub(super) category: Category,
    /// The number that a call and its work share.
    pub(super) stack: i64,
    /// That of the call around it.
    pub(super) parent: i64,
    /// Of a range: the place of its text; `NOBODY` if it says none.
    pub(super) text: u32,
    pub(super) sequence: SequenceNumber,
}

impl Event {
    pub(super) const NONE: Self = Self {
        id: NO_KEY,
        category: Category::Other,
        stack: NO_KEY,
        parent: NO_KEY,
        text: NOBODY,
        sequence: NO_SEQUENCE,
    };
}

/// What `extdata` of a range says.
#[derive(Deserialize)]
struct Extra {
    message: Option<String>,
}

columns! {
    ID "id";
    CATEGORY "category_id";
    STACK "stack_id";
    PARENT "parent_stack_id";
    EXTRA "extdata";
}

/// The events by ascending id.
pub(super) fn read(
    source: &Source<'_>,
    draft: &mut Draft<'_>,
    categories: &FxHashMap<i64, Category>,
) -> Result<Buffer<Event>, Error> {
    let memory = draft.memory();
    let draft = RefCell::new(draft);
    let init = || memory.buffer(0);
    let mut events: Buffer<Event> = source.database.fold(
        &source.table("event"),
        COLUMNS,
        Some(source.progress),
        init,
        |events: &mut Buffer<Event>, row| events.extend(event(row, categories, &mut draft.borrow_mut())),
    )?;
    if !events.is_sorted_by_key(|event| event.id) {
        events.sort_by_key(|event| event.id);
    }
    Ok(events)
}

fn event(row: &Row<'_>, categories: &FxHashMap<i64, Category>, draft: &mut Draft<'_>) -> Option<Event> {
    let int = |column| row.int(column, &mut Diagnostics::default());
    let id = int(ID)?;
    let category = int(CATEGORY).and_then(|category| categories.get(&category));
    let category = category.copied().unwrap_or(Category::Other);
    let stack = int(STACK).unwrap_or(NO_KEY);
    let mut event = Event { id, category, stack, parent: int(PARENT).unwrap_or(NO_KEY), ..Event::NONE };
    if category == Category::Marker
        && let Some(message) = message(row)
    {
        (event.text, event.sequence) = draft.text(&message);
    }
    Some(event)
}

/// The text of a range.
fn message(row: &Row<'_>) -> Option<String> {
    let extra = row.text_to_take_apart(EXTRA)?;
    serde_json::from_str::<Extra>(&extra).ok()?.message
}
