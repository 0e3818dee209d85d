//! Generates synthetic Nsight Systems exports together with their exactly known truth.
//!
//! ```text
//! cargo run --release -p dlprof-core --example generate -- train.sqlite --style markers --processes 2 --gpus 2
//! ```

mod generator;

use clap::Parser as _;
use generator::options::Options;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    generator::generate(Options::parse())
}
