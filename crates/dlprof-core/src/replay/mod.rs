//! Replay: the aggregated iterations of a profile as a graph of what waits for what, and how long they take with a change.
//!
//! ```text
//! Profile ─window─► calls, GPU work ─model─► Graph ─edit─► Change ─replay─► times ─path─► what limits
//! ```
//!
//! Nodes are starts and ends of host calls and of GPU work; arcs say what a node waits for, and how long. Unchanged, a replay gives
//! every recorded time to the nanosecond. This room knows no findings and no formats; it hands on [`Replay`], [`WhatIf`] and the
//! table `critical_path`.

mod chosen;
pub(crate) mod critical_path;
mod dropped;
mod edit;
mod fuse;
mod gpu;
mod graph;
mod host;
mod model;
mod nodes;
mod path;
mod peers;
#[cfg(test)]
pub(crate) mod tests;
mod unseen;
mod waits;
mod what_if;
mod window;

pub(crate) use chosen::{CopiesOf, KernelsOf, ThreadTimes};
pub use edit::{EDIT_FORMS, Edit, UnknownEdit};
pub use model::NotReplayed;
pub use path::{CriticalPath, MOST_UNEXPLAINED_PERCENT, PathClass, PathLimit, PathPart};
pub use what_if::{Bounds, EditOutcome, NamedEdits, Replay, WhatIf};
