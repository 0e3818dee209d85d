//! What a block is drawn on: so many columns, and the letters that the terminal has.

use super::letters::{Letters, ascii_of};
use crate::display::plain;

/// What a block is drawn on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Paper {
    /// Columns that a line takes at most.
    pub(super) columns: usize,
    /// The letters.
    pub(super) letters: Letters,
}

impl Paper {
    /// The same with another number of columns.
    pub(super) fn of_columns(self, columns: usize) -> Self {
        Self { columns, ..self }
    }

    /// Whether there are only ASCII letters.
    pub(super) fn is_ascii(self) -> bool {
        self.letters == Letters::Ascii
    }

    /// A text in the letters of the terminal.
    pub(super) fn text(self, text: &str) -> String {
        let text = plain(text);
        if !self.is_ascii() {
            return text;
        }
        text.chars().fold(String::new(), |mut ascii, letter| {
            match ascii_of(letter) {
                Some(words) => ascii.push_str(words),
                None if letter.is_ascii() => ascii.push(letter),
                None => ascii.push('?'),
            }
            ascii
        })
    }

    /// What parts of a line are joined with.
    pub(super) fn separator(self) -> &'static str {
        if self.is_ascii() { " | " } else { " · " }
    }

    /// What stands for letters that were left out.
    pub(super) fn ellipsis(self) -> &'static str {
        if self.is_ascii() { ".." } else { "…" }
    }

    /// A bar of up to `columns` for a share from 0 to 1; never empty for a share above 0 that fills half an eighth.
    pub(super) fn bar(self, share: f64, columns: usize) -> String {
        const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
        let eighths = rounded(share.clamp(0.0, 1.0) * count(columns) * 8.0).min(columns * 8);
        if self.is_ascii() {
            return "#".repeat((eighths + 4) / 8);
        }
        format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8])
    }

    /// What fills the part of a bar in which the GPU works.
    pub(super) fn working(self) -> &'static str {
        if self.is_ascii() { "#" } else { "█" }
    }

    /// What fills the part of a bar in which the GPU waits.
    pub(super) fn waiting(self) -> &'static str {
        if self.is_ascii() { ":" } else { "░" }
    }

    /// The sign of an iteration of a height from 0 to 1.
    pub(super) fn height(self, share: f64) -> char {
        const ASCII: [char; 8] = ['.', '.', '-', '-', '*', '*', '%', '#'];
        let block = crate::text::bar_of(share);
        let place = |c: char| u32::from(c).saturating_sub(u32::from('▁')) as usize;
        if self.is_ascii() { ASCII[place(block).min(7)] } else { block }
    }
}

/// A number of columns for arithmetic.
pub(super) fn count(columns: usize) -> f64 {
    dlprof_core::count_to_f64(columns as u64)
}

/// The nearest number of columns; 0 for what is below.
pub(super) fn rounded(columns: f64) -> usize {
    usize::try_from(dlprof_core::whole(columns.max(0.0))).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAPER: Paper = Paper { columns: 100, letters: Letters::Unicode };
    const ASCII: Paper = Paper { columns: 100, letters: Letters::Ascii };

    #[test]
    fn ascii_has_a_sign_for_every_letter() {
        assert_eq!(ASCII.text("±→×µ…−·模"), "+/-->xu..-|?");
        assert_eq!(ASCII.bar(0.5, 10), "#####");
        assert_eq!(PAPER.bar(0.55, 10), "█████▌");
        assert_eq!(ASCII.height(1.0), '#');
    }
}
