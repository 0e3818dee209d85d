//! Table `findings`: what the expert system found.

use super::detect::passes;
use super::finding::{Finding, Measure, Saving};
use super::judged::Judged;
use crate::base::ratios::{rounded, to_f64};
use crate::base::time::Ns;
use crate::tables::{Column, Declaration, Layout, RowTable, Unit};
use serde_json::{Map, Value as Json, json};

/// A finding, and how the program asks for its evidence.
#[derive(Debug, Clone)]
pub struct FindingRow {
    finding: Finding,
    /// With the name of the file; `None` where the program has no words for it.
    command: Option<String>,
    /// How often the step runs in the time that savings are summed over; `None` without iterations.
    iterations: Option<u32>,
}

/// Columns of table `findings`.
static COLUMNS: &[Column<FindingRow>] = &[
    Column::text("finding_id", "Detector", "Stable name of the rule.", |_, row| {
        row.finding.id.as_ref().into()
    }),
    Column::text(
        "severity",
        "Severity",
        "`error`: the capture misleads; `warning`: time is lost; `note`.",
        |_, row| row.finding.severity.as_str().into(),
    ),
    Column::text(
        "confidence",
        "Confidence",
        "`high`: measured directly; `medium`: measured with an assumption; `low`: from names, or from what is missing.",
        |_, row| row.finding.confidence().as_str().into(),
    ),
    Column::text("problem", "Problem", "What was found.", |_, row| row.finding.problem.to_string().into()),
    Column::text("recommendation", "Recommendation", "What to change.", |_, row| {
        row.finding.recommendation.to_string().into()
    }),
    Column::int(
        "saving_ns",
        "Saving in All",
        Unit::Nanoseconds,
        "Time of the iterations that the finding is about which a change would save, summed over all of them (`iterations`): what is \
         likely, or else what cannot be exceeded; empty if that is not known, or if the saving of another finding holds it. \
         Savings of several findings may overlap.",
        |_, row| row.finding.saving.as_ref().map(Saving::ns).into(),
    ),
    Column::int(
        "saving_per_iteration_ns",
        "Saving per Iteration",
        Unit::Nanoseconds,
        "`saving_ns` divided by `iterations`, as the dashboard shows it; empty without iterations.",
        |_, row| per_iteration_ns(row).into(),
    ),
    Column::int(
        "iterations",
        "Iterations",
        Unit::None,
        "How often the step runs in the time that savings are summed over: an unsplit iteration counts as the passes that it \
         holds. Empty without iterations.",
        |_, row| row.iterations.map(i64::from).into(),
    ),
    Column::text("saving_kind", "Saving Is", "`expected` or `upper`; empty without a saving.", |_, row| {
        row.finding.saving.as_ref().map(Saving::kind).into()
    }),
    Column::int(
        "saving_upper_ns",
        "Saving at Most",
        Unit::Nanoseconds,
        "What a change cannot save more than, summed as `saving_ns`; empty if that is not known.",
        |_, row| row.finding.saving.as_ref().and_then(|saving| saving.upper_ns).into(),
    ),
    Column::text("saving_basis", "Saving From", "What the saving is worked out from.", |_, row| {
        row.finding.saving.as_ref().map(|saving| saving.basis.as_ref()).into()
    }),
    Column::text(
        "same_cause_as",
        "Same Cause As",
        "The finding whose cause it shares, after which it stands: the saving of that one holds what this would save.",
        |_, row| row.finding.same_cause_as.into(),
    ),
    Column::json("figures", "Figures", "What the rule measured: a JSON object.", |_, row| {
        figures(&row.finding).into()
    }),
    Column::json(
        "evidence",
        "Evidence",
        "What the finding is about: a JSON array of objects with `table`, `key` and `value`, the first of their kind.",
        |_, row| evidence(&row.finding).into(),
    ),
    Column::text("command", "Command", "What lists the evidence, with the name of the file.", |_, row| {
        row.command.as_deref().into()
    }),
    Column::text("link", "More", "A page with more; empty without one.", |_, row| {
        Some(row.finding.link.as_ref()).filter(|link| !link.is_empty()).into()
    }),
];

/// Table `findings`.
pub(crate) static TABLE: Declaration<FindingRow> = Declaration {
    key: "findings",
    title: "Expert Systems",
    doc: "What the expert system found.",
    columns: || COLUMNS,
    layout: Layout {
        first: &["problem", "saving_ns", "severity"],
        second: &[
            "saving_per_iteration_ns",
            "iterations",
            "same_cause_as",
            "recommendation",
            "saving_kind",
            "finding_id",
            "confidence",
        ],
        sentences: &["problem", "recommendation", "saving_basis"],
        ..Layout::PLAIN
    },
};

/// Table `findings` of a judged profile.
#[must_use]
pub fn build(judged: &Judged) -> RowTable<FindingRow> {
    let file = judged.capture.source.path.file_name().unwrap_or_default().to_string_lossy();
    let iterations = Some(passes(judged)).filter(|&passes| passes > 0);
    let row = |finding: &Finding| FindingRow {
        finding: finding.clone(),
        command: judged.words(finding, &file),
        iterations,
    };
    TABLE.with(judged, judged.findings().iter().map(row).collect())
}

/// A saving as a part of what an iteration takes.
fn per_iteration_ns(row: &FindingRow) -> Option<Ns> {
    let ns = row.finding.saving.as_ref()?.ns();
    Some(rounded(to_f64(ns) / f64::from(row.iterations?)))
}

fn figures(finding: &Finding) -> String {
    let value = |measure: &Measure| match measure {
        Measure::Time(ns) => json!(ns),
        Measure::Count(count) => json!(count),
        Measure::Number(number) => json!((number * 1000.0).round() / 1000.0),
        Measure::Text(text) => json!(text),
    };
    let figures = finding.figures.iter().map(|(name, measure)| (name.to_string(), value(measure)));
    Json::Object(figures.collect::<Map<_, _>>()).to_string()
}

fn evidence(finding: &Finding) -> String {
    let rows = finding.evidence.iter();
    let rows = rows.map(|row| json!({ "table": row.table, "key": row.column, "value": row.value }));
    Json::Array(rows.collect()).to_string()
}
