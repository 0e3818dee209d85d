//! The command line as a user types it.

mod dashboard;
mod explain;
mod gate;
mod inputs;
mod kept;
#[cfg(unix)]
mod killed;
mod query;
mod reports;
mod rules;
mod run;
mod tables;
