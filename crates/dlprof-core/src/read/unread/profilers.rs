//! Files of other profilers, and what is left: a protobuf file that nobody claims.

use super::frameworks::is_profile_of_xla;
use super::json_start::first_key;
use super::kind::{Kind, Sign, if_so};
use super::protobuf::{Field, fields, first_message};
use super::sample::Sample;

pub(super) static KINDS: &[Kind] = &[
    Kind {
        one: "a speedscope profile",
        several: "speedscope profiles",
        hint: "speedscope.app shows it",
        sign: Sign::Bytes(|sample| {
            let (key, value) = first_key(sample)?;
            if_so(key == "$schema" && value.starts_with("\"https://www.speedscope.app"))
        }),
    },
    Kind {
        one: "a text of folded stacks",
        several: "texts of folded stacks",
        hint: "speedscope.app shows it",
        sign: Sign::Bytes(|sample| if_so(is_folded(sample))),
    },
    Kind {
        one: "a pprof profile",
        several: "pprof profiles",
        hint: "`go tool pprof {file}` shows it",
        sign: Sign::Bytes(|sample| if_so(is_pprof(sample))),
    },
    Kind {
        one: "a profile of Python's cProfile",
        several: "profiles of Python's cProfile",
        hint: "`python -m pstats {file}` shows it",
        sign: Sign::Bytes(|sample| {
            let is_marshalled = matches!(sample.bytes(), [b'c', ..] | [b'{', ..]) && sample.text().is_none();
            if_so(sample.ends_with(&[".prof", ".pstats"]) && is_marshalled)
        }),
    },
    Kind {
        one: "a recording of Linux perf",
        several: "recordings of Linux perf",
        hint: "`perf report -i {file}` shows it",
        sign: Sign::Bytes(|sample| if_so(sample.bytes().starts_with(b"PERFILE2"))),
    },
    Kind {
        one: "a protobuf file of an unknown kind",
        several: "protobuf files of an unknown kind",
        hint: "give what its program writes as JSON or as SQLite",
        sign: Sign::Bytes(|sample| {
            if_so(sample.message().and_then(first_message).is_some() && !is_profile_of_xla(sample))
        }),
    },
];

/// Whether a text has stacks, a line each: names between semicolons, and a number.
fn is_folded(sample: &Sample<'_>) -> bool {
    const MOST: usize = 100;
    let Some(text) = sample.text() else { return false };
    // The last line may be cut.
    let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
    let is_stack = |line: &str| {
        let Some((stack, count)) = line.rsplit_once(' ') else { return false };
        !stack.is_empty() && !count.is_empty() && count.bytes().all(|digit| digit.is_ascii_digit())
    };
    let lines = || whole.lines().filter(|line| !line.trim().is_empty()).take(MOST);
    lines().next().is_some_and(|first| first.contains(';')) && lines().all(is_stack)
}

/// Whether bytes begin with the type of a value, two numbers, as profiles of pprof do.
fn is_pprof(sample: &Sample<'_>) -> bool {
    let is_named = sample.ends_with(&[".pb.gz", ".pprof"]);
    let Some(first) = sample.message().and_then(first_message).filter(|_| is_named || sample.is_packed())
    else {
        return false;
    };
    let mut numbers = fields(first);
    let is_number = |field, wanted| matches!(field, Some((number, Field::Number)) if number == wanted);
    is_number(numbers.next(), 1) && is_number(numbers.next(), 2) && numbers.next().is_none()
}
