//! What a key node decides: iterations and their states, ops with their IDs, and sums of blocks of iterations.
//!
//! `iterate` finds the key node and splits the capture, `index` sums up. How figures are shown is not known here. What is handed
//! on is an [`index::Index`], from which the profile of any range is made in milliseconds.

pub(crate) mod index;
pub(crate) mod iterate;
