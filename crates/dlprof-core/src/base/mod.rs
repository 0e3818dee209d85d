//! Plain values that every room speaks of: times and spans, ids, sets of intervals, items by key, counted problems, errors.
//!
//! They know nothing of the domain but its ids, and hand on values without behaviour of their own.

pub mod begun;
pub(crate) mod by_id;
pub mod cut_side;
pub mod diagnostics;
mod error;
pub mod groups;
pub mod ids;
pub mod intervals;
pub mod op_path;
pub(crate) mod ordered;
mod pattern_mistake;
pub mod ratios;
pub(crate) mod reach;
pub mod shell_word;
pub mod small_file;
pub(crate) mod threads;
pub mod time;

pub use error::{Error, ErrorKind, Shortage, Writer};
pub use pattern_mistake::PatternMistake;
pub use threads::MOST_THREADS;
