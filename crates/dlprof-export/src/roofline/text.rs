//! The roofline in letters: `/` and `-` are roofs, letters are points, a legend says what they are.

use super::amounts::{amount, power, power_of, three_digits};
use super::names::ShortNames;
use super::{RooflineFigure, bound_in_words};
use crate::display::{percentage, short_time};
use crate::origin::UNKNOWN;
use crate::text::{pad, pad_left, shorten_name, wrap};
use dlprof_core::{MemoryLevel, PlacedPoint, Roofline, StripPoint};

/// Size of the picture, without its axes.
const COLUMNS: usize = 60;
const ROWS: usize = 18;
/// Columns of the texts at the vertical axis, and the axis.
const AXIS: usize = 13;
/// Rows of the legend.
const LISTED: usize = 20;

/// How a roofline is written.
#[derive(Debug, Clone, Copy)]
pub struct RooflineLook {
    /// Columns of the terminal.
    pub columns: usize,
    /// Whether only letters of ASCII are used.
    pub is_ascii: bool,
}

/// A roofline as text, with its legend; each line ends with a line break. Empty without points.
#[must_use]
pub fn roofline_text(figure: &RooflineFigure, look: RooflineLook) -> String {
    let roofline = &figure.roofline;
    if roofline.is_empty() {
        return String::new();
    }
    let mut lines = Vec::new();
    if !roofline.points.is_empty() {
        lines.extend(picture(roofline, look.columns.saturating_sub(AXIS).clamp(20, COLUMNS)));
        lines.extend(roofs(roofline, look.columns));
    }
    lines.extend(wrap(&format!("({})", figure.basis), look.columns));
    let missing = figure.missing_roofs();
    if !missing.is_empty() {
        lines.extend(wrap(&format!("({missing})"), look.columns));
    }
    lines.push(String::new());
    lines.extend(legend(figure, look.columns));
    let text: String = lines.iter().map(|line| format!("{}\n", line.trim_end())).collect();
    if look.is_ascii { text.replace(UNKNOWN, "-").replace('…', "~").replace('µ', "u") } else { text }
}

/// Characters by row, from above, and column.
struct Canvas {
    cells: Vec<Vec<char>>,
    columns: usize,
}

impl Canvas {
    fn new(columns: usize) -> Self {
        Self { cells: vec![vec![' '; columns]; ROWS], columns }
    }

    /// The row and the column of a place in the frame.
    fn cell(&self, [x, y]: [f64; 2]) -> (usize, usize) {
        (ROWS - 1 - nearest(y, ROWS - 1), nearest(x, self.columns - 1))
    }

    fn put(&mut self, at: [f64; 2], c: char) {
        let (row, column) = self.cell(at);
        self.cells[row][column] = c;
    }

    fn is_free(&self, at: [f64; 2]) -> bool {
        let (row, column) = self.cell(at);
        !self.cells[row][column].is_alphanumeric()
    }
}

/// A share as a place among `last + 1`.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of few places")]
fn nearest(share: f64, last: usize) -> usize {
    (share.clamp(0.0, 1.0) * dlprof_core::count_to_f64(last as u64)).round() as usize
}

fn picture(roofline: &Roofline, columns: usize) -> Vec<String> {
    /// Steps along a line: more than it has cells.
    const STEPS: u32 = 400;
    let steps = || (0..=STEPS).map(|step| f64::from(step) / f64::from(STEPS));
    let mut canvas = Canvas::new(columns);
    for roof in roofline.flat.iter().rev() {
        for step in steps() {
            canvas.put([roof.from_x + (1.0 - roof.from_x) * step, roof.y], '-');
        }
    }
    for roof in &roofline.sloped {
        for step in steps() {
            let along = |axis: usize| roof.from[axis] + (roof.to[axis] - roof.from[axis]) * step;
            canvas.put([along(0), along(1)], '/');
        }
    }
    name_roofs(&mut canvas, roofline);
    for point in &roofline.points {
        // Those with more time stand before others.
        if canvas.is_free(point.at) {
            canvas.put(point.at, point.letter);
        }
    }
    with_axes(&canvas, roofline)
}

/// The name of each flat roof in its line, at the right.
fn name_roofs(canvas: &mut Canvas, roofline: &Roofline) {
    let mut named = Vec::new();
    for roof in &roofline.flat {
        let (row, from) = canvas.cell([roof.from_x, roof.y]);
        let name: Vec<char> = format!(" {} ", roof.name).chars().collect();
        let room = canvas.columns.saturating_sub(from + 4);
        if named.contains(&row) || name.len() > room {
            continue;
        }
        named.push(row);
        let start = canvas.columns - 2 - name.len();
        canvas.cells[row][start..start + name.len()].copy_from_slice(&name);
    }
}

/// The picture between its axes, with ticks at powers of ten.
fn with_axes(canvas: &Canvas, roofline: &Roofline) -> Vec<String> {
    let mut ticks: Vec<Option<String>> = vec![None; ROWS];
    for exponent in roofline.y.powers() {
        let share = roofline.y.share(10_f64.powi(exponent));
        ticks[canvas.cell([0.0, share]).0] = Some(power_of(exponent, "FLOP/s"));
    }
    let mut lines: Vec<String> = Vec::new();
    for (cells, tick) in canvas.cells.iter().zip(ticks) {
        let mark = if tick.is_some() { '+' } else { '|' };
        let cells: String = cells.iter().collect();
        lines.push(format!("{} {mark}{cells}", pad_left(&tick.unwrap_or_default(), AXIS - 2)));
    }
    let mut axis: Vec<char> = vec!['-'; canvas.columns];
    let mut below: Vec<char> = vec![' '; canvas.columns + AXIS];
    for exponent in roofline.x.powers() {
        let (_, column) = canvas.cell([roofline.x.share(10_f64.powi(exponent)), 0.0]);
        axis[column] = '+';
        let label: Vec<char> = power(exponent).chars().collect();
        let start = (AXIS + column).saturating_sub(label.len() / 2).min(below.len() - label.len());
        let before = start.saturating_sub(1);
        if below[before..start + label.len()].iter().all(|c| *c == ' ') {
            below[start..start + label.len()].copy_from_slice(&label);
        }
    }
    lines.push(format!("{}+{}", " ".repeat(AXIS - 1), axis.iter().collect::<String>()));
    lines.push(below.iter().collect());
    lines.push(format!("{}FLOP per byte", " ".repeat(AXIS)));
    lines
}

/// What the roofs are.
fn roofs(roofline: &Roofline, columns: usize) -> Vec<String> {
    let sloped = roofline
        .sloped
        .iter()
        .map(|roof| format!("/ {} {}", roof.level.in_words(), amount(roof.bytes_per_s, "B/s")));
    let flat = roofline.flat.iter().map(|roof| {
        let ridge = roofline.ridges.iter().find(|ridge| ridge.name == roof.name);
        let ridge = ridge.map(|ridge| format!(", ridge at {} FLOP/byte", three_digits(ridge.flop_per_byte)));
        format!("- {} {}{}", roof.name, amount(roof.flop_per_s, "FLOP/s"), ridge.unwrap_or_default())
    });
    let mut parts: Vec<String> = sloped.chain(flat).collect();
    if parts.is_empty() {
        parts.push("no roof is known".to_owned());
    }
    wrap(&parts.join("; "), columns)
}

/// A row of the legend: letter, name, figures.
struct Row {
    letter: char,
    name: String,
    cells: [String; 6],
}

/// What the letters are, as a table.
fn legend(figure: &RooflineFigure, columns: usize) -> Vec<String> {
    let roofline = &figure.roofline;
    let has_levels = roofline.points.iter().any(|point| point.level != MemoryLevel::Dram);
    let names = ShortNames::new(roofline, figure.of);
    let mut rows: Vec<(f64, Row)> = Vec::new();
    rows.extend(roofline.points.iter().map(|point| (point.time_ns, row_of(&names, point, has_levels))));
    rows.extend(roofline.strip.iter().map(|point| (point.time_ns, row_aside(&names, point))));
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    let left_out = rows.len().saturating_sub(LISTED);
    rows.truncate(LISTED);
    let titles = ["FLOP/byte", "rate", "time", "share", "DRAM", "bound"];
    let width = |at: usize| {
        let cells = rows.iter().map(|(_, row)| crate::text::width(&row.cells[at]));
        cells.max().unwrap_or(0).max(titles[at].len())
    };
    let widths: Vec<usize> = (0..titles.len()).map(width).collect();
    // The columns that go first where there is no room: time, use of DRAM, share.
    let mut shown: Vec<usize> = (0..titles.len()).collect();
    let taken = |shown: &[usize]| shown.iter().map(|&at| widths[at] + 2).sum::<usize>() + 3;
    for dropped in [2, 4, 3] {
        if taken(&shown) + 24 > columns {
            shown.retain(|&at| at != dropped);
        }
    }
    let room = columns.saturating_sub(taken(&shown)).clamp(12, 60);
    let longest = rows.iter().map(|(_, row)| crate::text::width(&row.name)).max().unwrap_or(0);
    let names = room.min(longest.max(figure.of.as_str().len()));
    let line = |letter: char, name: &str, cells: &[&str]| {
        let mut line = format!("{letter}  {}", pad(&shorten_name(name, names), names));
        for &at in &shown {
            line.push_str("  ");
            // What limits it is a word.
            let is_word = at == 5;
            line.push_str(&if is_word {
                pad(cells[at], widths[at])
            } else {
                pad_left(cells[at], widths[at])
            });
        }
        line
    };
    let mut lines = vec![line(' ', figure.of.as_str(), &titles)];
    lines.extend(rows.iter().map(|(_, row)| {
        let cells: Vec<&str> = row.cells.iter().map(String::as_str).collect();
        line(row.letter, &row.name, &cells)
    }));
    if left_out > 0 {
        lines.push(format!("   and {left_out} more with less time"));
    }
    if roofline.unknown > 0 {
        lines.push(format!("   of {} more, FLOP or bytes are not known", roofline.unknown));
    }
    lines
}

fn row_of(names: &ShortNames<'_>, point: &PlacedPoint, has_levels: bool) -> Row {
    let name = names.of(&point.name);
    let level = if has_levels { format!(" ({})", point.level.in_words()) } else { String::new() };
    Row {
        letter: point.letter,
        name: format!("{name}{level}"),
        cells: [
            three_digits(point.flop_per_byte),
            amount(point.flop_per_s, "FLOP/s"),
            short_time(point.time_ns, crate::display::TimeUnit::Auto),
            percentage(point.time_percent),
            percent_or_unknown(point.dram_percent),
            bound_in_words(point.bound).to_owned(),
        ],
    }
}

fn row_aside(names: &ShortNames<'_>, point: &StripPoint) -> Row {
    let without = if point.has_flop { "no bytes" } else { "no FLOP" };
    Row {
        letter: point.letter,
        name: names.of(&point.name).to_owned(),
        cells: [
            without.to_owned(),
            UNKNOWN.to_owned(),
            short_time(point.time_ns, crate::display::TimeUnit::Auto),
            percentage(point.time_percent),
            percent_or_unknown(point.dram_percent),
            bound_in_words(point.bound).to_owned(),
        ],
    }
}

fn percent_or_unknown(percent: Option<f64>) -> String {
    percent.map_or_else(|| UNKNOWN.to_owned(), percentage)
}

#[cfg(test)]
mod tests {
    use super::super::tests::figure;
    use super::*;

    #[test]
    fn roofs_and_points_are_where_they_belong() {
        let text = roofline_text(&figure(), RooflineLook { columns: 100, is_ascii: false });
        let lines: Vec<&str> = text.lines().collect();
        // 10^12 to 10^15 FLOP/s from below, 1 to 1,000 FLOP/byte from the left; A is at 10 and 10^13: a third of both.
        let rows: Vec<usize> = (0..ROWS).filter(|&row| lines[row].contains('A')).collect();
        assert_eq!(rows, [ROWS - 1 - 6], "{text}");
        assert_eq!(lines[rows[0]].chars().position(|c| c == 'A'), Some(AXIS + 20), "{text}");
        assert!(lines[0].trim_start().starts_with("1 PFLOP/s +"), "{text}");
        assert!(lines.iter().any(|line| line.contains("- tensor fp16 -")), "{text}");
        assert!(lines[..ROWS].iter().any(|line| line.contains('/')), "{text}");
        assert!(
            text.contains("/ DRAM 1.00 TB/s; - tensor fp16 100 TFLOP/s, ridge at 100 FLOP/byte"),
            "{text}"
        );
        assert!(text.contains("no FLOP"), "{text}");
        assert!(text.contains("of 1 more, FLOP or bytes are not known"), "{text}");
    }

    #[test]
    fn roofs_that_are_not_known_are_named() {
        let said = |unknown: &[&str]| {
            let mut figure = figure();
            figure.roofline.unknown_roofs = unknown.iter().map(ToString::to_string).collect();
            roofline_text(&figure, RooflineLook { columns: 200, is_ascii: false })
        };
        assert!(!said(&[]).contains("not known: points"), "{}", said(&[]));
        let one = "\n(the roof of tensor int8 is not known: points may lie above those drawn)\n";
        assert!(said(&["tensor int8"]).contains(one), "{}", said(&["tensor int8"]));
        let several = said(&["DRAM", "fp32", "tensor int8"]);
        assert!(several.contains("(the roofs of DRAM, fp32 and tensor int8 are not known: "), "{several}");
    }

    #[test]
    fn text_fits_the_terminal() {
        for columns in [60, 80, 100, 200] {
            let text = roofline_text(&figure(), RooflineLook { columns, is_ascii: true });
            for line in text.lines() {
                assert!(crate::text::width(line) <= columns, "{columns}: {line}");
                assert!(line.is_ascii(), "{line}");
            }
        }
    }

    #[test]
    fn without_points_nothing_is_drawn() {
        let mut figure = figure();
        figure.roofline = Roofline::new(&dlprof_core::RooflineSource::default());
        assert_eq!(roofline_text(&figure, RooflineLook { columns: 100, is_ascii: false }), "");
    }
}
