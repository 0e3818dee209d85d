//! Sentences with code between backticks, in several lines.

use super::drawing::{Drawing, Kind, Style};
use super::layout::{line_height, wrap};

/// A part of a line in one style.
struct Piece {
    text: String,
    style: Style,
}

/// A sentence divided into lines.
pub(super) struct Lines {
    lines: Vec<Vec<Piece>>,
    height: f32,
}

impl Lines {
    /// Divides a text at spaces into at most `most` lines of a width. What does not fit is left out and shown as `…`.
    pub(super) fn new(drawing: &Drawing, text: &str, style: Style, room: f32, most: usize) -> Self {
        let mut lines: Vec<Vec<Piece>> = vec![Vec::new()];
        let mut used = 0.0;
        for (text, style) in words(text, style) {
            // A word that is longer than a line is broken anywhere.
            for part in wrap(drawing, &text, style, room, 12) {
                let space = drawing.width(" ", style);
                let width = drawing.width(part.trim_end(), style);
                if used > 0.0 && used + width > room {
                    lines.push(Vec::new());
                    used = 0.0;
                }
                used += width + if part.ends_with(' ') { space } else { 0.0 };
                match lines.last_mut().expect("there is a line") {
                    line if line.last().is_some_and(|last| last.style == style) => {
                        line.last_mut().expect("there is a piece").text.push_str(&part);
                    }
                    line => line.push(Piece { text: part, style }),
                }
            }
        }
        if lines.len() > most {
            lines.truncate(most);
            if let Some(line) = lines.last_mut() {
                line.push(Piece { text: "…".to_owned(), style });
            }
        }
        Self { lines, height: line_height(style) }
    }

    /// Height of all lines.
    pub(super) fn height(&self) -> f32 {
        self.lines.len() as f32 * self.height
    }

    /// Draws the lines from `y` downwards.
    pub(super) fn draw(&self, drawing: &mut Drawing, x: f32, y: f32) {
        for (number, line) in (1_u8..).zip(&self.lines) {
            let base = y + f32::from(number) * self.height - self.height * 0.25;
            let mut x = x;
            for piece in line {
                drawing.text(x, base, piece.style, &piece.text);
                x += drawing.width(&piece.text, piece.style);
            }
        }
    }
}

/// The words of a text, each with the space after it. What stands between backticks is in the code face.
fn words(text: &str, style: Style) -> Vec<(String, Style)> {
    let code = Style { kind: Kind::Code, size: style.size * 0.92, ..style };
    let mut words = Vec::new();
    for (number, part) in text.split('`').enumerate() {
        let style = if number % 2 == 1 { code } else { style };
        words.extend(part.split_inclusive(' ').map(|word| (word.to_owned(), style)));
    }
    words
}
