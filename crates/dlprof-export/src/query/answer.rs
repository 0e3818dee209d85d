//! The answer to a query as a table.

use super::error::QueryError;
use dlprof_core::tables::{CellKind, Header, Table, Unit, Value};
use polars::prelude::{
    BooleanChunked, DataFrame, DataType, Float64Chunked, Int64Chunked, PolarsResult, Schema, Series,
    StringChunked,
};
use std::borrow::Cow;

/// Functions whose result has the unit of their argument.
const KEEP_UNIT: [&str; 9] = ["sum", "min", "max", "avg", "mean", "median", "stddev", "first", "last"];

/// The answer to a query: columns named as the query names them.
pub struct Answer {
    columns: Vec<AnswerColumn>,
    rows: usize,
}

struct AnswerColumn {
    name: String,
    unit: Unit,
    cells: Cells,
}

enum Cells {
    Int(Int64Chunked),
    Float(Float64Chunked),
    Flag(BooleanChunked),
    Text(StringChunked),
}

/// Checks that every column of an answer can be written.
pub(super) fn check(schema: &Schema) -> Result<(), QueryError> {
    match schema.iter().find(|(_, data_type)| !is_writable(data_type)) {
        None => Ok(()),
        Some((name, data_type)) => Err(QueryError::new(
            format!("column `{name}` of the answer is a `{data_type}`, but a cell can hold only one value"),
            "aggregate it, or cast it to a text or a number",
        )),
    }
}

fn is_writable(data_type: &DataType) -> bool {
    data_type.is_primitive_numeric()
        || data_type.is_decimal()
        || matches!(data_type, DataType::Null | DataType::Boolean | DataType::String | DataType::Date)
}

impl Answer {
    pub(super) fn new(frame: &DataFrame) -> Result<Self, QueryError> {
        let columns = frame.columns().iter().map(|column| {
            let name = column.name().as_str().to_owned();
            let cells = super::engine::guarded(|| cells(&column.as_materialized_series().rechunk()))?;
            let unit =
                if matches!(cells, Cells::Int(_) | Cells::Float(_)) { unit(&name) } else { Unit::None };
            Ok(AnswerColumn { unit, name, cells })
        });
        Ok(Self { columns: columns.collect::<Result<_, QueryError>>()?, rows: frame.height() })
    }
}

/// The unit that a name ends in; `sum(gpu_time_ns)` is nanoseconds, `count(gpu_time_ns)` is not.
fn unit(name: &str) -> Unit {
    let call = name.strip_suffix(')').and_then(|name| name.split_once('('));
    match call {
        Some((function, argument)) if KEEP_UNIT.contains(&function.to_ascii_lowercase().as_str()) => {
            Unit::of_key(argument)
        }
        _ => Unit::of_key(name),
    }
}

fn cells(series: &Series) -> PolarsResult<Cells> {
    Ok(match series.dtype() {
        DataType::Boolean => Cells::Flag(series.bool()?.clone()),
        DataType::Float32 | DataType::Float64 => {
            Cells::Float(series.cast(&DataType::Float64)?.f64()?.clone())
        }
        data_type if data_type.is_integer() => match series.strict_cast(&DataType::Int64) {
            Ok(ints) => Cells::Int(ints.i64()?.clone()),
            // This number is too large for a whole number of a table, so it is written exactly as a text.
            Err(_) => Cells::Text(series.cast(&DataType::String)?.str()?.clone()),
        },
        _ => Cells::Text(series.cast(&DataType::String)?.str()?.clone()),
    })
}

impl Table for Answer {
    fn key(&self) -> &str {
        "query"
    }

    fn title(&self) -> &str {
        "Query"
    }

    fn columns(&self) -> usize {
        self.columns.len()
    }

    fn header(&self, column: usize) -> Header<'_> {
        let AnswerColumn { name, unit, cells } = &self.columns[column];
        let kind = match cells {
            Cells::Int(_) => CellKind::Int,
            Cells::Float(_) => CellKind::Float,
            Cells::Flag(_) => CellKind::Flag,
            Cells::Text(_) => CellKind::Text,
        };
        Header { key: name, title: name, unit: *unit, kind, doc: "" }
    }

    fn rows(&self) -> usize {
        self.rows
    }

    fn value(&self, row: usize, column: usize) -> Value<'_> {
        match &self.columns[column].cells {
            Cells::Int(cells) => cells.get(row).into(),
            Cells::Float(cells) => cells.get(row).into(),
            Cells::Flag(cells) => cells.get(row).into(),
            Cells::Text(cells) => cells.get(row).map_or(Value::Null, |text| Value::Text(Cow::Borrowed(text))),
        }
    }
}
