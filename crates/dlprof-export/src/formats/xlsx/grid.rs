//! The grid of the first sheet: two halves side by side, each a column for names and four for figures.

use super::super::short_names;
use super::cells;
use crate::palette;
use rust_xlsxwriter::{
    Color, ConditionalFormatDataBar, Format, FormatAlign, FormatBorder, Url, Worksheet, XlsxError,
};

/// A half of the sheet: its column of names; the figures stand in the next four.
#[derive(Debug, Clone, Copy)]
pub(super) enum Half {
    Left,
    Right,
}

impl Half {
    pub(super) fn first(self) -> u16 {
        match self {
            Self::Left => 0,
            Self::Right => 6,
        }
    }

    pub(super) fn last(self) -> u16 {
        self.first() + 4
    }
}

/// The last column.
pub(super) const LAST: u16 = 10;

/// Characters of a name.
const NAME: usize = 36;
const NAME_WIDTH: f64 = 37.0;
const FIGURE_WIDTH: f64 = 10.0;
const GAP_WIDTH: f64 = 3.0;

/// Pixels of all columns together: seven a character, and five a column.
pub(super) const WIDTH: u32 = 2 * (37 * 7 + 5) + 8 * (10 * 7 + 5) + (3 * 7 + 5);

/// Characters of a text over all columns, and over all but those of a saving.
pub(super) const CHARS: usize = 145;

/// All columns.
pub(super) const ALL: (u16, u16) = (0, LAST);
pub(super) const ADVICE_CHARS: usize = 132;

/// Pixels of a line.
pub(super) const LINE: u32 = 20;

/// The sheet as it is filled from top to bottom.
pub(super) struct Grid<'a> {
    pub(super) sheet: &'a mut Worksheet,
    /// The next line.
    pub(super) line: u32,
}

/// How a text looks.
pub(super) fn text(size: f64, color: u32) -> Format {
    Format::new().set_font_size(size).set_font_color(Color::RGB(color)).set_align(FormatAlign::Top)
}

/// A figure with a number format.
pub(super) fn figure(code: &str) -> Format {
    Format::new().set_num_format(code).set_align(FormatAlign::Right)
}

/// A row of a table on the first sheet.
pub(super) struct Row {
    pub(super) name: String,
    /// None where a figure is not known.
    pub(super) figures: Vec<Option<f64>>,
}

impl Grid<'_> {
    pub(super) fn set_columns(&mut self) -> Result<(), XlsxError> {
        for half in [Half::Left, Half::Right] {
            self.sheet.set_column_width(half.first(), NAME_WIDTH)?;
            for column in half.first() + 1..=half.last() {
                self.sheet.set_column_width(column, FIGURE_WIDTH)?;
            }
        }
        self.sheet.set_column_width(Half::Left.last() + 1, GAP_WIDTH)?;
        Ok(())
    }

    /// A text over columns `first` to `last`, in as many lines as it needs.
    pub(super) fn paragraph(
        &mut self,
        (first, last): (u16, u16),
        shown: &str,
        format: &Format,
        (chars, height): (usize, f64),
    ) -> Result<(), XlsxError> {
        let wrapped = format.clone().set_text_wrap();
        let shown = cells::fitting(shown);
        self.sheet.merge_range(self.line, first, self.line, last, &shown, &wrapped)?;
        if shown.contains('`') {
            self.write_with_code(first, &shown, &wrapped)?;
        }
        let lines = lines(&shown, chars).min(24);
        self.sheet.set_row_height(self.line, height * f64::from(lines))?;
        self.line += 1;
        Ok(())
    }

    /// Writes a text, with what stands between backticks in a code face.
    fn write_with_code(&mut self, column: u16, text: &str, format: &Format) -> Result<(), XlsxError> {
        let code = format.clone().set_font_name("Courier New");
        let parts: Vec<(&Format, &str)> = text
            .split('`')
            .enumerate()
            .map(|(number, part)| (if number % 2 == 1 { &code } else { format }, part))
            .filter(|(_, part)| !part.is_empty())
            .collect();
        self.sheet.write_rich_string_with_format(self.line, column, &parts, format).map(drop)
    }

    /// A heading with a line below it, over columns `first` to `last`; `more` is a link at its end.
    pub(super) fn heading(
        &mut self,
        (first, last): (u16, u16),
        title: &str,
        more: Option<(&str, String)>,
    ) -> Result<(), XlsxError> {
        let line =
            Format::new().set_border_bottom(FormatBorder::Thin).set_border_bottom_color(palette::LINE_2);
        for column in first..=last {
            self.sheet.write_blank(self.line, column, &line)?;
        }
        let bold = line.clone().set_bold().set_font_size(12);
        self.sheet.write_string_with_format(self.line, first, title, &bold)?;
        if let Some((name, link)) = more {
            let format = line
                .set_align(FormatAlign::Right)
                .set_font_color(Color::RGB(palette::ACCENT))
                .set_underline(rust_xlsxwriter::FormatUnderline::Single);
            let url = Url::new(link).set_text(format!("all: {name}"));
            self.sheet.write_url_with_format(self.line, last, url, &format)?;
        }
        Ok(())
    }

    /// A table in a half, from the next line on. Returns how many lines it takes. The first column of figures has bars.
    pub(super) fn table(
        &mut self,
        half: Half,
        titles: &[&str],
        formats: &[String],
        rows: &[Row],
    ) -> Result<u32, XlsxError> {
        let head = text(9.0, palette::TEXT_3);
        for (column, title) in (half.first()..).zip(titles) {
            let format = if column == half.first() {
                head.clone()
            } else {
                head.clone().set_align(FormatAlign::Right)
            };
            self.sheet.write_string_with_format(self.line, column, *title, &format)?;
        }
        let names: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
        let names = short_names::cut(&names, |text| text.chars().count() <= NAME);
        let formats: Vec<Format> = formats.iter().map(|code| figure(code)).collect();
        let unknown = Format::new().set_align(FormatAlign::Right);
        let mut line = self.line;
        for (row, name) in rows.iter().zip(&names) {
            line += 1;
            self.sheet.write_string(line, half.first(), name)?;
            for ((column, figure), format) in (half.first() + 1..).zip(&row.figures).zip(&formats) {
                match figure {
                    Some(number) => self.sheet.write_number_with_format(line, column, *number, format)?,
                    None => {
                        self.sheet.write_string_with_format(line, column, crate::origin::UNKNOWN, &unknown)?
                    }
                };
            }
        }
        if rows.len() > 1 {
            let bar = ConditionalFormatDataBar::new().set_fill_color(palette::KERNEL).set_solid_fill(true);
            let column = half.first() + 1;
            self.sheet.add_conditional_format(self.line + 1, column, line, column, &bar)?;
        }
        Ok(line + 1 - self.line)
    }
}

/// How many lines a text needs in so many characters.
fn lines(text: &str, chars: usize) -> u32 {
    u32::try_from(text.chars().count().div_ceil(chars).max(1)).unwrap_or(1)
}
