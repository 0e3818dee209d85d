//! The first sheet: verdict, tiles, where a step goes, what to change, iterations, top kernels and ops, system.

use super::super::scale::Scale;
use super::cells::{PERCENT, times_code};
use super::charts::Figures;
use super::grid::{ADVICE_CHARS, ALL, CHARS, Grid, Half, LAST, LINE, Row, WIDTH, figure, text};
use super::links::Links;
use super::sheet::{A4, FOOTER};
use super::sheet_names::FRONT;
use super::top;
use crate::display::{TimeUnit, short_time};
use crate::overview::{FindingRow, Overview, Step};
use crate::palette;
use rust_xlsxwriter::{Format, FormatAlign, FormatBorder, Workbook, XlsxError};

/// How many causes of idle time are listed.
const MOST: usize = 10;

/// Lines that charts cover.
const STEP_LINES: u32 = 8;
const ITERATION_LINES: u32 = 12;

pub(super) fn add(
    workbook: &mut Workbook,
    overview: &Overview,
    title: &str,
    figures: &Figures,
    links: &Links,
    empty: &[&str],
) -> Result<(), XlsxError> {
    let unit = figures.unit();
    let sheet = workbook.add_worksheet().set_name(FRONT)?;
    sheet.set_screen_gridlines(false);
    let mut grid = Grid { sheet, line: 0 };
    grid.set_columns()?;
    head(&mut grid, overview, title)?;
    tiles(&mut grid, overview, unit)?;
    step(&mut grid, overview, figures, links)?;
    findings(&mut grid, overview, unit, links)?;
    iterations(&mut grid, overview, figures, links)?;
    top::kernels(&mut grid, overview, unit, links)?;
    top::ops(&mut grid, overview, unit, links)?;
    system(&mut grid, overview)?;
    no_rows(&mut grid, empty)?;
    let last = grid.line;
    sheet.set_print_area(0, 0, last, LAST)?;
    sheet.set_landscape().set_paper_size(A4).set_print_fit_to_pages(1, 0).set_footer(FOOTER);
    sheet.set_margins(0.4, 0.4, 0.5, 0.6, 0.3, 0.3);
    Ok(())
}

/// The profile, the verdict, and what the figures are about.
fn head(grid: &mut Grid<'_>, overview: &Overview, title: &str) -> Result<(), XlsxError> {
    grid.paragraph(ALL, title, &text(10.0, palette::TEXT_3), (CHARS, 15.0))?;
    grid.paragraph(ALL, &overview.verdict, &text(16.0, palette::TEXT).set_bold(), (90, 22.0))?;
    for said in overview.said_below() {
        grid.paragraph(ALL, said, &text(12.0, palette::TEXT_2), (120, 17.0))?;
    }
    for said in &overview.serving {
        grid.paragraph(ALL, said, &text(11.0, palette::TEXT), (CHARS, 16.0))?;
    }
    let captured = overview.captured_at.as_ref().map(|date| format!("captured {date}"));
    let window: Vec<String> = overview.window.parts.iter().cloned().chain(captured).collect();
    let window = window.join(" · ");
    grid.paragraph(ALL, &window, &text(10.0, palette::TEXT_2), (CHARS, 15.0))?;
    grid.line += 1;
    Ok(())
}

/// A figure in large type over its name.
struct Tile {
    columns: (u16, u16),
    value: Option<f64>,
    code: String,
    name: String,
}

fn tiles(grid: &mut Grid<'_>, overview: &Overview, unit: TimeUnit) -> Result<(), XlsxError> {
    let tiles = &overview.tiles;
    let scale = Scale::of(tiles.iteration_ns, unit);
    let items = tiles.items_per_s.map_or_else(String::new, |items| format!(", {items:.1} items/s"));
    let labels = overview.labels.clone();
    let deviation = tiles.deviation_in_words(unit);
    let all = [
        Tile {
            columns: (0, 0),
            value: Some(scale.value(tiles.iteration_ns)),
            code: format!("{}\" {}{deviation}\"", times_code(scale), scale.symbol()),
            name: labels.iteration_ns + &items,
        },
        Tile {
            columns: (1, 4),
            value: tiles.gpu_busy_percent.map(|share| share / 100.0),
            code: "0.0 %".to_owned(),
            name: labels.gpu_busy_percent,
        },
        Tile {
            columns: (6, 6),
            value: tiles.tensor_core_percent.map(|share| share / 100.0),
            code: "0.0 %".to_owned(),
            name: labels.tensor_core_percent.to_owned(),
        },
        Tile { columns: (7, 10), value: tiles.kernels, code: "#,##0".to_owned(), name: labels.kernels },
    ];
    let border = |format: Format| {
        format.set_background_color(palette::SUNKEN).set_align(FormatAlign::Left).set_indent(1)
    };
    for Tile { columns: (first, last), value, code, name } in all {
        let big = border(figure(&code).set_font_size(18).set_bold());
        let small = border(text(9.0, palette::TEXT_2));
        if last > first {
            grid.sheet.merge_range(grid.line, first, grid.line, last, "", &big)?;
            grid.sheet.merge_range(grid.line + 1, first, grid.line + 1, last, "", &small)?;
        }
        match value {
            Some(value) => grid.sheet.write_number_with_format(grid.line, first, value, &big)?,
            None => grid.sheet.write_string_with_format(grid.line, first, crate::origin::UNKNOWN, &big)?,
        };
        grid.sheet.write_string_with_format(grid.line + 1, first, name, &small)?;
    }
    grid.sheet.set_row_height(grid.line, 28)?;
    grid.line += 3;
    Ok(())
}

fn step(grid: &mut Grid<'_>, overview: &Overview, figures: &Figures, links: &Links) -> Result<(), XlsxError> {
    let Some(step) = &overview.step else {
        grid.heading(ALL, overview.basis.where_it_goes(), None)?;
        grid.line += 1;
        for missing in &overview.missing {
            let said = match missing.option.as_ref() {
                "" => format!("Not known: {}.", missing.reason),
                option => format!("Not known: {} ({option}).", missing.reason),
            };
            grid.paragraph(ALL, &said, &text(10.0, palette::TEXT_2), (CHARS, 15.0))?;
        }
        grid.line += 1;
        return Ok(());
    };
    let (left, right) = (Half::Left, Half::Right);
    let title = format!("{}: solid, the GPU works; hatched, it waits", overview.basis.where_it_goes());
    grid.heading(ALL, &title, links.to_table("steps"))?;
    grid.line += 1;
    if let Some(chart) = figures.step_chart([WIDTH, STEP_LINES * LINE]) {
        grid.sheet.insert_chart(grid.line, 0, &chart)?;
        grid.line += STEP_LINES + 1;
    }
    let percent = |share: f64| Some(share / 100.0);
    let scale = Scale::of(step.length_ns, figures.unit());
    let time = |ns: f64| Some(scale.value(ns));
    let symbol = scale.symbol();
    let codes = [times_code(scale), PERCENT.to_owned()];
    let classes: Vec<Row> = step
        .classes
        .iter()
        .filter(|part| part.ns > 0.0)
        .map(|part| Row { name: part.words.to_owned(), figures: vec![time(part.ns), percent(part.percent)] })
        .collect();
    let lines = grid.table(left, &["class of time", symbol, "of step"], &codes, &classes)?;
    let causes: Vec<Row> = step
        .idle
        .iter()
        .take(MOST)
        .map(|row| Row { name: row.with_range(), figures: vec![time(row.ns), percent(row.percent)] })
        .collect();
    let others = grid.table(right, &["cause of idle time", symbol, "of idle"], &codes, &causes)?;
    grid.line += lines.max(others);
    if let Some(absent) = absent(step) {
        grid.paragraph(ALL, &absent, &text(9.0, palette::TEXT_3), (CHARS, 14.0))?;
    }
    grid.line += 1;
    Ok(())
}

/// The classes that are known to take no time, in one sentence; none if there are none.
pub(super) fn absent(step: &Step) -> Option<String> {
    let none: Vec<&str> = step.absent().collect();
    (!none.is_empty()).then(|| format!("No time in: {}.", none.join(", ")))
}

fn findings(
    grid: &mut Grid<'_>,
    overview: &Overview,
    unit: TimeUnit,
    links: &Links,
) -> Result<(), XlsxError> {
    let about = match overview.findings.is_empty() {
        true => "no finding".to_owned(),
        false => overview.about_savings(&overview.findings),
    };
    grid.heading(ALL, &format!("What to change: {about}"), links.to_table("findings"))?;
    grid.line += 1;
    for (number, finding) in (1..).zip(&overview.findings) {
        add_finding(grid, number, finding, unit)?;
    }
    grid.line += 1;
    Ok(())
}

fn add_finding(
    grid: &mut Grid<'_>,
    number: u32,
    finding: &FindingRow,
    unit: TimeUnit,
) -> Result<(), XlsxError> {
    let right = Format::new().set_align(FormatAlign::Right).set_align(FormatAlign::Top);
    let kind = match &finding.saving {
        Some(saving) => {
            let scale = Scale::of(saving.ns(), unit);
            let code = format!("−{}\" {}\"", times_code(scale), scale.symbol());
            let bold = right.clone().set_bold().set_num_format(code);
            grid.sheet.write_number_with_format(grid.line, LAST - 1, scale.value(saving.ns()), &bold)?;
            saving.kind()
        }
        None => {
            grid.sheet.write_string_with_format(grid.line, LAST - 1, crate::origin::UNKNOWN, &right)?;
            finding.without_saving("")
        }
    };
    grid.sheet.write_string_with_format(grid.line, LAST, kind, &right)?;
    let problem = format!("{number}  {} {}", finding.mark, finding.problem);
    grid.paragraph((0, LAST - 2), &problem, &text(11.0, palette::TEXT).set_bold(), (118, 15.0))?;
    let below = text(10.0, palette::TEXT_2)
        .set_indent(2)
        .set_border_bottom(FormatBorder::Hair)
        .set_border_bottom_color(palette::LINE_2);
    grid.paragraph((0, LAST - 2), &finding.advice, &below, (ADVICE_CHARS, 14.0))
}

fn iterations(
    grid: &mut Grid<'_>,
    overview: &Overview,
    figures: &Figures,
    links: &Links,
) -> Result<(), XlsxError> {
    let Some(iterations) = overview.iterations.as_ref().filter(|_| figures.has_iterations()) else {
        return Ok(());
    };
    let short = |ns: f64| short_time(ns, figures.unit());
    let each = match figures.iterations_of_a_bar() {
        1 => String::new(),
        count => format!("; a column is the average of {count}"),
    };
    let symbol = figures.unit().symbol();
    let title = format!("Iterations, {symbol}: median {}{each}", short(iterations.median_ns));
    grid.heading(ALL, &title, links.to_table("iterations"))?;
    grid.line += 1;
    if let Some(chart) = figures.iterations_chart([WIDTH, ITERATION_LINES * LINE]) {
        grid.sheet.insert_chart(grid.line, 0, &chart)?;
        grid.line += ITERATION_LINES;
    }
    let (cut, full_ns) = figures.cut();
    if let Some(longest) = cut.iter().max_by(|a, b| a.ns.total_cmp(&b.ns)) {
        let which =
            if cut.len() == 1 { "1 column is".to_owned() } else { format!("{} columns are", cut.len()) };
        let said = format!(
            "{which} cut at {}; the longest is iteration {} with {}.",
            short(full_ns),
            longest.first,
            short(longest.ns)
        );
        grid.paragraph(ALL, &said, &text(9.0, palette::TEXT_3), (CHARS, 14.0))?;
    }
    grid.line += 1;
    Ok(())
}

fn system(grid: &mut Grid<'_>, overview: &Overview) -> Result<(), XlsxError> {
    grid.heading(ALL, "System", None)?;
    grid.line += 1;
    grid.paragraph(ALL, &overview.system.join(" · "), &text(10.0, palette::TEXT_2), (CHARS, 15.0))
}

/// The tables that have no sheet.
fn no_rows(grid: &mut Grid<'_>, empty: &[&str]) -> Result<(), XlsxError> {
    if empty.is_empty() {
        return Ok(());
    }
    grid.line += 1;
    let said = format!("Without rows in this capture, and so without a sheet: {}.", empty.join(", "));
    grid.paragraph(ALL, &said, &text(9.0, palette::TEXT_3), (CHARS, 14.0))
}
