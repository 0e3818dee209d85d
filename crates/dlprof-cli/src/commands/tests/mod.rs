//! Every command is called with values, on generated captures.

mod files;
mod looks;
mod runs;
mod stats;
