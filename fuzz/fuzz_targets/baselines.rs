//! Texts of baselines: they are refused, or can be compared, judged and written again.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| dlprof_fuzz::baselines(bytes));
