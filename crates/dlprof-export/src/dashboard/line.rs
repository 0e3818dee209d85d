//! Lines as they are drawn, and words over several lines.

use crate::text::{take_columns, width};
use anstyle::Style;

/// Of headings.
pub(super) const TITLE: Style = Style::new().bold();

/// Of what is read second.
pub(super) const QUIET: Style = Style::new().dimmed();

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
    line.push_styled(left, TITLE);
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

/// The same of parts with styles, each no longer than a line.
pub(super) fn flow_lines(parts: &[Line], separator: &str, columns: usize) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for part in parts {
        match lines.last_mut() {
            Some(line) if line.columns() + width(separator) + part.columns() <= columns => {
                line.push(separator);
                line.join(part);
            }
            _ => lines.push(part.clone()),
        }
    }
    lines
}

/// Wraps a text at spaces; a word longer than a line is broken.
pub(super) fn wrap_hard(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(1);
    let mut lines = Vec::new();
    for line in crate::text::wrap(text, columns) {
        let mut rest = line.as_str();
        while width(rest) > columns {
            let head = take_columns(rest.chars(), columns);
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn flowing_parts_fit(parts in prop::collection::vec("[a-z模 ]{0,40}", 0..6), columns in 4_usize..60) {
            for line in flow(&parts, " · ", columns) {
                prop_assert!(width(&line) <= columns, "{line}");
            }
        }
    }
}
