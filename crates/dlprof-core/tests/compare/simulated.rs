//! Simulated runs as documents.

use dlprof_core::{BaselineRun, Document};
use dlprof_generate::runs::{Machine, Noise};

/// The next run of a machine, all its times `factor` times as long.
pub(crate) fn run(machine: &mut Machine, factor: f64) -> BaselineRun {
    BaselineRun::of_metrics("simulated", machine.run(factor))
}

/// A baseline of some runs and a document of one new run, whose times are all `factor` times as long.
pub(crate) fn pair(noise: Noise, seed: u64, runs: usize, factor: f64) -> (Document, Document) {
    let mut machine = Machine::new(noise, seed);
    let base = Document::new((0..runs).map(|_| run(&mut machine, 1.0)).collect());
    (base, Document::new(vec![run(&mut machine, factor)]))
}
