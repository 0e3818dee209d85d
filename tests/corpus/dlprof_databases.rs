//! DLProf's own database of `w_Relu` against the one that is written from its export, and databases of all captures.

use crate::dlprof_reports::csv;
use dlprof_core::{Capture, Error, Judged, KeyNodeChoice, LooseWork, RangeChoice, ReadOptions};
use dlprof_export::{DlprofReport, write_dlprof_database};
use dlprof_generate::corpus::{corpus, folder};
use rusqlite::Connection;
use rusqlite::types::Value;
use std::collections::BTreeMap;
use std::path::Path;

fn profile(file: &Path) -> Result<Judged, Error> {
    let options = ReadOptions { loose_work: LooseWork::Unassociated, ..ReadOptions::default() };
    let profile =
        Capture::read(file, &options)?.index(&KeyNodeChoice::Dlprof)?.profile(&RangeChoice::dlprof())?;
    Ok(profile.into())
}

/// The rows of every table.
fn tables(file: &Path) -> BTreeMap<String, Vec<Vec<Value>>> {
    let database = Connection::open(file).expect("a database");
    let sql = "SELECT name FROM sqlite_schema WHERE type = 'table'";
    let mut names = database.prepare(sql).expect("SQL");
    let names = names.query_map([], |row| row.get::<_, String>(0)).expect("rows");
    let rows = |name: &str| {
        let mut statement = database.prepare(&format!("SELECT * FROM {name}")).expect("SQL");
        let columns = statement.column_count();
        let row = |row: &rusqlite::Row<'_>| (0..columns).map(|column| row.get(column)).collect();
        statement.query_map([], row).expect("rows").map(|row| row.expect("a row")).collect()
    };
    names.map(|name| name.expect("a name")).map(|name| (name.clone(), rows(&name))).collect()
}

/// Everything that the schema says, in the order of the file.
fn schema(file: &Path) -> Vec<[String; 3]> {
    let database = Connection::open(file).expect("a database");
    let sql = "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid";
    let mut statement = database.prepare(sql).expect("SQL");
    let row = |row: &rusqlite::Row<'_>| Ok([row.get(0)?, row.get(1)?, row.get(2)?]);
    statement.query_map([], row).expect("rows").map(|row| row.expect("a row")).collect()
}

fn reports(profile: &Judged) -> Vec<String> {
    DlprofReport::ALL.iter().map(|report| csv(*report, profile)).collect()
}

/// What cannot be the same: who aggregated when, and by which command line.
fn without_the_run(tables: &mut BTreeMap<String, Vec<Vec<Value>>>) {
    assert_eq!(tables.remove("aggregations").map(|rows| rows.len()), Some(1));
    let system = tables.get_mut("read_only_system_config").expect("the table");
    assert!(system[0].pop().is_some(), "the command line");
}

#[test]
fn the_database_of_w_relu_is_dlprofs() {
    let Some(corpus) = folder() else { return };
    let theirs = corpus.join("dlprof/w_Relu/dlprof_dldb_1.sqlite");
    let place = tempfile::tempdir().expect("a folder");
    let ours = place.path().join("dlprof_dldb.sqlite");
    let of_export = profile(&corpus.join("dlprof/w_Relu/nsys_profile.sqlite")).expect("a profile");
    write_dlprof_database(&of_export, None, &ours).expect("a database");
    assert_eq!(schema(&ours), schema(&theirs));
    let (mut found, mut expected) = (tables(&ours), tables(&theirs));
    without_the_run(&mut found);
    without_the_run(&mut expected);
    assert_eq!(expected.len(), 36, "35 of its 36 tables, and SQLite's own");
    for (table, rows) in &expected {
        assert_eq!(&found[table], rows, "{table}");
    }
    // Its own database, read and written again, has everything.
    let of_database = profile(&theirs).expect("a profile");
    assert_eq!(reports(&of_database), reports(&of_export));
    let again = place.path().join("again.sqlite");
    write_dlprof_database(&of_database, None, &again).expect("a database");
    assert_eq!(tables(&again), tables(&theirs));
}

#[test]
fn databases_of_all_captures_come_back() {
    let place = tempfile::tempdir().expect("a folder");
    let files = corpus();
    let mut compared = 0;
    for file in &files {
        let Ok(of_export) = profile(file) else { continue };
        let [first, second] =
            ["first", "second"].map(|name| place.path().join(format!("{name}-{compared}.sqlite")));
        write_dlprof_database(&of_export, None, &first).expect("a database");
        let of_database = profile(&first).expect("a profile");
        write_dlprof_database(&of_database, None, &second).expect("a database");
        let (first, second) = (tables(&first), tables(&second));
        for (table, rows) in &first {
            assert!(rows == &second[table], "{}: {table}", file.display());
        }
        let (mut expected, mut found) = (reports(&of_export), reports(&of_database));
        // Pieces between runs of iterations are iterations for DLProf, so its detector of ranges may suggest another one.
        expected.pop();
        found.pop();
        assert!(expected == found, "{}: reports", file.display());
        compared += 1;
    }
    assert!(files.is_empty() || compared > 20, "{compared}");
}
