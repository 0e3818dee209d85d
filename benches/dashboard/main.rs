//! What an analysis costs, against what reading the file costs, in one run.
//!
//! ```text
//! cargo bench --bench dashboard                   # one million kernels
//! cargo bench --bench dashboard -- 100000 10000000
//! cargo bench --bench dashboard -- hurt           # ranges a million deep, and a text of 20,000 slashes
//! ```
//!
//! Makes the exports it needs: with DLProf's markers, and with ranges of PyTorch's `emit_nvtx` in order of time, as nsys writes
//! them, and thread by thread, of two GPUs and of eight (kept in cargo's folder for temporary files), and prints CPU seconds of the
//! baselines, of the stages and of the whole process, each as a ratio to stepping through the same rows with SQLite. The ratios hold
//! on other machines; absolute times do not. Medians of several runs, the kinds in turn, so that a machine whose speed
//! drifts does not favour one of them.

#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]

#[path = "../captures.rs"]
mod captures;
mod others;
mod process;
mod scan;

use captures::{Kind, MARKERS, TWO, folder, made};
use cpu_time::ProcessTime;
use dlprof_core::{
    Capture, Judged, KeyNodeChoice, LooseWork, Memory, ModeChoice, RangeChoice, RowReader, SqliteOptions,
    TABLES, correlate, read_facts,
};
use process::Usage;
use std::error::Error;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    if std::env::args().any(|argument| argument == "hurt") {
        return HURT.iter().try_for_each(|hurt| measure_hurt(hurt));
    }
    let sizes: Vec<usize> = std::env::args().skip(1).filter_map(|argument| argument.parse().ok()).collect();
    let sizes = if sizes.is_empty() { vec![1_000_000] } else { sizes };
    let named: Vec<&Kind> =
        KINDS.iter().filter(|kind| std::env::args().any(|word| word == kind.name)).collect();
    for kernels in sizes {
        if !named.is_empty() {
            named.iter().try_for_each(|kind| measure(kind, kernels))?;
            continue;
        }
        KINDS.iter().try_for_each(|kind| measure(kind, kernels))?;
        measure_rocpd(kernels)?;
        measure_xplane(kernels)?;
    }
    Ok(())
}

/// What is measured.
const KINDS: [Kind; 5] = [
    MARKERS,
    Kind { name: "emit-nvtx", arguments: "--style emit-nvtx", machine: TWO },
    Kind { name: "emit-nvtx-by-thread", arguments: "--style emit-nvtx --by-thread", machine: TWO },
    Kind { name: "emit-nvtx-8-gpus", arguments: "--style emit-nvtx", machine: EIGHT },
    Kind { name: "emit-nvtx-8-gpus-by-thread", arguments: "--style emit-nvtx --by-thread", machine: EIGHT },
];

/// What cost that grows with GPUs, streams and processes shows on.
const EIGHT: &str = "--processes 8 --gpus 8 --streams 4";

fn measure(kind: &Kind, kernels: usize) -> Result<()> {
    let file = kind.capture(kernels)?;
    // What runs once per iteration.
    let key_node = if kind.name == MARKERS.name { "/module/train_step" } else { "step" };
    let cache = folder().join("cache");
    let runs = if kernels > 2_000_000 { 3 } else { 5 };
    let mut rows = 0;
    let mut times: Vec<(&str, Vec<Duration>)> = Vec::new();
    let mut processes: Vec<(&str, Vec<Usage>)> = Vec::new();
    // Whole processes first: a child's peak memory counts from that of the process that starts it.
    for _ in 0..runs {
        note(&mut times, "cat", || cat(&file))?;
        rows = note(&mut times, STEPPING, || scan::step_through(&file, &scan::NSYS))?;
        for (name, arguments) in PROCESSES {
            note_process(&mut processes, name, process::run(&file, &cache, arguments)?);
        }
        // By now it is kept.
        for (name, arguments) in KEPT {
            note_process(&mut processes, name, process::run(&file, &cache, arguments)?);
        }
        std::fs::remove_dir_all(&cache)?;
    }
    for _ in 0..runs {
        note(&mut times, STEPPING, || scan::step_through(&file, &scan::NSYS))?;
        stages(&file, key_node, &mut times)?;
    }
    let megabytes = megabytes(&file)?;
    println!("{}: {kernels} kernels asked for, {rows} rows, {megabytes:.1} MB, {runs} runs", kind.name);
    print(&times, &processes, STEPPING);
    Ok(())
}

/// Command lines of the tool for captures that nsys did not record.
const OTHERS: [(&str, &[&str]); 1] = [("dashboard, 2 threads", &["--no-cache", "--threads", "2"])];

/// A database of rocprofv3, as ratios to stepping through its large tables.
fn measure_rocpd(kernels: usize) -> Result<()> {
    let file = others::made("rocpd.db", kernels, others::rocpd)?;
    let (mut times, mut processes) = (Vec::new(), Vec::new());
    let mut rows = 0;
    for _ in 0..5 {
        rows = note(&mut times, STEPPING, || scan::step_through(&file, &scan::ROCPD))?;
        measure_other(&file, &mut times, &mut processes)?;
    }
    println!("rocpd: {kernels} kernels, {rows} rows, {:.1} MB, 5 runs", megabytes(&file)?);
    print(&times, &processes, STEPPING);
    Ok(())
}

/// An XPlane profile, as ratios to reading its bytes.
fn measure_xplane(kernels: usize) -> Result<()> {
    let file = others::made("xplane.pb", kernels, others::xplane)?;
    let (mut times, mut processes) = (Vec::new(), Vec::new());
    for _ in 0..5 {
        note(&mut times, "cat", || cat(&file))?;
        measure_other(&file, &mut times, &mut processes)?;
    }
    let megabytes = megabytes(&file)?;
    println!("XPlane: {kernels} kernels, {megabytes:.1} MB, 5 runs");
    print(&times, &processes, "cat");
    let read = times.iter().find(|(name, _)| *name == READING).map_or(&[][..], |(_, times)| times.as_slice());
    let seconds = median(read.iter().map(Duration::as_secs_f64));
    println!("{READING}: {:.0} MB for each CPU second", megabytes / seconds.max(1e-9));
    println!();
    Ok(())
}

/// Reading as a part of the whole, and the dashboard.
const READING: &str = "reading";

fn measure_other(
    file: &Path,
    times: &mut Vec<(&'static str, Vec<Duration>)>,
    processes: &mut Vec<(&'static str, Vec<Usage>)>,
) -> Result<()> {
    for (name, arguments) in OTHERS {
        note_process(processes, name, process::run(file, folder(), arguments)?);
    }
    drop(note(times, READING, || Ok(read_facts(file, SqliteOptions::default(), &Memory::default(), None)?))?);
    Ok(())
}

/// What all figures of a database are measured by.
const STEPPING: &str = "plain SQLite stepping";

fn megabytes(file: &Path) -> Result<f64> {
    Ok(std::fs::metadata(file)?.len() as f64 / 1e6)
}

/// Prints what was measured, each as a ratio to one of the times.
fn print(times: &[(&str, Vec<Duration>)], processes: &[(&str, Vec<Usage>)], baseline: &str) {
    let baseline = times.iter().find(|(name, _)| *name == baseline);
    let baseline = baseline.map_or(1.0, |(_, times)| median(times.iter().map(Duration::as_secs_f64)));
    println!("{:<36}{:>9}{:>9}", "in one process, one thread", "CPU s", "ratio");
    for (name, times) in times {
        let time = median(times.iter().map(Duration::as_secs_f64));
        println!("{name:<36}{time:>9.3}{:>9.2}", time / baseline);
    }
    println!("{:<36}{:>9}{:>9}{:>9}{:>10}", "whole process", "CPU s", "ratio", "wall s", "peak MB");
    for (name, runs) in processes {
        let of = |figure: fn(&Usage) -> f64| median(runs.iter().map(figure));
        let cpu = of(|usage| usage.cpu_s);
        let (wall, peak) = (of(|usage| usage.wall_s), of(|usage| usage.peak_mb));
        println!("{name:<36}{cpu:>9.3}{:>9.2}{wall:>9.3}{peak:>10.1}", cpu / baseline);
    }
    println!();
}

/// Command lines of the tool. The last one keeps the capture.
const PROCESSES: [(&str, &[&str]); 5] = [
    ("dashboard, 1 thread", &["--no-cache", "--threads", "1"]),
    ("dashboard, 2 threads", &["--no-cache", "--threads", "2"]),
    ("dashboard, 1 thread, SQLite reader", &["--no-cache", "--threads", "1", "--reader", "sqlite"]),
    ("dashboard, 1 thread, no budget", &["--no-cache", "--threads", "1", "--memory", "1T"]),
    ("dashboard, 2 threads, and keep it", &["--threads", "2"]),
];

/// Command lines that find the capture kept.
const KEPT: [(&str, &[&str]); 3] = [
    ("kept: dashboard, 2 threads", &["--threads", "2"]),
    ("kept: other range, 2 threads", &["--threads", "2", "--iter-start", "7", "--iter-stop", "600"]),
    (
        "kept: 20 longest kernels of a range",
        &["show", "kernels", "--top", "20", "--iter-start", "7", "--iter-stop", "600"],
    ),
];

/// What captures that hurt have too much of.
const HURT: [&str; 5] = [
    "open-ranges=4000",
    "open-ranges=1000000",
    "nested-ranges=1000000",
    "named-ranges=1000000",
    "slashes=20000",
];

/// The dashboard of a capture that hurts.
fn measure_hurt(hurt: &str) -> Result<()> {
    let file = made(hurt, &format!("--hurt {hurt}"))?;
    let runs: Vec<Usage> =
        (0..3).map(|_| process::run(&file, folder(), &["--no-cache"])).collect::<Result<_>>()?;
    let of = |figure: fn(&Usage) -> f64| median(runs.iter().map(figure));
    let (cpu, wall, peak) = (of(|usage| usage.cpu_s), of(|usage| usage.wall_s), of(|usage| usage.peak_mb));
    println!("{hurt:<36}{cpu:>9.3} CPU s{wall:>9.3} wall s{peak:>10.1} peak MB");
    Ok(())
}

/// The pipeline, stage by stage, on one thread.
fn stages(file: &Path, key_node: &str, times: &mut Vec<(&'static str, Vec<Duration>)>) -> Result<()> {
    let pool = Arc::new(rayon::ThreadPoolBuilder::new().num_threads(1).build()?);
    let memory = Memory::default();
    let read = |reader| {
        let sqlite = SqliteOptions { reader, ..SqliteOptions::default() };
        Ok(pool.install(|| read_facts(file, sqlite, &memory, None))?)
    };
    drop(note(times, "ingest by SQLite", || read(RowReader::Sqlite))?);
    let facts = note(times, "ingest by pages", || read(RowReader::Auto))?;
    let capture: Capture = note(times, "correlate", || {
        Ok(pool
            .install(|| correlate(facts, ModeChoice::Auto, LooseWork::default(), &[], Arc::clone(&pool)))
            .into())
    })?;
    let key_node = KeyNodeChoice::Named(key_node.into());
    drop(note(times, "index, key node named", || Ok(capture.index(&key_node)?))?);
    let index = note(times, "index, key node found", || Ok(capture.index(&KeyNodeChoice::Find)?))?;
    let profile = note(times, "profile, all iterations", || Ok(index.profile(&RangeChoice::default())?))?;
    note(times, "causes of idle time", || Ok(profile.used_gpu_time().length_ns))?;
    let judged = Judged::from(profile);
    note(times, "findings", || Ok(judged.findings().len()))?;
    note(times, "all tables but kernels", || {
        let tables = TABLES.iter().filter(|definition| definition.key != "kernels");
        Ok(tables.map(|definition| (definition.build)(&judged).rows()).sum::<usize>())
    })?;
    Ok(())
}

/// Times some work, over all threads of this process.
fn note<'n, T>(
    times: &mut Vec<(&'n str, Vec<Duration>)>,
    name: &'n str,
    work: impl FnOnce() -> Result<T>,
) -> Result<T> {
    let started = ProcessTime::try_now()?;
    let done = black_box(work()?);
    let time = started.try_elapsed()?;
    match times.iter_mut().find(|(other, _)| *other == name) {
        Some((_, times)) => times.push(time),
        None => times.push((name, vec![time])),
    }
    Ok(done)
}

fn note_process<'n>(processes: &mut Vec<(&'n str, Vec<Usage>)>, name: &'n str, usage: Usage) {
    match processes.iter_mut().find(|(other, _)| *other == name) {
        Some((_, runs)) => runs.push(usage),
        None => processes.push((name, vec![usage])),
    }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

/// Reads all bytes of a file and does nothing with them.
fn cat(file: &Path) -> Result<()> {
    use std::io::Read;
    let mut file = std::fs::File::open(file)?;
    let mut block = vec![0; 1 << 18];
    while file.read(&mut block)? > 0 {
        black_box(&block);
    }
    Ok(())
}
