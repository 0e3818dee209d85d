//! The stages one by one, on a hundred thousand kernels: where a change made itself felt.
//!
//! ```text
//! cargo bench --bench stages
//! cargo bench --bench stages -- correlate
//! ```
//!
//! Wall time on one thread. `benches/instructions.sh` counts instructions, which noise does not change.

#[path = "../captures.rs"]
mod captures;

use divan::Bencher;
use dlprof_core::{
    Cache, Capture, Facts, Index, Judged, KeyNodeChoice, LooseWork, Memory, ModeChoice, RangeChoice,
    ReadOptions, RowReader, SqliteOptions, TABLES, correlate, definition, read_facts,
};
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

static FILE: LazyLock<PathBuf> = LazyLock::new(|| captures::MARKERS.capture(100_000).expect("a capture"));
static POOL: LazyLock<Arc<rayon::ThreadPool>> =
    LazyLock::new(|| Arc::new(rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("one thread")));
static CAPTURE: LazyLock<Capture> = LazyLock::new(|| correlated(ingest(RowReader::Auto), ModeChoice::Auto));
static INDEX: LazyLock<Index> = LazyLock::new(|| CAPTURE.index(&KeyNodeChoice::Find).expect("an index"));
static PROFILE: LazyLock<Judged> = LazyLock::new(|| profile(&RangeChoice::default()));

static TRACE: LazyLock<PathBuf> = LazyLock::new(|| {
    let file = std::env::temp_dir().join(format!("dlprof-bench-{}.json", std::process::id()));
    std::fs::write(&file, trace(100_000)).expect("a trace");
    file
});

/// A trace of torch.profiler: an operator, a call and a kernel for each launch, with arguments that are not read.
fn trace(launches: usize) -> String {
    let mut text = String::from("{\"schemaVersion\": 1, \"traceEvents\": [");
    for launch in 1..=launches {
        let (at, comma) = (launch * 50, if launch == 1 { "" } else { "," });
        let name = launch % 300;
        write!(
            text,
            r#"{comma}
  {{"ph": "X", "cat": "cpu_op", "name": "aten::op{name}", "pid": 7, "tid": 8, "ts": {at}.125, "dur": 40.500,
    "args": {{"External id": {launch}, "Record function id": 0, "Sequence number": {launch}, "Fwd thread id": 0,
      "Input Dims": [[32, 64, 56, 56], [64, 64, 3, 3], []], "Input type": ["float", "float", ""], "Ev Idx": {launch}}}}},
  {{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 7, "tid": 8, "ts": {at}.625, "dur": 5.250,
    "args": {{"External id": {launch}, "cbid": 211, "correlation": {launch}}}}},
  {{"ph": "s", "id": {launch}, "pid": 7, "tid": 8, "ts": {at}.625, "cat": "ac2g", "name": "ac2g"}},
  {{"ph": "X", "cat": "kernel", "name": "void kernel{name}<float, 4>(float*, int)", "pid": 0, "tid": 7, "ts": {at}.875,
    "dur": 30.000, "args": {{"External id": {launch}, "queued": 0, "device": 0, "context": 1, "stream": 7,
      "correlation": {launch}, "registers per thread": 32, "shared memory": 0, "grid": [64, 1, 1], "block": [128, 1, 1]}}}}"#
        )
        .expect("memory takes everything");
    }
    text + "\n]}"
}

fn main() {
    divan::main();
}

fn ingest(reader: RowReader) -> Facts {
    let sqlite = SqliteOptions { reader, ..SqliteOptions::default() };
    POOL.install(|| read_facts(&FILE, sqlite, &Memory::default(), None).expect("facts"))
}

fn correlated(facts: Facts, mode: ModeChoice) -> Capture {
    POOL.install(|| correlate(facts, mode, LooseWork::default(), &[], Arc::clone(&POOL))).into()
}

fn profile(range: &RangeChoice) -> Judged {
    INDEX.profile(range).expect("a profile").into()
}

#[divan::bench(args = [RowReader::Pages, RowReader::Sqlite])]
fn ingest_by(bencher: Bencher<'_, '_>, reader: RowReader) {
    LazyLock::force(&FILE);
    bencher.bench(|| ingest(reader));
}

/// Reading and correlating: the longest part is the text.
#[divan::bench]
fn read_trace(bencher: Bencher<'_, '_>) {
    LazyLock::force(&TRACE);
    let options = ReadOptions { threads: 1, ..ReadOptions::default() };
    bencher.bench(|| Capture::read(&TRACE, &options).expect("a capture"));
}

#[divan::bench]
fn correlate_markers(bencher: Bencher<'_, '_>) {
    bencher.with_inputs(|| ingest(RowReader::Auto)).bench_values(|facts| correlated(facts, ModeChoice::Auto));
}

#[divan::bench]
fn correlate_plain_ranges(bencher: Bencher<'_, '_>) {
    bencher.with_inputs(|| ingest(RowReader::Auto)).bench_values(|facts| correlated(facts, ModeChoice::Nvtx));
}

#[divan::bench]
fn index_key_node_named(bencher: Bencher<'_, '_>) {
    LazyLock::force(&CAPTURE);
    bencher.bench(|| CAPTURE.index(&KeyNodeChoice::Named("/module/train_step".into())));
}

#[divan::bench]
fn index_key_node_found(bencher: Bencher<'_, '_>) {
    LazyLock::force(&CAPTURE);
    bencher.bench(|| CAPTURE.index(&KeyNodeChoice::Find));
}

#[divan::bench]
fn profile_of_all_iterations(bencher: Bencher<'_, '_>) {
    LazyLock::force(&INDEX);
    bencher.bench(|| profile(&RangeChoice::default()));
}

#[divan::bench]
fn all_tables_but_kernels(bencher: Bencher<'_, '_>) {
    LazyLock::force(&PROFILE);
    let tables = || TABLES.iter().filter(|definition| definition.key != "kernels");
    bencher.bench(|| tables().map(|definition| (definition.build)(&PROFILE).rows()).sum::<usize>());
}

#[divan::bench]
fn table_of_kernels(bencher: Bencher<'_, '_>) {
    LazyLock::force(&PROFILE);
    let kernels = definition("kernels").expect("the table");
    bencher.bench(|| (kernels.build)(&PROFILE).rows());
}

#[divan::bench]
fn capture_read_from_the_cache(bencher: Bencher<'_, '_>) {
    let folder = tempfile::tempdir().expect("a folder");
    let cache = Cache::new(folder.path().into(), u64::MAX);
    let options = ReadOptions { threads: 1, ..Default::default() };
    let read = || cache.export(&FILE, ModeChoice::Auto).capture(&options).expect("a capture");
    read();
    bencher.bench(read);
}

#[divan::bench]
fn range_from_the_cache(bencher: Bencher<'_, '_>) {
    let folder = tempfile::tempdir().expect("a folder");
    let cache = Cache::new(folder.path().into(), u64::MAX);
    let options = ReadOptions { threads: 1, ..Default::default() };
    let range = RangeChoice::from(7..=600);
    let make = || {
        let export = cache.export(&FILE, ModeChoice::Auto);
        let capture = export.capture(&options).expect("a capture");
        let index = export.index(&capture, &KeyNodeChoice::Find).expect("an index");
        index.profile(&range).expect("a profile")
    };
    make();
    bencher.bench(make);
}
