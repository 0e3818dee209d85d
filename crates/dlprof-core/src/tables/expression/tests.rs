//! Expressions of names and of functions. Conditions on rows are tested on a table, in `tests/core/selections.rs`.

use super::{Expression, ExpressionKind, ExpressionMistake, Name, Scope, Vocabulary};
use crate::tables::{CellKind, Columns, Unit, Value, iterations};

/// Values by name.
fn named() -> Vec<(Name, Value<'static>)> {
    let name =
        |name: &str, cells, value| (Name { name: name.to_owned(), cells, unit: Unit::of_key(name) }, value);
    vec![
        name("value", None, Value::Int(12)),
        name("none", None, Value::Null),
        name("name", None, Value::from("conv".to_owned())),
        name("flag", None, Value::Flag(true)),
        name("time_ns", None, Value::Int(1_500_000)),
        name("s", None, Value::Int(4)),
        name("number", Some(CellKind::Float), Value::Float(0.5)),
    ]
}

fn value(text: &str, kind: ExpressionKind) -> Result<Value<'static>, ExpressionMistake> {
    let (names, values): (Vec<Name>, Vec<Value<'_>>) = named().into_iter().unzip();
    let read = Expression::parse(text, Vocabulary::Names(&names), kind)?;
    let scope = Scope::Values(&values);
    Ok(match read.value(&scope)? {
        Value::Text(text) => Value::from(text.into_owned()),
        Value::Flag(flag) => Value::Flag(flag),
        Value::Int(number) => Value::Int(number),
        Value::Float(number) => Value::Float(number),
        Value::Null => Value::Null,
    })
}

fn holds(text: &str) -> bool {
    match value(text, ExpressionKind::Condition) {
        Ok(Value::Flag(holds)) => holds,
        other => panic!("{text}: {other:?}"),
    }
}

fn fails(text: &str, at: usize, message: &str) {
    let (names, values): (Vec<Name>, Vec<Value<'_>>) = named().into_iter().unzip();
    let read = Expression::parse(text, Vocabulary::Names(&names), ExpressionKind::Condition);
    let mistake = read.and_then(|read| read.holds(&Scope::Values(&values))).expect_err(text);
    assert_eq!(mistake.character(text), at, "{text}: {mistake:?}");
    assert!(mistake.to_string().contains(message), "{text}: {mistake}");
}

#[test]
fn numbers_are_computed_in_the_usual_order() {
    for (text, expected) in [
        ("1 + 2 * 3", 7.0),
        ("(1 + 2) * 3", 9.0),
        ("8 - 2 - 1", 5.0),
        ("16 / 4 / 2", 2.0),
        ("-value + 1_000", 988.0),
        ("value-2", 10.0),
        ("- - 2", 2.0),
        ("+5 - -5", 10.0),
        ("1.5e3 - .5", 1499.5),
        ("1e-1*10", 1.0),
        ("100/s", 25.0),
    ] {
        assert_eq!(value(text, ExpressionKind::Number), Ok(Value::Float(expected)), "{text}");
    }
    assert_eq!(value("value / 0", ExpressionKind::Number), Ok(Value::Null));
    assert_eq!(value("value + none", ExpressionKind::Number), Ok(Value::Null));
}

#[test]
fn conditions_hold_or_do_not() {
    for text in [
        "value > 5",
        "value >= 12 and value <= 12",
        "value = 12 or none = 1",
        "not value < 12",
        "value <> 3",
        "name = 'conv'",
        "name != \"relu\" and flag",
        "none is null and value is not null",
        "not (none > 1 or value < 1)",
        "value / 2 > 5 and value * 2 = 24",
        "value in (1, 10..20) and value not in (13, 20..)",
        "value between 12 and 12 and value = ..12 and value != 13..",
        "name like 'c%' and name ilike CONV and name ~ ^co and name not like '%x%'",
        "time_ns > 1ms and time_ns = 1.5 ms and time_ns * 2 <= 3000us",
        "time_ns between 1ms and 2 ms and time_ns = 1ms..2ms",
        "value < 100/s and time_ns < (1ms + 1ms)",
        "number < 1",
    ] {
        assert!(holds(text), "{text}");
    }
    for text in ["none = none", "none < 1 or none >= 1", "value / 0 > 1", "value is null", "none != 3"] {
        assert!(!holds(text), "{text}: an empty cell makes every comparison false");
    }
    for text in ["none not in (1)", "none not like 'x'", "none != 1..2", "none ~ ''"] {
        assert!(!holds(text), "{text}: an empty cell makes every comparison false");
    }
    assert_eq!(value("none", ExpressionKind::Condition), Ok(Value::Null));
}

#[test]
fn mistakes_have_a_place() {
    fails("vale > 5", 1, "there is no `vale`");
    fails("value > 5 and valeu < 1", 15, "there is no `valeu`");
    fails("value", 1, "a condition expected, the number 12 found");
    fails("number", 1, "a condition expected, a number found");
    fails("value >", 8, "expected at the end");
    fails("value > 5 5", 11, "`5` found");
    fails("(value > 5", 11, "`)` expected");
    fails("value + 1", 1, "a condition expected, a number found");
    fails("1 and 2", 1, "a condition expected, a number found");
    fails("not 'a'", 5, "a condition expected, a text found");
    fails("value > 'a", 9, "without an end");
    fails("value > 1x", 9, "`1x` does not fit `value`: it takes a number without a unit");
    fails("1x > value", 1, "`1x` is not a number");
    fails("time_ns > 5 GB", 11, "`5 GB` does not fit `time_ns`: it takes ns");
    fails("1 < 'a'", 1, "a number is compared with a text");
    fails("name > 5", 1, "the text 'conv' is compared with the number 5");
    fails("name * 2 > 5", 1, "a number expected, the text 'conv' found");
    fails("value ~ 'x'", 1, "a text expected, the number 12 found");
    fails("number ~ 'x'", 1, "`~` needs a column of texts");
    fails("name ~ '('", 8, "unclosed group");
    fails("value > 1..5", 9, "the range `1..5` has no order");
    fails("value is 5", 10, "`null` or `not null` expected");
    fails("max(value) > 1", 1, "no functions here");
    fails("value > and", 9, "`and` found");
    fails("ä > 1", 1, "there is no `ä`");
    fails("flag and ä > 1", 10, "there is no `ä`");
    fails("", 1, "expected at the end");
    fails(&"(".repeat(1000), 65, "nested deeper");
    fails(&format!("{}value > 1", "-".repeat(1000)), 65, "nested deeper");
    fails(&format!("1{} > 1", " + 1".repeat(1000)), 1027, "more than 256 operations");
    let near = value("valeu > 1", ExpressionKind::Condition).expect_err("a misspelt name");
    assert_eq!(near.hint().as_deref(), Some("did you mean `value`?"));
}

#[test]
fn functions_are_checked_against_the_columns() {
    let table = &iterations::TABLE;
    let columns = Columns::new(table.key, table.headers().into_iter().copied().collect());
    let read = |text: &str| Expression::parse(text, Vocabulary::Functions(&columns), ExpressionKind::Number);
    for text in [
        "count()",
        "count(state) / count()",
        "percentile(duration_ns, 90) / median(duration_ns)",
        "100 * share(state = 'steady' and (duration_ns > 5 or duration_ns < 2ms))",
        "share(state = ')')",
        "max(duration_ns - cpu_duration_ns) / 2",
    ] {
        assert!(read(text).is_ok(), "{text}: {:?}", read(text));
    }
    for (text, unit) in [
        ("max(duration_ns) + 5", Unit::Nanoseconds),
        ("sum(duration_ns) / count()", Unit::Nanoseconds),
        ("-2 * median(duration_ns)", Unit::Nanoseconds),
        ("sum(duration_ns) / max(duration_ns)", Unit::None),
        ("1 / sum(duration_ns)", Unit::None),
        ("count(duration_ns)", Unit::None),
    ] {
        assert_eq!(read(text).map(|read| read.unit()), Ok(unit), "{text}");
    }
    for (text, at, message) in [
        ("sum(duration_s)", 5, "has no column `duration_s`"),
        ("sum(state)", 5, "needs a column of numbers, `state` has texts"),
        ("1 + duration_ns", 5, "`duration_ns` is not a function"),
        ("avg(duration_ns)", 1, "there is no function `avg`"),
        ("percentile(duration_ns)", 23, "`,` and a number from 0 to 100 expected, `)` found"),
        ("percentile(duration_ns, 101)", 25, "`101` is not a percentile"),
        ("percentile(duration_ns, 9x)", 25, "`9x` is not a percentile"),
        ("share(state)", 7, "a condition expected, a text found"),
        ("share(state = steady", 21, "`)` expected at the end"),
        ("sum(duration_ns", 16, "`)` expected at the end"),
        ("sum(duration_ns, 2)", 16, "`)` expected, `,` found"),
        ("count() > 1", 1, "a number expected, a condition found"),
        ("sum()", 5, "`sum` needs a column"),
    ] {
        let mistake = read(text).expect_err(text);
        let is_there = mistake.character(text) == at && mistake.to_string().contains(message);
        assert!(is_there, "{text}: {mistake:?}");
    }
}
