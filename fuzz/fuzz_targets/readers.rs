//! The page reader against SQLite on bytes that may be an SQLite file: it gives the same rows, or declines.
#![no_main]

use dlprof_core::RowReader;
use dlprof_core::fuzzing::LARGE_TABLE_COLUMNS;
use dlprof_core::fuzzing::fingerprint;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let file = std::env::temp_dir().join(format!("dlprof-fuzz-readers-{}.sqlite", std::process::id()));
    std::fs::write(&file, bytes).expect("a file");
    for (table, columns) in LARGE_TABLE_COLUMNS {
        if let Ok(pages) = fingerprint(&file, table, columns, RowReader::Pages) {
            let by_sqlite = fingerprint(&file, table, columns, RowReader::Sqlite);
            assert_eq!(Some(pages), by_sqlite.ok(), "{table}");
        }
    }
});
