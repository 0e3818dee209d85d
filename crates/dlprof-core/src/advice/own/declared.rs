//! Reads `[[rule]]` of a settings file.

use super::super::rule_setting::Level;
use super::super::settings::SettingsText;
use super::super::tables::{TABLES, definition};
use super::engine::QueryEngine;
use super::error::{Misplaced, RuleError, Written};
use super::title::Title;
use super::{EvidenceQuery, Formula, OwnRule, QueryMistake, QuerySource, Source, TableSource};
use crate::tables::expression::{Condition, Expression, ExpressionKind, Name, Vocabulary};
use crate::tables::near::nearest;
use crate::tables::{CellKind, Columns, Unit};
use serde::Deserialize;
use toml::Spanned;

/// A `[[rule]]` of a settings file as it is written.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnRuleTable {
    id: Spanned<String>,
    title: Spanned<String>,
    severity: Option<Spanned<String>>,
    when: Spanned<String>,
    advice: String,
    query: Option<Spanned<String>>,
    table: Option<Spanned<String>>,
    value: Option<Spanned<String>>,
    #[serde(rename = "where")]
    condition: Option<Spanned<String>>,
    evidence: Option<Spanned<String>>,
    saving: Option<Spanned<String>>,
}

impl OwnRuleTable {
    /// Its id, with its place.
    pub(in super::super) fn id(&self) -> &Spanned<String> {
        &self.id
    }

    /// Checks everything that can be checked without a profile.
    pub(in super::super) fn read(
        &self,
        file: &SettingsText<'_>,
        engine: Option<QueryEngine>,
    ) -> Result<OwnRule, RuleError> {
        let reader = Reader { table: self, id: self.id.get_ref(), file, engine };
        let is_part = |c: char| c.is_alphanumeric() || "_-.".contains(c);
        if reader.id.is_empty() || !reader.id.chars().all(is_part) {
            let message = format!("`{}` cannot be the id of a rule", reader.id);
            let hint = "use letters, digits, `_`, `-` and `.`, such as `embedding_slow`".to_owned();
            return Err(file.place(&self.id.span()).error(message, Some(hint)));
        }
        let (source, names) = reader.source()?;
        let known: Vec<String> = names.iter().map(|name| name.name.clone()).collect();
        let title = Title::parse(self.title.get_ref(), &known).map_err(|error| {
            let place = file.place(&self.title.span());
            error.in_rule(reader.id, "title", self.title.get_ref(), &place)
        })?;
        Ok(OwnRule {
            id: reader.id.to_owned(),
            level: match &self.severity {
                None => Level::At(crate::advice::Severity::Warning),
                Some(word) => Level::read(word, file)?,
            },
            title,
            title_text: self.title.get_ref().clone(),
            advice: self.advice.clone(),
            when: reader.formula("when", &self.when, Vocabulary::Names(&names), ExpressionKind::Condition)?,
            source,
        })
    }
}

/// What reading a rule needs.
struct Reader<'a> {
    table: &'a OwnRuleTable,
    id: &'a str,
    file: &'a SettingsText<'a>,
    engine: Option<QueryEngine>,
}

impl Reader<'_> {
    /// What the rule looks at, and the names that its condition may use.
    fn source(&self) -> Result<(Source, Vec<Name>), RuleError> {
        let table = self.table;
        match (&table.query, &table.table) {
            (Some(query), None) => {
                let others = [("value", &table.value), ("where", &table.condition)];
                if let Some((key, Some(other))) = others.into_iter().find(|(_, value)| value.is_some()) {
                    let message =
                        format!("rule `{}` has a `query`, and `{key}`, which goes with `table`", self.id);
                    return Err(self.error(other, message, "put it into the query"));
                }
                let source = self.query(query)?;
                let of_row =
                    |name: &String| Name { name: name.clone(), cells: None, unit: Unit::of_key(name) };
                let names = source.names.iter().map(of_row).collect();
                Ok((Source::Query(source), names))
            }
            (None, Some(name)) => {
                let source = self.table(name)?;
                let unit = source.value.expression.unit();
                let value = Name { name: "value".to_owned(), cells: Some(CellKind::Float), unit };
                Ok((Source::Table(source), vec![value]))
            }
            (Some(_), Some(name)) => {
                let message = format!("rule `{}` has both `query` and `table`", self.id);
                Err(self.error(name, message, "keep one of them"))
            }
            (None, None) => {
                let message = format!("rule `{}` has neither `query` nor `table`", self.id);
                Err(self.error(
                    &table.id,
                    message,
                    "say what it looks at, such as `table = \"iterations\"` and `value = \
                    \"max(duration_ns)\"`",
                ))
            }
        }
    }

    fn query(&self, query: &Spanned<String>) -> Result<QuerySource, RuleError> {
        let Some(engine) = self.engine else {
            let message = format!("rule `{}` has a `query`, but this program answers no queries", self.id);
            return Err(self.error(query, message, "write the rule with `table` and `value`"));
        };
        let check = |key: &str, sql: &Spanned<String>| {
            (engine.check)(sql.get_ref()).map_err(|QueryMistake { message, hint }| {
                self.file.place(&sql.span()).error(format!("`{key}` of rule `{}`: {message}", self.id), hint)
            })
        };
        let names = check("query", query)?.columns;
        let mut evidence = None;
        if let Some(sql) = &self.table.evidence {
            let checked = check("evidence", sql)?;
            let column = checked.columns.into_iter().next().unwrap_or_default();
            let has_column = |key: &&&'static str| {
                definition(key).is_some_and(|table| table.headers().iter().any(|header| header.key == column))
            };
            let table = checked.tables.iter().find(has_column).or(checked.tables.first()).copied();
            evidence = Some(EvidenceQuery { query: self.written(sql), table: table.unwrap_or(""), column });
        }
        let mut saving = None;
        if let Some(sql) = &self.table.saving {
            let columns = check("saving", sql)?.columns;
            let Some(column) = columns.iter().position(|column| column == "saving_ns") else {
                let message = format!(
                    "`saving` of rule `{}` has the columns {}; `saving_ns` is needed",
                    self.id,
                    columns.join(", ")
                );
                return Err(self.error(sql, message, "give the column its name: `… as saving_ns`"));
            };
            saving = Some((self.written(sql), column));
        }
        Ok(QuerySource { engine, query: self.written(query), names, evidence, saving })
    }

    fn table(&self, name: &Spanned<String>) -> Result<TableSource, RuleError> {
        let Some(table) = definition(name.get_ref()) else {
            let known = TABLES.iter().map(|table| table.key);
            let hint = match nearest(name.get_ref(), known.clone()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("tables are {}", known.collect::<Vec<_>>().join(", ")),
            };
            let message = format!("rule `{}`: there is no table `{}`", self.id, name.get_ref());
            return Err(self.error(name, message, &hint));
        };
        let columns = Columns::from(table);
        let Some(value) = &self.table.value else {
            let message = format!("rule `{}` has `table`, but no `value`", self.id);
            return Err(self.error(name, message, "add `value`, such as `value = \"count()\"`"));
        };
        let functions = Vocabulary::Functions(&columns);
        let describe = format!("`dlprof-agg show --list {}` describes the columns", table.key);
        let condition = |text: &Spanned<String>| {
            let read = Condition::parse(text.get_ref(), &columns).map_err(|mistake| {
                let hint = mistake.hint().or_else(|| Some(describe.clone()));
                let misplaced = Misplaced { hint, ..Misplaced::from((mistake, text.get_ref().as_str())) };
                let place = self.file.place(&text.span());
                misplaced.in_rule(self.id, "where", text.get_ref(), &place)
            });
            Ok((text.get_ref().clone(), read?))
        };
        let column = |text: &Spanned<String>| {
            columns.position(text.get_ref()).map_err(|error| {
                self.error(text, format!("`evidence` of rule `{}`: {error}", self.id), &describe)
            })
        };
        let formula = |key, text| self.formula(key, text, functions, ExpressionKind::Number);
        let condition = self.table.condition.as_ref().map(condition).transpose()?;
        Ok(TableSource {
            table,
            value: formula("value", value)?,
            // Without a condition all rows are meant, so that single ones say nothing.
            evidence: match &self.table.evidence {
                Some(text) => Some(column(text)?),
                None => condition.is_some().then_some(0),
            },
            condition,
            saving: self.table.saving.as_ref().map(|text| formula("saving", text)).transpose()?,
        })
    }

    fn formula(
        &self,
        key: &'static str,
        text: &Spanned<String>,
        vocabulary: Vocabulary<'_>,
        kind: ExpressionKind,
    ) -> Result<Formula, RuleError> {
        let place = self.file.place(&text.span());
        let text = text.get_ref();
        match Expression::parse(text, vocabulary, kind) {
            Ok(expression) => Ok(Formula { key, text: text.clone(), expression, place }),
            Err(mistake) => {
                Err(Misplaced::from((mistake, text.as_str())).in_rule(self.id, key, text, &place))
            }
        }
    }

    fn written(&self, text: &Spanned<String>) -> Written<String> {
        Written { value: text.get_ref().clone(), place: self.file.place(&text.span()) }
    }

    fn error(&self, at: &Spanned<String>, message: String, hint: &str) -> RuleError {
        self.file.place(&at.span()).error(message, Some(hint.to_owned()))
    }
}
