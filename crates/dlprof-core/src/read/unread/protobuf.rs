//! Messages of protobuf, as far as the fields of a message that is not known can be told.

/// A field of a message.
pub(super) enum Field<'a> {
    /// A number.
    Number,
    /// A message or a text; the last one of what is seen may be cut.
    Bytes(&'a [u8]),
    /// A number of fixed length.
    Fixed,
}

/// The fields of a message by their numbers, up to what is no field.
pub(super) fn fields(mut bytes: &[u8]) -> impl Iterator<Item = (u64, Field<'_>)> {
    std::iter::from_fn(move || {
        let key = varint(&mut bytes)?;
        let field = match key & 7 {
            0 => {
                varint(&mut bytes)?;
                Field::Number
            }
            1 => skip(&mut bytes, 8)?,
            5 => skip(&mut bytes, 4)?,
            2 => {
                let length = usize::try_from(varint(&mut bytes)?).ok()?;
                let (inside, behind) = bytes.split_at(length.min(bytes.len()));
                bytes = behind;
                Field::Bytes(inside)
            }
            _ => return None,
        };
        (key >> 3 != 0).then_some((key >> 3, field))
    })
}

/// What field 1 of a message holds, if the message begins with it.
pub(super) fn first_message(bytes: &[u8]) -> Option<&[u8]> {
    match fields(bytes).next()? {
        (1, Field::Bytes(inside)) => Some(inside),
        _ => None,
    }
}

fn skip<'a>(bytes: &mut &'a [u8], length: usize) -> Option<Field<'a>> {
    *bytes = bytes.get(length..)?;
    Some(Field::Fixed)
}

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0_u64;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}
