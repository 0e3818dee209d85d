//! The whole program on one screen.
//!
//! ```text
//! ingest ──► correlate ──► iterate ──► aggregate ──► tables ──► export / print
//!  Trace      Correlation   Iterations   Profile      rows       bytes
//! ```

use crate::aggregate::{self, Profile};
use crate::cache::{Cache, Identity};
use crate::correlate::{Correlation, ModeChoice, correlate};
use crate::error::Error;
use crate::ingest::{self, OnProgress, Reader};
use crate::iterate::IterationOptions;
use crate::trace::Trace;
use std::path::Path;

/// How to read a capture.
#[derive(Clone, Copy, Default)]
pub struct ReadOptions<'a> {
    /// How ranges become ops.
    pub mode: ModeChoice,
    /// Worker threads, at most [`MOST_THREADS`]; 0 for one per processor. The result does not depend on it.
    pub threads: usize,
    /// What reads the rows. The result does not depend on it.
    pub reader: Reader,
    /// Where correlated captures are kept. The result does not depend on it.
    pub cache: Option<&'a Cache>,
    /// Called now and then while rows are read.
    pub on_progress: Option<OnProgress<'a>>,
}

/// More threads than this are not started, whatever is asked for.
pub const MOST_THREADS: usize = 256;

/// A capture, read and correlated: the expensive half. Profiles of any range are made from it.
#[derive(Debug)]
pub struct Capture {
    /// The facts.
    pub trace: Trace,
    /// Who did what.
    pub correlation: Correlation,
    /// Whether it was kept from an earlier time, and the export not read again.
    pub is_from_cache: bool,
    pool: rayon::ThreadPool,
}

impl Capture {
    /// Reads and correlates an nsys SQLite export.
    ///
    /// # Errors
    /// If the file is no readable nsys export.
    pub fn read(path: &Path, options: ReadOptions<'_>) -> Result<Self, Error> {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(options.threads.min(MOST_THREADS))
            .build()
            .map_err(|source| Error::Threads { threads: options.threads, source })?;
        let (trace, correlation, is_from_cache) = pool.install(|| read(path, options))?;
        Ok(Self { trace, correlation, is_from_cache, pool })
    }

    /// Aggregates a range of iterations: the cheap half.
    ///
    /// # Errors
    /// If the key node never ran or the iteration range does not exist.
    pub fn profile(&self, options: &IterationOptions) -> Result<Profile<'_>, Error> {
        self.pool.install(|| aggregate::aggregate(&self.trace, &self.correlation, options))
    }
}

/// Reads and correlates, or takes what was kept of an earlier time, and says which.
fn read(path: &Path, options: ReadOptions<'_>) -> Result<(Trace, Correlation, bool), Error> {
    ingest::check_file(path)?;
    let kept = options.cache.and_then(|cache| Some((cache, Identity::of(path, options.mode)?)));
    if let Some((cache, identity)) = &kept
        && let Some((mut trace, correlation)) = cache.load(identity)
    {
        trace.source.path = path.into();
        return Ok((trace, correlation, true));
    }
    let mut trace = ingest::read(path, options.reader, options.on_progress)?;
    let correlation = correlate(&mut trace, options.mode);
    if let Some((cache, identity)) = &kept
        && Identity::of(path, options.mode).as_ref() == Some(identity)
    {
        // A full disk or a folder that cannot be written to costs time next time, nothing else.
        drop(cache.store(identity, &trace, &correlation));
    }
    Ok((trace, correlation, false))
}
