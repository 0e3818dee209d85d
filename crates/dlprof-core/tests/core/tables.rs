//! Tables: declarations and values.

use crate::script::Script;
use dlprof_core::IterationOptions;
use dlprof_core::tables::{Kind, TABLES, Unit, Value};
use std::collections::BTreeSet;

#[test]
fn declarations_are_complete() {
    let capture = Script::default().range("step", |_| {}).read();
    let profile = capture.profile(&IterationOptions::default()).expect("a profile");
    for (key, build) in TABLES.iter().map(|definition| (&definition.key, definition.build)) {
        let table = build(&profile);
        assert_eq!(table.key(), *key);
        let mut keys = BTreeSet::new();
        for column in 0..table.columns() {
            let header = table.header(column);
            let name = format!("{key}.{}", header.key);
            assert!(keys.insert(header.key), "{name} is unique");
            assert!(
                header.key.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_'),
                "{name}"
            );
            assert!(header.key.ends_with(header.unit.suffix()), "{name} ends in its unit");
            for unit in [Unit::Nanoseconds, Unit::Percent, Unit::Bytes] {
                assert!(header.unit == unit || !header.key.ends_with(unit.suffix()), "{name} has a unit");
            }
            assert!(header.doc.ends_with('.') && !header.title.is_empty(), "{name} is documented");
        }
    }
}

/// Every cell has the type of its column, or is undefined.
#[test]
fn cells_have_the_type_of_their_column() {
    let mut script = Script::default();
    for _ in 0..6 {
        script.range("step", |script| {
            script.launch("gemm", 40).wait(10);
        });
    }
    let capture = script.launch("loose", 3).read();
    let profile = capture.profile(&IterationOptions::default()).expect("a profile");
    for (key, build) in TABLES.iter().map(|definition| (&definition.key, definition.build)) {
        let table = build(&profile);
        for (row, column) in
            (0..table.rows()).flat_map(|row| (0..table.columns()).map(move |column| (row, column)))
        {
            let (value, header) = (table.value(row, column), table.header(column));
            let fits = matches!(
                (&value, header.kind),
                (Value::Null, _)
                    | (Value::Int(_), Kind::Int)
                    | (Value::Float(_), Kind::Float)
                    | (Value::Flag(_), Kind::Flag)
                    | (Value::Text(_), Kind::Text)
            );
            assert!(fits, "{key}.{}: {value:?}", header.key);
        }
    }
}
