//! Small captures of several threads, written row by row.

use dlprof_core::{Capture, KeyNodeChoice, Profile, RangeChoice, ReadOptions};
use rusqlite::{Connection, params};

const PROCESS: i64 = 0x0001_0000_0100_0000;

/// Ranges and launches of threads 1, 2, …
pub(crate) struct Drawn {
    database: Connection,
    folder: tempfile::TempDir,
    texts: i64,
}

impl Drawn {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let database = Connection::open(folder.path().join("drawn.sqlite")).expect("a database");
        let tables = "
            CREATE TABLE StringIds (id INTEGER, value TEXT);
            CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER);
            CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME
                (start INTEGER, end INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER);
            CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL
                (start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER, correlationId INTEGER,
                 globalPid INTEGER, demangledName INTEGER, shortName INTEGER, gridX INTEGER, gridY INTEGER,
                 gridZ INTEGER, blockX INTEGER, blockY INTEGER, blockZ INTEGER);
            INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel_v7000');";
        database.execute_batch(tables).expect("tables");
        Self { database, folder, texts: 1 }
    }

    pub(crate) fn range(&mut self, thread: i64, text: &str, start: i64, end: i64) -> &mut Self {
        let row = params![start, end, text, PROCESS + thread];
        self.database.execute("INSERT INTO NVTX_EVENTS VALUES (?1, ?2, 59, ?3, ?4)", row).expect("a range");
        self
    }

    /// A launch call of 1 µs, and a kernel of some length 5 µs after its start.
    pub(crate) fn launch(&mut self, thread: i64, kernel: &str, start: i64, length: i64) -> &mut Self {
        self.texts += 1;
        let id = self.texts;
        let add = |sql: &str, row: &[&dyn rusqlite::ToSql]| {
            self.database.execute(sql, row).expect("a row");
        };
        add("INSERT INTO StringIds VALUES (?1, ?2)", params![id, kernel]);
        add(
            "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?1, ?2, ?3, ?4, 1)",
            params![start, start + 1_000, PROCESS + thread, id],
        );
        add(
            "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?1, ?2, 0, 7, ?3, ?4, ?3, ?3, 1, 1, 1, 32, 1, 1)",
            params![start + 5_000, start + 5_000 + length, id, PROCESS],
        );
        self
    }

    pub(crate) fn profile(&self, options: &ReadOptions<'_>) -> Profile {
        let capture = Capture::read(&self.folder.path().join("drawn.sqlite"), options).expect("a capture");
        let index = capture.index(&KeyNodeChoice::None).expect("an index");
        index.profile(&RangeChoice::default()).expect("a profile")
    }
}

/// GPU time of each op by name, and how much of it came by time.
pub(crate) fn gpu_times(profile: &Profile) -> Vec<(&str, i64, i64)> {
    let row = |stats: &dlprof_core::OpStats| {
        (profile.op_name(stats.op), stats.times.gpu.sum, profile.by_time_gpu_time_ns(stats.op))
    };
    let mut rows: Vec<_> = profile.op_stats.iter().map(row).collect();
    rows.sort_unstable();
    rows
}
