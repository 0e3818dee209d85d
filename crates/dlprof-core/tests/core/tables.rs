//! Tables: declarations and values.

use crate::profiles::profile_of;
use crate::script::Script;
use dlprof_core::{
    Capture, CellKind, DeviceId, DiagnosticCode, Form, Importance, KeyNodeChoice, PeakSource,
    ProfileSettings, RangeChoice, ReadOptions, RuleSetting, RuleSettings, TABLES, Unit, UserGpu, Value,
    columns_for_people, definition, judge,
};

use std::collections::BTreeSet;

#[test]
fn gpus_without_any_kernel_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("idle.sqlite");
    let mut script = Script::default();
    script.range("step", |script| {
        script.wait(10);
    });
    script.write_to(&file);
    let database = rusqlite::Connection::open(&file).expect("a database");
    let gpus = "CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT);
                INSERT INTO TARGET_INFO_GPU VALUES (1, 'A100'), (0, 'A100');";
    database.execute_batch(gpus).expect("two GPUs");
    drop(database);
    let capture = Capture::read(&file, &ReadOptions::default()).expect("a capture");
    let profile = profile_of(&capture);
    let problems: Vec<String> = profile.findings().iter().map(|one| one.problem.to_string()).collect();
    assert!(problems.contains(&"No kernel was recorded on GPUs 0, 1".to_owned()), "{problems:?}");
}

/// Exports before nsys 2023 have no table that says what was traced, but the texts of nsys's messages.
#[test]
fn messages_of_nsys_say_that_ranges_were_traced() {
    let traced = |text: &str| {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("messages.sqlite");
        let mut script = Script::default();
        script.launch("gemm", 100).wait(200);
        script.write_to(&file);
        let database = rusqlite::Connection::open(&file).expect("a database");
        database.execute("INSERT INTO StringIds VALUES (99999, ?1)", [text]).expect("a text");
        drop(database);
        Capture::read(&file, &ReadOptions::default()).expect("a capture").notes.nvtx_traced
    };
    assert_eq!(traced("CUDA profiling started"), None);
    assert_eq!(traced("NVTX profiling started"), Some(true));
    assert_eq!(traced("No NVTX events collected. Does the process use NVTX?"), Some(true));
}

/// A capture with a GPU of 1000 bytes that nobody knows, an allocation, and page faults.
fn with_memory(allocated_bytes: u64) -> Capture {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("memory.sqlite");
    let mut script = Script::default();
    script.range("step", |script| {
        script.launch("gemm", 100).wait(200);
    });
    script.write_to(&file);
    let sql = format!(
        "CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, totalMemory INTEGER);
         INSERT INTO TARGET_INFO_GPU VALUES (0, 'RTX 9999', 1000);
         CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start INTEGER, globalPid INTEGER, deviceId INTEGER, bytes INTEGER,
             memKind INTEGER, memoryOperationType INTEGER);
         INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES (5, 0x1000001000000, 0, {allocated_bytes}, 2, 0);
         CREATE TABLE CUDA_UM_CPU_PAGE_FAULT_EVENTS (start INTEGER);
         INSERT INTO CUDA_UM_CPU_PAGE_FAULT_EVENTS VALUES (6), (7);
         CREATE TABLE CUDA_UM_GPU_PAGE_FAULT_EVENTS (start INTEGER, numberOfPageFaults INTEGER);
         INSERT INTO CUDA_UM_GPU_PAGE_FAULT_EVENTS VALUES (8, 5);"
    );
    let database = rusqlite::Connection::open(&file).expect("a database");
    database.execute_batch(&sql).expect("tables");
    drop(database);
    Capture::read(&file, &ReadOptions::default()).expect("a capture")
}

#[test]
fn low_memory_in_use_is_found() {
    let problem = |bytes| {
        let profile = profile_of(&with_memory(bytes));
        let found = profile.findings().iter().find(|finding| finding.id == "batch_size_detector");
        found.map(|finding| finding.problem.to_string())
    };
    let fills = |share: &str| {
        Some(format!("At their peak, the recorded allocations fill {share} of the memory of a GPU"))
    };
    assert_eq!(problem(239), fills("23%"));
    assert_eq!(problem(9), fills("less than 1%"));
    assert_eq!(problem(250), None);
    assert_eq!(problem(0), None);
}

#[test]
fn page_faults_are_noted() {
    let profile = profile_of(&with_memory(1));
    let noted =
        profile.diagnostics.iter().find(|one| one.code == DiagnosticCode::PageFaults).expect("a note");
    assert_eq!((noted.count, noted.examples[0].as_str()), (7, "2 on the CPU, 5 on GPUs"));
    let found = |least: f64| {
        let setting =
            RuleSetting { thresholds: [("page_faults".to_owned(), least)].into(), ..RuleSetting::default() };
        let mut settings = RuleSettings::default();
        settings.changes.insert("managed_memory".to_owned(), setting);
        let index = with_memory(1).index(&KeyNodeChoice::Named("step".into())).expect("an index");
        let profile = index.profile(&RangeChoice::default()).expect("a profile");
        let judged = judge(&profile, &settings);
        let found = judged.findings().iter().find(|finding| finding.id == "managed_memory").cloned();
        found.map(|finding| (finding.problem.to_string(), finding.saving))
    };
    let (problem, saving) = found(7.0).expect("page faults without migrations");
    assert!(problem.contains("7 page faults of unified memory, 2 on the CPU and 5 on GPUs"), "{problem}");
    assert_eq!((saving, found(8.0)), (None, None), "how long they take is not recorded");
}

#[test]
fn gpus_of_the_settings_have_peaks() {
    let index = with_memory(1).index(&KeyNodeChoice::None).expect("an index");
    let gpu = UserGpu { fp32: Some(210.0), ..UserGpu::default() };
    let settings = ProfileSettings { gpus: vec![gpu.row("RTX 9999")], ..ProfileSettings::default() };
    let peaks = |settings: &ProfileSettings| {
        let profile = index.profile_with(&RangeChoice::default(), settings).expect("a profile");
        let figure = profile.device_figure(DeviceId::new(0));
        (figure.peaks.fp32, figure.peak_source)
    };
    assert_eq!(peaks(&ProfileSettings::default()), (None, PeakSource::None));
    assert_eq!(peaks(&settings), (Some(210.0), PeakSource::Table));
}

#[test]
fn declarations_are_complete() {
    let capture = Script::default().range("step", |_| {}).read();
    let profile = profile_of(&capture);
    for (key, build) in TABLES.iter().map(|definition| (&definition.key, definition.build)) {
        let table = build(&profile);
        assert_eq!(table.key(), *key);
        assert_eq!(Some(table.layout()), definition(key).map(|definition| definition.layout));
        let mut keys = BTreeSet::new();
        for column in 0..table.columns() {
            let header = table.header(column);
            let name = format!("{key}.{}", header.key);
            assert!(keys.insert(header.key), "{name} is unique");
            assert!(
                header.key.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_'),
                "{name}"
            );
            assert_eq!(Unit::of_key(header.key), header.unit, "{name} says its unit");
            assert!(header.doc.ends_with('.') && !header.title.is_empty(), "{name} is documented");
        }
    }
}

#[test]
fn layouts_name_columns_of_their_table() {
    for definition in TABLES {
        let keys: BTreeSet<&str> = definition.headers().iter().map(|header| header.key).collect();
        let layout = definition.layout;
        let shown: Vec<&str> = layout.first.iter().chain(layout.second).copied().collect();
        let order = layout.order.iter().map(|key| key.strip_prefix('-').unwrap_or(key)).collect();
        let parts = layout.parts.iter().map(|part| part.0).collect();
        let views = layout.views.iter().map(|view| view.1.to_vec());
        let lists = [layout.sentences, layout.starts, layout.sums, layout.report].map(<[_]>::to_vec);
        for list in [shown, order, parts].into_iter().chain(lists).chain(views) {
            let distinct: BTreeSet<&str> = list.iter().copied().collect();
            assert_eq!(distinct.len(), list.len(), "{}: a column is named twice", definition.key);
            let unknown: Vec<_> = distinct.difference(&keys).collect();
            assert!(unknown.is_empty(), "{} has no column {unknown:?}", definition.key);
        }
        let is_line = layout.form == Form::Line;
        assert!(is_line != layout.first.is_empty(), "{}: no column is always shown", definition.key);
    }
}

/// Averages, extremes, shares and places cannot be divided by a number of iterations.
#[test]
fn sums_are_whole_numbers_of_times_bytes_or_counts() {
    for definition in TABLES {
        for header in definition.headers() {
            let is_sum = definition.layout.sums.contains(&header.key);
            let is_start = definition.layout.starts.contains(&header.key);
            let of_one = ["avg_", "min_", "max_", "median_", "per_iteration_"]
                .iter()
                .any(|word| header.key.starts_with(word));
            let name = format!("{}.{}", definition.key, header.key);
            assert!(!is_sum || (header.kind == CellKind::Int && !of_one && !is_start), "{name} is not a sum");
            let is_time = header.unit == Unit::Nanoseconds && header.kind == CellKind::Int && !of_one;
            let has_sums = !definition.layout.sums.is_empty();
            assert!(is_sum || !(has_sums && is_time), "{name} is a time of the same rows, and not a sum?");
        }
    }
}

#[test]
fn a_view_has_one_table() {
    let mut views: Vec<&str> = Vec::new();
    for definition in TABLES {
        views.extend(definition.layout.views.iter().map(|view| view.0));
    }
    let distinct: BTreeSet<&str> = views.iter().copied().collect();
    assert_eq!(distinct.len(), views.len(), "{views:?}");
}

#[test]
fn people_see_the_name_first_then_the_time() {
    let capture = Script::default().range("step", |_| {}).read();
    let profile = profile_of(&capture);
    let table = (definition("ops").expect("the table").build)(&profile);
    let shown = columns_for_people(table.as_ref());
    let keys: Vec<&str> = shown.iter().map(|&column| table.header(column).key).collect();
    assert_eq!(keys[..2], ["op_name", "gpu_time_ns"]);
    assert_eq!(keys.len(), table.columns());
    assert_eq!(keys.last(), Some(&"stack_trace"));
    let importance = |key| table.layout().importance(key);
    assert_eq!(importance("op_name"), Importance::Always);
    assert_eq!(importance("op_id"), Importance::Medium);
    assert_eq!(importance("stack_trace"), Importance::Low);
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
    let profile = profile_of(&capture);
    for (key, build) in TABLES.iter().map(|definition| (&definition.key, definition.build)) {
        let table = build(&profile);
        for (row, column) in
            (0..table.rows()).flat_map(|row| (0..table.columns()).map(move |column| (row, column)))
        {
            let (value, header) = (table.value(row, column), table.header(column));
            let fits = matches!(
                (&value, header.kind),
                (Value::Null, _)
                    | (Value::Int(_), CellKind::Int)
                    | (Value::Float(_), CellKind::Float)
                    | (Value::Flag(_), CellKind::Flag)
                    | (Value::Text(_), CellKind::Text | CellKind::Json)
            ) || matches!(
                (&value, header.kind),
                (Value::Text(text), CellKind::Answer) if ["true", "false", "unknown"].contains(&text.as_ref())
            );
            assert!(fits, "{key}.{}: {value:?}", header.key);
        }
    }
}
