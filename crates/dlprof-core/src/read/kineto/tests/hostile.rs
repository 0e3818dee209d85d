//! Traces that were written to do harm.

use super::{CALL, op, read, read_bytes, texts, trace};
use crate::base::Error;
use proptest::prelude::*;

/// A hostile trace costs time in proportion to its length, and no stack.
#[test]
fn hostile_traces_end() {
    let many_keys = format!(
        r#"{{"ph": "X", "cat": "cpu_op", "name": "a", "ts": 1, "args": {{{}"x": 1}}}}"#,
        r#""device": 1, "#.repeat(100_000)
    );
    assert_eq!(read(&trace(&[&many_keys])).ranges.len(), 1);
    let deep = format!(
        r#"{{"ph": "X", "cat": "cpu_op", "name": "deep", "args": {}{}, "ts": 1}}"#,
        "[".repeat(300_000),
        "]".repeat(300_000)
    );
    let after = op("aten::z", ["9", "1"], "");
    assert_eq!(texts(&read(&trace(&[&deep, &after]))), ["deep", "aten::z"]);
    let never_closed = format!(r#"{{"ph": "X", "name": "a", "args": {}"#, "[".repeat(100));
    let many = vec![never_closed.as_str(); 20_000];
    let many = format!("{{\"traceEvents\": [{}, {after}]}}", many.join(","));
    assert_eq!(texts(&read(&many)), ["aten::z"]);
    let open = format!("{{\"traceEvents\": [{{\"ph\": \"X\", \"name\": \"{}", "{\"ph\" ,".repeat(300_000));
    assert!(matches!(read_bytes(open.as_bytes()), Err(Error::NotATrace { .. })));
    let spaces = format!("{{\"traceEvents\": [{{\"ph\" x{}", " {".repeat(300_000));
    assert!(matches!(read_bytes(spaces.as_bytes()), Err(Error::NotATrace { .. })));
    let nested_head = format!(
        "{{\"deviceProperties\": {}1{}, \"traceEvents\": [{after}]}}",
        "[".repeat(200_000),
        "]".repeat(200_000)
    );
    assert_eq!(read(&nested_head).ranges.len(), 1);
}

proptest! {
    /// Bytes that are anything are an error or facts, never more.
    #[test]
    fn anything_ends(pieces in prop::collection::vec(0_usize..20, 0..60)) {
        const PIECES: [&str; 20] = [
            "{", "}", "[", "]", ",", ":", "\"", "\\", "\"ph\": \"X\"", "\"traceEvents\": [", "\"name\": \"a\"", " ", "\n",
            "\"cat\": \"kernel\"", "\"ts\": 1e3", "\"dur\": -1", "\"args\": {", "\"grid\": [1, ", "inf", "\"pid\": \"x\"",
        ];
        let text: String = pieces.into_iter().map(|piece| PIECES[piece]).collect();
        drop(read_bytes(text.as_bytes()));
        drop(read_bytes(format!("{{\"traceEvents\": [{CALL}, {text}").as_bytes()));
    }
}
