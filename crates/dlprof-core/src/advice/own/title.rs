//! Titles of users' rules: `Embedding takes {value:.1f} % of GPU time`.

use super::super::sentence::{Figure, Sentence};
use super::error::Misplaced;
use crate::base::ratios::to_f64;
use crate::tables::near::nearest;
use crate::tables::{Unit, Value};

/// A text with places for values.
#[derive(Debug, Clone)]
pub(super) struct Title {
    pieces: Vec<Piece>,
}

#[derive(Debug, Clone)]
enum Piece {
    Words(String),
    /// A value, and with how many decimals it is shown.
    Place(String, Option<usize>),
}

impl Title {
    /// Reads a title whose places have some of these names. `{{` and `}}` are braces.
    pub(super) fn parse(text: &str, names: &[String]) -> Result<Self, Misplaced> {
        let mut pieces = Vec::new();
        let mut words = String::new();
        let mut chars = (1..).zip(text.chars()).peekable();
        while let Some((at, c)) = chars.next() {
            let is_twice = matches!(c, '{' | '}') && chars.next_if(|&(_, next)| next == c).is_some();
            match c {
                '{' if !is_twice => {
                    let mut inside = String::new();
                    loop {
                        match chars.next() {
                            Some((_, '}')) => break,
                            Some((_, c)) => inside.push(c),
                            None => return Err(Misplaced::new(at, "`{` without `}`; `{{` is a brace")),
                        }
                    }
                    pieces.push(Piece::Words(std::mem::take(&mut words)));
                    pieces.push(place(at, &inside, names)?);
                }
                '}' if !is_twice => {
                    return Err(Misplaced::new(at, "`}` without `{`; `}}` is a brace"));
                }
                c => words.push(c),
            }
        }
        pieces.push(Piece::Words(words));
        Ok(Self { pieces })
    }

    /// The sentence with the values. Times without a number of decimals are written in the unit that the reader chose.
    pub(super) fn sentence(&self, value: impl Fn(&str) -> Value<'static>) -> Sentence {
        let figure = |piece: &Piece| match piece {
            Piece::Words(words) => Figure::Text(words.clone()),
            Piece::Place(name, decimals) => figure(name, *decimals, &value(name)),
        };
        Sentence::of_figures(self.pieces.iter().map(figure).collect())
    }
}

fn place(at: usize, inside: &str, names: &[String]) -> Result<Piece, Misplaced> {
    let (name, form) = inside.split_once(':').map_or((inside, None), |(name, form)| (name, Some(form)));
    let name = name.trim();
    if !names.iter().any(|known| known == name) {
        let message = format!("there is no `{name}`; names are `{}`", names.join("`, `"));
        let hint = nearest(name, names.iter().map(String::as_str));
        let hint = hint.map(|near| format!("did you mean `{{{near}}}`?"));
        return Err(Misplaced { hint, ..Misplaced::new(at, message) });
    }
    let decimals = |form: &str| {
        let digits = form.trim().strip_prefix('.')?.strip_suffix('f')?;
        digits.parse().ok().filter(|&digits: &usize| digits <= 9)
    };
    let decimals = match form {
        None => None,
        Some(form) => Some(decimals(form).ok_or_else(|| {
            Misplaced::new(at, format!("`:{form}` is not a form of a number; expected one such as `:.1f`"))
        })?),
    };
    Ok(Piece::Place(name.to_owned(), decimals))
}

fn figure(name: &str, decimals: Option<usize>, value: &Value<'_>) -> Figure {
    let number = match value {
        Value::Null => return Figure::Text("(unknown)".into()),
        Value::Text(text) => return Figure::Text(text.to_string()),
        Value::Flag(flag) => return Figure::Text(if *flag { "yes" } else { "no" }.into()),
        Value::Int(number) => to_f64(*number),
        Value::Float(number) => *number,
    };
    match decimals {
        Some(decimals) => Figure::Text(format!("{number:.decimals$}")),
        None if Unit::of_key(name) == Unit::Nanoseconds => Figure::Time(number),
        None => Figure::Text(short(number)),
    }
}

/// A number with at most three decimals.
fn short(number: f64) -> String {
    let text = format!("{number:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::Title;
    use crate::tables::Value;

    fn title(text: &str) -> Result<String, String> {
        let names = ["value", "time_ns", "who"].map(str::to_owned);
        let title =
            Title::parse(text, &names).map_err(|error| format!("{}: {}", error.character, error.message))?;
        let value = |name: &str| match name {
            "value" => Value::Float(12.3456),
            "time_ns" => Value::Int(1_500_000),
            _ => Value::from("me".to_owned()),
        };
        Ok(title.sentence(value).to_string())
    }

    #[test]
    fn values_take_their_places() {
        assert_eq!(title("{value:.1f} % by {who}").as_deref(), Ok("12.3 % by me"));
        assert_eq!(title("{value} in {time_ns}, {{}}").as_deref(), Ok("12.346 in 1.500 ms, {}"));
        assert_eq!(title("{time_ns:.0f}").as_deref(), Ok("1500000"));
        assert_eq!(title("").as_deref(), Ok(""));
    }

    #[test]
    fn mistakes_have_a_place() {
        let fails = |text: &str, start: &str| {
            let error = title(text).expect_err(text);
            assert!(error.starts_with(start), "{error}");
        };
        fails("ab {valu}", "4: there is no `valu`");
        fails("{value", "1: `{` without `}`");
        fails("a } b", "3: `}` without `{`");
        fails("{value:.1}", "1: `:.1` is not a form of a number");
    }
}
