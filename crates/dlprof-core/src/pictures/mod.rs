//! What ran when: the lanes of one iteration (`timeline`), those of the whole capture in parts (`tiles`), all pieces of a
//! range in order of time (`tracks`), and how much work per byte and second it does (`roofline`).
//!
//! How they are drawn, and in which format, is not known here.

pub(crate) mod roofline;
pub(crate) mod tiles;
pub(crate) mod timeline;
pub(crate) mod tracks;
