//! The program `nsys`: `nsys profile` makes a report of a program, and `nsys export` makes the SQLite export of a report, which
//! is kept while the report is the same.
//!
//! ```text
//! a program ──nsys profile──► run.nsys-rep
//! run.nsys-rep ──nsys export──► CACHE/exports/KEY/run.sqlite ──► as any export
//! ```

mod kept;
mod measuring;
mod profiler;
mod program;
mod signals;
mod typed;

pub(crate) use kept::{KeptReport, LIMIT_BYTES, clear, list};
pub(crate) use measuring::{Measuring, Ncu, logs_named};
pub(crate) use profiler::{Profiling, free_name};
pub(crate) use program::Program;
pub(crate) use signals::exit_code;
pub(crate) use typed::typed;

use crate::exit::Failure;
use dlprof_core::{Cache, make_private, no_more_rights_than};
use dlprof_export::{Inputs, Overwrite, Target};
use kept::{Place, ReportIdentity};

use std::path::{Path, PathBuf};

/// The endings of reports.
const ENDINGS: [&str; 2] = ["nsys-rep", "qdrep"];

/// How to export reports.
#[derive(Debug, Clone)]
pub(crate) struct Exporter<'a> {
    /// The program that the user named; `None` for `nsys` on PATH.
    pub(crate) program: Option<&'a Path>,
    /// Where exports are kept; `None` if they are not kept.
    pub(crate) cache: Option<&'a Cache>,
    /// Whether progress is wanted.
    pub(crate) shows_progress: bool,
}

/// The export of a report. The file may disappear when this is dropped.
#[derive(Debug)]
pub(crate) struct Exported {
    /// The SQLite file.
    pub(crate) path: PathBuf,
    /// None for a file that the user named.
    _place: Option<Place>,
}

/// Whether a file is a report: by its content, and of one that is empty or not there by its name.
pub(crate) fn is_report(path: &Path) -> bool {
    match dlprof_core::unread_file(path) {
        Some(found) => found.is_nsys_report,
        None => has_ending(path) && !path.metadata().is_ok_and(|file| file.len() > 0),
    }
}

fn has_ending(path: &Path) -> bool {
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    ENDINGS.contains(&ending.as_str())
}

impl Exporter<'_> {
    /// The export of a report: the kept one if the report is unchanged, else a new one.
    pub(crate) fn export(&self, report: &Path) -> Result<Exported, Failure> {
        let identity = ReportIdentity::of(report)?;
        let name = format!("{}.sqlite", report.file_stem().unwrap_or_default().to_string_lossy());
        if let Some(place) = self.cache.and_then(|cache| kept::find(cache, &identity)) {
            return Ok(Exported { path: place.path().join(&name), _place: Some(place) });
        }
        let program = Program::find(self.program)?.ok_or_else(|| program::missing(report))?;
        let failed = |source: std::io::Error| Failure::Input {
            message: format!("cannot keep the export of `{}`", report.display()),
            cause: Some(source.to_string()),
            hint: Some("`--no-cache` exports to the folder for temporary files instead".into()),
        };
        let folder = kept::new_folder(self.cache).map_err(failed)?;
        let made = folder.path().join(&name);
        program.export(report, &made, self.shows_progress)?;
        make_private(&made).map_err(failed)?;
        let place = match self.cache {
            Some(cache) => kept::keep(cache, &identity, folder).map_err(failed)?,
            None => Place::Temporary(folder),
        };
        Ok(Exported { path: place.path().join(&name), _place: Some(place) })
    }

    /// The export of a report in a file that the user named: the file if it exists, unless it is to be made anew.
    pub(crate) fn export_to(
        &self,
        report: &Path,
        file: &Path,
        is_anew: bool,
        inputs: &Inputs,
    ) -> Result<Exported, Failure> {
        if is_anew || !file.exists() {
            let target = Target::new(file, Overwrite::Replace, inputs)?;
            let program = Program::find(self.program)?.ok_or_else(|| program::missing(report))?;
            target.write_by(|unfinished| {
                // A version of nsys may change another ending.
                let made = unfinished.with_file_name("export.sqlite");
                program.export(report, &made, self.shows_progress)?;
                let unwritable = |source| dlprof_export::Error::Write { path: file.into(), source };
                no_more_rights_than(report, &made).map_err(unwritable)?;
                Ok::<_, Failure>(std::fs::rename(&made, unfinished).map_err(unwritable)?)
            })?;
        }
        Ok(Exported { path: file.into(), _place: None })
    }
}
