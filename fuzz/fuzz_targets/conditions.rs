//! Texts of conditions, columns and orders, on every table of a capture.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| dlprof_fuzz::conditions(bytes));
