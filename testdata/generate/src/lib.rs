//! Synthetic Nsight Systems exports together with their exactly known truth, for tests, benches and examples.
//!
//! This crate simulates a training loop: threads open NVTX ranges and call CUDA, and streams run the work. The
//! simulation knows which op every API call and every GPU item belongs to, so the truth is never read back from the
//! export. Nothing here uses the library, so both can be compared.
//!
//! ```no_run
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! dlprof_generate::write_export("train.sqlite".as_ref(), "--style markers --processes 2 --gpus 2")?;
//! # Ok(())
//! # }
//! ```
//!
//! [`runs`] simulates many runs of a program. It makes only samples, without captures.

mod catalog;
pub mod corpus;
mod damage;
mod hurt;
mod job;
mod noise;
mod options;
mod plant;
mod rng;
pub mod runs;
mod schema;
mod trace;
mod truth;
mod worker;
mod workload;
mod writer;

use clap::Parser as _;
use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use truth::Truth;

pub use job::{JobPlan, write_job};
pub use options::Options;

/// Writes an export to `path`, by the arguments of the program `generate` that follow the path, and its truth beside it
/// (extension `.truth.json`).
///
/// # Errors
/// If an argument is unknown or a file cannot be written.
pub fn write_export(path: &Path, arguments: &str) -> Result<(), Box<dyn Error>> {
    let path = path.to_str().ok_or("the path is not UTF-8")?;
    generate(Options::try_parse_from(["generate", path].into_iter().chain(arguments.split_whitespace()))?)
}

/// The rules that have a pair of captures: `--pair RULE` writes the one with the fault, `--pair RULE=repaired` the other.
#[must_use]
pub fn pair_rules() -> Vec<&'static str> {
    plant::pairs::rules()
}

/// The names that `--damage` takes.
pub fn damages() -> impl Iterator<Item = &'static str> {
    damage::DAMAGES.iter().map(|damage| damage.name)
}

/// Simulates, writes truth and export, and damages the export if that is asked for.
///
/// # Errors
/// If a file cannot be written.
pub fn generate(options: Options) -> Result<(), Box<dyn Error>> {
    let (output, damages) = (options.output.clone(), options.damage.clone());
    write_capture(options)?;
    damages.into_iter().try_for_each(|damage| damage::damage_file(&output, damage))
}

fn write_capture(mut options: Options) -> Result<(), Box<dyn Error>> {
    if let Some(pair) = options.pair {
        return plant::pairs::generate(options, pair);
    }
    if let Some(hurt) = options.hurt {
        options.style = options::Style::Ranges;
        return hurt::generate(&options, hurt);
    }
    if let Some(window) = options.window {
        return plant::pairs::windows::generate(options, window);
    }
    if !options.plant.is_empty() {
        return plant::generate(options);
    }
    let steps = steps(&options)?;
    options.iterations = Some(steps);
    options.backward = Some(options.has_autograd_thread());
    let mut trace = workload::simulate(&options, steps);
    let mut file = BufWriter::new(File::create(options.truth_path())?);
    serde_json::to_writer(&mut file, &Truth::new(&options, &trace))?;
    writeln!(file)?;
    file.flush()?;
    writer::write(&options, &mut trace)
}

/// The number of training steps. If it is not given, the number that gives about the wanted number of kernels.
fn steps(options: &Options) -> Result<u32, Box<dyn Error>> {
    if let Some(steps) = options.iterations {
        return Ok(steps);
    }
    let probe = Options { empty_iteration: None, ..options.clone() };
    let one = workload::simulate(&probe, 1).kernels.len();
    let per_step = workload::simulate(&probe, 2).kernels.len() - one;
    Ok(u32::try_from((options.kernels / per_step).max(1))?)
}
