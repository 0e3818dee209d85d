//! Reads expressions: how parts are linked, in the order in which operators bind.

use super::cursor::Cursor;
use super::evaluate::{Expression, Part};
use super::kind::ExpressionKind;
use super::mistake::{ExpectedExpression, ExpressionMistake, ExpressionProblem};
use super::operator::{Operation, PRODUCTS, SUMS};
use super::vocabulary::Vocabulary;
use crate::tables::table::{CellKind, Unit, Value};

impl Expression {
    /// Reads an expression that must come to a number or to a condition.
    pub(crate) fn parse(
        text: &str,
        vocabulary: Vocabulary<'_>,
        kind: ExpressionKind,
    ) -> Result<Self, ExpressionMistake> {
        let mut parser =
            Parser { cursor: Cursor::new(text), vocabulary, subject: None, depth: 0, operations: 0 };
        let expression = parser.any()?;
        if parser.cursor.is_at_end() {
            return of_kind(expression, kind);
        }
        let is_condition = expression.kind() == ExpressionKind::Condition;
        Err(parser.cursor.expected(if is_condition {
            ExpectedExpression::Link
        } else {
            ExpectedExpression::OperatorOrLink
        }))
    }

    pub(super) fn new(at: usize, part: Part) -> Self {
        Self { at, part }
    }

    pub(super) fn not(self) -> Self {
        Self::new(self.at, Part::Not(Box::new(self)))
    }

    pub(super) fn null_test(self) -> Self {
        Self::new(self.at, Part::IsNull(Box::new(self)))
    }
}

/// The part, if it can come to what is needed.
pub(super) fn of_kind(
    expression: Expression,
    expected: ExpressionKind,
) -> Result<Expression, ExpressionMistake> {
    let found = expression.kind();
    if found == expected || found == ExpressionKind::Unknown {
        return Ok(expression);
    }
    Err(ExpressionMistake::new(
        expression.at,
        ExpressionProblem::WrongKind { expected, found: found.to_string() },
    ))
}

/// A place in a text, and what is known there. What is compared is read in `comparing`, names and numbers in `naming`.
pub(super) struct Parser<'a> {
    pub(super) cursor: Cursor<'a>,
    pub(super) vocabulary: Vocabulary<'a>,
    /// What the numbers that are read are compared with.
    pub(super) subject: Option<Subject<'a>>,
    pub(super) depth: usize,
    pub(super) operations: usize,
}

/// What stands on the left of a comparison.
#[derive(Debug, Clone, Copy)]
pub(super) struct Subject<'a> {
    /// As it is written.
    pub(super) name: &'a str,
    pub(super) cells: Option<CellKind>,
    pub(super) unit: Unit,
}

impl Parser<'_> {
    /// Reads what is inside of something.
    pub(super) fn deeper<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, ExpressionMistake>,
    ) -> Result<T, ExpressionMistake> {
        /// Deeper expressions nobody types; bounds the stack.
        const DEEPEST: usize = 64;
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(ExpressionMistake::new(
                self.cursor.at(),
                ExpressionProblem::TooDeep { deepest: DEEPEST },
            ));
        }
        let inside = read(self)?;
        self.depth -= 1;
        Ok(inside)
    }

    pub(super) fn any(&mut self) -> Result<Expression, ExpressionMistake> {
        self.linked("or", Self::all, Part::Any)
    }

    fn all(&mut self) -> Result<Expression, ExpressionMistake> {
        self.linked("and", Self::one, Part::All)
    }

    fn linked(
        &mut self,
        word: &str,
        next: impl Fn(&mut Self) -> Result<Expression, ExpressionMistake>,
        part: impl Fn(Vec<Expression>) -> Part,
    ) -> Result<Expression, ExpressionMistake> {
        let at = self.cursor.at();
        let first = next(self)?;
        if !self.cursor.eat_word(word) {
            return Ok(first);
        }
        let mut parts = vec![of_kind(first, ExpressionKind::Condition)?];
        loop {
            parts.push(of_kind(next(self)?, ExpressionKind::Condition)?);
            if !self.cursor.eat_word(word) {
                return Ok(Expression::new(at, part(parts)));
            }
        }
    }

    fn one(&mut self) -> Result<Expression, ExpressionMistake> {
        self.deeper(|parser| match parser.cursor.eat_word("not") {
            true => Ok(of_kind(parser.one()?, ExpressionKind::Condition)?.not()),
            false => parser.tested(),
        })
    }

    pub(super) fn sum(&mut self) -> Result<Expression, ExpressionMistake> {
        self.chain(&SUMS, Self::product)
    }

    fn product(&mut self) -> Result<Expression, ExpressionMistake> {
        self.chain(&PRODUCTS, Self::factor)
    }

    fn chain(
        &mut self,
        signs: &[(&str, Operation)],
        next: impl Fn(&mut Self) -> Result<Expression, ExpressionMistake>,
    ) -> Result<Expression, ExpressionMistake> {
        /// More operations nobody types; bounds the stack of what walks the expression.
        const MOST: usize = 256;
        let at = self.cursor.at();
        let mut left = next(self)?;
        loop {
            let sign_at = self.cursor.at();
            let Some(operation) = self.cursor.eat_one(signs) else { return Ok(left) };
            self.operations += 1;
            if self.operations > MOST {
                return Err(ExpressionMistake::new(sign_at, ExpressionProblem::TooLong { most: MOST }));
            }
            let sides =
                (of_kind(left, ExpressionKind::Number)?, of_kind(next(self)?, ExpressionKind::Number)?);
            left = Expression::new(at, Part::Arithmetic(Box::new(sides.0), operation, Box::new(sides.1)));
        }
    }

    fn factor(&mut self) -> Result<Expression, ExpressionMistake> {
        let at = self.cursor.at();
        if self.cursor.eat("(") {
            let inside = self.any()?;
            self.cursor.expect(")", ExpectedExpression::Close)?;
            return Ok(inside);
        }
        if self.cursor.eat_number_sign() {
            return Ok(Expression::new(at, Part::Literal(self.number()?)));
        }
        if self.cursor.eat("-") {
            let inside = self.deeper(|parser| of_kind(parser.factor()?, ExpressionKind::Number))?;
            return Ok(Expression::new(at, negative(inside)));
        }
        if let Vocabulary::Columns(columns) = self.vocabulary {
            return self.column(at, columns);
        }
        match self.cursor.quoted()? {
            Some(text) => Ok(Expression::new(at, Part::Literal(text.into()))),
            None => self.named(at),
        }
    }
}

fn negative(inside: Expression) -> Part {
    match inside.part {
        Part::Literal(Value::Int(number)) => Part::Literal(Value::Int(-number)),
        Part::Literal(Value::Float(number)) => Part::Literal(Value::Float(-number)),
        _ => Part::Negative(Box::new(inside)),
    }
}
