//! The file as a whole: a list of events, or an object with the list and keys before and after it.

use super::boundary::{Found, next_event};
use super::collect::Collector;
use super::event::{Event, EventTokens};
use super::head::Head;
use super::parts::skip_between;
use super::plain::{self, PlainEvent};
use super::scan::{NoValue, Skipper, key, next, skip_space, value_end};
use super::window::{More, Window};
use crate::base::Error;
use crate::base::diagnostics::DiagnosticCode;
use crate::columns::Memory;
use std::borrow::Cow;
use std::path::Path;

/// Who reads events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EventReader {
    /// The quick reader, and the plain one where that is not certain.
    Quick,
    /// The plain reader alone, for comparison.
    Plain,
}

/// How many bytes may be shown to the plain reader in vain; then what the quick reader is not certain of is left out. Otherwise a
/// hostile trace could have much of its text read for each of its events.
const MOST_READ_IN_VAIN: usize = 64 << 20;

/// What was read of a trace.
pub(super) struct ReadTrace {
    pub(super) head: Head,
    pub(super) rows: Collector,
}

/// Where reading is.
enum Place {
    /// Before a key of the object, or before its end.
    Keys,
    /// Before an event, or after the last.
    Events,
    /// Behind the object or the list that is the trace.
    Behind,
    /// Behind everything that is read.
    End,
}

/// Reads a trace.
pub(super) fn read(
    path: &Path,
    window: &mut Window<'_>,
    reader: EventReader,
    memory: &Memory,
) -> Result<ReadTrace, Error> {
    let mut reading = Reading {
        window,
        reader,
        head: Head::default(),
        rows: Collector::new(memory),
        is_list: false,
        has_events: false,
        plain: PlainEvent::default(),
        read_in_vain: 0,
    };
    let mut place = reading.begin(path)?;
    loop {
        place = match place {
            Place::Keys => reading.key()?,
            Place::Events => reading.events()?,
            Place::Behind => reading.behind()?,
            Place::End => break,
        };
    }
    reading.drain()?;
    let Reading { mut head, mut rows, is_list, has_events, window, .. } = reading;
    head.notes.is_list = is_list;
    let ends_early = rows.diagnostics.counted(DiagnosticCode::CutTrace) > 0;
    if !has_events {
        let found = match ends_early {
            true => "it ends early, before its list `traceEvents`",
            false => "it has no list `traceEvents`",
        };
        return Err(Error::NotATrace { path: path.into(), found: found.into() });
    }
    rows.refuse_others(path, ends_early)?;
    if let Some(why) = window.take_cut_off() {
        rows.diagnostics.count(DiagnosticCode::CutTrace, || why);
    }
    Ok(ReadTrace { head, rows })
}

struct Reading<'a, 'b> {
    window: &'a mut Window<'b>,
    reader: EventReader,
    head: Head,
    rows: Collector,
    is_list: bool,
    has_events: bool,
    plain: PlainEvent,
    read_in_vain: usize,
}

impl Reading<'_, '_> {
    /// What a file begins with.
    fn begin(&mut self, path: &Path) -> Result<Place, Error> {
        let not_json = |found: &str| Err(Error::NotATrace { path: path.into(), found: found.into() });
        if self.more()? {
            let mark = if self.window.rest().starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
            self.window.advance(mark);
        }
        match self.next()? {
            Some(b'{') => {
                self.window.advance(1);
                Ok(Place::Keys)
            }
            Some(b'[') => {
                self.window.advance(1);
                (self.is_list, self.has_events) = (true, true);
                Ok(Place::Events)
            }
            Some(_) => not_json("it is not JSON"),
            None => not_json(&self.window.take_cut_off().unwrap_or_else(|| "it is empty".into())),
        }
    }

    /// More text, unless there is none or no longer value is read.
    fn more(&mut self) -> Result<bool, Error> {
        Ok(self.window.more()? == More::Text)
    }

    /// The byte behind white space, which is left behind.
    fn next(&mut self) -> Result<Option<u8>, Error> {
        loop {
            let rest = self.window.rest();
            let space = skip_space(rest, 0);
            let found = rest.get(space).copied();
            self.window.advance(space);
            if found.is_some() || !self.more()? {
                return Ok(found);
            }
        }
    }

    /// Reads a key of the object and its value.
    fn key(&mut self) -> Result<Place, Error> {
        match self.next()? {
            Some(b',') => {
                self.window.advance(1);
                return Ok(Place::Keys);
            }
            Some(b'"') => {}
            Some(b'}') => {
                self.window.advance(1);
                return Ok(Place::Behind);
            }
            Some(_) => return self.find_events(),
            None => return Ok(self.ends_early("in the keys around the events")),
        }
        loop {
            let text = self.window.rest();
            // The value's first byte must be there, because it says what the value is.
            let found = match key(text, 0) {
                Err(NoValue::Uncertain) => {
                    plain::key(text, 0).map(|(name, at)| (name.into_bytes().into(), at))
                }
                found => found.map(|(name, at)| (Cow::Borrowed(name), at)),
            };
            let found = found.and_then(|(name, at)| Ok((name, next(text, at)?)));
            match found.as_ref().map(|(name, value)| (name.as_ref(), *value)) {
                Ok((b"traceEvents", (b'[', at))) => {
                    self.has_events = true;
                    self.window.advance(at + 1);
                    return Ok(Place::Events);
                }
                Ok((name, (_, at))) if !Head::wants(name) => {
                    self.window.advance(at);
                    return self.skip_value();
                }
                Ok((name, (_, at))) => match value_end(text, at) {
                    Ok(end) => {
                        self.head.take(name, &text[at..end]);
                        self.window.advance(end);
                        return Ok(Place::Keys);
                    }
                    Err(NoValue::Malformed | NoValue::Uncertain) => {
                        self.window.advance(at);
                        return self.skip_value();
                    }
                    Err(NoValue::Ends) => {}
                },
                Err(NoValue::Malformed | NoValue::Uncertain) => return self.find_events(),
                Err(NoValue::Ends) => {}
            }
            match self.window.more()? {
                More::Text => {}
                More::End => return Ok(self.ends_early("in the keys around the events")),
                More::TooLong => return self.find_events(),
            }
        }
    }

    /// Says what stands after the trace, if more than white space or zeros does.
    fn behind(&mut self) -> Result<Place, Error> {
        let is_filling = |byte: &u8| *byte == 0 || byte.is_ascii_whitespace();
        let (mut first, mut bytes) = (None, 0_usize);
        loop {
            let rest = self.window.rest();
            let filling =
                if first.is_none() { rest.iter().take_while(|byte| is_filling(byte)).count() } else { 0 };
            first = first.or(rest.get(filling).copied());
            bytes += rest.len() - filling;
            self.window.advance(rest.len());
            if !self.more()? {
                break;
            }
        }
        if let Some(first) = first {
            let what = if matches!(first, b'{' | b'[') { "another trace or object of JSON" } else { "text" };
            self.rows.diagnostics.count(DiagnosticCode::TextBehindTrace, || format!("{what}, {bytes} bytes"));
        }
        Ok(Place::End)
    }

    /// Reads what is left: only then are packed data known to be whole.
    fn drain(&mut self) -> Result<(), Error> {
        loop {
            self.window.advance(self.window.rest().len());
            if !self.more()? {
                return Ok(());
            }
        }
    }

    /// Goes after a value that is not read.
    fn skip_value(&mut self) -> Result<Place, Error> {
        let mut skipper = Skipper::default();
        loop {
            let rest = self.window.rest();
            let end = skipper.end_in(rest);
            let passed = end.unwrap_or(rest.len());
            self.window.advance(passed);
            if end.is_some() {
                return Ok(Place::Keys);
            }
            if !self.more()? {
                return Ok(self.ends_early("in the keys around the events"));
            }
        }
    }

    /// Where the keys cannot be read: goes to the events, if they are still to come.
    fn find_events(&mut self) -> Result<Place, Error> {
        const KEY: &[u8] = b"\"traceEvents\"";
        if self.has_events {
            return Ok(Place::End);
        }
        loop {
            let rest = self.window.rest();
            let found = memchr::memmem::find(rest, KEY);
            // The key may begin at the end of this part of the text.
            self.window.advance(found.unwrap_or(rest.len().saturating_sub(KEY.len())));
            if found.is_some() {
                // The key before was not read, so this one is not what stopped reading.
                let at = self.window.rest();
                if !matches!(key(at, 0), Err(NoValue::Malformed)) {
                    return Ok(Place::Keys);
                }
                self.window.advance(KEY.len());
            } else if !self.more()? {
                return Ok(Place::End);
            }
        }
    }

    /// Reads events until their list ends.
    fn events(&mut self) -> Result<Place, Error> {
        let mut tokens = EventTokens::default();
        loop {
            self.window.advance(skip_between(self.window.rest(), 0));
            if self.reader == EventReader::Quick && self.add_block()? {
                continue;
            }
            match self.next()? {
                Some(b',') => continue,
                Some(b']') => {
                    self.window.advance(1);
                    return Ok(if self.is_list { Place::Behind } else { Place::Keys });
                }
                Some(_) => {}
                None => return Ok(self.ends_early("in the list of events")),
            }
            let text = self.window.rest();
            let quick = match self.reader {
                EventReader::Quick => tokens.find(text),
                EventReader::Plain => Err(NoValue::Uncertain),
            };
            let found = match quick {
                Ok(end) => {
                    self.rows.push(Event::new(&text[..end], &tokens));
                    Ok(end)
                }
                Err(NoValue::Uncertain) if self.read_in_vain <= MOST_READ_IN_VAIN => {
                    let found = self.plain.read(text);
                    match found {
                        Ok(_) => self.rows.push(self.plain.event()),
                        Err(_) => self.read_in_vain += text.len(),
                    }
                    found
                }
                missing => missing,
            };
            match found {
                Ok(end) => self.window.advance(end),
                Err(NoValue::Malformed | NoValue::Uncertain) => {
                    if !self.find_event()? {
                        return Ok(self.ends_early("in the list of events"));
                    }
                }
                Err(NoValue::Ends) => match self.window.more()? {
                    More::Text => {}
                    More::End => {
                        // An event without an end may be followed by others.
                        if !self.find_event()? {
                            return Ok(self.ends_early("in an event"));
                        }
                    }
                    More::TooLong => {
                        if !self.find_event()? {
                            return Ok(self.ends_early("in an event of more than 64 MB"));
                        }
                    }
                },
            }
        }
    }

    /// Adds the events of the next block, if it was parsed, where all before was read.
    fn add_block(&mut self) -> Result<bool, Error> {
        let rows = &mut self.rows;
        self.window.next_parsed(|parsed| {
            let has_room = rows.has_room_for(&parsed);
            if has_room {
                rows.add(parsed);
            }
            has_room
        })
    }

    /// Goes from an event that cannot be read to the next one; false if there is none.
    fn find_event(&mut self) -> Result<bool, Error> {
        let mut from = 1;
        loop {
            let rest = self.window.rest();
            match next_event(rest, from) {
                Found::At(at) => {
                    let start = String::from_utf8_lossy(&rest[..rest.len().min(60)]).into_owned();
                    self.rows.diagnostics.count(DiagnosticCode::UnreadableEvent, || start);
                    self.window.advance(at);
                    return Ok(true);
                }
                Found::From(at) => from = at,
            }
            match self.window.more()? {
                More::Text => {}
                More::End => return Ok(false),
                More::TooLong => {
                    self.window.advance(from);
                    from = 0;
                }
            }
        }
    }

    fn ends_early(&mut self, place: &str) -> Place {
        let why = self.window.take_cut_off();
        self.rows.diagnostics.count(DiagnosticCode::CutTrace, || {
            let behind = why.map_or_else(String::new, |why| format!(": {why}"));
            format!("it ends {place}{behind}")
        });
        Place::End
    }
}
