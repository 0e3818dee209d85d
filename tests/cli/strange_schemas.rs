//! Databases with more than tables: views, generated columns, virtual tables, and schemas that nobody writes by hand. What is
//! not in the file as rows is read within limits, or refused with one error that names the file and the table.

use crate::run::{Run, run, sample, temporary_folder};
use rusqlite::Connection;
use std::fs;
use std::path::{Path, PathBuf};

/// The sample, or another file, with some SQL run on it.
fn changed(folder: &Path, original: &Path, sql: &str) -> PathBuf {
    let file = folder.join("changed.sqlite");
    fs::copy(original, &file).expect("a copy");
    let database = Connection::open(&file).expect("a database");
    database
        .execute_batch(&format!("PRAGMA writable_schema = ON; {sql}"))
        .unwrap_or_else(|error| panic!("{sql}: {error}"));
    file
}

/// A view in the place of the table of ranges, which is called `other`.
fn view_of_ranges(query: &str) -> String {
    format!("ALTER TABLE NVTX_EVENTS RENAME TO other; CREATE VIEW NVTX_EVENTS AS {query};")
}

fn assert_refused(run: &Run, file: &Path, table: &str, error: &str) {
    assert_eq!((run.code, run.stdout.as_str()), (3, ""), "{error}: {run:?}");
    let said = format!("error: cannot read table `{table}` of `{}`", file.display());
    assert!(run.stderr.starts_with(&said), "{error}: {run:?}");
    assert!(run.stderr.contains(error), "{error}: {run:?}");
    assert!(run.stderr.contains("hint: ") && !run.stderr.contains("panicked"), "{error}: {run:?}");
}

/// One range, as a view makes it.
const ONE: &str = "1 AS start, 2 AS end, 59 AS eventType, 1 AS globalTid";

#[test]
fn views_without_end_are_stopped() {
    let folder = temporary_folder();
    let numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)";
    let cases = [
        // Without end.
        (format!("{numbers} SELECT {ONE}, 'x' AS text FROM n"), "the view takes more than"),
        (format!("{numbers} SELECT {ONE}, i AS text FROM n WHERE i < 0"), "the view takes more than"),
        (format!("{numbers} SELECT {ONE}, i AS text FROM n ORDER BY -i"), "the view takes more than"),
        // With 10^9 rows and more.
        ("SELECT a.* FROM other a, other b, other c".into(), "the view takes more than"),
        // Texts that grow.
        (
            format!("WITH RECURSIVE n(t) AS (SELECT 'x' UNION ALL SELECT t || t FROM n) SELECT {ONE}, t AS text FROM n"),
            "the view makes a text of more than 16 MB",
        ),
        (
            format!(
                "WITH RECURSIVE n(i, t) AS (SELECT 1, 'x' UNION ALL SELECT i + 1, iif(i < 22, t || t, t) FROM n)
                 SELECT {ONE}, i || t AS text FROM n"
            ),
            "the view takes more than",
        ),
        // Functions whose time or result has nothing to do with the size of the file.
        (format!("SELECT {ONE}, hex(zeroblob(500000000)) AS text"), "calls function `hex`"),
        (format!("SELECT {ONE}, load_extension('x') AS text"), "calls function `load_extension`"),
        (format!("SELECT {ONE}, text FROM other WHERE text LIKE \
            '%a%a%a%a%a%a%a%b'"), "calls function `LIKE`, which a file may not call"),
        ("SELECT * FROM gone".into(), "no such table: main.gone"),
        ("SELECT * FROM NVTX_EVENTS".into(), "circularly defined"),
    ];
    for (query, error) in cases {
        let file = changed(folder.path(), &sample(), &view_of_ranges(&query));
        assert_refused(&run("show ops", &[&file]), &file, "NVTX_EVENTS", error);
    }
    let file =
        changed(folder.path(), &sample(), &view_of_ranges("SELECT a.* FROM other a, other b, other c"));
    assert_refused(&run("stats -r nvtxsum", &[&file]), &file, "NVTX_EVENTS", "the view takes more than");
}

/// Each view is the one before it twice.
#[test]
fn views_of_views_are_stopped() {
    let folder = temporary_folder();
    let mut sql = String::from("ALTER TABLE NVTX_EVENTS RENAME TO v0;");
    for level in 1..=30 {
        let name = if level == 30 { "NVTX_EVENTS".into() } else { format!("v{level}") };
        sql += &format!("CREATE VIEW {name} AS SELECT * FROM v{0} UNION ALL SELECT * FROM v{0};", level - 1);
    }
    let file = changed(folder.path(), &sample(), &sql);
    let run = run("show ops", &[&file]);
    assert_refused(&run, &file, "NVTX_EVENTS", "");
}

#[test]
fn generated_columns_are_read_within_limits() {
    let folder = temporary_folder();
    let expected = run("show ops", &[&sample()]);
    let generated = |kind: &str, expression: &str| {
        format!(
            "CREATE TABLE made (start, end, eventType, text, globalTid, old INTEGER, textId INTEGER AS ({expression}) {kind});
             INSERT INTO made (start, end, eventType, text, globalTid, old)
                 SELECT start, end, eventType, text, globalTid, textId FROM NVTX_EVENTS;
             DROP TABLE NVTX_EVENTS; ALTER TABLE made RENAME TO NVTX_EVENTS;"
        )
    };
    for (kind, expression) in [("VIRTUAL", "old"), ("STORED", "old"), ("VIRTUAL", "abs(old)")] {
        let file = changed(folder.path(), &sample(), &generated(kind, expression));
        let read = run("show ops", &[&file]);
        assert_eq!((read.code, read.stdout), (0, expected.stdout.clone()), "{kind} {expression}");
    }
    let hostile = [
        ("old + printf('%.*c', 900000000, 'x')", "the table makes a text of more than 16 MB"),
        (
            "old + (text LIKE '%a%a%a%a%a%a%a%b')",
            "the table calls function `like`, which a file may not call",
        ),
        ("old + instr(text, 'x')", "the table calls function `instr`"),
    ];
    for (expression, error) in hostile {
        let file = changed(folder.path(), &sample(), &generated("VIRTUAL", expression));
        assert_refused(&run("show ops", &[&file]), &file, "NVTX_EVENTS", error);
    }
}

/// What reading does not need is not looked at: it changes nothing.
#[test]
fn other_parts_of_a_schema_do_not_matter() {
    let folder = temporary_folder();
    let expected = run("show ops", &[&sample()]);
    let changes = [
        "CREATE INDEX i ON NVTX_EVENTS (abs(start));",
        "CREATE TRIGGER t AFTER INSERT ON NVTX_EVENTS BEGIN DELETE FROM StringIds; END;",
        "INSERT INTO sqlite_schema VALUES ('table', 'strange', 'strange', 0, 'CREATE VIRTUAL TABLE strange USING nowhere(x)');",
        "INSERT INTO sqlite_schema VALUES ('view', 'v', 'v', 0, 'CREATE VIEW v AS SELECT * FROM v');",
        "CREATE VIEW OPENACC_DATA_EVENTS AS SELECT * FROM gone;",
        "CREATE VIRTUAL TABLE words USING fts5(word);",
    ];
    for change in changes {
        let file = changed(folder.path(), &sample(), change);
        let read = run("show ops", &[&file]);
        assert_eq!((read.code, read.stdout), (0, expected.stdout.clone()), "{change}: {}", read.stderr);
    }
}

#[test]
fn rows_from_elsewhere_are_refused() {
    let folder = temporary_folder();
    let file = changed(
        folder.path(),
        &sample(),
        "DROP TABLE NVTX_EVENTS; CREATE VIRTUAL TABLE NVTX_EVENTS USING fts5(start, end, text);",
    );
    assert_refused(&run("show ops", &[&file]), &file, "NVTX_EVENTS", "it is a virtual table");
    let file = changed(
        folder.path(),
        &sample(),
        "UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'CUPTI_ACTIVITY_KIND_MEMCPY')
         WHERE name = 'CUPTI_ACTIVITY_KIND_MEMSET';",
    );
    let refused = run("show ops", &[&file]);
    assert_refused(
        &refused,
        &file,
        "CUPTI_ACTIVITY_KIND_MEMSET",
        "its rows are those of table `CUPTI_ACTIVITY_KIND_MEMCPY`",
    );
}

#[test]
fn schemas_are_bounded() {
    let folder = temporary_folder();
    let tables = |count: u32| {
        format!(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count})
             INSERT INTO sqlite_schema SELECT 'table', 't' || i, 't' || i, 2, 'CREATE TABLE t' || i || ' (x)' FROM n;"
        )
    };
    let many = changed(folder.path(), &sample(), &tables(5000));
    assert_eq!(run("show ops", &[&many]).stdout, run("show ops", &[&sample()]).stdout);
    let too_many = changed(folder.path(), &sample(), &tables(100_000));
    assert_refused(&run("show ops", &[&too_many]), &too_many, "sqlite_schema", "more than");
    // One text of 10 MB.
    let columns: Vec<String> =
        (0..1900).map(|at| format!("c{at} /*{}*/ PRIMARY KEY", "DES ".repeat(1300))).collect();
    let sql = format!(
        "INSERT INTO sqlite_schema VALUES ('table', 'big', 'big', 2, 'CREATE TABLE big ({})');",
        columns.join(", ").replace(" PRIMARY KEY", "")
    );
    let long = changed(folder.path(), &sample(), &sql);
    assert_refused(&run("show ops", &[&long]), &long, "sqlite_schema", "");
}

/// A page of which all cells are the same one: a row of 20 MB, many times.
#[test]
fn rows_that_overlap_are_refused() {
    const COPIES: u16 = 600;
    let folder = temporary_folder();
    let file = changed(
        folder.path(),
        &sample(),
        "CREATE TABLE made (id INTEGER, value TEXT); INSERT INTO made SELECT 77777, hex(zeroblob(10000829));
         DROP TABLE PROCESSES; ALTER TABLE made RENAME TO PROCESSES; ALTER TABLE PROCESSES RENAME COLUMN id TO globalPid;
         ALTER TABLE PROCESSES RENAME COLUMN value TO name;",
    );
    let database = Connection::open(&file).expect("a database");
    let number =
        |sql: &str| database.query_row(sql, [], |row| row.get::<_, u32>(0)).expect("a number") as usize;
    let root = number("SELECT rootpage FROM sqlite_schema WHERE name = 'PROCESSES'");
    let page_bytes = number("PRAGMA page_size");
    drop(database);
    let mut bytes = fs::read(&file).expect("bytes");
    let page = &mut bytes[(root - 1) * page_bytes..][..page_bytes];
    assert_eq!((page[0], page[3], page[4]), (13, 0, 1), "a leaf with one cell");
    page[3..5].copy_from_slice(&COPIES.to_be_bytes());
    let cell = [page[8], page[9]];
    assert!(u16::from_be_bytes(cell) > 8 + 2 * COPIES, "there is room for so many cells");
    for at in 0..usize::from(COPIES) {
        page[8 + 2 * at..10 + 2 * at].copy_from_slice(&cell);
    }
    fs::write(&file, bytes).expect("a file");
    assert_refused(&run("show ops", &[&file]), &file, "PROCESSES", "the table takes more than");
}

/// DLProf databases are read in the same way.
#[test]
fn dlprof_databases_are_read_within_the_same_limits() {
    let folder = temporary_folder();
    let original = folder.path().join("dlprof.sqlite");
    assert_eq!(run("export -q -o", &[&original, &sample()]).code, 0);
    let view = |query: &str| {
        format!("ALTER TABLE read_only_kernels RENAME TO other; CREATE VIEW read_only_kernels AS {query};")
    };
    let file = changed(folder.path(), &original, &view("SELECT * FROM other"));
    let read = run("show ops", &[&file]);
    assert_eq!((read.code, read.stdout), (0, run("show ops", &[&original]).stdout));
    let endless = view("SELECT a.* FROM other a, other b, other c, other d");
    let file = changed(folder.path(), &original, &endless);
    assert_refused(&run("show ops", &[&file]), &file, "read_only_kernels", "the view takes more than");
    let virtual_table = "DROP TABLE read_only_kernels; CREATE VIRTUAL TABLE read_only_kernels USING fts5(x);";
    let file = changed(folder.path(), &original, virtual_table);
    assert_refused(&run("show ops", &[&file]), &file, "read_only_kernels", "it is a virtual table");
}
