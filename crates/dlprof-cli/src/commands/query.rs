//! `query`: the answer to an SQL query over the tables of one or several captures.

use super::show::{Look, Printed, print};
use crate::console;
use crate::console::pager::Paging;
use crate::exit::Failure;
use crate::opening::CaptureFile;
use dlprof_core::Judged;
use dlprof_export::{Format, QueryError, QueryLimits, QueryStopped, Target, write_table};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

/// What to ask, and where the answer goes.
pub(crate) struct Query {
    /// At least one.
    pub(crate) files: Vec<CaptureFile>,
    pub(crate) sql: String,
    /// `None` for standard output.
    pub(crate) output: Option<(Target, Format)>,
    /// How it is printed.
    pub(crate) format: Printed,
    /// Of the query; the reading of captures does not count.
    pub(crate) time_limit: Duration,
}

pub(crate) fn run(asked: &Query) -> Result<(), Failure> {
    let files = &asked.files;
    let Some(first) = files.first() else { return Ok(()) };
    let names = names(files)?;
    let query = dlprof_export::Query::new(&asked.sql, names.len()).map_err(unusable)?;
    let mut query = query
        .with_limits(QueryLimits { time: asked.time_limit, memory_bytes: first.settings.memory_bytes() });
    let mut profiles = Vec::with_capacity(names.len());
    for (file, name) in files.iter().zip(&names) {
        let added = add(&mut query, file, name, names.len() > 1);
        profiles.push(added.inspect_err(|_| {
            if names.len() > 1 {
                console::print_capture(&file.path);
            }
        })?);
    }
    let answer = query.run().map_err(unusable)?;
    files.iter().zip(&profiles).for_each(|(file, profile)| file.keep_figures(profile));
    match &asked.output {
        Some((target, format)) => {
            target.write(|out| write_table(&answer, *format, out))?;
            if target.is_stream() {
                return Ok(());
            }
            console::print(&format!("{}\n", target.path().display()))
        }
        None => print(&answer, asked.format, &Look::new(first.settings.time_unit), &Paging::default()),
    }
}

/// The names of captures: the one that the user gave, or those of their files.
fn names(files: &[CaptureFile]) -> Result<Vec<String>, Failure> {
    let given = files.first().and_then(|file| file.settings.profile_name.clone());
    match (files, given) {
        ([_], Some(name)) => Ok(vec![name]),
        (_, None) => {
            let paths: Vec<&Path> = files.iter().map(|file| file.path.as_path()).collect();
            Ok(names_of_files(&paths))
        }
        (several, Some(name)) => Err(Failure::Usage {
            message: format!("`--profile-name {name}` names one capture, but {} are given", several.len()),
            hint: Some("leave it out; captures are then named after their files".into()),
        }),
    }
}

/// Reads a capture and adds its tables.
fn add(
    query: &mut dlprof_export::Query,
    file: &CaptureFile,
    name: &str,
    is_one_of_several: bool,
) -> Result<Judged, Failure> {
    let profile = as_one_of_several(file, is_one_of_several)?;
    query.add(name, &profile).map_err(unusable)?;
    Ok(profile)
}

/// Opens a capture and prints what is odd about it, after its name where there are several.
pub(crate) fn as_one_of_several(file: &CaptureFile, is_one_of_several: bool) -> Result<Judged, Failure> {
    let profile = file.open()?;
    let (diagnostics, verbosity) = (&profile.diagnostics, file.settings.verbosity);
    if is_one_of_several && diagnostics.iter().any(|one| console::is_shown(verbosity, one)) {
        console::print_capture(&file.path);
    }
    console::print_diagnostics(verbosity, diagnostics, Some(&profile.capture));
    Ok(profile)
}

pub(crate) fn unusable(QueryError { message, hint, stopped }: QueryError) -> Failure {
    let option = match stopped {
        Some(QueryStopped::Time) => Some("--time-limit"),
        Some(QueryStopped::Memory) => Some("--memory"),
        None => None,
    };
    let more = option.map(|option| format!("; `{option}` sets the limit")).unwrap_or_default();
    Failure::Usage { message, hint: hint.map(|hint| hint + &more) }
}

/// A different name for each file: the file name without its ending. Files of the same name get their path, as it
/// was given; a path that is given twice gets a number.
pub(crate) fn names_of_files(files: &[&Path]) -> Vec<String> {
    let stem = |file: &Path| file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut taken = BTreeSet::new();
    let mut names = Vec::new();
    for file in files {
        let is_only = files.iter().filter(|other| stem(other) == stem(file)).count() == 1;
        let name = if is_only { stem(file) } else { file.display().to_string() };
        let numbered = (2..).map(|number| format!("{name} ({number})"));
        let free = std::iter::once(name.clone()).chain(numbered).find(|name| taken.insert(name.clone()));
        names.extend(free);
    }
    names
}
