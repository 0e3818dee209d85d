//! Bytes that may be an SQLite file.
#![no_main]

use dlprof_core::{Capture, KeyNodeChoice, RangeChoice, ReadOptions};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let file = std::env::temp_dir().join(format!("dlprof-fuzz-{}.sqlite", std::process::id()));
    std::fs::write(&file, bytes).expect("a file");
    let options = ReadOptions { threads: 1, ..ReadOptions::default() };
    if let Ok(capture) = Capture::read(&file, &options) {
        let index = capture.index(&KeyNodeChoice::Find).expect("the finder asks for nothing impossible");
        index.profile(&RangeChoice::default()).expect("all iterations exist");
    }
});
