//! Which iterations were aggregated last, and by which key node.

use super::checked::Checked;
use super::dictionary::Dictionary;
use super::source::Source;
use super::table_names::{AGGREGATIONS, DICTIONARY, FEEDBACK, ITERATION_KEYS, ITERATIONS, SUMMARIES};
use crate::base::Error;
use crate::base::diagnostics::{DiagnosticCode, Diagnostics};
use crate::base::time::{Ns, Span};
use crate::read::facts::StoredAggregation;

/// Reads the aggregation with the highest id: the last one. None if there is none.
pub(super) fn read(
    source: &Source<'_>,
    dictionary: &Dictionary,
    diagnostics: &mut Diagnostics,
) -> Result<Option<StoredAggregation>, Error> {
    const COLUMNS: [&str; 5] =
        ["id", "server_user_name", "server_host_name", "start_timestamp", "end_timestamp"];
    let mut last: Option<(i64, [String; 4])> = None;
    let mut of = 0;
    let mut checked = Checked::default();
    source.database.read(AGGREGATIONS, &COLUMNS, |row| {
        checked.next_row();
        let id = checked.int(row, 0);
        of += 1;
        if last.as_ref().is_none_or(|(known, _)| id > *known) {
            last = Some((id, [1, 2, 3, 4].map(|column| row.text(column).unwrap_or_default())));
        }
    })?;
    checked.finish(source.database, AGGREGATIONS)?;
    let Some((id, made)) = last else { return Ok(None) };
    let boundaries = boundaries(source, id)?;
    if boundaries.is_empty() {
        diagnostics.count(DiagnosticCode::UnusableIterations, || format!("aggregation {id}"));
    }
    let key_node = key_node(source, dictionary, id)?;
    let stored_range = range(source, id)?;
    let range = stored_range.filter(|&(_, stop)| (stop as usize) + 1 < boundaries.len());
    if let Some((start, stop)) = stored_range.filter(|_| range.is_none() && !boundaries.is_empty()) {
        diagnostics.count(DiagnosticCode::UnusableIterations, || {
            let last = boundaries.len().saturating_sub(2);
            format!("aggregation {id} is of iterations {start} to {stop}, but the last one is {last}")
        });
    }
    diagnostics.count_cases(DiagnosticCode::OtherAggregations, (of - 1) as u64, || match stored_range {
        Some((start, stop)) => format!("{id} is read: iterations {start} to {stop}, key node `{key_node}`"),
        None => format!("{id} is read"),
    });
    Ok(Some(StoredAggregation { of, key_node, boundaries, range, feedback: feedback(source, id)?, made }))
}

fn key_node(source: &Source<'_>, dictionary: &Dictionary, id: i64) -> Result<String, Error> {
    let mut key_node = String::new();
    let mut checked = Checked::default();
    source.database.read(ITERATION_KEYS, &["aggr_id", "key_node_id"], |row| {
        checked.next_row();
        if checked.int(row, 0) == id {
            let text = dictionary.find(checked.int(row, 1));
            let text = checked.found(text, row, 1, DICTIONARY);
            key_node = dictionary.text(text).to_owned();
        }
    })?;
    checked.finish(source.database, ITERATION_KEYS)?;
    Ok(key_node)
}

/// What the detectors found.
fn feedback(source: &Source<'_>, id: i64) -> Result<Vec<[String; 5]>, Error> {
    const COLUMNS: [&str; 6] =
        ["aggr_id", "exp_sys_id", "problem", "recommendation", "javascript_function", "javascript_args"];
    let mut feedback = Vec::new();
    let mut checked = Checked::default();
    source.database.read(FEEDBACK, &COLUMNS, |row| {
        checked.next_row();
        if checked.int(row, 0) == id {
            feedback.push([1, 2, 3, 4, 5].map(|column| row.text(column).unwrap_or_default()));
        }
    })?;
    checked.finish(source.database, FEEDBACK)?;
    Ok(feedback)
}

/// The boundaries of the iterations; none if these do not tile a part of the time line.
fn boundaries(source: &Source<'_>, id: i64) -> Result<Vec<Ns>, Error> {
    let mut iterations: Vec<(i64, Span)> = Vec::new();
    let mut checked = Checked::default();
    source.database.read(ITERATIONS, &["aggr_id", "iter_value", "start_time", "stop_time"], |row| {
        checked.next_row();
        if checked.int(row, 0) == id {
            iterations.push((checked.int(row, 1), checked.span(row, 2, 3)));
        }
    })?;
    checked.finish(source.database, ITERATIONS)?;
    iterations.sort_unstable();
    let is_numbered = (0..).zip(&iterations).all(|(number, (found, _))| *found == number);
    let is_tiled = iterations.windows(2).all(|pair| pair[0].1.end == pair[1].1.start);
    let Some((_, last)) = iterations.last().filter(|_| is_numbered && is_tiled) else {
        return Ok(Vec::new());
    };
    Ok(iterations.iter().map(|(_, span)| span.start).chain([last.end]).collect())
}

/// First and last iteration that were aggregated.
fn range(source: &Source<'_>, id: i64) -> Result<Option<(u32, u32)>, Error> {
    let mut range = None;
    let mut checked = Checked::default();
    source.database.read(SUMMARIES, &["aggr_id", "iter_start", "iter_stop"], |row| {
        checked.next_row();
        if checked.int(row, 0) == id {
            range = Some((checked.count(row, 1), checked.count(row, 2)));
        }
    })?;
    checked.finish(source.database, SUMMARIES)?;
    Ok(range.filter(|(start, stop)| start <= stop))
}
