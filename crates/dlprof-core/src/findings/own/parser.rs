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
use super::formula::{Formula, FormulaError, Kind, Operation, Part};
use crate::tables::{Columns, filter::Condition};
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
    let mut parser = Parser { text, rest: text.trim_start(), depth: 0, vocabulary };
    let formula = parser.any()?;
    if let Some(found) = parser.next_word() {
        return Err(FormulaError::new(
            parser.at(),
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
    text: &'a str,
    /// What is not read yet; begins with no space.
    rest: &'a str,
    depth: usize,
    vocabulary: Vocabulary<'a>,
}

impl<'a> Parser<'a> {
    /// Position of the next character, from 1.
    fn at(&self) -> usize {
        let read = self.text.len() - self.rest.len();
        self.text.get(..read).map_or(0, |read| read.chars().count()) + 1
    }

    fn skip(&mut self, bytes: usize) {
        self.rest = self.rest.get(bytes..).unwrap_or_default().trim_start();
    }

    /// Reads a sign if it is next.
    fn eat(&mut self, sign: &str) -> bool {
        let is_next = self.rest.starts_with(sign);
        if is_next {
            self.skip(sign.len());
        }
        is_next
    }

    /// Reads a word of the language if it is next.
    fn eat_word(&mut self, word: &str) -> bool {
        let is_next = self.name().is_some_and(|name| name.eq_ignore_ascii_case(word));
        if is_next {
            self.skip(word.len());
        }
        is_next
    }

    /// The name that is next.
    fn name(&self) -> Option<&'a str> {
        let is_first = self.rest.starts_with(|c: char| c.is_alphabetic() || c == '_');
        let end = self.rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(self.rest.len());
        self.rest.get(..end).filter(|_| is_first)
    }

    /// What is next, for errors; `None` at the end.
    fn next_word(&self) -> Option<String> {
        let first = self.rest.chars().next()?;
        Some(self.name().map_or_else(|| first.to_string(), str::to_owned))
    }

    fn expected(&self, what: &str) -> FormulaError {
        match self.next_word() {
            Some(found) => FormulaError::new(self.at(), format!("{what} expected, `{found}` found")),
            None => FormulaError::new(self.at(), format!("{what} expected at the end")),
        }
    }

    /// Counts a level of nesting.
    fn deeper(&mut self) -> Result<(), FormulaError> {
        /// Deeper formulas nobody types; bounds the stack.
        const DEEPEST: usize = 64;
        self.depth += 1;
        if self.depth > DEEPEST {
            let message = format!("the formula is nested deeper than {DEEPEST}");
            return Err(FormulaError::new(self.at(), message));
        }
        Ok(())
    }

    fn any(&mut self) -> Result<Formula, FormulaError> {
        let at = self.at();
        let first = self.all()?;
        self.linked("or", at, first, Self::all, Part::Any)
    }

    fn all(&mut self) -> Result<Formula, FormulaError> {
        let at = self.at();
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
        while self.eat_word(word) {
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
        let at = self.at();
        self.deeper()?;
        let one = if self.eat_word("not") {
            let inside = of_kind(self.one()?, Kind::Condition)?;
            Formula { at, part: Part::Not(Box::new(inside)) }
        } else {
            self.comparison()?
        };
        self.depth -= 1;
        Ok(one)
    }

    fn comparison(&mut self) -> Result<Formula, FormulaError> {
        let at = self.at();
        let left = self.sum()?;
        if self.eat_word("is") {
            let is_not = self.eat_word("not");
            if !self.eat_word("null") {
                return Err(self.expected("`null` or `not null`"));
            }
            let is_null = Formula { at, part: Part::IsNull(Box::new(left)) };
            return Ok(match is_not {
                true => Formula { at, part: Part::Not(Box::new(is_null)) },
                false => is_null,
            });
        }
        let Some((sign, orders)) = OPERATORS.iter().find(|(sign, _)| self.rest.starts_with(sign)) else {
            return Ok(left);
        };
        self.skip(sign.len());
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
        let at = self.at();
        let mut left = next(self)?;
        let mut count = 0;
        while let Some(&(sign, operation)) = operations.iter().find(|(sign, _)| self.rest.starts_with(sign)) {
            count += 1;
            if count > MOST {
                return Err(FormulaError::new(self.at(), format!("more than {MOST} operations in a row")));
            }
            self.skip(sign.len());
            let sides = (of_kind(left, Kind::Number)?, of_kind(next(self)?, Kind::Number)?);
            let part = Part::Arithmetic(Box::new(sides.0), operation, Box::new(sides.1));
            left = Formula { at, part };
        }
        Ok(left)
    }

    fn factor(&mut self) -> Result<Formula, FormulaError> {
        let at = self.at();
        if self.eat("(") {
            let inside = self.any()?;
            return if self.eat(")") { Ok(inside) } else { Err(self.expected("`)`")) };
        }
        if self.eat("-") {
            self.deeper()?;
            let inside = of_kind(self.factor()?, Kind::Number)?;
            self.depth -= 1;
            return Ok(Formula { at, part: Part::Negative(Box::new(inside)) });
        }
        if self.rest.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            return Ok(Formula { at, part: Part::Number(self.number()?) });
        }
        if let Some(quote) = self.rest.chars().next().filter(|c| matches!(c, '\'' | '"')) {
            let inside = self.rest.get(1..).unwrap_or_default();
            let end = inside.find(quote).ok_or_else(|| FormulaError::new(at, "a text without an end"))?;
            let text = inside.get(..end).unwrap_or_default().to_owned();
            self.skip(end + 2);
            return Ok(Formula { at, part: Part::Text(text) });
        }
        match self.name() {
            Some(name) if !WORDS.iter().any(|word| word.eq_ignore_ascii_case(name)) => self.named(at, name),
            _ => Err(self.expected("a number, a name or a text")),
        }
    }

    fn number(&mut self) -> Result<f64, FormulaError> {
        let is_part = |at: usize, c: char| {
            let before = self.rest.get(..at).and_then(|read| read.chars().last());
            c.is_ascii_alphanumeric()
                || matches!(c, '.' | '_')
                || (matches!(c, '+' | '-') && matches!(before, Some('e' | 'E')))
        };
        let end =
            self.rest.char_indices().find(|&(at, c)| !is_part(at, c)).map_or(self.rest.len(), |(at, _)| at);
        let digits = self.rest.get(..end).unwrap_or_default();
        let number: Option<f64> =
            digits.replace('_', "").parse().ok().filter(|number: &f64| number.is_finite());
        let number = number.ok_or_else(|| {
            FormulaError::new(
                self.at(),
                format!("`{digits}` is no number; expected one such as 1000000 or 0.5"),
            )
        })?;
        self.skip(end);
        Ok(number)
    }

    /// A name, or a function with what follows.
    fn named(&mut self, at: usize, name: &'a str) -> Result<Formula, FormulaError> {
        self.skip(name.len());
        let is_call = self.rest.starts_with('(');
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
        self.skip(1);
        let inside_at = self.at();
        let end =
            closing(self.rest).ok_or_else(|| FormulaError::new(inside_at, "`)` expected at the end"))?;
        let inside = self.rest.get(..end).unwrap_or_default();
        self.skip(end + 1);
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
