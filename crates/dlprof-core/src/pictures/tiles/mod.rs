//! What ran when in a whole capture, tile by tile, so that a page shows any part of it without loading the rest.
//!
//! ```text
//! time      ├───── tile 0 ─────┤├───── tile 1 ─────┤├───── tile 2 ─────┤     a level's tiles: 512 bins each
//! level 20  ││││││││││││││││││││││││││││││││││││││││││││││││││││││││││││     bins of 2^20 ns, about a millisecond
//! level 19  ├─ tile 0 ┤├─ tile 1 ┤├─ tile 2 ┤├─ tile 3 ┤├─ tile 4 ┤          bins half as wide
//! ```
//!
//! [`CaptureLanes`] is made once: which items each thread, stream and GPU has, in order of time. A [`Tile`] has the items of some
//! lanes that are at least as long as a bin, one by one, and of each bin the number, the time and the longest of the shorter ones;
//! of counters the smallest, the largest and the last value of each bin.

mod counters;
mod find;
mod item;
mod lanes;
mod row;
#[cfg(test)]
mod tests;
mod tile;

pub use counters::{CounterHead, TileCounter};
pub use find::FoundItems;
pub use item::{ItemDetails, ItemPlace, LaneItem};
pub use lanes::{CaptureLanes, LaneHead};
pub use tile::{Tile, TileAddress, TileRow};
