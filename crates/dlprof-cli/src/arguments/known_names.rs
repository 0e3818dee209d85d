//! Names that shells complete. Others are taken as well: a command says itself what is wrong with a name, and which one was meant.

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::error::Error;
use clap::{Arg, Command};
use dlprof_core::{JOB_TABLES, NSYS_REPORTS, TABLES, explain_all};
use std::collections::BTreeSet;
use std::ffi::OsStr;

/// A text for which there are known names, with what each is.
#[derive(Debug, Clone, Copy)]
pub(super) struct KnownNames(fn() -> Vec<(&'static str, &'static str)>);

/// Tables of captures, as `show` and `export` take them.
pub(super) const OF_TABLES: KnownNames =
    KnownNames(|| TABLES.iter().map(|table| (table.key, table.doc)).collect());

/// The same, with those of jobs.
pub(super) const OF_ALL_TABLES: KnownNames = KnownNames(|| {
    let of_jobs = JOB_TABLES.iter().map(|table| (table.key, table.doc));
    TABLES.iter().map(|table| (table.key, table.doc)).chain(of_jobs).collect()
});

/// What `explain` explains.
pub(super) const OF_EXPLANATIONS: KnownNames = KnownNames(|| {
    let names: BTreeSet<&str> = explain_all().map(|one| one.name).collect();
    names.into_iter().map(|name| (name, "")).collect()
});

/// Reports of `nsys stats`.
pub(super) const OF_REPORTS: KnownNames =
    KnownNames(|| NSYS_REPORTS.iter().map(|report| (report.name, report.title)).collect());

impl TypedValueParser for KnownNames {
    type Value = String;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<String, Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let values = (self.0)().into_iter();
        Some(Box::new(values.map(|(name, help)| PossibleValue::new(name).help(first_sentence(help)))))
    }
}

fn first_sentence(text: &'static str) -> &'static str {
    text.split_once(". ").map_or(text, |(first, _)| first).trim_end_matches('.')
}
