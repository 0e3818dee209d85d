//! Bad input: each kind has its own message and exit code, and a good hint.

use crate::run::{Run, database, run, sample, temporary_folder};
use std::path::Path;

/// One error line and nothing on standard output.
fn assert_fails(run: &Run, code: i32, error: &str, hint: &str) {
    assert_eq!(run.code, code, "{run:?}");
    assert_eq!(run.stdout, "", "{run:?}");
    assert!(run.stderr.starts_with("error: "), "{run:?}");
    assert!(run.stderr.contains(error), "`{error}` in {run:?}");
    assert!(run.stderr.contains(hint), "`{hint}` in {run:?}");
    assert!(!run.stderr.contains("panicked"), "{run:?}");
}

/// Says something past the test harness, which hides what passing tests print.
#[cfg(unix)]
pub(crate) fn say(text: impl std::fmt::Display) {
    use std::io::Write;
    writeln!(std::io::stderr(), "{text}").expect("standard error");
}

#[test]
fn files_that_are_no_export() {
    let folder = temporary_folder();
    let write = |name: &str, bytes: &[u8]| {
        let file = folder.path().join(name);
        std::fs::write(&file, bytes).expect("a file");
        file
    };
    let fails = |file: &Path, error: &str, hint: &str| assert_fails(&run("", &[file]), 3, error, hint);
    fails(&folder.path().join("none.sqlite"), "does not exist", "");
    fails(folder.path(), "is a directory", "`.sqlite` export");
    fails(&write("empty.sqlite", b""), "the file is empty", "nsys export");
    fails(&write("notes.txt", b"Dear diary, today"), "it starts with `Dear diary, toda`", "nsys export");
    fails(&write("run.nsys-rep", b"\x00\x01report"), "is an nsys report", "nsys export --type sqlite");
    fails(&write("run.qdrep", b"\x00\x01report"), "is an nsys report", "nsys export --type sqlite");
    fails(&database(folder.path(), "not-nsys.sql"), "is not an Nsight Systems export", "nsys export");
    fails(&database(folder.path(), "dlprof-database.sql"), "is a DLProf database", "nsys_profile.sqlite");
    fails(&database(folder.path(), "no-events.sql"), "no CUDA calls, no GPU work", "--trace=cuda,nvtx");
    fails(
        &database(folder.path(), "failed-program.sql"),
        "the program could not be started under nsys: process 18, stderr: python: symbol lookup error: /opt/nsys/libToolsInjectionProxy64.so",
        "too old for the C library of this system",
    );
}

/// What stands after a database is said to be left out.
#[test]
fn bytes_behind_a_database_are_told() {
    let folder = temporary_folder();
    let mut bytes = std::fs::read(sample()).expect("the sample");
    let file = folder.path().join("twice.sqlite");
    bytes.extend_from_slice(b"{\"traceEvents\": []}");
    std::fs::write(&file, bytes).expect("a file");
    let (joined, alone) = (run("check", &[&file]), run("check", &[&sample()]));
    assert_eq!((joined.code, alone.code), (0, 0), "{joined:?}");
    let code = "warning[bytes-behind-database]";
    assert!(joined.stdout.contains(code) && joined.stdout.contains("19 bytes"), "{joined:?}");
    assert!(!alone.stdout.contains(code), "{alone:?}");
}

#[test]
fn truncated_files() {
    let folder = temporary_folder();
    let whole = std::fs::read(sample()).expect("the sample");
    for part in 1..20 {
        let file = folder.path().join(format!("cut-{part}.sqlite"));
        std::fs::write(&file, &whole[..whole.len() * part / 20]).expect("a file");
        assert_fails(&run("", &[&file]), 3, "is truncated", "or export it again");
    }
}

#[test]
fn damaged_pages() {
    let folder = temporary_folder();
    let mut bytes = std::fs::read(sample()).expect("the sample");
    for byte in &mut bytes[4096..] {
        *byte ^= 0x5A;
    }
    let file = folder.path().join("damaged.sqlite");
    std::fs::write(&file, &bytes).expect("a file");
    let run = run("", &[&file]);
    assert_eq!(run.code, 3, "{run:?}");
    assert!(run.stderr.starts_with("error: "), "{run:?}");
    assert_eq!(run.stderr.matches("malformed").count(), 1, "{run:?}");
}

#[test]
fn hot_journals() {
    let folder = temporary_folder();
    let file = folder.path().join("run.sqlite");
    std::fs::copy(sample(), &file).expect("a copy");
    for (journal, content, fails) in
        [("run.sqlite-wal", &b"frames"[..], true), ("run.sqlite-wal", b"", false)]
    {
        std::fs::write(folder.path().join(journal), content).expect("a journal");
        let run = run("", &[&file]);
        if fails {
            assert_fails(&run, 3, "changes that are not in it yet", "wal_checkpoint");
        } else {
            assert_eq!(run.code, 0, "{run:?}");
        }
    }
}

#[cfg(unix)]
#[test]
fn unreadable_files() {
    use std::os::unix::fs::PermissionsExt;
    let folder = temporary_folder();
    let file = folder.path().join("secret.sqlite");
    std::fs::copy(sample(), &file).expect("a copy");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o000)).expect("permissions");
    if std::fs::File::open(&file).is_ok() {
        say("SKIPPED: this user may read everything");
        return;
    }
    assert_fails(&run("", &[&file]), 3, "cannot read", "cause: ");
}

/// The export, its folder and its time stamps stay as they are.
#[test]
fn input_is_never_changed() {
    let folder = temporary_folder();
    let file = folder.path().join("run.sqlite");
    std::fs::copy(sample(), &file).expect("a copy");
    let before = std::fs::metadata(&file).expect("metadata");
    assert_eq!(run("", &[&file]).code, 0);
    let after = std::fs::metadata(&file).expect("metadata");
    assert_eq!(before.modified().expect("a time"), after.modified().expect("a time"));
    assert_eq!(std::fs::read(&file).expect("bytes"), std::fs::read(sample()).expect("bytes"));
    let files = std::fs::read_dir(folder.path()).expect("the folder").count();
    assert_eq!(files, 1, "nothing lies beside it");
}

#[test]
fn names_with_special_characters() {
    let folder = temporary_folder();
    let file = folder.path().join("50% of? #1 é.sqlite");
    std::fs::copy(sample(), &file).expect("a copy");
    assert_eq!(run("", &[&file]).code, 0);
}

#[test]
fn exports_newer_than_known_are_read_with_a_warning() {
    let folder = temporary_folder();
    let run = run("-v", &[&database(folder.path(), "newer-schema.sql")]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stderr.contains("warning[newer-schema]"), "{run:?}");
    assert!(!run.stderr.contains("unlaunched-work"), "nobody calls for a migration: {run:?}");
    for op in ["/saxpy", "unassociated_memcpy_UM_HtoD"] {
        assert!(run.stdout.contains(op), "{op} in {run:?}");
    }
}

#[test]
fn requests_that_do_not_fit() {
    let sample = sample();
    let key = "--key-node /module/train_step";
    let fails = |words: &str, code: i32, error: &str, hint: &str| {
        assert_fails(&run(words, &[&sample]), code, error, hint);
    };
    fails(
        "--iter-start 5 --iter-stop 3",
        2,
        "the iteration range 5 to 3 ends before it starts",
        "must not be greater than",
    );
    fails(
        "--key-node= --iter-stop 3",
        5,
        "there is no iteration 3: the capture has only iteration 0",
        "--key-node",
    );
    fails(
        "--iter-start 900",
        5,
        "there is no iteration 900: the capture has iterations 0 to 64",
        "from 0 to 64",
    );
    fails(
        &format!("{key} --iter-start 10 --iter-stop 65"),
        5,
        "there is no iteration 65: the capture has iterations 0 to 64",
        "from 0 to 64",
    );
    fails("--key-node train_stop", 5, "key node `train_stop` never ran", "`/module/train_step`");
    fails("--key-node CONV2D_99", 5, "key node `CONV2D_99` never ran", "hint: ");
}

#[test]
fn settings_file() {
    let folder = temporary_folder();
    let settings = folder.path().join("settings.toml");
    std::fs::write(&settings, "key-node = '/module/train_step'\niter-start = 15\n").expect("a file");
    let file = sample();
    let good = run("--iter-stop 20 --config", &[&settings, &file]);
    assert_eq!(good.code, 0, "{good:?}");
    assert!(good.stdout.contains("iterations 15 to 20 of 0 to 64"), "{good:?}");
    std::fs::write(&settings, "iter-begin = 15\n").expect("a file");
    assert_fails(&run("--config", &[&settings, &file]), 2, "there is no key `iter-begin`", "hint: ");
    let missing = folder.path().join("missing.toml");
    assert_fails(&run("--config", &[&missing, &file]), 2, "cannot use settings file", "");
}

#[test]
fn sections_of_the_settings_file() {
    let folder = temporary_folder();
    let settings = folder.path().join("settings.toml");
    let file = sample();
    let show = |table: &str, text: &str| {
        std::fs::write(&settings, text).expect("a file");
        run(&format!("show {table} --format csv --no-cache --config"), &[&settings, &file])
    };
    let plain = show("launch_stats", "");
    assert_eq!(plain.code, 0, "{plain:?}");
    let changed = show("launch_stats", "[thresholds]\nshort_kernel_ns = 1_000_000_000\n");
    assert_eq!(changed.code, 0, "{changed:?}");
    assert_ne!(plain.stdout, changed.stdout, "all kernels are short");
    let changed = show("gpu_time", "[kernels]\ncommunication = [\"re:.\"]\n");
    assert_eq!(changed.code, 0, "{changed:?}");
    assert_ne!(show("gpu_time", "").stdout, changed.stdout, "all kernels are communication");
    let tensor_cores = "kernels --columns kernel_name,tensor_cores";
    assert!(show(tensor_cores, "").stdout.contains(",false\n"));
    let changed = show(tensor_cores, "[kernels]\ntensor_cores = [\"re:.\"]\n");
    assert!(
        changed.code == 0 && !changed.stdout.contains(",false\n"),
        "all kernels use Tensor Cores: {changed:?}"
    );
    let wrong = [
        ("[thresholds]\nlong_gap = 3\n", "line 2, column 1", "there is no key `long_gap`"),
        ("[thresholds]\nlong_gap_ns = -3\n", "line 2, column 15", "is not below 0"),
        ("[kernels]\ndata_loading = [\"re:(\"]\n", "line 2, column 16", "unclosed group"),
        ("[kernels]\ncommunication = [\"\"]\n", "line 2, column 17", "fits every name"),
        ("[gpus.X]\nfp31 = 3\n", "line 2, column 1", "there is no key `fp31`"),
        ("[gpus.X]\nfp32 = 0\n", "line 2, column 8", "a peak is above 0"),
    ];
    for (text, place, reason) in wrong {
        let failed = show("gpus", text);
        assert_fails(&failed, 2, reason, "");
        assert!(failed.stderr.contains(place), "{failed:?}");
    }
}

#[test]
fn wrong_options() {
    let unknown = run("--no-such-option", &[]);
    assert_eq!(unknown.code, 2, "{unknown:?}");
    let nothing = run("--iter-start 3", &[]);
    assert_fails(&nothing, 2, "no FILE given", "dlprof-agg demo");
}

/// Tables that other tools turned into views, or made without row ids.
#[test]
fn views_and_tables_without_row_ids_are_read() {
    let folder = temporary_folder();
    let file = folder.path().join("changed.sqlite");
    let expected = run("show ops", &[&sample()]);
    let changes = [
        "ALTER TABLE NVTX_EVENTS RENAME TO other; CREATE VIEW NVTX_EVENTS AS SELECT * FROM other;",
        "ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL RENAME TO other;
         CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS SELECT * FROM other;",
        "CREATE TABLE other (id INTEGER PRIMARY KEY, value TEXT) WITHOUT ROWID;
         INSERT INTO other SELECT id, value FROM StringIds;
         DROP TABLE StringIds; ALTER TABLE other RENAME TO StringIds;",
    ];
    for change in changes {
        std::fs::copy(sample(), &file).expect("a copy");
        let database = rusqlite::Connection::open(&file).expect("a database");
        database.execute_batch(change).expect("SQL");
        drop(database);
        let changed = run("show ops", &[&file]);
        assert_eq!((changed.code, changed.stdout), (0, expected.stdout.clone()), "{change}");
    }
}

/// What people type first: a misspelt command, options in front of it, a standard output that is none.
#[test]
fn first_mistakes_are_explained() {
    let sample = sample();
    let cases: [(&str, &[&Path], &str); 5] = [
        ("chek", &[], "did you mean `dlprof-agg check`?"),
        ("chek", &[&sample], "did you mean `dlprof-agg check`?"),
        ("--details show ops", &[&sample], "put it after the command"),
        ("export -o - --format csv", &[&sample], "`-` is not a regular file"),
        ("export -o twice.json -o ./twice.json", &[&sample], "two outputs have the same path"),
    ];
    for (words, paths, part) in cases {
        let run = run(words, paths);
        assert!(run.code == 2 || run.code == 4, "{words}: {run:?}");
        assert!(run.stderr.contains(part), "{words}: {run:?}");
    }
    let none = run("show kernels --iteration 999 --format csv", &[&sample]);
    assert_eq!((none.code, none.stdout.as_str()), (5, ""));
    assert!(
        none.stderr.contains("there is no iteration 999: the capture has iterations 0 to 64"),
        "{none:?}"
    );
    let none = run("show kernels --where iteration=999 --format csv", &[&sample]);
    assert_eq!((none.code, none.stdout.lines().count()), (0, 1));
    assert!(none.stderr.contains("the conditions are true for no row"), "{none:?}");
}

/// No name that a range does not have, and no end of threads.
#[test]
fn patterns_match_ranges_only_and_threads_are_bounded() {
    let sample = sample();
    let loose = run("--key-node re:unassociated_", &[&sample]);
    assert_fails(&loose, 5, "never ran", "");
    let many = run("show summary --threads 1000000", &[&sample]);
    assert_eq!(many.stdout, run("show summary", &[&sample]).stdout);
}

/// Without the feature the command is there and says how to get it.
#[cfg(not(feature = "view"))]
#[test]
fn view_that_was_not_built_in_says_so() {
    let run = run("view", &[&sample()]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{run:?}");
    assert!(run.stderr.contains("built without `view`") && run.stderr.contains("report.html"), "{run:?}");
}

/// `check` says what an export without events holds before it says what is missing; other commands print nothing.
#[test]
fn check_lists_what_an_export_without_events_holds() {
    let folder = temporary_folder();
    let file = database(folder.path(), "failed-program.sql");
    let checked = run("check", &[&file]);
    assert_eq!(checked.code, 3, "{checked:?}");
    assert!(checked.stdout.contains("  tables with rows        ProcessStreams, StringIds"), "{checked:?}");
    assert!(checked.stderr.contains("holds no CUDA calls"), "{checked:?}");
    let refused = run("show gpus", &[&file]);
    assert_eq!((refused.code, refused.stdout.as_str()), (3, ""), "{refused:?}");
}
