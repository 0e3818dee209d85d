//! From an input to a capture.
//!
//! ```text
//! export ─ingest─► Facts ─cut─► Facts ─correlate─► Capture
//! ```
//!
//! A DLProf database is correlated already: [`of_dlprof`] makes a capture of it, and all later stages are the same.

use crate::base::Error;
use crate::base::threads::worker_threads;
use crate::capture::correlate::{LooseWork, ModeChoice, correlate, of_dlprof};
use crate::capture::counters::NcuOptions;
use crate::capture::names::NamePattern;
use crate::capture::{Capture, CaptureContents};
use crate::columns::Memory;
use crate::read::ingest::{Input, SqliteOptions};
use crate::read::time_cut::TimeCut;
use crate::read::{OnProgress, check_input, read_input};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How to read a capture.
#[derive(Clone, Default)]
pub struct ReadOptions<'a> {
    /// How ranges become ops.
    pub mode: ModeChoice,
    /// To which op the work of threads without ranges belongs.
    pub loose_work: LooseWork,
    /// Kernels that use Tensor Cores beyond those whose names are known.
    pub tensor_cores: Vec<NamePattern>,
    /// Logs of Nsight Compute whose counters are joined to the kernels.
    pub ncu: NcuOptions,
    /// A trace of the capture of CUDA graphs, or a folder of such traces; without it, what a server wrote beside the trace.
    pub capture_trace: Option<PathBuf>,
    /// The part of the capture that is analysed.
    pub cut: TimeCut,
    /// Worker threads, at most [`MOST_THREADS`](crate::MOST_THREADS); 0 for one per processor. Captures that ask for
    /// the same number share them. The result does not depend on it.
    pub threads: usize,
    /// The budget of the columns. The result does not depend on it.
    pub memory: Memory,
    /// How it is read if it is an SQLite database.
    pub sqlite: SqliteOptions,
    /// Called now and then while rows are read. A break ends it.
    pub on_progress: Option<OnProgress<'a>>,
}

impl Capture {
    /// Reads and correlates an nsys SQLite export, or reads a DLProf database. [`Capture::index`] and `Index::profile` are the
    /// next steps.
    ///
    /// # Errors
    /// If the file is not a readable nsys export, or cannot be cut as the options ask.
    pub fn read(path: &Path, options: &ReadOptions<'_>) -> Result<Self, Error> {
        let mut contents = CaptureContents::read(path, options)?;
        contents.add_counters(&options.ncu)?;
        contents.add_graph_captures(path, options.capture_trace.as_deref())?;
        Ok(contents.into())
    }
}

impl CaptureContents {
    /// The same, without the counters of logs.
    pub(crate) fn read(path: &Path, options: &ReadOptions<'_>) -> Result<Self, Error> {
        check_input(path)?;
        let pool = worker_threads(options.threads)?;
        pool.install(|| {
            let input = read_input(path, options.sqlite, &options.memory, options.on_progress)?;
            let (mode, loose_work) = (options.mode, options.loose_work);
            let contents = match input {
                Input::Facts(facts) => {
                    let (facts, cut) = facts.cut(&options.cut)?;
                    let mut contents =
                        correlate(facts, mode, loose_work, &options.tensor_cores, Arc::clone(&pool));
                    contents.description.cut = cut;
                    contents
                }
                Input::Dlprof(_) if !options.cut.is_none() => {
                    return Err(Error::CutOfDatabase { path: path.into() });
                }
                Input::Dlprof(facts) => of_dlprof(*facts, Arc::clone(&pool)),
            };
            contents.check_sums()?;
            Ok(contents)
        })
    }
}
