//! What a block is drawn on: so many columns, and the letters that the terminal has.

use crate::display::plain;
use crate::text::{pad, width};
use anstyle::Style;
use std::collections::BTreeMap;
use unicode_width::UnicodeWidthChar;

/// The letters that a terminal shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Letters {
    /// All of them.
    #[default]
    Unicode,
    /// ASCII alone; other letters of names become `?`.
    Ascii,
}

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

    fn ellipsis(self) -> &'static str {
        if self.is_ascii() { ".." } else { "…" }
    }

    /// A name of at most `columns`. It loses its middle; the last part of a path, or what stands in `<…>` behind a name, stays whole
    /// where that fits.
    pub(super) fn cut(self, name: &str, columns: usize) -> String {
        self.cut_in(name, columns, Cut::BeforeLastPart)
    }

    /// Words of at most `columns`, of which both ends matter.
    pub(super) fn cut_in_the_middle(self, words: &str, columns: usize) -> String {
        self.cut_in(words, columns, Cut::AtHalf)
    }

    fn cut_in(self, name: &str, columns: usize, way: Cut) -> String {
        let name = self.text(name);
        if width(&name) <= columns {
            return name;
        }
        let ellipsis = self.ellipsis();
        let room = columns.saturating_sub(width(ellipsis));
        let last_part = name.rfind(" <").or_else(|| name.rfind('/')).map_or(0, |at| width(&name[at..]));
        let head = match way {
            Cut::BeforeLastPart if last_part > 0 && last_part + 3 <= room => room - last_part,
            Cut::AtStart => room.min(3),
            Cut::BeforeLastPart | Cut::AtThird => room / 3,
            Cut::AtHalf => room / 2,
            Cut::AtTwoThirds => room * 2 / 3,
            Cut::AtEnd => room,
        };
        let head = take(name.chars(), head);
        let tail = take(name.chars().rev(), room - width(&head));
        format!("{head}{ellipsis}{}", tail.chars().rev().collect::<String>())
    }

    /// Names of at most `columns`; cut so that different names look different, where there is a way.
    pub(super) fn cut_apart(self, names: &[&str], columns: usize) -> Vec<String> {
        let cut = |way| names.iter().map(|name| self.cut_in(name, columns, way)).collect::<Vec<String>>();
        let mut best: Option<(usize, Vec<String>)> = None;
        for way in Cut::ALL {
            let shown = cut(way);
            let clashes = clashes(names, &shown);
            if best.as_ref().is_none_or(|(least, _)| clashes < *least) {
                best = Some((clashes, shown));
            }
            if clashes == 0 {
                break;
            }
        }
        best.map_or_else(Vec::new, |(_, shown)| shown)
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

/// Where a name loses letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cut {
    BeforeLastPart,
    AtStart,
    AtThird,
    AtHalf,
    AtTwoThirds,
    AtEnd,
}

impl Cut {
    /// All ways, the best one first.
    const ALL: [Self; 6] =
        [Self::BeforeLastPart, Self::AtStart, Self::AtThird, Self::AtHalf, Self::AtTwoThirds, Self::AtEnd];
}

/// How many names look like another one, though they are not.
fn clashes(names: &[&str], shown: &[String]) -> usize {
    let mut seen: BTreeMap<&str, &str> = BTreeMap::new();
    let mut clashes = 0;
    for (name, shown) in names.iter().zip(shown) {
        clashes += usize::from(seen.entry(shown).or_insert(name) != name);
    }
    clashes
}

/// The ASCII letters for one that is not.
fn ascii_of(letter: char) -> Option<&'static str> {
    Some(match letter {
        '±' => "+/-",
        '→' => "->",
        '×' => "x",
        'µ' | 'μ' => "u",
        '…' => "..",
        '−' | '–' | '—' => "-",
        '·' => "|",
        '≥' => ">=",
        '≤' => "<=",
        '■' => "X",
        '▲' => "!",
        '○' => "o",
        '█' => "#",
        '░' => ":",
        '≈' => "~",
        '\u{a0}' => " ",
        '’' | '‘' => "'",
        '“' | '”' => "\"",
        _ => return None,
    })
}

fn take(letters: impl Iterator<Item = char>, columns: usize) -> String {
    let mut used = 0;
    let fits = |letter: &char| {
        used += letter.width().unwrap_or(0);
        used <= columns
    };
    letters.take_while(fits).collect()
}

/// A number of columns for arithmetic.
pub(super) fn count(columns: usize) -> f64 {
    dlprof_core::ratios::count_to_f64(columns as u64)
}

/// The nearest number of columns; 0 for what is below.
pub(super) fn rounded(columns: f64) -> usize {
    usize::try_from(dlprof_core::ratios::whole(columns.max(0.0))).unwrap_or(usize::MAX)
}

/// A line that is being drawn. Styles take no columns.
#[derive(Debug, Clone, Default)]
pub(super) struct Line {
    text: String,
    columns: usize,
}

impl Line {
    /// A line of words.
    pub(super) fn of(words: impl AsRef<str>) -> Self {
        let mut line = Self::default();
        line.push(words);
        line
    }

    /// Adds words.
    pub(super) fn push(&mut self, words: impl AsRef<str>) {
        self.columns += width(words.as_ref());
        self.text.push_str(words.as_ref());
    }

    /// Adds words in a style.
    pub(super) fn push_styled(&mut self, words: &str, style: Style) {
        if words.is_empty() {
            return;
        }
        self.columns += width(words);
        self.text.push_str(&format!("{style}{words}{style:#}"));
    }

    /// Fills up with spaces.
    pub(super) fn pad_to(&mut self, columns: usize) {
        self.push(" ".repeat(columns.saturating_sub(self.columns)));
    }

    /// Adds words that end at a column.
    pub(super) fn push_right(&mut self, words: &str, columns: usize) {
        self.pad_to(columns.saturating_sub(width(words)));
        self.push(words);
    }

    /// Columns that it takes.
    pub(super) fn columns(&self) -> usize {
        self.columns
    }

    /// The text with its styles, without spaces at the end.
    pub(super) fn finished(&self) -> String {
        self.text.trim_end().to_owned()
    }

    /// Adds another line.
    pub(super) fn join(&mut self, other: &Self) {
        self.text.push_str(&other.text);
        self.columns += other.columns;
    }
}

/// The words of a heading on the left and what they are of on the right, as far as there is room.
pub(super) fn heading(left: &str, right: &str, columns: usize) -> Line {
    let mut line = Line::default();
    line.push_styled(left, super::TITLE);
    if line.columns() + 2 + width(right) <= columns {
        line.push_right(right, columns);
    }
    line
}

/// Parts joined by a separator, in as few lines of at most `columns` as they take; a part that is too long is wrapped.
pub(super) fn flow(parts: &[String], separator: &str, columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for part in parts {
        match lines.last_mut() {
            Some(line) if width(line) + width(separator) + width(part) <= columns => {
                line.push_str(separator);
                line.push_str(part);
            }
            previous => {
                // A separator at the end says that the line goes on.
                let tail = separator.trim_end();
                if let Some(line) = previous.filter(|line| width(line) + width(tail) <= columns) {
                    line.push_str(tail);
                }
                lines.extend(wrap_hard(part, columns));
            }
        }
    }
    lines.into_iter().map(|line| line.trim_end().to_owned()).collect()
}

/// Wraps a text at spaces; a word longer than a line is broken.
pub(super) fn wrap_hard(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(1);
    let mut lines = Vec::new();
    for line in crate::text::wrap(text, columns) {
        let mut rest = line.as_str();
        while width(rest) > columns {
            let head = take(rest.chars(), columns);
            if head.is_empty() {
                break;
            }
            rest = &rest[head.len()..];
            lines.push(head);
        }
        lines.push(rest.to_owned());
    }
    lines
}

/// Two blocks beside each other, the right one from a column on.
pub(super) fn beside(left: Vec<Line>, right: &[Line], column: usize) -> Vec<Line> {
    let rows = left.len().max(right.len());
    let mut left = left.into_iter();
    (0..rows)
        .map(|row| {
            let mut line = left.next().unwrap_or_default();
            if let Some(right) = right.get(row) {
                line.pad_to(column);
                line.join(right);
            }
            line
        })
        .collect()
}

/// A number in so many columns, to the right.
pub(super) fn right_aligned(text: &str, columns: usize) -> String {
    crate::text::pad_left(text, columns)
}

/// A text in so many columns, to the left.
pub(super) fn left_aligned(text: &str, columns: usize) -> String {
    pad(text, columns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PAPER: Paper = Paper { columns: 100, letters: Letters::Unicode };
    const ASCII: Paper = Paper { columns: 100, letters: Letters::Ascii };

    #[test]
    fn names_keep_what_tells_them_apart() {
        assert_eq!(PAPER.cut("short", 10), "short");
        assert_eq!(
            PAPER.cut("/forward/scaled dot product/computing softmax", 26),
            "/forwar…/computing softmax"
        );
        assert_eq!(
            ASCII.cut("/forward/scaled dot product/computing softmax", 26),
            "/forwa../computing softmax"
        );
        assert_eq!(PAPER.cut("ampere_sgemm_128x32_sliced1x4_nn", 20), "ampere…_sliced1x4_nn");
        let alike = ["kernel_first_of_them_all_here", "kernel_other_of_them_all_here"];
        let shown = PAPER.cut_apart(&alike, 20);
        assert_ne!(shown[0], shown[1]);
    }

    #[test]
    fn ascii_has_a_sign_for_every_letter() {
        assert_eq!(ASCII.text("±→×µ…−·模"), "+/-->xu..-|?");
        assert_eq!(ASCII.bar(0.5, 10), "#####");
        assert_eq!(PAPER.bar(0.55, 10), "█████▌");
        assert_eq!(ASCII.height(1.0), '#');
    }

    proptest! {
        #[test]
        fn cut_names_fit(name in "[a-z/模é_]{0,60}", columns in 3_usize..50) {
            prop_assert!(width(&PAPER.cut(&name, columns)) <= columns);
            prop_assert!(width(&ASCII.cut(&name, columns)) <= columns);
        }

        #[test]
        fn flowing_parts_fit(parts in prop::collection::vec("[a-z模 ]{0,40}", 0..6), columns in 4_usize..60) {
            for line in flow(&parts, " · ", columns) {
                prop_assert!(width(&line) <= columns, "{line}");
            }
        }
    }
}
