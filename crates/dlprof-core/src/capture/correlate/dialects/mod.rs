//! Dialects: what the frameworks write into NVTX ranges. Each dialect has a file with the same functions: `parse`
//! reads a text, and its result has a `label`, which names the op.
//!
//! | file | texts of | recognised by |
//! |---|---|---|
//! | `dlprof` | DLProf's PyTorch markers | `{'op': …}`, `{'traceMarker': …}` |
//! | `emit_nvtx` | PyTorch's `emit_nvtx` | `…, seq = N`, `…, op_id = N`, `aten::…` |
//! | `tensorflow` | TensorFlow's nodes | `{"op": …}`, `Type: node/name` in a domain of its own |
//! | `xla` | XLA's modules and thunks (JAX) | `Kind:#key=value#` |
//!
//! All other texts are names that users gave to their ranges.

pub(super) mod dlprof;
pub(super) mod emit_nvtx;
mod tensorflow;
mod xla;

use super::ModeChoice;
use super::labels::Label;
use crate::base::ids::StrId;
use crate::columns::StringPool;
use crate::read::facts::Facts;
use rustc_hash::{FxHashMap, FxHashSet};

/// What a text of TensorFlow or XLA says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FrameworkText {
    /// A node of a TensorFlow graph.
    Node(tensorflow::Node),
    /// A range of XLA.
    Xla(xla::Annotation),
}

impl FrameworkText {
    /// Reads a text.
    pub(super) fn parse(text: &str, has_own_domain: bool) -> Option<Self> {
        let annotation = xla::parse(text).filter(|_| !text.starts_with('{'));
        annotation.map(Self::Xla).or_else(|| tensorflow::parse(text, has_own_domain).map(Self::Node))
    }

    /// The label of a range inside others, whose names `path` joins.
    pub(super) fn label(&self, path: StrId, names: &mut StringPool) -> Label {
        match self {
            Self::Node(node) => node.label(names),
            Self::Xla(annotation) => annotation.label(path, names),
        }
    }
}

/// The framework texts of a capture, each distinct one parsed once.
#[derive(Default)]
pub(super) struct FrameworkTexts {
    by_text: FxHashMap<StrId, FrameworkText>,
}

impl FrameworkTexts {
    pub(super) fn parse(facts: &Facts, choice: ModeChoice) -> Self {
        let mut texts = Self::default();
        if choice == ModeChoice::Nvtx {
            return texts;
        }
        // If several domains have the same text, the first one found is used.
        let mut seen = FxHashSet::default();
        for range in facts.ranges.texts.iter().filter(|range| seen.insert(range.text)) {
            let has_own_domain = !range.domain.is_none() || choice == ModeChoice::Tensorflow;
            if let Some(parsed) = FrameworkText::parse(facts.strings.get(range.text), has_own_domain) {
                texts.by_text.insert(range.text, parsed);
            }
        }
        texts
    }

    pub(super) fn get(&self, text: StrId) -> Option<&FrameworkText> {
        self.by_text.get(&text)
    }

    pub(super) fn is_node(&self, text: StrId) -> bool {
        matches!(self.get(text), Some(FrameworkText::Node(_)))
    }

    pub(super) fn is_xla(&self, text: StrId) -> bool {
        matches!(self.get(text), Some(FrameworkText::Xla(_)))
    }
}
