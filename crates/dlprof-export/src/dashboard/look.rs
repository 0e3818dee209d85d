//! How a dashboard looks.

use super::letters::Letters;
use crate::display::TimeUnit;
use crate::ncu_command::NcuCommand;

/// Columns of a dashboard that is written to something without a width.
pub const COLUMNS: usize = crate::text::COLUMNS;

/// Whether texts carry escapes for colours and bold letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    /// Letters alone.
    Plain,
    /// ANSI escapes.
    Ansi,
}

/// How much a text shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Details {
    /// A screen: the best of everything.
    Best,
    /// All findings with the commands that list their evidence, members of folded ops, DLProf's figures, GPUs, key nodes.
    All,
}

/// How the dashboard looks.
#[derive(Debug, Clone, Copy)]
pub struct Look<'a> {
    /// A name to show before that of the file.
    pub profile_name: Option<&'a str>,
    /// Unit of times.
    pub time_unit: TimeUnit,
    /// Whether there are colours.
    pub colour: Colour,
    /// How much is shown.
    pub details: Details,
    /// Columns of the terminal; from 60 to 250 are used.
    pub columns: usize,
    /// The letters that the terminal has.
    pub letters: Letters,
    /// The command that measures kernels with Nsight Compute, for the details; none is shown without it.
    pub ncu: Option<&'a NcuCommand>,
}

impl Look<'_> {
    /// A look for tests and for outputs that are not terminals.
    #[must_use]
    pub fn plain() -> Self {
        Self {
            profile_name: None,
            time_unit: TimeUnit::Auto,
            colour: Colour::Plain,
            details: Details::Best,
            columns: COLUMNS,
            letters: Letters::Unicode,
            ncu: None,
        }
    }
}
