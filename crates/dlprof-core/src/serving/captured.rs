//! Kernels of graph launches to modules of the model, by traces of the capture of these graphs: the k-th launch that was captured is
//! the k-th kernel of each launch of the graph. Only where there are as many, and all names that both sides know are equal.

use super::open_modules::{Folded, OpenModules, captured};
use super::step::{EngineStep, Piece, is_graph_launch};
use crate::base::ids::WorkId;
use crate::capture::CaptureContents;
use crate::capture::graph_captures::GraphCapture;
use crate::capture::names::{ByName, StepMark};
use crate::read::facts::WorkKind;
use crate::read::kineto::digest_of_name;
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::cmp::Reverse;

/// The modules of kernels that graphs launched.
#[derive(Default)]
pub(super) struct CapturedModules {
    by_work: FxHashMap<WorkId, usize>,
    modules: IndexSet<Folded, FxBuildHasher>,
    /// Graph launches whose capture is not in the capture itself.
    pub(super) launches: u64,
    /// Of them, those that were joined.
    pub(super) joined: u64,
}

/// A captured launch: the digest of its kernel, 0 if it is unknown, and its module.
type Captured = (u64, Option<usize>);

/// The graphs of a trace, in the order in which they were captured.
struct Trace {
    batch_size: Option<u64>,
    graphs: Vec<Vec<Captured>>,
}

impl CapturedModules {
    /// Of the steps of a thread.
    pub(super) fn of(capture: &CaptureContents, steps: &[EngineStep], by_step: &[Vec<Piece>]) -> Self {
        let mut found = Self::default();
        let captures = &capture.graph_captures.captures;
        let mut traces: Vec<Trace> = captures.iter().map(|trace| found.trace(trace)).collect();
        traces.sort_by_key(|trace| trace.batch_size);
        let digests = ByName::new(&capture.strings, digest_of_name);
        for (step, pieces) in steps.iter().zip(by_step) {
            let likely = likely(&traces, &step.mark);
            for (at, kernels) in replays(capture, pieces).into_iter().enumerate() {
                found.launches += 1;
                let names = kernels.iter().map(|work| digests.get(capture.kernels.long_name[*work]));
                let names: Vec<u64> = names.collect();
                let Some(graph) = graph_of(&likely, at, &names) else { continue };
                found.joined += 1;
                let modules =
                    kernels.iter().zip(graph).filter_map(|(work, (_, module))| Some((*work, (*module)?)));
                found.by_work.extend(modules);
            }
        }
        found
    }

    /// The module of a kernel.
    pub(super) fn get(&self, work: WorkId) -> Option<&Folded> {
        self.by_work.get(&work).map(|module| &self.modules[*module])
    }

    fn trace(&mut self, trace: &GraphCapture) -> Trace {
        let mut graphs = Vec::new();
        for thread in &trace.threads {
            let open =
                OpenModules::of_frames(thread.frames.iter().map(|(span, frame)| (*span, frame.as_str())));
            for graph in &thread.graphs {
                let launches = graph.iter().map(|launch| (launch.kernel, open.at(launch.at)));
                graphs.push(
                    launches
                        .map(|(kernel, module)| (kernel, module.map(|module| self.add(module))))
                        .collect(),
                );
            }
        }
        Trace { batch_size: trace.batch_size, graphs }
    }

    fn add(&mut self, module: &Folded) -> usize {
        let known = self.modules.get_index_of(module);
        known.unwrap_or_else(|| self.modules.insert_full(module.clone()).0)
    }
}

/// The traces, first those of batches to which the requests or tokens of a step are filled up.
fn likely<'a>(traces: &'a [Trace], mark: &StepMark) -> Vec<&'a Trace> {
    let filled = |size: Option<u64>| {
        let size = size?;
        traces.iter().filter_map(|trace| trace.batch_size).find(|batch| *batch >= size)
    };
    let filled = [mark.padded_batch, mark.requests(), mark.tokens()].map(filled);
    let mut likely: Vec<&Trace> = traces.iter().collect();
    likely.sort_by_key(|trace| Reverse(trace.batch_size.is_some() && filled.contains(&trace.batch_size)));
    likely
}

/// By graph launch of a step: its kernels, in order of start.
fn replays(capture: &CaptureContents, pieces: &[Piece]) -> Vec<Vec<WorkId>> {
    let is_replayed = |piece: &&Piece| {
        capture.work_kind(piece.work) == WorkKind::Kernel
            && is_graph_launch(capture, piece.call)
            && captured(capture, piece.work).is_none()
    };
    let mut replayed: Vec<&Piece> = pieces.iter().filter(is_replayed).collect();
    replayed.sort_by_key(|piece| (piece.launched_at, piece.call));
    let launches = replayed.chunk_by(|a, b| a.call == b.call);
    launches.map(|launch| launch.iter().map(|piece| piece.work).collect()).collect()
}

/// The graph that the launch at a place in a step replays: the one at this place among those of a trace, or else any that is equal.
fn graph_of<'a>(traces: &[&'a Trace], at: usize, names: &[u64]) -> Option<&'a [Captured]> {
    let fits = |graph: &&'a Vec<Captured>| {
        let mut both = graph.iter().zip(names);
        graph.len() == names.len() && both.all(|((kernel, _), name)| *kernel == 0 || kernel == name)
    };
    let at_place = traces.iter().filter_map(|trace| trace.graphs.get(at.checked_rem(trace.graphs.len())?));
    let others = traces.iter().flat_map(|trace| &trace.graphs);
    at_place.chain(others).find(fits).map(Vec::as_slice)
}
