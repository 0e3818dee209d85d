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
    #[inline(always)]
    fn varint(&mut self) -> Result<u64, Malformed> {
        if let [byte @ ..0x80, rest @ ..] = self.rest {
            self.rest = rest;
            return Ok(u64::from(*byte));
        }
        self.long_varint()
    }

    /// The same of several bytes: eight are looked at together, and their sevens of bits moved together.
    #[inline]
    fn long_varint(&mut self) -> Result<u64, Malformed> {
        let Some(&eight) = self.rest.first_chunk() else { return self.varint_by_bytes() };
        let word = u64::from_le_bytes(eight);
        let ends = !word & 0x8080_8080_8080_8080;
        if ends == 0 {
            return self.varint_by_bytes();
        }
        // All bits up to the first byte that ends a number.
        let own = word & (ends ^ (ends - 1)) & 0x7f7f_7f7f_7f7f_7f7f;
        let own = (own & 0x007f_007f_007f_007f) | (own & 0x7f00_7f00_7f00_7f00) >> 1;
        let own = (own & 0x0000_3fff_0000_3fff) | (own & 0x3fff_0000_3fff_0000) >> 2;
        let own = (own & 0x0fff_ffff) | (own & 0x0fff_ffff_0000_0000) >> 4;
        self.rest = &self.rest[ends.trailing_zeros() as usize / 8 + 1..];
        Ok(own)
    }

    #[cold]
    fn varint_by_bytes(&mut self) -> Result<u64, Malformed> {
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

    #[inline(always)]
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

    #[inline(always)]
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
    fn numbers_of_all_lengths_are_read_whatever_stands_behind() {
        for bits in 0..64 {
            for value in [1_u64 << bits, (1 << bits) - 1, u64::MAX >> bits, 0x5555_5555_5555_5555 >> bits] {
                let mut bytes = Vec::new();
                let mut rest = value;
                while rest > 0x7f {
                    bytes.push(u8::try_from(rest & 0x7f).unwrap_or(0) | 0x80);
                    rest >>= 7;
                }
                bytes.push(u8::try_from(rest).unwrap_or(0));
                for behind in [&[][..], &[0; 9], &[0xff; 9]] {
                    let message = [&bytes, behind].concat();
                    let mut fields = fields(&message);
                    assert_eq!(fields.varint(), Ok(value), "{message:x?}");
                    assert_eq!(fields.rest, behind);
                }
            }
        }
    }

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
