//! A capture that is open.

use super::asked::Asked;
use super::refusal::Refusal;
use super::rows::RowsAsked;
use crate::answers::{self, OpenFile};
use crate::commands::show::find;
use crate::commands::what_if;
use crate::nsys::Exported;
use crate::opening::CaptureFile;
use dlprof_core::{
    CaptureContents, DefaultRange, Diagnostic, Judged, OpenOptions, RangeChoice, Severity, View, hint_in,
    judge,
};
use dlprof_export::what_if_json;
use dlprof_export::{QueryLimits, StandingQuestion};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Hears how far the work is. A break ends it.
pub trait Hears: Sync {
    /// How many rows are read, of about how many.
    fn rows(&self, done: u64, total: u64) -> ControlFlow<()>;
    /// A stage begins or has ended.
    fn stage(&self) -> ControlFlow<()>;
}

/// A capture that is open: the profile of a range of iterations, and what other ranges need.
#[derive(Clone)]
pub struct Opened {
    /// The profile, with what the rules find.
    pub judged: Judged,
    /// The file as it was named.
    pub path: PathBuf,
    asked: Asked,
    /// The export of a report, which may be removed when nobody needs it.
    _export: Option<Arc<Exported>>,
}

/// Reads a capture, or the report that is one, and aggregates the range that is asked for.
///
/// # Errors
/// If the file cannot be read, if what is asked for does not fit it, or if the work was ended.
pub fn open(path: &Path, asked: &Asked, hears: &dyn Hears) -> Result<Opened, Refusal> {
    let file = CaptureFile::new(path.to_owned(), asked.settings(DefaultRange::Auto)?);
    let judged = file.open_telling(&|done, total| hears.rows(done, total), &|_, _| hears.stage())?;
    let export = file.into_export().map(Arc::new);
    Ok(Opened { judged, path: path.to_owned(), asked: asked.clone(), _export: export })
}

impl Opened {
    /// The name of the file without folder and ending.
    #[must_use]
    pub fn name(&self) -> String {
        self.path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// The files that were read besides it.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        self.asked.files()
    }

    /// The same capture, over another range of iterations, both ends included.
    ///
    /// # Errors
    /// If there is no such range.
    pub fn range(&self, start: u32, stop: u32) -> Result<Self, Refusal> {
        let settings = self.asked.settings(DefaultRange::Auto)?;
        let OpenOptions { range, figures, rules, .. } = &settings.asked;
        let range = RangeChoice { iter_start: Some(start), iter_stop: Some(stop), ..*range };
        range.check()?;
        let known = self.judged.known_figures();
        let profile = self.judged.index.profile_sharing(&range, figures, &known)?;
        let asked = Asked { iter_start: Some(start), iter_stop: Some(stop), ..self.asked.clone() };
        Ok(Self { judged: judge(&profile, rules), asked, ..self.clone() })
    }

    /// Columns and rows of a table.
    ///
    /// # Errors
    /// If there is no such table, or what is asked for does not fit it.
    pub fn table(&self, name: &str, rows: RowsAsked) -> Result<View<'static>, Refusal> {
        rows.of_capture(find(name)?, &self.judged)
    }

    /// The iterations with edits, as JSON.
    ///
    /// # Errors
    /// If there is no such edit, or nothing to replay.
    pub fn what_if(&self, edits: &[String]) -> Result<String, Refusal> {
        Ok(what_if_json(&what_if::answer(&self.judged, &what_if::parse(edits)?)?))
    }

    /// The answer to a standing question, as one line of JSON within so many tokens.
    ///
    /// # Errors
    /// If there is no such question, it is about two captures, or a query was stopped at a limit.
    pub fn ask(&self, question: &str, about: Option<&str>, most_tokens: usize) -> Result<String, Refusal> {
        let names = || StandingQuestion::ALL.map(|question| question.words()[0]).join(", ");
        let question = StandingQuestion::named(question).ok_or_else(|| {
            Refusal::usage(format!("there is no question `{question}`"), format!("questions are {}", names()))
        })?;
        let limits = QueryLimits::default();
        let asked = answers::Asked { question, about, cursor: None, limits };
        let file = OpenFile { path: &self.path, judged: &self.judged };
        Ok(answers::answer(&asked, &[file])?.to_json(most_tokens))
    }

    /// Keeps what was worked out by now for later runs.
    pub fn keep_figures(&self) {
        if let Ok(settings) = self.asked.settings(DefaultRange::Auto)
            && let Some(cache) = &settings.cache
        {
            settings.asked.keep_figures(&self.judged, cache);
        }
    }

    /// What was odd about the capture: the severity, the code, and in words what was found, with examples and what to do.
    #[must_use]
    pub fn diagnostics(&self) -> Vec<(Severity, &'static str, String)> {
        let described = |found: &Diagnostic| {
            (found.code.severity(), found.code.key(), in_words(found, &self.judged.capture))
        };
        self.judged.diagnostics.iter().map(described).collect()
    }

    /// The same capture by DLProf's rules, for a DLProf database.
    pub(super) fn by_rules_of_dlprof(&self) -> Result<Judged, Refusal> {
        let settings = self.asked.settings(DefaultRange::Auto)?;
        Ok(CaptureFile::new(self.path.clone(), settings).by_rules_of_dlprof().open()?)
    }
}

fn in_words(found: &Diagnostic, capture: &CaptureContents) -> String {
    let counted = if found.count == 1 { String::new() } else { format!("{} × ", found.count) };
    let mut text = format!("{counted}{}", found.code.meaning());
    for example in &found.examples {
        text.push_str("\n  ");
        text.push_str(example);
    }
    if let Some(hint) = hint_in(found.code, Some(capture)) {
        text.push_str("\n  hint: ");
        text.push_str(&hint);
    }
    text
}
