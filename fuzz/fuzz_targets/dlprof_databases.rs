//! A whole DLProf database with up to twenty deeds: tables, columns, rows and cells.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| dlprof_fuzz::dlprof_databases(bytes));
