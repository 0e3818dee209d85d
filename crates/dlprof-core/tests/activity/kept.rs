//! A kept capture has the same facts as one that was just read.

use crate::host_tables::export_in;
use dlprof_core::capture::classified::{activity_of, host_samples_of};
use dlprof_core::capture::correlate::ModeChoice;
use dlprof_core::kept::Cache;
use dlprof_core::{Capture, ReadOptions};

/// All facts that figures of waiting GPUs, memory and counters are made of.
fn content(capture: &Capture) -> [String; 3] {
    let activity = activity_of(capture);
    let texts: Vec<&str> = capture.strings.iter().collect();
    let on_gpus = (activity.items, &capture.streams, &capture.devices, &capture.launch_configs);
    let on_threads = (activity.calls, activity.mpi, activity.os_calls, activity.overheads, activity.threads);
    let rest =
        (host_samples_of(capture), &capture.memory_events, &capture.metric_samples, &capture.notes, texts);
    [format!("{on_gpus:?}"), format!("{on_threads:?}"), format!("{rest:?}")]
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
            assert_eq!(activity_of(&capture).os_calls.map(|calls| calls.span.len()), has_table.then_some(0));
        }
    }
}
