//! Tests of the gate through its front door.

mod documents;
mod rates;
mod simulated;
mod verdicts;
