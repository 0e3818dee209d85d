//! Refusals as exceptions. The classes are declared in Python: `dlprof_agg.errors`.

use dlprof_cli::library::{Refusal, RefusalKind};
use pyo3::prelude::*;

/// The exception for a refusal.
pub(crate) fn raised(py: Python<'_>, refusal: &Refusal) -> PyErr {
    let name = match refusal.kind {
        RefusalKind::Usage => "UsageError",
        RefusalKind::Input => "InputError",
        RefusalKind::Output => "OutputError",
        RefusalKind::Request => "RequestError",
    };
    exception(py, name, &refusal.message, &refusal.causes, refusal.hint.as_deref())
}

/// The exception for what is wrong with how the package is used.
pub(crate) fn misused(py: Python<'_>, message: &str, hint: &str) -> PyErr {
    exception(py, "UsageError", message, &[], Some(hint))
}

fn exception(py: Python<'_>, name: &str, message: &str, causes: &[String], hint: Option<&str>) -> PyErr {
    let made = || py.import("dlprof_agg.errors")?.getattr(name)?.call1((message, causes.to_vec(), hint));
    match made() {
        Ok(exception) => PyErr::from_value(exception),
        // The package is not whole.
        Err(error) => error,
    }
}
