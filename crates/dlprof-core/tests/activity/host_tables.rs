//! Every table of what CPU threads and GPUs did is read, by either reader, and shifted like all times.

use dlprof_core::{
    ApiCallId, Capture, DeviceId, GraphOrigin, LaunchConfigId, Maybe, OverheadKind, ProcessId, ReadOptions,
    RowReader, Span, SqliteOptions, StrId, Stream, StreamId, ThreadId,
};
use rusqlite::Connection;
use std::path::{Path, PathBuf};

/// The export of `host-tables.sql` in a folder.
pub(crate) fn export_in(folder: &Path) -> PathBuf {
    let file = folder.join("host.sqlite");
    let sql = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/host-tables.sql");
    let sql = std::fs::read_to_string(sql).expect("the SQL file");
    Connection::open(&file).and_then(|database| database.execute_batch(&sql)).expect("a database");
    file
}

/// What both readers make of the export.
fn captures() -> [Capture; 2] {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let file = export_in(folder.path());
    [RowReader::Pages, RowReader::Sqlite].map(|reader| {
        let sqlite = SqliteOptions { reader, ..SqliteOptions::default() };
        Capture::read(&file, &ReadOptions { sqlite, ..ReadOptions::default() }).expect("a capture")
    })
}

fn texts<'a>(capture: &'a Capture, ids: &[StrId]) -> Vec<&'a str> {
    ids.iter().map(|&id| capture.strings.get(id)).collect()
}

fn threads(capture: &Capture, ids: &[Maybe<ThreadId>]) -> Vec<i64> {
    let tid = |id: &Maybe<ThreadId>| id.some().map_or(0, |id| capture.threads[id.index()].global_tid);
    ids.iter().map(tid).collect()
}

fn spans<const N: usize>(times: [(i64, i64); N]) -> [Span; N] {
    times.map(|(start, end)| Span::new(start, end))
}

#[test]
fn gpu_work_has_streams_bytes_and_needs() {
    for capture in captures() {
        assert_eq!(&capture.work.stream[..], &[0, 0, 1, 1].map(StreamId::new));
        let stream = |number| Stream {
            process: ProcessId::new(0).into(),
            device: DeviceId::new(0),
            context: 1,
            number,
        };
        assert_eq!(capture.streams, [7, 13].map(stream));
        assert_eq!(&capture.transfers.bytes[..], &[4096, 64, 0]);
        assert_eq!(&capture.transfers.graph[..], &[GraphOrigin::None, GraphOrigin::Node, GraphOrigin::None]);
        let kinds = [&capture.copies.kind, &capture.copies.source_memory, &capture.copies.target_memory];
        assert_eq!(kinds.map(|column| column.to_vec()), [[1, 2], [1, 255], [2, 0]]);
        let config = capture.launch_configs[LaunchConfigId::new(0).index()];
        assert_eq!((config.registers, config.shared_bytes()), (Some(168), Some(49168)));
        let device = &capture.devices[0];
        assert_eq!(
            (device.clock_hz, device.memory_bandwidth),
            (Some(1_410_000_000), Some(1_935_360_000_000))
        );
        let limits = [device.warps_per_sm, device.blocks_per_sm, device.shared_bytes_per_sm];
        assert_eq!(limits, [64, 32, 167_936].map(Some));
        let limits = [device.shared_bytes_per_block, device.registers_per_sm, device.registers_per_block];
        assert_eq!(limits, [166_912, 65_536, 65_536].map(Some));
    }
}

#[test]
fn rows_with_a_backtrace_repeat_a_call_that_has_its_own() {
    for capture in captures() {
        assert_eq!(capture.api_calls.len(), 4);
        assert_eq!(&capture.repeated_calls.repeat[..], &[ApiCallId::new(1)]);
        assert_eq!(&capture.repeated_calls.call[..], &[ApiCallId::new(0)]);
        let counted: Vec<_> = capture.counted_calls().map(|(call, _)| call.index()).collect();
        assert_eq!(counted, [0, 2, 3]);
        assert_eq!(capture.counts().api_calls, 3, "a repetition is no call");
        assert_eq!(
            capture.launches.api[dlprof_core::WorkId::new(0)]
                .some()
                .map(|call| capture.repeated_calls.counted(call)),
            Some(ApiCallId::new(0))
        );
    }
}

#[test]
fn functions_on_threads_are_read() {
    for capture in captures() {
        let mpi = &capture.host.mpi;
        assert_eq!(&mpi.span[..], &spans([(200, 210), (220, 240)]));
        assert_eq!(texts(&capture, &mpi.name), ["MPI_Send", "MPI_Barrier"]);
        assert_eq!(threads(&capture, &mpi.thread), [16_777_217, 16_777_218]);
        let os_calls = capture.host.os_calls.as_ref().expect("the table");
        assert_eq!(&os_calls.span[..], &spans([(300, 310), (302, 305), (306, 307)]));
        assert_eq!(texts(&capture, &os_calls.name), ["poll", "read", "read"]);
        assert_eq!(threads(&capture, &os_calls.thread), [16_777_217, 33_554_433, 0]);
        assert_eq!(&os_calls.nesting[..], &[0, 1, 255]);
        let overheads = &capture.host.overheads;
        assert_eq!(&overheads.span[..], &spans([(400, 410), (420, 430), (440, 450), (460, 470)]));
        use OverheadKind::{BufferFull, Profiler, Setup};
        assert_eq!(&overheads.kind[..], &[Profiler, Setup, BufferFull, Setup]);
        let names: Vec<StrId> = capture.threads.iter().map(|thread| thread.name).collect();
        assert_eq!(texts(&capture, &names), ["pt_main_thread", "", ""]);
    }
}

#[test]
fn samples_have_their_stacks_and_switches_their_times() {
    for capture in captures() {
        let host = &capture.host;
        assert_eq!(&host.samples.time[..], &[500, 510, 520]);
        assert_eq!(threads(&capture, &host.samples.thread), [16_777_217, 33_554_433, 0]);
        assert_eq!(&host.stack_offsets.offset[..], &[0, 3, 3, 5]);
        assert_eq!(texts(&capture, &host.stack_frames.symbol), ["step", "main", "_start", "step", "main"]);
        assert_eq!(texts(&capture, &host.stack_frames.module), ["/bin/train"; 5]);
        assert_eq!(&host.switches.time[..], &[600, 610]);
        assert_eq!(&host.switches.switched_in[..], &[true, false]);
    }
}

#[test]
fn memory_counters_and_notes_are_read() {
    for capture in captures() {
        let events = &capture.memory_events;
        assert_eq!((&events.time[..], &events.bytes[..]), (&[700, 710][..], &[512, 512][..]));
        assert_eq!((&events.kind[..], &events.operation[..]), (&[2, 2][..], &[0, 1][..]));
        assert_eq!(&events.device[..], &[DeviceId::new(0); 2]);
        let samples = &capture.metric_samples;
        assert_eq!((&samples.time[..], &samples.value[..]), (&[800, 900][..], &[55, 60][..]));
        assert_eq!(&samples.device[..], &[DeviceId::new(0).into(), Maybe::NONE]);
        let notes = &capture.notes;
        let faults = notes.page_faults;
        assert_eq!((faults.cpu_events, faults.gpu_events, faults.gpu_faults), (Some(3), Some(2), 17));
        assert_eq!(notes.metric_names[0].name, "SMs Active [Throughput %]");
        let messages: Vec<_> =
            notes.nsys_messages.iter().map(|message| (message.severity, &*message.text)).collect();
        assert_eq!(messages, [(1, "Profiling has started."), (3, "Not all events were collected.")]);
    }
}

/// Before nsys 2021 another table tells about GPUs: clocks in kHz, memory in MiB, and a bandwidth that is no use.
#[test]
fn gpus_of_2020_have_limits_too() {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let file = export_in(folder.path());
    let sql = "DROP TABLE TARGET_INFO_GPU;
        CREATE TABLE TARGET_INFO_CUDA_GPU
            (name TEXT, pciBusId TEXT, globalMemoryBandwidth INTEGER, globalMemorySize INTEGER, coreClockRate INTEGER,
             numMultiprocessors INTEGER, maxWarpsPerMultiprocessor INTEGER, maxBlocksPerMultiprocessor INTEGER,
             maxRegistersPerBlock INTEGER, maxSharedMemoryPerBlock INTEGER, computeCapabilityMajor INTEGER,
             computeCapabilityMinor INTEGER, deviceId INTEGER, pid INTEGER, maxSharedMemoryPerMultiprocessor INTEGER,
             maxRegistersPerMultiprocessor INTEGER);
        INSERT INTO TARGET_INFO_CUDA_GPU VALUES
            ('TITAN RTX', '0000:01:00.0', 4026531840, 24220, 1770000, 72, 32, 16, 65536, 49152, 7, 5, 0, 1, 65536, 65535);";
    let database = Connection::open(&file).expect("a database");
    database.execute_batch(sql).expect("SQL");
    database.close().expect("closed");
    let capture = Capture::read(&file, &ReadOptions::default()).expect("a capture");
    let device = &capture.devices[0];
    assert_eq!((device.sm_count, device.memory_bytes), (Some(72), Some(24_220 << 20)));
    assert_eq!((device.clock_hz, device.memory_bandwidth), (Some(1_770_000_000), None));
    let limits = [device.warps_per_sm, device.blocks_per_sm, device.shared_bytes_per_sm];
    assert_eq!(limits, [32, 16, 65_536].map(Some));
    let limits = [device.shared_bytes_per_block, device.registers_per_sm, device.registers_per_block];
    assert_eq!(limits, [None, Some(65_535), Some(65_536)]);
}
