//! A first sheet of sentences: what was found, on what it rests, what to change.

use super::grid::{ADVICE_CHARS, ALL, CHARS, Grid, LAST, text};
use super::links::Links;
use super::sheet::{A4, FOOTER};
use super::sheet_names::FRONT;
use crate::palette;
use rust_xlsxwriter::{Format, FormatAlign, FormatBorder, Workbook, XlsxError};

/// What the sheet says.
pub(crate) struct Sentences {
    pub(crate) title: String,
    pub(crate) verdict: String,
    /// What it rests on, and what is missing.
    pub(crate) lines: Vec<String>,
    /// What savings are about.
    pub(crate) about_savings: String,
    pub(crate) findings: Vec<SavingFinding>,
    /// The table that has all findings.
    pub(crate) findings_table: &'static str,
}

/// A finding in words.
pub(crate) struct SavingFinding {
    pub(crate) problem: String,
    /// What it would save.
    pub(crate) saving: String,
    pub(crate) advice: String,
}

impl Sentences {
    pub(super) fn add(&self, workbook: &mut Workbook, links: &Links) -> Result<(), XlsxError> {
        let sheet = workbook.add_worksheet().set_name(FRONT)?;
        sheet.set_screen_gridlines(false);
        let mut grid = Grid { sheet, line: 0 };
        grid.set_columns()?;
        grid.paragraph(ALL, &self.title, &text(10.0, palette::TEXT_3), (CHARS, 15.0))?;
        grid.paragraph(ALL, &self.verdict, &text(16.0, palette::TEXT).set_bold(), (90, 22.0))?;
        for line in &self.lines {
            grid.paragraph(ALL, line, &text(10.0, palette::TEXT_2), (CHARS, 15.0))?;
        }
        grid.line += 1;
        let title = match self.findings.is_empty() {
            true => "What to change: no finding".to_owned(),
            false => format!("What to change: {}", self.about_savings),
        };
        grid.heading(ALL, &title, links.to_table(self.findings_table))?;
        grid.line += 1;
        self.findings.iter().try_for_each(|finding| finding.add(&mut grid))?;
        let last = grid.line;
        sheet.set_print_area(0, 0, last, LAST)?;
        sheet.set_landscape().set_paper_size(A4).set_print_fit_to_pages(1, 0).set_footer(FOOTER);
        Ok(())
    }
}

impl SavingFinding {
    fn add(&self, grid: &mut Grid<'_>) -> Result<(), XlsxError> {
        let right = Format::new().set_align(FormatAlign::Right).set_align(FormatAlign::Top).set_bold();
        grid.sheet.write_string_with_format(grid.line, LAST, &self.saving, &right)?;
        grid.paragraph((0, LAST - 2), &self.problem, &text(11.0, palette::TEXT).set_bold(), (118, 15.0))?;
        let below = text(10.0, palette::TEXT_2)
            .set_indent(2)
            .set_border_bottom(FormatBorder::Hair)
            .set_border_bottom_color(palette::LINE_2);
        grid.paragraph((0, LAST - 2), &self.advice, &below, (ADVICE_CHARS, 14.0))
    }
}
