//! DLProf's databases, read and written.

use crate::run::{database, run, run_with_cache, sample, temporary_folder};
use dlprof_core::{Capture, Judged, KeyNodeChoice, RangeChoice, ReadOptions, TABLES};
use rusqlite::Connection;
use rusqlite::types::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Writes the database of a file with more options.
fn export_with(words: &str, input: &Path, output: &Path) {
    let written = run(&format!("export -q --force {words} -o"), &[output, input]);
    assert_eq!(written.code, 0, "{written:?}");
}

fn export(input: &Path, output: &Path) {
    export_with("", input, output);
}

/// The rows of every table.
fn tables(file: &Path) -> BTreeMap<String, Vec<Vec<Value>>> {
    let database = Connection::open(file).expect("a database");
    let names = texts(&database, "SELECT name FROM sqlite_schema WHERE type = 'table'");
    let rows = |name: &String| {
        let mut statement = database.prepare(&format!("SELECT * FROM {name}")).expect("SQL");
        let columns = statement.column_count();
        let row = |row: &rusqlite::Row<'_>| (0..columns).map(|column| row.get(column)).collect();
        statement.query_map([], row).expect("rows").map(|row| row.expect("a row")).collect()
    };
    names.iter().map(|name| (name.clone(), rows(name))).collect()
}

fn texts(database: &Connection, sql: &str) -> Vec<String> {
    let mut statement = database.prepare(sql).expect("SQL");
    statement.query_map([], |row| row.get(0)).expect("rows").map(|row| row.expect("a text")).collect()
}

/// DLProf's reports of a file, by name.
fn reports(words: &str, input: &Path) -> BTreeMap<String, String> {
    let folder = temporary_folder();
    let written = run(&format!("reports -q {words} --output-path"), &[folder.path(), input]);
    assert_eq!(written.code, 0, "{written:?}");
    let files = std::fs::read_dir(folder.path()).expect("a folder").flatten();
    let read = |file: std::fs::DirEntry| {
        let text = std::fs::read_to_string(file.path()).expect("a report");
        (file.file_name().to_string_lossy().into_owned(), text)
    };
    files.map(read).collect()
}

/// Exports of several frameworks.
fn made_up(folder: &Path) -> Vec<PathBuf> {
    let styles = [
        "--style markers --processes 2 --gpus 2 --kernels 400",
        "--style emit-nvtx --kernels 400",
        "--style ranges --kernels 400",
        "--style none --kernels 400",
    ];
    let make = |(at, options): (usize, &str)| {
        let file = folder.join(format!("made-up-{at}.sqlite"));
        dlprof_generate::write_export(&file, options).expect("an export");
        file
    };
    styles.into_iter().enumerate().map(make).chain([sample(), database(folder, "cuda-graph.sql")]).collect()
}

/// The key node of the sample; DLProf would find none by itself.
const STEPS: &str = "--key-node /module/train_step";

/// A database of the sample.
fn sample_database(folder: &Path) -> PathBuf {
    let file = folder.join("dlprof_dldb.sqlite");
    export_with(STEPS, &sample(), &file);
    file
}

/// A copy of a database with some SQL run on it.
fn changed(database: &Path, sql: &str) -> PathBuf {
    let file = database.with_file_name("changed.sqlite");
    std::fs::copy(database, &file).expect("a copy");
    let connection = Connection::open(&file).expect("a database");
    let sql = format!("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON; {sql}");
    connection.execute_batch(&sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    file
}

#[test]
fn databases_have_dlprofs_schema() {
    let folder = temporary_folder();
    let file = sample_database(folder.path());
    let database = Connection::open(&file).expect("a database");
    let count = |kind: &str| {
        let sql = format!(
            "SELECT name FROM sqlite_schema WHERE type = '{kind}' AND sql IS NOT NULL AND name <> 'sqlite_sequence'"
        );
        texts(&database, &sql)
    };
    assert_eq!([count("table").len(), count("view").len(), count("index").len()], [36, 23, 12]);
    for view in count("view") {
        let rows: i64 =
            database.query_row(&format!("SELECT count(*) FROM {view}"), [], |row| row.get(0)).expect(&view);
        assert!(rows > 0, "{view} shows nothing");
    }
    assert_eq!(texts(&database, "PRAGMA integrity_check"), ["ok"]);
    let mut statement = database.prepare("PRAGMA foreign_key_check").expect("SQL");
    assert!(!statement.exists([]).expect("a check"), "some row refers to none");
    assert_eq!(texts(&database, "SELECT current_version FROM view_db_version"), ["1.8.0"]);
}

#[test]
fn databases_and_their_exports_give_the_same_reports() {
    let folder = temporary_folder();
    for export_file in made_up(folder.path()) {
        let file = folder.path().join("dlprof_dldb.sqlite");
        export(&export_file, &file);
        let (mut expected, mut found) = (reports("", &export_file), reports("", &file));
        // A piece between runs of iterations is an iteration for DLProf, so another range may be suggested.
        for reports in [&mut expected, &mut found] {
            reports.remove("dlprof_expert_systems.csv");
        }
        assert_eq!(expected.len(), 7);
        assert_eq!(expected, found, "{}", export_file.display());
    }
}

#[test]
fn nothing_is_lost_when_a_database_is_written_again() {
    let folder = temporary_folder();
    for export_file in made_up(folder.path()) {
        let [first, second] = ["first.sqlite", "second.sqlite"].map(|name| folder.path().join(name));
        export(&export_file, &first);
        export(&first, &second);
        let (first, second) = (tables(&first), tables(&second));
        for (table, rows) in &first {
            assert_eq!(rows, &second[table], "{}: {table}", export_file.display());
        }
        assert_eq!(first.len(), 37, "36 tables, and SQLite's own");
    }
}

/// Threads and readers do not matter, nor does what was there before.
#[test]
fn databases_are_the_same_bytes_every_time() {
    let folder = temporary_folder();
    let bytes = |words: &str| {
        let file = folder.path().join("dlprof_dldb.sqlite");
        export_with(words, &sample(), &file);
        std::fs::read(&file).expect("a database")
    };
    let first = bytes("--threads 1");
    assert!(first == bytes("--threads 4"));
    assert!(first == bytes("--reader sqlite --format dldb"));
}

#[test]
fn every_command_takes_a_database() {
    let folder = temporary_folder();
    let file = sample_database(folder.path());
    let cache = folder.path().join("cache");
    let baseline = folder.path().join("base.json");
    let json = folder.path().join("profile.json");
    for (words, paths) in [
        ("", vec![file.as_path()]),
        ("show ops", vec![&file]),
        ("show kernels", vec![&file]),
        ("show key-nodes", vec![&file]),
        ("check", vec![&file]),
        ("export -o", vec![&json, &file]),
        ("baseline -o", vec![&baseline, &file]),
        ("gate", vec![&file, Path::new("--baseline"), &sample()]),
        ("compare", vec![&file, &sample()]),
        ("rules", vec![]),
    ] {
        let found = run_with_cache(&cache, words, &paths);
        assert_eq!(found.code, 0, "{words}: {found:?}");
    }
    let note = run("check", &[&file]).stdout;
    assert!(note.contains("note[dlprof-database]: 1 × the input is a DLProf database"), "{note}");
    let compared = run("compare --format json", &[&file, &sample()]);
    assert_eq!(compared.code, 0, "{compared:?}");
}

/// Key node and range of the database are in force unless others are asked for.
#[test]
fn iterations_are_those_of_the_database() {
    let folder = temporary_folder();
    let file = folder.path().join("dlprof_dldb.sqlite");
    export_with(&format!("{STEPS} --iter-start 20 --iter-stop 29"), &sample(), &file);
    let summary = |words: &str, input: &Path| reports(words, input)["dlprof_summary.csv"].clone();
    let range = |summary: &str| -> Vec<String> {
        let lines = summary.lines().filter(|line| line.contains("Iteration") && !line.contains("Time"));
        lines.map(str::to_owned).collect()
    };
    let found = summary("", &file);
    assert!(range(&found).contains(&"Start Iteration,20".to_owned()), "{found}");
    assert!(range(&found).contains(&"Stop Iteration,29".to_owned()), "{found}");
    assert_eq!(found, summary(&format!("{STEPS} --iter-start 20 --iter-stop 29"), &sample()));
    for words in ["--iter-range all", "--iter-start 30 --iter-stop 31"] {
        assert_eq!(summary(words, &file), summary(&format!("{STEPS} {words}"), &sample()), "{words}");
    }
}

#[test]
fn the_last_aggregation_counts() {
    let folder = temporary_folder();
    let file = sample_database(folder.path());
    let two = "INSERT INTO aggregations (server_user_name, server_host_name, start_timestamp) VALUES ('me', 'here', '2023-01-25 \
        17:04:48');
        INSERT INTO iteration_key (aggr_id, key_node_id) SELECT 2, key_node_id FROM iteration_key WHERE aggr_id = 1;
        INSERT INTO iteration_list (aggr_id, iter_value, start_time, stop_time)
            VALUES (2, 0, 0, 1000), (2, 1, 1000, (SELECT max(stop_time) FROM iteration_list));
        UPDATE model_summary SET aggr_id = 2, iter_start = 1, iter_stop = 1;";
    let file = changed(&file, two);
    let summary = &reports("", &file)["dlprof_summary.csv"];
    for line in ["Total Iterations,2", "Aggregated Iterations,1", "Start Iteration,1", "Stop Iteration,1"] {
        assert!(summary.contains(line), "`{line}` in {summary}");
    }
    let warned = run("check", &[&file]).stdout;
    let warning = "warning[other-aggregations]: 1 × older aggregations of a DLProf database are not read";
    assert!(
        warned.contains(warning) && warned.contains("2 is read: iterations 1 to 1, key node `"),
        "{warned}"
    );
    let again = folder.path().join("again.sqlite");
    export(&file, &again);
    let made = &tables(&again)["aggregations"];
    assert_eq!(made.len(), 1);
    assert_eq!(made[0][1], Value::Text("me".into()));
}

#[test]
fn versions_1_3_to_1_8_are_read() {
    let folder = temporary_folder();
    let file = sample_database(folder.path());
    let read = |version: &str| {
        let sql = format!("UPDATE db_version SET current_version = '{version}'");
        run("check", &[&changed(&file, &sql)])
    };
    for version in ["1.3.0", "1.6.1", "1.8.0", "1.8.5"] {
        assert_eq!(read(version).code, 0, "{version}");
    }
    for version in ["1.2.0", "1.9.0", "2.0.0", "soon"] {
        let refused = read(version);
        assert_eq!(refused.code, 3, "{version}");
        let message = format!("is a DLProf database of version {version}; versions 1.3 to 1.8 can be read");
        assert!(refused.stderr.contains(&message), "{refused:?}");
        assert!(refused.stderr.contains("hint: give the file `nsys_profile.sqlite`"), "{refused:?}");
    }
}

/// What version 1.3 may lack.
#[test]
fn older_databases_may_lack_tables_and_columns() {
    let folder = temporary_folder();
    let file = sample_database(folder.path());
    let full = reports("", &file);
    for sql in [
        "DROP TABLE read_only_sub_ops; DROP TABLE gpu_memories; DROP TABLE read_only_model_config",
        "DROP TABLE read_only_cuda_calls; DROP TABLE read_only_cuda_syncs",
        "DROP TABLE aggregations; DROP TABLE iteration_list; DROP TABLE iteration_key; DROP TABLE model_summary",
        "DROP TABLE read_only_system_config; DROP TABLE read_only_gpu_infos; DROP TABLE read_only_domains",
        "ALTER TABLE read_only_op_instances DROP COLUMN thread_id; ALTER TABLE read_only_op_instances DROP COLUMN process_id",
    ] {
        let views = texts(
            &Connection::open(&file).expect("a database"),
            "SELECT 'DROP VIEW ' || name FROM sqlite_schema WHERE type = 'view'",
        );
        let older = changed(&file, &format!("{}; {sql}", views.join("; ")));
        let found = reports("", &older);
        assert_eq!(
            found["dlprof_kernel.csv"].lines().count(),
            full["dlprof_kernel.csv"].lines().count(),
            "{sql}"
        );
    }
}

/// Iterations in which nothing runs are none.
#[test]
fn a_database_without_ops_is_read() {
    let folder = temporary_folder();
    let tables = ["ops", "op_instances", "kernels", "memcpys", "memsets", "cuda_syncs", "cuda_calls"];
    let sql: String = tables.iter().map(|table| format!("DELETE FROM read_only_{table};")).collect();
    let empty = changed(&sample_database(folder.path()), &sql);
    let checked = run("check", &[&empty]);
    assert!(checked.code == 0 && checked.stdout.contains("[no-kernels]"), "{checked:?}");
    assert_eq!(reports("", &empty).len(), 8);
    export(&empty, &folder.path().join("again.sqlite"));
    let page = folder.path().join("page.html");
    assert_eq!(run("export -q -o", &[&page, &empty]).code, 0);
}

/// One error that names the file and the table, or a whole result; never a panic.
fn survives(file: &Path, what: &str) -> Result<Judged, String> {
    let options = ReadOptions { threads: 1, ..ReadOptions::default() };
    let capture = Capture::read(file, &options).map_err(|error| error.to_string())?;
    let index = capture.index(&KeyNodeChoice::Dlprof).map_err(|error| error.to_string())?;
    let profile = Judged::from(index.profile(&RangeChoice::dlprof()).map_err(|error| error.to_string())?);
    let again = file.with_file_name("again.sqlite");
    drop(std::fs::remove_file(&again));
    dlprof_export::write_dlprof_database(&profile, None, &again)
        .map_err(|error| format!("{what}: {error}"))?;
    Ok(profile)
}

/// Makes every cell of every table.
fn build_all_tables(profile: &Judged) {
    for definition in TABLES {
        let table = (definition.build)(profile);
        for row in 0..table.rows() {
            for column in 0..table.columns() {
                std::hint::black_box(table.value(row, column));
            }
        }
    }
}

#[test]
fn cells_that_cannot_be_right_give_one_error() {
    let folder = temporary_folder();
    let file = sample_database(folder.path());
    for (sql, message) in [
        (
            "UPDATE read_only_kernels SET gpu_stop = gpu_start - 1 WHERE id = 5",
            "table `read_only_kernels`: in row 5,",
        ),
        (
            "UPDATE read_only_kernels SET name_id = 999999 WHERE id = 3",
            "`name_id` is 999999, which table `dictionary`",
        ),
        (
            "UPDATE read_only_kernels SET api_start = 'soon' WHERE id = 1",
            "`api_start` is text, not an integer",
        ),
        (
            "UPDATE read_only_kernels SET op_instance = 77777 WHERE id = 2",
            "the row is of call 77777 of an op with",
        ),
        ("UPDATE read_only_kernels SET grid_id = -4", "which table `read_only_grid_block` does not have"),
        (
            "UPDATE read_only_op_instances SET read_only_ops_id = 0",
            "which table `read_only_ops` does not have",
        ),
        ("UPDATE read_only_op_instances SET thread_id = -1", "column `thread_id` is -1"),
        (
            "UPDATE read_only_op_instances SET cpu_stop = 9000000000000000000",
            "`cpu_stop` is 9000000000000000000",
        ),
        (
            "UPDATE read_only_ops SET op_type_id = 1.5 WHERE id = 1",
            "`op_type_id` is a fraction, not an integer",
        ),
        (
            "UPDATE read_only_domains SET id = 7",
            "column `domain_id` is 1, which table `read_only_domains` does not have",
        ),
        ("UPDATE read_only_memcpys SET num_bytes = -1", "column `num_bytes` is -1"),
        ("DROP TABLE dictionary", "table `dictionary`: it is missing"),
    ] {
        let damaged = changed(&file, sql);
        let refused = run("check", &[&damaged]);
        assert_eq!((refused.code, refused.stdout.as_str()), (3, ""), "{sql}: {refused:?}");
        assert!(refused.stderr.contains(message), "{sql}: {refused:?}");
        assert_eq!(refused.stderr.matches("error: ").count(), 1, "{refused:?}");
        let output = folder.path().join("out.sqlite");
        let exported = run("export -o", &[&output, &damaged]);
        assert_eq!(exported.code, 3, "{sql}: {exported:?}");
        assert!(!output.exists(), "{sql}");
    }
}

/// Every column of every table with values that do not belong there, and pages with other bytes.
#[test]
fn damaged_databases_are_survived() {
    let folder = temporary_folder();
    let file = folder.path().join("dlprof_dldb.sqlite");
    export_with("--key-node=", &database(folder.path(), "cuda-graph.sql"), &file);
    let columns = texts(
        &Connection::open(&file).expect("a database"),
        "SELECT t.name || '|' || c.name FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table'
         AND (t.name LIKE 'read_only%' OR t.name IN ('dictionary', 'gpu_memories', 'aggregations')
              OR t.name LIKE 'iteration%' OR t.name IN ('db_version', 'model_summary'))",
    );
    assert!(columns.len() > 100, "{}", columns.len());
    let values = ["-1", "4000000000", "9223372036854775807", "'text'", "x'00FF'", "0.5", "NULL"];
    let mut refused = 0_u32;
    for (at, column) in columns.iter().enumerate() {
        let (table, column) = column.split_once('|').expect("both names");
        let sql = format!("UPDATE OR IGNORE {table} SET {column} = {}", values[at % values.len()]);
        let damaged = changed(&file, "");
        // SQLite itself refuses some values.
        if Connection::open(&damaged).expect("a database").execute_batch(&sql).is_err() {
            continue;
        }
        match survives(&damaged, &sql) {
            Ok(profile) if at.is_multiple_of(10) => build_all_tables(&profile),
            Ok(_) => {}
            Err(_) => refused += 1,
        }
    }
    assert!(refused > 15, "{refused}");
    let whole = std::fs::read(&file).expect("a database");
    for at in (100..whole.len()).step_by(whole.len() / 40) {
        let mut bytes = whole.clone();
        bytes[at..(at + 40).min(whole.len())].iter_mut().for_each(|byte| *byte ^= 0xA5);
        let damaged = file.with_file_name("changed.sqlite");
        std::fs::write(&damaged, &bytes).expect("a file");
        drop(survives(&damaged, &format!("byte {at}")));
    }
}

#[test]
fn truncated_databases_are_refused() {
    let folder = temporary_folder();
    let file = sample_database(folder.path());
    let whole = std::fs::read(&file).expect("a database");
    for part in 1..10 {
        let cut = folder.path().join("cut.sqlite");
        std::fs::write(&cut, &whole[..whole.len() * part / 10]).expect("a file");
        let refused = run("", &[&cut]);
        assert_eq!(refused.code, 3, "{refused:?}");
        assert!(refused.stderr.contains("is truncated"), "{refused:?}");
    }
}

#[test]
fn a_database_is_not_written_over_the_file_that_is_read() {
    let folder = temporary_folder();
    let input = folder.path().join("run.sqlite");
    std::fs::copy(sample(), &input).expect("a copy");
    let refused = run("export --force -o", &[&input, &input]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.stderr.contains("this command reads it"), "{refused:?}");
    assert!(std::fs::read(&input).expect("a file") == std::fs::read(sample()).expect("the sample"));
    let chosen = run("export --tables ops -o", &[&folder.path().join("db.sqlite"), &input]);
    assert_eq!(chosen.code, 2, "{chosen:?}");
    assert!(chosen.stderr.contains("leave out `--tables`"), "{chosen:?}");
}

/// One run writes a database by DLProf's rules, and tables by ours.
#[test]
fn a_database_and_other_files_are_written_together() {
    let folder = temporary_folder();
    let [database, alone, json, csv] =
        ["both.sqlite", "alone.sqlite", "ops.json", "alone.json"].map(|name| folder.path().join(name));
    let written = run("export -q -o", &[&database, Path::new("-o"), &json, &sample()]);
    assert_eq!(written.code, 0, "{written:?}");
    export(&sample(), &alone);
    assert_eq!(tables(&database), tables(&alone));
    export(&sample(), &csv);
    assert_eq!(std::fs::read(&json).expect("JSON"), std::fs::read(&csv).expect("JSON"));
}

/// Memory that DLProf sampled is kept, and its detector speaks.
#[test]
fn sampled_memory_is_kept() {
    let folder = temporary_folder();
    let file = changed(&sample_database(folder.path()), "UPDATE gpu_memories SET total = 1000, used = 236");
    let found = &reports("", &file)["dlprof_expert_systems.csv"];
    assert!(found.contains("23%"), "{found}");
    let again = folder.path().join("again.sqlite");
    export(&file, &again);
    assert_eq!(tables(&again)["gpu_memories"], tables(&file)["gpu_memories"]);
}

/// Every line of the examples in `docs/from-dlprof.md`.
#[test]
fn the_lines_of_the_docs_work() {
    let page =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/from-dlprof.md"));
    let page = page.expect("the page");
    let lines = page.split("```sh\n").nth(1).and_then(|rest| rest.split("```").next()).expect("examples");
    let folder = temporary_folder();
    sample_database(folder.path());
    for line in lines.lines() {
        let words = line.strip_prefix("dlprof-agg ").expect("a command of dlprof-agg");
        let mut command = crate::run::command(&folder.path().join("cache"), words, &[]);
        let output = command.current_dir(folder.path()).output().expect("the program starts");
        assert!(output.status.success(), "{line}: {output:?}");
    }
    assert!(lines.lines().count() > 5);
}
