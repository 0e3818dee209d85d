//! Queries over every table of every real export.

use crate::profiles::profile_of;
use dlprof_core::{Capture, Error, ReadOptions, TABLES, Table};
use dlprof_export::{Query, QueryAnswer};
use dlprof_generate::corpus::corpus;

/// The first rows of each table are those of the table, with its types and units, and its number of rows is counted.
#[test]
fn every_table_of_every_export_can_be_queried() {
    for path in corpus() {
        let capture = match Capture::read(&path, &ReadOptions::default()) {
            Ok(capture) => capture,
            Err(Error::NoEvents { .. }) => continue,
            Err(error) => panic!("{}: {error}", path.display()),
        };
        let profile = profile_of(&capture);
        let ask = |sql: &str| -> QueryAnswer {
            let asked = Query::new(sql, 1).and_then(|mut query| {
                query.add("x", &profile)?;
                query.run()
            });
            asked.unwrap_or_else(|error| panic!("{}: {sql}: {error}", path.display()))
        };
        for definition in TABLES {
            let (key, name) = (definition.key, path.display());
            let table = (definition.build)(&profile);
            let rows = ask(&format!("select * from {key} limit 3"));
            assert_eq!(
                (rows.rows(), rows.columns()),
                (table.rows().min(3), table.columns()),
                "{name}: {key}"
            );
            for column in 0..table.columns() {
                let (asked, declared) = (rows.header(column), table.header(column));
                assert_eq!((asked.key, asked.kind), (declared.key, declared.kind), "{name}: {key}");
                for row in 0..rows.rows() {
                    assert_eq!(
                        rows.value(row, column),
                        table.value(row, column),
                        "{name}: {key}, {asked:?}, row {row}"
                    );
                }
            }
            let count = ask(&format!("select count(*) as n from {key}"));
            assert_eq!(
                count.value(0, 0),
                i64::try_from(table.rows()).expect("a count").into(),
                "{name}: {key}"
            );
        }
    }
}
