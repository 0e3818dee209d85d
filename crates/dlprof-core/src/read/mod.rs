//! Every input, as facts: what the tables of an export or a database say, as columns.
//!
//! `facts` declares them, `input` tells what a file is by its content, `unread` what is known and not read, `ingest` fills the facts from SQLite files, `time_cut`
//! leaves out what lies outside of a window. Ops and iterations are not known here. What is handed on is [`facts::Facts`], which
//! the next room uses up.

mod draft;
mod emit_nvtx;
pub(crate) mod facts;
mod file_kind;
pub(crate) mod file_state;
pub(crate) mod ingest;
mod input;
pub(crate) mod kineto;
mod most_names;
pub(crate) mod ncu;
mod progress;
mod recent;
mod sum_check;
pub(crate) mod time_cut;
mod unread;
mod xplane;

pub use file_state::check_path;
pub use input::read_facts;
pub(crate) use input::{check_input, read_input};
pub(crate) use progress::OnProgress;
pub use unread::{most_frequent_unread, unread_file, unread_kinds};
