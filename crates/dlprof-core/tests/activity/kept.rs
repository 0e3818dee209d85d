//! A kept capture has the same facts as one that was just read.

use crate::host_tables::export_in;
use dlprof_core::{Cache, Capture, FactTable, ModeChoice, ReadOptions};

/// All facts that figures of waiting GPUs, memory and counters are made of.
fn content(capture: &Capture) -> [String; 4] {
    let recorded = &capture.recorded;
    let on_gpus = [
        recorded.work.to_arrays(),
        recorded.kernels.to_arrays(),
        recorded.copies.to_arrays(),
        recorded.transfers.to_arrays(),
        capture.launches.to_arrays(),
        recorded.memory_events.to_arrays(),
        recorded.metric_samples.to_arrays(),
    ];
    let host = &recorded.host;
    let on_threads = [
        recorded.api_calls.to_arrays(),
        recorded.repeated_calls.to_arrays(),
        host.mpi.to_arrays(),
        host.os_calls.as_ref().map_or_else(Vec::new, FactTable::to_arrays),
        host.overheads.to_arrays(),
        host.samples.to_arrays(),
        host.stack_offsets.to_arrays(),
        host.stack_frames.to_arrays(),
        host.switches.to_arrays(),
    ];
    let texts: Vec<&str> = capture.strings.iter().collect();
    let ranges = &recorded.ranges;
    let ranges: Vec<_> = ranges.by_thread.iter().map(FactTable::to_arrays).collect();
    [
        format!("{on_gpus:?}"),
        format!("{on_threads:?}"),
        format!("{:?}", (ranges, texts)),
        format!("{:?}", recorded.about),
    ]
}

#[test]
fn facts_survive_the_cache() {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let file = export_in(folder.path());
    let options = ReadOptions::default();
    let read = Capture::read(&file, &options).expect("a capture");
    let cache = Cache::new(folder.path().join("cache"), 1 << 30);
    for round in 0..2 {
        let kept = cache.export(&file, ModeChoice::Auto).capture(&options).expect("a capture");
        assert_eq!(content(&kept), content(&read), "round {round}");
    }
    assert_eq!(cache.entries().expect("entries").len(), 1, "the capture was kept");
}

/// A table that the export lacks is none, and stays none; an empty one stays empty.
#[test]
fn a_missing_table_stays_missing() {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    for (name, statement, has_table) in
        [("without", "DROP TABLE OSRT_API", false), ("empty", "DELETE FROM OSRT_API", true)]
    {
        let place = folder.path().join(name);
        std::fs::create_dir(&place).expect("a folder");
        let file = export_in(&place);
        let database = rusqlite::Connection::open(&file).expect("a database");
        database.execute_batch(statement).expect("SQL");
        database.close().expect("closed");
        let cache = Cache::new(place.join("cache"), 1 << 30);
        for _ in 0..2 {
            let export = cache.export(&file, ModeChoice::Auto);
            let capture = export.capture(&ReadOptions::default()).expect("a capture");
            assert_eq!(capture.host.os_calls.is_some(), has_table, "{name}");
            let calls = capture.host.os_calls.as_ref();
            assert_eq!(calls.map(|calls| calls.span.len()), has_table.then_some(0));
        }
    }
}
