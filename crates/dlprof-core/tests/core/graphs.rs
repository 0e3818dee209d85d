//! CUDA graphs: a launch is charged once, and all its kernels belong to the op that made it.

use crate::profiles::profile_of;
use dlprof_core::{Capture, ReadOptions, Table, Value, build_kernels};
use rusqlite::Connection;
use std::path::Path;

#[test]
fn graph_launches_belong_to_their_op() {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let file = folder.path().join("graph.sqlite");
    let sql = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/cuda-graph.sql");
    let sql = std::fs::read_to_string(sql).expect("the SQL file");
    Connection::open(&file).and_then(|database| database.execute_batch(&sql)).expect("a database");
    let capture = Capture::read(&file, &ReadOptions::default()).expect("a capture");
    let profile = profile_of(&capture);

    let ops: Vec<_> = profile
        .op_stats
        .iter()
        .map(|op| {
            let times = &profile.capture.op_calls.times[..]
                [profile.index.calls.op.iter().position(|of| *of == op.op).expect("a call")];
            (profile.op_name(op.op), op.times.gpu.sum, times.api_ns, op.kernels.launches, op.kernels.gpu_ns)
        })
        .collect();
    assert_eq!(ops, [("/replay", 70, 50, 3, 75), ("/replay whole", 100, 60, 1, 100)]);
    let api_ns: i64 = profile.kernel_summaries.iter().map(|row| row.api.sum).sum();
    assert_eq!(api_ns, 110, "each launch is charged once");
    assert_eq!(profile.kernel_totals.all().api_ns, 110);

    let table = build_kernels(&profile);
    let column = |key: &str| (0..table.columns()).find(|&at| table.header(at).key == key).expect("a column");
    let cells = |row: usize| ["graph", "kernel_name"].map(|key| table.value(row, column(key)));
    let text = |text: &'static str| Value::from(text);
    let rows: Vec<[Value<'_>; 2]> = (0..table.rows()).map(cells).collect();
    assert_eq!(
        rows,
        [
            [text("node"), text("gemm")],
            [text("node"), text("gemm")],
            [text("node"), text("relu")],
            [text("graph"), text("CUDA graph 8")],
        ]
    );
}
