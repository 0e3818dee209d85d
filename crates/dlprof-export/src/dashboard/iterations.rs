//! The iterations: how long they take, in figures and as a strip of bars.
//!
//! ```text
//!     0      1      2      3        with room: number, duration and bar of each
//!  9.7s    524    490    502
//!   ≈≈≈    ▇▇▇    ▇▇▇    ▇▇▇        cut, because it is far longer than the others
//!          ╰── aggregated ──╯
//! ```

use super::Look;
use super::line::{Line, heading};
use super::numbers::{TimeForm, tight_time};
use super::paper::Paper;
use crate::display::TimeUnit;
use crate::origin::UNKNOWN;
use crate::overview::{IterationRow, Iterations, Overview};
use crate::text::pad_left;
use dlprof_core::{IterationState, Ns, to_f64};

/// The block; nothing with fewer than two iterations.
pub(super) fn iterations(overview: &Overview, look: &Look<'_>, paper: Paper) -> Vec<Line> {
    let Some(iterations) = overview.iterations.as_ref().filter(|list| list.rows.len() > 1) else {
        return Vec::new();
    };
    let form = form(iterations, look.time_unit);
    let figures = format!(
        "{} to {}, median {}",
        form.number(to_f64(iterations.min_ns)),
        form.number(to_f64(iterations.max_ns)),
        form.number(iterations.median_ns)
    );
    let strip = Strip::of(&iterations.rows);
    let room = paper.columns.saturating_sub(2);
    let widest = strip.rows.iter().map(|row| strip.label(row, form).chars().count()).max().unwrap_or(0);
    let cell = (room / strip.rows.len()).min(7);
    let mut left = format!("Iterations, {}", paper.text(form.symbol()));
    let mut lines = if cell > widest.max(3) {
        strip.cells(cell, form, paper)
    } else {
        let per_bar = strip.rows.len().div_ceil(room);
        if per_bar > 1 {
            left.push_str(&format!(", a bar is {per_bar}, the longest counts"));
        }
        strip.bars(per_bar, paper)
    };
    left.push_str(&strip.legend(paper));
    lines.insert(0, heading(&left, &figures, paper.columns));
    lines
}

/// Whole numbers where they tell iterations apart.
fn form(iterations: &Iterations, unit: TimeUnit) -> TimeForm {
    TimeForm::whole_from_hundred(to_f64(iterations.max_ns), unit)
}

/// The iterations, and from which length on they are cut.
struct Strip<'a> {
    rows: &'a [IterationRow],
    /// Longer ones are cut.
    limit: Ns,
    /// The longest that is not cut.
    full: Ns,
}

impl<'a> Strip<'a> {
    fn of(rows: &'a [IterationRow]) -> Self {
        // What lies after the last iteration is none.
        let last = rows.iter().rposition(|row| row.is_aggregated || row.state != "outside");
        let rows = &rows[..last.map_or(rows.len(), |last| last + 1)];
        let aggregated = rows.iter().filter(|row| row.is_aggregated && row.state != "outside");
        let longest = aggregated.map(|row| row.duration_ns).max().unwrap_or(1);
        // One long warm-up must not flatten the rest.
        let limit = longest.saturating_mul(2);
        let full = rows.iter().map(|row| row.duration_ns).filter(|&ns| ns <= limit).max().unwrap_or(1);
        Self { rows, limit, full: full.max(1) }
    }

    /// The bar of some iterations: the longest counts. Those that hold no GPU work, or of which nothing is known, have a sign.
    fn sign(&self, rows: &[IterationRow], paper: Paper) -> char {
        if let Some((_, sign)) =
            signs(paper).into_iter().find(|(state, _)| rows.iter().all(|row| row.state == *state))
        {
            return sign;
        }
        let duration = rows.iter().map(|row| row.duration_ns).max().unwrap_or(0);
        match duration > self.limit {
            true if paper.is_ascii() => '~',
            true => '≈',
            false => paper.height(to_f64(duration) / to_f64(self.full)),
        }
    }

    /// What the signs say that are in use.
    fn legend(&self, paper: Paper) -> String {
        let in_use = |state: &str| self.rows.iter().any(|row| row.state == state);
        let said = signs(paper).into_iter().filter(|(state, _)| in_use(state));
        said.map(|(state, sign)| format!(", {sign} {state}")).collect()
    }

    /// The duration of an iteration; of one that is cut with its own unit.
    fn label(&self, row: &IterationRow, form: TimeForm) -> String {
        // On the clock of the GPU what holds no GPU work has no length, however long the program takes.
        if row.duration_ns == 0 {
            return UNKNOWN.to_owned();
        }
        if row.duration_ns <= self.limit {
            return form.number(to_f64(row.duration_ns));
        }
        tight_time(to_f64(row.duration_ns))
    }

    /// Number, duration and bar of each iteration, in cells of one width.
    fn cells(&self, cell: usize, form: TimeForm, paper: Paper) -> Vec<Line> {
        let row = |words: &dyn Fn(&IterationRow) -> String| {
            let cells = self.rows.iter().map(|row| pad_left(&paper.text(&words(row)), cell));
            Line::of(format!("  {}", cells.collect::<String>()))
        };
        let bar = |row: &IterationRow| self.sign(std::slice::from_ref(row), paper).to_string().repeat(3);
        let bars: String = self.rows.iter().map(|row| pad_left(&bar(row), cell)).collect();
        vec![
            row(&|row| row.iteration.to_string()),
            row(&|row| self.label(row, form)),
            Line::of(format!("  {bars}")),
            self.bracket(|at| 2 + cell * at + cell - 3, |at| 2 + cell * (at + 1), paper),
        ]
    }

    /// A bar per few iterations, with the numbers of some.
    fn bars(&self, per_bar: usize, paper: Paper) -> Vec<Line> {
        let chunks = self.rows.chunks(per_bar);
        let bars: String = chunks.map(|rows| self.sign(rows, paper)).collect();
        vec![
            Line::of(format!("  {}", self.numbers(per_bar))),
            Line::of(format!("  {bars}")),
            self.bracket(|at| 2 + at / per_bar, |at| 3 + at / per_bar, paper),
        ]
    }

    /// Round numbers above the bars of their iterations.
    fn numbers(&self, per_bar: usize) -> String {
        const APART: usize = 8;
        let step = round_at_least(APART * per_bar);
        let mut text = String::new();
        for (at, row) in self.rows.iter().enumerate().filter(|(at, _)| at % step == 0) {
            let column = at / per_bar;
            text.push_str(&" ".repeat(column.saturating_sub(text.len())));
            let number = row.iteration.to_string();
            if column + number.len() <= self.rows.len().div_ceil(per_bar).max(APART) {
                text.push_str(&number);
            }
        }
        text.trim_end().to_owned()
    }

    /// A line below the aggregated iterations.
    fn bracket(&self, start: impl Fn(usize) -> usize, end: impl Fn(usize) -> usize, paper: Paper) -> Line {
        let first = self.rows.iter().position(|row| row.is_aggregated).unwrap_or(0);
        let last = self.rows.iter().rposition(|row| row.is_aggregated).unwrap_or(0);
        let (from, to) = (start(first), end(last));
        let (corners, dash) = if paper.is_ascii() { (["^", "^"], "-") } else { (["╰", "╯"], "─") };
        let mut line = Line::of(" ".repeat(from));
        match to.saturating_sub(from) {
            0 | 1 => line.push(if paper.is_ascii() { "^" } else { "╵" }),
            long => {
                let words = if long >= "aggregated".len() + 6 { " aggregated " } else { "" };
                let dashes = long - 2 - words.len();
                let left = dashes / 2;
                line.push(format!(
                    "{}{}{words}{}{}",
                    corners[0],
                    dash.repeat(left),
                    dash.repeat(dashes - left),
                    corners[1]
                ));
            }
        }
        line
    }
}

/// The signs of iterations without GPU work, and of those of which nothing is known.
fn signs(paper: Paper) -> [(&'static str, char); 2] {
    let empty = if paper.is_ascii() { '.' } else { '·' };
    [(IterationState::Untraced.as_str(), '?'), (IterationState::Empty.as_str(), empty)]
}

/// The least of 1, 2, 5, 10, 20 … that is not below a number.
fn round_at_least(number: usize) -> usize {
    let mut decade = 1;
    loop {
        if let Some(round) =
            [1, 2, 5].map(|factor| factor * decade).into_iter().find(|&round| round >= number)
        {
            return round;
        }
        decade *= 10;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dashboard::Letters;

    fn rows(durations: &[Ns]) -> Vec<IterationRow> {
        let row = |(at, &duration_ns): (usize, &Ns)| IterationRow {
            iteration: u32::try_from(at).expect("few iterations"),
            label: None,
            duration_ns,
            is_aggregated: at > 0,
            state: if at > 0 { "steady" } else { "before" },
        };
        durations.iter().enumerate().map(row).collect()
    }

    #[test]
    fn a_long_iteration_is_cut_and_does_not_flatten_the_others() {
        let paper = Paper { columns: 100, letters: Letters::Unicode };
        let rows = rows(&[9_700_000_000, 500_000_000, 250_000_000]);
        let strip = Strip::of(&rows);
        let form = TimeForm::whole_from_hundred(5e8, TimeUnit::Auto);
        let lines: Vec<String> = strip.cells(6, form, paper).iter().map(Line::finished).collect();
        assert_eq!(
            lines,
            ["       0     1     2", "    9.7s   500   250", "     ≈≈≈   ███   ▄▄▄", "           ╰───────╯"]
        );
    }

    #[test]
    fn an_iteration_without_a_length_has_no_number() {
        let paper = Paper { columns: 100, letters: Letters::Unicode };
        let rows = rows(&[0, 500_000_000]);
        let form = TimeForm::whole_from_hundred(5e8, TimeUnit::Auto);
        let lines: Vec<String> = Strip::of(&rows).cells(6, form, paper).iter().map(Line::finished).collect();
        assert_eq!(lines[1], "       –   500");
    }

    #[test]
    fn untraced_and_empty_iterations_look_different() {
        let paper = Paper { columns: 100, letters: Letters::Unicode };
        let mut rows = rows(&[10, 10, 10, 10, 10]);
        rows[2].state = "empty";
        rows[3].state = "untraced";
        rows[4].state = "untraced";
        let strip = Strip::of(&rows);
        assert_eq!(strip.bars(1, paper)[1].finished(), "  ██·??");
        assert_eq!(strip.legend(paper), ", ? untraced, · empty");
        assert_eq!(strip.bars(2, paper)[1].finished(), "  ██?", "a bar is a sign if all of it is");
    }

    #[test]
    fn many_iterations_share_bars_below_round_numbers() {
        let paper = Paper { columns: 62, letters: Letters::Unicode };
        let durations: Vec<Ns> = (0..120).map(|_| 10).collect();
        let rows = rows(&durations);
        let lines: Vec<String> = Strip::of(&rows).bars(2, paper).iter().map(Line::finished).collect();
        assert_eq!(lines[0], "  0         20        40        60        80        100");
        assert_eq!(lines[1].chars().count(), 62);
        assert!(lines[2].contains("aggregated"));
        assert_eq!([1, 2, 3, 9, 11, 40].map(round_at_least), [1, 2, 5, 10, 20, 50]);
    }
}
