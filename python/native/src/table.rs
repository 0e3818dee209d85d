//! Columns and rows of a table, and the Arrow capsules through which other libraries take them.

use crate::process::Owned;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, SchemaRef};
use dlprof_core::{CellKind, Header, RecordBatches, Table as _, TextForm, Unit, Value, View};
use dlprof_export::{TimeUnit, table_html};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyList};
use std::ops::Range;
use std::sync::Arc;

/// Columns and rows of a table.
#[pyclass(frozen, module = "dlprof_agg._native")]
pub(crate) struct Table(Owned<Arc<View<'static>>>);

/// A column: key, title, unit, kind, meaning.
pub(crate) type ColumnInWords = (String, String, String, &'static str, String);

pub(crate) fn in_words(header: &Header<'_>) -> ColumnInWords {
    let kind = match header.kind {
        CellKind::Int => "int",
        CellKind::Float => "float",
        CellKind::Flag => "bool",
        CellKind::Text | CellKind::Answer | CellKind::Json => "str",
    };
    let unit = if header.unit == Unit::None { "" } else { header.unit.symbol() };
    (header.key.into(), header.title.into(), unit.into(), kind, header.doc.into())
}

impl Table {
    pub(crate) fn new(view: View<'static>) -> Self {
        Self(Owned::new(Arc::new(view)))
    }

    fn batches(&self, py: Python<'_>) -> PyResult<Batches> {
        let view = Arc::clone(self.0.get(py)?);
        Ok(py.detach(move || Batches(Owned::new(RecordBatches::shared(view, TextForm::Dictionaries)))))
    }
}

#[pymethods]
impl Table {
    #[getter]
    fn name(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.0.get(py)?.key().to_owned())
    }

    #[getter]
    fn title(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.0.get(py)?.title().to_owned())
    }

    #[getter]
    fn columns(&self, py: Python<'_>) -> PyResult<Vec<ColumnInWords>> {
        let view = self.0.get(py)?;
        Ok((0..view.columns()).map(|column| in_words(&view.header(column))).collect())
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.0.get(py)?.rows())
    }

    /// The cells of some rows, a list per row.
    fn cells<'py>(&self, py: Python<'py>, start: usize, stop: usize) -> PyResult<Vec<Bound<'py, PyList>>> {
        let view = self.0.get(py)?;
        let rows: Range<usize> = start.min(view.rows())..stop.min(view.rows());
        if rows.len() > 1000 {
            py.detach(|| view.prepare());
        }
        rows.map(|row| {
            let cells = (0..view.columns()).map(|column| cell(py, &view.value(row, column)));
            PyList::new(py, cells.collect::<PyResult<Vec<_>>>()?)
        })
        .collect()
    }

    fn html(&self, py: Python<'_>, rows: usize) -> PyResult<String> {
        let view = self.0.get(py)?;
        Ok(py.detach(|| table_html(view.as_ref(), rows, TimeUnit::Auto)))
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // Another schema may be offered, and who asks for one must be able to take ours.
        drop(requested_schema);
        let stream = FFI_ArrowArrayStream::new(Box::new(self.batches(py)?));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = self.batches(py)?.schema();
        let schema = FFI_ArrowSchema::try_from(schema.as_ref());
        let schema = schema.map_err(|error| PyValueError::new_err(error.to_string()))?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }
}

fn cell<'py>(py: Python<'py>, value: &Value<'_>) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Null => py.None().into_bound(py),
        Value::Int(number) => number.into_pyobject(py)?.into_any(),
        Value::Float(number) => number.into_pyobject(py)?.into_any(),
        Value::Flag(flag) => flag.into_pyobject(py)?.to_owned().into_any(),
        Value::Text(text) => text.as_ref().into_pyobject(py)?.into_any(),
    })
}

/// The rows for the library that takes them.
struct Batches(Owned<RecordBatches<'static>>);

impl Iterator for Batches {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.0.get_mut() {
            Some(batches) => batches.next(),
            None => Some(Err(ArrowError::CDataInterface("the process was forked".into()))),
        }
    }
}

impl RecordBatchReader for Batches {
    fn schema(&self) -> SchemaRef {
        match self.0.get_ref() {
            Some(batches) => batches.schema(),
            None => SchemaRef::new(arrow_schema::Schema::empty()),
        }
    }
}
