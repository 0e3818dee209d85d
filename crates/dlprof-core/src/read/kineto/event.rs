//! One event: its keys, and those of its arguments that are read, as tokens of the text.

use super::args::Arg;
use super::scan::{NoValue, key, next, skip_space, value_end};

/// A piece of the text of an event, by its position in it. Empty if the event does not have it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Token {
    start: u32,
    end: u32,
}

impl Token {
    #[inline]
    pub(super) fn new(start: usize, end: usize) -> Self {
        // No window is longer than an event may be, so positions fit.
        let position = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Self { start: position(start), end: position(end) }
    }

    /// Its text.
    #[inline]
    pub(super) fn of(self, text: &[u8]) -> &[u8] {
        text.get(self.start as usize..self.end as usize).unwrap_or_default()
    }
}

/// Where the parts of an event are. One value is used for all events of a trace.
#[derive(Debug, Default)]
pub(super) struct EventTokens {
    phase: Token,
    category: Token,
    name: Token,
    process: Token,
    thread: Token,
    time: Token,
    duration: Token,
    args: Vec<(Arg, Token)>,
}

/// An event, with quotes around texts.
#[derive(Clone, Copy)]
pub(super) struct Event<'a> {
    text: &'a [u8],
    tokens: &'a EventTokens,
}

impl<'a> Event<'a> {
    pub(super) fn new(text: &'a [u8], tokens: &'a EventTokens) -> Self {
        Self { text, tokens }
    }

    pub(super) fn phase(self) -> &'a [u8] {
        self.tokens.phase.of(self.text)
    }

    pub(super) fn category(self) -> &'a [u8] {
        self.tokens.category.of(self.text)
    }

    pub(super) fn name(self) -> &'a [u8] {
        self.tokens.name.of(self.text)
    }

    pub(super) fn process(self) -> &'a [u8] {
        self.tokens.process.of(self.text)
    }

    pub(super) fn thread(self) -> &'a [u8] {
        self.tokens.thread.of(self.text)
    }

    pub(super) fn time(self) -> &'a [u8] {
        self.tokens.time.of(self.text)
    }

    pub(super) fn duration(self) -> &'a [u8] {
        self.tokens.duration.of(self.text)
    }

    /// The value of an argument; the last one, if it stands there several times.
    #[inline]
    pub(super) fn arg(self, arg: Arg) -> Option<&'a [u8]> {
        let found = self.tokens.args.iter().rev().find(|(known, _)| *known == arg);
        found.map(|(_, token)| token.of(self.text))
    }
}

impl EventTokens {
    /// Finds the parts of the event that begins at the start of a text. Returns the position after it.
    pub(super) fn find(&mut self, text: &[u8]) -> Result<usize, NoValue> {
        self.clear();
        let end = each_key(text, 0, |text, name, at| {
            if name == b"args" {
                return self.find_args(text, at);
            }
            let end = value_end(text, at)?;
            if let Some(place) = self.place(name) {
                *place = Token::new(at, end);
            }
            Ok(end)
        })?;
        // What an event is, is decided by these words as they stand in the text.
        let has_escapes = |word: Token| word.of(text).contains(&b'\\');
        if has_escapes(self.phase) || has_escapes(self.category) {
            return Err(NoValue::Uncertain);
        }
        Ok(end)
    }

    /// Forgets the parts of the event before.
    pub(super) fn clear(&mut self) {
        let args = std::mem::take(&mut self.args);
        *self = Self { args, ..Self::default() };
        self.args.clear();
    }

    /// Where the value of a key of an event is kept, if it is read.
    #[inline]
    pub(super) fn place(&mut self, key: &[u8]) -> Option<&mut Token> {
        Some(match key {
            b"ph" => &mut self.phase,
            b"cat" => &mut self.category,
            b"name" => &mut self.name,
            b"pid" => &mut self.process,
            b"tid" => &mut self.thread,
            b"ts" => &mut self.time,
            b"dur" => &mut self.duration,
            _ => return None,
        })
    }

    /// Where the arguments that are read are kept: of several lists of arguments, those of the last.
    pub(super) fn args(&mut self) -> &mut Vec<(Arg, Token)> {
        &mut self.args
    }

    fn find_args(&mut self, text: &[u8], at: usize) -> Result<usize, NoValue> {
        // Of Python functions, most events of many traces, no argument is read.
        if text.get(at) != Some(&b'{') || self.category.of(text) == b"\"python_function\"" {
            return value_end(text, at);
        }
        self.args.clear();
        each_key(text, at, |text, name, at| {
            let end = value_end(text, at)?;
            if let Some(arg) = Arg::of(name) {
                self.args.push((arg, Token::new(at, end)));
            }
            Ok(end)
        })
    }
}

/// Calls `on_key` with every key of the object at `at` and the position of its value; it returns the position after the value.
/// Returns the position after the object.
#[inline]
fn each_key<'a>(
    text: &'a [u8],
    at: usize,
    mut on_key: impl FnMut(&'a [u8], &'a [u8], usize) -> Result<usize, NoValue>,
) -> Result<usize, NoValue> {
    match text.get(at) {
        Some(b'{') => {}
        Some(_) => return Err(NoValue::Malformed),
        None => return Err(NoValue::Ends),
    }
    let (first, mut at) = next(text, at + 1)?;
    if first == b'}' {
        return Ok(at + 1);
    }
    loop {
        let (name, value) = key(text, at)?;
        let end = on_key(text, name, value)?;
        match next(text, end)? {
            (b',', comma) => at = skip_space(text, comma + 1),
            (b'}', end) => return Ok(end + 1),
            _ => return Err(NoValue::Malformed),
        }
        if at == text.len() {
            return Err(NoValue::Ends);
        }
    }
}
