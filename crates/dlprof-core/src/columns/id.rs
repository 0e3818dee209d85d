//! What an id is, what "an id or none" is, and the macro that declares types of ids.
//!
//! ```text
//! ThreadId          always a thread: has an index, may index a column by thread
//! Maybe<ThreadId>   the cell of a column of threads: has no index; `some()` gives the thread, if there is one
//! StrId             the cell of a column of texts: a text or none; only a pool of texts reads it
//! ```

use serde::{Deserialize, Serialize};
use std::fmt;
use std::marker::PhantomData;

/// An id: the position of a row in the table of its kind. It always is one; where there may be none stands [`Maybe`].
pub trait Id: Copy + From<usize> {
    /// The position.
    fn position(self) -> usize;
}

/// All ids below a number of rows.
pub(crate) fn all<I: From<usize>>(rows: usize) -> impl Iterator<Item = I> + Clone + use<I> {
    (0..rows).map(I::from)
}

/// An id or none, in the four bytes of an id. It cannot index anything before somebody asked whether it is one:
///
/// ```
/// # use dlprof_core::{FactColumn, Maybe, ThreadId};
/// let column: FactColumn<ThreadId, u32> = vec![1, 2].into();
/// let thread = Maybe::from(ThreadId::new(1));
/// assert_eq!(thread.some().map(|thread| column[thread]), Some(2));
/// assert_eq!(Maybe::<ThreadId>::NONE.some(), None);
/// ```
///
/// ```compile_fail,E0277
/// # use dlprof_core::{FactColumn, Maybe, ThreadId};
/// let column: FactColumn<ThreadId, u32> = vec![1, 2].into();
/// assert_eq!(column[Maybe::from(ThreadId::new(1))], 2);
/// ```
///
/// ```compile_fail,E0599
/// # use dlprof_core::{Maybe, ThreadId};
/// Maybe::<ThreadId>::NONE.index();
/// ```
#[derive(
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    bytemuck::Pod,
    bytemuck::Zeroable,
)]
#[serde(transparent, bound = "")]
#[repr(transparent)]
pub struct Maybe<I>(u32, PhantomData<I>);

impl<I> Maybe<I> {
    /// No id. It comes after every id.
    pub const NONE: Self = Self(u32::MAX, PhantomData);

    /// Whether there is no id.
    #[must_use]
    #[inline]
    pub fn is_none(self) -> bool
    where
        I: Copy,
    {
        self.0 == u32::MAX
    }
}

impl<I: Id> Maybe<I> {
    /// The id, if there is one.
    #[must_use]
    #[inline]
    pub fn some(self) -> Option<I> {
        (!self.is_none()).then(|| I::from(self.0 as usize))
    }
}

impl<I: Id> From<I> for Maybe<I> {
    #[inline]
    fn from(id: I) -> Self {
        Self(number(id.position()), PhantomData)
    }
}

impl<I: Id> From<Option<I>> for Maybe<I> {
    #[inline]
    fn from(id: Option<I>) -> Self {
        id.map_or(Self::NONE, Self::from)
    }
}

impl<I: Id> PartialEq<I> for Maybe<I> {
    #[inline]
    fn eq(&self, id: &I) -> bool {
        self.0 as usize == id.position()
    }
}

impl<I> super::Cell for Maybe<I>
where
    I: Id + bytemuck::Pod + Send + Sync,
{
    const TYPE: super::CellType = super::CellType { number: super::Number::U32, parts: &[""] };
}

impl<I: Id + fmt::Debug> fmt::Debug for Maybe<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.some() {
            Some(id) => id.fmt(f),
            None => f.write_str("none"),
        }
    }
}

/// A position as a number of four bytes; the largest one means "none".
///
/// # Panics
/// If the position is beyond 4,294,967,294, more rows than the tool can hold.
#[inline]
pub(crate) fn number(position: usize) -> u32 {
    let number = u32::try_from(position).ok().filter(|&number| number != u32::MAX);
    number.expect("a table holds fewer than 2^32 - 1 rows; ingest refuses more")
}

/// Declares types of ids: four bytes, dense from zero.
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
            #[inline]
            fn from(position: usize) -> Self {
                Self::new(position)
            }
        }

        impl $crate::columns::Cell for $name {
            const TYPE: $crate::columns::CellType =
                $crate::columns::CellType { number: $crate::columns::Number::U32, parts: &[""] };
        }

        impl $name {
            /// The id at a position, which must be one of a row: where there may be none stands
            /// [`Maybe`](crate::base::ids::Maybe).
            ///
            /// # Panics
            /// If the position is beyond 4,294,967,294, more rows than the tool can hold.
            #[must_use]
            #[inline]
            pub fn new(position: usize) -> Self {
                Self($crate::columns::number(position))
            }

            /// The position.
            #[must_use]
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{}({})", stringify!($name), self.0)
            }
        }
    )*};
}

pub(crate) use ids;

/// An interned text, or none. Only a pool of texts reads it, and reads none as the empty text.
#[derive(
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    bytemuck::Pod,
    bytemuck::Zeroable,
)]
#[repr(transparent)]
pub struct StrId(u32);

impl super::Cell for StrId {
    const TYPE: super::CellType = super::CellType { number: super::Number::U32, parts: &[""] };
}

impl StrId {
    /// No text. It comes after every text.
    pub const NONE: Self = Self(u32::MAX);

    /// The text at a position of a pool.
    ///
    /// # Panics
    /// If the position is beyond 4,294,967,294, more texts than the tool can hold.
    #[must_use]
    #[inline]
    pub fn new(position: usize) -> Self {
        Self(number(position))
    }

    /// The position in the pool; `None` if there is no text.
    #[must_use]
    #[inline]
    pub fn position(self) -> Option<usize> {
        (!self.is_none()).then_some(self.0 as usize)
    }

    /// The same text where a pool stands after another one of so many texts.
    #[must_use]
    pub(crate) fn behind(self, texts: usize) -> Self {
        self.position().map_or(Self::NONE, |position| Self::new(texts + position))
    }

    /// Whether there is no text.
    #[must_use]
    #[inline]
    pub fn is_none(self) -> bool {
        self == Self::NONE
    }

    /// The text, if there is one.
    #[must_use]
    #[inline]
    pub fn some(self) -> Option<Self> {
        (!self.is_none()).then_some(self)
    }
}

impl fmt::Debug for StrId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.position() {
            Some(position) => write!(f, "StrId({position})"),
            None => f.write_str("StrId(none)"),
        }
    }
}
