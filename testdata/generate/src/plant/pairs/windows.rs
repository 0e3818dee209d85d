//! Captures whose windows are planted: which iterations the default range holds, and what state each is in.
//!
//! `--window NAME` writes one. Iteration 1 is the first step; 0 is what comes before.

use super::super::{FIRST_ITERATION, processes};
use super::kernels::{ELEMENTWISE, TENSOR_GEMM, layers};
use super::program::{Act, Program, Step, chain, range, step, times};
use super::simulation::{self, Run};
use crate::options::Options;
use crate::writer;
use serde_json::{Value, json};
use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write as _};

/// A capture, and what is true of its windows.
struct Scene {
    id: &'static str,
    program: fn() -> Program,
    /// First and last iteration of the default range.
    range: [u32; 2],
    /// The clock on which the work runs.
    clock: &'static str,
    /// The state of an iteration, from 1 on.
    state: fn(usize) -> &'static str,
}

const SCENES: &[Scene] = &[
    Scene { id: "lost", program: lost, range: [1, 14], clock: "cpu", state: lost_state },
    Scene { id: "outliers", program: outliers, range: [1, 29], clock: "cpu", state: outlier_state },
    Scene { id: "alternating", program: alternating, range: [1, 24], clock: "cpu", state: |_| "steady" },
    Scene { id: "ahead", program: ahead, range: [1, 24], clock: "gpu", state: |_| "steady" },
];

/// Recorded iterations of the capture that loses records.
const RECORDED: usize = 14;

/// The tracer loses all CUDA records of the backward thread from some iteration on, while the main thread goes on.
fn lost() -> Program {
    let of_iteration = |iteration: usize| -> Step {
        let recorded = chain([layers(6), layers(6)]);
        let backward = if iteration < RECORDED { recorded } else { times(48, &[Act::Unseen(100_000)]) };
        let backward = range("backward", chain([vec![Act::Backward], backward, vec![Act::Main]]));
        step(chain([range("forward", layers(6)), backward]))
    };
    Program::of_steps((0..24).map(of_iteration).collect())
}

fn lost_state(number: usize) -> &'static str {
    if number <= RECORDED { "steady" } else { "untraced" }
}

/// Every fifth iteration saves a checkpoint.
fn outliers() -> Program {
    let of_iteration = |iteration: usize| -> Step {
        let checkpoint =
            range("checkpoint", vec![Act::Call("cudaMemGetInfo", 300_000), Act::Os("fsync", 2_500_000)]);
        let saves = (iteration + 1).is_multiple_of(5);
        step(chain([layers(10), vec![Act::Wait], if saves { checkpoint } else { Vec::new() }]))
    };
    Program::of_steps((0..30).map(of_iteration).collect())
}

fn outlier_state(number: usize) -> &'static str {
    if number.is_multiple_of(5) { "outlier" } else { "steady" }
}

/// Short and long iterations by turns, with as many launches each.
fn alternating() -> Program {
    let of_iteration = |iteration: usize| -> Step {
        let ns = if iteration.is_multiple_of(2) { 100_000 } else { 160_000 };
        step(times(20, &[Act::Launch(TENSOR_GEMM, ns), Act::Launch(ELEMENTWISE, ns)]))
    };
    Program::of_steps((0..24).map(of_iteration).collect())
}

/// Nothing waits for the GPU, but that the queue of launches is full at times: equal work, and steps of the CPU that jump.
fn ahead() -> Program {
    let of_iteration = |iteration: usize| -> Step {
        let behind = [1_000_000, 9_000_000, 6_000_000][iteration % 3];
        let launches = times(20, &[Act::Launch(TENSOR_GEMM, 100_000), Act::Launch(ELEMENTWISE, 100_000)]);
        range("step", chain([launches, vec![Act::Throttle(behind)]]))
    };
    Program::of_steps((0..24).map(of_iteration).collect())
}

/// The value of `--window`: one of the names.
pub(crate) fn window_choice(text: &str) -> Result<&'static str, String> {
    let known = || SCENES.iter().map(|scene| scene.id);
    let found = known().find(|id| *id == text);
    found.ok_or_else(|| {
        format!("there is no window `{text}`, only {}", known().collect::<Vec<_>>().join(", "))
    })
}

/// Simulates a capture, then writes truth and export.
pub(crate) fn generate(mut options: Options, id: &str) -> Result<(), Box<dyn Error>> {
    let Some(scene) = SCENES.iter().find(|scene| scene.id == id) else { return Ok(()) };
    let program = (scene.program)();
    let mut run = simulation::run(&program, FIRST_ITERATION);
    options.gpus = u16::try_from(program.gpus + program.unused_gpus)?;
    options.board = Some(program.board);
    let mut file = BufWriter::new(File::create(options.truth_path())?);
    serde_json::to_writer(&mut file, &truth(scene, &run))?;
    writeln!(file)?;
    file.flush()?;
    run.records.sort();
    writer::write_planted(&options, &processes(program.gpus), &run.records)
}

fn truth(scene: &Scene, run: &Run) -> Value {
    let iteration = |(number, span): (usize, &crate::trace::Span)| {
        let state = (scene.state)(number);
        json!({"cpu_start_ns": span.start, "cpu_stop_ns": span.stop, "state": state})
    };
    let iterations: Vec<Value> = (1..).zip(&run.iterations).map(iteration).collect();
    json!({
        "window": scene.id,
        "start": scene.range[0],
        "stop": scene.range[1],
        "clock": scene.clock,
        "iterations": iterations,
    })
}
