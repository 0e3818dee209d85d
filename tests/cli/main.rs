//! The command line as a user types it.

mod agents;
mod changing;
mod collectives;
mod command_line;
mod cuts;
mod damaged;
mod dashboard;
mod dlprof_compared;
mod dlprof_databases;
#[cfg(unix)]
mod dlprof_docs;
mod docs;
mod doors;
mod explain;
mod findings_compared;
mod flames;
mod foreign;
mod gate;
#[cfg(feature = "view")]
mod http;
mod hurt;
mod inputs;
#[cfg(target_os = "linux")]
mod interrupted;
mod kept;
#[cfg(unix)]
mod killed;
#[cfg(unix)]
mod lake;
#[cfg(target_os = "linux")]
mod limits;
mod many;
mod ncu;
mod ncu_suggest;
#[cfg(unix)]
mod nsys;
#[cfg(unix)]
mod outputs;
#[cfg(all(unix, feature = "view"))]
mod private;
mod products;
#[cfg(unix)]
mod profile;
mod query;
mod query_rules;
mod ranks;
mod reports;
mod rocm;
mod rules;
mod run;
mod shown_tables;
mod small_mistakes;
#[cfg(target_os = "linux")]
mod special_files;
mod stats;
mod stats_docs;
mod strange_schemas;
mod sums;
mod table_conditions;
mod tables;
#[cfg(unix)]
mod terminal;
mod torch_docs;
mod torch_ranks;
mod torch_traces;
#[cfg(feature = "view")]
mod unread;
mod view;
#[cfg(feature = "view")]
mod view_safety;
#[cfg(feature = "view")]
mod view_start;
mod what_if;
#[cfg(feature = "view")]
mod whole_timeline;
#[cfg(all(unix, feature = "view"))]
mod working_folder;
