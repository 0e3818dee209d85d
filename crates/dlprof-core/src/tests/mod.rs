//! What tests of all rooms need: captures drawn as intervals, and the promise of each room on one of them.

pub(crate) mod drawn;
mod promises;
