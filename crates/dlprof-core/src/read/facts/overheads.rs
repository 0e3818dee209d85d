//! What the profiler's overhead was.

use crate::columns::cells_of_bytes;
use bytemuck::{CheckedBitPattern, NoUninit};

/// What a row of the profiler's overhead is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, NoUninit, CheckedBitPattern)]
#[repr(u8)]
pub enum OverheadKind {
    /// Time that the profiler took.
    Profiler,
    /// Time that the program took to load or compile code.
    Setup,
    /// The buffer of commands was full: the host was far ahead, which cost nothing.
    BufferFull,
}

cells_of_bytes! { OverheadKind }

impl OverheadKind {
    /// The kind of a row with an `overheadType` and a name.
    #[must_use]
    pub fn of(overhead_type: Option<i64>, name: &str) -> Self {
        let name = name.to_lowercase();
        let loads = ["compil", "lazy", "module load", "jit"];
        if overhead_type == Some(8) || name.contains("command buffer full") {
            Self::BufferFull
        } else if matches!(overhead_type, Some(2 | 6 | 7))
            || name.starts_with("dl")
            || loads.iter().any(|part| name.contains(part))
        {
            Self::Setup
        } else {
            Self::Profiler
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overheads_are_the_profilers_or_the_programs() {
        use OverheadKind::{BufferFull, Profiler, Setup};
        let known = [
            (None, "Buffer flush", Profiler),
            (Some(2), "", Setup),
            (Some(7), "x", Setup),
            (None, "dlopen", Setup),
            (None, "Lazy function loading", Setup),
            (None, "Compiling", Setup),
            (Some(8), "dlopen", BufferFull),
            (None, "Command Buffer Full", BufferFull),
            (Some(1), "TLS allocation", Profiler),
        ];
        for (kind, name, expected) in known {
            assert_eq!(OverheadKind::of(kind, name), expected, "{name}");
        }
    }
}
