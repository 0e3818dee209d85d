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
#[path = "../../crates/dlprof-core/examples/generate/generator/mod.rs"]
mod generator;

use divan::Bencher;
use dlprof_core::aggregate::{Profile, aggregate};
use dlprof_core::correlate::{Correlation, ModeChoice, correlate};
use dlprof_core::ingest::{self, Reader};
use dlprof_core::tables::{TABLES, definition};
use dlprof_core::trace::Trace;
use dlprof_core::{Capture, IterationOptions, KeyNodeChoice, ProfileSource, ReadOptions, Rows};
use std::path::PathBuf;
use std::sync::LazyLock;

static FILE: LazyLock<PathBuf> = LazyLock::new(|| captures::capture(100_000).expect("a capture"));
static CORRELATED: LazyLock<(Trace, Correlation)> = LazyLock::new(|| {
    let mut trace = ingest(Reader::Auto);
    let correlation = correlate(&mut trace, ModeChoice::Auto);
    (trace, correlation)
});
static PROFILE: LazyLock<Profile<'static>> = LazyLock::new(|| profile(KeyNodeChoice::Find));

fn main() {
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().expect("one pool");
    divan::main();
}

fn ingest(reader: Reader) -> Trace {
    ingest::read(&FILE, reader, None).expect("a trace")
}

fn profile(key_node: KeyNodeChoice) -> Profile<'static> {
    let options = IterationOptions { key_node, ..Default::default() };
    aggregate(&CORRELATED.0, &CORRELATED.1, &options).expect("a profile")
}

#[divan::bench(args = [Reader::Pages, Reader::Sqlite])]
fn ingest_by(bencher: Bencher<'_, '_>, reader: Reader) {
    LazyLock::force(&FILE);
    bencher.bench(|| ingest(reader));
}

#[divan::bench]
fn correlate_markers(bencher: Bencher<'_, '_>) {
    bencher
        .with_inputs(|| ingest(Reader::Auto))
        .bench_values(|mut trace| correlate(&mut trace, ModeChoice::Auto));
}

#[divan::bench]
fn correlate_plain_ranges(bencher: Bencher<'_, '_>) {
    bencher
        .with_inputs(|| ingest(Reader::Auto))
        .bench_values(|mut trace| correlate(&mut trace, ModeChoice::Nvtx));
}

#[divan::bench]
fn aggregate_key_node_named(bencher: Bencher<'_, '_>) {
    LazyLock::force(&CORRELATED);
    bencher.bench(|| profile(KeyNodeChoice::Named("/module/train_step".into())));
}

#[divan::bench]
fn aggregate_key_node_found(bencher: Bencher<'_, '_>) {
    LazyLock::force(&CORRELATED);
    bencher.bench(|| profile(KeyNodeChoice::Find));
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
    let cache = dlprof_core::cache::Cache::new(folder.path().into(), u64::MAX);
    let options = ReadOptions { threads: 1, cache: Some(&cache), ..Default::default() };
    let read = || Capture::read(&FILE, options).expect("a capture");
    read();
    bencher.bench(read);
}

#[divan::bench]
fn range_from_kept_sums(bencher: Bencher<'_, '_>) {
    let folder = tempfile::tempdir().expect("a folder");
    let cache = dlprof_core::cache::Cache::new(folder.path().into(), u64::MAX);
    let options = ReadOptions { threads: 1, cache: Some(&cache), ..Default::default() };
    let range = IterationOptions { iter_start: Some(7), iter_stop: Some(600), ..Default::default() };
    let make = || {
        let source = ProfileSource::read(&FILE, options, &range, Rows::NotNeeded).expect("a source");
        source.profile().expect("a profile").summary
    };
    make();
    bencher.bench(make);
}
