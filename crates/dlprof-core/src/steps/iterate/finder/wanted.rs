//! A candidate that a user names, as the list of candidates writes it.

use super::outcome::{DelimiterKind, IterationCandidate};

/// How the text of a range begins that stands for a candidate, whatever ops have that name.
pub(crate) const RANGE: &str = "range:";

/// How a period of kernels begins: `kernels:746:gemm` are 746 kernels of which `gemm` is the first.
pub(crate) const KERNELS: &str = "kernels:";

/// A candidate by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted<'a> {
    /// A range, by its name or by the names of the ranges around it and its own, each after a `/`.
    Range(&'a str),
    /// A period of kernels.
    Period {
        /// Kernels and whole graph launches in it.
        kernels: u32,
        /// The first one.
        name: &'a str,
    },
}

impl<'a> Wanted<'a> {
    /// What a text names that begins as candidates do; none for all other texts.
    #[must_use]
    pub(crate) fn parse(text: &'a str) -> Option<Self> {
        if let Some(name) = text.strip_prefix(RANGE) {
            return Some(Self::Range(name));
        }
        let (kernels, name) = text.strip_prefix(KERNELS)?.split_once(':')?;
        Some(Self::Period { kernels: kernels.parse().ok()?, name })
    }

    /// Whether a period of kernels is the candidate.
    pub(super) fn is_period(self, candidate: &IterationCandidate) -> bool {
        match (self, candidate.kind) {
            (Self::Period { kernels, name }, DelimiterKind::Period { kernels: own }) => {
                (kernels, name) == (own, candidate.name.as_str())
            }
            _ => false,
        }
    }
}

/// The text for a period of kernels.
pub(super) fn text_of_period(kernels: u32, name: &str) -> String {
    format!("{KERNELS}{kernels}:{name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_by_text() {
        assert_eq!(Wanted::parse("range:/a/b"), Some(Wanted::Range("/a/b")));
        let text = text_of_period(7, "ns::gemm<a, b>");
        assert_eq!(Wanted::parse(&text), Some(Wanted::Period { kernels: 7, name: "ns::gemm<a, b>" }));
        for other in ["step", "kernels:", "kernels:x:gemm", "kernels:7", "re:step"] {
            assert_eq!(Wanted::parse(other), None, "{other}");
        }
    }
}
