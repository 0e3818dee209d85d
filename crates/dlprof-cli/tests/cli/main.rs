//! The command line as a user types it.

#[path = "../../../dlprof-core/examples/generate/generator/mod.rs"]
mod generator;

mod dashboard;
mod gate;
mod inputs;
mod kept;
mod query;
mod reports;
mod run;
mod tables;
