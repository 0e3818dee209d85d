//! Texts of operators as PyTorch's `emit_nvtx` writes them, taken apart.

use super::facts::{NO_SEQUENCE, SequenceNumber};
use memchr::memchr_iter;

/// The parts of an `emit_nvtx` text; other texts are all `text`.
pub(in crate::read) struct Parts<'a> {
    pub(in crate::read) text: &'a [u8],
    pub(in crate::read) sequence: SequenceNumber,
    pub(in crate::read) sizes: Option<&'a [u8]>,
}

/// Takes an `emit_nvtx` text apart (PyTorch, `torch/csrc/profiler/util.cpp`, `getNvtxStr`).
pub(in crate::read) fn split_numbers(text: &[u8]) -> Parts<'_> {
    const MARKERS: [&[u8]; 3] = [b", seq = ", b", op_id = ", b", sizes = "];
    let mut parts = Parts { text, sequence: NO_SEQUENCE, sizes: None };
    if text.first() == Some(&b'{') {
        return parts;
    }
    // The first of each marker counts.
    let mut is_met = [false; 3];
    for at in memchr_iter(b',', text) {
        let rest = &text[at..];
        // By this letter alone they differ.
        let is_it = |marker: &&[u8]| rest.get(3) == marker.get(3) && rest.starts_with(marker);
        let Some(marker) = MARKERS.iter().position(is_it) else { continue };
        if is_met == [false; 3] {
            parts.text = &text[..at];
        }
        if std::mem::replace(&mut is_met[marker], true) {
            continue;
        }
        let behind = &rest[MARKERS[marker].len()..];
        match marker {
            0 => parts.sequence = leading_number(behind),
            2 => parts.sizes = Some(sizes(behind)),
            _ => {}
        }
        if is_met[0] && is_met[2] {
            break;
        }
    }
    parts
}

/// The operand sizes that a text begins with.
fn sizes(text: &[u8]) -> &[u8] {
    let is_end = |&at: &usize| at > 0 && text[at - 1..].starts_with(b"], input_op_ids");
    &text[..memchr_iter(b',', text).find(is_end).unwrap_or(text.len())]
}

fn leading_number(text: &[u8]) -> SequenceNumber {
    let mut digits =
        text.iter().map_while(|byte| byte.is_ascii_digit().then(|| SequenceNumber::from(byte - b'0')));
    let append = |number: Option<SequenceNumber>, digit| number?.checked_mul(10)?.checked_add(digit);
    digits.next().and_then(|first| digits.fold(Some(first), append)).unwrap_or(NO_SEQUENCE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn emit_nvtx_texts_come_apart() {
        let cases = [
            ("aten::mm, seq = 12", "aten::mm", 12, None),
            ("aten::mm, op_id = 7", "aten::mm", NO_SEQUENCE, None),
            ("aten::mm, seq = 12, op_id = 7, sizes = [[2, 3], []]", "aten::mm", 12, Some("[[2, 3], []]")),
            ("aten::mm, seq = 1, sizes = [[2]], input_op_ids = [(1,0)]", "aten::mm", 1, Some("[[2]]")),
            ("step, then seq", "step, then seq", NO_SEQUENCE, None),
            ("a, seq = 4294967296", "a", NO_SEQUENCE, None),
            ("a, sizes = [[1], [2]], seq = 3, seq = 4", "a", 3, Some("[[1], [2]], seq = 3, seq = 4")),
            ("{'mod': 'x', 'op': 'y, seq = 3'}", "{'mod': 'x', 'op': 'y, seq = 3'}", NO_SEQUENCE, None),
        ];
        for (text, name, sequence, sizes) in cases {
            let parts = split_numbers(text.as_bytes());
            let sizes: Option<&str> = sizes;
            let expected = (name.as_bytes(), sequence, sizes.map(str::as_bytes));
            assert_eq!((parts.text, parts.sequence, parts.sizes), expected, "{text}");
        }
    }
}
