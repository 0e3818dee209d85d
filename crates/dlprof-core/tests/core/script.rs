//! Small captures, written like a drawing: ranges and launches on one thread.

use dlprof_core::{Capture, ReadOptions};
use rusqlite::{Connection, params};
use std::path::Path;

/// A thread's ranges and launches; time moves forward as they are added.
#[derive(Default, Clone)]
pub(crate) struct Script {
    now: i64,
    ranges: Vec<(String, i64, i64)>,
    launches: Vec<(String, i64, i64)>,
}

const THREAD: i64 = 0x0001_0000_0100_0001;
const PROCESS: i64 = 0x0001_0000_0100_0000;

impl Script {
    /// Lets time pass.
    pub(crate) fn wait(&mut self, ns: i64) -> &mut Self {
        self.now += ns;
        self
    }

    /// Launches a kernel that runs for some time, right after its launch of 5 ns.
    pub(crate) fn launch(&mut self, name: &str, ns: i64) -> &mut Self {
        self.launches.push((name.to_owned(), self.now, ns));
        self.now += 6;
        self
    }

    /// A range around what `body` does.
    pub(crate) fn range(&mut self, text: &str, body: impl FnOnce(&mut Self)) -> &mut Self {
        let start = self.now;
        self.now += 1;
        body(self);
        self.ranges.push((text.to_owned(), start, self.now));
        self
    }

    /// Reads the capture back through the file format.
    pub(crate) fn read(&self) -> Capture {
        self.read_with(&ReadOptions::default())
    }

    pub(crate) fn read_with(&self, options: &ReadOptions<'_>) -> Capture {
        let folder = tempfile::tempdir().expect("a folder for temporary files");
        let file = folder.path().join("script.sqlite");
        self.write_to(&file);
        Capture::read(&file, options).expect("a capture")
    }

    /// Writes the capture in the file format.
    pub(crate) fn write_to(&self, file: &Path) {
        self.write(&Connection::open(file).expect("a database")).expect("rows written");
    }

    fn write(&self, database: &Connection) -> rusqlite::Result<()> {
        database.execute_batch(
            "BEGIN;
             CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
             INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel_v7000');
             CREATE TABLE NVTX_EVENTS (start, end, eventType, text, globalTid, domainId);
             CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, correlationId, nameId);
             CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL
                 (start, end, deviceId, globalPid, correlationId, shortName, demangledName);",
        )?;
        for (text, start, end) in &self.ranges {
            let row = params![start, end, text, THREAD];
            database.execute("INSERT INTO NVTX_EVENTS VALUES (?1, ?2, 59, ?3, ?4, 0)", row)?;
        }
        for (id, (name, start, ns)) in (1..).zip(&self.launches) {
            let call = params![start, start + 5, THREAD, id];
            database.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?1, ?2, ?3, ?4, 1)", call)?;
            let kernel = params![start + 5, start + 5 + ns, PROCESS, id, name];
            database.execute(
                "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?1, ?2, 0, ?3, ?4, ?5, ?5)",
                kernel,
            )?;
        }
        database.execute_batch("COMMIT")
    }
}
