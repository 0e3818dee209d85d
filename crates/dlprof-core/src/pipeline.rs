//! The whole program on one screen.
//!
//! ```text
//! ingest ──► correlate ──► iterate ──► aggregate ──► tables ──► export / print
//!  Trace      Correlation   Iterations   Profile      rows       bytes
//! ```

use crate::aggregate::{self, Profile};
use crate::cache::{Cache, Identity, KeptRange};
use crate::correlate::{Correlation, ModeChoice, correlate};
use crate::error::Error;
use crate::ingest::{self, OnProgress, Reader};
use crate::iterate::IterationOptions;
use crate::trace::Trace;
use std::borrow::Cow;
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
    /// Where correlated captures and sums are kept. The result does not depend on it.
    pub cache: Option<&'a Cache>,
    /// Called now and then while rows are read.
    pub on_progress: Option<OnProgress<'a>>,
}

/// More threads than this are not started, whatever is asked for.
pub const MOST_THREADS: usize = 256;

/// Whether single kernels and op calls are asked for, or sums over them alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rows {
    /// Sums alone, as in all but two [tables](crate::tables).
    NotNeeded,
    /// Single kernels and op calls as well.
    Needed,
}

/// Where a profile came from. The profile does not depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The export.
    Export,
    /// The capture kept of it.
    KeptCapture,
    /// The sums kept of it, and what of the capture lies at the edges of the range.
    KeptSums,
}

/// A capture, read and correlated: the expensive half. Profiles of any range are made from it.
#[derive(Debug)]
pub struct Capture {
    /// The facts.
    pub trace: Trace,
    /// Who did what.
    pub correlation: Correlation,
    /// Whether it was kept from an earlier time, and the export not read again.
    pub is_from_cache: bool,
    /// Where it is kept.
    kept: Option<(Cache, Identity)>,
    pool: rayon::ThreadPool,
}

impl Capture {
    /// Reads and correlates an nsys SQLite export.
    ///
    /// # Errors
    /// If the file is no readable nsys export.
    pub fn read(path: &Path, options: ReadOptions<'_>) -> Result<Self, Error> {
        ingest::check_file(path)?;
        Self::read_with(path, options, thread_pool(options)?)
    }

    fn read_with(path: &Path, options: ReadOptions<'_>, pool: rayon::ThreadPool) -> Result<Self, Error> {
        let (trace, correlation, is_from_cache, kept) = pool.install(|| read(path, options))?;
        Ok(Self { trace, correlation, is_from_cache, kept, pool })
    }

    /// Aggregates a range of iterations: the cheap half. Where the capture is kept, so are the sums from which a
    /// [`ProfileSource`] makes any range of this key node.
    ///
    /// # Errors
    /// If the key node never ran or the iteration range does not exist.
    pub fn profile(&self, options: &IterationOptions) -> Result<Profile<'_>, Error> {
        self.pool.install(|| {
            let (trace, correlation) = (&self.trace, &self.correlation);
            match &self.kept {
                Some((cache, identity)) if !cache.has_sums(identity, &options.key_node) => {
                    aggregate::aggregate_and(
                        trace,
                        correlation,
                        options,
                        Some(&|timeline, blocks, sums| {
                            // As with captures, what cannot be kept costs time next time.
                            drop(cache.store_sums(
                                identity,
                                &options.key_node,
                                trace,
                                (timeline, blocks, sums),
                            ));
                        }),
                    )
                }
                _ => aggregate::aggregate(trace, correlation, options),
            }
        })
    }
}

/// What one profile is made from: as little as is needed of what is kept, or a whole capture.
///
/// ```
/// use dlprof_core::{IterationOptions, ProfileSource, ReadOptions, Rows};
///
/// # fn main() -> Result<(), dlprof_core::Error> {
/// let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/sample.sqlite");
/// let options = IterationOptions { iter_start: Some(15), iter_stop: Some(58), ..Default::default() };
/// let source = ProfileSource::read(path.as_ref(), ReadOptions::default(), &options, Rows::NotNeeded)?;
/// assert_eq!(source.profile()?.iterations.aggregated(), 44);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct ProfileSource {
    options: IterationOptions,
    content: Content,
}

#[derive(Debug)]
enum Content {
    Capture(Box<Capture>),
    KeptRange(Box<KeptRange>),
}

impl ProfileSource {
    /// Reads what the profile of a range needs.
    ///
    /// # Errors
    /// If the file is no readable nsys export; if the iteration range does not exist, here or when the profile is made.
    pub fn read(
        path: &Path,
        options: ReadOptions<'_>,
        iterations: &IterationOptions,
        rows: Rows,
    ) -> Result<Self, Error> {
        ingest::check_file(path)?;
        let pool = thread_pool(options)?;
        let range = match options.cache {
            Some(cache) if rows == Rows::NotNeeded => pool
                .install(|| cache.load_range(&Identity::of(path, options.mode)?, iterations))
                .transpose()?,
            _ => None,
        };
        let content = match range {
            Some(mut range) => {
                range.trace.source.path = path.into();
                Content::KeptRange(Box::new(range))
            }
            None => Content::Capture(Box::new(Capture::read_with(path, options, pool)?)),
        };
        Ok(Self { options: iterations.clone(), content })
    }

    /// Makes the profile.
    ///
    /// # Errors
    /// If the key node never ran or the iteration range does not exist.
    pub fn profile(&self) -> Result<Profile<'_>, Error> {
        match &self.content {
            Content::Capture(capture) => capture.profile(&self.options),
            Content::KeptRange(range) => Ok(aggregate::profile(
                &range.trace,
                &range.correlation,
                Cow::Borrowed(&range.timeline),
                &range.sums,
            )),
        }
    }

    /// Where the profile comes from.
    #[must_use]
    pub fn origin(&self) -> Origin {
        match &self.content {
            Content::Capture(capture) if capture.is_from_cache => Origin::KeptCapture,
            Content::Capture(_) => Origin::Export,
            Content::KeptRange(_) => Origin::KeptSums,
        }
    }
}

fn thread_pool(options: ReadOptions<'_>) -> Result<rayon::ThreadPool, Error> {
    let threads = options.threads;
    let builder = rayon::ThreadPoolBuilder::new().num_threads(threads.min(MOST_THREADS));
    builder.build().map_err(|source| Error::Threads { threads, source })
}

type Read = (Trace, Correlation, bool, Option<(Cache, Identity)>);

/// Reads and correlates, or takes what was kept of an earlier time; says which, and where it is kept from now on.
fn read(path: &Path, options: ReadOptions<'_>) -> Result<Read, Error> {
    let kept = options.cache.and_then(|cache| Some((cache.clone(), Identity::of(path, options.mode)?)));
    if let Some((cache, identity)) = &kept
        && let Some((mut trace, correlation)) = cache.load(identity)
    {
        trace.source.path = path.into();
        return Ok((trace, correlation, true, kept));
    }
    let mut trace = ingest::read(path, options.reader, options.on_progress)?;
    let correlation = correlate(&mut trace, options.mode);
    // A full disk or a folder that cannot be written to costs time next time, nothing else.
    let kept = kept.filter(|(cache, identity)| {
        Identity::of(path, options.mode).as_ref() == Some(identity)
            && cache.store(identity, &trace, &correlation).is_ok()
    });
    Ok((trace, correlation, false, kept))
}
