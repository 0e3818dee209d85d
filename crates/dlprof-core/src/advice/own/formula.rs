//! Formulas of users' rules: what `when` and `value` say, and what it comes to.

use super::aggregate::Call;
use crate::base::ratios::to_f64;
use crate::tables::Value;
use std::cmp::Ordering;

/// A part of a formula, and where it begins.
#[derive(Debug, Clone)]
pub(super) struct Formula {
    /// Position of its first character in the text, from 1.
    pub(super) at: usize,
    pub(super) part: Part,
}

/// What a part of a formula is.
#[derive(Debug, Clone)]
pub(super) enum Part {
    Number(f64),
    Text(String),
    /// A column of the query's row, or `value`.
    Name(String),
    /// A function of the rows of a table.
    Call(Box<Call>),
    Negative(Box<Formula>),
    Arithmetic(Box<Formula>, Operation, Box<Formula>),
    /// One of these orders holds.
    Compare(Box<Formula>, &'static [Ordering], Box<Formula>),
    IsNull(Box<Formula>),
    Not(Box<Formula>),
    All(Vec<Formula>),
    Any(Vec<Formula>),
}

/// What is done with two numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
    Add,
    Subtract,
    Multiply,
    Divide,
}

/// What a part comes to, as far as the text says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Number,
    Text,
    Condition,
    /// A column of a query: that depends on the row.
    Unknown,
}

impl Kind {
    /// In words, for errors.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Number => "a number",
            Self::Text => "a text",
            Self::Condition => "a condition",
            Self::Unknown => "a value",
        }
    }
}

/// Why a formula cannot be read, or does not fit the values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FormulaError {
    /// Position of the character in the text, from 1.
    pub(super) at: usize,
    /// What was found, and what is expected.
    pub(super) message: String,
    /// What the user can do.
    pub(super) hint: Option<String>,
}

impl FormulaError {
    pub(super) fn new(at: usize, message: impl Into<String>) -> Self {
        Self { at, message: message.into(), hint: None }
    }

    pub(super) fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

/// What names and calls come to.
pub(super) struct Scope<'a> {
    pub(super) name: &'a dyn Fn(&str) -> Value<'static>,
    pub(super) call: &'a dyn Fn(&Call) -> Value<'static>,
}

impl Formula {
    /// Whether it comes to a number, a text or a condition.
    pub(super) fn kind(&self) -> Kind {
        match &self.part {
            Part::Number(_) | Part::Call(_) | Part::Negative(_) | Part::Arithmetic(..) => Kind::Number,
            Part::Text(_) => Kind::Text,
            Part::Name(_) => Kind::Unknown,
            Part::Compare(..) | Part::IsNull(_) | Part::Not(_) | Part::All(_) | Part::Any(_) => {
                Kind::Condition
            }
        }
    }

    /// What it comes to. An empty cell makes every comparison false, and every number that is made of it empty.
    pub(super) fn value(&self, scope: &Scope<'_>) -> Result<Value<'static>, FormulaError> {
        Ok(match &self.part {
            Part::Number(number) => Value::Float(*number),
            Part::Text(text) => Value::from(text.clone()),
            Part::Name(name) => (scope.name)(name),
            Part::Call(call) => (scope.call)(call),
            Part::Negative(inside) => inside.number(scope)?.map(|number| -number).into(),
            Part::Arithmetic(left, operation, right) => {
                let (left, right) = (left.number(scope)?, right.number(scope)?);
                left.zip(right).and_then(|(left, right)| operation.of(left, right)).into()
            }
            Part::Compare(left, orders, right) => Value::Flag(self.compares(left, orders, right, scope)?),
            Part::IsNull(inside) => Value::Flag(inside.value(scope)? == Value::Null),
            Part::Not(inside) => Value::Flag(!inside.holds(scope)?),
            Part::All(parts) => Value::Flag(Self::first(parts, false, scope)?.is_none()),
            Part::Any(parts) => Value::Flag(Self::first(parts, true, scope)?.is_some()),
        })
    }

    /// The first part that holds, or that does not.
    fn first<'a>(
        parts: &'a [Self],
        wanted: bool,
        scope: &Scope<'_>,
    ) -> Result<Option<&'a Self>, FormulaError> {
        for part in parts {
            if part.holds(scope)? == wanted {
                return Ok(Some(part));
            }
        }
        Ok(None)
    }

    /// Whether a condition holds. One that is empty does not.
    pub(super) fn holds(&self, scope: &Scope<'_>) -> Result<bool, FormulaError> {
        match self.value(scope)? {
            Value::Flag(flag) => Ok(flag),
            Value::Null => Ok(false),
            value => Err(self.wrong(Kind::Condition, &value)),
        }
    }

    /// A number; `None` if it is empty.
    fn number(&self, scope: &Scope<'_>) -> Result<Option<f64>, FormulaError> {
        match self.value(scope)? {
            Value::Int(number) => Ok(Some(to_f64(number))),
            Value::Float(number) => Ok(Some(number)),
            Value::Null => Ok(None),
            value => Err(self.wrong(Kind::Number, &value)),
        }
    }

    fn compares(
        &self,
        left: &Self,
        orders: &[Ordering],
        right: &Self,
        scope: &Scope<'_>,
    ) -> Result<bool, FormulaError> {
        let order = match (left.value(scope)?, right.value(scope)?) {
            (Value::Null, _) | (_, Value::Null) => return Ok(false),
            (Value::Int(left), Value::Int(right)) => Some(left.cmp(&right)),
            (Value::Text(left), Value::Text(right)) => Some(left.cmp(&right)),
            (Value::Flag(left), Value::Flag(right)) => Some(left.cmp(&right)),
            (Value::Int(left), Value::Float(right)) => to_f64(left).partial_cmp(&right),
            (Value::Float(left), Value::Int(right)) => left.partial_cmp(&to_f64(right)),
            (Value::Float(left), Value::Float(right)) => left.partial_cmp(&right),
            (left, right) => {
                let message = format!("{} is compared with {}", shown(&left), shown(&right));
                return Err(FormulaError::new(self.at, message)
                    .with_hint("compare numbers with numbers, and texts with 'texts'"));
            }
        };
        Ok(order.is_some_and(|order| orders.contains(&order)))
    }

    fn wrong(&self, expected: Kind, found: &Value<'_>) -> FormulaError {
        FormulaError::new(self.at, format!("{} expected, {} found", expected.as_str(), shown(found)))
    }
}

impl Operation {
    /// The result; `None` for a division by 0.
    fn of(self, left: f64, right: f64) -> Option<f64> {
        let result = match self {
            Self::Add => left + right,
            Self::Subtract => left - right,
            Self::Multiply => left * right,
            Self::Divide => left / right,
        };
        Some(result).filter(|result| result.is_finite())
    }
}

/// A value in an error.
fn shown(value: &Value<'_>) -> String {
    match value {
        Value::Null => "an empty cell".into(),
        Value::Int(number) => format!("the number {number}"),
        Value::Float(number) => format!("the number {number}"),
        Value::Flag(flag) => format!("the condition {}", if *flag { "yes" } else { "no" }),
        Value::Text(text) => format!("the text '{text}'"),
    }
}
