//! One file that holds the pages and their data. It needs no network and no server, and opens from `file://`.

use super::counters::Counters;
use super::document::write_document;
use super::table_json::Columns;
use super::{FlameKey, RangeSums, SidesCompared, TableDefinition, Terms, Window, Words, block, flame};
use crate::comparison::RangesCompared;
use crate::display::TimeUnit;
use crate::error::Error;
use crate::formats::json::reasons;
use crate::formats::report::{self, Options, Section, Tables};
use crate::overview::overview;
use dlprof_core::{
    Judged, Profile, RangeComparison, TABLES, Table, Timeline, compare_ranges, definition, limits, usual_pair,
};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::Path;

/// Maximum number of rows of a table, if the user sets no other number.
const MOST_ROWS: usize = limits::PAGE_ROWS.most;

/// Maximum number of items of a timeline; the shortest ones are left out.
const MOST_ITEMS: usize = limits::TIMELINE_ITEMS.most;

/// What the pages read first.
#[derive(Serialize)]
struct Manifest<'a> {
    window: Window,
    words: Words,
    tables: Vec<TableDefinition>,
    terms: Terms,
    /// By table: its number of rows, and what is left out.
    contents: BTreeMap<String, Contents>,
    /// Iterations whose time line is in the file.
    timelines: Vec<u32>,
    /// The two ranges that are compared, as an address names them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pair: Option<&'a str>,
    /// The view that is shown first; the dashboard, if none is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    opens: Option<&'static str>,
}

/// What a file compares, besides what it holds of one profile.
#[derive(Debug)]
pub enum PageComparison<'a> {
    /// Two runs, and of each side the profile whose time line is shown, where its capture was read.
    Runs(SidesCompared<'a>, [Option<&'a Profile>; 2]),
    /// Two ranges of iterations of the profile's capture, and how an address names them.
    Ranges(&'a RangeComparison, String),
}

#[derive(Serialize)]
pub(super) struct Contents {
    rows: usize,
    notes: Vec<String>,
}

impl Contents {
    /// By table.
    pub(super) fn of(sections: &[Section<'_>], empty: &BTreeMap<&str, String>) -> BTreeMap<String, Self> {
        let of = |section: &Section<'_>| {
            let why = empty.get(section.view.key()).cloned();
            let notes = section.notes.iter().cloned().chain(why).collect();
            let contents = Self { rows: section.view.rows(), notes };
            (section.view.key().to_owned(), contents)
        };
        sections.iter().map(of).collect()
    }
}

/// Writes a page with the given tables to a new file.
///
/// # Errors
/// If the file exists, or the system refuses to write.
pub fn write(
    judged: &Judged,
    title: &str,
    tables: &[Box<dyn Table + '_>],
    options: &Options<'_>,
    path: &Path,
) -> Result<(), Error> {
    crate::target::create_with(path, |out| write_page(judged, title, tables, options, None, out))
}

/// Writes a page that shows a comparison first, and besides it all tables of a profile.
///
/// # Errors
/// If the system refuses to write.
pub fn write_comparison(
    judged: &Judged,
    title: &str,
    comparison: &PageComparison<'_>,
    time_unit: TimeUnit,
    out: &mut dyn Write,
) -> io::Result<()> {
    let tables = TABLES.iter().filter(|table| table.is_of(judged));
    let tables: Vec<Box<dyn Table>> = tables.map(|table| (table.build)(judged)).collect();
    let options = Options { tables: Tables::Chosen, most_rows: None, time_unit, font: None };
    write_page(judged, title, &tables, &options, Some(comparison), out)
}

fn write_page(
    judged: &Judged,
    title: &str,
    tables: &[Box<dyn Table + '_>],
    options: &Options<'_>,
    comparison: Option<&PageComparison<'_>>,
    out: &mut dyn Write,
) -> io::Result<()> {
    write_document(title, out, |out| write_blocks(judged, title, tables, options, comparison, out))
}

fn write_blocks(
    judged: &Judged,
    title: &str,
    tables: &[Box<dyn Table + '_>],
    options: &Options<'_>,
    comparison: Option<&PageComparison<'_>>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let sections = report::sections(tables, Tables::Chosen, options.most_rows.unwrap_or(MOST_ROWS))?;
    let timelines = timelines(judged, comparison);
    let manifest = Manifest {
        window: Window::new(judged, title),
        words: Words::of(judged.capture.recorder),
        tables: tables
            .iter()
            .filter_map(|table| definition(table.key()))
            .map(|table| TableDefinition::new(table, judged))
            .collect(),
        terms: Terms::ALL,
        contents: Contents::of(&sections, &reasons(judged, tables)),
        timelines: timelines.iter().map(|timeline| timeline.iteration).collect(),
        pair: match comparison {
            Some(PageComparison::Ranges(_, pair)) => Some(pair),
            _ => None,
        },
        opens: comparison.map(|_| "compare"),
    };
    block::write("manifest", &manifest, out)?;
    block::write("overview", &overview(judged, options.time_unit), out)?;
    block::write("ranges", &RangeSums::new(judged), out)?;
    for section in &sections {
        block::write(&format!("table-{}", section.view.key()), &Columns(&section.view), out)?;
    }
    for timeline in &timelines {
        block::write(&format!("timeline-{}", timeline.iteration), timeline, out)?;
    }
    if let Some(PageComparison::Runs(sides, profiles)) = comparison {
        block::write("comparison", sides, out)?;
        for (side, profile) in profiles.iter().enumerate() {
            let timeline = profile.and_then(median_timeline);
            if let Some(timeline) = timeline {
                block::write(&format!("compared-timeline-{side}"), &timeline, out)?;
            }
        }
    }
    let ranges = match comparison {
        Some(PageComparison::Ranges(comparison, _)) => Some(RangesCompared::new(comparison)),
        _ => slowest_compared(judged),
    };
    if let Some(ranges) = ranges {
        block::write("iterations-compared", &ranges, out)?;
    }
    if let Some(counters) = Counters::of_file(judged) {
        block::write("ncu", &counters, out)?;
    }
    for key in FlameKey::ALL {
        block::write(&format!("flame-{}", key.as_str()), &flame(judged, key), out)?;
    }
    Ok(())
}

/// The slowest iteration beside the one of median duration.
fn slowest_compared(profile: &Profile) -> Option<RangesCompared> {
    let (base, new) = usual_pair(profile)?;
    compare_ranges(profile, base, new).ok().map(|comparison| RangesCompared::new(&comparison))
}

/// The median and the slowest iteration, and those that stand for two compared ranges.
fn timelines(profile: &Profile, comparison: Option<&PageComparison<'_>>) -> Vec<Timeline> {
    let (median, slowest) = profile.median_and_slowest_iteration();
    let mut numbers = BTreeSet::from([median, slowest]);
    if let Some(PageComparison::Ranges(comparison, _)) = comparison {
        numbers.extend([comparison.base.median, comparison.new.median]);
    }
    numbers.into_iter().filter_map(|number| profile.timeline(number, MOST_ITEMS)).collect()
}

/// The iteration of median duration.
fn median_timeline(profile: &Profile) -> Option<Timeline> {
    profile.timeline(profile.median_and_slowest_iteration().0, MOST_ITEMS)
}
