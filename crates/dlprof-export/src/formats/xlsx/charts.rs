//! The charts of the first sheet, and the sheet with their figures.

use super::super::bars::{self, Bar};
use super::sheet_names::FIGURES;
use crate::display::TimeUnit;
use crate::overview::{Overview, StepClass};
use crate::palette;
use dlprof_core::Profile;
use rust_xlsxwriter::{
    Chart, ChartAxisCrossing, ChartFormat, ChartLegendPosition, ChartLine, ChartPatternFill,
    ChartPatternFillType, ChartSolidFill, ChartType, Color, Format, Workbook, XlsxError,
};

/// Maximum number of columns in a chart, because more cannot be read.
const MOST_ITERATIONS: usize = 200;

/// The line of the figures of the step, and the first line of those of the iterations.
const STEP: u32 = 1;
const ITERATIONS: u32 = 4;

/// A part that bars are divided into.
type Part = (StepClass, bool);

/// The figures of the charts, in the unit of the first sheet.
pub(super) struct Figures {
    unit: TimeUnit,
    parts: Vec<Part>,
    /// The step and its idle time; none without kernel records.
    step: Option<[Vec<f64>; 2]>,
    iterations: Vec<Bar>,
    /// Where the axis of the iterations ends, in nanoseconds.
    full_ns: f64,
}

impl Figures {
    pub(super) fn of(profile: &Profile, overview: &Overview, unit: TimeUnit) -> Self {
        let scaled = |ns: f64| ns / unit.size_ns();
        let parts: Vec<Part> = bars::all_parts().collect();
        let step = overview.step.as_ref().map(|step| {
            let works = bars::of_step(step);
            let of_works = |part: &Part| {
                let same = works.iter().filter(|work| (work.class, work.is_waiting) == *part);
                scaled(same.map(|work| work.ns).sum())
            };
            let of_idle = |&(class, is_waiting): &Part| {
                let causes = step.idle.iter().filter(|row| is_waiting && row.class == class);
                scaled(causes.map(|row| row.ns).sum())
            };
            [parts.iter().map(of_works).collect(), parts.iter().map(of_idle).collect()]
        });
        let iterations = bars::of_iterations(profile, overview, MOST_ITERATIONS);
        let full_ns = bars::ticks(bars::full_ns(&iterations)).last().copied().unwrap_or(1.0);
        let iterations = if iterations.len() < 2 { Vec::new() } else { iterations };
        Self { unit, parts, step, iterations, full_ns }
    }

    /// The unit of the figures, and of all times of the first sheet.
    pub(super) fn unit(&self) -> TimeUnit {
        self.unit
    }

    /// Whether there is a chart of the iterations.
    pub(super) fn has_iterations(&self) -> bool {
        !self.iterations.is_empty()
    }

    /// How many iterations a column of the chart stands for.
    pub(super) fn iterations_of_a_bar(&self) -> u32 {
        self.iterations.first().map_or(1, |bar| bar.last - bar.first + 1)
    }

    /// The bars that the chart cuts, and where.
    pub(super) fn cut(&self) -> (Vec<&Bar>, f64) {
        (self.iterations.iter().filter(|bar| bars::is_cut(bar, self.full_ns)).collect(), self.full_ns)
    }

    fn scaled(&self, ns: f64) -> f64 {
        ns / self.unit.size_ns()
    }

    /// Adds the sheet with the figures, if there are any.
    pub(super) fn add(&self, workbook: &mut Workbook) -> Result<(), XlsxError> {
        if self.step.is_none() && !self.has_iterations() {
            return Ok(());
        }
        let sheet = workbook.add_worksheet().set_name(FIGURES)?;
        let bold = Format::new().set_bold();
        sheet.set_column_width(0, 18)?;
        let symbol = self.unit.symbol();
        sheet.write_string_with_format(0, 0, symbol, &bold)?;
        sheet.write_string_with_format(ITERATIONS - 1, 0, format!("Iteration, {symbol}"), &bold)?;
        for (column, part) in (1..).zip(&self.parts) {
            sheet.set_column_width(column, 16)?;
            for line in [0, ITERATIONS - 1] {
                sheet.write_string_with_format(line, column, bars::words(part.0, part.1), &bold)?;
            }
        }
        sheet.write_string_with_format(ITERATIONS - 1, self.outside(), OUTSIDE, &bold)?;
        if let Some(step) = &self.step {
            for ((line, name), figures) in (STEP..).zip(["step", "of it idle"]).zip(step) {
                sheet.write_string(line, 0, name)?;
                for (column, figure) in (1..).zip(figures) {
                    sheet.write_number(line, column, *figure)?;
                }
            }
        }
        for (line, bar) in (ITERATIONS..).zip(&self.iterations) {
            sheet.write_number(line, 0, bar.first)?;
            // A bar that is cut keeps its parts in proportion.
            let scale = if bars::is_cut(bar, self.full_ns) { self.full_ns / bar.ns } else { 1.0 };
            for (column, part) in (1..).zip(&bar.parts) {
                sheet.write_number(line, column, self.scaled(part.ns * scale))?;
            }
            if bar.parts.is_empty() {
                sheet.write_number(line, self.outside(), self.scaled(bar.ns * scale))?;
            }
        }
        Ok(())
    }

    /// The column of iterations whose parts are not known.
    fn outside(&self) -> u16 {
        u16::try_from(self.parts.len()).unwrap_or(u16::MAX - 1) + 1
    }

    /// The step as a bar, and below it its idle time as a bar of the same length; none without kernel records.
    pub(super) fn step_chart(&self, [width, height]: [u32; 2]) -> Option<Chart> {
        let step = self.step.as_ref()?;
        let mut chart = Chart::new(ChartType::BarPercentStacked);
        for (at, &part) in self.parts.iter().enumerate() {
            if step.iter().any(|figures| figures[at] > 0.0) {
                add_series(&mut chart, at, STEP, STEP + 1, &mut fill(part)).set_gap(25);
            }
        }
        // Without this crossing, the labels of a reversed axis would be above the bars.
        chart.y_axis().set_reverse().set_crossing(ChartAxisCrossing::Max);
        chart.x_axis().set_num_format("0 %").set_major_gridlines(false);
        Some(finished(chart, width, height))
    }

    /// The iterations as columns; none with fewer than two.
    pub(super) fn iterations_chart(&self, [width, height]: [u32; 2]) -> Option<Chart> {
        let last = u32::try_from(self.iterations.len()).ok().filter(|&count| count > 0)? + ITERATIONS - 1;
        let mut chart = Chart::new(ChartType::ColumnStacked);
        for (at, &part) in self.parts.iter().enumerate() {
            if self.iterations.iter().any(|bar| bar.parts.get(at).is_some_and(|part| part.ns > 0.0)) {
                add_series(&mut chart, at, ITERATIONS, last, &mut fill(part)).set_gap(20);
            }
        }
        if self.iterations.iter().any(|bar| bar.parts.is_empty()) {
            let at = self.parts.len();
            add_series(&mut chart, at, ITERATIONS, last, &mut solid(palette::OUTSIDE)).set_gap(20);
        }
        chart.y_axis().set_min(0).set_max(self.scaled(self.full_ns)).set_num_format("#,##0.###");
        chart.y_axis().set_major_gridlines_line(ChartLine::new().set_color(Color::RGB(palette::LINE)));
        Some(finished(chart, width, height))
    }
}

/// The name of the series of iterations whose parts are not known.
const OUTSIDE: &str = "not aggregated";

/// Adds the column of a part, with the lines from `first` to `last`; its name stands above the iterations.
fn add_series<'a>(
    chart: &'a mut Chart,
    part: usize,
    first: u32,
    last: u32,
    format: &mut ChartFormat,
) -> &'a mut rust_xlsxwriter::ChartSeries {
    let column = u16::try_from(part).unwrap_or(u16::MAX - 1) + 1;
    let series = chart.add_series();
    series
        .set_name((FIGURES, ITERATIONS - 1, column))
        .set_categories((FIGURES, first, 0, last, 0))
        .set_values((FIGURES, first, column, last, column))
        .set_format(format)
}

fn finished(mut chart: Chart, width: u32, height: u32) -> Chart {
    chart.set_width(width).set_height(height);
    chart.legend().set_position(ChartLegendPosition::Bottom);
    chart.chart_area().set_format(ChartFormat::new().set_no_border());
    chart
}

fn solid(color: u32) -> ChartFormat {
    let mut format = ChartFormat::new();
    format.set_solid_fill(ChartSolidFill::new().set_color(Color::RGB(color)));
    format
}

/// Solid where the GPU works, hatched where it waits.
fn fill((class, is_waiting): Part) -> ChartFormat {
    let color = palette::of_class(class);
    if !is_waiting {
        return solid(color);
    }
    let mut format = ChartFormat::new();
    format.set_pattern_fill(
        ChartPatternFill::new()
            .set_pattern(ChartPatternFillType::DiagonalStripesDarkUpwards)
            .set_foreground_color(Color::RGB(color))
            .set_background_color(Color::RGB(palette::paler(color))),
    );
    format
}
