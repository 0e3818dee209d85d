//! What ran when: the lanes of one iteration (`timeline`), those of the whole capture in parts (`tiles`), and all pieces of a
//! range in order of time (`tracks`).
//!
//! How they are drawn, and in which format, is not known here.

pub(crate) mod tiles;
pub(crate) mod timeline;
pub(crate) mod tracks;
