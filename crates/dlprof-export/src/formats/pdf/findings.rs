//! What to change: the findings by saving.

use super::charts::{Frame, right_text};
use super::drawing::Drawing;
use super::layout::{GREY, INK, RULE, SMALL, bold, style};
use super::rich::Lines;
use crate::display::{TimeUnit, short_time};
use crate::origin::UNKNOWN;
use crate::overview::FindingRow;
use crate::palette;

/// Width of the savings, and of the numbers.
const SAVING: f32 = 104.0;
const NUMBER: f32 = 26.0;

/// Space above and below a finding.
const PADDING: f32 = 4.0;

/// A finding divided into lines.
pub(super) struct FindingLines<'a> {
    number: usize,
    finding: &'a FindingRow,
    problem: Lines,
    advice: Lines,
}

impl<'a> FindingLines<'a> {
    /// Divides a finding into lines of a width.
    pub(super) fn new(drawing: &Drawing, number: usize, finding: &'a FindingRow, width: f32) -> Self {
        let room = width - SAVING - NUMBER;
        let problem = Lines::new(drawing, &finding.problem, bold(9.0, INK), room, 3);
        let advice = Lines::new(drawing, &finding.advice, style(8.5, palette::TEXT_2), room, 5);
        Self { number, finding, problem, advice }
    }

    pub(super) fn height(&self) -> f32 {
        (self.problem.height() + self.advice.height()).max(24.0) + 2.0 * PADDING
    }

    /// Draws the finding under a line.
    pub(super) fn draw(&self, drawing: &mut Drawing, frame: Frame, unit: TimeUnit) {
        let right = frame.x + frame.width;
        drawing.line((frame.x, frame.y), (right, frame.y), 0.5, RULE);
        let top = frame.y + PADDING;
        let look = style(9.0, GREY);
        drawing.text(frame.x, top + 9.0, look, &format!("{} {}", self.number, self.finding.mark));
        self.problem.draw(drawing, frame.x + NUMBER, top);
        self.advice.draw(drawing, frame.x + NUMBER, top + self.problem.height());
        let (figure, kind) = match &self.finding.saving {
            Some(saving) => {
                let most = saving.at_most_ns.filter(|_| saving.expected_ns.is_some());
                let most = most.map_or_else(String::new, |ns| format!("; at most −{}", short_time(ns, unit)));
                (format!("−{}", short_time(saving.ns(), unit)), format!("{}{most}", saving.kind()))
            }
            None => (UNKNOWN.to_owned(), self.finding.without_saving("saving not known").to_owned()),
        };
        right_text(drawing, right, top + 10.5, bold(11.0, INK), &figure);
        right_text(drawing, right, top + 20.5, SMALL, &kind);
    }
}
