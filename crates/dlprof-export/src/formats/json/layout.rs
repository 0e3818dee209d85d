//! The layout of a document: a member per line, and a row of a table per line. Cells on lines of their own would take a third
//! more space.

use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter};
use std::io::{self, Write};

/// Breaks lines down to the arrays of rows, and not inside rows.
pub(super) struct RowPerLine {
    pretty: PrettyFormatter<'static>,
    /// How many arrays and objects are open.
    depth: usize,
}

/// The document, its tables, and the rows of a table are on several lines; what is inside a row is not.
const DEEPEST: usize = 3;

impl RowPerLine {
    pub(super) fn new() -> Self {
        Self { pretty: PrettyFormatter::new(), depth: 0 }
    }

    fn open(&mut self) -> bool {
        self.depth += 1;
        self.is_broken()
    }

    fn close(&mut self) -> bool {
        self.depth -= 1;
        self.depth < DEEPEST
    }

    /// Whether what is open has a line per member.
    fn is_broken(&self) -> bool {
        self.depth <= DEEPEST
    }
}

impl Formatter for RowPerLine {
    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        if self.open() { self.pretty.begin_array(out) } else { CompactFormatter.begin_array(out) }
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        if self.close() { self.pretty.end_array(out) } else { CompactFormatter.end_array(out) }
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        match self.is_broken() {
            true => self.pretty.begin_array_value(out, first),
            false => CompactFormatter.begin_array_value(out, first),
        }
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        if self.is_broken() {
            self.pretty.end_array_value(out)
        } else {
            CompactFormatter.end_array_value(out)
        }
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        if self.open() { self.pretty.begin_object(out) } else { CompactFormatter.begin_object(out) }
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        if self.close() { self.pretty.end_object(out) } else { CompactFormatter.end_object(out) }
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        match self.is_broken() {
            true => self.pretty.begin_object_key(out, first),
            false => CompactFormatter.begin_object_key(out, first),
        }
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        if self.is_broken() {
            self.pretty.begin_object_value(out)
        } else {
            CompactFormatter.begin_object_value(out)
        }
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        match self.is_broken() {
            true => self.pretty.end_object_value(out),
            false => CompactFormatter.end_object_value(out),
        }
    }
}
