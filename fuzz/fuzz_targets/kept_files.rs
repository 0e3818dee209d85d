//! Kept captures and indexes with changed bytes: they are not used, or give what the export gives.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| dlprof_fuzz::kept_files(bytes));
