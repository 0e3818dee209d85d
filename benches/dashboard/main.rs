//! The dashboard of a generated export against a plain scan of the same columns, in one run.
//!
//! ```text
//! cargo bench -p dlprof-core --bench dashboard [-- KERNELS]
//! ```
//!
//! Prints CPU seconds of each (best of several runs) and their ratio, which holds on other machines; absolute
//! times do not.

#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]

#[path = "../../crates/dlprof-core/examples/generate/generator/mod.rs"]
mod generator;
mod scan;

use clap::Parser;
use cpu_time::ProcessTime;
use dlprof_core::{Capture, IterationOptions, KeyNodeChoice, ReadOptions};
use generator::{generate, options::Options};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Runs of each, of which the best counts.
const RUNS: usize = 5;

fn main() -> Result<(), Box<dyn Error>> {
    let kernels = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let kernels: usize = kernels.map_or(Ok(1_000_000), |text| text.parse())?;
    let file = export(kernels)?;
    let mut rows = 0;
    let scan = best(|| {
        rows = scan::step_through(&file)?;
        Ok(())
    })?;
    let one = best(|| dashboard(&file, 1))?;
    let two = best(|| dashboard(&file, 2))?;
    println!("{}: {kernels} kernels asked for, {rows} rows", file.display());
    println!("plain SQLite stepping   {:8.3} CPU s", scan.as_secs_f64());
    for (threads, time) in [(1, one), (2, two)] {
        let ratio = time.as_secs_f64() / scan.as_secs_f64();
        println!("dashboard, {threads} thread(s)  {:8.3} CPU s  {ratio:.2} x stepping", time.as_secs_f64());
    }
    Ok(())
}

/// The export in cargo's folder for such things; made once.
fn export(kernels: usize) -> Result<PathBuf, Box<dyn Error>> {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("markers-{kernels}.sqlite"));
    if !file.exists() {
        let kernels = kernels.to_string();
        let path = file.to_str().ok_or("the target folder has a UTF-8 path")?;
        let arguments =
            ["--style", "markers", "--processes", "2", "--gpus", "2", "--backward", "--kernels", &kernels];
        generate(Options::parse_from(["generate", path].into_iter().chain(arguments)))?;
    }
    Ok(file)
}

fn dashboard(file: &Path, threads: usize) -> Result<(), Box<dyn Error>> {
    let capture = Capture::read(file, ReadOptions { threads, ..ReadOptions::default() })?;
    let options = IterationOptions {
        key_node: KeyNodeChoice::Named("/module/train_step".into()),
        ..Default::default()
    };
    std::hint::black_box(capture.profile(&options)?);
    Ok(())
}

/// CPU time of the best run, over all threads.
fn best(mut work: impl FnMut() -> Result<(), Box<dyn Error>>) -> Result<Duration, Box<dyn Error>> {
    let mut best = Duration::MAX;
    for _ in 0..RUNS {
        let started = ProcessTime::try_now()?;
        work()?;
        best = best.min(started.try_elapsed()?);
    }
    Ok(best)
}
