//! Tables of facts, each declared once.

use super::cell::{Cell, CellType, Number};
use super::column::FactColumn;
use super::memory::Memory;
use arrow_array::{
    Array, ArrayRef, FixedSizeListArray, Int64Array, PrimitiveArray, UInt8Array, UInt32Array,
    cast::AsArray,
    types::{Int64Type, UInt8Type, UInt32Type},
};
use arrow_buffer::{Buffer as Bytes, ScalarBuffer};
use arrow_schema::{DataType, Field, Schema};
use serde::Serialize;
use std::sync::Arc;

/// The description of a table of facts, without its rows.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct TableDeclaration {
    /// Name of its file.
    pub name: &'static str,
    /// What its rows are.
    pub doc: &'static str,
    /// Its columns.
    pub columns: &'static [ColumnDeclaration],
}

/// The description of a column of facts, without its values.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct ColumnDeclaration {
    /// Name, as in the struct of the table.
    pub name: &'static str,
    /// Meaning in one sentence.
    pub doc: &'static str,
    /// Unit of its numbers, such as `ns`; empty if there is none.
    pub unit: &'static str,
    /// The parts of its cells.
    pub cell: CellType,
}

/// A table of facts: columns of equal length.
pub trait FactTable: Clone + Default + Send + Sync {
    /// Its name, columns and their meaning.
    const DECLARATION: TableDeclaration;

    /// Its columns as Arrow arrays, which share the values.
    fn to_arrays(&self) -> Vec<ArrayRef>;

    /// A table whose columns share the values of Arrow arrays; `None` if the arrays do not fit the declaration.
    fn from_arrays(arrays: &[ArrayRef]) -> Option<Self>;
}

impl TableDeclaration {
    /// The Arrow schema. The metadata of each column has its unit, meaning and parts.
    #[must_use]
    pub fn schema(&self) -> Schema {
        let field = |column: &ColumnDeclaration| {
            let metadata = [
                ("unit", column.unit.to_owned()),
                ("meaning", column.doc.trim().to_owned()),
                ("parts", column.cell.parts.join(" ")),
            ];
            let metadata = metadata.into_iter().filter(|(_, text)| !text.is_empty());
            Field::new(column.name, column.cell.data_type(), false)
                .with_metadata(metadata.map(|(key, text)| (key.to_owned(), text)).collect())
        };
        let columns: Vec<Field> = self.columns.iter().map(field).collect();
        let metadata = [("table", self.name), ("meaning", self.doc.trim())];
        Schema::new(columns)
            .with_metadata(metadata.map(|(key, text)| (key.to_owned(), text.to_owned())).into())
    }
}

impl CellType {
    fn item(self) -> Arc<Field> {
        Arc::new(Field::new_list_field(self.number.data_type(), false))
    }

    fn length(self) -> i32 {
        i32::try_from(self.parts.len()).unwrap_or(i32::MAX)
    }

    /// A number, or a list of fixed length.
    pub(super) fn data_type(self) -> DataType {
        match self.parts.len() {
            1 => self.number.data_type(),
            _ => DataType::FixedSizeList(self.item(), self.length()),
        }
    }
}

impl Number {
    fn data_type(self) -> DataType {
        match self {
            Self::U8 => DataType::UInt8,
            Self::U32 => DataType::UInt32,
            Self::I64 => DataType::Int64,
            Self::Text => DataType::LargeUtf8,
        }
    }
}

impl<I, T: Cell + 'static> FactColumn<I, T> {
    /// A column of some of the values.
    pub(crate) fn rows(&self, memory: &Memory, rows: &[u32]) -> Self {
        if self.is_empty() {
            return Self::default();
        }
        memory.collect(rows.iter().map(|&row| self[..][row as usize])).into_column()
    }
}

impl<I, T: Cell> FactColumn<I, T> {
    /// The column as an Arrow array, which shares the values.
    pub(crate) fn to_array(&self) -> ArrayRef {
        let bytes = self.to_bytes();
        let numbers: ArrayRef = match T::TYPE.number {
            Number::U8 => Arc::new(UInt8Array::new(ScalarBuffer::from(bytes), None)),
            Number::U32 => Arc::new(UInt32Array::new(ScalarBuffer::from(bytes), None)),
            Number::I64 | Number::Text => Arc::new(Int64Array::new(ScalarBuffer::from(bytes), None)),
        };
        match T::TYPE.parts.len() {
            1 => numbers,
            _ => Arc::new(FixedSizeListArray::new(T::TYPE.item(), T::TYPE.length(), numbers, None)),
        }
    }

    /// A column that shares the values of an Arrow array; `None` if the array has another type.
    pub(crate) fn from_array(array: &ArrayRef) -> Option<Self> {
        if *array.data_type() != T::TYPE.data_type() || array.null_count() > 0 {
            return None;
        }
        let numbers = match T::TYPE.parts.len() {
            1 => array,
            _ => array.as_fixed_size_list().values(),
        };
        let bytes = match T::TYPE.number {
            Number::U8 => bytes_of(numbers.as_primitive::<UInt8Type>()),
            Number::U32 => bytes_of(numbers.as_primitive::<UInt32Type>()),
            Number::I64 | Number::Text => bytes_of(numbers.as_primitive::<Int64Type>()),
        };
        Self::from_bytes(bytes)
    }
}

fn bytes_of<T: arrow_array::ArrowPrimitiveType>(numbers: &PrimitiveArray<T>) -> Bytes {
    numbers.values().inner().clone()
}

/// Declares a table of facts: its struct of columns, its builder of buffers and its Arrow schema.
///
/// ```text
/// table! {
///     /// What its rows are.
///     "name of the file" Struct built by Builder, by IdType {
///         /// Meaning.
///         column: Type, "unit";
///     }
/// }
/// ```
macro_rules! table {
    ($(#[doc = $table_doc:literal])+
     $name:literal $table:ident built by $builder:ident, by $id:ty {
        $($(#[doc = $doc:literal])+ $column:ident: $type:ty, $unit:literal;)+
    }) => {
        $(#[doc = $table_doc])+
        #[derive(Debug, Clone, Default)]
        #[allow(unreachable_pub, reason = "some tables are used only in their module")]
        pub struct $table {
            $($(#[doc = $doc])+ pub $column: $crate::columns::FactColumn<$id, $type>,)+
        }

        #[doc = concat!("Builds [`", stringify!($table), "`], column by column.")]
        #[derive(Debug)]
        #[allow(dead_code, reason = "some tables are built by moving columns")]
        pub(crate) struct $builder {
            $($(#[doc = $doc])+ pub(crate) $column: $crate::columns::Buffer<$type>,)+
        }

        #[allow(dead_code, reason = "some tables are built by moving columns")]
        impl $builder {
            /// Empty columns with room for some rows.
            pub(crate) fn new(memory: &$crate::columns::Memory, rows: usize) -> Self {
                Self { $($column: memory.buffer(rows),)+ }
            }

            /// The table.
            pub(crate) fn finish(self) -> $table {
                $table { $($column: self.$column.into_column(),)+ }
            }
        }

        #[allow(dead_code, reason = "only tables of facts are cut")]
        impl $table {
            /// A table of some of its rows, in the order given. Columns without values, which some tables may have, stay so.
            pub(crate) fn rows(&self, memory: &$crate::columns::Memory, rows: &[u32]) -> Self {
                Self { $($column: self.$column.rows(memory, rows),)+ }
            }
        }

        impl $crate::columns::FactTable for $table {
            const DECLARATION: $crate::columns::TableDeclaration = $crate::columns::TableDeclaration {
                name: $name,
                doc: concat!($($table_doc),+),
                columns: &[$($crate::columns::ColumnDeclaration {
                    name: stringify!($column),
                    doc: concat!($($doc),+),
                    unit: $unit,
                    cell: <$type as $crate::columns::Cell>::TYPE,
                },)+],
            };

            fn to_arrays(&self) -> Vec<arrow_array::ArrayRef> {
                vec![$(self.$column.to_array(),)+]
            }

            fn from_arrays(arrays: &[arrow_array::ArrayRef]) -> Option<Self> {
                let mut arrays = arrays.iter();
                let table = Self { $($column: $crate::columns::FactColumn::from_array(arrays.next()?)?,)+ };
                arrays.next().is_none().then_some(table)
            }
        }
    };
}
pub(crate) use table;
