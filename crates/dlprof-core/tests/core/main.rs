//! Tests of the library through its front door.

#[path = "../../examples/generate/generator/mod.rs"]
mod generator;

mod cache;
mod corpus;
mod finder;
mod frameworks;
mod graphs;
mod kept_sums;
mod mutations;
mod readers;
mod script;
mod selections;
mod tables;
mod truth;
mod work;
