//! Texts of policies of the gate, and verdicts by them.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| dlprof_fuzz::policies(bytes));
