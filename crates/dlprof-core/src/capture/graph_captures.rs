//! Traces of the capture of CUDA graphs, which vLLM and SGLang write beside those of their work: `capture_traces/`.
//!
//! Kernels that a graph launches do not say from where in the model they are. The launches from which the graph was captured do. Only
//! the traces of sizes of batches that the capture has are read.

use crate::base::{Error, small_file};
use crate::capture::CaptureContents;
use crate::capture::names::StepMark;
use crate::read::kineto::{CapturingThread, read_captured_graphs};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// At most this many traces are read.
const MOST_TRACES: usize = 64;

/// The list of a folder has at most so many bytes.
const MOST_LIST_BYTES: u64 = 1 << 20;

/// The name of the folder, and of the list of its files.
const FOLDER: &str = "capture_traces";
const LIST: &str = "execution_details.json";

/// The captures of the graphs that a capture launches.
#[derive(Debug, Default)]
pub struct GraphCaptures {
    /// The file or folder that the user named.
    pub(crate) named: Option<PathBuf>,
    pub(crate) captures: Vec<GraphCapture>,
}

/// What was captured for batches of a size.
#[derive(Debug)]
pub(crate) struct GraphCapture {
    /// Requests or tokens, to which fewer are filled up; none if nothing says it.
    pub(crate) batch_size: Option<u64>,
    /// Who captured.
    pub(crate) threads: Vec<CapturingThread>,
}

/// A trace of captures: a row of the list of files.
#[derive(Debug, Clone, Deserialize)]
struct TraceOfCapture {
    file: PathBuf,
    batch_size: Option<u64>,
    #[serde(default)]
    mode: String,
}

impl CaptureContents {
    /// Reads the traces of captures of graphs: a file or a folder that the user names, or else those beside the capture. Of captures
    /// that are no traces of servers with graphs nothing is read.
    pub(crate) fn add_graph_captures(&mut self, path: &Path, given: Option<&Path>) -> Result<(), Error> {
        let traces = match given {
            Some(_) if !self.recorder.is_torch_profiler() => {
                let found = "graphs of exports of Nsight Systems need no capture trace".to_owned();
                return Err(Error::NotATrace { path: path.into(), found });
            }
            Some(place) => {
                traces_at(place).map_err(|source| Error::Unreadable { path: place.into(), source })?
            }
            None if !self.recorder.is_torch_profiler() => return Ok(()),
            None => {
                graph_captures_beside(path).and_then(|folder| traces_at(&folder).ok()).unwrap_or_default()
            }
        };
        for trace in needed(traces, &self.batch_sizes()) {
            let threads = match read_captured_graphs(&trace.file, &self.memory) {
                Ok(threads) if threads.is_empty() && given.is_some() => {
                    let found = "it has no capture of a CUDA graph".to_owned();
                    return Err(Error::NotATrace { path: trace.file, found });
                }
                Ok(threads) => threads,
                // What was found, and not asked for, may be anything.
                Err(_) if given.is_none() => continue,
                Err(error) => return Err(error),
            };
            self.graph_captures.captures.push(GraphCapture { batch_size: trace.batch_size, threads });
        }
        self.graph_captures.named = given.map(Path::to_owned);
        Ok(())
    }

    /// Requests and tokens of the steps of a server, and the batches to which these were filled up.
    fn batch_sizes(&self) -> BTreeSet<u64> {
        let texts = self.ranges.texts.iter();
        let marks = texts.filter_map(|says| StepMark::parse(self.strings.get(says.text)));
        marks.flat_map(|mark| [mark.padded_batch, mark.requests(), mark.tokens()]).flatten().collect()
    }
}

/// The folder of traces of captures of graphs that a server wrote beside a trace.
#[must_use]
pub fn graph_captures_beside(trace: &Path) -> Option<PathBuf> {
    trace.parent().map(|folder| folder.join(FOLDER)).filter(|folder| folder.join(LIST).is_file())
}

/// The folder that holds the traces at a place: none where the place is a file.
#[must_use]
pub fn graph_captures_in(place: &Path) -> Option<PathBuf> {
    [place.join(FOLDER), place.to_owned()].into_iter().find(|folder| folder.is_dir())
}

/// The traces at a place: a file, or those that the list of a folder names, or else all of the folder.
fn traces_at(place: &Path) -> std::io::Result<Vec<TraceOfCapture>> {
    let alone = |file| TraceOfCapture { file, batch_size: None, mode: String::new() };
    let Some(folder) = graph_captures_in(place) else {
        std::fs::metadata(place)?;
        return Ok(vec![alone(place.to_owned())]);
    };
    let list = folder.join(LIST);
    if list.exists() {
        let list = small_file::read(&list, MOST_LIST_BYTES)?;
        let listed: Vec<TraceOfCapture> = serde_json::from_slice(&list)?;
        let here = |trace: TraceOfCapture| {
            Some(TraceOfCapture { file: folder.join(trace.file.file_name()?), ..trace })
        };
        return Ok(listed.into_iter().filter_map(here).collect());
    }
    let files = std::fs::read_dir(&folder)?.map(|entry| entry.map(|entry| entry.path()));
    let mut files = files.collect::<Result<Vec<PathBuf>, _>>()?;
    files.retain(|file| [".json", ".json.gz"].iter().any(|end| file.to_string_lossy().ends_with(end)));
    files.sort();
    Ok(files.into_iter().map(alone).collect())
}

/// Of each size that a batch is filled up to, the first trace of each mode: those of other ranks have the same launches.
fn needed(mut traces: Vec<TraceOfCapture>, sizes: &BTreeSet<u64>) -> Vec<TraceOfCapture> {
    let known: BTreeSet<u64> = traces.iter().filter_map(|trace| trace.batch_size).collect();
    let filled: BTreeSet<u64> = sizes.iter().filter_map(|size| known.range(size..).next().copied()).collect();
    let mut seen = BTreeSet::new();
    traces.retain(|trace| match trace.batch_size {
        Some(size) => filled.contains(&size) && seen.insert((size, trace.mode.clone())),
        None => !sizes.is_empty(),
    });
    traces.truncate(MOST_TRACES);
    traces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_traces_of_batches_that_ran_are_read() {
        let trace = |size, mode: &str| TraceOfCapture {
            file: format!("{size:?}{mode}").into(),
            batch_size: size,
            mode: mode.into(),
        };
        let all = || {
            vec![
                trace(Some(8), "FULL"),
                trace(Some(16), "FULL"),
                trace(Some(16), "FULL"),
                trace(Some(16), "PIECEWISE"),
                trace(None, ""),
            ]
        };
        let names = |sizes: &[u64]| -> Vec<String> {
            let sizes = sizes.iter().copied().collect();
            needed(all(), &sizes).into_iter().map(|trace| trace.file.display().to_string()).collect()
        };
        assert_eq!(names(&[9, 12]), ["Some(16)FULL", "Some(16)PIECEWISE", "None"]);
        assert_eq!(names(&[3, 40]), ["Some(8)FULL", "None"]);
        assert!(names(&[]).is_empty());
    }
}
