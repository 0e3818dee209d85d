//! How ranges become ops: the mode.

use super::frameworks::FrameworkTexts;
use super::labels::Marker;
use super::{Markers, nesting};
use crate::ids::StrId;
use crate::trace::Trace;
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
    trace: &Trace,
    markers: &Markers,
    frameworks: &FrameworkTexts,
    choice: ModeChoice,
) -> (Mode, String) {
    let is_user = nesting::user_ranges(trace);
    let mut by_text = vec![0_usize; trace.strings.len()];
    let mut operators = 0;
    for range in (0..trace.ranges.len()).filter(|&range| is_user[range]) {
        by_text[trace.ranges.text[range].index()] += 1;
        operators += usize::from(trace.ranges.is_operator[range]);
    }
    let count = |condition: &dyn Fn(StrId) -> bool| -> usize {
        let counts = by_text.iter().enumerate().filter(|(_, count)| **count > 0);
        counts.filter(|(text, _)| condition(StrId::new(*text))).map(|(_, count)| count).sum()
    };
    let op_markers = count(&|text| matches!(markers.by_text.get(&text), Some(Marker::Op { .. })));
    let nodes = count(&|text| frameworks.is_node(text));
    let xla = count(&|text| frameworks.is_xla(text));
    let plain = count(&|text| text != markers.empty_text);
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
