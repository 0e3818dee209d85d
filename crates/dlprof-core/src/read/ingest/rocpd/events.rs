//! Table `event`: what kind a row of another table is of, and the call that it belongs to.

use super::super::columns::columns;
use super::super::row::Row;
use super::source::Source;
use super::texts::Texts;
use crate::base::Error;
use crate::base::diagnostics::Diagnostics;
use crate::columns::Buffer;
use crate::read::draft::{Draft, NO_KEY, NOBODY};
use crate::read::facts::{NO_SEQUENCE, SequenceNumber};
use rustc_hash::FxHashMap;
use serde::Deserialize;
use std::borrow::Cow;
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
        let folded = name.to_ascii_lowercase();
        if ["marker", "roctx"].iter().any(|part| folded.contains(part)) {
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
struct Extra<'a> {
    #[serde(borrow)]
    message: Option<Message<'a>>,
}

/// A text, borrowed where nothing in it is escaped.
#[derive(Deserialize)]
struct Message<'a>(#[serde(borrow)] Cow<'a, str>);

columns! {
    ID "id";
    CATEGORY "category_id";
    STACK "stack_id";
    PARENT "parent_stack_id";
    EXTRA "extdata";
}

/// What table `event` says.
pub(super) struct Events {
    /// By ascending id.
    pub(super) rows: Buffer<Event>,
    /// Whether some are of categories of rocprof-sys.
    pub(super) is_of_systems: bool,
}

/// Reads the events; `names` are those of categories, of which each is looked at when an event is of it.
pub(super) fn read(source: &Source<'_>, draft: &mut Draft<'_>, names: &Texts) -> Result<Events, Error> {
    let memory = draft.memory();
    let draft = RefCell::new(draft);
    let known: RefCell<FxHashMap<i64, Category>> = RefCell::default();
    let category = |id| *known.borrow_mut().entry(id).or_insert_with(|| Category::of(names.get(id)));
    let table = source.table("event");
    let expected = usize::try_from(source.database.row_estimate(&table)?).unwrap_or(0);
    let (mut rows, _) = source.database.fold(
        &table,
        COLUMNS,
        Some(source.progress),
        || (memory.buffer(expected), Diagnostics::default()),
        |(rows, unheard): &mut (Buffer<Event>, Diagnostics), row| {
            if let Some(event) = event(row, category, &mut draft.borrow_mut(), unheard) {
                rows.push(event);
            }
        },
    )?;
    if !rows.is_sorted_by_key(|event| event.id) {
        rows.sort_by_key(|event| event.id);
    }
    let is_of_systems = known.borrow().keys().any(|&id| names.get(id).starts_with("rocm_"));
    Ok(Events { rows, is_of_systems })
}

/// An event; cells that are no numbers are told to nobody.
fn event(
    row: &Row<'_>,
    category: impl Fn(i64) -> Category,
    draft: &mut Draft<'_>,
    unheard: &mut Diagnostics,
) -> Option<Event> {
    let mut int = |column| row.int(column, unheard);
    let id = int(ID)?;
    let category = int(CATEGORY).map_or(Category::Other, category);
    let stack = int(STACK).unwrap_or(NO_KEY);
    let mut event = Event { id, category, stack, parent: int(PARENT).unwrap_or(NO_KEY), ..Event::NONE };
    if category == Category::Marker
        && let Some(extra) = row.text_to_take_apart(EXTRA)
        && let Ok(Extra { message: Some(Message(message)) }) = serde_json::from_str(&extra)
    {
        (event.text, event.sequence) = draft.text(&message);
    }
    Some(event)
}
