//! The command line as a user types it.

mod dashboard;
mod inputs;
mod reports;
mod run;
mod tables;
