//! What a file is that is known and not read, and what to do.

use std::fmt;

/// What a file is that is known and not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadFile {
    /// What stands after "`FILE` is".
    pub found: String,
    /// What stands after "8 files are" if there are several of its kind.
    pub several: &'static str,
    /// What to do; none if nothing can be done.
    pub hint: Option<String>,
    /// Whether it is a report of nsys, of which `nsys export` makes what is read.
    pub is_nsys_report: bool,
}

impl fmt::Display for UnreadFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.found)
    }
}
