//! Reads formulas of users' rules.
//!
//! ```text
//! formula    = all { "or" all }
//! all        = one { "and" one }
//! one        = "not" one | comparison
//! comparison = sum [ operator sum | "is" [ "not" ] "null" ]
//! operator   = "=" | "!=" | "<" | "<=" | ">" | ">="
//! sum        = product { ( "+" | "-" ) product }
//! product    = factor { ( "*" | "/" ) factor }
//! factor     = "-" factor | number | 'text' | name | function "(" … ")" | "(" formula ")"
//! ```

use super::aggregate::{Call, Function};
use super::cursor::Cursor;
use super::formula::{Formula, FormulaError, Kind, Operation, Part};
use crate::tables::Columns;
use crate::tables::filter::Condition;
use std::cmp::Ordering;

/// What words of a formula may be.
#[derive(Debug, Clone, Copy)]
pub(super) enum Vocabulary<'a> {
    /// Columns of a query's row, or `value`.
    Names(&'a [String]),
    /// Functions of the rows of a table.
    Functions(&'a Columns<'a>),
}

/// Reads a formula that must come to a number or to a condition.
pub(super) fn parse(text: &str, vocabulary: Vocabulary<'_>, kind: Kind) -> Result<Formula, FormulaError> {
    let mut parser = Parser { cursor: Cursor::new(text), depth: 0, vocabulary };
    let formula = parser.any()?;
    if let Some(found) = parser.cursor.next_word() {
        return Err(FormulaError::new(
            parser.cursor.at(),
            format!("an operator, `and` or `or` expected, `{found}` found"),
        ));
    }
    of_kind(formula, kind)
}

/// The part, if it can come to what is needed.
fn of_kind(formula: Formula, kind: Kind) -> Result<Formula, FormulaError> {
    let found = formula.kind();
    if found == kind || found == Kind::Unknown {
        return Ok(formula);
    }
    let error =
        FormulaError::new(formula.at, format!("{} expected, {} found", kind.as_str(), found.as_str()));
    Err(match kind {
        Kind::Condition => error.with_hint("write a comparison, such as `value > 5`"),
        _ => error,
    })
}

/// How comparisons are written; longer ones first.
const OPERATORS: [(&str, &[Ordering]); 8] = [
    ("==", &[Ordering::Equal]),
    ("!=", &[Ordering::Less, Ordering::Greater]),
    ("<>", &[Ordering::Less, Ordering::Greater]),
    ("<=", &[Ordering::Less, Ordering::Equal]),
    (">=", &[Ordering::Equal, Ordering::Greater]),
    ("=", &[Ordering::Equal]),
    ("<", &[Ordering::Less]),
    (">", &[Ordering::Greater]),
];

/// Words that are no names.
const WORDS: [&str; 5] = ["and", "or", "not", "is", "null"];

struct Parser<'a> {
    cursor: Cursor<'a>,
    depth: usize,
    vocabulary: Vocabulary<'a>,
}

impl<'a> Parser<'a> {
    /// Counts a level of nesting.
    fn deeper(&mut self) -> Result<(), FormulaError> {
        /// Deeper formulas nobody types; bounds the stack.
        const DEEPEST: usize = 64;
        self.depth += 1;
        if self.depth > DEEPEST {
            let message = format!("the formula is nested deeper than {DEEPEST}");
            return Err(FormulaError::new(self.cursor.at(), message));
        }
        Ok(())
    }

    fn any(&mut self) -> Result<Formula, FormulaError> {
        let at = self.cursor.at();
        let first = self.all()?;
        self.linked("or", at, first, Self::all, Part::Any)
    }

    fn all(&mut self) -> Result<Formula, FormulaError> {
        let at = self.cursor.at();
        let first = self.one()?;
        self.linked("and", at, first, Self::one, Part::All)
    }

    fn linked(
        &mut self,
        word: &str,
        at: usize,
        first: Formula,
        next: impl Fn(&mut Self) -> Result<Formula, FormulaError>,
        part: impl Fn(Vec<Formula>) -> Part,
    ) -> Result<Formula, FormulaError> {
        let mut parts = vec![first];
        while self.cursor.eat_word(word) {
            parts.push(next(self)?);
        }
        match <[Formula; 1]>::try_from(parts) {
            Ok([only]) => Ok(only),
            Err(parts) => {
                let parts = parts.into_iter().map(|part| of_kind(part, Kind::Condition));
                Ok(Formula { at, part: part(parts.collect::<Result<_, _>>()?) })
            }
        }
    }

    fn one(&mut self) -> Result<Formula, FormulaError> {
        let at = self.cursor.at();
        self.deeper()?;
        let one = if self.cursor.eat_word("not") {
            let inside = of_kind(self.one()?, Kind::Condition)?;
            Formula { at, part: Part::Not(Box::new(inside)) }
        } else {
            self.comparison()?
        };
        self.depth -= 1;
        Ok(one)
    }

    fn comparison(&mut self) -> Result<Formula, FormulaError> {
        let at = self.cursor.at();
        let left = self.sum()?;
        if self.cursor.eat_word("is") {
            let is_not = self.cursor.eat_word("not");
            if !self.cursor.eat_word("null") {
                return Err(self.cursor.expected("`null` or `not null`"));
            }
            let is_null = Formula { at, part: Part::IsNull(Box::new(left)) };
            return Ok(match is_not {
                true => Formula { at, part: Part::Not(Box::new(is_null)) },
                false => is_null,
            });
        }
        let Some((sign, orders)) = OPERATORS.iter().find(|(sign, _)| self.cursor.rest.starts_with(sign))
        else {
            return Ok(left);
        };
        self.cursor.skip(sign.len());
        let right = self.sum()?;
        let (is, with) = (left.kind(), right.kind());
        if is != with && is != Kind::Unknown && with != Kind::Unknown {
            let message = format!("{} is compared with {}", is.as_str(), with.as_str());
            return Err(FormulaError::new(at, message)
                .with_hint("compare numbers with numbers, and texts with 'texts'"));
        }
        Ok(Formula { at, part: Part::Compare(Box::new(left), orders, Box::new(right)) })
    }

    fn sum(&mut self) -> Result<Formula, FormulaError> {
        self.chain([("+", Operation::Add), ("-", Operation::Subtract)], Self::product)
    }

    fn product(&mut self) -> Result<Formula, FormulaError> {
        self.chain([("*", Operation::Multiply), ("/", Operation::Divide)], Self::factor)
    }

    fn chain(
        &mut self,
        operations: [(&str, Operation); 2],
        next: impl Fn(&mut Self) -> Result<Formula, FormulaError>,
    ) -> Result<Formula, FormulaError> {
        /// More operations in a row nobody types; bounds the stack of what walks the formula.
        const MOST: usize = 256;
        let at = self.cursor.at();
        let mut left = next(self)?;
        let mut count = 0;
        while let Some(&(sign, operation)) =
            operations.iter().find(|(sign, _)| self.cursor.rest.starts_with(sign))
        {
            count += 1;
            if count > MOST {
                return Err(FormulaError::new(
                    self.cursor.at(),
                    format!("more than {MOST} operations in a row"),
                ));
            }
            self.cursor.skip(sign.len());
            let sides = (of_kind(left, Kind::Number)?, of_kind(next(self)?, Kind::Number)?);
            let part = Part::Arithmetic(Box::new(sides.0), operation, Box::new(sides.1));
            left = Formula { at, part };
        }
        Ok(left)
    }

    fn factor(&mut self) -> Result<Formula, FormulaError> {
        let at = self.cursor.at();
        if self.cursor.eat("(") {
            let inside = self.any()?;
            return if self.cursor.eat(")") { Ok(inside) } else { Err(self.cursor.expected("`)`")) };
        }
        if self.cursor.eat("-") {
            self.deeper()?;
            let inside = of_kind(self.factor()?, Kind::Number)?;
            self.depth -= 1;
            return Ok(Formula { at, part: Part::Negative(Box::new(inside)) });
        }
        if self.cursor.rest.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            return Ok(Formula { at, part: Part::Number(self.cursor.number()?) });
        }
        if let Some(text) = self.cursor.quoted()? {
            return Ok(Formula { at, part: Part::Text(text) });
        }
        match self.cursor.name() {
            Some(name) if !WORDS.iter().any(|word| word.eq_ignore_ascii_case(name)) => self.named(at, name),
            _ => Err(self.cursor.expected("a number, a name or a text")),
        }
    }

    /// A name, or a function with what follows.
    fn named(&mut self, at: usize, name: &'a str) -> Result<Formula, FormulaError> {
        self.cursor.skip(name.len());
        let is_call = self.cursor.rest.starts_with('(');
        match self.vocabulary {
            Vocabulary::Names(_) if is_call => Err(FormulaError::new(
                at,
                format!("`{name}(…)`: there are no functions here"),
            )
            .with_hint(
                "functions belong into `value`, or into the `query`; give the result a name and use the name",
            )),
            Vocabulary::Names(names) => match names.iter().any(|known| known == name) {
                true => Ok(Formula { at, part: Part::Name(name.to_owned()) }),
                false => Err(unknown(at, name, names)),
            },
            Vocabulary::Functions(_) if !is_call => {
                Err(FormulaError::new(at, format!("`{name}` is not a function")).with_hint(format!(
                    "say what of all rows is meant, such as `sum({name})`; {}",
                    Function::list()
                )))
            }
            Vocabulary::Functions(columns) => self.call(at, name, columns),
        }
    }

    fn call(&mut self, at: usize, name: &str, columns: &Columns<'_>) -> Result<Formula, FormulaError> {
        let function = Function::named(name).ok_or_else(|| {
            FormulaError::new(at, format!("there is no function `{name}`")).with_hint(Function::list())
        })?;
        self.cursor.skip(1);
        let inside_at = self.cursor.at();
        let end = closing(self.cursor.rest)
            .ok_or_else(|| FormulaError::new(inside_at, "`)` expected at the end"))?;
        let inside = self.cursor.rest.get(..end).unwrap_or_default();
        self.cursor.skip(end + 1);
        let call = match function {
            Function::Share => Condition::parse(inside, columns)
                .map(Call::share)
                .map_err(|error| FormulaError::new(inside_at, error.to_string()))?,
            function => Call::new(function, inside, columns)
                .map_err(|message| FormulaError::new(inside_at, message))?,
        };
        Ok(Formula { at, part: Part::Call(Box::new(call)) })
    }
}

/// Where the parenthesis closes that is open before a text.
fn closing(text: &str) -> Option<usize> {
    let (mut open, mut quote) = (1, None);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(quoted), c) if quoted == c => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, '(') => open += 1,
            (None, ')') => open -= 1,
            _ => {}
        }
        if open == 0 {
            return Some(at);
        }
    }
    None
}

/// A name that is not there, and what is.
fn unknown(at: usize, name: &str, names: &[String]) -> FormulaError {
    let message = format!("there is no `{name}`; names are `{}`", names.join("`, `"));
    let error = FormulaError::new(at, message);
    match super::near::nearest(name, names.iter().map(String::as_str)) {
        Some(near) => error.with_hint(format!("did you mean `{near}`?")),
        None => error,
    }
}
