//! Texts of settings files: what they say about rules, GPUs and thresholds, and users' rules on a capture.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| dlprof_fuzz::settings(bytes));
