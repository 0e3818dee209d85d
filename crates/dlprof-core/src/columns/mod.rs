//! Columns: long lists of values of one type, read by the id of a row.
//!
//! ```text
//! Memory ──buffer──► Buffer<T> ──into_column──► FactColumn<Id, T>  heap, or a scratch file beyond the budget
//!                    grows, is written           is only read
//! file   ─────────────────── map ─────────────► FactColumn<Id, T>  a kept table, mapped
//! ```
//!
//! A table of columns is declared once with `table!`: name, type, unit and one sentence for each
//! column. Its struct, its builder and its Arrow schema follow from that declaration. Nothing above this module knows where
//! a column lives, and nothing here knows what a column means.

mod available;
mod buffer;
mod cell;
mod column;
mod file;
mod id;
mod local;
pub(crate) mod long_text;
mod memory;
mod per_text;
mod region;
mod strings;
mod table;
mod texts;

pub use buffer::Buffer;
pub(crate) use cell::{Cell, CellType, Number};
pub(crate) use cell::{cells_of_bytes, cells_of_numbers};
pub use column::FactColumn;
pub(crate) use file::{FileBytes, checksum, read_tables, write_tables};
pub(crate) use id::{Id, number};
pub use id::{Maybe, StrId};
pub(crate) use id::{all, ids};
pub(crate) use local::is_local;
pub use memory::Memory;
pub(crate) use per_text::PerText;
pub use strings::StringPool;
pub use table::FactTable;
pub(crate) use table::table;
pub(crate) use table::{ColumnDeclaration, TableDeclaration};
pub(crate) use texts::Texts;
