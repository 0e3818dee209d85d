//! What an expression comes to.

use super::functions::{self, Function};
use super::kind::ExpressionKind;
use super::mistake::{ExpressionMistake, ExpressionProblem};
use super::operator::Operation;
use crate::base::ratios::to_f64;
use crate::tables::table::{CellKind, Table, Unit, Value};
use regex::Regex;
use std::borrow::Cow;
use std::cmp::Ordering;

/// A part of an expression, and where it begins.
#[derive(Debug, Clone)]
pub(crate) struct Expression {
    /// Bytes of the text before it.
    pub(super) at: usize,
    pub(super) part: Part,
}

/// What a part of an expression is.
#[derive(Debug, Clone)]
pub(super) enum Part {
    Literal(Value<'static>),
    /// A column of the row, or a value with a name.
    Name(usize, Option<CellKind>, Unit),
    /// A function of the rows of a table.
    Call(Box<Call>),
    Negative(Box<Expression>),
    Arithmetic(Box<Expression>, Operation, Box<Expression>),
    /// One of these orders holds.
    Compare(Box<Expression>, &'static [Ordering], Box<Expression>),
    Matches(Box<Expression>, Regex),
    IsNull(Box<Expression>),
    Not(Box<Expression>),
    All(Vec<Expression>),
    Any(Vec<Expression>),
}

/// A function of the rows of a table, with what it is applied to.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub(super) function: Function,
    /// What it is applied to in each row; `None` for the rows themselves.
    pub(super) argument: Option<Expression>,
    /// Which percentile, from 0 to 1.
    pub(super) part: f64,
}

/// What names and calls come to.
pub(crate) enum Scope<'a> {
    /// Names are columns of a row.
    Row(&'a dyn Table, usize),
    /// Calls are about these rows.
    Rows(&'a dyn Table, &'a [usize]),
    /// Names are these values, in the order of the vocabulary.
    Values(&'a [Value<'static>]),
}

impl Expression {
    /// Whether it comes to a number, a text or a condition.
    pub(crate) fn kind(&self) -> ExpressionKind {
        match &self.part {
            Part::Call(_) | Part::Negative(_) | Part::Arithmetic(..) => ExpressionKind::Number,
            Part::Literal(value) => match value {
                Value::Int(_) | Value::Float(_) => ExpressionKind::Number,
                Value::Text(_) => ExpressionKind::Text,
                Value::Flag(_) => ExpressionKind::Condition,
                Value::Null => ExpressionKind::Unknown,
            },
            Part::Name(_, cells, _) => match cells {
                Some(CellKind::Int | CellKind::Float) => ExpressionKind::Number,
                Some(CellKind::Text | CellKind::Answer | CellKind::Json) => ExpressionKind::Text,
                Some(CellKind::Flag) => ExpressionKind::Condition,
                None => ExpressionKind::Unknown,
            },
            Part::Compare(..)
            | Part::Matches(..)
            | Part::IsNull(_)
            | Part::Not(_)
            | Part::All(_)
            | Part::Any(_) => ExpressionKind::Condition,
        }
    }

    /// The type of the cells of what it is, if that is known.
    pub(super) fn cells(&self) -> Option<CellKind> {
        match &self.part {
            Part::Name(_, cells, _) => *cells,
            _ => (self.kind() == ExpressionKind::Number).then_some(CellKind::Float),
        }
    }

    /// The unit of the numbers that it comes to. A unit that the language cannot name, such as that of a product of two
    /// times, is none.
    pub(crate) fn unit(&self) -> Unit {
        match &self.part {
            Part::Name(_, _, unit) => *unit,
            Part::Call(call) => call.unit(),
            Part::Negative(inside) => inside.unit(),
            Part::Arithmetic(left, operation, right) => match (left.unit(), operation, right.unit()) {
                (left, Operation::Add | Operation::Subtract, right) if left == right => left,
                (left, _, Unit::None) => left,
                (Unit::None, Operation::Divide, _) => Unit::None,
                (Unit::None, _, right) => right,
                _ => Unit::None,
            },
            _ => Unit::None,
        }
    }

    /// What it comes to. An empty cell makes every comparison false, and every number that is made of it empty.
    pub(crate) fn value<'a>(&'a self, scope: &Scope<'a>) -> Result<Value<'a>, ExpressionMistake> {
        Ok(match &self.part {
            Part::Literal(value) => borrowed(value),
            Part::Name(at, ..) => match *scope {
                Scope::Row(table, row) => table.value(row, *at),
                Scope::Values(values) => values.get(*at).map_or(Value::Null, borrowed),
                Scope::Rows(..) => Value::Null,
            },
            Part::Call(call) => match *scope {
                Scope::Rows(table, rows) => call.of(table, rows)?.into(),
                Scope::Row(..) | Scope::Values(_) => Value::Null,
            },
            Part::Negative(inside) => inside.number(scope)?.map(|number| -number).into(),
            Part::Arithmetic(left, operation, right) => {
                let (left, right) = (left.number(scope)?, right.number(scope)?);
                left.zip(right).and_then(|(left, right)| operation.of(left, right)).into()
            }
            _ => Value::Flag(self.holds(scope)?),
        })
    }

    /// Whether a condition holds. One that is empty does not.
    pub(crate) fn holds(&self, scope: &Scope<'_>) -> Result<bool, ExpressionMistake> {
        match &self.part {
            Part::Compare(left, orders, right) => self.compares(left, orders, right, scope),
            Part::Matches(left, pattern) => match left.value(scope)? {
                Value::Text(text) => Ok(pattern.is_match(&text)),
                Value::Null => Ok(false),
                value => Err(left.wrong(ExpressionKind::Text, &value)),
            },
            Part::IsNull(inside) => Ok(inside.value(scope)? == Value::Null),
            Part::Not(inside) => Ok(!inside.holds(scope)?),
            Part::All(parts) => Ok(!Self::is_any(parts, false, scope)?),
            Part::Any(parts) => Self::is_any(parts, true, scope),
            _ => match self.value(scope)? {
                Value::Flag(flag) => Ok(flag),
                Value::Null => Ok(false),
                value => Err(self.wrong(ExpressionKind::Condition, &value)),
            },
        }
    }

    /// Whether a part holds, or does not.
    fn is_any(parts: &[Self], wanted: bool, scope: &Scope<'_>) -> Result<bool, ExpressionMistake> {
        for part in parts {
            if part.holds(scope)? == wanted {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// A number; `None` if it is empty.
    pub(crate) fn number(&self, scope: &Scope<'_>) -> Result<Option<f64>, ExpressionMistake> {
        match self.value(scope)? {
            Value::Int(number) => Ok(Some(to_f64(number))),
            Value::Float(number) => Ok(Some(number)),
            Value::Null => Ok(None),
            value => Err(self.wrong(ExpressionKind::Number, &value)),
        }
    }

    fn compares(
        &self,
        left: &Self,
        orders: &[Ordering],
        right: &Self,
        scope: &Scope<'_>,
    ) -> Result<bool, ExpressionMistake> {
        let order = match (left.value(scope)?, right.value(scope)?) {
            (Value::Null, _) | (_, Value::Null) => return Ok(false),
            (Value::Int(left), Value::Int(right)) => Some(left.cmp(&right)),
            (Value::Text(left), Value::Text(right)) => Some(left.cmp(&right)),
            (Value::Flag(left), Value::Flag(right)) => Some(left.cmp(&right)),
            (Value::Int(left), Value::Float(right)) => to_f64(left).partial_cmp(&right),
            (Value::Float(left), Value::Int(right)) => left.partial_cmp(&to_f64(right)),
            (Value::Float(left), Value::Float(right)) => left.partial_cmp(&right),
            (left, right) => {
                return Err(ExpressionMistake::new(
                    self.at,
                    ExpressionProblem::Unlike { left: shown(&left), right: shown(&right) },
                ));
            }
        };
        Ok(order.is_some_and(|order| orders.contains(&order)))
    }

    fn wrong(&self, expected: ExpressionKind, found: &Value<'_>) -> ExpressionMistake {
        ExpressionMistake::new(self.at, ExpressionProblem::WrongKind { expected, found: shown(found) })
    }
}

impl Call {
    /// The unit of the numbers that it comes to.
    fn unit(&self) -> Unit {
        match (self.function, &self.argument) {
            (Function::Count | Function::Share, _) | (_, None) => Unit::None,
            (_, Some(argument)) => argument.unit(),
        }
    }

    /// What it comes to over some rows; `None` where it is not defined, such as a mean without values.
    fn of(&self, table: &dyn Table, rows: &[usize]) -> Result<Option<f64>, ExpressionMistake> {
        let Some(argument) = &self.argument else { return Ok(Some(functions::count(rows.len()))) };
        let scopes = rows.iter().map(|&row| Scope::Row(table, row));
        match self.function {
            Function::Count | Function::Share => {
                let is_counted = |scope: &Scope<'_>| match self.function {
                    Function::Share => argument.holds(scope),
                    _ => Ok(argument.value(scope)? != Value::Null),
                };
                let mut counted = 0;
                for scope in scopes {
                    counted += usize::from(is_counted(&scope)?);
                }
                let whole = if self.function == Function::Share { rows.len() } else { 1 };
                Ok((whole > 0).then(|| functions::count(counted) / functions::count(whole)))
            }
            function => {
                let numbers = scopes.filter_map(|scope| argument.number(&scope).transpose());
                Ok(function.of(numbers.collect::<Result<_, _>>()?, self.part))
            }
        }
    }
}

fn borrowed<'a>(value: &'a Value<'_>) -> Value<'a> {
    match value {
        Value::Null => Value::Null,
        Value::Int(number) => Value::Int(*number),
        Value::Float(number) => Value::Float(*number),
        Value::Flag(flag) => Value::Flag(*flag),
        Value::Text(text) => Value::Text(Cow::Borrowed(text)),
    }
}

/// A value in a message.
fn shown(value: &Value<'_>) -> String {
    match value {
        Value::Null => "an empty cell".into(),
        Value::Int(number) => format!("the number {number}"),
        Value::Float(number) => format!("the number {number}"),
        Value::Flag(flag) => format!("the condition {}", if *flag { "yes" } else { "no" }),
        Value::Text(text) => format!("the text '{text}'"),
    }
}
