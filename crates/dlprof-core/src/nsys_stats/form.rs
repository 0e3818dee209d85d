//! Which version of nsys a report is to look like.

/// Whose reports are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NsysForm {
    /// nsys 2020.4.
    V2020,
    /// nsys 2022.4.
    V2022,
    /// nsys 2023.4.
    V2023,
    /// nsys 2024.2.
    V2024,
    /// nsys 2024.2 with its defects put right.
    Right,
}

impl NsysForm {
    /// Whether summaries have medians and deviations.
    pub(super) fn has_median(self) -> bool {
        self > Self::V2020
    }

    /// Whether reports have the names and columns of 2023 or later.
    pub(super) fn is_new(self) -> bool {
        self >= Self::V2023
    }

    /// What stands for an absent value.
    #[must_use]
    pub fn absent(self) -> &'static str {
        if self == Self::V2022 { "None" } else { "" }
    }
}
