//! `query`: the answer to an SQL query over the tables of one or several captures.

use super::show::Look;
use crate::console;
use crate::exit::Failure;
use crate::inputs;
use crate::output_args::Query as Args;
use crate::settings::Settings;
use crate::show_args::Paging;
use dlprof_core::advice::Judged;
use dlprof_export::Target;
use dlprof_export::formats::{Format, write_table};
use dlprof_export::query::{Limits, Query, QueryError, Stopped};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let (files, sql) = files_and_sql(&args.files_and_sql)?;
    let settings: Vec<Settings> =
        files.iter().map(|file| Settings::of(file.clone(), &args.options)).collect::<Result<_, Failure>>()?;
    let names = match (settings.as_slice(), &settings[0].profile_name) {
        ([_], Some(name)) => vec![name.clone()],
        (_, None) => names(files),
        (several, Some(name)) => {
            return Err(Failure::Usage {
                message: format!(
                    "`--profile-name {name}` names one capture, but {} are given",
                    several.len()
                ),
                hint: Some("leave it out; captures are then named after their files".into()),
            });
        }
    };
    let output = args.output.as_deref();
    let output = output.map(|path| Format::of_path(path).map(|format| (path, format))).transpose()?;
    let inputs = inputs::of(files, &args.options.general);
    let target = |(path, format)| Ok((Target::new(path, inputs::overwrite(args.force), &inputs)?, format));
    let output =
        output.map(target).transpose().map_err(|error: dlprof_export::Error| Failure::from(error))?;
    let query = Query::new(sql, names.len()).map_err(unusable)?;
    let mut query = query.with_limits(Limits {
        time: Duration::from_secs(args.time_limit.into()),
        memory_bytes: settings[0].memory_bytes(),
    });
    let mut profiles = Vec::with_capacity(names.len());
    for (settings, name) in settings.iter().zip(&names) {
        let added = add(&mut query, settings, name, names.len() > 1);
        profiles.push(added.inspect_err(|_| {
            if names.len() > 1 {
                console::print_capture(&settings.file);
            }
        })?);
    }
    let answer = query.run().map_err(unusable)?;
    settings.iter().zip(&profiles).for_each(|(settings, profile)| settings.keep_figures(profile));
    match output {
        Some((target, format)) => {
            target.write(|out| write_table(&answer, format, out))?;
            if target.is_stream() {
                return Ok(());
            }
            console::print(&format!("{}\n", target.path().display()))
        }
        None => {
            super::show::print(&answer, args.format, &Look::new(settings[0].time_unit), &Paging::default())
        }
    }
}

/// The captures, and the query, which comes last.
fn files_and_sql(words: &[PathBuf]) -> Result<(&[PathBuf], &str), Failure> {
    let (sql, files) =
        words.split_last().map_or((Path::new(""), words), |(sql, files)| (sql.as_path(), files));
    let missing = |what: &str| Failure::Usage {
        message: format!("no {what} given"),
        hint: Some("for example `dlprof-agg query run.sqlite \"select op_id, calls from ops\"`".into()),
    };
    match sql.to_str() {
        Some(sql) if !files.is_empty() => Ok((files, sql)),
        _ if sql.is_file() => Err(missing("SQL")),
        _ => Err(missing("FILE")),
    }
}

/// Reads a capture and adds its tables.
fn add(
    query: &mut Query,
    settings: &Settings,
    name: &str,
    is_one_of_several: bool,
) -> Result<Judged, Failure> {
    let profile = settings.profile()?;
    query.add(name, &profile).map_err(unusable)?;
    let diagnostics = &profile.diagnostics;
    if is_one_of_several && diagnostics.iter().any(|one| console::is_shown(settings.verbosity, one)) {
        console::print_capture(&settings.file);
    }
    console::print_diagnostics(settings.verbosity, diagnostics);
    Ok(profile)
}

fn unusable(QueryError { message, hint, stopped }: QueryError) -> Failure {
    let option = match stopped {
        Some(Stopped::Time) => Some("--time-limit"),
        Some(Stopped::Memory) => Some("--memory"),
        None => None,
    };
    let more = option.map(|option| format!("; `{option}` sets the limit")).unwrap_or_default();
    Failure::Usage { message, hint: hint.map(|hint| hint + &more) }
}

/// A different name for each file: the file name without its ending. Files of the same name get their path, as it
/// was given; a path that is given twice gets a number.
fn names(files: &[PathBuf]) -> Vec<String> {
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
