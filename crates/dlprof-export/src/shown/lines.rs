//! The lines of a table: its titles, then its rows.

use super::cells::Cells;
use super::columns::{GAP, Shown, ShownColumn, title_lines};
use crate::text::{pad, pad_left, shorten_name, width, wrap};
use std::io::{self, Write};

/// Writes the titles and the rows.
pub(super) fn write(cells: &Cells<'_>, shown: &Shown, out: &mut dyn Write) -> io::Result<()> {
    let titles: Vec<Vec<String>> = shown
        .columns
        .iter()
        .map(|at| match shown.is_cut {
            true => title_lines(&cells.title(at.column), cells.widths[at.column].min(at.width)),
            false => vec![cells.title(at.column)],
        })
        .collect();
    // Titles end on one line, the last one.
    let height = titles.iter().map(Vec::len).max().unwrap_or(0);
    for line in 0..height {
        let texts =
            titles.iter().map(|lines| (line + lines.len()).checked_sub(height).map(|at| lines[at].clone()));
        write_line(cells, shown, texts.map(Option::unwrap_or_default), out)?;
    }
    for row in 0..cells.table.rows() {
        let texts: Vec<Vec<String>> =
            shown.columns.iter().map(|at| cell_lines(cells, shown, row, at)).collect();
        let height = texts.iter().map(Vec::len).max().unwrap_or(0);
        for line in 0..height {
            let texts = texts.iter().map(|lines| lines.get(line).cloned().unwrap_or_default());
            write_line(cells, shown, texts, out)?;
        }
    }
    Ok(())
}

/// A cell: one line, or the lines of a sentence.
fn cell_lines(cells: &Cells<'_>, shown: &Shown, row: usize, at: &ShownColumn) -> Vec<String> {
    let cell = cells.cell(row, at.column);
    if !shown.is_cut {
        return vec![cell];
    }
    if cells.is_sentence(at.column) {
        return wrap(&broken(&cell, at.width), at.width);
    }
    vec![if cells.is_text(at.column) { shorten_name(&cell, at.width) } else { cell }]
}

/// A sentence in which words that are longer than a line are broken.
fn broken(sentence: &str, columns: usize) -> String {
    let word = |word: &str| {
        let chars: Vec<char> = word.chars().collect();
        let parts = chars.chunks(if width(word) > columns { columns.max(2) / 2 } else { chars.len().max(1) });
        parts.map(|part| part.iter().collect::<String>()).collect::<Vec<_>>().join(" ")
    };
    sentence.split_whitespace().map(word).collect::<Vec<_>>().join(" ")
}

fn write_line(
    cells: &Cells<'_>,
    shown: &Shown,
    texts: impl Iterator<Item = String>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let gap = " ".repeat(GAP);
    let mut line = String::new();
    for (at, text) in shown.columns.iter().zip(texts) {
        if !line.is_empty() {
            line.push_str(&gap);
        }
        line.push_str(&if cells.is_number(at.column) {
            pad_left(&text, at.width)
        } else {
            pad(&text, at.width)
        });
    }
    writeln!(out, "{}", line.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_words_longer_than_a_line_are_broken() {
        assert_eq!(broken("short words stay", 10), "short words stay");
        assert_eq!(broken("abcdefghijkl is long", 8), "abcd efgh ijkl is long");
        assert_eq!(broken("", 8), "");
        for columns in 0..4 {
            let text = broken("abcdefgh", columns);
            assert_eq!(text.replace(' ', ""), "abcdefgh", "nothing is lost in {columns} columns");
        }
    }

    #[test]
    fn titles_take_two_lines_where_their_cells_are_narrow() {
        assert_eq!(title_lines("GPU Time (ms)", 20), ["GPU Time (ms)"]);
        assert_eq!(title_lines("GPU Time (ms)", 4), ["GPU Time", "(ms)"]);
        assert_eq!(title_lines("Calls", 1), ["Calls"], "a word is never cut");
        assert_eq!(title_lines("", 3), [""]);
    }
}
