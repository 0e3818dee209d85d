//! Tables of a small drawn capture, and a table of made-up cells.

mod balance;
mod layouts;
mod record_batches;
mod rows;
mod selections;
mod views;

use super::{CellKind, Header, RowTable, Table, Unit, Value, kernels};
use crate::figures::profile::{KernelLaunch, Profile};
use crate::steps::iterate::{KeyNodeChoice, RangeChoice};
use crate::tests::drawn::Drawn;
use std::ops::Range;

/// Two steps with five kernels.
///
/// ```text
/// step   │ gemm  gemm │ relu   gemm  scale │
///    ns     40    10     5      30     20
/// ```
fn profile() -> Profile {
    let mut drawn = Drawn::new();
    drawn.range("step", 0..100).launch(2..4, "gemm", 10..50).launch(60..62, "gemm", 70..80);
    drawn.range("step", 100..200).launch(102..104, "relu", 105..110);
    drawn.launch(120..122, "gemm", 130..160).launch(164..166, "scale", 170..190);
    let index = drawn.capture().index(&KeyNodeChoice::Named("step".to_owned())).expect("an index");
    index.profile(&RangeChoice::default()).expect("a profile")
}

fn kernels() -> RowTable<KernelLaunch> {
    kernels::build(&profile())
}

fn column(table: &dyn Table, key: &str) -> usize {
    (0..table.columns()).find(|&column| table.header(column).key == key).expect("a column")
}

/// The cells of a column, as texts.
fn cells(table: &dyn Table, key: &str) -> Vec<String> {
    let column = column(table, key);
    let text = |value| match value {
        Value::Null => "-".to_owned(),
        Value::Int(number) => number.to_string(),
        Value::Float(number) => number.to_string(),
        Value::Flag(flag) => flag.to_string(),
        Value::Text(text) => text.into_owned(),
    };
    (0..table.rows()).map(|row| text(table.value(row, column))).collect()
}

fn keys(keys: &[&str]) -> Vec<String> {
    keys.iter().map(|&key| key.to_owned()).collect()
}

/// A column of numbers, some of which are missing, one of their halves, and one of texts of which there are few.
struct Numbers(Vec<Option<i64>>);

impl Table for Numbers {
    fn key(&self) -> &'static str {
        "numbers"
    }

    fn title(&self) -> &'static str {
        "Numbers"
    }

    fn columns(&self) -> usize {
        4
    }

    fn header(&self, column: usize) -> Header<'_> {
        let of = |key, title, kind| Header { key, title, unit: Unit::of_key(key), kind, doc: "Made up." };
        match column {
            0 => of("number_ns", "Number", CellKind::Int),
            1 => of("half", "Half", CellKind::Float),
            2 => of("is_odd", "Is Odd", CellKind::Flag),
            _ => of("digit", "Digit", CellKind::Text),
        }
    }

    fn rows(&self) -> usize {
        self.0.len()
    }

    fn value(&self, row: usize, column: usize) -> Value<'_> {
        let number = self.0[row];
        match column {
            0 => number.into(),
            1 => number.map(|number| f64::from(i32::try_from(number).expect("small")) / 2.0).into(),
            2 => number.map(|number| number % 2 != 0).into(),
            _ => number.map(|number| format!("digit {}", number.rem_euclid(10))).into(),
        }
    }

    fn origin_ns(&self) -> i64 {
        7
    }

    fn parts_by_largest(&self, column: usize) -> Option<Vec<(Range<usize>, i64)>> {
        const ROWS: usize = 100;
        let part = |(at, part): (usize, &[Option<i64>])| {
            let largest = part.iter().flatten().max().copied().unwrap_or(i64::MIN);
            (at * ROWS..at * ROWS + part.len(), largest)
        };
        (column == 0).then(|| self.0.chunks(ROWS).enumerate().map(part).collect())
    }
}
