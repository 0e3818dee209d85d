//! What a rule measured, for Python.

use dlprof_core::Measure;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Times in nanoseconds, counts, percent and other numbers, names.
pub(crate) fn dict<'a, 'py>(
    py: Python<'py>,
    figures: impl IntoIterator<Item = (&'a str, &'a Measure)>,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (name, measure) in figures {
        match measure {
            Measure::Time(ns) => dict.set_item(name, ns)?,
            Measure::Count(count) => dict.set_item(name, count)?,
            Measure::Number(number) => dict.set_item(name, number)?,
            Measure::Text(text) => dict.set_item(name, text)?,
        }
    }
    Ok(dict)
}
