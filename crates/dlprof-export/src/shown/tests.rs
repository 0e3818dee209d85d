//! Tables on terminals of all widths.

use super::*;
use dlprof_core::{CellKind, Header, Layout, Ns, Unit, Value};

/// A table of ops: their names, their times, how often they ran, and what nobody recorded.
struct Drawn {
    rows: Vec<(&'static str, i64, i64)>,
    layout: Layout,
}

const OPS: Layout = Layout { first: &["name", "time_ns"], second: &["calls"], ..Layout::PLAIN };

impl Table for Drawn {
    fn key(&self) -> &str {
        "drawn"
    }

    fn title(&self) -> &str {
        "Drawn"
    }

    fn columns(&self) -> usize {
        4
    }

    fn header(&self, column: usize) -> Header<'_> {
        let (key, title, unit, kind) = [
            ("calls", "Calls", Unit::None, CellKind::Int),
            ("stack", "Stack", Unit::None, CellKind::Text),
            ("name", "Name", Unit::None, CellKind::Text),
            ("time_ns", "Time", Unit::Nanoseconds, CellKind::Int),
        ][column];
        Header { key, title, unit, kind, doc: "A column." }
    }

    fn rows(&self) -> usize {
        self.rows.len()
    }

    fn value(&self, row: usize, column: usize) -> Value<'_> {
        let (name, time_ns, calls) = self.rows[row];
        match column {
            0 => calls.into(),
            1 => Value::Null,
            2 => name.into(),
            _ => time_ns.into(),
        }
    }

    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn origin_ns(&self) -> Ns {
        0
    }
}

fn ops(layout: Layout) -> Drawn {
    let rows = vec![
        ("encoder/layer/attention/softmax", 1_500_000, 12),
        ("encoder/layer/attention/matmul", 250_000, 24),
        ("loss", 4_000, 1),
    ];
    Drawn { rows, layout }
}

fn shown(table: &Drawn, width: Width, choice: Choice) -> Vec<String> {
    let mut out = Vec::new();
    let look = Look { width, choice, time_unit: TimeUnit::Auto };
    write_shown_table(table, &look, &mut out).expect("memory takes all");
    String::from_utf8(out).expect("UTF-8").lines().map(str::to_owned).collect()
}

#[test]
fn whole_tables_have_every_column_and_no_cut_text() {
    let lines = shown(&ops(OPS), Width::Whole, Choice::All);
    assert_eq!(
        lines,
        [
            "Name                             Time (ms)  Calls  Stack",
            "encoder/layer/attention/softmax      1.500     12  \u{2013}",
            "encoder/layer/attention/matmul       0.250     24  \u{2013}",
            "loss                                 0.004      1  \u{2013}",
        ]
    );
}

#[test]
fn given_columns_keep_the_order_of_the_table() {
    let lines = shown(&ops(OPS), Width::Whole, Choice::Given);
    assert!(lines[0].starts_with("Calls  Stack  Name"), "{lines:?}");
}

#[test]
fn no_line_is_wider_than_the_terminal_and_what_has_no_room_is_named() {
    for columns in 36..100 {
        let lines = shown(&ops(OPS), Width::Columns(columns), Choice::Important);
        assert!(lines.iter().all(|line| crate::text::width(line) <= columns), "{columns}: {lines:?}");
        assert!(lines.iter().any(|line| line.contains("1.500")), "{columns}: the time is always shown");
        let text = lines.join("\n");
        assert!(text.contains("--columns all"), "{columns}: a column that says nothing is left out: {text}");
    }
}

#[test]
fn rows_that_differ_do_not_look_alike() {
    for columns in 44..70 {
        let lines = shown(&ops(OPS), Width::Columns(columns), Choice::Important);
        let name_before = |time: &str| {
            let line = lines.iter().find(|line| line.contains(time)).expect("a row");
            line.split_whitespace().next().map(str::to_owned)
        };
        assert!(name_before("1.500") != name_before("0.250"), "{columns}: {lines:?}");
    }
}

#[test]
fn a_record_has_a_line_for_each_column() {
    let mut table = ops(Layout { form: Form::Record, ..OPS });
    table.rows.truncate(1);
    let lines = shown(&table, Width::Whole, Choice::All);
    assert_eq!(
        lines,
        ["Name   encoder/layer/attention/softmax", "Time   1.500 ms", "Calls  12", "Stack  \u{2013}"]
    );
    let narrow = shown(&table, Width::Columns(20), Choice::All);
    assert!(narrow.iter().all(|line| crate::text::width(line) <= 20), "{narrow:?}");
    // Several rows are a table in any case.
    let lines = shown(&ops(Layout { form: Form::Record, ..OPS }), Width::Whole, Choice::All);
    assert_eq!(lines.len(), 4);
}

#[test]
fn an_empty_table_has_its_titles() {
    let empty = Drawn { rows: Vec::new(), layout: OPS };
    assert_eq!(shown(&empty, Width::Whole, Choice::Important), ["Name  Time (ns)  Calls  Stack"]);
    let lines = shown(&empty, Width::Columns(80), Choice::Important);
    assert!(lines.len() <= 2 && lines.join(" ").contains("Calls"), "{lines:?}");
}
