//! Python literals, as `repr` writes them: the form of DLProf's PyTorch markers.

/// A parsed literal. Numbers other than integers are kept as texts, because nothing computes with them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Literal {
    /// `None`.
    None,
    /// `True` or `False`.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A string, or a number such as `1e-05`, `nan`, `inf`.
    Text(String),
    /// A list or a tuple.
    List(Vec<Literal>),
    /// A dict, in the order written.
    Dict(Vec<(Literal, Literal)>),
}

impl Literal {
    /// The value of a text key of a dict.
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        let Self::Dict(entries) = self else { return None };
        entries.iter().find(|(name, _)| name.as_text() == Some(key)).map(|(_, value)| value)
    }

    pub(super) fn as_text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    pub(super) fn as_list(&self) -> Option<&[Self]> {
        if let Self::List(items) = self { Some(items) } else { None }
    }

    pub(super) fn as_int(&self) -> Option<i64> {
        if let Self::Int(value) = self { Some(*value) } else { None }
    }
}

/// Maximum nesting, deeper than that of any marker. It limits the stack if a text is hostile.
const MAX_DEPTH: usize = 32;

/// Parses a whole text; `None` if it is not a literal or is cut off.
pub(super) fn parse(text: &str) -> Option<Literal> {
    let mut parser = Parser { rest: text };
    let literal = parser.literal(0)?;
    parser.skip_space();
    parser.rest.is_empty().then_some(literal)
}

struct Parser<'a> {
    rest: &'a str,
}

impl<'a> Parser<'a> {
    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start();
    }

    /// Consumes a character if it is next.
    fn eat(&mut self, c: char) -> bool {
        self.skip_space();
        match self.rest.strip_prefix(c) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn literal(&mut self, depth: usize) -> Option<Literal> {
        if depth > MAX_DEPTH {
            return None;
        }
        self.skip_space();
        match self.rest.chars().next()? {
            '{' => self.dict(depth),
            '[' => self.items('[', ']', depth),
            '(' => self.items('(', ')', depth),
            '\'' | '"' => self.string().map(Literal::Text),
            _ => self.word(),
        }
    }

    fn dict(&mut self, depth: usize) -> Option<Literal> {
        self.eat('{');
        let mut entries = Vec::new();
        while !self.eat('}') {
            let key = self.literal(depth + 1)?;
            if !self.eat(':') {
                return None;
            }
            entries.push((key, self.literal(depth + 1)?));
            if !self.eat(',') {
                return self.eat('}').then_some(Literal::Dict(entries));
            }
        }
        Some(Literal::Dict(entries))
    }

    fn items(&mut self, open: char, close: char, depth: usize) -> Option<Literal> {
        self.eat(open);
        let mut items = Vec::new();
        while !self.eat(close) {
            items.push(self.literal(depth + 1)?);
            if !self.eat(',') {
                return self.eat(close).then_some(Literal::List(items));
            }
        }
        Some(Literal::List(items))
    }

    fn string(&mut self) -> Option<String> {
        let quote = self.rest.chars().next()?;
        let mut chars = self.rest[quote.len_utf8()..].chars();
        let mut text = String::new();
        loop {
            match chars.next()? {
                c if c == quote => break,
                '\\' => text.push(escape(&mut chars)?),
                c => text.push(c),
            }
        }
        self.rest = chars.as_str();
        Some(text)
    }

    fn word(&mut self) -> Option<Literal> {
        let end =
            self.rest.find(|c: char| ",:]})".contains(c) || c.is_whitespace()).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        Some(match word {
            "" => return None,
            "None" => Literal::None,
            "True" => Literal::Bool(true),
            "False" => Literal::Bool(false),
            _ => match word.parse() {
                Ok(value) => Literal::Int(value),
                Err(_) if word.parse::<f64>().is_ok() => Literal::Text(word.to_owned()),
                Err(_) => return None,
            },
        })
    }
}

/// The character that a backslash escape means.
fn escape(chars: &mut std::str::Chars<'_>) -> Option<char> {
    match chars.next()? {
        'n' => Some('\n'),
        't' => Some('\t'),
        'r' => Some('\r'),
        'x' => hex(chars, 2),
        'u' => hex(chars, 4),
        'U' => hex(chars, 8),
        c @ ('\\' | '\'' | '"') => Some(c),
        _ => None,
    }
}

fn hex(chars: &mut std::str::Chars<'_>, digits: usize) -> Option<char> {
    let mut value = 0u32;
    for _ in 0..digits {
        value = value.checked_mul(16)? + chars.next()?.to_digit(16)?;
    }
    char::from_u32(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Literal {
        Literal::Text(text.to_owned())
    }

    #[test]
    fn reprs_parse() {
        let cases = [
            ("(6,)", Literal::List(vec![Literal::Int(6)])),
            ("()", Literal::List(vec![])),
            ("[1, -2]", Literal::List(vec![Literal::Int(1), Literal::Int(-2)])),
            ("'a\\'b'", text("a'b")),
            ("\"it's\"", text("it's")),
            ("'\\x41\\u00e9\\U0001F600\\n'", text("Aé😀\n")),
            ("1e-05", text("1e-05")),
            ("nan", text("nan")),
            (
                "{'a': None, 'b': True}",
                Literal::Dict(vec![(text("a"), Literal::None), (text("b"), Literal::Bool(true))]),
            ),
        ];
        for (source, expected) in cases {
            assert_eq!(parse(source), Some(expected), "{source}");
        }
    }

    #[test]
    fn malformed_and_cut_texts_do_not() {
        for source in
            ["", "{'a'", "{'a': }", "'abc", "[1 2]", "(1,)x", "{'a': 1", "'\\x4'", "'\\ud800'", "lambda"]
        {
            assert_eq!(parse(source), None, "{source}");
        }
        assert_eq!(parse(&"[".repeat(1_000_000)), None);
    }
}
