//! Conditions, sorting and choosing of columns.

use crate::profiles::profile_of;
use crate::script::Script;
use dlprof_core::{Capture, Columns, Condition, Selection, Table, Value, View, definition};
use proptest::prelude::*;

fn capture() -> Capture {
    let mut script = Script::default();
    for (name, ns) in [("conv2d", 500), ("relu", 20), ("linear", 300), ("relu", 40), ("idle", 0)] {
        script.range(name, |script| {
            if ns > 0 {
                script.launch(&format!("{name}_kernel"), ns);
            }
        });
    }
    script.read()
}

/// Op types of the rows that a selection leaves of table `ops`.
fn left(selection: &Selection<'_>) -> Result<Vec<String>, String> {
    let capture = capture();
    let profile = profile_of(&capture);
    let definition = definition("ops").expect("the table");
    let table = (definition.build)(&profile);
    let checked = selection.check(&Columns::from(definition)).map_err(|error| error.to_string());
    let view = View::new(table.as_ref(), selection).map_err(|error| error.to_string());
    assert_eq!(checked.is_ok(), view.is_ok(), "what can be checked before is checked before");
    let view = view?;
    let op_type = (0..view.columns()).find(|&column| view.header(column).key == "op_type").expect("a column");
    let text = |row| match view.value(row, op_type) {
        Value::Text(text) => text.into_owned(),
        other => panic!("{other:?}"),
    };
    Ok((0..view.rows()).map(text).collect())
}

fn rows_where(condition: &str) -> Result<Vec<String>, String> {
    let conditions = [condition.to_owned()];
    let sort = ["op_type".to_owned()];
    left(&Selection { conditions: &conditions, sort: &sort, ..Selection::default() })
}

#[test]
fn conditions_choose_rows() {
    let cases: [(&str, &[&str]); 45] = [
        ("gpu_time_ns > 60", &["conv2d", "linear"]),
        ("gpu_time_ns >= 300 and op_type != conv2d", &["linear"]),
        ("op_type = 'relu' or op_type = \"idle\"", &["idle", "relu"]),
        ("not op_type = relu", &["conv2d", "idle", "linear"]),
        ("(op_type = relu or op_type = linear) and gpu-time-ns < 100", &["relu"]),
        ("op_type ~ ^l.n", &["linear"]),
        ("avg_gpu_time_ns = 30", &["relu"]),
        ("avg_gpu_time_ns < 30.5 AND calls = 2", &["relu"]),
        ("using_tc = no and gpu_time_ns = 0", &["idle"]),
        ("using_tc != false", &[]),
        ("op_type is null", &[]),
        ("op_type is not null and gpu_time_ns>300", &["conv2d"]),
        ("gpu_time_ns > 299.5 and gpu_time_ns <= 300", &["linear"]),
        ("calls <> 1", &["relu"]),
        ("GPU Time > 60", &["conv2d", "linear"]),
        ("\"GPU Time\" > 0.3us", &["conv2d"]),
        ("gpu_time >= 0.3 us and op type != conv2d", &["linear"]),
        ("calls = 2 and not op type = idle", &["relu"]),
        ("op_type in (conv2d, 'idle')", &["conv2d", "idle"]),
        ("op_type not in (conv2d, idle)", &["linear", "relu"]),
        ("not op_type in (conv2d, idle)", &["linear", "relu"]),
        ("op_type like '%l%'", &["idle", "linear", "relu"]),
        ("op_type like 'l_n%'", &["linear"]),
        ("op_type like 'L%'", &[]),
        ("op_type ilike 'L%'", &["linear"]),
        ("op_type not like '%e%'", &["conv2d"]),
        ("gpu_time_ns between 60 and 300", &["linear", "relu"]),
        ("gpu_time_ns not between 60 and 300 and calls = 1", &["conv2d", "idle"]),
        ("gpu_time_ns = 60..300", &["linear", "relu"]),
        ("gpu_time_ns = 0.3us .. 1 ms", &["conv2d", "linear"]),
        ("gpu_time_ns != ..299", &["conv2d", "linear"]),
        ("gpu_time_ns in (0, 400..)", &["conv2d", "idle"]),
        ("using_tc in (yes, 0)", &["conv2d", "idle", "linear", "relu"]),
        ("kernel gpu time > 0.4 µs or calls=2", &["conv2d", "relu"]),
        ("gpu_time_ns = \"300\" or gpu_time = '400 .. 1us'", &["conv2d", "linear"]),
        ("GPU Time / calls < 0.1us and gpu-time-ns > 0", &["relu"]),
        ("gpu time/calls < 0.1us and gpu_time*2 > 0", &["relu"]),
        ("gpu_time - 60 = 0", &["relu"]),
        ("gpu_time_ns-60 > 200ns + 39", &["conv2d", "linear"]),
        ("-gpu_time_ns >= -60", &["idle", "relu"]),
        ("gpu_time_ns > avg_gpu_time_ns", &["relu"]),
        ("60 < gpu_time_ns", &["conv2d", "linear"]),
        ("using_tc or calls = 2", &["relu"]),
        ("not using_tc and (calls) > 1", &["relu"]),
        ("gpu_time_ns > (100ns + 200 ns)", &["conv2d"]),
    ];
    for (condition, expected) in cases {
        assert_eq!(rows_where(condition).expect("a condition"), expected, "{condition}");
    }
}

#[test]
fn what_cannot_be_read_says_why() {
    let cases = [
        ("", "a column expected at the end"),
        ("gpu_time_ns", "an operator expected at the end"),
        ("gpu_time_ns >", "a value expected at the end"),
        ("gpu_tim > 1", "has no column `gpu_tim`; did you mean `gpu_time_ns`"),
        ("zzz > 1", "has no column `zzz`; its columns are op_id, "),
        ("wrong name = 1", "has no column `wrong name`"),
        ("gpu_time_ns > 5 GB", "`5 GB` does not fit `gpu_time_ns`: it takes ns, us, ms or s, such as `1ms`"),
        ("gpu_time_ns > 5x", "`5x` does not fit `gpu_time_ns`"),
        ("calls > 5ms", "`5ms` does not fit `calls`: it takes a number without a unit"),
        ("gpu_time_ns > 1..5", "the range `1..5` has no order"),
        ("calls = ..", "is numeric"),
        ("calls in 5", "`(` expected, `5` found"),
        ("calls in (5", "`)` expected at the end"),
        ("calls in ()", "a value expected, `)` found"),
        ("calls in (5 6)", "`,` or `)` expected, `6` found"),
        ("calls between 1 or 2", "`and` expected, `or` found"),
        ("calls not 5", "`in`, `like`, `ilike` or `between` expected, `5` found"),
        ("calls like '5%'", "`like` needs a column of texts"),
        ("gpu_time_ns > fast", "`gpu_time_ns` is numeric: write a number such as 1000000, not `fast`"),
        ("using_tc > yes", "has no order"),
        ("using_tc = maybe", "is yes or no, not `maybe`"),
        ("calls ~ 1", "needs a column of texts"),
        ("op_type ~ '('", "unclosed group"),
        ("(calls = 1", "`)` expected at the end"),
        ("calls = 1 calls = 2", "`and` or `or` expected"),
        ("op_type = 'x", "text without an end"),
        ("calls is 1", "`null` or `not null` expected"),
        ("calls 1", "one of = != < <= > >= ~ in like between is expected after `calls`, `1` found"),
        ("calls and calls = 1", "an operator expected, `and` found"),
        ("calls * 2", "a condition expected, a number found"),
        ("calls * op_type = 2", "a number expected, a text found"),
        ("calls = op_type", "a number is compared with a text"),
        ("max(calls) = 1", "has no column `max`"),
        ("gpu_time_ns = '5 calls'", "`gpu_time_ns` is numeric"),
        ("gpu_time_ns = 1e999", "`1e999` does not fit `gpu_time_ns`"),
    ];
    for (condition, message) in cases {
        let error = rows_where(condition).expect_err(condition);
        assert!(error.contains(message), "`{message}` in `{error}`");
    }
    let deep = "(".repeat(100_000);
    assert!(rows_where(&deep).is_err_and(|error| error.contains("nested deeper")));
}

#[test]
fn sorting_and_columns() {
    let sort = ["-gpu_time_ns".to_owned(), "op_type".to_owned()];
    let by_time = left(&Selection { sort: &sort, top: Some(3), ..Selection::default() });
    assert_eq!(by_time, Ok(vec!["conv2d".to_owned(), "linear".to_owned(), "relu".to_owned()]));
    let columns = ["op-type".to_owned(), "calls".to_owned()];
    let capture = capture();
    let profile = profile_of(&capture);
    let table = (definition("ops").expect("the table").build)(&profile);
    let selection = Selection { columns: &columns, ..Selection::default() };
    let view = View::new(table.as_ref(), &selection).expect("a view");
    let keys: Vec<&str> = (0..view.columns()).map(|column| view.header(column).key).collect();
    assert_eq!(keys, ["op_type", "calls"]);
}

proptest! {
    #[test]
    fn no_text_makes_the_parser_panic(text in "\\PC{0,60}") {
        let columns = Columns::from(definition("ops").expect("the table"));
        let _ = Condition::parse(&text, &columns);
    }

    #[test]
    fn no_sequence_of_words_makes_the_parser_panic(words in proptest::collection::vec(0..WORDS.len(), 0..12)) {
        let columns = Columns::from(definition("ops").expect("the table"));
        let text: Vec<&str> = words.into_iter().map(|word| WORDS[word]).collect();
        let _ = Condition::parse(&text.join(" "), &columns);
    }

    #[test]
    fn not_inverts(condition in 0..CONDITIONS.len()) {
        let holds = rows_that_hold(CONDITIONS[condition]);
        let inverted = rows_that_hold(&format!("not ({})", CONDITIONS[condition]));
        prop_assert!(holds.iter().zip(&inverted).all(|(one, other)| one != other));
    }

    #[test]
    fn units_equal_plain_numbers(us in 0_i64..1_000, operator in 0..OPERATORS.len()) {
        let operator = OPERATORS[operator];
        let plain = rows_that_hold(&format!("gpu_time_ns {operator} {}", us * 1000));
        for unit in ["us", " µs", "US"] {
            prop_assert_eq!(&rows_that_hold(&format!("gpu_time_ns {operator} {us}{unit}")), &plain);
        }
        let ms = format!("gpu_time_ns {operator} {}.{:03}ms", us / 1000, us % 1000);
        prop_assert_eq!(&rows_that_hold(&ms), &plain);
    }
}

const WORDS: [&str; 24] = [
    "calls", "op_type", "GPU", "Time", "using_tc", "=", "!=", ">", "~", "in", "not", "like", "between",
    "and", "or", "is", "null", "(", ")", ",", "1", "5ms", "..", "'x'",
];

const OPERATORS: [&str; 6] = ["=", "!=", "<", "<=", ">", ">="];

const CONDITIONS: [&str; 9] = [
    "calls > 1",
    "op_type like '%l%' or calls = 2",
    "op_type in (relu, idle) and gpu_time_ns < 1us",
    "op_type not in (relu)",
    "avg_gpu_time_ns between 20 and 400",
    "avg_gpu_time_ns is null",
    "not using_tc = yes",
    "gpu_time_ns = 20..300",
    "data_type != float32",
];

/// Whether a condition holds, for each row of table `ops`.
fn rows_that_hold(condition: &str) -> Vec<bool> {
    thread_local! {
        static CAPTURE: Capture = capture();
    }
    CAPTURE.with(|capture| {
        let profile = profile_of(capture);
        let table = (definition("ops").expect("the table").build)(&profile);
        let condition = Condition::parse(condition, &Columns::of(table.as_ref())).expect("a condition");
        (0..table.rows()).map(|row| condition.holds(table.as_ref(), row)).collect()
    })
}
