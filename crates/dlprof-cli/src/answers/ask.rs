//! `ask`: the answer to a standing question about one or several captures.

use super::{Asked, OpenFile, answer};
use crate::commands::query::as_one_of_several;
use crate::console;
use crate::exit::{self, Failure};
use crate::opening::CaptureFile;
use dlprof_core::{Judged, Severity};
use dlprof_export::{AnswerState, Envelope, QueryLimits, StandingQuestion};
use std::time::Duration;

/// What to ask, and in which form the answer is printed.
pub(crate) struct Ask {
    pub(crate) question: StandingQuestion,
    /// At least one.
    pub(crate) files: Vec<CaptureFile>,
    pub(crate) about: Option<String>,
    pub(crate) cursor: Option<String>,
    /// Whether it is JSON.
    pub(crate) is_json: bool,
    pub(crate) most_tokens: usize,
    pub(crate) fails_on: FailsOn,
}

/// What ends a command with exit code 1 although it answers.
#[derive(Debug, Clone, Copy)]
pub(crate) enum FailsOn {
    Nothing,
    /// A problem of this severity or a higher one.
    Problems(Option<Severity>),
    /// The same of a finding.
    Findings(Option<Severity>),
}

impl FailsOn {
    /// The exit code of a capture.
    fn code(self, judged: &Judged) -> u8 {
        match self {
            Self::Nothing => exit::DONE,
            Self::Problems(severity) => exit::of_problems(judged, severity),
            Self::Findings(severity) => exit::of_findings(judged.findings(), severity),
        }
    }
}

/// Time of each query.
pub(crate) const TIME_OF_QUERY: Duration = Duration::from_secs(60);

/// Returns the exit code: that of a request that does not fit where there is nothing of what it is about.
pub(crate) fn run(asked: &Ask) -> Result<u8, Failure> {
    let judged: Vec<Judged> = asked
        .files
        .iter()
        .map(|file| as_one_of_several(file, asked.files.len() > 1))
        .collect::<Result<_, _>>()?;
    let envelope = of_opened(asked, &judged)?;
    match asked.is_json {
        true => console::print_json(&envelope.to_json(asked.most_tokens)),
        false => console::print(&envelope.to_text(asked.most_tokens)),
    }?;
    keep(&asked.files, &judged);
    Ok(match envelope.state {
        AnswerState::Error => exit::REQUEST,
        _ => judged.iter().map(|one| asked.fails_on.code(one)).max().unwrap_or(exit::DONE),
    })
}

fn keep(files: &[CaptureFile], judged: &[Judged]) {
    files.iter().zip(judged).for_each(|(file, judged)| file.keep_figures(judged));
}

fn of_opened(asked: &Ask, judged: &[Judged]) -> Result<Envelope, Failure> {
    let open = |(file, judged)| -> OpenFile<'_> {
        let file: &CaptureFile = file;
        OpenFile { path: &file.path, judged }
    };
    let files: Vec<OpenFile<'_>> = asked.files.iter().zip(judged).map(open).collect();
    let memory_bytes = asked.files.first().map_or(0, |file| file.settings.memory_bytes());
    let limits = QueryLimits { time: TIME_OF_QUERY, memory_bytes };
    let (about, cursor) = (asked.about.as_deref(), asked.cursor.as_deref());
    answer(&Asked { question: asked.question, about, cursor, limits }, &files)
}
