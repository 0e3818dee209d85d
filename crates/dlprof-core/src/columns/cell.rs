//! What a cell of a column consists of: one number, or several numbers.

use bytemuck::{CheckedBitPattern, NoUninit};
use serde::Serialize;

/// A type whose values can be in columns and in files.
pub trait Cell: NoUninit + CheckedBitPattern + Send + Sync {
    /// The numbers of one value.
    const TYPE: CellType;
}

/// The numbers of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct CellType {
    /// The type of the numbers.
    pub number: Number,
    /// The name of each number; one empty name for a single number.
    pub parts: &'static [&'static str],
}

/// A type of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Number {
    /// 8 bits without a sign.
    U8,
    /// 32 bits without a sign.
    U32,
    /// 64 bits with a sign.
    I64,
    /// A text, not a number. Only tables of texts have such a column.
    Text,
}

/// One number by itself.
pub(super) const SINGLE: &[&str] = &[""];

macro_rules! single_numbers {
    ($($type:ty: $number:ident;)*) => {$(
        impl Cell for $type {
            const TYPE: CellType = CellType { number: Number::$number, parts: SINGLE };
        }
    )*};
}

single_numbers! {
    u8: U8;
    u32: U32;
    i64: I64;
    u64: I64;
}

impl Cell for bool {
    const TYPE: CellType = CellType { number: Number::U8, parts: SINGLE };
}

/// Declares the parts of structs of 64-bit numbers, in the order of their fields.
macro_rules! cells_of_numbers {
    ($($type:ty: $($part:literal)*;)*) => {$(
        impl $crate::columns::Cell for $type {
            const TYPE: $crate::columns::CellType =
                $crate::columns::CellType { number: $crate::columns::Number::I64, parts: &[$($part),*] };
        }
    )*};
}
pub(crate) use cells_of_numbers;

/// Declares types of one byte: an enum without fields.
macro_rules! cells_of_bytes {
    ($($type:ty)*) => {$(
        impl $crate::columns::Cell for $type {
            const TYPE: $crate::columns::CellType =
                $crate::columns::CellType { number: $crate::columns::Number::U8, parts: &[""] };
        }
    )*};
}
pub(crate) use cells_of_bytes;
