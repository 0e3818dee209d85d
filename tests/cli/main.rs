//! The command line as a user types it.

mod command_line;
mod dashboard;
mod docs;
mod explain;
mod findings_compared;
mod gate;
mod inputs;
mod kept;
#[cfg(unix)]
mod killed;
#[cfg(unix)]
mod nsys;
mod query;
#[cfg(feature = "polars")]
mod query_rules;
mod reports;
mod rules;
mod run;
mod shown_tables;
mod stats;
mod stats_docs;
mod table_conditions;
mod tables;
#[cfg(unix)]
mod terminal;
