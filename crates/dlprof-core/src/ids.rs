//! Typed indices. Each is a position in the table of its kind, dense from zero.

use crate::columns::{Cell, CellType, Number};
use bytemuck::{Pod, Zeroable};
use serde::{Deserialize, Serialize};
use std::fmt;

/// An id: the position of a row in the table of its kind.
pub trait Id: Copy {
    /// The position; beyond any table for the id that means "none".
    fn position(self) -> usize;
}

/// All ids below a number of rows.
pub(crate) fn all<I: From<usize>>(rows: usize) -> impl Iterator<Item = I> + Clone + use<I> {
    (0..rows).map(I::from)
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Pod, Zeroable)]
        #[repr(transparent)]
        pub struct $name(u32);

        impl Id for $name {
            #[inline]
            fn position(self) -> usize {
                self.0 as usize
            }
        }

        impl From<usize> for $name {
            fn from(position: usize) -> Self {
                Self::new(position)
            }
        }

        impl Cell for $name {
            const TYPE: CellType = CellType { number: Number::U32, parts: &[""] };
        }

        impl $name {
            /// Means "none" inside columns.
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
    /// A stream of GPU work.
    StreamId
    /// A row of the CUDA API table.
    ApiCallId
    /// An NVTX range of a thread.
    RangeId
    /// A copy: its position among the copies.
    CopyId
    /// A copy or a memset: its position among them.
    TransferId
    /// A sample of a CPU thread.
    SampleId
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
