//! A small job of many ranks: a capture per rank, whose steps end in a collective of all.
//!
//! ```text
//! rank 0   ├ input ┤├───── compute ─────┤├── waits ──┤├ transfer ┤
//! rank 1   ├ input ┤├────────── compute ────────────┤├ transfer ┤     the slow one
//! ```

use rusqlite::{Connection, params};
use std::error::Error;
use std::path::{Path, PathBuf};

/// What a job is like.
#[derive(Debug, Clone, Copy)]
pub struct JobPlan<'a> {
    /// Ranks; eight to a node.
    pub ranks: i64,
    /// Steps.
    pub steps: i64,
    /// Time of the computation of a step, in nanoseconds.
    pub compute_ns: i64,
    /// A rank that takes longer, by so many thousandths.
    pub slow: Option<(i64, i64)>,
    /// Name of the GPUs.
    pub gpu: &'a str,
    /// What names of nodes begin with.
    pub node: &'a str,
    /// Another job of the same kind has other noise.
    pub seed: i64,
}

impl Default for JobPlan<'_> {
    fn default() -> Self {
        Self {
            ranks: 2,
            steps: 8,
            compute_ns: 6_000_000,
            slow: None,
            gpu: "NVIDIA A100-SXM4-80GB",
            node: "node",
            seed: 0,
        }
    }
}

const PID: i64 = 4000;
/// As nsys puts a process and a thread into one number.
const PROCESS: i64 = (1 << 48) | (PID << 24);
const THREAD: i64 = PROCESS | PID;
const COPY_NS: i64 = 200_000;
const TRANSFER_NS: i64 = 400_000;
const PAUSE_NS: i64 = 100_000;

const TABLES: &str = "
CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER,
  correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, shortName INTEGER, gridX INTEGER, gridY INTEGER, gridZ INTEGER,
  blockX INTEGER, blockY INTEGER, blockZ INTEGER, registersPerThread INTEGER, staticSharedMemory INTEGER,
  dynamicSharedMemory INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER,
  correlationId INTEGER, globalPid INTEGER, bytes INTEGER, copyKind INTEGER, srcKind INTEGER, dstKind INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, eventClass INTEGER, globalTid INTEGER,
  correlationId INTEGER, nameId INTEGER, returnValue INTEGER);
CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER, domainId INTEGER);
CREATE TABLE TARGET_INFO_GPU (vmId INTEGER, id INTEGER, name TEXT, smCount INTEGER, uuid TEXT, cuDevice INTEGER);
CREATE TABLE TARGET_INFO_SYSTEM_ENV (globalVid INTEGER, devStateName TEXT, name TEXT, nameEnum INTEGER, value TEXT);
CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER, utcTime TEXT, localTime TEXT);
CREATE TABLE META_DATA_CAPTURE (name TEXT, value TEXT);
INSERT INTO StringIds VALUES (1, 'gemm_kernel'), (2, 'ncclDevKernel_AllReduce_Sum_bf16_RING_LL'),
  (3, 'cudaLaunchKernel_v7000'), (4, 'cudaMemcpyAsync_v3020'), (5, 'cudaStreamSynchronize_v3020');
";

/// Writes the captures of a job to a folder that exists: `rank0.sqlite`, `rank1.sqlite` and so on.
///
/// # Errors
/// If a file cannot be written.
pub fn write_job(folder: &Path, plan: &JobPlan<'_>) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let write = |rank| {
        let path = folder.join(format!("rank{rank}.sqlite"));
        write_rank(&path, plan, rank)?;
        Ok(path)
    };
    (0..plan.ranks).map(write).collect()
}

/// The computation of a rank in a step.
fn compute_ns(plan: &JobPlan<'_>, rank: i64, step: i64) -> i64 {
    // Up to 2 %, the same in every run of the same plan.
    let noise = ((rank * 7919 + step * 104_729 + plan.seed * 15_485_863) % 997).abs();
    let own = plan.compute_ns + plan.compute_ns * noise / 50_000;
    match plan.slow {
        Some((slow, thousandths)) if slow == rank => own + plan.compute_ns * thousandths / 1000,
        _ => own,
    }
}

fn write_rank(path: &Path, plan: &JobPlan<'_>, rank: i64) -> Result<(), Box<dyn Error>> {
    let mut database = Connection::open(path)?;
    database.execute_batch("PRAGMA synchronous = OFF; PRAGMA page_size = 4096")?;
    let database = database.transaction()?;
    database.execute_batch(TABLES)?;
    let gpu = rank % 8;
    database.execute(
        "INSERT INTO TARGET_INFO_GPU VALUES (1, ?1, ?2, 108, ?3, ?1)",
        params![gpu, plan.gpu, format!("GPU-{rank}")],
    )?;
    database.execute(
        "INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES (1, 'Local', 'Hostname', 500, ?1)",
        [format!("{}{:03}", plan.node, rank / 8)],
    )?;
    database
        .execute("INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1726999998000000000, '', '')", [])?;
    database.execute(
        "INSERT INTO META_DATA_CAPTURE VALUES ('PROFILING_SESSION_UUID', ?1)",
        [format!("{}-{rank}", plan.seed)],
    )?;
    let mut writer = Writer { database: &database, gpu, correlation: 0 };
    let mut begin = 1_000_000_000;
    for step in 0..plan.steps {
        let longest = (0..plan.ranks).map(|other| compute_ns(plan, other, step)).max().unwrap_or(0);
        let [computes, own_end] = [begin + COPY_NS, begin + COPY_NS + compute_ns(plan, rank, step)];
        let end = begin + COPY_NS + longest + TRANSFER_NS;
        writer.copy(begin, computes)?;
        writer.kernel(begin + 20_000, (computes, own_end), 1, 7)?;
        writer.kernel(begin + 30_000, (own_end, end), 2, 8)?;
        writer.call(5, begin + 40_000, end)?;
        writer.range(&format!("step {step}"), begin - 20_000, end + 20_000)?;
        begin = end + PAUSE_NS;
    }
    database.commit()?;
    Ok(())
}

struct Writer<'a> {
    database: &'a Connection,
    gpu: i64,
    correlation: i64,
}

impl Writer<'_> {
    fn call(&mut self, name: i64, start: i64, end: i64) -> rusqlite::Result<()> {
        self.correlation += 1;
        self.database
            .prepare("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?1, ?2, 0, ?3, ?4, ?5, 0)")?
            .execute([start, end, THREAD, self.correlation, name])
            .map(drop)
    }

    fn kernel(
        &mut self,
        call: i64,
        (start, end): (i64, i64),
        name: i64,
        stream: i64,
    ) -> rusqlite::Result<()> {
        self.call(3, call, call + 5_000)?;
        self.database
            .prepare(
                "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?1, ?2, ?3, 1, ?4, ?5, ?6, ?7, ?7, 64, 1, 1, 128, 1, 1, 32, 0, 0)",
            )?
            .execute([start, end, self.gpu, stream, self.correlation, PROCESS, name])
            .map(drop)
    }

    fn copy(&mut self, start: i64, end: i64) -> rusqlite::Result<()> {
        self.call(4, start - 10_000, start - 5_000)?;
        self.database
            .prepare(
                "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (?1, ?2, ?3, 1, 7, ?4, ?5, 1048576, 1, 1, 2)",
            )?
            .execute([start, end, self.gpu, self.correlation, PROCESS])
            .map(drop)
    }

    fn range(&self, text: &str, start: i64, end: i64) -> rusqlite::Result<()> {
        self.database
            .prepare("INSERT INTO NVTX_EVENTS VALUES (?1, ?2, 59, ?3, ?4, 0)")?
            .execute(params![start, end, text, THREAD])
            .map(drop)
    }
}
