//! How ranges become ops: the mode.

use super::dialects::FrameworkTexts;
use super::dialects::dlprof::{Marker, Markers};
use super::nesting;
use crate::base::ids::RangeTextId;
use crate::read::facts::{Facts, RangeText};
use serde::{Deserialize, Serialize};

/// The conventions by which the ranges of a capture are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Mode {
    /// DLProf's PyTorch markers: the op is the outermost argument marker.
    PytorchMarkers,
    /// PyTorch's `emit_nvtx`: the op is the outermost operator range.
    PytorchEmitNvtx,
    /// A trace of torch.profiler: the op is the outermost operator, and in the backward pass the node.
    TorchProfiler,
    /// TensorFlow's node ranges: the op is the innermost node.
    Tensorflow,
    /// XLA's ranges: the op is the innermost thunk, below its module.
    Jax,
    /// Plain ranges: the op is the innermost range open at the launch.
    Nvtx,
    /// No ranges: one op for all work.
    Simple,
}

/// How the command lines begin in databases that this tool writes.
const COMMAND: &str = "dlprof-agg export --mode=";

/// What the user asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum ModeChoice {
    /// By what the capture holds.
    #[default]
    Auto,
    /// PyTorch: a trace of torch.profiler, or DLProf's markers or `emit_nvtx`, whichever the capture has.
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
            Self::TorchProfiler => "pytorch (torch.profiler)",
            Self::Tensorflow => "tensorflow",
            Self::Jax => "jax",
            Self::Nvtx => "nvtx",
            Self::Simple => "simple",
        }
    }

    /// DLProf's number and word for the mode that is nearest, as its databases have them. It has no mode for plain ranges; as
    /// those of TensorFlow their ops have neither directions nor stacks.
    #[must_use]
    pub fn as_dlprof(self) -> (i64, &'static str) {
        match self {
            Self::Simple => (0, "simple"),
            Self::Tensorflow | Self::Jax | Self::Nvtx => (1, "tensorflow1"),
            Self::PytorchMarkers | Self::PytorchEmitNvtx | Self::TorchProfiler => (4, "pytorch"),
        }
    }

    /// The command line in databases that this tool writes: it names the mode in full.
    #[must_use]
    pub fn command_in_databases(self) -> String {
        format!("{COMMAND}{}", self.as_str())
    }

    /// Whether this tool wrote a database with this command line.
    pub(super) fn wrote(command: &str) -> bool {
        command.starts_with(COMMAND)
    }

    /// The mode that a database names.
    pub(super) fn of_dlprof(word: &str, command: &str) -> Self {
        let all = [
            Self::PytorchMarkers,
            Self::PytorchEmitNvtx,
            Self::TorchProfiler,
            Self::Tensorflow,
            Self::Jax,
            Self::Nvtx,
            Self::Simple,
        ];
        let by_name = |name: &str| all.into_iter().find(|mode| mode.as_str() == name);
        let named = command.strip_prefix(COMMAND).and_then(by_name);
        named.unwrap_or(match word {
            "pytorch" => Self::PytorchMarkers,
            "simple" => Self::Simple,
            word if word.starts_with("tensorflow") => Self::Tensorflow,
            _ => Self::Nvtx,
        })
    }

    /// Whether the ops are PyTorch's.
    #[must_use]
    pub fn is_pytorch(self) -> bool {
        matches!(self, Self::PytorchMarkers | Self::PytorchEmitNvtx | Self::TorchProfiler)
    }
}

/// Picks the mode, and says why.
pub(super) fn choose(
    facts: &Facts,
    markers: &Markers,
    frameworks: &FrameworkTexts,
    choice: ModeChoice,
) -> (Mode, String) {
    if facts.recorder.is_torch_profiler() && matches!(choice, ModeChoice::Auto | ModeChoice::Pytorch) {
        let reason = if choice == ModeChoice::Auto { "a trace of torch.profiler" } else { ASKED };
        return (Mode::TorchProfiler, reason.into());
    }
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
    let op_markers = count(&|at, _| matches!(markers.get(RangeTextId::new(at)), Marker::Op { .. }));
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
