//! Traces that are damaged.

use super::{count, op, read, texts, trace};
use crate::base::diagnostics::DiagnosticCode;

#[test]
fn what_is_damaged_is_left_out_and_counted() {
    let [first, last] = [op("aten::a", ["1", "1"], ""), op("aten::z", ["9", "1"], "")];
    let unreadable = [
        r#"{"ph": "X", "cat": "cpu_op", "name": "a "quoted" b", "ts": 2, "dur": 1}"#,
        r#"{"ph": "X", "cat": "cpu_op", "name": "x", "args": {"a": "b"c"}, "ts": 2}"#,
        r#"{"ph": "X", "cat": "cpu_op", "name": , "ts": 2}"#,
        r#"{"ph": "X" "cat": "cpu_op"}"#,
        r#"{"ph": "X", "args": [[1, 2}]}"#,
    ];
    for event in unreadable {
        let facts = read(&trace(&[&first, event, &last]));
        assert_eq!(texts(&facts), ["aten::a", "aten::z"], "{event}");
        assert_eq!(count(&facts, DiagnosticCode::UnreadableEvent), 1, "{event}");
        assert_eq!(count(&facts, DiagnosticCode::CutTrace), 0, "{event}");
    }
    let whole = trace(&[&first, &last]);
    let behind_first = whole.find("}},").expect("the end of the first event") + 2;
    for end in behind_first..whole.len() {
        let facts = read(&whole[..end]);
        assert!((1..=2).contains(&facts.ranges.len()), "{end}");
        assert_eq!(count(&facts, DiagnosticCode::CutTrace), 1, "{end}: {}", &whole[..end]);
    }
    let timeless = [op("aten::b", ["null", "1"], ""), op("aten::c", ["1e40", "1"], "")];
    let endless = ["null", "NaN", "\"x\"", "inf"].map(|length| op("aten::d", ["2", length], ""));
    let events: Vec<&str> =
        [&first].into_iter().chain(&timeless).chain(&endless).map(String::as_str).collect();
    let facts = read(&trace(&events));
    let counts = [DiagnosticCode::RowWithoutTime, DiagnosticCode::EventWithoutLength];
    assert_eq!((facts.ranges.len(), counts.map(|code| count(&facts, code))), (5, [2, 4]));
}

#[test]
fn events_in_two_parts_are_counted_and_left_out() {
    let whole = op("aten::a", ["1", "1"], "");
    let [start, end] = ["B", "E"].map(|phase| whole.replace("\"X\"", &format!("\"{phase}\"")));
    let facts = read(&trace(&[&whole, &start, &end, &start.replace("cpu_op", "devtools")]));
    assert_eq!((facts.ranges.len(), count(&facts, DiagnosticCode::EventInTwoParts)), (1, 1));
}
