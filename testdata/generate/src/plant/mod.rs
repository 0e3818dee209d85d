//! Captures in which everything is planted in known amounts: `--plant`.
//!
//! Instead of a training loop, a schedule: each GPU has a process, and in every iteration the scenes that were asked for
//! follow each other. The amounts differ by iteration and GPU. What is true of the capture is counted while it is laid out.
//!
//! ```text
//! iteration   │ head │ scene │ scene │ …  │ tail, as long as it takes until the slowest GPU is through │
//! GPU 0        ██████  █  ██  ██ █   █     ██
//! GPU 1        ██████  █  ██   ██ █    █   ██████████
//! idle GPU     █                                                                  (and again at the end)
//! ```

mod ahead;
mod book;
pub(crate) mod choice;
mod idle;
mod kernels;
pub(crate) mod pairs;
pub(crate) mod records;
mod scenes;
mod schedule;
pub(crate) mod stage;
pub(crate) mod tables;
mod truth;

use crate::options::{Options, Schema};
use crate::trace::{Ns, ProcessInfo, Span, Thread, Trace};
use crate::writer;
use book::Book;
use choice::{Plant, Planted};
use records::Records;
use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write as _};

/// When the first iteration starts.
const FIRST_ITERATION: Ns = 2_000_000;
/// Iterations if the command line does not say.
const ITERATIONS: u32 = 4;
/// Bytes of static variables on each GPU, allocated before the first iteration.
const STATIC_BYTES: i64 = 4_096;
/// `globalTid` and `globalPid` start with this hardware id.
const HARDWARE_ID: i64 = 1 << 48;

/// A planted capture.
struct Planned {
    /// Its processes and threads; the events are in `records`.
    trace: Trace,
    /// Its events.
    records: Records,
    /// What is true of it.
    book: Book,
    /// Its iterations, without what comes before the first and after the last.
    iterations: Vec<Span>,
    /// Where iterations start on the CPU.
    cpu_starts: Vec<Ns>,
    /// Number of GPUs with work.
    used_gpus: usize,
}

/// Lays out what `--plant` asks for, then writes truth and export.
pub(crate) fn generate(mut options: Options) -> Result<(), Box<dyn Error>> {
    let plants = chosen(&options);
    let has = |what: Planted| plants.iter().any(|plant| plant.what == what);
    let workers = usize::from(options.gpus);
    let used_gpus = workers + usize::from(has(Planted::IdleGpu));
    let sm_count = match options.schema {
        Schema::V2022 => 108,
        Schema::V2024 => 132,
    };
    let iterations = options.iterations.unwrap_or(ITERATIONS) as usize;
    options.gpus = u16::try_from(used_gpus + usize::from(has(Planted::UnusedGpu)))?;
    let mut planned = if has(Planted::Ahead) {
        if plants.len() > 1 || workers > 1 {
            return Err("launches far ahead of the GPU are planted alone, on one GPU".into());
        }
        ahead::plan(plants[0].value, iterations, sm_count)
    } else {
        schedule::plan(&plants, iterations, workers, sm_count)
    };
    let mut file = BufWriter::new(File::create(options.truth_path())?);
    let truth = truth::truth(&options, &plants, &planned)?;
    serde_json::to_writer(&mut file, &truth)?;
    writeln!(file)?;
    file.flush()?;
    planned.records.sort();
    writer::write_planted(&options, &planned.trace, &planned.records)
}

/// What to plant, each thing once in the order of the command line; of several amounts the last one counts.
fn chosen(options: &Options) -> Vec<Plant> {
    let mut plants: Vec<Plant> = Vec::new();
    for plant in options.plant.iter().flat_map(|choice| &choice.0) {
        match plants.iter_mut().find(|other| other.what == plant.what) {
            Some(other) => other.value = plant.value,
            None => plants.push(*plant),
        }
    }
    plants
}

/// Processes with two threads each, and one without GPU work with one thread.
fn processes(count: usize) -> Trace {
    let mut trace = Trace::default();
    for number in 0..=count {
        let pid = 4_100 + 3 * i64::try_from(number).unwrap_or(0);
        let global_pid = HARDWARE_ID | (pid << 24);
        // The one without GPU work has no GPU of its own.
        let gpu = number.min(count.saturating_sub(1));
        trace.processes.push(ProcessInfo { pid, global_pid, gpu });
        let names: &[&'static str] =
            if number == count { &["pt_data_worker"] } else { &["python3", "pt_autograd_0"] };
        for (more, &name) in (0..).zip(names) {
            trace.threads.push(Thread { process: number, global_tid: global_pid | (pid + more), name });
        }
    }
    trace
}
