//! Messages `Event` of TensorFlow's `event.proto` as bytes of protocol buffers: only the fields that are used.
//!
//! ```text
//! Event    1 wall_time: double   2 step: int64   3 file_version: string   5 summary: Summary
//! Summary  1 value: repeated Value
//! Value    1 tag: string   2 simple_value: float
//! ```

use std::borrow::Cow;

/// Readers know from it that events hold summaries, and do not guess restarts from steps that repeat.
const VERSION: &str = "brain.Event:2";

/// A value of one series.
pub(super) struct Scalar {
    tag: Cow<'static, str>,
    value: f32,
}

impl Scalar {
    /// A value, rounded to the precision of the format.
    pub(super) fn new(tag: impl Into<Cow<'static, str>>, value: f64) -> Self {
        #[expect(clippy::cast_possible_truncation, reason = "the format holds 32 bits")]
        let value = value as f32;
        Self { tag: tag.into(), value }
    }
}

/// The first event of a file. `wall_time` is in seconds since 1970.
pub(super) fn version(wall_time: f64) -> Vec<u8> {
    let mut event = Message::default();
    event.double(1, wall_time);
    event.bytes(3, VERSION.as_bytes());
    event.0
}

/// The scalars of a step. `wall_time` is in seconds since 1970.
pub(super) fn scalars(wall_time: f64, step: u32, scalars: &[Scalar]) -> Vec<u8> {
    let mut summary = Message::default();
    for scalar in scalars {
        let mut value = Message::default();
        value.bytes(1, scalar.tag.as_bytes());
        value.float(2, scalar.value);
        summary.bytes(1, &value.0);
    }
    let mut event = Message::default();
    event.double(1, wall_time);
    event.whole(2, step.into());
    event.bytes(5, &summary.0);
    event.0
}

/// Fields of a message, in order of their numbers.
#[derive(Default)]
struct Message(Vec<u8>);

/// How the value of a field is stored.
#[derive(Clone, Copy)]
enum Wire {
    Varint = 0,
    Bits64 = 1,
    Bytes = 2,
    Bits32 = 5,
}

impl Message {
    fn whole(&mut self, field: u64, value: u64) {
        self.key(field, Wire::Varint);
        self.varint(value);
    }

    fn double(&mut self, field: u64, value: f64) {
        self.key(field, Wire::Bits64);
        self.0.extend(value.to_le_bytes());
    }

    fn float(&mut self, field: u64, value: f32) {
        self.key(field, Wire::Bits32);
        self.0.extend(value.to_le_bytes());
    }

    fn bytes(&mut self, field: u64, value: &[u8]) {
        self.key(field, Wire::Bytes);
        self.varint(value.len() as u64);
        self.0.extend(value);
    }

    fn key(&mut self, field: u64, wire: Wire) {
        self.varint(field << 3 | wire as u64);
    }

    /// Seven bits per byte, the lowest first; all bytes but the last have the eighth bit.
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value.to_le_bytes()[0] | 0x80);
            value >>= 7;
        }
        self.0.push(value.to_le_bytes()[0]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_protocol_buffers() {
        let mut message = Message::default();
        message.whole(2, 300);
        message.bytes(3, b"ab");
        assert_eq!(message.0, [0x10, 0xac, 0x02, 0x1a, 2, b'a', b'b']);
        assert_eq!(version(1.0)[..9], [0x09, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f]);
    }

    #[test]
    fn a_scalar_has_a_tag_and_a_value() {
        let event = scalars(0.0, 7, &[Scalar::new("a", 0.5)]);
        assert_eq!(event[9..], [0x10, 7, 0x2a, 10, 0x0a, 8, 0x0a, 1, b'a', 0x15, 0, 0, 0, 0x3f]);
    }
}
