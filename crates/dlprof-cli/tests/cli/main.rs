//! The command line as a user types it.

mod dashboard;
mod inputs;
mod query;
mod reports;
mod run;
mod tables;
