//! `baseline`: keeps what is needed of runs. All commands that compare runs read their runs with this module.

use crate::analysis_args::Analysis;
use crate::exit::Failure;
use crate::gate_args::Baseline;
use crate::settings::Settings;
use crate::{console, inputs};
use dlprof_core::capture::correlate::LooseWork;
use dlprof_core::read::ingest::is_dlprof_database;
use dlprof_core::runs::RunError;
use dlprof_core::runs::document::{self, Document, Scope};
use dlprof_core::steps::iterate::ClockChoice;
use dlprof_export::Target;
use std::path::{Path, PathBuf};

pub(crate) fn run(args: &Baseline) -> Result<(), Failure> {
    let files = args.analysis.file.iter().chain(&args.more);
    let inputs = inputs::of(files.clone(), &args.analysis.options.general);
    let target = Target::new(&args.output, inputs::overwrite(args.force), &inputs)?;
    let terms = Terms { has_database: has_database(files.clone())?, ..Terms::default() };
    let document = pooled(files, &args.analysis, terms)?;
    for run in document.runs.iter().filter(|run| run.scope == Scope::WholeCapture) {
        console::print_note(&format!(
            "`{}` has no steady iterations: the whole capture is one value, and the gate will be inconclusive; \
             choose a key node with `--key-node`",
            run.capture
        ));
    }
    target.write(|out| out.write_all(document::to_json(&document).as_bytes()))?;
    if target.is_stream() {
        return Ok(());
    }
    console::print(&format!("{}\n", args.output.display()))
}

/// How captures are read, so that they can be compared with others.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Terms<'a> {
    /// The runs that they are compared with: on their clock, unless one was named.
    pub(super) base: Option<&'a Document>,
    /// Whether a DLProf database is among all runs. Then exports are read as DLProf reads them: work of threads without ranges
    /// belongs to no op.
    pub(super) has_database: bool,
}

/// The runs of several files as one document.
pub(super) fn pooled<'a>(
    files: impl Iterator<Item = &'a PathBuf>,
    analysis: &Analysis,
    terms: Terms<'_>,
) -> Result<Document, Failure> {
    let documents: Vec<Document> = files.map(|file| load(file, analysis, terms)).collect::<Result<_, _>>()?;
    if documents.is_empty() {
        return Err(Failure::Usage {
            message: "no file given".into(),
            hint: Some("give nsys SQLite exports, or files written by `dlprof-agg baseline`".into()),
        });
    }
    Ok(Document::pooled(documents))
}

/// Whether a DLProf database, or a baseline of one, is among some files.
pub(super) fn has_database<'a>(files: impl Iterator<Item = &'a PathBuf>) -> Result<bool, Failure> {
    for file in files.filter(|file| file.is_file()) {
        let is_from_one = match document::is_baseline(file)? {
            true => document::read(file)?.has_database(),
            false => is_dlprof_database(file),
        };
        if is_from_one {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A baseline, or a capture of which one is made.
pub(super) fn load(file: &Path, analysis: &Analysis, terms: Terms<'_>) -> Result<Document, Failure> {
    // The reader of captures has the error messages for paths that are not files.
    if file.is_file() && document::is_baseline(file)? {
        return Ok(document::read(file)?);
    }
    let analysis = Analysis { file: Some(file.to_owned()), ..analysis.clone() };
    let mut settings = Settings::of_all_iterations(&analysis)?;
    if settings.asked.range.clock == ClockChoice::Auto {
        settings.asked.range.clock = terms.base.map_or(ClockChoice::Auto, Document::clock);
    }
    if terms.has_database {
        settings.asked.read.loose_work = LooseWork::Unassociated;
    }
    let profile = settings.profile()?;
    settings.finish(&profile);
    Ok(Document::new(vec![document::sample(&profile)]))
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
    let documents = files.iter().map(|file| document::read(file)).collect::<Result<_, _>>()?;
    Ok((files.iter().map(|file| short_name(file)).collect(), documents))
}

/// The name of a file without folder and ending.
pub(super) fn short_name(file: &Path) -> String {
    file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
