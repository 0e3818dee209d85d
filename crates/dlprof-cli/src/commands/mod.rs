//! A file per command.

pub(crate) mod cache;
pub(crate) mod check;
pub(crate) mod dashboard;
pub(crate) mod demo;
pub(crate) mod export;
pub(crate) mod reports;
pub(crate) mod shell;
pub(crate) mod show;
