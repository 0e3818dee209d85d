//! Generates synthetic Nsight Systems exports together with their exactly known truth.
//!
//! ```text
//! cargo run --release -p dlprof-generate -- train.sqlite --style markers --processes 2 --gpus 2
//! ```

use clap::Parser as _;
use dlprof_generate::{Options, generate};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    generate(Options::parse())
}
