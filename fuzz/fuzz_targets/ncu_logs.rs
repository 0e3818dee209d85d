//! Logs of Nsight Compute: whole, damaged, or nothing of the kind.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| dlprof_fuzz::ncu_logs(bytes));
