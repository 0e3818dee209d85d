//! What a kernel can fill is what its context or process may use of a GPU; GPUs of which little is known keep their name.

use crate::profiles::profile_of;
use dlprof_core::{Capture, ReadOptions, Table, Value, build_kernels};
use rusqlite::Connection;
use std::path::Path;

fn capture() -> Capture {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let file = folder.path().join("parts.sqlite");
    let sql = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/parts-of-gpu.sql");
    let sql = std::fs::read_to_string(sql).expect("the SQL file");
    Connection::open(&file).and_then(|database| database.execute_batch(&sql)).expect("a database");
    Capture::read(&file, &ReadOptions::default()).expect("a capture")
}

/// Two blocks of 1,024 threads fit an SM: 64 blocks are 64 ÷ 264, 64 ÷ 64 and 64 ÷ 32 waves.
#[test]
fn waves_are_of_the_multiprocessors_that_a_context_may_use() {
    let capture = capture();
    let profile = profile_of(&capture);
    let table = build_kernels(&profile);
    let place = |key: &str| (0..table.columns()).find(|&at| table.header(at).key == key).expect("a column");
    let int = |row: usize, key: &str| match table.value(row, place(key)) {
        Value::Int(number) => number,
        other => panic!("{key} is {other:?}"),
    };
    let mut found: Vec<_> = (0..table.rows())
        .map(|row| {
            let Value::Float(waves) = table.value(row, place("waves")) else { panic!("no waves") };
            let numbers = ["gpu_start_ns", "process_id", "context_id", "stream_id", "correlation_id"];
            (numbers.map(|key| int(row, key)), waves)
        })
        .collect();
    found.sort_by_key(|(numbers, _)| *numbers);
    assert_eq!(
        found,
        [([120, 1, 1, 7, 5], 64.0 / 264.0), ([220, 1, 1, 30, 6], 1.0), ([320, 2, 1, 7, 5], 2.0)]
    );
}

#[test]
fn a_gpu_without_a_known_capability_keeps_its_name() {
    let names: Vec<_> =
        capture().devices.iter().map(|device| device.name.clone().unwrap_or_default()).collect();
    assert_eq!(names, ["NVIDIA H100", "NVIDIA of a later driver"]);
}
