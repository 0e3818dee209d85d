use super::*;
use dlprof_core::{Header, Unit};

/// Numbers in no order, and a name of which there are three.
struct Numbers(u32);

impl Numbers {
    fn number(&self, row: usize) -> i64 {
        // 7 and the number of rows have no common factor, so that each number occurs once.
        (i64::try_from(row).expect("few rows") * 7) % i64::from(self.0)
    }
}

impl Table for Numbers {
    fn key(&self) -> &'static str {
        "numbers"
    }

    fn title(&self) -> &'static str {
        "Numbers"
    }

    fn columns(&self) -> usize {
        2
    }

    fn header(&self, column: usize) -> Header<'_> {
        let of = |key, kind| Header { key, title: key, unit: Unit::None, kind, doc: "Made up." };
        if column == 0 { of("number", CellKind::Int) } else { of("name", CellKind::Text) }
    }

    fn rows(&self) -> usize {
        self.0 as usize
    }

    fn value(&self, row: usize, column: usize) -> Value<'_> {
        match column {
            0 => self.number(row).into(),
            _ => ["Forward pass", "backward pass", "step"][row % 3].into(),
        }
    }

    fn origin_ns(&self) -> i64 {
        0
    }
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| text.to_owned()).collect()
}

fn question(conditions: &[&str], search: &str, sort: &[&str]) -> TableQuestion {
    let (conditions, sort) = (texts(conditions), texts(sort));
    TableQuestion { conditions, search: search.to_owned(), sort, ..TableQuestion::default() }
}

fn found(table: &Numbers, question: &TableQuestion) -> Found {
    ChosenRows::default().find(table, question, usize::MAX).expect("rows")
}

fn numbers(table: &Numbers, rows: &Rows) -> Vec<i64> {
    rows.iter().map(|row| table.number(row)).collect()
}

#[test]
fn without_a_question_all_rows_are_found_and_none_is_held() {
    let found = found(&Numbers(100), &question(&[], "", &[]));
    assert_eq!((found.matching, found.rows.len(), found.rows.held()), (100, 100, 0));
}

#[test]
fn conditions_and_words_must_all_hold() {
    let table = Numbers(10);
    let by_number = found(&table, &question(&["number < 5"], "", &[]));
    assert_eq!(numbers(&table, &by_number.rows), [0, 4, 1, 2, 3]);
    let by_words = found(&table, &question(&[], "PASS back", &[]));
    assert_eq!(by_words.rows.iter().collect::<Vec<_>>(), [1, 4, 7], "in any case and order");
    let by_both = found(&table, &question(&["number >= 5"], "pass", &[]));
    let expected: Vec<usize> = (0..10).filter(|row| row % 3 != 2 && table.number(*row) >= 5).collect();
    assert_eq!(by_both.rows.iter().collect::<Vec<_>>(), expected);
    assert_eq!(found(&table, &question(&[], "sideways", &[])).matching, 0);
}

#[test]
fn rows_come_in_the_order_asked_for() {
    let table = Numbers(10);
    let up = found(&table, &question(&["number < 4"], "", &["number"]));
    assert_eq!(numbers(&table, &up.rows), [0, 1, 2, 3]);
    let down = found(&table, &question(&[], "", &["name", "-number"]));
    let first: Vec<i64> = numbers(&table, &down.rows)[..4].to_vec();
    assert_eq!(first, [3, 2, 1, 0], "`Forward` before `backward`, the largest first");
}

#[test]
fn the_next_page_is_answered_from_what_was_kept() {
    let table = Numbers(1000);
    let mut rows = ChosenRows::default();
    let question = question(&["number < 900"], "", &["-number"]);
    let first = rows.find(&table, &question, 10).expect("rows");
    assert_eq!(rows.kept.len(), 2, "those that match, and those that are sorted");
    let second = rows.find(&table, &question, 20).expect("rows");
    assert_eq!(rows.kept.len(), 2);
    assert_eq!(numbers(&table, &first.rows)[..3], [899, 898, 897]);
    assert_eq!(first.rows.iter().collect::<Vec<_>>(), second.rows.iter().collect::<Vec<_>>());
    let other = TableQuestion { sort: texts(&["number"]), ..question };
    assert_eq!(numbers(&table, &rows.find(&table, &other, 10).expect("rows").rows)[..2], [0, 1]);
    assert_eq!(rows.kept.len(), 3, "what matches is not looked for again");
}

#[test]
fn of_many_rows_only_the_first_are_sorted() {
    let table = Numbers(100_003);
    let mut rows = ChosenRows::default();
    let question = question(&[], "", &["number"]);
    let found = rows.find(&table, &question, 100).expect("rows");
    assert_eq!((found.matching, found.rows.len()), (100_003, LEAST_SORTED));
    assert_eq!(numbers(&table, &found.rows)[..3], [0, 1, 2]);
    let deeper = rows.find(&table, &question, LEAST_SORTED + 1).expect("rows");
    assert_eq!(deeper.rows.len(), 2 * LEAST_SORTED, "what was kept is not deep enough");
    assert_eq!(numbers(&table, &deeper.rows)[LEAST_SORTED], 4096);
}

#[test]
fn a_question_is_a_view_of_its_page_and_columns() {
    let table = Numbers(10);
    let question =
        TableQuestion { columns: texts(&["name"]), from: 8, count: Some(5), ..question(&[], "", &[]) };
    let found = found(&table, &question);
    let view = question.view(&table, &found.rows).expect("a view");
    assert_eq!((view.columns(), view.rows()), (1, 2), "the page ends where the rows end");
    assert_eq!(view.value(0, 0), "step".into());
    let unknown = TableQuestion { columns: texts(&["nmae"]), ..question };
    assert!(unknown.view(&table, &found.rows).is_err());
}

#[test]
fn what_cannot_be_asked_is_refused() {
    for question in [question(&["number <"], "", &[]), question(&[], "", &["size"])] {
        assert!(ChosenRows::default().find(&Numbers(10), &question, 1).is_err(), "{question:?}");
    }
}
