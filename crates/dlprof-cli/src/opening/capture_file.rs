//! A capture that a user named, and what is asked of it.

#[cfg(feature = "view")]
use super::reading::Reading;
use super::stages::Stages;
use crate::console;
use crate::console::progress::Progress;
use crate::exit::Failure;
use crate::nsys::{self, Exported, Exporter};
use crate::settings::Settings;
use dlprof_core::{
    Capture, Judged, ModeChoice, OnStage, OpenOptions, OwnOutcome, OwnResult, Profile, ReadOptions,
    RowDetail, SqliteOptions,
};
use dlprof_export::Inputs;
use std::cell::OnceCell;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Is told how many rows are read, of about how many, and can end it by a break.
pub(crate) type OnRows<'a> = &'a (dyn Fn(u64, u64) -> ControlFlow<()> + Sync);

/// A capture that a user named, and what is asked of it.
pub(crate) struct CaptureFile {
    /// The file as the user named it.
    pub(crate) path: PathBuf,
    pub(crate) settings: Settings,
    /// The export of a report. It is kept here, because it may be removed when it is dropped.
    exported: OnceCell<Exported>,
}

impl CaptureFile {
    pub(crate) fn new(path: PathBuf, settings: Settings) -> Self {
        Self { path, settings, exported: OnceCell::new() }
    }

    /// The same capture, of which figures by DLProf's rules are asked.
    pub(crate) fn by_rules_of_dlprof(self) -> Self {
        Self { settings: self.settings.by_rules_of_dlprof(), ..self }
    }

    /// Opens the capture and judges the profile. Shows what is done if it takes long. Mistakes of users' rules that only a
    /// capture shows are found now, whatever is shown of the capture.
    pub(crate) fn open(&self) -> Result<Judged, Failure> {
        self.open_telling(&|_, _| ControlFlow::Continue(()), &|_, _| ControlFlow::Continue(()))
    }

    /// As [`Self::open`]. `on_rows` is told how many rows are read, of about how many; `on_stage` which stages begin and end. Both
    /// can end it by a break.
    pub(crate) fn open_telling(&self, on_rows: OnRows<'_>, on_stage: OnStage<'_>) -> Result<Judged, Failure> {
        let Settings { asked, verbosity, shows_progress, cache, .. } = &self.settings;
        let input = self.input()?;
        let rows = self.progress();
        let on_progress = |done, total| {
            rows.update(done, total);
            on_rows(done, total)
        };
        let stages = Stages::new(*verbosity, *shows_progress, &rows);
        let on_stage = |stage, event| {
            stages.show(stage, event);
            on_stage(stage, event)
        };
        let asked = OpenOptions {
            read: ReadOptions {
                memory: self.settings.memory(),
                on_progress: Some(&on_progress),
                ..asked.read.clone()
            },
            on_stage: Some(&on_stage),
            ..asked.clone()
        };
        let judged = Capture::open(input, &asked, cache.as_ref())?;
        console::spoken::hear(judged.capture.recorder);
        if let Some((_, error)) = judged.own_failures().next() {
            return Err(error.clone().into());
        }
        for OwnResult { id, outcome } in judged.own_results() {
            if let OwnOutcome::NotRun(reason) = outcome {
                console::print_rule_not_judged(*verbosity, id, reason);
            }
        }
        console::print_scratch(*verbosity, judged.capture.memory.most_scratch_bytes());
        Ok(judged)
    }

    /// As [`Self::open`], and says how far it is.
    #[cfg(feature = "view")]
    pub(crate) fn open_watched(&self, reading: &Reading) -> Result<Judged, Failure> {
        let name = self.path.file_name().unwrap_or(self.path.as_os_str()).to_string_lossy();
        let on_rows = |done, total| {
            reading.rows(done, total);
            ControlFlow::Continue(())
        };
        self.open_telling(&on_rows, &|stage, event| {
            reading.stage(&name, stage, event);
            ControlFlow::Continue(())
        })
    }

    /// Reads the capture with all that its rows say. Ops do not matter, so no time goes into finding them; nothing is kept.
    pub(crate) fn records(&self) -> Result<Capture, Failure> {
        let input = self.input()?;
        let rows = self.progress();
        let on_progress = |done, total| {
            rows.update(done, total);
            ControlFlow::Continue(())
        };
        let read = &self.settings.asked.read;
        let options = ReadOptions {
            mode: ModeChoice::Simple,
            threads: read.threads,
            memory: self.settings.memory(),
            sqlite: SqliteOptions { detail: RowDetail::Records, ..read.sqlite },
            on_progress: Some(&on_progress),
            ..ReadOptions::default()
        };
        Ok(Capture::read(input, &options)?)
    }

    /// Ends the work with a profile: prints what was odd about the input, and keeps what was worked out for later runs.
    pub(crate) fn finish(&self, profile: &Profile) {
        console::print_diagnostics(self.settings.verbosity, &profile.diagnostics, Some(&profile.capture));
        self.keep_figures(profile);
    }

    /// Keeps what was worked out with a profile for later runs.
    pub(crate) fn keep_figures(&self, profile: &Profile) {
        if let Some(cache) = &self.settings.cache {
            self.settings.asked.keep_figures(profile, cache);
        }
    }

    /// Reads the export of the report from a file that the user named. It is made if it is missing, or is to be made anew.
    pub(crate) fn use_export(&self, file: &Path, is_anew: bool, inputs: &Inputs) -> Result<(), Failure> {
        if !nsys::is_report(&self.path) {
            return Err(Failure::Usage {
                message: format!(
                    "`--sqlite` needs a `.nsys-rep` report; `{}` is not one",
                    self.path.display()
                ),
                hint: Some("give the report (`.nsys-rep`), or leave out `--sqlite`".into()),
            });
        }
        let exported = self.exporter().export_to(&self.path, file, is_anew, inputs)?;
        self.exported.get_or_init(|| exported);
        Ok(())
    }

    /// The export to read; that of a report is made now.
    pub(crate) fn export_if_report(&self) -> Result<&Path, Failure> {
        self.input()
    }

    /// The export of the report, which is there as long as this is; none if the file is no report.
    pub(crate) fn into_export(self) -> Option<Exported> {
        self.exported.into_inner()
    }

    /// The name of the file without folder and ending.
    pub(crate) fn stem(&self) -> Option<String> {
        self.path.file_stem().map(|stem| stem.to_string_lossy().into_owned())
    }

    /// The export to read: the file that the user named, or the export of this report.
    fn input(&self) -> Result<&Path, Failure> {
        if !nsys::is_report(&self.path) {
            return Ok(&self.path);
        }
        if let Some(exported) = self.exported.get() {
            return Ok(&exported.path);
        }
        let exported = self.exporter().export(&self.path)?;
        Ok(&self.exported.get_or_init(|| exported).path)
    }

    fn exporter(&self) -> Exporter<'_> {
        Exporter {
            program: self.settings.nsys.as_deref(),
            cache: self.settings.cache.as_ref(),
            shows_progress: self.settings.shows_progress,
        }
    }

    /// The bar of reading.
    fn progress(&self) -> Progress {
        let name = self.path.file_name().unwrap_or(self.path.as_os_str()).to_string_lossy();
        Progress::new(self.settings.shows_progress, format!("reading {name}"), "rows")
    }
}
