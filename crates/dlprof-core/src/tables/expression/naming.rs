//! Reads numbers with their units, and names: columns of a row, values of a rule, functions of rows.

use super::cursor::{Cursor, starts};
use super::evaluate::{Call, Expression, Part};
use super::functions::Function;
use super::kind::ExpressionKind;
use super::mistake::{ExpectedExpression, ExpressionMistake, ExpressionProblem};
use super::operator::is_word;
use super::parser::{Parser, of_kind};
use super::quantity;
use super::vocabulary::{Vocabulary, column_at, meant_as_column, unknown_name};
use crate::tables::column_names::Columns;
use crate::tables::table::{CellKind, Header, Value};

impl<'a> Parser<'a> {
    /// A number; on the right of a comparison, also its unit.
    pub(super) fn number(&mut self) -> Result<Value<'static>, ExpressionMistake> {
        let (at, digits) = (self.cursor.at(), self.cursor.digits());
        let plain = digits.replace('_', "");
        let number = plain.parse().ok().filter(|number: &f64| number.is_finite());
        let behind = self.cursor.rest.get(digits.len()..).unwrap_or_default();
        let unit = self.unit(behind);
        let more = match unit {
            Some(unit) => behind.find(unit).map_or(0, |at| at + unit.len()),
            None => behind.find(|c: char| !c.is_alphanumeric() && !"_%".contains(c)).unwrap_or(behind.len()),
        };
        let text = self.cursor.rest.get(..digits.len() + more).unwrap_or_default();
        let wrong = || {
            let value = text.to_owned();
            let problem = match self.subject {
                None => ExpressionProblem::BadNumber { text: value },
                Some(subject) => ExpressionProblem::UnitMisfit {
                    column: subject.name.to_owned(),
                    value,
                    fits: quantity::fitting(subject.unit),
                },
            };
            ExpressionMistake::new(at, problem)
        };
        let is_int = self.subject.is_some_and(|subject| subject.cells == Some(CellKind::Int));
        let value = match (number, unit, self.subject) {
            (Some(number), Some(unit), Some(subject)) => {
                let number = quantity::in_unit(number, unit, subject.unit).ok_or_else(wrong)?;
                quantity::whole(number).filter(|_| is_int).map_or(Value::Float(number), Value::Int)
            }
            (Some(number), None, _) if more == 0 => {
                plain.parse().ok().filter(|_| is_int).map_or(Value::Float(number), Value::Int)
            }
            _ => return Err(wrong()),
        };
        self.cursor.skip(text.len());
        Ok(value)
    }

    /// The unit after a number that is compared with something.
    fn unit(&self, behind: &'a str) -> Option<&'a str> {
        self.subject?;
        let word = Cursor::new(behind).word();
        let word = word.split("..").next().unwrap_or_default();
        // `5/s` is a quotient where there is an `s`.
        let is_quotient = |unit: &str| unit.strip_prefix('/').is_some_and(|name| self.vocabulary.has(name));
        starts(word).find(|start| quantity::is_unit(start) && !is_quotient(start))
    }

    /// The column of a row that is next.
    pub(super) fn column(
        &mut self,
        at: usize,
        columns: &Columns<'_>,
    ) -> Result<Expression, ExpressionMistake> {
        let quoted = self.cursor.quoted()?;
        let found = match &quoted {
            Some(name) => columns.find(name),
            None => column_at(self.cursor.rest, columns).map(|(column, length)| {
                self.cursor.skip(length);
                column
            }),
        };
        if let Some(column) = found {
            let Header { kind, unit, .. } = columns.headers[column];
            return Ok(Expression::new(at, Part::Name(column, Some(kind), unit)));
        }
        let word = self.cursor.word();
        let problem = match (quoted, self.subject) {
            (Some(name), _) => columns.unknown(&name).into(),
            (None, None) if word.is_empty() || is_word(word) => {
                return Err(self.cursor.expected(self.vocabulary.first()));
            }
            (None, None) => columns.unknown(&meant_as_column(self.cursor.rest)).into(),
            (None, Some(_)) if word.is_empty() => {
                return Err(self.cursor.expected(ExpectedExpression::Value));
            }
            (None, Some(subject)) => {
                ExpressionProblem::NotNumber { column: subject.name.to_owned(), value: word.to_owned() }
            }
        };
        Err(ExpressionMistake::new(at, problem))
    }

    /// A value by its name, or a function with what follows.
    pub(super) fn named(&mut self, at: usize) -> Result<Expression, ExpressionMistake> {
        let Some(name) = self.cursor.name().filter(|name| !is_word(name)) else {
            return Err(self.cursor.expected(self.vocabulary.first()));
        };
        self.cursor.skip(name.len());
        let is_call = self.cursor.rest.starts_with('(');
        let problem = match self.vocabulary {
            Vocabulary::Functions(columns) if is_call => return self.call(at, name, columns),
            Vocabulary::Functions(_) | Vocabulary::Columns(_) => {
                ExpressionProblem::NotFunction { name: name.to_owned() }
            }
            Vocabulary::Names(_) if is_call => ExpressionProblem::NoFunctions { name: name.to_owned() },
            Vocabulary::Names(names) => match names.iter().position(|known| known.name == name) {
                Some(place) => {
                    let part = Part::Name(place, names[place].cells, names[place].unit);
                    return Ok(Expression::new(at, part));
                }
                None => unknown_name(name, names),
            },
        };
        Err(ExpressionMistake::new(at, problem))
    }

    /// A function of what is computed from the columns of each row.
    fn call(
        &mut self,
        at: usize,
        name: &str,
        columns: &'a Columns<'a>,
    ) -> Result<Expression, ExpressionMistake> {
        let Some(function) = Function::named(name) else {
            return Err(ExpressionMistake::new(
                at,
                ExpressionProblem::UnknownFunction { name: name.to_owned() },
            ));
        };
        self.cursor.eat("(");
        let outer = (self.vocabulary, self.subject.take());
        self.vocabulary = Vocabulary::Columns(columns);
        let call = self.deeper(|parser| {
            let argument = parser.argument(function)?;
            let part = if function == Function::Percentile { parser.percentile()? } else { 0.0 };
            Ok(Call { function, argument, part })
        })?;
        (self.vocabulary, self.subject) = outer;
        self.cursor.expect(")", ExpectedExpression::Close)?;
        Ok(Expression::new(at, Part::Call(Box::new(call))))
    }

    /// What a function is applied to.
    fn argument(&mut self, function: Function) -> Result<Option<Expression>, ExpressionMistake> {
        let at = self.cursor.at();
        if self.cursor.rest.starts_with(')') {
            return match function {
                Function::Count => Ok(None),
                _ => {
                    Err(ExpressionMistake::new(at, ExpressionProblem::NoColumn { function: function.name() }))
                }
            };
        }
        if function == Function::Share {
            return of_kind(self.any()?, ExpressionKind::Condition).map(Some);
        }
        let argument = self.sum()?;
        let has = match argument.cells() {
            _ if function == Function::Count => return Ok(Some(argument)),
            Some(CellKind::Int | CellKind::Float) => return Ok(Some(argument)),
            Some(CellKind::Flag) | None => "yes or no",
            Some(CellKind::Answer) => "yes, no or unknown",
            Some(CellKind::Text | CellKind::Json) => "texts",
        };
        let column = self.cursor.since(at).to_owned();
        Err(ExpressionMistake::new(
            at,
            ExpressionProblem::NotNumbers { function: function.name(), column, has },
        ))
    }

    /// The second argument of `percentile`, from 0 to 1.
    fn percentile(&mut self) -> Result<f64, ExpressionMistake> {
        self.cursor.expect(",", ExpectedExpression::Percentile)?;
        let (at, text) = (self.cursor.at(), self.cursor.word());
        let number: Option<f64> = text.parse().ok().filter(|number| (0.0..=100.0).contains(number));
        let bad = || ExpressionMistake::new(at, ExpressionProblem::BadPercentile { text: text.to_owned() });
        let number = number.ok_or_else(bad)?;
        self.cursor.skip(text.len());
        Ok(number / 100.0)
    }
}
