//! Names as a baseline has them: cut beyond a length, and together beyond a number.

use crate::base::limits;
use crate::columns::long_text;
use std::borrow::Cow;

/// The name of all later ops together.
pub(crate) const OTHER_OPS: &str = "other ops";

/// The name of all others together.
pub(crate) const OTHER_NAMES: &str = "other names";

/// Bytes of a name in a baseline; of a longer one the beginning and a digest are as long.
const LONGEST_NAME: usize = limits::BASELINE_NAME_BYTES.most;

/// A name as a baseline has it.
pub(super) fn name(text: &str) -> Cow<'_, str> {
    /// Bytes of the digest and the mark before it.
    const DIGEST: usize = 20;
    if text.len() <= LONGEST_NAME {
        text.into()
    } else {
        long_text::shortened(text, LONGEST_NAME - DIGEST).into()
    }
}
