//! Kernel time by module of the model, layers folded.
//!
//! Kernels that are launched one by one belong to the innermost module that is open on their thread at the launch: an NVTX range
//! `{'Module': 'model.layers.3.mlp'}`, or a Python frame `nn.Module: Qwen3MLP_3` below those around it. Kernels that a graph launches
//! belong to the module that was open when their node was captured: in the capture itself, or in a trace beside it (`captured`).

use super::captured::CapturedModules;
use super::open_modules::{OpenModules, captured};
use super::step::{EngineStep, Piece, is_graph_launch};
use crate::base::ids::{ThreadId, WorkId};
use crate::base::time::{Ns, Span};
use crate::capture::CaptureContents;
use crate::read::facts::WorkKind;
use regex::Regex;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Kernel time by module.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Modules {
    /// Rows, most time first.
    pub rows: Vec<ModuleTime>,
    /// Time of all kernels of the steps.
    pub kernel_ns: Ns,
    /// Of it, what belongs to a module.
    pub attributed_ns: Ns,
    /// Graph launches whose capture is not in the capture itself.
    pub graphs: u64,
    /// Of them, those of which a capture trace has the launches.
    pub joined_graphs: u64,
}

/// A module, its layers as one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModuleTime {
    /// Its name, with `*` for the number of the layer.
    pub name: String,
    /// Kernels.
    pub kernels: u64,
    /// Plain sum of their durations.
    pub total_ns: Ns,
    /// Layers with kernels; none where the name has no number.
    pub layers: u64,
    /// The layer with least time.
    pub smallest: Option<LayerTime>,
    /// The layer with most time.
    pub largest: Option<LayerTime>,
    /// Its kernels.
    pub(crate) kernels_of_largest: Vec<WorkId>,
    /// Median time of the layers.
    pub median_ns: Ns,
    /// Steady steps in which the largest layer takes 1.5 times the median of the layers or more, of those in which it has kernels.
    pub slow_steps: (u64, u64),
}

/// A layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LayerTime {
    /// Its number.
    pub layer: u64,
    /// Plain sum of the durations of its kernels.
    pub total_ns: Ns,
}

/// Spans in which graphs are captured: `capture_32_FULL`.
pub(super) fn captures(capture: &CaptureContents, thread: ThreadId) -> Vec<Span> {
    static CAPTURE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\Acapture_[0-9]+_[A-Z_]+\z").expect("the pattern is a constant, and a test compiles it")
    });
    let ranges = &capture.ranges.by_thread[thread.index()];
    let text = |at: usize| capture.strings.get(capture.ranges.texts[ranges.text[..][at].index()].text);
    (0..ranges.span.len()).filter(|&at| CAPTURE.is_match(text(at))).map(|at| ranges.span[..][at]).collect()
}

/// Sums of a module, layer by layer.
#[derive(Default)]
struct Sums {
    kernels: u64,
    total_ns: Ns,
    by_layer: BTreeMap<u64, Layer>,
    by_step: BTreeMap<(usize, u64), Ns>,
}

#[derive(Default)]
struct Layer {
    total_ns: Ns,
    kernels: Vec<WorkId>,
}

/// Kernel time by module over the steps of a thread.
pub(super) fn modules(
    capture: &CaptureContents,
    thread: ThreadId,
    steps: &[EngineStep],
    by_step: &[Vec<Piece>],
) -> Modules {
    let open = OpenModules::of(capture, thread);
    let joined = CapturedModules::of(capture, steps, by_step);
    let mut sums: BTreeMap<&str, Sums> = BTreeMap::new();
    let mut found = Modules { graphs: joined.launches, joined_graphs: joined.joined, ..Modules::default() };
    let pieces =
        by_step.iter().enumerate().flat_map(|(at, pieces)| pieces.iter().map(move |piece| (at, piece)));
    for (at, piece) in pieces.filter(|(_, piece)| capture.work_kind(piece.work) == WorkKind::Kernel) {
        let length = piece.span.length();
        found.kernel_ns += length;
        let module = match captured(capture, piece.work) {
            Some((at, of)) => open.at(at).filter(|_| of == thread),
            None if is_graph_launch(capture, piece.call) => joined.get(piece.work),
            None => open.at(piece.launched_at),
        };
        let Some((name, layer)) = module else { continue };
        found.attributed_ns += length;
        let sum = sums.entry(name).or_default();
        sum.kernels += 1;
        sum.total_ns += length;
        if let Some(layer) = *layer {
            let sums = sum.by_layer.entry(layer).or_default();
            sums.total_ns += length;
            sums.kernels.push(piece.work);
            if steps[at].is_steady {
                *sum.by_step.entry((at, layer)).or_default() += length;
            }
        }
    }
    found.rows = sums.into_iter().map(|(name, sums)| sums.row(name)).collect();
    found.rows.sort_by(|a, b| (b.total_ns, &a.name).cmp(&(a.total_ns, &b.name)));
    found
}

impl Sums {
    fn row(mut self, name: &str) -> ModuleTime {
        let layer = |(layer, sums): (&u64, &Layer)| LayerTime { layer: *layer, total_ns: sums.total_ns };
        let times = || self.by_layer.iter();
        // Of equals the first.
        let largest = times().rev().max_by_key(|(_, sums)| sums.total_ns).map(layer);
        let smallest = times().min_by_key(|(_, sums)| sums.total_ns).map(layer);
        let median_ns = crate::base::ratios::median(times().map(|(_, sums)| sums.total_ns).collect());
        let slow_steps = largest.map_or((0, 0), |largest| self.slow_steps(largest.layer));
        let kernels = largest.and_then(|largest| self.by_layer.get_mut(&largest.layer));
        let kernels_of_largest = kernels.map(|layer| std::mem::take(&mut layer.kernels)).unwrap_or_default();
        ModuleTime {
            name: name.to_owned(),
            kernels: self.kernels,
            total_ns: self.total_ns,
            layers: self.by_layer.len() as u64,
            smallest,
            median_ns,
            slow_steps,
            largest,
            kernels_of_largest,
        }
    }

    /// Steady steps in which a layer takes 1.5 times the median of the layers or more, of those in which it has kernels.
    fn slow_steps(&self, layer: u64) -> (u64, u64) {
        let mut by_step: BTreeMap<usize, Vec<(u64, Ns)>> = BTreeMap::new();
        for ((step, layer), ns) in &self.by_step {
            by_step.entry(*step).or_default().push((*layer, *ns));
        }
        let (mut slow, mut of) = (0, 0);
        for layers in by_step.values() {
            let Some((_, own)) = layers.iter().find(|(other, _)| *other == layer) else { continue };
            let median = crate::base::ratios::median(layers.iter().map(|(_, ns)| *ns).collect());
            of += 1;
            slow += u64::from(2 * own >= 3 * median);
        }
        (slow, of)
    }
}
