//! What is asked of a capture, from arguments of Python.

use crate::errors::raised;
use dlprof_cli::library::{Asked, size_in_bytes};
use pyo3::prelude::*;
use std::path::PathBuf;

/// What is asked of a capture: the fields of Python's `Asked`.
#[derive(FromPyObject)]
pub(crate) struct AskedOfPython {
    memory: Option<Size>,
    key_node: Option<String>,
    iter_start: Option<u32>,
    iter_stop: Option<u32>,
    iter_range: String,
    time_from: Option<String>,
    time_to: Option<String>,
    batch_size: Option<u32>,
    ncu: Vec<PathBuf>,
    config: Option<PathBuf>,
    cache: bool,
    threads: Option<usize>,
}

/// Bytes, or a text such as `512M`.
#[derive(FromPyObject)]
enum Size {
    Bytes(usize),
    Text(String),
}

impl AskedOfPython {
    /// The same for the library.
    pub(crate) fn checked(self, py: Python<'_>) -> PyResult<Asked> {
        let memory_bytes = match self.memory {
            Some(Size::Bytes(bytes)) => Some(bytes),
            Some(Size::Text(text)) => Some(size_in_bytes(&text).map_err(|refusal| raised(py, &refusal))?),
            None => None,
        };
        Ok(Asked {
            memory_bytes,
            key_node: self.key_node,
            iter_start: self.iter_start,
            iter_stop: self.iter_stop,
            iter_range: Some(self.iter_range),
            from: self.time_from,
            to: self.time_to,
            batch_size: self.batch_size,
            ncu: self.ncu,
            config: self.config,
            no_cache: !self.cache,
            threads: self.threads.unwrap_or(0),
        })
    }
}
