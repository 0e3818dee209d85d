//! What an id is, and the macro that declares types of ids.

/// An id: the position of a row in the table of its kind.
pub trait Id: Copy {
    /// The position; beyond any table for the id that means "none".
    fn position(self) -> usize;
}

/// All ids below a number of rows.
pub(crate) fn all<I: From<usize>>(rows: usize) -> impl Iterator<Item = I> + Clone + use<I> {
    (0..rows).map(I::from)
}

/// Declares types of ids: four bytes, dense from zero, with one value for "none".
macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(
            Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize, bytemuck::Pod,
            bytemuck::Zeroable,
        )]
        #[repr(transparent)]
        pub struct $name(u32);

        impl $crate::columns::Id for $name {
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

        impl $crate::columns::Cell for $name {
            const TYPE: $crate::columns::CellType =
                $crate::columns::CellType { number: $crate::columns::Number::U32, parts: &[""] };
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

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self.some() {
                    Some(id) => write!(f, "{}({})", stringify!($name), id.0),
                    None => write!(f, "{}(none)", stringify!($name)),
                }
            }
        }
    )*};
}

pub(crate) use ids;

ids! {
    /// An interned text.
    StrId
}
