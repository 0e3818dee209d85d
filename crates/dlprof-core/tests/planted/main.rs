//! Captures in which everything is planted in known amounts: the figures equal what was planted, in integer nanoseconds.

mod gpu;
mod host;
mod pairs;
mod planted;
mod rules;
mod steps;
mod windows;
