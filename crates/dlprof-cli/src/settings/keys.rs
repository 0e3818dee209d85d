//! What each key of a settings file can do, and which keys may stand in the file of a working folder.
//!
//! A working folder often holds what others have made. So its file may change figures and how they are shown, and nothing else:
//! it starts no program, names no file, asks no query, and silences no rule. A key that is not declared here may not stand there.

use super::mistakes::{Mistake, place};
use std::collections::BTreeSet;
use std::ops::Range;
use toml::de::{DeTable, DeValue};

/// What a key can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Power {
    ChangesFigures,
    ChangesLooks,
    UsesMachine,
    StartsProgram,
    NamesFile,
    RunsSql,
    Silences,
}

/// Any key of a section that is not declared by itself: thresholds of a rule, which are numbers.
const ANY: &str = "*";

/// All keys by section and by what they can do.
#[rustfmt::skip]
const DECLARED: &[(&str, Power, &[&str])] = &[
    ("", Power::ChangesFigures, &[
        "iter-start", "iter-stop", "iter-range", "from", "to", "clock", "batch-size", "key-node", "mode", "ncu-same-gpu",
    ]),
    ("", Power::ChangesLooks, &["profile-name", "time-unit"]),
    ("", Power::UsesMachine, &["threads", "memory", "no-cache"]),
    ("", Power::StartsProgram, &["nsys"]),
    ("", Power::NamesFile, &["ncu", "capture-trace"]),
    ("thresholds", Power::ChangesFigures, &[
        "issue_gap_ns", "turnaround_ns", "submit_ns", "slow_call_ns", "long_gap_ns", "long_wait_ns", "waiting_ns",
        "short_kernel_ns",
    ]),
    ("kernels", Power::ChangesFigures, &["communication", "data_loading", "tensor_cores"]),
    ("ranks", Power::ChangesFigures, &[
        "min_lag_percent", "z", "share", "high_share", "noise_percent", "cause_share", "same_work", "slow_link_ratio",
        "slow_link_ratio_of_two", "slow_link_percent", "peak_percent", "blame_share", "uneven_percent", "stage_percent",
        "node_share", "other_nodes_share", "bubbles_percent", "transfer_percent", "unmatched_share", "match_ns",
        "clock_bias_ns", "utc_error_ns", "apart_ns",
    ]),
    ("gpus", Power::ChangesFigures, &[
        "sms", "gb_per_s", "fp32", "fp64", "fp64_matrix", "tf32", "fp16", "bf16", "fp8", "int8",
    ]),
    ("rules", Power::Silences, &["enabled", "severity"]),
    ("rules", Power::ChangesFigures, &[ANY]),
    ("rule", Power::ChangesFigures, &[
        "id", "title", "severity", "when", "advice", "table", "value", "where", "evidence", "saving",
    ]),
    ("rule", Power::RunsSql, &["query"]),
];

impl Power {
    /// Whether a key that can do this may stand in the file of a working folder.
    fn is_for_working_folders(self) -> bool {
        matches!(self, Self::ChangesFigures | Self::ChangesLooks)
    }

    /// What the key does, after its name.
    const fn words(self) -> &'static str {
        match self {
            Self::ChangesFigures => "changes figures",
            Self::ChangesLooks => "changes how figures are shown",
            Self::UsesMachine => "says what is used of the machine",
            Self::StartsProgram => "names a program that is started",
            Self::NamesFile => "names files that are read",
            Self::RunsSql => "runs SQL",
            Self::Silences => "can silence findings",
        }
    }
}

/// What a key can do; none if it is not declared.
fn power(section: &str, key: &str) -> Option<Power> {
    let declared = |name: &str| {
        DECLARED
            .iter()
            .find(|(of, _, keys)| *of == section && keys.contains(&name))
            .map(|&(_, power, _)| power)
    };
    declared(key).or_else(|| declared(ANY))
}

/// A key with a value, where it stands.
struct FoundKey {
    /// From the beginning of the file, as in `rules.clocks.drift_percent`.
    path: Vec<String>,
    span: Range<usize>,
}

impl FoundKey {
    fn power(&self) -> Option<Power> {
        let (key, above) = self.path.split_last()?;
        power(above.first().map_or("", String::as_str), key)
    }
}

/// Checks the file of a working folder, and gives the names of its keys. The text was read as settings before.
pub(super) fn check_local(text: &str, elsewhere: &str) -> Result<BTreeSet<String>, Mistake> {
    let Ok(table) = DeTable::parse(text) else { return Ok(BTreeSet::new()) };
    let mut found = Vec::new();
    collect(table.get_ref(), &[], &mut found);
    found.sort_by_key(|key| key.span.start);
    let may_stay = |key: &FoundKey| key.power().is_some_and(Power::is_for_working_folders);
    match found.iter().find(|key| !may_stay(key)) {
        Some(key) => Err(misplaced(key, text, elsewhere)),
        None => Ok(found.into_iter().map(|key| key.path.join(".")).collect()),
    }
}

fn misplaced(key: &FoundKey, text: &str, elsewhere: &str) -> Mistake {
    let does = key.power().map_or("is not known to be harmless", Power::words);
    let place = place(text, &key.span);
    Mistake {
        message: format!(
            "{place}: `{}` {does}, so it may not stand in the settings file of a working folder",
            key.path.join(".")
        ),
        hint: Some(format!(
            "it may stand in {elsewhere}; `--no-config` reads no file but that of `--config`"
        )),
    }
}

/// All keys of a table that have a value, and those of tables in it.
fn collect(table: &DeTable<'_>, above: &[String], found: &mut Vec<FoundKey>) {
    for (key, value) in table {
        let path: Vec<String> = above.iter().cloned().chain([key.get_ref().to_string()]).collect();
        match value.get_ref() {
            DeValue::Table(inner) => collect(inner, &path, found),
            DeValue::Array(items) if items.iter().any(|item| item.get_ref().is_table()) => {
                let tables = items.iter().filter_map(|item| item.get_ref().as_table());
                tables.for_each(|inner| collect(inner, &path, found));
            }
            _ => found.push(FoundKey { path, span: key.span() }),
        }
    }
}

#[cfg(test)]
#[path = "keys_tests.rs"]
mod tests;
