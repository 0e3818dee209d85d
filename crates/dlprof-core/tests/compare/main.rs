//! Comparisons of runs and the gate, through the front door.

mod documents;
mod drawn;
mod rates;
mod simulated;
mod verdicts;
