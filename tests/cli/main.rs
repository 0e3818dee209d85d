//! The command line as a user types it.

mod dashboard;
mod explain;
mod findings_compared;
mod gate;
mod inputs;
mod kept;
#[cfg(unix)]
mod killed;
mod query;
mod reports;
mod run;
mod tables;
