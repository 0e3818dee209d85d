//! The plain reader of events, on a library for JSON. What it knows of JSON is the library's, so that it also says whether the quick
//! reader is right. It takes nothing that is not JSON.

use super::args::Arg;
use super::event::{Event, EventTokens, Token};
use super::scan::{NoValue, next};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Deserializer;
use std::ops::Range;

/// An event: a text of its own, in which words have no escapes but those that they need, and where its parts are in this text.
#[derive(Debug, Default)]
pub(super) struct PlainEvent {
    text: Vec<u8>,
    tokens: EventTokens,
}

impl PlainEvent {
    /// Reads the event that begins at the start of a text. Returns the position after it.
    pub(super) fn read(&mut self, text: &[u8]) -> Result<usize, NoValue> {
        self.text.clear();
        self.tokens.clear();
        each_member(text, 0, &mut |name, value| {
            if name == "args" && text[value.start] == b'{' {
                self.tokens.args().clear();
                return each_member(text, value.start, &mut |name, value| {
                    if let Some(arg) = Arg::of(name.as_bytes()) {
                        let token = self.written(&text[value]);
                        self.tokens.args().push((arg, token));
                    }
                    Ok(())
                })
                .map(drop);
            }
            if self.tokens.place(name.as_bytes()).is_some() {
                let token = self.written(&text[value]);
                self.tokens.place(name.as_bytes()).into_iter().for_each(|place| *place = token);
            }
            Ok(())
        })
    }

    /// The event that was read last.
    pub(super) fn event(&self) -> Event<'_> {
        Event::new(&self.text, &self.tokens)
    }

    /// Writes a value into the text.
    fn written(&mut self, value: &[u8]) -> Token {
        let start = self.text.len();
        let word =
            (value[0] == b'"' && value.contains(&b'\\')).then(|| serde_json::from_slice::<String>(value));
        match word {
            // Writing into memory does not fail.
            Some(Ok(word)) => drop(serde_json::to_writer(&mut self.text, &word)),
            // Half of a letter, or bytes that are no letter, stay as they are.
            Some(Err(_)) | None => self.text.extend_from_slice(value),
        }
        Token::new(start, self.text.len())
    }
}

/// A key without escapes and the position of its value, given the position of the key's quote.
pub(super) fn key(text: &[u8], at: usize) -> Result<(String, usize), NoValue> {
    let (name, end) = value(text, at)?;
    match next(text, end)? {
        (b':', colon) => Ok((name, next(text, colon + 1)?.1)),
        _ => Err(NoValue::Malformed),
    }
}

/// What is done with a key and the place of its value.
type OnMember<'a> = dyn FnMut(&str, Range<usize>) -> Result<(), NoValue> + 'a;

/// Calls `on_member` with every key of the object at `at` and the place of its value. Returns the position after the object.
fn each_member(text: &[u8], at: usize, on_member: &mut OnMember<'_>) -> Result<usize, NoValue> {
    if *text.get(at).ok_or(NoValue::Ends)? != b'{' {
        return Err(NoValue::Malformed);
    }
    let (first, mut at) = next(text, at + 1)?;
    if first == b'}' {
        return Ok(at + 1);
    }
    loop {
        let (name, start) = key(text, at)?;
        let (IgnoredAny, end) = value(text, start)?;
        on_member(&name, start..end)?;
        at = match next(text, end)? {
            (b',', comma) => next(text, comma + 1)?.1,
            (b'}', last) => return Ok(last + 1),
            _ => return Err(NoValue::Malformed),
        };
    }
}

/// The value of a type at `at`, and the position after it.
fn value<'a, T: Deserialize<'a>>(text: &'a [u8], at: usize) -> Result<(T, usize), NoValue> {
    let rest = &text[at..];
    let mut values = Deserializer::from_slice(rest).into_iter();
    match values.next() {
        Some(Ok(value)) => Ok((value, at + values.byte_offset())),
        // Of a number such as `12.`, also inside of lists, the library does not say that it may go on.
        Some(Err(error)) if !error.is_eof() && !rest.last().is_some_and(|&byte| is_of_number(byte)) => {
            Err(NoValue::Malformed)
        }
        Some(Err(_)) | None => Err(NoValue::Ends),
    }
}

fn is_of_number(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E')
}
