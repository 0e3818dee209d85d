//! A file per command.

pub(crate) mod cache;
pub(crate) mod check;
pub(crate) mod dashboard;
pub(crate) mod demo;
pub(crate) mod export;
#[cfg_attr(not(feature = "polars"), path = "no_query.rs")]
pub(crate) mod query;
pub(crate) mod reports;
pub(crate) mod shell;
pub(crate) mod show;
