//! Every input, as facts: what the tables of an export or a database say, as columns.
//!
//! `facts` declares them, `ingest` fills them from SQLite files, `time_cut` leaves out what lies outside of a window. Ops and
//! iterations are not known here. What is handed on is [`facts::Facts`], which the next room uses up.

pub mod facts;
pub mod ingest;
pub mod time_cut;
