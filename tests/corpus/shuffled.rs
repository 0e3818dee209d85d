//! The order of rows in an export says nothing: captures whose rows are shuffled give the same dashboards.

use dlprof_core::{Capture, DefaultRange, KeyNodeChoice, RangeChoice, ReadOptions, RuleSettings, judge};
use dlprof_export::{DashboardDetails, DashboardLook, TimeUnit, overview, write_dashboard};
use dlprof_generate::corpus::folder;
use rusqlite::Connection;
use std::path::Path;

/// Captures of several programs, nsys versions and kinds of tables.
const CAPTURES: [&str; 10] = [
    "abacus-torch-titanrtx-2020.3.2-b-ex2020",
    "mpi-cuda-saxpy-a100-2022.2.1",
    "torch-llama-demo-4060ti-2024.6.2",
    "torch-gpt-small-nonvtx-a100-2024.6.2",
    "mpi-openacc-4gpu-v100-managed-2022.3.4-ex2023",
    "cuda-um-4060laptop-2023.4.4",
    "nvfuser-h100-2024.6.2",
    "keras-darknet19-gtx1650-ex2020",
    "torch-fastvideo-2gpu-h100-2026.2.1-1s-v2",
    "openacc-3080-2020.5.1",
];

/// Puts the rows of all tables into another order; those of tables with keys of their own stay, as SQLite keeps them in order.
pub(crate) fn shuffle(connection: &Connection, seed: u32) -> rusqlite::Result<()> {
    let names = "SELECT name FROM sqlite_schema AS tables WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
        AND NOT EXISTS (SELECT 1 FROM pragma_table_info(tables.name) WHERE pk > 0)";
    let mut statement = connection.prepare(names)?;
    let tables: Vec<String> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    for table in tables {
        // Squares modulo a prime are in no order, unlike multiples, which leave short tables as they are.
        connection.execute_batch(&format!(
            "CREATE TEMP TABLE shuffled AS SELECT * FROM \"{table}\"
              ORDER BY (rowid + {seed}) * (rowid + {seed}) * 31 % 8191, rowid;
             DELETE FROM \"{table}\";
             INSERT INTO \"{table}\" SELECT * FROM shuffled ORDER BY rowid;
             DROP TABLE shuffled;"
        ))?;
    }
    Ok(())
}

fn dashboard(file: &Path) -> String {
    let capture = Capture::read(file, &ReadOptions::default()).expect("a capture");
    let index = capture.index(&KeyNodeChoice::Find).expect("an index");
    let range = RangeChoice { otherwise: DefaultRange::Auto, ..RangeChoice::default() };
    let judged = judge(&index.profile(&range).expect("a profile"), &RuleSettings::default());
    let look = DashboardLook { details: DashboardDetails::All, ..DashboardLook::plain() };
    let mut text = Vec::new();
    write_dashboard(&overview(&judged, TimeUnit::Auto), &look, &mut text).expect("memory takes everything");
    String::from_utf8(text).expect("UTF-8")
}

#[test]
fn the_order_of_rows_changes_no_line_of_a_dashboard() {
    let Some(corpus) = folder() else { return };
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    for name in CAPTURES {
        let file = folder.path().join("capture.sqlite");
        std::fs::copy(corpus.join(format!("{name}.sqlite")), &file).expect("a copy");
        let expected = dashboard(&file);
        let connection = Connection::open(&file).expect("a database");
        connection.pragma_update(None, "foreign_keys", false).expect("no constraints");
        connection.execute_batch("BEGIN").and_then(|()| shuffle(&connection, 7)).expect("rows shuffled");
        connection.execute_batch("COMMIT").expect("rows shuffled");
        drop(connection);
        let shuffled = dashboard(&file);
        let differences: Vec<_> =
            expected.lines().zip(shuffled.lines()).filter(|(before, after)| before != after).collect();
        assert!(expected == shuffled, "{name}: {differences:#?}");
    }
}
