//! What a report for people holds, whatever its format: which tables, columns and rows, and what it leaves out.

use super::pdf::Font;
use crate::display::{TimeUnit, percentage, time};
use dlprof_core::aggregate::Profile;
use dlprof_core::diagnostics::Diagnostic;
use dlprof_core::iterate::Found;
use dlprof_core::ratios::to_f64;
use dlprof_core::tables::{self, Definition, Selection, Table, Value, View, definition};
use std::io;

/// How a report is made.
#[derive(Debug, Clone, Copy)]
pub struct Options<'a> {
    /// Which tables a PDF holds.
    pub tables: Tables,
    /// Most rows of a table; 0 for all, `None` for what suits the format.
    pub most_rows: Option<usize>,
    /// Unit of times.
    pub time_unit: TimeUnit,
    /// A face for characters that the built-in one lacks; of no use in HTML.
    pub font: Option<&'a Font>,
}

/// Which tables a PDF holds; a page holds those given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tables {
    /// Those that say most, with their main columns.
    Usual,
    /// Those given, with all columns.
    Chosen,
}

/// A table of every report.
struct Usual {
    table: &'static str,
    /// All if empty.
    columns: &'static [&'static str],
    sort: &'static [&'static str],
}

const USUAL: [Usual; 5] = [
    Usual { table: "top_ops", columns: &[], sort: &[] },
    Usual {
        table: "op_types",
        columns: &[
            "op_type",
            "ops",
            "calls",
            "gpu_time_ns",
            "avg_gpu_time_ns",
            "cpu_time_ns",
            "avg_cpu_time_ns",
            "cpu_overhead_ns",
            "gpu_idle_ns",
        ],
        sort: &["-gpu_time_ns"],
    },
    Usual { table: "kernel_totals", columns: &[], sort: &[] },
    Usual {
        table: "gpus",
        columns: &[
            "device_id",
            "gpu_name",
            "compute_capability",
            "sm_count",
            "memory_bytes",
            "gpu_utilization_percent",
            "tc_kernel_ns",
            "non_tc_kernel_ns",
            "memory_ns",
        ],
        sort: &[],
    },
    Usual {
        table: "iterations",
        columns: &[
            "iteration",
            "state",
            "aggregated",
            "start_ns",
            "duration_ns",
            "gpu_utilization_percent",
            "kernel_calls",
            "tc_kernel_calls",
            "kernel_gpu_time_ns",
            "tc_kernel_gpu_time_ns",
        ],
        sort: &[],
    },
];

/// A table as a report shows it.
pub(super) struct Section<'a> {
    pub(super) view: View<'a>,
    /// What is not shown.
    pub(super) notes: Vec<String>,
}

/// The usual tables of a profile.
pub(crate) fn usual_tables<'a>(profile: &'a Profile<'a>) -> Vec<Box<dyn Table + 'a>> {
    usual_definitions().map(|table| (table.build)(profile)).collect()
}

/// The definitions of the usual tables.
pub(crate) fn usual_definitions() -> impl Iterator<Item = &'static Definition> {
    USUAL.iter().filter_map(|usual| definition(usual.table))
}

/// What is shown of each table, at most `most_rows` rows.
pub(super) fn sections<'a>(
    tables: &'a [Box<dyn Table + 'a>],
    which: Tables,
    most_rows: usize,
) -> io::Result<Vec<Section<'a>>> {
    let section = |table: &'a (dyn Table + 'a)| {
        let usual = USUAL.iter().find(|usual| which == Tables::Usual && usual.table == table.key());
        let owned = |keys: &[&str]| keys.iter().map(|&key| key.to_owned()).collect::<Vec<String>>();
        let columns = usual.map_or_else(Vec::new, |usual| owned(usual.columns));
        let mut sort = usual.map_or_else(Vec::new, |usual| owned(usual.sort));
        let mut notes = Vec::new();
        if most_rows > 0 && table.rows() > most_rows {
            let (keys, which) = most_telling(table);
            sort = owned(keys);
            notes.push(format!(
                "{most_rows} of {} rows are shown, {which}. Data files, such as CSV, Parquet or XLSX, hold all of them.",
                table.rows()
            ));
        }
        if !columns.is_empty() {
            let headers = (0..table.columns()).map(|at| table.header(at));
            let left_out: Vec<&str> = headers
                .filter(|header| !columns.iter().any(|key| key == header.key))
                .map(|header| header.title)
                .collect();
            notes.push(format!("Columns not shown: {}.", left_out.join(", ")));
        }
        let top = (most_rows > 0).then_some(most_rows);
        let selection = Selection { columns: &columns, sort: &sort, conditions: &[], top };
        let view = View::new(table, &selection).map_err(io::Error::other)?;
        Ok(Section { view, notes })
    };
    tables.iter().map(|table| section(table.as_ref())).collect()
}

/// Which rows are kept where not all are shown: how to sort for them, and what to call them.
fn most_telling(table: &dyn Table) -> (&'static [&'static str], &'static str) {
    let has = |key: &str| (0..table.columns()).any(|at| table.header(at).key == key);
    if has("aggregated") {
        (&["-aggregated"], "those aggregated first")
    } else if has("gpu_time_ns") {
        (&["-gpu_time_ns"], "those with most GPU time")
    } else {
        (&[], "the first ones")
    }
}

/// Names and values of the system configuration; what is unknown is left out.
pub(super) fn system(profile: &Profile<'_>) -> Vec<(String, String)> {
    const KEYS: [&str; 6] =
        ["cpu_model", "driver_version", "cuda_version", "cudnn_version", "framework", "nsys_version"];
    let gpus = ("GPUs".to_owned(), profile.trace.system.gpus_in_words());
    let summary = tables::summary::build(profile);
    let known = |key: &str| {
        let at = (0..summary.columns()).find(|&at| summary.header(at).key == key)?;
        match summary.value(0, at) {
            Value::Text(text) if !text.is_empty() => {
                Some((summary.header(at).title.to_owned(), text.into_owned()))
            }
            _ => None,
        }
    };
    std::iter::once(gpus).chain(KEYS.iter().filter_map(|key| known(key))).collect()
}

/// Names and values that say what was profiled.
pub(super) fn origin(profile: &Profile<'_>, unit: TimeUnit) -> Vec<(String, String)> {
    let source = &profile.trace.source;
    let file = source.path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let correlation = profile.correlation;
    let iterations = &profile.iterations;
    let summary = &profile.summary;
    let mut pairs =
        vec![("File", file), ("Mode", format!("{}, {}", correlation.mode.as_str(), correlation.mode_reason))];
    match &iterations.key_node {
        None => pairs.push(("Iterations", "0 is the whole capture".to_owned())),
        Some(key_node) => {
            pairs.push((
                "Iterations",
                format!("{} to {} of 0 to {}", iterations.start, iterations.stop, iterations.total() - 1),
            ));
            let found = match (key_node.found, iterations.candidates.first()) {
                (Found::ByFinder, Some(best)) => {
                    format!("found by {}, {} confidence: ", best.kind.as_str(), best.confidence().as_str())
                }
                _ => String::new(),
            };
            pairs.push(("Key node", format!("{found}{}", key_node.name)));
        }
    }
    pairs.push(("Wall clock", time(to_f64(summary.wall_clock_ns), unit)));
    if summary.is_late() {
        pairs.push(("covered by events", time(to_f64(summary.covered.length()), unit)));
    }
    pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// The main figures and what they are.
pub(super) fn figures(profile: &Profile<'_>, unit: TimeUnit) -> [(String, String); 4] {
    let summary = &profile.summary;
    let average = match profile.iterations.aggregated() {
        1 => "iteration time".to_owned(),
        _ => format!("per iteration (± {})", time(summary.iteration_deviation_ns, unit)),
    };
    [
        (percentage(summary.gpu_utilization_percent), "GPU utilization".to_owned()),
        (percentage(summary.tc_utilization_percent), "Tensor Core kernel efficiency".to_owned()),
        (time(summary.average_iteration_ns, unit), average),
        (
            format!("{} of {}", profile.iterations.aggregated(), profile.iterations.total()),
            "iterations profiled".to_owned(),
        ),
    ]
}

/// What is odd about the capture, a sentence each.
pub(super) fn note(diagnostic: &Diagnostic) -> String {
    let code = diagnostic.code;
    let counted = if diagnostic.count == 1 { String::new() } else { format!("{} × ", diagnostic.count) };
    let hint = code.hint().map_or_else(String::new, |hint| format!("; {hint}"));
    format!("{} {}: {counted}{}{hint}", code.severity().as_str(), code.key(), code.meaning())
}
