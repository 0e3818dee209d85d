//! A simulated training loop, its export and its truth.
//!
//! Threads open NVTX ranges and call CUDA, streams run what was asked of them. The simulation knows which op every
//! API call and every GPU item belongs to, so the truth is never read back from the export. Nothing here uses the
//! library, so that comparing both means something.

mod catalog;
mod noise;
pub(crate) mod options;
mod rng;
mod schema;
mod trace;
mod truth;
mod worker;
mod workload;
mod writer;

use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write as _};

use options::Options;
use truth::Truth;

/// Simulates, then writes truth and export.
pub(crate) fn generate(mut options: Options) -> Result<(), Box<dyn Error>> {
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

/// The number of training steps; without a request, what comes nearest to the wanted number of kernels.
fn steps(options: &Options) -> Result<u32, Box<dyn Error>> {
    if let Some(steps) = options.iterations {
        return Ok(steps);
    }
    let probe = Options { empty_iteration: None, ..options.clone() };
    let one = workload::simulate(&probe, 1).kernels.len();
    let per_step = workload::simulate(&probe, 2).kernels.len() - one;
    Ok(u32::try_from((options.kernels / per_step).max(1))?)
}
