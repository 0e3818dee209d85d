//! Exports that are damaged, lie, or come from somebody who means harm: `--damage`. SQLite reads all of them.
//!
//! A damage is done to the finished file, so it goes with every other option. Damage to bytes is not here: which bytes is
//! drawn by `tests/campaign`.

use rusqlite::Connection;
use std::error::Error;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// Something done to a finished export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Damage {
    /// Its name on the command line.
    pub(crate) name: &'static str,
    /// What the file then is.
    what: &'static str,
    deed: Deed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Deed {
    /// Statements.
    Sql(&'static str),
    /// Statements for columns that the schema says are never NULL.
    SqlWithoutConstraints(&'static str),
    /// Rows of a transaction that only the file `-wal` holds.
    LeaveWal,
    /// The journal of a transaction that was killed.
    LeaveJournal,
}

use Deed::{LeaveJournal, LeaveWal, Sql, SqlWithoutConstraints};

const fn damage(name: &'static str, what: &'static str, deed: Deed) -> Damage {
    Damage { name, what, deed }
}

/// All damages. Times are in the middle of the capture where a part of it is meant.
pub(crate) const DAMAGES: &[Damage] = &[
    damage(
        "lost-records",
        "the tracer lost all CUDA records of the second half",
        Sql("CREATE TEMP TABLE half AS SELECT (min(start) + max(start)) / 2 AS at FROM CUPTI_ACTIVITY_KIND_RUNTIME;
             DELETE FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE start > (SELECT at FROM half);
             DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE start > (SELECT at FROM half);
             DELETE FROM CUPTI_ACTIVITY_KIND_MEMCPY WHERE start > (SELECT at FROM half);
             DELETE FROM CUPTI_ACTIVITY_KIND_MEMSET WHERE start > (SELECT at FROM half);
             DELETE FROM CUPTI_ACTIVITY_KIND_SYNCHRONIZATION WHERE start > (SELECT at FROM half);"),
    ),
    damage(
        "lost-tail",
        "GPU work that was launched in the last third is missing, and its calls are there",
        Sql("CREATE TEMP TABLE third AS SELECT max(start) - (max(start) - min(start)) / 3 AS at FROM CUPTI_ACTIVITY_KIND_RUNTIME;
             DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE correlationId IN
                 (SELECT correlationId FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE start > (SELECT at FROM third));
             DELETE FROM CUPTI_ACTIVITY_KIND_MEMCPY WHERE correlationId IN
                 (SELECT correlationId FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE start > (SELECT at FROM third));
             DELETE FROM CUPTI_ACTIVITY_KIND_MEMSET WHERE correlationId IN
                 (SELECT correlationId FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE start > (SELECT at FROM third));"),
    ),
    damage(
        "lost-middle",
        "kernels of a third in the middle are missing, and their calls are there",
        Sql("CREATE TEMP TABLE third AS SELECT min(start) AS first, (max(start) - min(start)) / 3 AS length
                 FROM CUPTI_ACTIVITY_KIND_RUNTIME;
             DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL
                 WHERE start BETWEEN (SELECT first + length FROM third) AND (SELECT first + 2 * length FROM third);"),
    ),
    damage(
        "lost-calls",
        "every third API call is missing",
        Sql("DELETE FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE rowid % 3 = 0;"),
    ),
    damage("no-strings", "no name can be looked up", Sql("DELETE FROM StringIds;")),
    damage(
        "huge-texts",
        "names of kernels of one million characters",
        Sql("UPDATE StringIds SET value = replace(hex(zeroblob(500000)), '00', 'ab') || id
             WHERE id IN (SELECT demangledName FROM CUPTI_ACTIVITY_KIND_KERNEL);"),
    ),
    damage(
        "odd-texts",
        "texts with control characters, a zero byte, no characters, and bytes that are not UTF-8",
        Sql("UPDATE StringIds SET value = CASE id % 4 WHEN 0 THEN '' WHEN 1 THEN char(27) || '[31m' || value
             WHEN 2 THEN value || char(0) || 'x' ELSE CAST(x'fffe80' AS TEXT) || value END;"),
    ),
    damage(
        "view",
        "kernels are a view of another table",
        Sql("ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL RENAME TO kernels;
             CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS SELECT * FROM kernels;"),
    ),
    damage(
        "endless-view",
        "kernels are a view whose rows never end",
        Sql("ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL RENAME TO kernels;
             CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS
             WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers)
             SELECT kernels.* FROM numbers, kernels;"),
    ),
    damage(
        "silent-view",
        "strings are a view that computes for ever and gives no row",
        Sql("DROP TABLE StringIds;
             CREATE VIEW StringIds AS
             WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers)
             SELECT n AS id, 'x' AS value FROM numbers WHERE n < 0;"),
    ),
    damage(
        "huge-view",
        "strings are a view whose every row has 400 MB",
        Sql("ALTER TABLE StringIds RENAME TO strings;
             CREATE VIEW StringIds AS SELECT id, hex(zeroblob(200000000)) AS value FROM strings;"),
    ),
    damage(
        "generated",
        "the end of an API call is an expression that takes long and much memory",
        Sql("ALTER TABLE CUPTI_ACTIVITY_KIND_RUNTIME DROP COLUMN callchainId;
             ALTER TABLE CUPTI_ACTIVITY_KIND_RUNTIME ADD COLUMN callchainId INTEGER
             AS (length(hex(zeroblob(300000000)))) VIRTUAL;
             ALTER TABLE CUPTI_ACTIVITY_KIND_RUNTIME RENAME COLUMN returnValue TO oldValue;
             ALTER TABLE CUPTI_ACTIVITY_KIND_RUNTIME ADD COLUMN returnValue INTEGER
             AS (length(hex(zeroblob(300000000)))) VIRTUAL;
             ALTER TABLE CUPTI_ACTIVITY_KIND_RUNTIME RENAME COLUMN nameId TO oldName;
             ALTER TABLE CUPTI_ACTIVITY_KIND_RUNTIME ADD COLUMN nameId INTEGER
             AS (oldName + 0 * length(hex(zeroblob(300000000)))) VIRTUAL;"),
    ),
    damage("no-table", "there are no API calls", Sql("DROP TABLE CUPTI_ACTIVITY_KIND_RUNTIME;")),
    damage(
        "no-column",
        "API calls have no end, kernels no grid",
        Sql("ALTER TABLE CUPTI_ACTIVITY_KIND_RUNTIME DROP COLUMN end;
             ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN gridX;"),
    ),
    damage(
        "nulls",
        "every fifth cell of the times, devices and ids of kernels and API calls is NULL",
        SqlWithoutConstraints(
            "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = NULL WHERE rowid % 5 = 0;
             UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = NULL WHERE rowid % 5 = 1;
             UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET deviceId = NULL WHERE rowid % 5 = 2;
             UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET correlationId = NULL WHERE rowid % 5 = 3;
             UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET start = NULL, nameId = NULL WHERE rowid % 5 = 0;
             UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET globalTid = NULL, end = NULL WHERE rowid % 5 = 1;",
        ),
    ),
    damage(
        "wrong-types",
        "numbers are texts, texts are numbers, and some are blobs or infinite",
        Sql("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = 'soon' WHERE rowid % 7 = 0;
             UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = 9e999 WHERE rowid % 7 = 1;
             UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET gridX = 1.5, registersPerThread = x'00' WHERE rowid % 7 = 2;
             UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET correlationId = x'ff' WHERE rowid % 7 = 3;
             UPDATE StringIds SET value = x'00ff' WHERE id % 7 = 4;"),
    ),
    damage(
        "far-times",
        "times at both ends of 64 bits, before zero, and ends before starts",
        Sql("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = -9223372036854775807 WHERE rowid % 9 = 0;
             UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = 9223372036854775807 WHERE rowid % 9 = 1;
             UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = end, end = start WHERE rowid % 9 = 2;
             UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET start = -1, end = 9223372036854775806 WHERE rowid % 9 = 3;
             UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET start = 9223372036854775800, end = -5 WHERE rowid % 9 = 4;"),
    ),
    damage(
        "far-sizes",
        "sizes, grids and registers whose sums and products leave 64 bits",
        Sql("UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET bytes = 9223372036854775807;
             UPDATE CUPTI_ACTIVITY_KIND_MEMSET SET bytes = 9223372036854775807;
             UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET gridX = 9223372036854775807, gridY = 9223372036854775807,
             blockX = 4294967295, blockY = 4294967295, registersPerThread = 9223372036854775807;
             UPDATE TARGET_INFO_GPU SET smCount = 9223372036854775807, memoryBandwidth = 9223372036854775807,
             clockRate = 9223372036854775807, totalMemory = 9223372036854775807;"),
    ),
    damage(
        "zero-sizes",
        "a GPU without multiprocessors, launches without blocks",
        Sql("UPDATE TARGET_INFO_GPU SET smCount = 0, memoryBandwidth = 0, clockRate = 0, maxWarpsPerSm = 0, name = NULL;
             UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET gridX = 0, blockX = 0, registersPerThread = -1;"),
    ),
    damage(
        "one-id",
        "all GPU work and all API calls have the same correlation id",
        Sql("UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET correlationId = 7;
             UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET correlationId = 7;"),
    ),
    damage(
        "one-time",
        "everything happens at once and takes no time",
        Sql("UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET start = 5, end = 5;
             UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = 5, end = 5;
             UPDATE NVTX_EVENTS SET start = 5, end = 5;"),
    ),
    damage(
        "many-places",
        "every kernel runs on a device, a stream and in a process of its own",
        Sql("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET deviceId = rowid, streamId = rowid, globalPid = rowid << 24;"),
    ),
    damage(
        "rows-twice",
        "every kernel and every API call is there twice",
        Sql("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT * FROM CUPTI_ACTIVITY_KIND_KERNEL;
             INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT * FROM CUPTI_ACTIVITY_KIND_RUNTIME;"),
    ),
    damage(
        "small-pages",
        "pages of 512 bytes, with a free list and deleted rows that are still there",
        Sql("PRAGMA page_size = 512; VACUUM;
             CREATE TABLE deleted AS SELECT * FROM CUPTI_ACTIVITY_KIND_RUNTIME; DROP TABLE deleted;"),
    ),
    damage(
        "large-pages",
        "pages of 64 KB, and pointer maps of automatic vacuuming",
        Sql("PRAGMA page_size = 65536; PRAGMA auto_vacuum = FULL; VACUUM;"),
    ),
    damage(
        "open-wal",
        "another program has the export open: rows are in its log and not yet in the file",
        LeaveWal,
    ),
    damage("killed-writer", "the program that wrote the export was killed within a transaction", LeaveJournal),
];

/// Finds a damage by its name.
pub(crate) fn damage_choice(name: &str) -> Result<Damage, String> {
    DAMAGES.iter().find(|damage| damage.name == name).copied().ok_or_else(|| {
        let lines: Vec<String> =
            DAMAGES.iter().map(|damage| format!("\n  {:14} {}", damage.name, damage.what)).collect();
        format!("`{name}` is unknown; known are{}", lines.concat())
    })
}

/// Does it to a finished file.
pub(crate) fn damage_file(path: &Path, damage: Damage) -> Result<(), Box<dyn Error>> {
    match damage.deed {
        Sql(statements) => execute(path, statements),
        SqlWithoutConstraints(statements) => {
            execute(
                path,
                "PRAGMA writable_schema = ON;
                 UPDATE sqlite_schema SET sql = replace(sql, ' NOT NULL', '') WHERE type = 'table';",
            )?;
            execute(path, statements)
        }
        LeaveWal => leave_beside(path, "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;", "-wal"),
        LeaveJournal => {
            leave_beside(path, "PRAGMA journal_mode = DELETE; PRAGMA cache_spill = 1;", "-journal")
        }
    }
}

fn execute(path: &Path, statements: &str) -> Result<(), Box<dyn Error>> {
    let connection = Connection::open(path)?;
    // A schema whose constraints were taken away is not a mistake here.
    connection.execute_batch("PRAGMA synchronous = OFF; PRAGMA cell_size_check = OFF;")?;
    connection.execute_batch(statements)?;
    Ok(())
}

/// Leaves the file and the one beside it as they are while rows are written; a connection that closes tidies up.
fn leave_beside(path: &Path, mode: &str, ending: &str) -> Result<(), Box<dyn Error>> {
    let connection = Connection::open(path)?;
    connection.execute_batch(mode)?;
    let is_log = ending == "-wal";
    connection.execute_batch(
        "BEGIN; INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT * FROM CUPTI_ACTIVITY_KIND_KERNEL;",
    )?;
    if is_log {
        connection.execute_batch("COMMIT;")?;
    }
    let beside = with_ending(path, ending);
    let (file, left) = (fs::read(path)?, fs::read(&beside)?);
    drop(connection);
    fs::write(path, file)?;
    fs::write(beside, left)?;
    Ok(())
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(ending);
    name.into()
}
