//! A table that can be written as text or as Markdown.

use crate::display::{changes_others, plain};
use unicode_width::UnicodeWidthStr;

/// Rows of cells below a header.
pub(crate) struct Grid {
    /// Titles. A title that begins with `>` belongs to a column of numbers, which are aligned to the right.
    header: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

impl Grid {
    pub(crate) fn new(header: &[&'static str]) -> Self {
        Self { header: header.to_vec(), rows: Vec::new() }
    }

    pub(crate) fn push(&mut self, row: Vec<String>) {
        self.rows.push(row.iter().map(|cell| plain(cell)).collect());
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    fn titles(&self) -> Vec<String> {
        self.header.iter().map(|title| title.trim_start_matches('>').to_owned()).collect()
    }

    fn is_right(&self, column: usize) -> bool {
        self.header.get(column).is_some_and(|title| title.starts_with('>'))
    }

    /// The table as text: aligned columns with two spaces before each.
    pub(crate) fn text(&self) -> String {
        let titles = self.titles();
        let all = || std::iter::once(&titles).chain(&self.rows);
        let widths: Vec<usize> = (0..self.header.len())
            .map(|column| all().map(|row| row[column].width()).max().unwrap_or(0))
            .collect();
        let line = |row: &Vec<String>| {
            let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, width))| {
                let space = " ".repeat(width - cell.width());
                if self.is_right(column) { format!("{space}{cell}") } else { format!("{cell}{space}") }
            });
            format!("  {}\n", cells.collect::<Vec<_>>().join("  ").trim_end())
        };
        all().map(line).collect()
    }

    /// The table as Markdown.
    pub(crate) fn markdown(&self) -> String {
        let line = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|cell| escape(cell)).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let rule = |column| if self.is_right(column) { "---:" } else { "---" };
        let rules: Vec<&str> = (0..self.header.len()).map(rule).collect();
        let rows: String = self.rows.iter().map(|row| line(row)).collect();
        format!("{}| {} |\n{rows}", line(&self.titles()), rules.join(" | "))
    }
}

/// A text escaped so that Markdown shows it unchanged.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        if matches!(c, '|' | '*' | '_' | '`' | '<' | '>' | '[' | ']' | '\\' | '#') {
            escaped.push('\\');
        }
        escaped.push(if changes_others(c) { ' ' } else { c });
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(rows: &[[&str; 2]]) -> Grid {
        let mut grid = Grid::new(&["name", ">time"]);
        rows.iter().for_each(|row| grid.push(row.map(str::to_owned).into()));
        grid
    }

    #[test]
    fn numbers_are_aligned_to_the_right() {
        let text = grid(&[["gemm", "1,204.5"], ["a longer name", "7.0"]]).text();
        assert_eq!(text, "  name              time\n  gemm           1,204.5\n  a longer name      7.0\n");
        assert!(grid(&[]).is_empty());
        assert_eq!(grid(&[]).text(), "  name  time\n");
    }

    #[test]
    fn wide_letters_take_two_columns() {
        let text = grid(&[["\u{4E2D}\u{6587}", "1"], ["abcd", "2"]]).text();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1..], ["  \u{4E2D}\u{6587}     1", "  abcd     2"]);
    }

    #[test]
    fn markdown_shows_cells_as_they_are() {
        let text = grid(&[["a|b*c", "<1>"], ["two\nlines", "`x`"]]).markdown();
        let expected = "| name | time |\n| --- | ---: |\n| a\\|b\\*c | \\<1\\> |\n| two lines | \\`x\\` |\n";
        assert_eq!(text, expected);
    }
}
