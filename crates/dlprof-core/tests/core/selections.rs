//! Conditions, sorting and choosing of columns.

use crate::profiles::profile_of;
use crate::script::Script;
use dlprof_core::Capture;
use dlprof_core::tables::{Columns, Selection, Table, Value, View, definition};

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
    let cases: [(&str, &[&str]); 14] = [
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
        ("gpu_time > 1", "has no column `gpu_time`"),
        ("gpu_time_ns > fast", "`gpu_time_ns` is numeric: write a number such as 1000000, not `fast`"),
        ("using_tc > yes", "has no order"),
        ("using_tc = maybe", "is yes or no, not `maybe`"),
        ("calls ~ 1", "needs a column of texts"),
        ("op_type ~ '('", "unclosed group"),
        ("(calls = 1", "`)` expected at the end"),
        ("calls = 1 calls = 2", "`and` or `or` expected"),
        ("op_type = 'x", "text without an end"),
        ("calls is 1", "`null` or `not null` expected"),
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
