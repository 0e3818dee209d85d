//! Plain values that every room speaks of: times and spans, ids, sets of intervals, items by key, counted problems, errors.
//!
//! They know nothing of the domain but its ids, and hand on values without behaviour of their own.

pub(crate) mod begun;
pub(crate) mod by_id;
pub(crate) mod cut_side;
pub(crate) mod diagnostics;
mod error;
pub(crate) mod exchange;
pub(crate) mod function_name;
pub(crate) mod groups;
pub(crate) mod ids;
pub(crate) mod intervals;
pub mod limits;
pub(crate) mod maxima;
pub(crate) mod op_path;
pub(crate) mod ordered;
mod pattern_mistake;
pub(crate) mod private;
pub(crate) mod ratios;
pub(crate) mod reach;
pub(crate) mod regular_file;
pub(crate) mod shell_word;
pub(crate) mod small_file;
pub(crate) mod threads;
pub(crate) mod time;
mod time_unit;

pub use error::{Error, ErrorKind, NcuRefusal, OtherWriter, Shortage, UnreadFile, could_not_start};
pub use pattern_mistake::PatternMistake;
pub use threads::MOST_THREADS;
pub use time_unit::{TimeUnit, time_in_words};
