//! Databases of rocprofv3 and rocmProfileData, in all their forms.

use dlprof_core::{
    Capture, GraphOrigin, ReadOptions, RecorderKind, RowReader, SqliteOptions, Vendor, WorkId, WorkKind,
};
use rusqlite::Connection;
use std::path::{Path, PathBuf};

/// The database of `rocpd.sql`, changed by more SQL.
fn database(folder: &Path, name: &str, change: &str) -> PathBuf {
    let sql = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/rocpd.sql");
    let path = folder.join(name);
    let connection = Connection::open(&path).expect("opens");
    connection.execute_batch(&std::fs::read_to_string(sql).expect("SQL")).expect("runs");
    connection.execute_batch(change).expect("changes");
    path
}

fn read(path: &Path) -> Capture {
    Capture::read(path, &ReadOptions::default()).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// All that two forms of a database must have in common, line by line.
fn told(capture: &Capture) -> Vec<String> {
    let name = |id| capture.strings.get(id);
    let mut lines = Vec::new();
    for work in (0..capture.work.len()).map(WorkId::new) {
        let call = capture.launches.api[work].some().map(|call| name(capture.api_calls.name[call]));
        let stream = capture.streams[capture.work.stream[work].index()].number;
        let kernel = (capture.work_kind(work) == WorkKind::Kernel)
            .then(|| (name(capture.kernels.long_name[work]), name(capture.kernels.short_name[work])));
        lines.push(format!("{:?} {kernel:?} by {call:?} on {stream}", capture.work.span[work]));
    }
    for (span, &call) in capture.api_calls.span.iter().zip(&capture.api_calls.name) {
        lines.push(format!("{span:?} {}", name(call)));
    }
    for list in capture.ranges.lists() {
        let text = |at: usize| name(capture.ranges.texts[list.text[..][at].index()].text);
        lines.extend(list.span.iter().enumerate().map(|(at, span)| format!("{span:?} {}", text(at))));
    }
    lines
}

#[test]
fn kernels_belong_to_the_call_of_hip_and_to_the_operator() {
    let folder = tempfile::tempdir().expect("a folder");
    let capture = read(&database(folder.path(), "run.db", ""));
    let lines = told(&capture);
    assert_eq!((capture.kernels.len(), capture.copies.len(), capture.api_calls.len()), (18, 6, 36));
    let calls = lines.iter().filter(|line| line.contains("by Some(\"hipLaunchKernel\")"));
    assert_eq!(calls.count(), 18, "the call of HSA was made for one of HIP: {lines:#?}");
    assert!(lines[1].contains("(\"void at::native::relu<float>(float*, int)\", \"relu\")"), "{}", lines[1]);
    assert_eq!((capture.operators(), capture.ranges.len()), (12, 18));
    assert_eq!((capture.recorder.kind, capture.recorder.vendor), (RecorderKind::Rocprofv3, Vendor::Amd));
    let gpu = &capture.devices[0];
    assert_eq!((capture.devices.len(), gpu.sm_count, gpu.wave_size), (2, Some(304), Some(64)));
    assert_eq!(
        (gpu.name.as_deref(), gpu.architecture.as_deref()),
        (Some("AMD Instinct MI300X"), Some("gfx942"))
    );
    let config = &capture.launch_configs[capture.kernels.config[WorkId::new(1)].index()];
    assert_eq!((config.grid, config.block), ([4, 1, 1], [256, 1, 1]), "1000 work-items are 4 workgroups");
    let config = &capture.launch_configs[capture.kernels.config[WorkId::new(0)].index()];
    assert_eq!((config.registers, config.dynamic_shared_bytes), (Some(256), Some(16384)));
}

/// Columns with a default are read from the pages of the file, unless rows are older than the column.
#[test]
fn rows_that_are_older_than_a_column_have_its_default() {
    let folder = tempfile::tempdir().expect("a folder");
    let sqlite = SqliteOptions { reader: RowReader::Pages, ..SqliteOptions::default() };
    let by_pages = ReadOptions { sqlite, ..ReadOptions::default() };
    let usual = database(folder.path(), "usual.db", "");
    let pages = Capture::read(&usual, &by_pages).expect("all rows have all columns");
    assert_eq!(told(&pages), told(&read(&usual)));
    let change = "
        ALTER TABLE rocpd_kernel_dispatch_a1 DROP COLUMN graph_exec_id;
        ALTER TABLE rocpd_kernel_dispatch_a1 ADD COLUMN graph_exec_id INTEGER NOT NULL DEFAULT 5;";
    let older = database(folder.path(), "older.db", change);
    assert!(Capture::read(&older, &by_pages).is_err(), "the pages do not say it");
    let kernels = read(&older).kernels.clone();
    assert!(kernels.graph.iter().all(|&graph| graph == GraphOrigin::Node), "all are of graph 5");
}

/// What version 4.1.0 changes: tracks say where, categories have a table of their own.
const WITH_TRACKS: &str = "
    CREATE TABLE rocpd_info_category_a1 (id INTEGER PRIMARY KEY, name TEXT);
    INSERT INTO rocpd_info_category_a1 SELECT id + 100, string FROM rocpd_string_a1 WHERE id < 10;
    UPDATE rocpd_event_a1 SET category_id = category_id + 100;
    CREATE TABLE rocpd_track_a1
        (id INTEGER PRIMARY KEY, nid INTEGER, pid INTEGER, tid INTEGER, agent_id INTEGER, queue_id INTEGER, stream_id INTEGER);
    INSERT INTO rocpd_track_a1 VALUES
        (1, 7, 4242, 1, NULL, NULL, NULL), (2, 7, 4242, NULL, 2, 1, 0), (3, 7, 4242, NULL, 2, 1, 1);
    ALTER TABLE rocpd_region_a1 ADD COLUMN track_id INTEGER;
    ALTER TABLE rocpd_kernel_dispatch_a1 ADD COLUMN track_id INTEGER;
    ALTER TABLE rocpd_memory_copy_a1 ADD COLUMN track_id INTEGER;
    UPDATE rocpd_region_a1 SET track_id = 1;
    UPDATE rocpd_kernel_dispatch_a1 SET track_id = 2 + stream_id;
    UPDATE rocpd_memory_copy_a1 SET track_id = 2;";

#[test]
fn every_version_says_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let expected = told(&read(&database(folder.path(), "base.db", "")));
    let mut tracks = WITH_TRACKS.to_owned();
    for (table, columns) in [
        ("region", &["nid", "pid", "tid"][..]),
        ("kernel_dispatch", &["nid", "pid", "tid", "agent_id", "queue_id", "stream_id"]),
        ("memory_copy", &["nid", "pid", "tid", "queue_id", "stream_id"]),
    ] {
        for column in columns {
            tracks += &format!("ALTER TABLE rocpd_{table}_a1 DROP COLUMN {column};");
        }
    }
    assert_eq!(told(&read(&database(folder.path(), "tracks.db", &tracks))), expected);
    // Since August 2026 the name of a range is its text; `extdata` may be empty.
    let names = "
        INSERT INTO rocpd_string_a1 (id, string)
            SELECT 1000 + id, json_extract(extdata, '$.message') FROM rocpd_event_a1 WHERE category_id = 3;
        UPDATE rocpd_region_a1 SET name_id = 1000 + event_id WHERE name_id = 13;
        UPDATE rocpd_event_a1 SET extdata = '{}';";
    assert_eq!(told(&read(&database(folder.path(), "names.db", names))), expected);
    // rocprof-sys has names of its own for categories.
    let names = "
        UPDATE rocpd_string_a1 SET string = CASE id WHEN 1 THEN 'rocm_hip_api' WHEN 2 THEN 'rocm_hsa_api'
            WHEN 3 THEN 'rocm_marker_api' ELSE string END;";
    let of_systems = read(&database(folder.path(), "systems.db", names));
    assert_eq!(told(&of_systems), expected);
    assert_eq!(of_systems.recorder.kind, RecorderKind::RocprofSys);
}

#[test]
fn processes_in_one_file_stay_apart() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = database(folder.path(), "merged.db", "");
    let mut connection = Connection::open(&path).expect("opens");
    let tables: Vec<String> = {
        let mut statement =
            connection.prepare("SELECT name FROM sqlite_schema WHERE name LIKE 'rocpd%'").expect("asks");
        let names = statement.query_map([], |row| row.get(0)).expect("runs");
        names.map(|name| name.expect("a name")).collect()
    };
    let transaction = connection.transaction().expect("begins");
    for table in tables {
        let other = table.replace("_a1", "_b2");
        transaction.execute_batch(&format!("CREATE TABLE {other} AS SELECT * FROM {table}")).expect("copies");
    }
    let change =
        "UPDATE rocpd_info_process_b2 SET pid = 4343; UPDATE rocpd_kernel_dispatch_b2 SET agent_id = 3;";
    transaction.execute_batch(change).expect("changes");
    transaction.commit().expect("commits");
    let capture = read(&path);
    let pids: Vec<i64> = capture.processes.iter().map(dlprof_core::Process::pid).collect();
    assert_eq!((capture.kernels.len(), pids, capture.devices.len()), (36, vec![4242, 4343], 2));
    for work in (0..capture.work.len()).map(WorkId::new) {
        let call = capture.launches.api[work].some().expect("a call");
        let thread = capture.api_calls.thread[call].some().expect("a thread");
        assert_eq!(capture.work.process[work].some(), Some(capture.threads[thread.index()].process));
    }
}

#[test]
fn graphs_counters_and_packed_texts_are_told() {
    use dlprof_core::DiagnosticCode::{CountersRecorded, UnreadTexts};
    let folder = tempfile::tempdir().expect("a folder");
    let change = "
        UPDATE rocpd_kernel_dispatch_a1 SET graph_exec_id = 5 WHERE kernel_id = 2;
        UPDATE rocpd_event_a1 SET extdata = x'04224d18' WHERE category_id = 3;
        CREATE TABLE rocpd_pmc_event_a1 (id INTEGER PRIMARY KEY, event_id INTEGER, pmc_id INTEGER, value REAL);
        INSERT INTO rocpd_pmc_event_a1 VALUES (1, 7, 1, 12.0);";
    let capture = read(&database(folder.path(), "odd.db", change));
    let of_graph = capture.kernels.graph.iter().filter(|&&graph| graph == GraphOrigin::Node);
    assert_eq!((of_graph.count(), capture.ranges.len()), (6, 0));
    assert_eq!(capture.diagnostics.counted(UnreadTexts), 18);
    assert_eq!(capture.diagnostics.counted(CountersRecorded), 1);
}
