//! A file per command: a plain struct that says what is asked for, and `run`, which does it. How a command line is written is not
//! known here; `arguments/` makes these structs from it.

pub(crate) mod baseline;
#[cfg(feature = "view")]
mod browser;
pub(crate) mod cache;
pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod dashboard;
pub(crate) mod demo;
pub(crate) mod explain;
pub(crate) mod export;
pub(crate) mod export_job;
pub(crate) mod gate;
pub(crate) mod history;
pub(crate) mod lake;
pub(crate) mod ncu;
pub(crate) mod ncu_logs;
pub(crate) mod ncu_roofline;
pub(crate) mod one_clock;
pub(crate) mod per_iteration;
pub(crate) mod profile;
pub(crate) mod query;
pub(crate) mod ranks;
pub(crate) mod report_files;
pub(crate) mod reports;
pub(crate) mod row_choice;
pub(crate) mod rules;
pub(crate) mod show;
pub(crate) mod show_job;
pub(crate) mod stats;
#[cfg_attr(not(feature = "view"), path = "no_view.rs")]
pub(crate) mod view;
pub(crate) mod what_if;

#[cfg(test)]
mod tests;
