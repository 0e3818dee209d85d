//! A well-formed export whose cells hold anything: eight bytes of input a cell.
#![no_main]

use dlprof_core::{Capture, Judged, KeyNodeChoice, RangeChoice, ReadOptions, TABLES};
use libfuzzer_sys::fuzz_target;
use rusqlite::{Connection, types::Value};

const TABLES_AND_COLUMNS: [(&str, usize, &str); 6] = [
    ("StringIds", 2, "id, value"),
    ("NVTX_EVENTS", 6, "start, end, eventType, text, globalTid, domainId"),
    ("CUPTI_ACTIVITY_KIND_RUNTIME", 5, "start, end, globalTid, correlationId, nameId"),
    ("CUPTI_ACTIVITY_KIND_KERNEL", 7, "start, end, deviceId, globalPid, correlationId, shortName, gridX"),
    ("CUPTI_ACTIVITY_KIND_MEMCPY", 6, "start, end, deviceId, globalPid, correlationId, copyKind"),
    ("TARGET_INFO_GPU", 5, "id, cuDevice, name, computeMajor, smCount"),
];

fn cell(bytes: &[u8]) -> Value {
    let number = i64::from_le_bytes(bytes.try_into().unwrap_or_default());
    match bytes[0] % 8 {
        0 => Value::Null,
        1 => Value::Integer(number),
        2 => Value::Real(f64::from_bits(number.cast_unsigned())),
        3 => Value::Blob(bytes.to_vec()),
        4 => Value::Text(String::from_utf8_lossy(&bytes[1..]).into_owned()),
        5 => Value::Text(
            ["step 3", "aten::mm, seq = 1", "MmBackward0, seq = 1", "{'mod': 'x', 'op': 'mm', 'args': []}"]
                [usize::from(bytes[1] % 4)]
            .into(),
        ),
        6 => Value::Integer(59),
        _ => Value::Integer(i64::from(bytes[1])),
    }
}

fn write(bytes: &[u8], database: &Connection) -> rusqlite::Result<()> {
    let mut cells = bytes.chunks_exact(8).map(cell);
    for (table, columns, names) in TABLES_AND_COLUMNS {
        database.execute_batch(&format!("CREATE TABLE {table} ({names})"))?;
        let marks = vec!["?"; columns].join(", ");
        for _ in 0..12 {
            let row: Vec<Value> = cells.by_ref().take(columns).collect();
            if row.len() == columns {
                database.execute(
                    &format!("INSERT INTO {table} VALUES ({marks})"),
                    rusqlite::params_from_iter(row),
                )?;
            }
        }
    }
    Ok(())
}

fuzz_target!(|bytes: &[u8]| {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("cells.sqlite");
    let database = Connection::open(&file).expect("a database");
    database.execute_batch("PRAGMA synchronous = OFF; BEGIN").expect("SQL");
    write(bytes, &database).expect("rows written");
    database.execute_batch("COMMIT").expect("SQL");
    drop(database);
    let options = ReadOptions { threads: 1, ..ReadOptions::default() };
    let Ok(capture) = Capture::read(&file, &options) else { return };
    let index = capture.index(&KeyNodeChoice::Find).expect("the finder asks for nothing impossible");
    let profile = Judged::from(index.profile(&RangeChoice::default()).expect("all iterations exist"));
    for build in TABLES.iter().map(|definition| definition.build) {
        let table = build(&profile);
        for row in 0..table.rows() {
            for column in 0..table.columns() {
                std::hint::black_box(table.value(row, column));
            }
        }
    }
});
