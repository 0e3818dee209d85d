//! Texts of ranges, whatever a program wrote.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| dlprof_core::fuzzing::read_range_text(text));
