//! One event as text.

use dlprof_core::Ns;
use std::fmt::Display;
use std::io::{self, Write};

/// The process and thread of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) pid: i64,
    pub(super) tid: i64,
}

/// An event that is being put together, member by member.
#[derive(Debug, Default)]
pub(super) struct Event {
    text: Vec<u8>,
}

impl Event {
    /// An event of a phase, at a time in nanoseconds.
    pub(super) fn begin(&mut self, phase: &str, place: Place, time: Ns) -> io::Result<()> {
        let Place { pid, tid } = place;
        self.text.clear();
        write!(self.text, "{{\"ph\":\"{phase}\",\"pid\":{pid},\"tid\":{tid}")?;
        self.micros("ts", time)
    }

    /// An event that describes a process or a thread.
    pub(super) fn metadata(
        &mut self,
        name: &str,
        place: Place,
        values: impl FnOnce(&mut Values<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        let Place { pid, tid } = place;
        self.text.clear();
        write!(self.text, "{{\"ph\":\"M\",\"pid\":{pid},\"tid\":{tid}")?;
        self.text("name", name)?;
        self.values(values)
    }

    /// A time or length in microseconds, exact to the nanosecond.
    pub(super) fn micros(&mut self, key: &str, ns: Ns) -> io::Result<()> {
        let ns = ns.max(0);
        write!(self.text, ",\"{key}\":{}.{:03}", ns / 1000, ns % 1000)
    }

    pub(super) fn text(&mut self, key: &str, text: &str) -> io::Result<()> {
        write!(self.text, ",\"{key}\":")?;
        Ok(serde_json::to_writer(&mut self.text, text)?)
    }

    pub(super) fn number(&mut self, key: &str, number: impl Display) -> io::Result<()> {
        write!(self.text, ",\"{key}\":{number}")
    }

    /// The member `args`, unless nothing is written to it.
    pub(super) fn values(&mut self, write: impl FnOnce(&mut Values<'_>) -> io::Result<()>) -> io::Result<()> {
        let before = self.text.len();
        self.text.extend_from_slice(b",\"args\":{");
        let mut values = Values { text: &mut self.text, is_empty: true };
        write(&mut values)?;
        match values.is_empty {
            true => self.text.truncate(before),
            false => self.text.push(b'}'),
        }
        Ok(())
    }

    /// The text of the event.
    pub(super) fn finish(&mut self) -> &[u8] {
        self.text.push(b'}');
        &self.text
    }
}

/// The values of an event that people see when they select it.
pub(in crate::formats) struct Values<'a> {
    text: &'a mut Vec<u8>,
    is_empty: bool,
}

impl<'a> Values<'a> {
    /// Values that are written after what a text holds, without braces.
    pub(in crate::formats) fn of(text: &'a mut Vec<u8>) -> Self {
        Self { text, is_empty: true }
    }

    fn key(&mut self, key: &str) -> io::Result<()> {
        let comma = if self.is_empty { "" } else { "," };
        self.is_empty = false;
        write!(self.text, "{comma}\"{key}\":")
    }

    /// A text; nothing if it is empty.
    pub(in crate::formats) fn text(&mut self, key: &str, text: &str) -> io::Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        self.key(key)?;
        Ok(serde_json::to_writer(&mut *self.text, text)?)
    }

    /// A whole number, or another value that is JSON as it is shown.
    pub(in crate::formats) fn number(&mut self, key: &str, number: impl Display) -> io::Result<()> {
        self.key(key)?;
        write!(self.text, "{number}")
    }

    pub(in crate::formats) fn float(&mut self, key: &str, value: f64) -> io::Result<()> {
        self.key(key)?;
        Ok(serde_json::to_writer(&mut *self.text, &value)?)
    }
}
