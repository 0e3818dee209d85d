//! The wire format of protobuf: fields of a message, without copies. What cannot be one is an error at its place.

/// A field's value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Wire<'a> {
    /// A number of up to 64 bits.
    Number(u64),
    /// Eight bytes.
    Fixed([u8; 8]),
    /// A text, bytes or a message.
    Bytes(&'a [u8]),
    /// Four bytes, which no field that is read has.
    Skipped,
}

/// That bytes are no message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Malformed;

impl<'a> Wire<'a> {
    /// The number as one with a sign; 0 of other values.
    pub(super) fn int(self) -> i64 {
        if let Self::Number(number) = self { number.cast_signed() } else { 0 }
    }

    /// The bytes; none of other values.
    pub(super) fn bytes(self) -> &'a [u8] {
        if let Self::Bytes(bytes) = self { bytes } else { &[] }
    }
}

/// The fields of a message: number and value. After an error there are no more.
pub(super) struct Fields<'a> {
    rest: &'a [u8],
}

pub(super) fn fields(message: &[u8]) -> Fields<'_> {
    Fields { rest: message }
}

impl<'a> Fields<'a> {
    #[inline]
    fn take(&mut self, length: usize) -> Result<&'a [u8], Malformed> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(Malformed)?;
        self.rest = rest;
        Ok(taken)
    }

    /// A number of at most ten bytes.
    #[inline]
    fn varint(&mut self) -> Result<u64, Malformed> {
        if let [byte @ ..0x80, rest @ ..] = self.rest {
            self.rest = rest;
            return Ok(u64::from(*byte));
        }
        let mut value = 0;
        for (at, &byte) in self.rest.iter().take(10).enumerate() {
            value |= u64::from(byte & 0x7f) << (7 * at);
            if byte < 0x80 {
                self.rest = &self.rest[at + 1..];
                return Ok(value);
            }
        }
        Err(Malformed)
    }

    #[inline]
    fn field(&mut self) -> Result<(u64, Wire<'a>), Malformed> {
        let key = self.varint()?;
        let value = match key & 7 {
            0 => Wire::Number(self.varint()?),
            1 => Wire::Fixed(self.take(8)?.try_into().map_err(|_| Malformed)?),
            2 => {
                let length = usize::try_from(self.varint()?).map_err(|_| Malformed)?;
                Wire::Bytes(self.take(length)?)
            }
            5 => {
                self.take(4)?;
                Wire::Skipped
            }
            _ => return Err(Malformed),
        };
        if key >> 3 == 0 { Err(Malformed) } else { Ok((key >> 3, value)) }
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<(u64, Wire<'a>), Malformed>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_err() {
            self.rest = &[];
        }
        Some(field)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_and_what_is_none_is_an_error() {
        let message =
            [0x08, 0x96, 0x01, 0x12, 0x02, b'h', b'i', 0x19, 1, 2, 3, 4, 5, 6, 7, 8, 0x25, 1, 2, 3, 4];
        let found: Result<Vec<_>, _> = fields(&message).collect();
        let expected = vec![
            (1, Wire::Number(150)),
            (2, Wire::Bytes(b"hi")),
            (3, Wire::Fixed([1, 2, 3, 4, 5, 6, 7, 8])),
            (4, Wire::Skipped),
        ];
        assert_eq!(found, Ok(expected));
        let minus_one = [0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];
        assert_eq!(fields(&minus_one).next().map(|field| field.map(|(_, value)| value.int())), Some(Ok(-1)));
        for damaged in [&[0x12, 0x05, b'h'][..], &[0x08], &[0x08, 0x80], &[0x00, 0x01], &[0x0b], &[0xff; 11]]
        {
            assert_eq!(fields(damaged).last(), Some(Err(Malformed)), "{damaged:?}");
        }
    }
}
