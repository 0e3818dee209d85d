//! The charts of the dashboard sheet, and the cells with their figures.

use super::super::figures::{self, CLASS_COLORS};
use crate::display::TimeUnit;
use dlprof_core::profile::Profile;
use dlprof_core::ratios::to_f64;
use rust_xlsxwriter::{
    Chart, ChartAxisCrossing, ChartPoint, ChartSolidFill, ChartType, Color, Worksheet, XlsxError,
};

/// Name of the sheet.
pub(super) const SHEET: &str = "Dashboard";

/// Column of the first figures; they stand to the right of what people read.
const FIRST: u16 = 20;

/// The last line that a chart covers.
pub(super) const LAST_LINE: u32 = 50;

/// The last column that a chart covers.
pub(super) const LAST_COLUMN: u16 = 18;

/// Maximum number of columns in a chart, because more cannot be read.
const MOST_ITERATIONS: usize = 500;

/// Maximum number of bars in a chart, because more cannot be read.
const MOST_GPUS: usize = 32;

pub(super) fn add(sheet: &mut Worksheet, profile: &Profile) -> Result<(), XlsxError> {
    let (of_what, parts) = figures::resource_usage(profile);
    let title =
        if of_what.is_empty() { "Resource usage".into() } else { format!("Resource usage, {of_what}") };
    let series = |part: &figures::Part| (part.name.to_owned(), to_f64(part.ns));
    let usage = Series::write(sheet, FIRST, "Resource usage (ns)", parts.iter().map(series))?;
    sheet.insert_chart(3, 3, &doughnut(&title, usage, parts.iter().map(|part| part.color)))?;

    let kernels = figures::kernel_time(profile);
    let times = Series::write(sheet, FIRST + 3, "Kernel GPU time (ns)", kernels.iter().map(series))?;
    sheet.insert_chart(3, 11, &doughnut("Kernel GPU time", times, kernels.map(|part| part.color)))?;

    let gpus = figures::gpu_utilization(profile).into_iter().take(MOST_GPUS);
    let used = Series::write(sheet, FIRST + 6, "GPU utilization (%)", gpus)?;
    if used.count > 0 {
        let mut chart = bars("GPU utilization (%)", used, figures::NON_TC);
        chart.x_axis().set_min(0).set_max(100);
        sheet.insert_chart(18, 3, &chart)?;
    }

    let top = profile.top_ops();
    let ops = top.iter().map(|op| (profile.op_id(op.op).to_owned(), to_f64(op.times.gpu.sum)));
    let ops = Series::write(sheet, FIRST + 9, "GPU time of the top ops (ns)", ops)?;
    if ops.count > 0 {
        let mut chart = bars("Top ops by GPU time", ops, figures::TC);
        let longest = top.iter().map(|op| to_f64(op.times.gpu.sum)).fold(0.0, f64::max);
        chart.x_axis().set_num_format(time_format(longest));
        sheet.insert_chart(18, 11, &chart)?;
    }
    add_iterations(sheet, profile)
}

/// Names and figures below a title.
#[derive(Clone, Copy)]
struct Series {
    column: u16,
    count: u32,
}

impl Series {
    fn write(
        sheet: &mut Worksheet,
        column: u16,
        title: &str,
        series: impl Iterator<Item = (String, f64)>,
    ) -> Result<Self, XlsxError> {
        sheet.write_string(0, column, title)?;
        let mut count = 0;
        for (name, figure) in series {
            count += 1;
            sheet.write_string(count, column, name)?;
            sheet.write_number(count, column + 1, figure)?;
        }
        Ok(Self { column, count })
    }

    fn add_to(self, chart: &mut Chart) -> &mut rust_xlsxwriter::ChartSeries {
        let Self { column, count } = self;
        chart.add_series().set_categories((SHEET, 1, column, count, column)).set_values((
            SHEET,
            1,
            column + 1,
            count,
            column + 1,
        ))
    }
}

/// A number format that shows nanoseconds in the unit that fits the longest time. Every comma divides by a
/// thousand.
fn time_format(longest_ns: f64) -> &'static str {
    match TimeUnit::Auto.fitting(longest_ns) {
        TimeUnit::Us => "0.0,\" µs\"",
        TimeUnit::Ms => "0.0,,\" ms\"",
        TimeUnit::S => "0.0,,,\" s\"",
        TimeUnit::Auto | TimeUnit::Ns => "0\" ns\"",
    }
}

fn fill(color: u32) -> ChartSolidFill {
    let mut fill = ChartSolidFill::new();
    fill.set_color(Color::RGB(color));
    fill
}

fn doughnut(title: &str, series: Series, colors: impl IntoIterator<Item = u32>) -> Chart {
    let mut chart = Chart::new(ChartType::Doughnut);
    chart.title().set_name(title);
    let points: Vec<ChartPoint> =
        colors.into_iter().map(|color| ChartPoint::new().set_format(&mut fill(color))).collect();
    series.add_to(&mut chart).set_points(&points);
    chart
}

fn bars(title: &str, series: Series, color: u32) -> Chart {
    let mut chart = Chart::new(ChartType::Bar);
    chart.title().set_name(title);
    chart.legend().set_hidden();
    // Without this crossing, the labels of a reversed axis would be above the bars.
    chart.y_axis().set_reverse().set_crossing(ChartAxisCrossing::Max);
    series.add_to(&mut chart).set_format(&mut fill(color)).set_gap(40);
    chart
}

/// Iterations as columns stacked by class. If there are many iterations, each column is the average of several.
fn add_iterations(sheet: &mut Worksheet, profile: &Profile) -> Result<(), XlsxError> {
    let bars = figures::iterations(profile, MOST_ITERATIONS);
    let Some(first_bar) = bars.first() else { return Ok(()) };
    let title = match first_bar.last - first_bar.first + 1 {
        1 => "Iterations".to_owned(),
        count => format!("Iterations, each column is the average of {count}"),
    };
    let first = FIRST + 12;
    sheet.write_string(0, first, "Iteration")?;
    for (line, bar) in (1..).zip(&bars) {
        sheet.write_number(line, first, bar.first)?;
        for (column, ns) in (first + 1..).zip(bar.ns) {
            sheet.write_number(line, column, ns)?;
        }
    }
    let last = u32::try_from(bars.len()).unwrap_or(1);
    let mut chart = Chart::new(ChartType::ColumnStacked);
    chart.title().set_name(&title);
    let names = profile.summary.resources.by_class().map(|(name, _)| name);
    for (column, (name, color)) in (first + 1..).zip(names.into_iter().zip(CLASS_COLORS)) {
        sheet.write_string(0, column, name)?;
        chart
            .add_series()
            .set_name((SHEET, 0, column))
            .set_categories((SHEET, 1, first, last, first))
            .set_values((SHEET, 1, column, last, column))
            .set_format(&mut fill(color))
            .set_gap(20);
    }
    let longest = bars.iter().map(figures::Bar::total_ns).fold(0.0, f64::max);
    chart.y_axis().set_num_format(time_format(longest));
    chart.set_width(980);
    sheet.insert_chart(33, 3, &chart).map(drop)
}
