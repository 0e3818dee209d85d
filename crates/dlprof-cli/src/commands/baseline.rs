//! `baseline`: keeps what is needed of runs. All commands that compare runs read their runs with this module.

use super::ranks::{JobOfCaptures, may_be_several};
use crate::console;
use crate::exit::Failure;
use crate::opening::CaptureFile;
use crate::settings::Settings;
use dlprof_core::{
    BaselineRun, BaselineScope, ClockChoice, Document, Judged, LooseWork, RunError, is_baseline,
    is_dlprof_database, read_baseline, write_baseline,
};
use dlprof_export::Target;
use std::path::{Path, PathBuf};

/// Which runs to keep, and where.
pub(crate) struct Baseline {
    /// Captures, or files written by this command.
    pub(crate) runs: Vec<PathBuf>,
    /// How captures are read.
    pub(crate) settings: Settings,
    pub(crate) target: Target,
    /// Whether captures that mislead may be kept as well.
    pub(crate) allow_misleading: bool,
}

pub(crate) fn run(asked: &Baseline) -> Result<(), Failure> {
    let runs: Vec<Run> = asked.runs.iter().cloned().map(Run::File).collect();
    let terms = Terms { has_database: has_database(&runs)?, ..Terms::default() };
    let document = pooled(&runs, &asked.settings, terms)?;
    for run in document.runs.iter().filter(|run| run.scope == BaselineScope::WholeCapture) {
        console::print_note(&format!(
            "`{}` has no steady iterations: the whole capture is one value, and the gate will be inconclusive; \
             choose a key node with `--key-node`",
            run.capture
        ));
    }
    let misleading = |run: &BaselineRun| {
        let why = run.misleads().first()?;
        Some(format!("the capture `{}` misleads: {why}", run.capture))
    };
    for message in document.runs.iter().filter_map(misleading) {
        if !asked.allow_misleading {
            let hint = "record the run again (`dlprof-agg check` says what is wrong); or keep it all the same with \
                        `--allow-misleading`: the gate gives no verdict on it";
            return Err(Failure::Request { message, hint: Some(hint.into()) });
        }
        console::print_note(&format!("{message}; do not measure other runs against it"));
    }
    asked.target.write(|out| write_baseline(&document, out))?;
    if asked.target.is_stream() {
        return Ok(());
    }
    console::print(&format!("{}\n", asked.target.path().display()))
}

/// A run, or several that are pooled already.
#[derive(Debug, Clone)]
pub enum Run {
    /// A capture, a job, or a file written by this command.
    File(PathBuf),
    /// What is kept of runs.
    Kept(Document),
}

/// How captures are read, so that they can be compared with others.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Terms {
    /// The clock of durations, unless one was named.
    pub(crate) clock: ClockChoice,
    /// Whether a DLProf database is among all runs. Then exports are read as DLProf reads them: work of threads without ranges
    /// belongs to no op.
    pub(crate) has_database: bool,
}

/// Several runs as one document.
pub(crate) fn pooled(runs: &[Run], settings: &Settings, terms: Terms) -> Result<Document, Failure> {
    let document = |run: &Run| match run {
        Run::File(file) => load(file, settings, terms),
        Run::Kept(document) => Ok(document.clone()),
    };
    let documents: Vec<Document> = runs.iter().map(document).collect::<Result<_, _>>()?;
    if documents.is_empty() {
        return Err(Failure::Usage {
            message: "no file given".into(),
            hint: Some("give nsys SQLite exports, or files written by `dlprof-agg baseline`".into()),
        });
    }
    Ok(Document::pooled(documents))
}

/// Whether a DLProf database, or a baseline of one, is among some runs.
pub(crate) fn has_database<'a>(runs: impl IntoIterator<Item = &'a Run>) -> Result<bool, Failure> {
    for run in runs {
        let is_from_one = match run {
            Run::Kept(document) => document.has_database(),
            Run::File(file) if !file.is_file() => false,
            Run::File(file) => match is_baseline(file)? {
                true => read_baseline(file)?.has_database(),
                false => is_dlprof_database(file),
            },
        };
        if is_from_one {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A baseline, or a capture or a job of which one is made: a folder, a pattern or a list is a job.
pub(super) fn load(file: &Path, settings: &Settings, terms: Terms) -> Result<Document, Failure> {
    Ok(opened(file, settings, terms)?.0)
}

/// The same, with the profile of a capture.
pub(super) fn opened(
    file: &Path,
    settings: &Settings,
    terms: Terms,
) -> Result<(Document, Option<Judged>), Failure> {
    // The reader of captures has the error messages for paths that are not files.
    if file.is_file() && is_baseline(file)? {
        return Ok((read_baseline(file)?, None));
    }
    if may_be_several(file) {
        let asked = JobOfCaptures::of_paths(&[&file.to_owned()], settings.clone())?;
        return Ok((Document::of_job(&*asked.open()?, &asked.name()), None));
    }
    let mut settings = settings.clone();
    if settings.asked.range.clock == ClockChoice::Auto {
        settings.asked.range.clock = terms.clock;
    }
    if terms.has_database {
        settings.asked.read.loose_work = LooseWork::Unassociated;
    }
    let file = CaptureFile::new(file.to_owned(), settings);
    let profile = file.open()?;
    file.finish(&profile);
    Ok((Document::of(&profile), Some(profile)))
}

/// The baselines of a folder with their names, in order of the names.
pub(super) fn folder(path: &Path) -> Result<(Vec<String>, Vec<Document>), Failure> {
    let unreadable = |source| dlprof_core::Error::Unreadable { path: path.into(), source };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(path).map_err(unreadable)? {
        let file = entry.map_err(unreadable)?.path();
        if file.extension().is_some_and(|ending| ending == "json") {
            files.push(file);
        }
    }
    files.sort();
    if files.is_empty() {
        return Err(RunError::NoBaselines { path: path.into() }.into());
    }
    let documents = files.iter().map(|file| read_baseline(file)).collect::<Result<_, _>>()?;
    Ok((files.iter().map(|file| short_name(file)).collect(), documents))
}

/// The name of a file without folder and ending.
pub(super) fn short_name(file: &Path) -> String {
    file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
