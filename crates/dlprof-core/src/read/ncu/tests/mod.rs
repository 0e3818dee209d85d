//! Logs written in the test: what each form says, and what is left of damaged ones.

mod damaged;
mod forms;
mod summed;
