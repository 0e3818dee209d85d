//! Users' rules: a query or functions of the rows of a table, a condition, and what to say where it holds.
//!
//! ```text
//! [[rule]] ─declared─► OwnRule ─apply(profile)─► Finding, or silence, or why the rule cannot run
//! ```
//!
//! Everything that can be checked without a profile is checked while the settings file is read.

mod declared;
mod engine;
pub(super) mod error;
mod title;

pub use declared::OwnRuleTable;
pub use engine::{QueryAnswer, QueryColumns, QueryEngine, QueryMistake, QueryTime};
pub(super) use error::Place;
pub use error::RuleError;

use super::finding::{Confidence, Evidence, Finding, Measure, Saving, Severity};
use super::judged::Judged;
use super::own_result::OwnOutcome;
use super::question::Question;
use super::rule_setting::Level;
use super::sentence::{Figure, Sentence};
use super::tables::Definition;
use crate::base::ratios::rounded;
use crate::base::time::Ns;
use crate::tables::expression::{self, Condition, ExpressionMistake, Scope};
use crate::tables::{Table, Unit, Value};
use error::{Misplaced, Written};
use title::Title;

/// At most this many rows are evidence.
const MOST_EVIDENCE: usize = 5;

/// A rule of a user.
#[derive(Debug, Clone)]
pub struct OwnRule {
    id: String,
    level: Level,
    title: Title,
    title_text: String,
    advice: String,
    when: Formula,
    source: Source,
}

/// A formula with its text and its place in the settings file.
#[derive(Debug, Clone)]
struct Formula {
    key: &'static str,
    text: String,
    expression: expression::Expression,
    place: Place,
}

/// What a rule looks at.
#[derive(Debug, Clone)]
enum Source {
    Query(QuerySource),
    Table(TableSource),
}

#[derive(Debug, Clone)]
struct QuerySource {
    engine: QueryEngine,
    query: Written<String>,
    names: Vec<String>,
    evidence: Option<EvidenceQuery>,
    /// The query, and which column is the saving.
    saving: Option<(Written<String>, usize)>,
}

/// A query for evidence, and what its first column is.
#[derive(Debug, Clone)]
struct EvidenceQuery {
    query: Written<String>,
    table: &'static str,
    column: String,
}

#[derive(Debug, Clone)]
struct TableSource {
    table: &'static Definition,
    value: Formula,
    /// As it is written, and as it is read.
    condition: Option<(String, Condition)>,
    /// Column whose cells are evidence.
    evidence: Option<usize>,
    saving: Option<Formula>,
}

/// What a rule saw: values by name, evidence, saving.
struct Seen {
    values: Vec<(String, Value<'static>)>,
    evidence: Vec<Evidence>,
    saving_ns: Option<Ns>,
    show: Option<Question>,
}

/// A rule's own rows, until it is known whether its condition holds.
type Values = Vec<(String, Value<'static>)>;

impl OwnRule {
    /// Its stable name.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// What it says, with the places of values as they are written.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.title_text
    }

    /// Whether it is silenced, or how much its findings matter.
    #[must_use]
    pub fn level(&self) -> Level {
        self.level
    }

    /// Looks at a judged profile, whose findings must not be those of users' rules. Its queries have what is left of a time.
    pub(super) fn apply(
        &self,
        judged: &Judged,
        severity: Severity,
        time: &QueryTime,
    ) -> Result<OwnOutcome, RuleError> {
        match &self.source {
            Source::Query(source) => self.apply_query(source, (judged, time), severity),
            Source::Table(source) => self.apply_table(source, judged, severity),
        }
    }

    fn apply_query(
        &self,
        source: &QuerySource,
        (judged, time): (&Judged, &QueryTime),
        severity: Severity,
    ) -> Result<OwnOutcome, RuleError> {
        let ask = |key: &str, query: &Written<String>| {
            time.answer(source.engine, judged, &query.value).map_err(|QueryMistake { message, hint }| {
                query.place.error(format!("`{key}` of rule `{}`: {message}", self.id), hint)
            })
        };
        let answer = ask("query", &source.query)?;
        if let Some(table) = answer.empty_tables.first() {
            return Ok(OwnOutcome::NotRun(no_rows(table)));
        }
        let row = <[Vec<Value<'static>>; 1]>::try_from(answer.rows).map_err(|rows| {
            let message =
                format!("`query` of rule `{}` gives {} rows; one row is needed", self.id, rows.len());
            source.query.place.error(message, Some("aggregate the rows, or write `limit 1`".into()))
        })?;
        let values: Values = source.names.iter().cloned().zip(row.into_iter().flatten()).collect();
        if !self.holds(&values)? {
            return Ok(OwnOutcome::Silent);
        }
        let mut evidence = Vec::new();
        if let Some(asked) = &source.evidence {
            let rows = ask("evidence", &asked.query)?.rows;
            let cells = rows.iter().take(MOST_EVIDENCE).filter_map(|row| text_of(row.first()?));
            evidence.extend(cells.map(|value| Evidence {
                table: asked.table.into(),
                column: asked.column.clone().into(),
                value,
            }));
        }
        let saving_ns = match &source.saving {
            None => None,
            Some((query, column)) => {
                let rows = ask("saving", query)?.rows;
                rows.first().and_then(|row| ns_of(row.get(*column)?))
            }
        };
        Ok(self.fires(Seen { values, evidence, saving_ns, show: None }, severity))
    }

    fn apply_table(
        &self,
        source: &TableSource,
        judged: &Judged,
        severity: Severity,
    ) -> Result<OwnOutcome, RuleError> {
        let table = (source.table.build)(judged);
        let table = table.as_ref();
        if table.rows() == 0 {
            return Ok(OwnOutcome::NotRun(no_rows(source.table.key)));
        }
        table.prepare();
        let holds = |&row: &usize| source.condition.as_ref().is_none_or(|(_, it)| it.holds(table, row));
        let rows: Vec<usize> = (0..table.rows()).filter(holds).collect();
        let scope = Scope::Rows(table, &rows);
        let value = |formula: &Formula| -> Result<Value<'static>, RuleError> {
            let number = formula.expression.number(&scope).map_err(|mistake| self.error(formula, mistake))?;
            Ok(number.into())
        };
        let values: Values = vec![("value".to_owned(), value(&source.value)?)];
        if !self.holds(&values)? {
            return Ok(OwnOutcome::Silent);
        }
        let saving_ns = source.saving.as_ref().map(value).transpose()?.as_ref().and_then(ns_of);
        let evidence =
            source.evidence.map_or_else(Vec::new, |column| evidence(table, source.table.key, column, &rows));
        let show = Question::of(source.table.key);
        let show = match &source.condition {
            Some((text, _)) => show.rows_where(text.as_str()),
            None => show,
        };
        Ok(self.fires(Seen { values, evidence, saving_ns, show: Some(show) }, severity))
    }

    /// Whether the rule's condition holds.
    fn holds(&self, values: &Values) -> Result<bool, RuleError> {
        let values: Vec<Value<'static>> = values.iter().map(|(_, value)| value.clone()).collect();
        let holds = self.when.expression.holds(&Scope::Values(&values));
        holds.map_err(|mistake| self.error(&self.when, mistake))
    }

    fn fires(&self, seen: Seen, severity: Severity) -> OwnOutcome {
        let advice = Sentence::of_figures(vec![Figure::Text(self.advice.clone())]);
        let mut finding = Finding::new(self.title.sentence(|name| value_of(&seen.values, name)), advice);
        finding.id = self.id.clone().into();
        finding.severity = severity;
        finding.confidence = Some(Confidence::High);
        let figures =
            seen.values.iter().filter_map(|(name, value)| Some((name.clone().into(), measure(name, value)?)));
        finding.figures = figures.collect();
        finding.evidence = seen.evidence;
        finding.show = seen.show;
        finding.saving = seen.saving_ns.filter(|&ns| ns > 0).map(|ns| Saving {
            expected_ns: Some(ns),
            upper_ns: None,
            basis: "the rule's `saving`".into(),
        });
        OwnOutcome::Fires(Box::new(finding))
    }

    fn error(&self, formula: &Formula, mistake: ExpressionMistake) -> RuleError {
        let misplaced = Misplaced::from((mistake, formula.text.as_str()));
        misplaced.in_rule(&self.id, formula.key, &formula.text, &formula.place)
    }
}

fn no_rows(table: &str) -> String {
    format!("table `{table}` has no rows in this capture")
}

fn value_of(values: &Values, name: &str) -> Value<'static> {
    values.iter().find(|(known, _)| known == name).map_or(Value::Null, |(_, value)| value.clone())
}

/// The first different cells of a column.
fn evidence(table: &dyn Table, key: &'static str, column: usize, rows: &[usize]) -> Vec<Evidence> {
    let mut found: Vec<Evidence> = Vec::new();
    let name = table.header(column).key.to_owned();
    for value in rows.iter().filter_map(|&row| text_of(&table.value(row, column))) {
        if found.len() == MOST_EVIDENCE {
            break;
        }
        if found.iter().all(|known| known.value != value) {
            found.push(Evidence { table: key.into(), column: name.clone().into(), value });
        }
    }
    found
}

fn text_of(value: &Value<'_>) -> Option<String> {
    match value {
        Value::Null => None,
        Value::Int(number) => Some(number.to_string()),
        Value::Float(number) => Some(number.to_string()),
        Value::Flag(flag) => Some(if *flag { "yes" } else { "no" }.into()),
        Value::Text(text) => Some(text.to_string()),
    }
}

fn ns_of(value: &Value<'_>) -> Option<Ns> {
    match value {
        Value::Int(ns) => Some(*ns),
        Value::Float(ns) => Some(rounded(*ns)),
        _ => None,
    }
}

/// A value as a figure of a finding.
fn measure(name: &str, value: &Value<'_>) -> Option<Measure> {
    Some(match value {
        Value::Null => return None,
        Value::Int(ns) if Unit::of_key(name) == Unit::Nanoseconds => Measure::Time(*ns),
        Value::Int(number) => match u64::try_from(*number) {
            Ok(count) => Measure::Count(count),
            Err(_) => Measure::Number(crate::base::ratios::to_f64(*number)),
        },
        Value::Float(number) => Measure::Number(*number),
        value => Measure::Text(text_of(value)?),
    })
}

#[cfg(test)]
mod tests;
