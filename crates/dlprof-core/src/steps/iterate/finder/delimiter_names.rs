//! Which ranges may delimit iterations, and under which name.
//!
//! Frameworks mark every operator. Operators are neither candidates nor parts of paths: a step holds thousands of them,
//! and where there is nothing else, kernels tell more.

use super::input::RangeSays;
use super::words::{Said, says_step};
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

/// A name that ranges share, by number.
pub(super) type Leaf = u32;

/// Ranges that do not count have this instead of a leaf.
pub(super) const NO_LEAF: Leaf = Leaf::MAX;

/// The leaves of a capture.
pub(super) struct Leaves<'a> {
    /// By text of ranges: its leaf, or none.
    pub(super) of_text: Vec<Leaf>,
    /// By leaf: its name.
    pub(super) name: Vec<&'a str>,
    /// By leaf: what the name says.
    pub(super) said: Vec<Said>,
}

impl<'a> Leaves<'a> {
    /// The leaves of all texts.
    pub(super) fn new(texts: &[RangeSays<'a>]) -> Self {
        let mut names: IndexMap<&'a str, Said, FxBuildHasher> = IndexMap::default();
        let mut of_text = Vec::with_capacity(texts.len());
        for says in texts {
            if !says.is_user || is_operator(says) {
                of_text.push(NO_LEAF);
                continue;
            }
            let entry = names.entry(says.name);
            of_text.push(u32::try_from(entry.index()).unwrap_or(NO_LEAF));
            entry.or_insert_with(|| Said::by(says.name));
        }
        let (name, said) = names.into_iter().unzip();
        Self { of_text, name, said }
    }

    /// Number of leaves.
    pub(super) fn len(&self) -> usize {
        self.name.len()
    }
}

/// Whether a range is the mark of a framework or library around one of its operations.
fn is_operator(says: &RangeSays<'_>) -> bool {
    let text = says.text;
    let looks_compiled = in_namespace(text) || (says.has_appendix && is_identifier(text));
    // A marker of DLProf names a whole call stack.
    if looks_compiled && !text.starts_with("aten::") && !text.starts_with('{') {
        let last = text.rsplit("::").next().unwrap_or(text);
        if says_step(last) {
            return false;
        }
    }
    looks_compiled
        || ["nccl", "MPI_", "Thunk:", "{"].iter().any(|start| text.starts_with(start))
        || is_backward_node(text)
}

/// Whether a text names a function in a namespace, as frameworks mark theirs: `aten::mm`, `cub::DeviceReduce::Sum`. A method of a
/// class, which begins with a capital, may be a program's or an executor's and run once per step.
fn in_namespace(text: &str) -> bool {
    text.contains("::") && !text.starts_with(|c: char| c.is_ascii_uppercase())
}

fn is_identifier(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || "_:~".contains(c))
}

/// Nodes of PyTorch's backward pass: `AddmmBackward0`.
fn is_backward_node(text: &str) -> bool {
    let name = text.trim_end_matches(|c: char| c.is_ascii_digit());
    name.len() < text.len()
        && name.ends_with("Backward")
        && name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.chars().all(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_are_told_from_ranges_of_the_user() {
        let says = |text, has_appendix| RangeSays { text, name: text, is_user: true, has_appendix };
        for (text, has_appendix) in [
            ("aten::mm", false),
            ("aten::_foreach_step", true),
            ("cub::DeviceReduce::Sum", false),
            ("NativeBatchNorm", true),
            ("ncclAllReduce", false),
            ("MPI_Send", false),
            ("Thunk:#hlo_op=add#", false),
            ("{'mod': 'x'}", false),
            ("{'traceMarker': 'train_step/SGD::step'}", false),
            ("AddmmBackward0", false),
        ] {
            assert!(is_operator(&says(text, has_appendix)), "{text}");
        }
        for (text, has_appendix) in [
            ("forward", false),
            ("Trainer::train_step", false),
            ("FusionExecutorCache::runFusionWithInputs", false),
            ("Optimizer.step#SGD.step", true),
            ("train_step", true),
            ("backward", false),
            ("MyBackward", false),
            ("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", true),
        ] {
            assert!(!is_operator(&says(text, has_appendix)), "{text}");
        }
    }
}
