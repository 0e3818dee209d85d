//! Reports for programs. Any version may add fields. `schema_version` rises if a field is renamed or removed.

use dlprof_core::{Comparison, GateReport, HistorySeries};
use serde::Serialize;
use serde_json::{Value, json};

const SCHEMA_VERSION: u32 = 1;

/// The gate's report.
#[must_use]
pub fn gate_json(report: &GateReport) -> String {
    text("gate", report)
}

/// A comparison.
#[must_use]
pub fn comparison_json(comparison: &Comparison) -> String {
    text("comparison", comparison)
}

/// A history; `names` are the names of its documents.
#[must_use]
pub fn history_json(names: &[String], series: &[HistorySeries]) -> String {
    text("history", &json!({ "baselines": names, "series": series }))
}

pub(crate) fn text(kind: &str, content: &impl Serialize) -> String {
    let mut document = json!({ "schema_version": SCHEMA_VERSION, "kind": kind });
    if let (Some(document), Ok(Value::Object(fields))) =
        (document.as_object_mut(), serde_json::to_value(content))
    {
        document.extend(fields);
    }
    format!("{document:#}\n")
}
