use super::{Numbers, keys};
use crate::tables::{Columns, Importance, Layout, Unit};

const LAYOUT: Layout = Layout {
    first: &["name", "time_ns"],
    second: &["calls"],
    order: &["-time_ns", "name"],
    sentences: &["why"],
    ..Layout::PLAIN
};

#[test]
fn columns_that_are_named_are_more_important_than_others() {
    let importance = ["time_ns", "calls", "id"].map(|key| LAYOUT.importance(key));
    assert_eq!(importance, [Importance::Always, Importance::Medium, Importance::Low]);
    assert_eq!(Layout::PLAIN.importance("id"), Importance::Always, "without a list all are shown");
}

#[test]
fn columns_are_ranked_as_they_are_named() {
    let ranks = ["name", "time_ns", "calls", "id", "why"].map(|key| LAYOUT.rank(key));
    assert_eq!(ranks, [0, 1, 2, 3, 3]);
}

#[test]
fn sentences_are_told_from_names() {
    assert!(LAYOUT.is_sentence("why") && !LAYOUT.is_sentence("name"));
    assert_eq!(LAYOUT.sort(), keys(&["-time_ns", "name"]));
}

#[test]
fn units_follow_from_keys() {
    for (key, unit) in [
        ("gpu_time_ns", Unit::Nanoseconds),
        ("busy_percent", Unit::Percent),
        ("percent", Unit::Percent),
        ("sector_use_percent_ld", Unit::Percent),
        ("sectors_per_request_st", Unit::None),
        ("copied_bytes", Unit::Bytes),
        ("launches_per_s", Unit::PerSecond),
        ("bandwidth_gb_per_s", Unit::GigabytesPerSecond),
        ("achieved_tflop_per_s", Unit::TeraflopPerSecond),
        ("peak_fp16", Unit::TeraflopPerSecond),
        ("memory_bandwidth", Unit::BytesPerSecond),
        ("clock_hz", Unit::Hertz),
        ("flop", Unit::Flop),
        ("calls", Unit::None),
        ("turns", Unit::None),
    ] {
        assert_eq!(Unit::of_key(key), unit, "{key}");
    }
}

#[test]
fn titles_say_the_unit_once() {
    let table = Numbers(Vec::new());
    let headers = Columns::of(&table).headers;
    let titles: Vec<String> = headers.iter().map(|header| header.title_with_unit()).collect();
    assert_eq!(titles, ["Number (ns)", "Half", "Is Odd", "Digit"]);
}

#[test]
fn columns_are_found_by_key_and_by_title_in_any_spelling() {
    let table = Numbers(Vec::new());
    let columns = Columns::of(&table);
    for (name, place) in [("number_ns", 0), ("Number-NS", 0), ("number", 0), ("IS ODD", 2), ("is-odd", 2)] {
        assert_eq!(columns.position(name), Ok(place), "{name}");
    }
    let error = columns.position("nubmer").expect_err("a misspelt name");
    assert_eq!(error.near, ["number_ns"]);
    assert_eq!(error.to_string(), "table `numbers` has no column `nubmer`; did you mean `number_ns`?");
    let error = columns.position("zzz").expect_err("a name like no other");
    assert!(error.to_string().ends_with("; its columns are number_ns, half, is_odd, digit"), "{error}");
}
