//! Pairs of captures, one for each rule: a program with a fault, and the same program with the fault repaired.
//!
//! Both are simulated: the repaired program does what the advice says, and how much time that saves follows from the
//! simulation, not from the formula of the rule. `--pair RULE` writes the first, `--pair RULE=repaired` the second.

pub(crate) mod board;
mod capture;
mod copies;
mod gpus;
mod host;
mod kernels;
mod math;
mod ops;
mod program;
mod shapes;
mod simulation;
pub(crate) mod windows;

use super::{FIRST_ITERATION, processes};
use crate::options::Options;
use crate::trace::Ns;
use crate::writer;
use program::{Program, State};
use serde_json::{Map, Value, json};
use simulation::Run;
use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write as _};

/// A fault, planted and repaired.
struct Case {
    /// The rule that should find it; after a slash which of several pairs of the rule it is.
    id: &'static str,
    /// The program.
    program: fn(State) -> Program,
    /// What the rule should say of the faulty one: names of its figures and their values.
    figures: &'static [(&'static str, Planted)],
}

/// The value of a figure.
#[derive(Clone, Copy)]
enum Planted {
    /// Their number in each iteration.
    Each(f64),
    /// This many nanoseconds of each iteration, in percent of its length.
    OfLength(Ns),
    /// This many nanoseconds of each iteration, in percent of the time of its kernels.
    OfKernels(Ns),
    /// So much, whatever the iterations are.
    Fixed(f64),
}

/// All pairs.
fn cases() -> impl Iterator<Item = &'static Case> {
    [host::CASES, copies::CASES, gpus::CASES, math::CASES, ops::CASES, shapes::CASES, capture::CASES]
        .into_iter()
        .flatten()
}

/// The value of `--pair`: a rule, and which of its two captures.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairChoice {
    id: &'static str,
    state: State,
}

/// Reads `RULE`, `RULE=faulty` or `RULE=repaired`.
pub(crate) fn pair_choice(text: &str) -> Result<PairChoice, String> {
    let (name, state) = text.split_once('=').unwrap_or((text, "faulty"));
    let state = match state {
        "faulty" => State::Faulty,
        "repaired" => State::Repaired,
        other => return Err(format!("a pair is `faulty` or `repaired`, not `{other}`")),
    };
    let Some(case) = cases().find(|case| case.id == name) else {
        let known: Vec<&str> = cases().map(|case| case.id).collect();
        return Err(format!("there is no pair for `{name}`, only for {}", known.join(", ")));
    };
    Ok(PairChoice { id: case.id, state })
}

/// The rules that have a pair.
pub(crate) fn rules() -> Vec<&'static str> {
    cases().map(|case| case.id).collect()
}

/// Simulates one capture of a pair, then writes truth and export.
pub(crate) fn generate(mut options: Options, choice: PairChoice) -> Result<(), Box<dyn Error>> {
    let Some(case) = cases().find(|case| case.id == choice.id) else { return Ok(()) };
    let program = (case.program)(choice.state);
    let mut run = simulation::run(&program, FIRST_ITERATION);
    options.gpus = u16::try_from(program.gpus + program.unused_gpus)?;
    options.board = Some(program.board);
    options.has_all_contexts = program.has_all_contexts;
    let mut file = BufWriter::new(File::create(options.truth_path())?);
    serde_json::to_writer(&mut file, &truth(case, choice.state, &program, &run))?;
    writeln!(file)?;
    file.flush()?;
    run.records.sort();
    writer::write_planted(&options, &processes(program.gpus), &run.records)
}

/// What is true of a capture: its iterations, and of the faulty one what the rule should say.
fn truth(case: &Case, state: State, program: &Program, run: &Run) -> Value {
    let length: Ns = run.iterations.iter().map(|span| span.duration()).sum();
    let gpus = program.gpus as f64;
    let count = run.iterations.len() as f64;
    let share = |ns: Ns, of: Ns| 100.0 * ns as f64 * count / of as f64;
    let value = |planted: Planted| match planted {
        Planted::Fixed(number) => json!({"value": number}),
        Planted::Each(number) => json!({"each": number}),
        Planted::OfLength(ns) => json!({"value": share(ns, length)}),
        Planted::OfKernels(ns) => json!({"value": share(ns, run.kernel_ns) * gpus}),
    };
    let figures: Map<String, Value> =
        case.figures.iter().map(|&(name, planted)| (name.to_owned(), value(planted))).collect();
    let iterations: Vec<Value> =
        run.iterations.iter().map(|span| json!({"start_ns": span.start, "stop_ns": span.stop})).collect();
    json!({
        "rule": case.id.split('/').next(),
        "is_repaired": state == State::Repaired,
        "iterations": iterations,
        "figures": figures,
    })
}
