//! The form, and that what answers say is what queries show.

use super::{AskedCapture, Asking, Cursor, CursorError, Envelope, Mistake, Part, Question, State, ask};
use crate::display::{TimeUnit, time};
use crate::query::{Limits, Query};
use dlprof_core::{Capture, Judged, KeyNodeChoice, RangeChoice, ReadOptions, RuleSettings, judge};
use serde_json::Value as Json;

fn sample() -> Judged {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/sample.sqlite");
    let capture = Capture::read(path.as_ref(), &ReadOptions::default()).expect("the sample");
    let profile = capture.index(&KeyNodeChoice::Find).expect("an index").profile(&RangeChoice::default());
    judge(&profile.expect("a profile"), &RuleSettings::default())
}

/// Parts of one capture are compared per iteration, each of which has ten kernels: sums of 63 and of 10 of them say nothing of each
/// other.
#[test]
fn kernels_are_compared_per_iteration() {
    let sample = sample();
    let part = |first, last| {
        let range =
            RangeChoice { iter_start: Some(first), iter_stop: Some(last), ..sample.iterations.choice };
        judge(&sample.index.profile(&range).expect("a profile"), &RuleSettings::default())
    };
    let [many, few] = [part(2, 64), part(20, 29)];
    let captures =
        [("base", &many), ("new", &few)].map(|(name, judged)| AskedCapture { id: name, name, judged });
    let asking = Asking {
        question: Question::Compare,
        about: None,
        captures: &captures,
        cursor: None,
        limits: Limits::default(),
    };
    let said = ask(&asking).expect("queries of our own").say;
    assert!(said.contains(" per iteration, then ") && said.ends_with("there are 10, then 10"), "{said}");
}

fn answer(judged: &Judged, question: Question, about: Option<&str>, cursor: Option<&Cursor>) -> Envelope {
    let one = |name| AskedCapture { id: name, name, judged };
    let two = [one("base"), one("new")];
    let captures = if question == Question::Compare { &two[..] } else { &two[1..] };
    let asking = Asking { question, about, captures, cursor, limits: Limits::default() };
    ask(&asking).expect("queries of our own")
}

#[test]
fn every_question_has_an_answer_within_the_budget_whose_rows_are_those_of_its_sql() {
    let judged = sample();
    for question in Question::ALL {
        let envelope = answer(&judged, question, None, None);
        let text = envelope.to_json(2_000);
        assert!(text.len() <= 8_000, "{question:?}: {}", text.len());
        assert!(envelope.to_text(2_000).len() <= 8_000, "{question:?}");
        assert!(!envelope.parts.is_empty() && !envelope.say.is_empty() || question == Question::Compare);
        assert_ne!(envelope.state, State::Error, "{question:?}");
        for part in &envelope.parts {
            let count = if question == Question::Compare { 2 } else { 1 };
            let mut query = Query::new(part.sql.as_deref().expect("a query"), count).expect("SQL");
            for name in ["base", "new"].iter().skip(2 - count) {
                query.add(name, &judged).expect("room");
            }
            let again = super::Part::of(part.name, &query.run().expect("rows"), 0, part.shown, None);
            // A 0 that could not be seen is null in the answer.
            let is_same =
                |(sql, own): (&Json, &Json)| sql == own || own.is_null() && sql.as_f64() == Some(0.0);
            let are_same = again.rows.iter().flatten().zip(part.rows.iter().flatten()).all(is_same);
            assert!(are_same && again.rows.len() == part.rows.len(), "{question:?} {}", part.name);
            let keys: std::collections::BTreeSet<String> =
                part.rows.iter().map(|row| row[0].to_string()).collect();
            assert_eq!(keys.len(), part.rows.len(), "{question:?} {}: keys are unique", part.name);
        }
    }
}

#[test]
fn figures_in_words_are_cells() {
    let judged = sample();
    for question in [Question::WhereTime, Question::Overlap, Question::WhichRank, Question::Steady] {
        let envelope = answer(&judged, question, None, None);
        let cells: Vec<&Json> = envelope.parts.iter().flat_map(|part| part.rows.iter().flatten()).collect();
        let in_unit = |cell: &Json| time(cell.as_f64().unwrap_or(-1.0), TimeUnit::Auto);
        let is_cell = |word: &str| {
            let is =
                |cell: &&&Json| cell.to_string() == word || in_unit(cell).split(' ').next() == Some(word);
            cells.iter().any(|cell| is(&cell))
        };
        let is_figure =
            |word: &&str| word.chars().all(|c| c.is_ascii_digit() || c == '.') && !word.is_empty();
        for word in envelope.say.split([' ', '%', ',', ';']).filter(is_figure) {
            assert!(is_cell(word), "{question:?}: {word} of `{}`", envelope.say);
        }
    }
}

#[test]
fn cursors_walk_through_all_rows_once() {
    let judged = sample();
    let whole = answer(&judged, Question::WhereTime, None, None);
    let kernels = whole.parts.iter().find(|part| part.name == "kernels").expect("kernels");
    let mut rows = kernels.rows.clone();
    let mut next = kernels.next.clone();
    while let Some(cursor) = next {
        let cursor: Cursor = cursor.parse().expect("a cursor");
        assert_eq!(cursor.fits("where_time", None, ["new"].into_iter()), Ok(()));
        assert_eq!(cursor.fits("where_time", None, ["other"].into_iter()), Err(CursorError::Stale));
        let more = answer(&judged, Question::WhereTime, None, Some(&cursor));
        let text: Json = serde_json::from_str(&more.to_json(600)).expect("JSON");
        let part = &text["parts"][0];
        rows.extend(
            part["rows"].as_array().expect("rows").iter().map(|row| row.as_array().expect("cells").clone()),
        );
        next = part["next"].as_str().map(str::to_owned);
    }
    assert_eq!(rows.len(), kernels.total);
    let keys: std::collections::BTreeSet<String> = rows.iter().map(|row| row[0].to_string()).collect();
    assert_eq!(keys.len(), rows.len());
    assert!("kernels.x.y".parse::<Cursor>().is_err());
}

#[test]
fn what_is_not_there_is_no_empty_answer() {
    let judged = sample();
    let envelope = answer(&judged, Question::TensorCores, Some("no_such_kernel"), None);
    assert_eq!(envelope.error.map(|error| error.code), Some("no_such_key"));
    let suffices = answer(&judged, Question::Suffices, None, None);
    assert!(
        suffices.cannot.iter().any(|cannot| cannot.because == "no_gpu_metrics" && !cannot.record.is_empty())
    );
}

#[test]
fn a_zero_of_what_could_not_be_seen_is_unknown() {
    let rows = vec![vec![Json::from("step"), Json::from(0.0), Json::from(0)]];
    let mut part = Part::of_rows("step", &["key", "input_percent", "copy_percent"], rows);
    assert!(part.forget_zeros("input_percent") && !part.forget_zeros("input_percent"));
    assert!(!part.forget_zeros("sync_percent"));
    assert_eq!((part.first("input_percent"), part.first("copy_percent")), (None, Some(&Json::from(0))));
}

#[test]
fn what_was_given_is_not_repeated_at_length() {
    let mistake = Mistake { code: "bad_sql", say: "x".repeat(100_000), hint: None, did_you_mean: Vec::new() };
    let text = Envelope::mistake("query", mistake).to_json(200);
    assert!(text.len() <= 800 && serde_json::from_str::<Json>(&text).is_ok(), "{}", text.len());
}
