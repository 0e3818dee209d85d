//! The parts of a name with their words, and the function after a wrapper.

use super::kinds::NamedKind;
use super::parts::Parts;
use super::tables::Tables;
use super::words::Found;

/// Functions that say nothing: the first template argument that says something is the function.
const WRAPPERS: &[&str] = &[
    "device_kernel",
    "Kernel",
    "Kernel2",
    "kernel",
    "_kernel_agent",
    "multi_tensor_apply_kernel",
    "elementwise_kernel",
    "unrolled_elementwise_kernel",
    "vectorized_elementwise_kernel",
    "legacy_elementwise_kernel",
    "reduce_kernel",
    "kentry",
    "kentry_pt",
    "launch_kernel",
    "generic_kernel",
    "ParallelForAgent",
];

/// How wrappers begin that compile what they hold for some GPUs alone: `enable_sm90_or_later`.
const WRAPPER_FOR_GPUS: &str = "enable_";

/// How many template arguments of a wrapper are looked at.
const MOST_ARGUMENTS: usize = 4;

/// Wrappers in wrappers are followed so far.
const DEEPEST: usize = 4;

/// A name with the words of its parts. What is after a wrapper stands for the whole.
#[derive(Debug)]
pub(super) struct Reading<'a> {
    pub(super) parts: Parts<'a>,
    /// Namespaces of the wrapper.
    pub(super) outer_namespaces: Vec<&'a str>,
    /// The wrapper, or the function itself.
    pub(super) outer_function: &'a str,
    pub(super) function: Found,
    pub(super) namespaces: Found,
    /// The innermost namespace, or class.
    pub(super) innermost: Found,
    pub(super) arguments: Found,
    /// All template arguments.
    pub(super) types: &'a str,
    /// What a wrapper is by itself.
    pub(super) of_wrapper: Option<NamedKind>,
}

impl Tables {
    pub(super) fn read<'a>(&self, name: &'a str) -> Reading<'a> {
        let outer = Parts::of(name);
        let types = match (outer.arguments, &outer.of_classes[..]) {
            ("", [.., class]) => class,
            (arguments, _) => arguments,
        };
        let (outer_function, arguments) = (outer.function, self.words_of(types));
        let (mut outer_namespaces, mut of_wrapper) = (Vec::new(), None);
        let parts = match (of_cute_dsl(outer.function), self.behind_wrapper(&outer, 0)) {
            (Some(function), _) => Parts { function, ..outer },
            (None, Some(inner)) => {
                of_wrapper = self.kind_of_words(&outer);
                outer_namespaces = outer.namespaces;
                Parts { parameters: outer.parameters, ..inner }
            }
            (None, None) => outer,
        };
        let mut namespaces = Found::default();
        parts.namespaces.iter().for_each(|namespace| self.vocabulary.find(namespace, &mut namespaces));
        Reading {
            function: self.words_of(parts.function),
            namespaces,
            innermost: self.words_of(parts.namespaces.last().copied().unwrap_or_default()),
            arguments,
            outer_namespaces,
            outer_function,
            types,
            of_wrapper,
            parts,
        }
    }

    pub(super) fn words_of(&self, text: &str) -> Found {
        let mut found = Found::default();
        self.vocabulary.find(text, &mut found);
        found
    }

    /// What stands after a wrapper: of its template arguments the first that says what it computes.
    fn behind_wrapper<'a>(&self, parts: &Parts<'a>, depth: usize) -> Option<Parts<'a>> {
        let is_wrapper = WRAPPERS.contains(&parts.function) || parts.function.starts_with(WRAPPER_FOR_GPUS);
        if depth == DEEPEST || !is_wrapper {
            return None;
        }
        let candidates = parts.each_argument().take(MOST_ARGUMENTS).filter_map(Parts::of_argument);
        let followed = |candidate: Parts<'a>| self.behind_wrapper(&candidate, depth + 1).unwrap_or(candidate);
        // Lists of what a kernel works on describe it and are no function.
        let tells = |candidate: &Parts<'a>| {
            self.kind_of_words(candidate).is_some_and(|kind| kind != NamedKind::Preparation)
        };
        candidates.map(followed).find(tells)
    }

    /// What a function and its namespaces say.
    pub(super) fn kind_of_words(&self, parts: &Parts<'_>) -> Option<NamedKind> {
        let mut around = Found::default();
        parts.namespaces.iter().for_each(|namespace| self.vocabulary.find(namespace, &mut around));
        self.kinds.first(&self.words_of(parts.function), &around)
    }
}

/// The words before `_object_at_` in a name that the DSL of CUTLASS makes.
fn of_cute_dsl(function: &str) -> Option<&str> {
    let behind = function.strip_prefix("kernel_cutlass_")?;
    Some(behind.split_once("_object_at_").map_or(behind, |(words, _)| words))
}
