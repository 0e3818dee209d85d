//! How ranges become ops: the mode.

use super::dialects::FrameworkTexts;
use super::dialects::dlprof::{Marker, Markers};
use super::nesting;
use crate::facts::{Facts, RangeText};
use serde::{Deserialize, Serialize};

/// The conventions by which the ranges of a capture are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Mode {
    /// DLProf's PyTorch markers: the op is the outermost argument marker.
    PytorchMarkers,
    /// PyTorch's `emit_nvtx`: the op is the outermost operator range.
    PytorchEmitNvtx,
    /// TensorFlow's node ranges: the op is the innermost node.
    Tensorflow,
    /// XLA's ranges: the op is the innermost thunk, below its module.
    Jax,
    /// Plain ranges: the op is the innermost range open at the launch.
    Nvtx,
    /// No ranges: one op for all work.
    Simple,
}

/// What the user asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum ModeChoice {
    /// By what the capture holds.
    #[default]
    Auto,
    /// PyTorch, with DLProf's markers or `emit_nvtx`, whichever the capture has.
    Pytorch,
    /// TensorFlow's node ranges.
    Tensorflow,
    /// XLA's ranges.
    Jax,
    /// Plain ranges, whatever framework texts they have.
    Nvtx,
    /// One op for all work.
    Simple,
}

impl Mode {
    /// The word for reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PytorchMarkers => "pytorch (DLProf markers)",
            Self::PytorchEmitNvtx => "pytorch (emit_nvtx)",
            Self::Tensorflow => "tensorflow",
            Self::Jax => "jax",
            Self::Nvtx => "nvtx",
            Self::Simple => "simple",
        }
    }

    /// Whether the ops are PyTorch's.
    #[must_use]
    pub fn is_pytorch(self) -> bool {
        matches!(self, Self::PytorchMarkers | Self::PytorchEmitNvtx)
    }
}

/// Picks the mode, and says why.
pub(super) fn choose(
    facts: &Facts,
    markers: &Markers,
    frameworks: &FrameworkTexts,
    choice: ModeChoice,
) -> (Mode, String) {
    let mut counts = vec![0_usize; facts.ranges.texts.len()];
    for &text in facts.ranges.lists().flat_map(|list| &list.text) {
        counts[text.index()] += 1;
    }
    let is_user = nesting::user_texts(facts);
    let count = |condition: &dyn Fn(usize, &RangeText) -> bool| -> usize {
        let texts = facts.ranges.texts.iter().enumerate();
        let texts = texts.filter(|(at, text)| is_user[*at] && condition(*at, text));
        texts.map(|(at, _)| counts[at]).sum()
    };
    let operators = count(&|_, text| text.is_operator);
    let op_markers = count(&|at, _| matches!(markers.by_text[at], Marker::Op { .. }));
    let nodes = count(&|_, text| frameworks.is_node(text.text));
    let xla = count(&|_, text| frameworks.is_xla(text.text));
    let plain = count(&|_, text| text.text != markers.empty_text);
    match choice {
        ModeChoice::Auto if op_markers > 0 => {
            (Mode::PytorchMarkers, format!("{op_markers} ranges are DLProf op markers"))
        }
        ModeChoice::Auto if operators > 0 => {
            (Mode::PytorchEmitNvtx, format!("{operators} ranges are `emit_nvtx` operators"))
        }
        ModeChoice::Auto if nodes > 0 => (Mode::Tensorflow, format!("{nodes} ranges are TensorFlow nodes")),
        ModeChoice::Auto if xla > 0 => (Mode::Jax, format!("{xla} ranges are XLA's")),
        ModeChoice::Auto if plain > 0 => (Mode::Nvtx, format!("{plain} plain ranges, no framework markers")),
        ModeChoice::Auto => (Mode::Simple, "no ranges of the program".into()),
        ModeChoice::Pytorch if op_markers > 0 => (Mode::PytorchMarkers, ASKED.into()),
        ModeChoice::Pytorch => (Mode::PytorchEmitNvtx, ASKED.into()),
        ModeChoice::Tensorflow => (Mode::Tensorflow, ASKED.into()),
        ModeChoice::Jax => (Mode::Jax, ASKED.into()),
        ModeChoice::Nvtx => (Mode::Nvtx, ASKED.into()),
        ModeChoice::Simple => (Mode::Simple, ASKED.into()),
    }
}

const ASKED: &str = "asked for";
