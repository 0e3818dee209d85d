//! Reads what stands after a sum: a comparison with a value that is read as what the left side is.

use super::cursor::Cursor;
use super::evaluate::{Expression, Part};
use super::kind::ExpressionKind;
use super::mistake::{ExpectedExpression, ExpressionMistake, ExpressionProblem};
use super::operator::{AT_LEAST, AT_MOST, COMPARISONS, Comparison, EQUAL, UNEQUAL, is_word};
use super::parser::{Parser, Subject};
use super::right_side::{self, Pattern};
use super::vocabulary::Vocabulary;
use crate::tables::table::CellKind;
use std::cmp::Ordering;

/// What something is compared with.
enum Right {
    One(Expression),
    /// A range, its ends included; `None` is no end.
    Range(Option<Expression>, Option<Expression>),
}

impl<'a> Parser<'a> {
    /// A sum, or a test of one.
    pub(super) fn tested(&mut self) -> Result<Expression, ExpressionMistake> {
        let start = self.cursor.at();
        let left = self.sum()?;
        let subject = Subject { name: self.cursor.since(start), cells: left.cells(), unit: left.unit() };
        let outer = self.subject.replace(subject);
        let tested = self.test(left, subject)?;
        self.subject = outer;
        Ok(tested)
    }

    fn test(&mut self, left: Expression, subject: Subject<'a>) -> Result<Expression, ExpressionMistake> {
        if self.cursor.eat_word("is") {
            let is_not = self.cursor.eat_word("not");
            if !self.cursor.eat_word("null") {
                return Err(self.cursor.expected(ExpectedExpression::Null));
            }
            return Ok(if is_not { left.null_test().not() } else { left.null_test() });
        }
        let is_not = self.cursor.eat_word("not");
        let test = if self.cursor.eat_word("in") {
            self.list(&left, subject)?
        } else if self.cursor.eat_word("between") {
            self.between(&left, subject)?
        } else if self.cursor.eat_word("like") {
            self.pattern(&left, subject, Pattern::Like)?
        } else if self.cursor.eat_word("ilike") {
            self.pattern(&left, subject, Pattern::LikeAnyCase)?
        } else if is_not {
            return Err(self.cursor.expected(ExpectedExpression::Negated));
        } else {
            return self.comparison(left, subject);
        };
        Ok(if is_not { not_of(left, test) } else { test })
    }

    fn comparison(
        &mut self,
        left: Expression,
        subject: Subject<'a>,
    ) -> Result<Expression, ExpressionMistake> {
        let orders = match self.cursor.eat_one(&COMPARISONS) {
            Some(Comparison::Matches) => return self.pattern(&left, subject, Pattern::Regular),
            Some(Comparison::Order(orders)) => orders,
            None => return self.without_operator(left, subject),
        };
        let start = self.cursor.at();
        match self.right(subject)? {
            Right::One(right) => compare(&left, orders, right, subject),
            range @ Right::Range(..) if orders == EQUAL => equals(&left, range, subject),
            range @ Right::Range(..) if orders == UNEQUAL => {
                let within = equals(&left, range, subject)?;
                Ok(not_of(left, within))
            }
            Right::Range(..) => {
                let range = self.cursor.since(start).to_owned();
                Err(ExpressionMistake::new(start, ExpressionProblem::RangeOrder { range }))
            }
        }
    }

    /// What has no test after it. The column of a row needs one, unless its cells are yes or no.
    fn without_operator(
        &self,
        left: Expression,
        subject: Subject<'_>,
    ) -> Result<Expression, ExpressionMistake> {
        let is_column =
            matches!(left.part, Part::Name(..)) && matches!(self.vocabulary, Vocabulary::Columns(_));
        let is_inside = self.cursor.rest.starts_with([')', ',']);
        if !is_column || left.kind() == ExpressionKind::Condition || is_inside {
            return Ok(left);
        }
        match self.cursor.word() {
            word if word.is_empty() || is_word(word) => {
                Err(self.cursor.expected(ExpectedExpression::Operator))
            }
            word => {
                let problem =
                    ExpressionProblem::NoOperator { column: subject.name.to_owned(), found: word.to_owned() };
                Err(ExpressionMistake::new(self.cursor.at(), problem))
            }
        }
    }

    fn list(&mut self, left: &Expression, subject: Subject<'a>) -> Result<Expression, ExpressionMistake> {
        self.cursor.expect("(", ExpectedExpression::Open)?;
        let mut parts = Vec::new();
        loop {
            parts.push(equals(left, self.right(subject)?, subject)?);
            if self.cursor.eat(")") {
                return Ok(Expression::new(left.at, Part::Any(parts)));
            }
            let expected = if self.cursor.is_at_end() {
                ExpectedExpression::Close
            } else {
                ExpectedExpression::CommaOrClose
            };
            self.cursor.expect(",", expected)?;
        }
    }

    fn between(&mut self, left: &Expression, subject: Subject<'a>) -> Result<Expression, ExpressionMistake> {
        let low = self.value(subject)?;
        if !self.cursor.eat_word("and") {
            return Err(self.cursor.expected(ExpectedExpression::And));
        }
        let high = self.value(subject)?;
        equals(left, Right::Range(Some(low), Some(high)), subject)
    }

    fn pattern(
        &mut self,
        left: &Expression,
        subject: Subject<'_>,
        pattern: Pattern,
    ) -> Result<Expression, ExpressionMistake> {
        let at = self.cursor.at();
        let text = self.cursor.text()?;
        let has_texts = match subject.cells {
            None => matches!(left.kind(), ExpressionKind::Text | ExpressionKind::Unknown),
            Some(cells) => matches!(cells, CellKind::Text | CellKind::Json),
        };
        if !has_texts {
            let problem =
                ExpressionProblem::NotText { operator: pattern.operator(), column: subject.name.to_owned() };
            return Err(ExpressionMistake::new(left.at, problem));
        }
        let pattern = pattern.read(&text).map_err(|problem| ExpressionMistake::new(at, problem))?;
        Ok(Expression::new(left.at, Part::Matches(Box::new(left.clone()), pattern)))
    }

    /// What something is compared with: a value, or a range of numbers. Numbers of a row may stand in quotes.
    fn right(&mut self, subject: Subject<'a>) -> Result<Right, ExpressionMistake> {
        let at = self.cursor.at();
        match (subject.cells, self.vocabulary) {
            (Some(CellKind::Text | CellKind::Flag | CellKind::Answer | CellKind::Json), _) => {
                self.value(subject).map(Right::One)
            }
            (Some(CellKind::Int | CellKind::Float), Vocabulary::Columns(_)) => match self.cursor.quoted()? {
                Some(text) => {
                    let right = Parser { cursor: Cursor::new(&text), ..*self }.only_numbers(&text, subject);
                    right.map_err(|mistake| ExpressionMistake { at, ..mistake })
                }
                None => self.numbers(subject),
            },
            _ => self.numbers(subject),
        }
    }

    /// A number or a range of numbers, and nothing after it.
    fn only_numbers(mut self, text: &str, subject: Subject<'_>) -> Result<Right, ExpressionMistake> {
        let right = self.numbers(subject)?;
        if self.cursor.is_at_end() {
            Ok(right)
        } else {
            Err(ExpressionMistake::new(0, not_number(subject, text)))
        }
    }

    /// A number or a range of numbers.
    fn numbers(&mut self, subject: Subject<'_>) -> Result<Right, ExpressionMistake> {
        let start = self.cursor.at();
        let is_open = self.cursor.rest.starts_with("..");
        let low = if is_open { None } else { Some(self.value(subject)?) };
        match (low, self.cursor.eat("..")) {
            (Some(low), false) => Ok(Right::One(low)),
            (low, _) => {
                let is_end = self.cursor.is_at_end()
                    || self.cursor.rest.starts_with([')', ','])
                    || self.cursor.name().is_some_and(is_word);
                let high = if is_end { None } else { Some(self.value(subject)?) };
                match low.is_none() && high.is_none() {
                    true => Err(ExpressionMistake::new(start, not_number(subject, self.cursor.since(start)))),
                    false => Ok(Right::Range(low, high)),
                }
            }
        }
    }

    /// A value, read as what the left side is.
    fn value(&mut self, subject: Subject<'_>) -> Result<Expression, ExpressionMistake> {
        let at = self.cursor.at();
        let value = match subject.cells {
            Some(CellKind::Text | CellKind::Json) => Ok(self.cursor.text()?.into()),
            Some(CellKind::Flag) => right_side::flag(subject.name, self.cursor.text()?),
            Some(CellKind::Answer) => right_side::answer(subject.name, self.cursor.text()?),
            Some(CellKind::Int | CellKind::Float) | None => return self.sum(),
        };
        let value = value.map_err(|problem| ExpressionMistake::new(at, problem))?;
        Ok(Expression::new(at, Part::Literal(value)))
    }
}

fn compare(
    left: &Expression,
    orders: &'static [Ordering],
    right: Expression,
    subject: Subject<'_>,
) -> Result<Expression, ExpressionMistake> {
    let has_order = !matches!(subject.cells, Some(CellKind::Flag | CellKind::Answer));
    if !has_order && orders != EQUAL && orders != UNEQUAL {
        return Err(ExpressionMistake::new(
            left.at,
            ExpressionProblem::NoOrder { column: subject.name.to_owned() },
        ));
    }
    let (is, with) = (left.kind(), right.kind());
    if is != with && is != ExpressionKind::Unknown && with != ExpressionKind::Unknown {
        let unlike = ExpressionProblem::Unlike { left: is.to_string(), right: with.to_string() };
        return Err(ExpressionMistake::new(left.at, unlike));
    }
    Ok(Expression::new(left.at, Part::Compare(Box::new(left.clone()), orders, Box::new(right))))
}

/// That the left side equals a value, or lies in a range.
fn equals(left: &Expression, right: Right, subject: Subject<'_>) -> Result<Expression, ExpressionMistake> {
    let (low, high) = match right {
        Right::One(value) => return compare(left, EQUAL, value, subject),
        Right::Range(low, high) => (low, high),
    };
    let low = low.map(|low| compare(left, AT_LEAST, low, subject));
    let high = high.map(|high| compare(left, AT_MOST, high, subject));
    let parts = low.into_iter().chain(high).collect::<Result<_, _>>()?;
    Ok(Expression::new(left.at, Part::All(parts)))
}

/// That the left side has a value, for which a condition does not hold.
fn not_of(left: Expression, condition: Expression) -> Expression {
    Expression::new(left.at, Part::Any(vec![left.null_test(), condition])).not()
}

fn not_number(subject: Subject<'_>, value: &str) -> ExpressionProblem {
    ExpressionProblem::NotNumber { column: subject.name.to_owned(), value: value.to_owned() }
}
