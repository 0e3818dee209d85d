//! Targets on texts that people write.

use crate::bases::{baseline, profile, scratch};
use dlprof_core::{
    ChangedRules, OwnRuleTable, Policy, RuleSettings, Selection, SettingsText, TABLES, Thresholds, UserGpu,
    View, baseline_json, judge_gate, read_baseline,
};
use dlprof_export::RULE_ENGINE;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The parts of a settings file that the libraries read.
#[derive(Deserialize)]
struct Settings {
    #[serde(default)]
    rules: ChangedRules,
    #[serde(default)]
    rule: Vec<OwnRuleTable>,
    #[serde(default, rename = "gpus")]
    _gpus: BTreeMap<String, UserGpu>,
    #[serde(default, rename = "thresholds")]
    _thresholds: Thresholds,
}

/// A settings file: read, and its rules tried on a capture.
pub fn settings(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(Settings { rules, rule, .. }) = toml::from_str(text) else { return };
    let mut settings = RuleSettings::with_engine(Some(RULE_ENGINE));
    let file = SettingsText { path: Path::new("settings.toml"), text };
    match settings.add(&rules, &rule, &file) {
        Ok(()) => {
            let judged = dlprof_core::judge(profile(), &settings);
            std::hint::black_box(judged.findings().len());
        }
        Err(error) => drop(error.to_string()),
    }
}

/// A policy: read, and a verdict by it.
pub fn policies(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match Policy::parse(text) {
        Ok(policy) => drop(judge_gate(baseline(), baseline(), &policy, &[])),
        Err(error) => drop(error.to_string()),
    }
}

/// A log of Nsight Compute, damaged anywhere.
pub fn ncu_logs(bytes: &[u8]) {
    dlprof_core::fuzzing::read_ncu_log(bytes);
}

/// A trace of torch.profiler, damaged anywhere.
pub fn traces(bytes: &[u8]) {
    dlprof_core::fuzzing::read_trace(bytes);
}

/// A condition and an order, on the table that the first byte chooses.
pub fn conditions(bytes: &[u8]) {
    let Some((first, text)) = bytes.split_first() else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    let table = (TABLES[usize::from(*first) % TABLES.len()].build)(profile());
    let mut parts = text.split('\n').map(str::to_owned);
    let conditions: Vec<String> = parts.next().into_iter().collect();
    let (sort, columns): (Vec<String>, Vec<String>) = (parts.next().into_iter().collect(), parts.collect());
    let selection = Selection { columns: &columns, sort: &sort, conditions: &conditions, top: Some(5) };
    match View::new(table.as_ref(), &selection) {
        Ok(view) => drop(std::hint::black_box(view.row_numbers().len())),
        Err(error) => drop(error.to_string()),
    }
}

/// A baseline: refused, or judged, and the same when it is written and read again.
pub fn baselines(bytes: &[u8]) {
    let file = scratch().join("baseline.json");
    fs::write(&file, bytes).expect("a file");
    let Ok(document) = read_baseline(&file) else { return };
    drop(judge_gate(&document, baseline(), &Policy::default(), &[]));
    drop(judge_gate(baseline(), &document, &Policy::default(), std::slice::from_ref(&document)));
    fs::write(&file, baseline_json(&document)).expect("a file");
    let again = read_baseline(&file).expect("what we write can be read");
    assert!(again == document, "another baseline after writing and reading");
}
