//! Typed indices. Each is a position in the table of its kind, dense from zero.

use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub struct $name(u32);

        impl $name {
            /// Stands for "none" inside columns.
            pub const NONE: Self = Self(u32::MAX);

            /// The id at a position.
            ///
            /// # Panics
            /// If the position is beyond 4,294,967,294, more rows than the tool can hold.
            #[must_use]
            pub fn new(position: usize) -> Self {
                let id = u32::try_from(position).ok().filter(|&id| id != u32::MAX);
                Self(id.expect("a table holds fewer than 2^32 - 1 rows; ingest refuses more"))
            }

            /// The position.
            #[must_use]
            pub fn index(self) -> usize {
                self.0 as usize
            }

            /// Whether this is [`Self::NONE`].
            #[must_use]
            pub fn is_none(self) -> bool {
                self == Self::NONE
            }

            /// The id, unless it is [`Self::NONE`].
            #[must_use]
            pub fn some(self) -> Option<Self> {
                (!self.is_none()).then_some(self)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self.some() {
                    Some(id) => write!(f, "{}({})", stringify!($name), id.0),
                    None => write!(f, "{}(none)", stringify!($name)),
                }
            }
        }
    )*};
}

ids! {
    /// An interned text.
    StrId
    /// A process of the capture.
    ProcessId
    /// A thread of the capture.
    ThreadId
    /// A GPU of the capture.
    DeviceId
    /// A row of the CUDA API table.
    ApiCallId
    /// A piece of GPU work: a kernel, a copy or a memset.
    WorkId
    /// One execution of an op on the CPU.
    OpCallId
    /// What distinguishes op calls by their text: name, type, direction, shapes.
    LabelId
    /// An op.
    OpId
    /// A group of ops.
    GroupId
    /// A grid and block size that kernels were launched with.
    LaunchConfigId
    /// What a range says.
    RangeTextId
}
